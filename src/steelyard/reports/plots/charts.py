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
from steelyard.reports.content import Report, main_metric
from steelyard.reports.kinds import kind_panels
from steelyard.reports.plots import items as plot_items
from steelyard.reports.plots import means as plot_means
from steelyard.reports.plots.items import MOST_ROWS, Paired
from steelyard.reports.plots.style import Spec, as_pdf, as_png, description, draw, labels, lacks_font
from steelyard.stats.compare import Comparison
from steelyard.table import Table

SUFFIXES: Final = (".svg", ".png", ".pdf")
PAPER: Final = "white"


def forest(report: Report, language: Language = "en") -> str | None:
    """The mean of each metric with its 95 % interval, a row for each; colour and shape distinguish results.

    Metrics from 0 to 1 share an axis, every other has its own. Totals, which have no mean, are left out
    unless there is nothing else. None where a single mean is all there is.
    """
    panels = plot_means.forest_panels(report)
    if _marks(panels) < 2:
        return None
    about = description("report.means_with_intervals", report.metrics, language)
    return draw(_column(panels), about=about, language=language)


def difference_forest(comparisons: Sequence[Comparison], language: Language = "en") -> str | None:
    """The difference of each metric with its 95 % interval around 0; significant differences are filled.

    None where a single difference is all there is.
    """
    panel = plot_means.difference_panel(comparisons)
    if _marks([panel]) < 2:
        return None
    names = [comparison.metric for comparison in comparisons]
    about = description("report.differences_with_intervals", names, language)
    return draw(panel, about=about, language=language)


def distribution(tables: Sequence[Table], metric: str, language: Language = "en") -> str:
    """A histogram of scores, a panel for each result that has the metric."""
    having = [table for table in tables if metric in table.columns]
    if not having:
        raise UnknownName.of(
            Message("words.metric"), metric, {name: None for table in tables for name in table.columns}
        )
    panels = plot_items.histograms(having, metric)
    about = description("report.distribution", [metric], language)
    return draw(_column(panels), about=about, language=language)


def distributions(tables: Sequence[Table], metric: str, language: Language = "en") -> dict[str, str]:
    """The histogram of each result that has the metric, by its name, all with the same axes."""
    panels = plot_items.histograms(tables, metric)
    about = description("report.distribution", [metric], language)
    drawn = (draw({**panel, "title": None}, about=about, language=language) for panel in panels)
    return dict(zip((table.name for table in tables), drawn, strict=True))


def curves(report: Report, language: Language = "en") -> dict[str, str]:
    """For each family of metrics with several cut-offs its means over them, on a logarithmic axis."""
    panels = plot_means.curve_panels(report)
    return {
        family: draw(panel, about=description("plots.scores_by_cutoff", [family], language), language=language)
        for family, panel in panels.items()
    }


def kind_charts(report: Report, language: Language = "en") -> dict[str, str]:
    """The charts that the kind of the results adds, by the code of their caption."""
    names = [table.name for table in report.tables]
    return {
        caption: draw(panel, about=description(caption, names, language), language=language)
        for caption, panel in kind_panels(report.tables).items()
    }


def differences(new: Table, old: Table, metric: str, language: Language = "en") -> str:
    """The change of each item that both results score, sorted; more than 300 items are averaged in 300 bins."""
    panel = plot_items.difference_bars(Paired.of(new, old, metric).difference, metric)
    return draw(panel, about=description("plots.differences_by_item", [metric], language), language=language)


def dumbbell(new: Table, old: Table, metric: str, language: Language = "en") -> str | None:
    """The old and the new score of the 20 items that changed most, the greatest gain first; None where none did."""
    shown = Paired.of(new, old, metric).largest(MOST_ROWS)
    if not shown.ids:
        return None
    panel = plot_items.dumbbells(shown, [old.name, new.name], metric)
    return draw(panel, about=description("plots.scores_by_item", [metric], language), language=language)


