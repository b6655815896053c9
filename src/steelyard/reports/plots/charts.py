"""Charts of results, as SVG for pages and as files.

A chart holds names and numbers only; its caption is text of the page around it. Every function returns SVG that a page
may contain as it is: see `style`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Language, Message
from steelyard.io.writing import write_whole
from steelyard.reports.content import Report
from steelyard.reports.plots import items as plot_items
from steelyard.reports.plots import means as plot_means
from steelyard.reports.plots.items import MOST_ROWS, Paired
from steelyard.reports.plots.style import Spec, as_pdf, as_png, draw, labels, lacks_font
from steelyard.stats.compare import Comparison
from steelyard.table import Table

PAPER: Final = "white"
_CONVERTERS: Final[Mapping[str, Callable[[str], bytes]]] = {".png": as_png, ".pdf": as_pdf}


def forest(report: Report, language: Language = "en") -> str | None:
    """Return the mean of each metric with its 95 % interval, a row for each; colour and shape distinguish results.

    Metrics from 0 to 1 share an axis, every other has its own. Totals, which have no mean, are left out
    unless there is nothing else. None where a single mean is all there is.
    """
    panels = plot_means.forest_panels(report)
    if _marks(panels) < 2:
        return None
    return draw(_column(panels), "report.means_with_intervals", report.metrics, language)


def difference_forest(comparisons: Sequence[Comparison], language: Language = "en") -> str | None:
    """Return differences with 95 % intervals around 0, filled if significant; None for a single one."""
    panel = plot_means.difference_panel(comparisons)
    if _marks([panel]) < 2:
        return None
    return draw(panel, "report.differences_with_intervals", [each.metric for each in comparisons], language)


def distribution(tables: Sequence[Table], metric: str, language: Language = "en") -> str:
    """Return a histogram of scores, a panel for each result that has the metric."""
    having = [table for table in tables if metric in table.columns]
    if not having:
        names = {name: None for table in tables for name in table.columns}
        raise UnknownName.of(Message("words.metric"), metric, names)
    return draw(_column(plot_items.histograms(having, metric)), "report.distribution", [metric], language)


def distributions(tables: Sequence[Table], metric: str, language: Language = "en") -> dict[str, str]:
    """Return the histogram of each result that has the metric, by its name, all with the same axes."""
    return {
        table.name: draw({**panel, "title": None}, "report.distribution", [metric], language)
        for table, panel in zip(tables, plot_items.histograms(tables, metric), strict=True)
    }


def curves(report: Report, language: Language = "en") -> dict[str, str]:
    """For each family of metrics with several cut-offs its means over them, on a logarithmic axis."""
    return {
        family: draw(panel, "plots.scores_by_cutoff", [family], language)
        for family, panel in plot_means.curve_panels(report).items()
    }


def quality_costs(report: Report, language: Language = "en") -> dict[str, str]:
    """Return the main metric over what replies cost, by the metric of the cost; none for a single result."""
    return {
        cost: draw(panel, "report.quality_and_cost", [report.main, cost], language)
        for cost, panel in plot_means.cost_panels(report).items()
    }


def kind_charts(report: Report, language: Language = "en") -> dict[str, str]:
    """Return the charts that the kind of the results adds, by the code of their caption."""
    names = [table.name for table in report.tables]
    return {caption: draw(panel, caption, names, language) for caption, panel in _kind_panels(report).items()}


def differences(new: Table, old: Table, metric: str, language: Language = "en") -> str:
    """Return the change of each item that both results score, sorted; more than 300 items are averaged in 300 bins."""
    panel = plot_items.difference_bars(Paired.of(new, old, metric).difference, metric)
    return draw(panel, "plots.differences_by_item", [metric], language)


def dumbbell(new: Table, old: Table, metric: str, language: Language = "en") -> str | None:
    """Return old and new scores of the 20 items that changed most, the greatest gain first; None without changes."""
    shown = Paired.of(new, old, metric).largest(MOST_ROWS)
    if not shown.ids:
        return None
    return draw(plot_items.dumbbells(shown, [old.name, new.name], metric), "plots.scores_by_item", [metric], language)


def trend(points: Sequence[Mapping[str, Any]], language: Language = "en") -> str:
    """Return the means of the last hundred runs in their order, a panel for each metric.

    Each point has `run`, `metric` and `mean`; `low` and `high` where there is an interval.
    """
    panels = plot_means.trend_panels(points)
    return draw(_column(list(panels.values())), "plots.trend", panels, language)


def save_plot(report: Report, path: Path, *, language: Language = "en", shown: str | None = None) -> Message | None:
    """Write the figure of a report: SVG, PDF, or PNG in double size, by the extension; all of it, or one of `SHOWN`.

    PNG and PDF are drawn with the fonts of this machine. Returns a note if it has none for Chinese text in the figure.
    """
    svg = report_figure(report, language=language, shown=shown)
    convert = _CONVERTERS.get(path.suffix.lower())
    write_whole(path, convert(svg) if convert else svg)
    return Message("plots.no_cjk_font", file=path.name) if convert and lacks_font(svg) else None


def report_figure(report: Report, *, language: Language = "en", shown: str | None = None) -> str:
    """Return one figure on white: the means, the differences where results were compared, and curves beside them.

    `shown` is one of `SHOWN`, for a figure of that alone.
    """
    if shown is None:
        means, differences, cutoffs, recall = (list(_PANELS[name](report)) for name in SHOWN[:4])
        spec = _column([*means, *differences])
        if curves := [*cutoffs, *recall]:
            spec = {"hconcat": [spec, _column(curves)], "spacing": 48}
    else:
        spec = _grid(list(_PANELS[shown](report)), shown)
    return draw(spec, "report.means_with_intervals", report.metrics, language, background=PAPER)


def _kind_panels(report: Report) -> Mapping[str, Spec]:
    return report.kind.panels(report.tables)


def _item_panels(report: Report) -> Iterable[Spec]:
    """For each result that is compared, the change of each item in the metric of the headline, sorted."""
    metric, (old, *new) = report.main, report.tables
    for table, name in zip(new, labels([each.name for each in new]), strict=True):
        if report.comparison(table.name, metric):
            changed = plot_items.difference_bars(Paired.of(table, old, metric).difference, metric)
            yield {**changed, "title": name}


_PANELS: Final[Mapping[str, Callable[[Report], Iterable[Spec]]]] = {
    "means": plot_means.forest_panels,
    "differences": lambda report: [plot_means.difference_panel(report.comparisons)] if report.comparisons else [],
    "cutoffs": lambda report: plot_means.curve_panels(report).values(),
    "precision-recall": lambda report: _kind_panels(report).values(),
    "items": _item_panels,
    "costs": lambda report: plot_means.cost_panels(report).values(),
}
SHOWN: Final = tuple(_PANELS)
"""What a figure may show alone: means, differences, metrics over cut-offs, precision over recall, changed items,
quality over cost."""
_NEEDED: Final = {
    "differences": Message("plots.needs_differences"),
    "cutoffs": Message("plots.needs_cutoffs"),
    "precision-recall": Message("plots.needs_recall"),
    "items": Message("plots.needs_differences"),
    "costs": Message("plots.needs_costs"),
}


def _grid(panels: Sequence[Spec], shown: str) -> Spec:
    """Panels with rows below one another, curves two beside one another; none is an error."""
    if not panels:
        raise ConfigError(Message("plots.nothing_to_draw", shown=shown), hint=_NEEDED.get(shown))
    if shown in ("means", "differences") or len(panels) == 1:
        return _column(panels)
    return {"concat": list(panels), "columns": 2, "spacing": 40}


def _marks(panels: Sequence[Spec]) -> int:
    """Return the number of points that panels with intervals have."""
    return sum(value["mean"] is not None for panel in panels for value in panel["data"]["values"])


def _column(panels: Sequence[Spec]) -> Spec:
    """Panels below one another, their axes in line."""
    if len(panels) == 1:
        return panels[0]
    apart = {"scale": {"yOffset": "independent"}}
    return {"vconcat": list(panels), "bounds": "flush", "spacing": 84, "resolve": apart}
