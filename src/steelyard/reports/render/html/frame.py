"""Pages that open in any browser without a network: one file, style and scripts inside, nothing else allowed to run.

A page is a template (`templates/NAME.html.j2`, within `frame.html.j2`), the scripts of the frame and its own
(`frame.js`, then `scripts`, then `NAME.js`), one style, and data as JSON. The policy of the page allows exactly these
scripts and this style, by their hashes. Words in templates are `t("code")`, which shows them in the language of the
page and keeps the other one for the switch; `label("code")` does the same for the accessible name of an element.
"""

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.i18n import LANGUAGES, Language, texts, words_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
_QUOTED: Final = re.compile(r'"([a-z]+\.[a-z0-9_]+)"')
_HALF: Final = re.compile("[\ud800-\udfff]")
LARGE: Final = 1_500_000
"""Data of more characters are packed: a page of ten thousand items stays small."""


def render_page(
    name: str,
    data: Mapping[str, Any],
    *,
    title: str,
    language: Language = "en",
    folder: Path = TEMPLATES,
    scripts: Sequence[str] = (),
    **context: Any,
) -> str:
    """The page of a template with its data; everything in both is escaped."""
    style = _read("style.css", TEMPLATES)
    sources = [_read("frame.js", TEMPLATES), *(_read(script, folder) for script in (*scripts, f"{name}.js"))]
    embedded, kind = _embedded({**data, "language": language, "words": _spoken(sources)})
    frame = {
        "title": title,
        "language": language,
        "style": _safe(style),
        "scripts": [_safe(source) for source in sources],
        "policy": _policy(style, sources),
        "data": embedded,
        "data_kind": kind,
        "t": partial(word, language),
        "label": partial(label, language),
    }
    page = _environment(folder).get_template(f"{name}.html.j2").render(**context, **frame)
    return _whole_characters(page)


def _spoken(scripts: Sequence[str]) -> dict[str, dict[str, str]]:
    """The texts of the scripts in every language: of the codes that stand in them."""
    quoted = {code for script in scripts for code in _QUOTED.findall(script)}
    codes = sorted(quoted & texts("en").keys())
    return {language: {code: texts(language)[code] for code in codes} for language in LANGUAGES}


def _policy(style: str, scripts: list[str]) -> str:
    """Nothing may be loaded or run but what has these hashes."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _embedded(data: Mapping[str, Any]) -> "tuple[Markup, str]":
    """Data as they stand in a script element: JSON that cannot end it, or packed JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text) > LARGE:
        return _safe(_packed(text)), "text/plain"
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _safe(_whole_characters(text)), "application/json"


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode()


def _whole_characters(text: str) -> str:
    """A text without halves of pairs, which are no characters; a large one is not copied where it has none."""
    return _HALF.sub("?", text) if _HALF.search(text) else text


def word(language: Language, code: str, translation: str | None = None) -> "Markup":
    """Words of the page in its language, with both languages beside them.

    They have a code; with a translation they are the English text, and what has no code is a name that is not ours.
    """
    from markupsafe import Markup

    english = code if translation else words_of("en").named(code)
    chinese = translation or words_of("zh").named(code)
    shown = chinese if language == "zh" else english
    return Markup('<span data-en="{}" data-zh="{}">{}</span>').format(english, chinese, shown)


def label(language: Language, code: str) -> "Markup":
    """The accessible name of an element as its attributes."""
    from markupsafe import Markup

    shown, english, chinese = (words_of(each)(code) for each in (language, "en", "zh"))
    return Markup('aria-label="{}" data-label-en="{}" data-label-zh="{}"').format(shown, english, chinese)


@lru_cache(maxsize=8)
def _environment(folder: Path) -> "Environment":
    """Templates of a folder, compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader([folder, TEMPLATES])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _read(name: str, folder: Path) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _safe(text: str) -> "Markup":
    """Our own style and scripts, and JSON in which nothing can end its element."""
    from markupsafe import Markup

    return Markup(text)  # nosec B704