def trend(points: Sequence[Mapping[str, Any]], language: Language = "en") -> str:
    """The means of the last hundred runs in their order, a panel for each metric.

    Each point has `run`, `metric` and `mean`; `low` and `high` where there is an interval.
    """
    panels = plot_means.trend_panels(points)
    about = description("plots.trend", panels, language)
    return draw(_column(list(panels.values())), about=about, language=language)


def save_plot(report: Report, path: Path, *, language: Language = "en", shown: str | None = None) -> Message | None:
    """Write the figure of a report: SVG, PDF, or PNG in double size, by the extension; all of it, or one of `SHOWN`.

    PNG and PDF are drawn with the fonts of this machine. Returns a note if it has none for Chinese text in the figure.
    """
    svg = report_figure(report, language=language, shown=shown)
    convert = _CONVERTERS.get(path.suffix.lower())
    write_whole(path, convert(svg) if convert else svg)
    return Message("plots.no_cjk_font", file=path.name) if convert and lacks_font(svg) else None


def report_figure(report: Report, *, language: Language = "en", shown: str | None = None) -> str:
    """One figure on white: the means, the differences where results were compared, and curves beside them.

    `shown` is one of `SHOWN`, for a figure of that alone.
    """
    about = description("report.means_with_intervals", report.metrics, language)
    if shown is None:
        means, differences, cutoffs, recall = (list(_PANELS[name](report)) for name in SHOWN[:4])
        spec = _beside(_column([*means, *differences]), [*cutoffs, *recall])
    else:
        spec = _grid(list(_PANELS[shown](report)), shown)
    return draw(spec, about=about, language=language, background=PAPER)


def _item_panels(report: Report) -> Iterable[Spec]:
    """For each result that is compared, the change of each item in the metric of the headline, sorted."""
    metric, (old, *new) = main_metric(report), report.tables
    for table, name in zip(new, labels([each.name for each in new]), strict=True):
        if report.comparison(table.name, metric):
            changed = plot_items.difference_bars(Paired.of(table, old, metric).difference, metric)
            yield {**changed, "title": name}


_PANELS: Final[Mapping[str, Callable[[Report], Iterable[Spec]]]] = {
    "means": plot_means.forest_panels,
    "differences": lambda report: [plot_means.difference_panel(report.comparisons)] if report.comparisons else [],
    "cutoffs": lambda report: plot_means.curve_panels(report).values(),
    "precision-recall": lambda report: kind_panels(report.tables).values(),
    "items": _item_panels,
}
SHOWN: Final = tuple(_PANELS)
"""What a figure may show alone: means, differences, metrics over cut-offs, precision over recall, changed items."""


_NEEDED: Final = {
    "differences": Message("plots.needs_differences"),
    "cutoffs": Message("plots.needs_cutoffs"),
    "precision-recall": Message("plots.needs_recall"),
    "items": Message("plots.needs_differences"),
}


def _grid(panels: Sequence[Spec], shown: str) -> Spec:
    """Panels with rows below one another, curves two beside one another; none is an error."""
    if not panels:
        raise ConfigError(Message("plots.nothing_to_draw", shown=shown), hint=_NEEDED.get(shown))
    if shown in ("means", "differences") or len(panels) == 1:
        return _column(panels)
    return {"concat": list(panels), "columns": 2, "spacing": 40}


_CONVERTERS: Final[Mapping[str, Callable[[str], bytes]]] = {".png": as_png, ".pdf": as_pdf}


def _marks(panels: Sequence[Spec]) -> int:
    """The number of points that panels with intervals have."""
    return sum(value["mean"] is not None for panel in panels for value in panel["data"]["values"])


def _beside(left: Spec, curves: Sequence[Spec]) -> Spec:
    """Means on the left and curves on the right, below one another; a figure of means alone stays as it is."""
    if not curves:
        return left
    return {"hconcat": [left, _column(curves)], "spacing": 48}


def _column(panels: Sequence[Spec]) -> Spec:
    """Panels below one another, their axes in line."""
    if len(panels) == 1:
        return panels[0]
    apart = {"scale": {"yOffset": "independent"}}
    return {"vconcat": list(panels), "bounds": "flush", "spacing": 84, "resolve": apart}
