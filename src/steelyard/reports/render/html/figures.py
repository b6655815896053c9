"""Charts on a page: SVG with nothing in it that a page must not have.

Texts in a chart are names and numbers, the same in every language, or change with the language of the page.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup

from steelyard.errors import MissingExtra
from steelyard.i18n import Language
from steelyard.reports.content import BOARD, PAIR, Report
from steelyard.reports.kinds import KindPage
from steelyard.reports.plots.style import SVG, clean
from steelyard.table import FloatArray, Table

BINS: Final = 10
WIDEST: Final = 455
"""The widest drawing whose text of 14 pixels has 11 when it is fitted to the 358 that a phone has."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: the code of its caption, the result or metric that it is about ("" for all), and its drawing.

    `key` is an id within the page. A drawing that `scrolls` would have text that is too small to read if it were fitted
    to a phone.
    """

    name: str
    caption: str
    of: str
    key: str
    drawing: Markup
    scrolls: bool = False


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a report by name."""

    figures: tuple[Figure, ...] = ()

    def of(self, name: str, result: str = "") -> Figure | None:
        """Return the chart of this name and result, if there is one."""
        return next((figure for figure in self.named(name) if figure.of == result), None)

    def named(self, name: str) -> list[Figure]:
        """Return all charts of this name."""
        return [figure for figure in self.figures if figure.name == name]


def charts(report: Report, metric: str, language: Language, kind: KindPage) -> Charts:
    """Return every chart that the report has numbers for; none if the package that draws is not installed."""
    try:
        return Charts(tuple(_figures(report, metric, language, kind)))
    except MissingExtra:
        return Charts()


def distribution_rows(tables: Sequence[Table], metric: str) -> list[tuple[str, list[str]]]:
    """Return the numbers of the chart: how many items of each result lie in each tenth of the range of scores."""
    columns = [table.scored(metric) if metric in table.columns else np.empty(0) for table in tables]
    everything = np.concatenate(columns)
    if not len(everything):
        return []
    edges = np.linspace(*_range(tables, metric, everything), BINS + 1)
    counts = [np.histogram(column, edges)[0] for column in columns]
    names = [f"{low:.2g} – {high:.2g}" for low, high in pairwise(edges)]
    return [(name, [f"{count[place]:,}" for count in counts]) for place, name in enumerate(names)]


def _range(tables: Sequence[Table], metric: str, values: FloatArray) -> tuple[float, float]:
    low, high = tables[0].bounds(metric)
    low, high = (low if math.isfinite(low) else values.min(), high if math.isfinite(high) else values.max())
    return (float(low), float(high)) if low < high else (float(low), float(low) + 1)


def _figures(report: Report, metric: str, language: Language, kind: KindPage) -> Iterator[Figure]:
    from steelyard.reports.plots import charts as plots

    with_metric = [table for table in report.tables if metric in table.columns]
    if report.layout not in PAIR:  # two means are in the headline
        yield from _figure("forest", "report.means_with_intervals", plots.forest(report, language))
    if report.layout in BOARD:
        for name, histogram in plots.distributions(with_metric, metric, language).items():
            yield from _figure("distribution", "report.distribution", histogram, name)
    else:
        yield from _figure("distribution", "report.distribution", plots.distribution(with_metric, metric, language))
    for family, curve in plots.curves(report, language).items():
        yield from _figure("curves", "report.by_cutoff", curve, family)
    for cost, svg in plots.quality_costs(report, language).items():
        yield from _figure("costs", "report.quality_and_cost", svg, cost)
    for caption, svg in plots.kind_charts(report, language).items():
        yield from _figure("kind", caption, svg)
    if report.comparisons:
        differences = plots.difference_forest(report.comparisons, language)
        yield from _figure("difference-forest", "report.differences_with_intervals", differences)
    for table in report.tables:
        for chart in kind.charts(table, language):
            yield from _figure(chart.name, chart.caption, chart.svg, table.name)
    old, *others = report.tables
    for new in others:
        if metric in new.columns and metric in old.columns:
            changes = plots.differences(new, old, metric, language)
            yield from _figure("differences", "report.item_changes", changes, new.name)
            yield from _figure("dumbbell", "report.most_changed", plots.dumbbell(new, old, metric, language), new.name)


def _figure(name: str, caption: str, svg: str | None, of: str = "") -> Iterator[Figure]:
    if svg:
        key = f"{name}-{sha256(of.encode('utf-8', 'replace')).hexdigest()[:8]}"
        width = re.search(r'\bwidth="([\d.]+)"', svg)
        yield Figure(name, caption, of, key, _embedded(svg), width is not None and float(width[1]) > WIDEST)


def _embedded(svg: str) -> Markup:
    """Return the drawing with only shapes and texts in it; screen readers read the caption instead."""
    root = ElementTree.fromstring(svg)  # drawn by us  # nosec B314
    clean(root)
    for element in root.iter():
        element.attrib.pop("class", None)
    root.attrib |= {"xmlns": SVG, "aria-hidden": "true", "focusable": "false"}
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # cleaned above  # nosec B704
