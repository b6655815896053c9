"""Charts of results, as SVG for pages and as files.

A chart holds names and numbers only; its caption is text of the page around it. Every function returns SVG that a page
may contain as it is: see `style`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.errors import UnknownName
from steelyard.i18n import Language, Message, words_of
from steelyard.io.writing import write_whole
from steelyard.reports.content import Report
from steelyard.reports.plots import items as plot_items
from steelyard.reports.plots import means as plot_means
from steelyard.reports.plots.items import MOST_ROWS, Paired
from steelyard.reports.plots.style import Spec, as_png, description, draw
from steelyard.stats.compare import Comparison
from steelyard.table import Table

SUFFIXES: Final = (".svg", ".png")
PAPER: Final = "white"


def forest(report: Report, language: Language = "en") -> str:
    """The mean of each metric with its 95 % interval, a row for each; colour and shape distinguish results.

    Metrics from 0 to 1 share an axis, every other has its own. Totals, which have no mean, are left out
    unless there is nothing else.
    """
    panels = plot_means.forest_panels(report)
    return draw(_column(panels), about=description("report.means_with_intervals", report.metrics, language))


def difference_forest(comparisons: Sequence[Comparison], language: Language = "en") -> str:
    """The difference of each metric with its 95 % interval around 0; significant differences are filled."""
    panel = plot_means.difference_panel(comparisons)
    names = [comparison.metric for comparison in comparisons]
    return draw(panel, about=description("report.differences_with_intervals", names, language))


def distribution(tables: Sequence[Table], metric: str, language: Language = "en") -> str:
    """A histogram of scores, a panel for each result that has the metric."""
    having = [table for table in tables if metric in table.columns]
    if not having:
        raise UnknownName.of(
            Message("words.metric"), metric, {name: None for table in tables for name in table.columns}
        )
    panels = plot_items.histograms(having, metric)
    return draw(_column(panels), about=description("report.distribution", [metric], language))


def curves(report: Report, language: Language = "en") -> str | None:
    """Each family of metrics over its cut-offs, on a logarithmic axis; None where no metric has several."""
    panels = plot_means.curve_panels(report)
    if not panels:
        return None
    spec = {"concat": list(panels.values()), "columns": 3, "spacing": 24, "resolve": {"scale": {"y": "shared"}}}
    return draw(spec, about=description("plots.scores_by_cutoff", panels, language))


def differences(new: Table, old: Table, metric: str, language: Language = "en") -> str:
    """The change of each item that both results score, sorted; more than 300 items are averaged in 300 bins."""
    panel = plot_items.difference_bars(Paired.of(new, old, metric).difference, metric)
    return draw(panel, about=description("plots.differences_by_item", [metric], language))


def dumbbell(new: Table, old: Table, metric: str, language: Language = "en") -> str | None:
    """The old and the new score of the 40 items that changed most, the greatest gain first; None where none did."""
    shown = Paired.of(new, old, metric).largest(MOST_ROWS)
    if not shown.ids:
        return None
    panel = plot_items.dumbbells(shown, [old.name, new.name], metric)
    return draw(panel, about=description("plots.scores_by_item", [metric], language))


def trend(points: Sequence[Mapping[str, Any]], language: Language = "en") -> str:
    """The means of the last hundred runs in their order, a panel for each metric.

    Each point has `run`, `metric` and `mean`; `low` and `high` where there is an interval.
    """
    panels = plot_means.trend_panels(points)
    return draw(_column(list(panels.values())), about=description("plots.trend", panels, language))


def save_plot(report: Report, path: Path, *, language: Language = "en") -> None:
    """Write the figure of a report: SVG, or PNG in double size by the extension.

    PNG is drawn with the fonts of this machine: for Chinese names a CJK font must be installed.
    """
    svg = report_figure(report, language=language)
    write_whole(path, as_png(svg) if path.suffix.lower() == ".png" else svg)


def report_figure(report: Report, *, language: Language = "en") -> str:
    """One figure on white: the means, and below them the differences where results were compared."""
    words = words_of(language)
    panels = plot_means.forest_panels(report, title=words("report.mean"))
    if report.comparisons:
        panels.append(plot_means.difference_panel(report.comparisons, title=words("report.difference")))
    about = description("report.means_with_intervals", report.metrics, language)
    return draw(_column(panels), about=about, background=PAPER)


def _column(panels: Sequence[Spec]) -> Spec:
    """Panels below one another, their axes in line."""
    if len(panels) == 1:
        return panels[0]
    apart = {"scale": {"yOffset": "independent"}}
    return {"vconcat": list(panels), "bounds": "flush", "spacing": 56, "resolve": apart}
