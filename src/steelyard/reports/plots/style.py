"""The style of plots, and drawing: Vega-Lite specifications rendered by vl-convert, sanitized for pages.

The colours are those that `style.css` maps to the theme; no other is used, and a colour is never the only mark.
Results have colours of the Okabe-Ito palette, and others, that are neither red nor green: these two mean worse and
better. Names in plots are cut to 40 characters, without control and direction characters. A drawing is as wide as a
narrow column of a page, and its text is large enough for the same column on a phone.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final
from xml.etree import ElementTree

from steelyard.errors import MissingExtra
from steelyard.i18n import LANGUAGES, Language, Message, translations, words_of
from steelyard.io.records import unique_names

INK: Final = "#1f2328"
MUTED: Final = "#59636e"
GRID: Final = "#d1d9e0"
BLUE: Final = "#0072b2"
ORANGE: Final = "#e69f00"
PURPLE: Final = "#cc79a7"
SKY: Final = "#56b4e9"
BROWN: Final = "#8c6510"
VIOLET: Final = "#5b3fa0"
TEAL: Final = "#0e7c8c"
OLIVE: Final = "#a39400"
GOOD: Final = "#1a7f37"
BAD: Final = "#cf222e"
SERIES: Final = (BLUE, ORANGE, PURPLE, SKY, BROWN, VIOLET, TEAL, OLIVE, MUTED, INK)
# ten colours with seven dashes and six shapes: thirty results before two look the same
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4], [1, 3])

FONT: Final = (
    "system-ui, -apple-system, Segoe UI, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, Noto Sans SC, sans-serif"
)
LONGEST: Final = 40
UNSEEN: Final = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Categories of characters that are not drawn: control and direction characters, surrogates, line breaks."""
TOTAL: Final = 452
"""The width of a drawing in pixels, unless its names are very long."""
TEXT: Final = 14
"""The size of text: 11 pixels where a drawing of this width is shown on a phone (358 of 390 pixels)."""
WIDTH: Final = TOTAL - 88
"""The width of a panel between a vertical axis with numbers and the right edge."""

Spec = dict[str, Any]

ZERO_LINE: Final[Spec] = {"condition": {"test": "datum.value === 0", "value": MUTED}, "value": GRID}
"""The colour of grid lines where the one at 0 is to be seen."""

_LEAST: Final = 200
_TITLE_ROOM: Final = 60
_NUMBER_ROOM: Final = 38
_MOST_NAMES: Final = 12
_CONFIG: Final[Spec] = {
    "font": FONT,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": INK,
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelFontSize": TEXT,
        "titleFontSize": TEXT,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 0,
        "titleLimit": 0,
        "labelFlush": False,
    },
    "point": {"opacity": 1, "strokeWidth": 1.5},
    "legend": {
        "labelColor": INK,
        "labelFontSize": TEXT,
        "labelLimit": 0,
        "orient": "top",
        "offset": 12,
        "direction": "horizontal",
        "columnPadding": 24,
        "symbolSize": 70,
        "symbolOpacity": 1,
        "title": None,
    },
    "title": {"color": INK, "fontSize": TEXT, "fontWeight": "bold", "anchor": "start", "frame": "group", "limit": 0},
}
_NO_CHARACTER: Final = "\U0010fffd"
_PADDING: Final = {"left": 8, "top": 4, "right": 12, "bottom": 4}
SVG: Final = "http://www.w3.org/2000/svg"
_ELEMENTS: Final = frozenset({"svg", "g", "path", "line", "rect", "text"})
_ATTRIBUTE: Final = re.compile(
    r"class|d|data-[a-z]+|version|viewBox|transform|width|height|[xy][12]?|opacity|fill(-opacity)?|text-anchor"
    r"|font-(family|size|weight)|stroke(-dasharray|-linecap|-miterlimit|-opacity|-width)?"
)


def short(name: str) -> str:
    """Return a name as it is shown in a plot.

    >>> short("nDCG@10\\u202e\\x00")
    'nDCG@10'
    """
    # only the first characters are read: a name may be a megabyte
    shown = "".join(char for char in name[: 4 * LONGEST] if unicodedata.category(char) not in UNSEEN).strip()
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def labels(names: Sequence[str]) -> list[str]:
    """Return the names as they are shown in a plot, all different."""
    return unique_names([short(name) or "–" for name in names])


def extent(names: Iterable[str]) -> int:
    """Return the width of the longest of these labels in pixels, for any font (DejaVu Sans is a wide one)."""
    return round(max((sum(map(_wide, name)) for name in names), default=0.0) * TEXT) + 8


def _wide(char: str) -> float:
    """Return the width of a character in a wide font, as a share of its size."""
    if char in "@%" or unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.75 if char.isupper() or char in "mw" else 0.62


def width_beside(names: Iterable[str]) -> int:
    """Return the width of a panel beside these row labels, so that the drawing has the usual width."""
    return max(_LEAST, TOTAL - max(_TITLE_ROOM, extent(names)) - _NUMBER_ROOM)


