"""The style of plots, and drawing: Vega-Lite specifications rendered by vl-convert, sanitized for pages.

The six colours are those that `style.css` maps to the theme; no other is used, and a colour is never the only
mark. Names in plots are cut to 40 characters, without control and direction characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final
from xml.etree import ElementTree

from steelyard.errors import MissingExtra
from steelyard.i18n import LANGUAGES, Language, Message, words_of
from steelyard.reports.content import unique_names

INK: Final = "#1f2328"
MUTED: Final = "#59636e"
GRID: Final = "#d1d9e0"
ACCENT: Final = "#0969da"
GOOD: Final = "#1a7f37"
BAD: Final = "#cf222e"
SERIES: Final = (ACCENT, INK, GOOD, BAD, MUTED)
# six shapes with five colours: thirty results before two look the same
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4], [1, 3])

FONT: Final = "system-ui, sans-serif"
LONGEST: Final = 40
UNSEEN: Final = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Categories of characters that are not drawn: control and direction characters, surrogates, line breaks."""
WIDTH: Final = 560

Spec = dict[str, Any]

ZERO_LINE: Final[Spec] = {"condition": {"test": "datum.value === 0", "value": MUTED}, "value": GRID}
"""The colour of grid lines where the one at 0 is to be seen."""

_LABEL_SIZE: Final = 12
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
        "labelFontSize": 11,
        "titleFontSize": _LABEL_SIZE,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 0,
        "titleLimit": 0,
        "labelFlush": False,
    },
    "point": {"opacity": 1, "strokeWidth": 1.5},
    "legend": {
        "labelColor": INK,
        "labelFontSize": _LABEL_SIZE,
        "labelLimit": 0,
        "orient": "top",
        "direction": "horizontal",
        "columnPadding": 24,
        "symbolSize": 70,
        "symbolOpacity": 1,
        "title": None,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start", "frame": "group", "limit": 0},
}
_PADDING: Final = {"left": 8, "top": 4, "right": 12, "bottom": 4}
_SVG: Final = "http://www.w3.org/2000/svg"
_ELEMENTS: Final = frozenset({"svg", "g", "path", "line", "rect", "text"})
_ATTRIBUTE: Final = re.compile(
    r"class|d|version|viewBox|transform|width|height|[xy][12]?|opacity|fill(-opacity)?|text-anchor"
    r"|font-(family|size|weight)|stroke(-dasharray|-linecap|-miterlimit|-opacity|-width)?"
)


def short(name: str) -> str:
    """A name as it is shown in a plot.

    >>> short("nDCG@10\\u202e\\x00")
    'nDCG@10'
    """
    # only the first characters are read: a name may be a megabyte
    shown = "".join(char for char in name[: 4 * LONGEST] if unicodedata.category(char) not in UNSEEN).strip()
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def labels(names: Sequence[str]) -> list[str]:
    """The names as they are shown in a plot, all different."""
    return unique_names([short(name) or "–" for name in names])


def extent(names: Iterable[str]) -> int:
    """The width of the longest of these labels in pixels, for any font (DejaVu Sans is a wide one)."""
    widths = (sum(1.0 if unicodedata.east_asian_width(char) in "WF" else 0.62 for char in name) for name in names)
    return round(max(widths, default=0.0) * _LABEL_SIZE) + 8


def series(
    names: Sequence[str],
    colours: Sequence[str] = SERIES,
    shapes: Sequence[str] = SHAPES,
    *,
    shown: Sequence[str] | None = None,
) -> Spec:
    """The channels that distinguish results, colour and shape; several results have a legend, of all or of `shown`."""
    columns = 3 if extent(names) < WIDTH // 4 else 1
    legend = {"values": list(shown or names), "columns": columns} if len(names) > 1 else None
    by_colour = {**in_turn(names, colours), "legend": legend}
    return {"fill": by_colour, "stroke": by_colour, "shape": {**by_colour, **in_turn(names, shapes)}}


def in_turn(names: Sequence[str], values: Sequence[Any]) -> Spec:
    """A channel that gives each result one of the values, cyclically."""
    taken = [values[place % len(values)] for place in range(len(names))]
    return {"field": "result", "type": "nominal", "scale": {"domain": list(names), "range": taken}}


def rows(names: Sequence[str], *, room_for: Iterable[str] = ()) -> Spec:
    """The vertical channel of a plot with named rows, wide enough for other names that may replace them."""
    axis = {
        "minExtent": extent([*names, *room_for]),
        "labelColor": INK,
        "labelFontSize": _LABEL_SIZE,
        "ticks": False,
        "domain": False,
    }
    return {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "paddingInner": 0.3, "paddingOuter": 0.15},
        "axis": {**axis, "labelPadding": 8},
    }


def description(code: str, names: Iterable[str], language: Language) -> str:
    """What a screen reader reads for a plot: its caption by code, and the first names in it."""
    shown = [short(name) for name in dict.fromkeys(names)]
    more = " …" if len(shown) > _MOST_NAMES else ""
    return f"{words_of(language)(code)}: {', '.join(shown[:_MOST_NAMES])}{more}"


def draw(spec: Spec, *, about: str, translated: Sequence[Sequence[str]] = (), background: str | None = None) -> str:
    """The specification as SVG; `about` is what a screen reader reads.

    `translated` are texts of the plot, each in every language: they get all languages as attributes, for the language
    switch of a page.
    """
    figure = {**spec, "config": _CONFIG, "background": background, "padding": _PADDING}
    drawn = load_vl_convert().vegalite_to_svg(figure)
    return _safe(drawn, about, translated)


def as_png(svg: str, *, scale: float = 2.0) -> bytes:
    """A drawing as PNG, with the fonts of this machine: Chinese names need a CJK font installed."""
    png: bytes = load_vl_convert().svg_to_png(svg, scale=scale)
    return png


def load_vl_convert() -> ModuleType:
    """The package that draws; MissingExtra if it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra.of("vl-convert-python", "plots", purpose=Message("words.drawing_plots")) from None
    module: ModuleType = vl_convert
    return module


def _safe(svg: str, about: str, translated: Sequence[Sequence[str]]) -> str:
    """The drawing with nothing in it but shapes and texts: no style, script, link, or role of single marks."""
    root = ElementTree.fromstring(svg)  # drawn by us  # nosec B314
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if element.tag not in _ELEMENTS:
            raise ValueError(f"a plot has an element {element.tag!r}")
        for name in [name for name in element.attrib if not _ATTRIBUTE.fullmatch(name)]:
            del element.attrib[name]
        texts = next((texts for texts in translated if element.text in texts), ())
        element.attrib |= {f"data-{language}": text for language, text in zip(LANGUAGES, texts, strict=False)}
    root.attrib |= {"xmlns": _SVG, "role": "img", "aria-label": about}
    return ElementTree.tostring(root, encoding="unicode")
