"""The frame of all pages: one file that any browser opens without a network, with its style and scripts inside.

A page is a template (`templates/NAME.html.j2`, within `frame.html.j2`), the scripts of the frame and its own
(`frame.js`, then `scripts`, then `NAME.js`), one style, and data as JSON. The Content-Security-Policy of the page
allows exactly these scripts and this style, by their hashes. In a template `t("code")` is a text in the language of the
page, with its other languages as attributes for the language switch; `label("code")` does the same for an accessible
name.
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
from urllib.parse import quote

from markupsafe import Markup

from steelyard.i18n import LANGUAGES, Language, Message, code_of, texts, translations, words_of

if TYPE_CHECKING:
    from jinja2 import Environment


TEMPLATES: Final = Path(__file__).parent / "templates"
_QUOTED: Final = re.compile(r'"([a-z]+\.[a-z0-9_]+)"')
_INVALID: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_ENDS: Final = re.compile("[\x0b\x0c\x85\u2028\u2029]")
"""Line separators that are not valid in older JavaScript strings."""
_ESCAPED: Final = re.compile(r"\\(?![nrt'\\]|u3000|xa0)")
"""What `repr` of a value has, if a text in it is to be changed: those characters are escaped, and no common ones."""
NAMES: Final = ("_names", "_values")
"""How the sections end that have the words for names of the program, such as those of parts and types."""
SERVED: Final = {"live": "live.js", "reviewing": "report_review.js"}
"""Scripts of pages of a server whose data have these keys; they may ask that server, and no other."""
LARGE: Final = 1_500_000
"""Data of more characters are compressed: a page of ten thousand items stays small."""
_LEVEL: Final = 4
"""Of compression: four times as fast as the usual 6, a tenth larger."""


def render_page(
    name: str,
    data: Mapping[str, Any],
    *,
    title: str,
    language: Language = "en",
    folders: Sequence[Path] = (),
    scripts: Sequence[str] = (),
    **context: Any,
) -> str:
    """Return the page of a template with its data; every text in both is escaped.

    Templates and scripts are looked for in `folders` and then beside the frame.
    """
    folders = (*folders, TEMPLATES)
    style = _read("style.css", folders)
    served = [script for key, script in SERVED.items() if key in data]
    sources = [_read(script, folders) for script in ("frame.js", *scripts, *served, f"{name}.js")]
    embedded, media_type = _embedded({**data, "language": language, "words": _words_of(sources)})
    frame = {
        "title": title,
        "language": language,
        "language_tag": texts(language)["language.tag"],
        "other_language": texts(LANGUAGES[(LANGUAGES.index(language) + 1) % len(LANGUAGES)])["language.name"],
        "style": _safe(style),
        "scripts": [_safe(source) for source in sources],
        "policy": _policy(style, sources) + ("; connect-src 'self'" if served else ""),
        "data": embedded,
        "data_type": media_type,
        "t": partial(word, language),
        "label": partial(label, language),
        "option": partial(option, language),
        "metric_name": partial(metric_name, language),
        "address": lambda identifier: quote(sanitized(identifier), safe=""),
    }
    page = _environment(folders).get_template(f"{name}.html.j2").render(**context, **frame)
    return str(_sanitized_value(page))


def _words_of(scripts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the texts of the scripts in every language: of the codes that are written in them, and of names."""
    written = {code for script in scripts for code in _QUOTED.findall(script)}
    named = {code for code in texts("en") if code.partition(".")[0].endswith(NAMES)}
    known = sorted((written | named) & texts("en").keys())
    return {language: {code: texts(language)[code] for code in known} for language in LANGUAGES}


def _policy(style: str, scripts: list[str]) -> str:
    """Return the Content-Security-Policy: nothing may be loaded or run but what has these hashes."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _embedded(data: Mapping[str, Any]) -> tuple[Markup, str]:
    """Return the content of a script element and its type: JSON that cannot end the element, or compressed JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text) > LARGE:
        return _safe(
            base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)).decode()
        ), "text/plain"
    for character in "<>&\x7f\x85\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _safe(text), "application/json"


def sanitized(value: Any) -> Any:
    """Return the value with every text in it sanitized, keys included; offsets into a text stay valid."""
    return _sanitized_value(value) if _ESCAPED.search(repr(value)) else value


def _sanitized_value(value: Any) -> Any:
    if isinstance(value, str):
        return _LINE_ENDS.sub("\n", _INVALID.sub("\ufffd", value))
    if isinstance(value, dict):
        return {_sanitized_value(key): _sanitized_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_sanitized_value(entry) for entry in value]
    return value


def word(language: Language, *translated: str, **values: object) -> Markup:
    """Return a text of the page in its language, with the same in every language as attributes.

    One argument is a code (with values in its places), or a name that is not ours and the same in every language.
    Several are the text in every language, in the order of `LANGUAGES`.
    """
    translated = translations(Message(*translated, **values)) if values else translated
    by_language = dict(zip(LANGUAGES, translated, strict=True)) if len(translated) > 1 else _named(*translated)
    return Markup("<span {}>{}</span>").format(_attributes("data", by_language), by_language[language])


def label(language: Language, code: str) -> Markup:
    """Return the accessible name of an element, as attributes."""
    by_language = _named(code)
    return Markup('aria-label="{}" {}').format(by_language[language], _attributes("data-label", by_language))


def metric_name(language: Language, name: str) -> Markup | str:
    """Return what the page calls a metric: most have their own names."""
    code = code_of("metric_names", name)
    return name if code == name else word(language, code)


def option(language: Language, value: object, code: str) -> Markup:
    """Return an option of a choice; its text changes with the language of the page."""
    by_language = _named(code)
    attributes = _attributes("data", by_language)
    return Markup('<option value="{}" {}>{}</option>').format(value, attributes, by_language[language])


def _named(code: str) -> dict[Language, str]:
    return {language: words_of(language).named(code) for language in LANGUAGES}


def _attributes(prefix: str, by_language: Mapping[Language, str]) -> Markup:
    pairs = (Markup('{}-{}="{}"').format(prefix, language, text) for language, text in by_language.items())
    return Markup(" ").join(pairs)


@lru_cache(maxsize=8)
def _environment(folders: tuple[Path, ...]) -> "Environment":
    """Return the templates of these folders, compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(folders)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _read(name: str, folders: Sequence[Path]) -> str:
    path = next(folder / name for folder in folders if (folder / name).is_file())
    return path.read_text(encoding="utf-8")


def _safe(text: str) -> Markup:
    """Style, scripts and JSON of this package as markup; nothing in the JSON can end its element."""
    return Markup(text)  # nosec B704