def series(
    names: Sequence[str],
    colours: Sequence[str] = SERIES,
    shapes: Sequence[str] = SHAPES,
    *,
    shown: Sequence[str] | None = None,
) -> Spec:
    """Return the channels that distinguish results: colour, shape, and a legend of all or of `shown`."""
    columns = max(1, WIDTH // (extent(names) + 32))
    legend = {"values": list(shown or names), "columns": columns} if len(names) > 1 else None
    by_colour = {**in_turn(names, colours), "legend": legend}
    return {"fill": by_colour, "stroke": by_colour, "shape": {**by_colour, **in_turn(names, shapes)}}


def in_turn(names: Sequence[str], values: Sequence[Any]) -> Spec:
    """Return a channel that gives each result one of the values, cyclically."""
    taken = [values[place % len(values)] for place in range(len(names))]
    return {"field": "result", "type": "nominal", "scale": {"domain": list(names), "range": taken}}


def rows(names: Sequence[str], title: Message, *, room_for: Iterable[str] = ()) -> Spec:
    """Return the vertical channel of a plot with named rows, wide enough for other names that may replace them.

    The title is above the names: beside them it would take their room.
    """
    room = max(_TITLE_ROOM, extent([*names, *room_for]))
    above = {"titleAngle": 0, "titleAlign": "right", "titleAnchor": "start", "titleX": -8, "titleY": -10}
    axis = {**above, "minExtent": room, "labelColor": INK, "ticks": False, "domain": False, "labelPadding": 8}
    return {
        "field": "row",
        "type": "nominal",
        "title": title,
        "scale": {"domain": list(names), "paddingInner": 0.3, "paddingOuter": 0.15},
        "axis": axis,
    }


def draw(
    spec: Spec,
    caption: str,
    names: Iterable[str],
    language: Language,
    *,
    translated: Sequence[Sequence[str]] = (),
    background: str | None = None,
) -> str:
    """Return the specification as SVG; a screen reader reads its caption, by code, and the first names in it.

    A message in it, such as the title of an axis, is drawn in the language. It and the texts in `translated`, each in
    every language, get all languages as attributes, for the language switch of a page.
    """
    words, shown = words_of(language), [short(name) for name in dict.fromkeys(names)]
    listed = words.joined("core.listed", shown[:_MOST_NAMES]) + (" …" if len(shown) > _MOST_NAMES else "")
    messages: list[Message] = []
    figure = {**_resolved(spec, language, messages), "config": _CONFIG, "background": background, "padding": _PADDING}
    drawn = load_vl_convert().vegalite_to_svg(figure)
    titles = [texts for texts in map(translations, messages) if not set(texts) & set(shown)]  # a result called "mean"
    return _safe(drawn, words.labelled(words(caption), listed), [*translated, *titles])


def _resolved(value: Any, language: Language, messages: list[Message]) -> Any:
    """Return a part of a specification with the text of its messages, which are added to `messages`."""
    match value:
        case Message():
            messages.append(value)
            return value.text(language)
        case dict():
            return {key: _resolved(entry, language, messages) for key, entry in value.items()}
        case list():
            return [_resolved(entry, language, messages) for entry in value]
    return value


def as_png(svg: str, *, scale: float = 2.0) -> bytes:
    """Return a drawing as PNG, with the fonts of this machine: Chinese names need a CJK font installed."""
    png: bytes = load_vl_convert().svg_to_png(svg, scale=scale)
    return png


def as_pdf(svg: str) -> bytes:
    """Return a drawing as PDF, one page of its size, with the used fonts of this machine embedded."""
    pdf: bytes = load_vl_convert().svg_to_pdf(svg)
    return pdf


def lacks_font(svg: str) -> bool:
    """Return whether a drawing has Chinese, Japanese or Korean text that no font of this machine has."""
    texts = (each.text or "" for each in ElementTree.fromstring(svg).iter())  # drawn by us  # nosec B314
    wide = next((char for char in "".join(texts) if unicodedata.east_asian_width(char) in "WF"), None)
    return wide is not None and _glyph(wide) == _glyph(_NO_CHARACTER)


def _glyph(char: str) -> bytes:
    """Return a picture of one character; all that no font has look the same."""
    text = f'<text y="20" font-size="16" font-family="{FONT}">{char}</text>'
    return as_png(f'<svg xmlns="{SVG}" width="24" height="24">{text}</svg>')


def load_vl_convert() -> ModuleType:
    """Return the package that draws; MissingExtra if it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra.of("vl-convert-python", "plots", purpose=Message("words.drawing_plots")) from None
    module: ModuleType = vl_convert
    return module


def _safe(svg: str, about: str, translated: Sequence[Sequence[str]]) -> str:
    """Return the drawing with nothing in it but shapes and texts, and these in every language."""
    root = ElementTree.fromstring(svg)  # drawn by us  # nosec B314
    clean(root)
    for element in root.iter():
        texts = next((texts for texts in translated if element.text in texts), ())
        element.attrib |= {f"data-{language}": text for language, text in zip(LANGUAGES, texts, strict=False)}
    root.attrib |= {"xmlns": SVG, "role": "img", "aria-label": about}
    return ElementTree.tostring(root, encoding="unicode")


def clean(element: ElementTree.Element) -> None:
    """Remove everything but shapes and texts: no style, script, link, or role of single marks."""
    element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    for name in [name for name in element.attrib if not _ATTRIBUTE.fullmatch(name)]:
        del element.attrib[name]
    for child in list(element):
        if child.tag.removeprefix(f"{{{SVG}}}") in _ELEMENTS:
            clean(child)
        else:
            element.remove(child)
