"""The means of every metric, with intervals and marks of significance; in files, the summary of each result."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import IN_METRICS, Block, Cell, Fields, PageForm, Records, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.kinds import kind_fields
from steelyard.reports.ranking import mean_column
from steelyard.reports.sections.footnotes import caption
from steelyard.stats.summary import Summary, head_fields, known

ORDER: Final = 10
_SUMMARY: Final = ("result", "metric", "mean", "low", "high", "sum", "scored", "unscored", "errors")
_DIFFERENCE: Final = ("b", "diff", "p_value", "p_adjusted", "significant")
"""The columns of a comparison, named as in JSON."""


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The table of means, where no leaderboard has them, and the same as values."""
    yield Fields(partial(head_fields, report.tables[0], report.units, report.scope))
    for index in range(len(report.tables)):
        yield Fields(partial(_summary, report, index), index)
    if not report.is_many:
        yield _means(report, words)
    yield Records((*_SUMMARY, *_DIFFERENCE), list(_records(report)))


def _summary(report: Report, index: int) -> dict[str, Any]:
    """The summary of a result, and what its kind adds under its own name."""
    return {**report.summaries[index].as_dict(), **kind_fields(report.tables[index], report.scope)}


def _means(report: Report, words: Words) -> TableBlock:
    """A row per metric, a column per result; a page draws the means of the last result as bars."""
    rows: list[Row] = [[words.name("metric", metric), *_mean_cells(report, metric)] for metric in report.metrics]
    headings = [words("report.metric"), *(summary.name for summary in report.summaries)]
    detail, value, extra = map(words, ("report.interval", "report.mean", "report.fates"))
    form = PageForm("settings") if report.is_pair else IN_METRICS  # two results have a table of differences
    settings: dict[str, Any] = {"in_text": not report.changed, "page": form, "caption": caption(report, words)}
    return TableBlock(headings, rows, detail=detail, value=value, extra=extra, **settings)


def _mean_cells(report: Report, metric: str) -> list[Cell]:
    strong = [cell.strong for cell in mean_column(report, report.shown, metric)]
    found = (mean_cell(report, summary, metric) for summary in report.shown)
    *others, last = (replace(cell, strong=best) for cell, best in zip(found, strong, strict=True))
    return [*(replace(cell, share=None) for cell in others), last]


def mean_cell(report: Report, summary: Summary, metric: str) -> Cell:
    """The mean with its interval and the numbers of items; dashes where the result does not have the metric."""
    mean = summary.metrics.get(metric)
    if mean is None:
        return Cell(cells.DASH, detail=cells.DASH, extra=cells.DASH)
    mark = cells.mark(report.comparison(summary.name, metric))
    return Cell(cells.mean(mean), mark, cells.spread(mean), cells.counts(mean), cells.share(mean))


def _records(report: Report) -> Iterator[list[object]]:
    """A row per result and metric."""
    for summary in report.summaries:
        for metric, mean in summary.metrics.items():
            compared = report.comparison(summary.name, metric)
            values = compared.as_dict() if compared else {}
            bounds = (mean.mean, mean.interval.low, mean.interval.high)
            counted = (mean.total, mean.scored, mean.unscored, mean.errors)
            yield [summary.name, metric, *map(known, bounds), *counted, *(values.get(key) for key in _DIFFERENCE)]
