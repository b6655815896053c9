"""Pages that open in any browser without a network: one file, style and scripts inside, nothing else allowed to run.

A page is a template (`templates/NAME.html.j2`, within `frame.html.j2`), the scripts of the frame and its own
(`frame.js`, `NAME.js`), one style, and data as JSON. The policy of the page allows exactly these scripts and this
style, by their hashes. Words in templates are `t("words")`, which shows them in the language of the page and keeps the
other one for the switch.
"""

import base64
import gzip
import json
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.reports.words import CHINESE, Language

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
LARGE: Final = 4_000_000
"""Data of more characters are packed: a page of ten thousand items stays small."""


def render_page(
    name: str,
    data: Mapping[str, Any],
    *,
    title: str,
    language: Language = "en",
    folder: Path = TEMPLATES,
    **context: Any,
) -> str:
    """The page of a template with its data; everything in both is escaped."""
    style = _read("style.css", TEMPLATES)
    scripts = [_read("frame.js", TEMPLATES), _read(f"{name}.js", folder)]
    packed, kind = _embedded({**data, "language": language, "words": CHINESE})
    frame = {
        "title": title,
        "language": language,
        "style": _safe(style),
        "scripts": [_safe(script) for script in scripts],
        "policy": _policy(style, scripts),
        "data": _safe(packed),
        "data_kind": kind,
        "t": partial(_word, language),
    }
    return _environment(folder).get_template(f"{name}.html.j2").render(**context, **frame)


def _policy(style: str, scripts: list[str]) -> str:
    """Nothing may be loaded or run but what has these hashes."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _embedded(data: Mapping[str, Any]) -> tuple[str, str]:
    """Data as they stand in a script element: JSON that cannot end it, or packed JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text) > LARGE:
        return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode(), "text/plain"
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode(), "application/json"


def _word(language: Language, text: str) -> "Markup":
    """Words of the page in its language, with both languages beside them."""
    from markupsafe import Markup

    chinese = CHINESE.get(text, text)
    shown = chinese if language == "zh" else text
    return Markup('<span data-en="{}" data-zh="{}">{}</span>').format(text, chinese, shown)


def _environment(folder: Path) -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader([folder, TEMPLATES])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _read(name: str, folder: Path) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _safe(text: str) -> "Markup":
    from markupsafe import Markup

    return Markup(text)
