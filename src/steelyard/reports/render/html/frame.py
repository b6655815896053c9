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

from steelyard.i18n import LANGUAGES, Language, Message, code_of, texts, translations, words_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
_QUOTED: Final = re.compile(r'"([a-z]+\.[a-z0-9_]+)"')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
NAMES: Final = ("_names", "_values")
"""How the sections end that have the words for names of the program, such as those of parts and types."""
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
    """The page of a template with its data; every text in both is escaped.

    Templates and scripts are looked for in `folders` and then beside the frame.
    """
    folders = (*folders, TEMPLATES)
    style = _read("style.css", folders)
    sources = [_read(script, folders) for script in ("frame.js", *scripts, f"{name}.js")]
    embedded, media_type = _embedded({**data, "language": language, "words": _words_of(sources)})
    frame = {
        "title": title,
        "language": language,
        "language_tag": texts(language)["language.tag"],
        "other_language": texts(_next(language))["language.name"],
        "style": _safe(style),
        "scripts": [_safe(source) for source in sources],
        "policy": _policy(style, sources),
        "data": embedded,
        "data_type": media_type,
        "t": partial(word, language),
        "label": partial(label, language),
        "option": partial(option, language),
        "metric_name": partial(metric_name, language),
    }
    page = _environment(folders).get_template(f"{name}.html.j2").render(**context, **frame)
    return _without_surrogates(page)


def _next(language: Language) -> Language:
    """The language that the switch shows next; `frame.js` has the same rule."""
    return LANGUAGES[(LANGUAGES.index(language) + 1) % len(LANGUAGES)]


def _words_of(scripts: Sequence[str]) -> dict[str, dict[str, str]]:
    """The texts of the scripts in every language: of the codes that are written in them, and of names."""
    written = {code for script in scripts for code in _QUOTED.findall(script)}
    named = {code for code in texts("en") if code.partition(".")[0].endswith(NAMES)}
    known = sorted((written | named) & texts("en").keys())
    return {language: {code: texts(language)[code] for code in known} for language in LANGUAGES}


def _policy(style: str, scripts: list[str]) -> str:
    """The Content-Security-Policy: nothing may be loaded or run but what has these hashes."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _embedded(data: Mapping[str, Any]) -> "tuple[Markup, str]":
    """The content of a script element and its type: JSON that cannot end the element, or compressed JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text) > LARGE:
        return _safe(_compressed(text)), "text/plain"
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _safe(_without_surrogates(text)), "application/json"


def _compressed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)).decode()


def _without_surrogates(text: str) -> str:
    """The text with ? for every lone surrogate; a large text without one is not copied."""
    return _SURROGATE.sub("?", text) if _SURROGATE.search(text) else text


def word(language: Language, *translated: str, **values: object) -> "Markup":
    """A text of the page in its language, with the same in every language as attributes.

    One argument is a code (with values in its places), or a name that is not ours and the same in every language.
    Several are the text in every language, in the order of `LANGUAGES`.
    """
    from markupsafe import Markup

    translated = translations(Message(*translated, **values)) if values else translated
    by_language = dict(zip(LANGUAGES, translated, strict=True)) if len(translated) > 1 else _named(*translated)
    return Markup("<span {}>{}</span>").format(_attributes("data", by_language), by_language[language])


def label(language: Language, code: str) -> "Markup":
    """The accessible name of an element, as attributes."""
    from markupsafe import Markup

    by_language = _named(code)
    return Markup('aria-label="{}" {}').format(by_language[language], _attributes("data-label", by_language))


def metric_name(language: Language, name: str) -> "Markup | str":
    """What the page calls a metric: most have their own names."""
    code = code_of("metric_names", name)
    return name if code == name else word(language, code)


def option(language: Language, value: object, code: str) -> "Markup":
    """An option of a choice; its text changes with the language of the page."""
    from markupsafe import Markup

    by_language = _named(code)
    attributes = _attributes("data", by_language)
    return Markup('<option value="{}" {}>{}</option>').format(value, attributes, by_language[language])


def _named(code: str) -> dict[Language, str]:
    return {language: words_of(language).named(code) for language in LANGUAGES}


def _attributes(prefix: str, by_language: Mapping[Language, str]) -> "Markup":
    from markupsafe import Markup

    pairs = (Markup('{}-{}="{}"').format(prefix, language, text) for language, text in by_language.items())
    return Markup(" ").join(pairs)


@lru_cache(maxsize=8)
def _environment(folders: tuple[Path, ...]) -> "Environment":
    """The templates of these folders, compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(folders)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _read(name: str, folders: Sequence[Path]) -> str:
    path = next(folder / name for folder in folders if (folder / name).is_file())
    return path.read_text(encoding="utf-8")


def _safe(text: str) -> "Markup":
    """Style, scripts and JSON of this package as markup; nothing in the JSON can end its element."""
    from markupsafe import Markup

    return Markup(text)  # nosec B704
