"""Charts on a page: SVG in both languages, with nothing in it that a page must not have."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal
from xml.etree import ElementTree

from steelyard.errors import MissingExtra
from steelyard.i18n import Language
from steelyard.reports.content import Report
from steelyard.table import Table

if TYPE_CHECKING:
    from markupsafe import Markup

Draw = Callable[[Language], str | None]
Tongue = Literal["en", "zh", "both"]

_SVG: Final = "http://www.w3.org/2000/svg"
_SHAPES: Final = ("path", "rect", "circle", "line", "polyline", "polygon", "ellipse")
_KEPT: Final = frozenset(("svg", "g", "defs", "clipPath", "text", "tspan", "title", "desc", *_SHAPES))
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: what it shows in words, of which result, and its drawing in each language."""

    name: str
    caption: str
    of: str
    drawings: dict[Tongue, "Markup"]

    @property
    def key(self) -> str:
        """An id within the page: no two figures have the same name and result."""
        return f"{self.name}-{sha256(self.of.encode('utf-8', 'replace')).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a report by name; `missing` if the package that draws is absent."""

    figures: tuple[Figure, ...] = ()
    missing: bool = False

    def of(self, name: str, result: str = "") -> Figure | None:
        """The chart of this name and result, if there is one."""
        return next((each for each in self.figures if each.name == name and each.of == result), None)


def charts(report: Report, metric: str, language: Language) -> Charts:
    """Every chart that the report has numbers for."""
    try:
        return Charts(tuple(_figures(report, metric, language)))
    except MissingExtra:
        return Charts(missing=True)


def _figures(report: Report, metric: str, language: Language) -> Iterator[Figure]:
    from steelyard.reports.plots import charts as plots

    yield from _figure("forest", "report.means_with_intervals", "", lambda tongue: plots.forest(report, tongue))
    with_metric = [table for table in report.tables if metric in table.columns]
    draw: Draw = lambda tongue: plots.distribution(with_metric, metric, tongue)  # noqa: E731
    yield from _figure("distribution", "report.distribution", "", draw)
    yield from _figure("curves", "report.by_cutoff", "", lambda tongue: plots.curves(report, tongue))
    yield from _compared(report)
    for table in report.tables:
        yield from _of_table(table, language)
    for table in report.tables[1:]:
        yield from _against(table, report.tables[0], metric)


def _compared(report: Report) -> Iterator[Figure]:
    from steelyard.reports.plots import charts as plots

    if report.comparisons:
        draw: Draw = lambda tongue: plots.difference_forest(report.comparisons, tongue)  # noqa: E731
        yield from _figure("difference-forest", "report.differences_with_intervals", "", draw)


def _of_table(table: Table, language: Language) -> Iterator[Figure]:
    from steelyard.reports.plots import charts as plots

    if table.kind == "legal":
        # the words of this one change with the language of the page
        draw: Draw = lambda _: plots.losses(table, language)  # noqa: E731
        yield from _figure("losses", "report.losses", table.name, draw, ("both",))


def _against(new: Table, old: Table, metric: str) -> Iterator[Figure]:
    from steelyard.reports.plots import charts as plots

    if metric in new.columns and metric in old.columns:
        draw: Draw = lambda tongue: plots.differences(new, old, metric, tongue)  # noqa: E731
        yield from _figure("differences", "report.item_changes", new.name, draw)
        draw = lambda tongue: plots.dumbbell(new, old, metric, tongue)  # noqa: E731
        yield from _figure("dumbbell", "report.most_changed", new.name, draw)


def _figure(name: str, caption: str, of: str, draw: Draw, tongues: Sequence[Tongue] = ("en", "zh")) -> Iterator[Figure]:
    empty = Figure(name, caption, of, {})
    drawn = {tongue: svg for tongue in tongues if (svg := draw("zh" if tongue == "zh" else "en"))}
    if drawn:
        drawings = {tongue: _embedded(svg, f"{empty.key}-{tongue}") for tongue, svg in drawn.items()}
        yield replace(empty, drawings=drawings)


def _embedded(svg: str, prefix: str) -> "Markup":
    """The drawing with only shapes and texts in it, and ids that are its own; readers hear the caption."""
    from markupsafe import Markup

    root = ElementTree.fromstring(svg)  # drawn by us  # nosec B314
    _clean(root, prefix)
    root.attrib |= {"aria-hidden": "true", "focusable": "false"}
    ElementTree.register_namespace("", _SVG)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # cleaned above  # nosec B704


def _clean(element: ElementTree.Element, prefix: str) -> None:
    for child in list(element):
        if str(child.tag).removeprefix(f"{{{_SVG}}}") in _KEPT:
            _clean(child, prefix)
        else:
            element.remove(child)
    for key, value in list(element.attrib.items()):
        if _is_harmful(key, value):
            del element.attrib[key]
        elif key == "id":
            element.set(key, f"{prefix}-{value}")
        else:
            element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))


def _is_harmful(key: str, value: str) -> bool:
    """Whether the policy of the page forbids it, or a screen reader would read the chart twice."""
    named = key.startswith(("on", "aria-", "{")) or key in ("style", "role", "href", "class")
    return named or "script:" in value.lower()
