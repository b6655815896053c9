"""Means with intervals and marks of significance, blocks of the kind, and what files have: summaries, rules, scores."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from steelyard.i18n import Words
from steelyard.io.results import items_of
from steelyard.registry.kinds import family_of
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Block,
    Cell,
    Details,
    Fields,
    ItemList,
    ItemScores,
    Records,
    ResultScores,
    Row,
    TableBlock,
    TableRole,
)
from steelyard.reports.content import BOARD, Report
from steelyard.reports.sections import section
from steelyard.reports.sections.footnotes import caption
from steelyard.reports.sections.leaderboard import mean_column
from steelyard.stats.summary import Summary, head_fields, known
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.stats.gate import Gate

_SUMMARY: Final = ("result", "metric", "mean", "low", "high", "sum", "scored", "unscored", "errors")
_DIFFERENCE: Final = ("b", "diff", "p_value", "p_adjusted", "significant", "n", "a_mean", "b_mean")
"""The columns of a comparison over the `n` items that both results score."""


@section(10)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield the summaries as values."""
    yield Fields(partial(head_fields, report.tables[0], report.units, report.scope))
    for index in range(len(report.tables)):
        yield Fields(partial(_summary, report, index), index)
    yield Records((*_SUMMARY, *_DIFFERENCE), list(_records(report)))


@section(11, "one", "two")
def means(report: Report, words: Words) -> Iterator[Block]:
    """Yield the table of means; a leaderboard has its own."""
    yield _means(report, words, "means", _own_metrics(report))


@section(11, "changes")
def means_compared(report: Report, words: Words) -> Iterator[Block]:
    """Yield the table of means beside that of differences."""
    yield _means(report, words, "means_compared", report.metrics)


@section(43, "one", "two")
def means_of_contexts(report: Report, words: Words) -> Iterator[Block]:
    """Yield the means of the metrics over contexts, apart from what was answered."""
    own = _own_metrics(report)
    if rest := [metric for metric in report.metrics if metric not in own]:
        yield replace(_means(report, words, "table", rest), title=words("report.retrieved"))


def _own_metrics(report: Report) -> list[str]:
    """Return the metrics without those of the contexts of a result that has others."""
    kind = report.tables[0].kind
    return [metric for metric in report.metrics if family_of(kind, metric) != "contexts"] or report.metrics


def _summary(report: Report, index: int) -> dict[str, Any]:
    """Return the summary of a result, and what its kind adds under its own name."""
    table = report.tables[index]
    added = report.kind.fields(table, report.scope)
    return {**report.summaries[index].as_dict(), **({} if added is None else {table.kind: added})}


def _means(report: Report, words: Words, role: TableRole, metrics: Sequence[str]) -> TableBlock:
    """Return a row per metric, a column per result; those of the last result can be drawn as bars."""
    rows: list[Row] = [[words.name("metric", metric), *_mean_cells(report, metric)] for metric in metrics]
    headings = [words("report.metric"), *(summary.name for summary in report.summaries)]
    main, detail, extra = map(words, ("report.mean", "report.interval", "report.fates"))
    return TableBlock(headings, rows, role=role, main=main, detail=detail, extra=extra, caption=caption(report, words))


def _mean_cells(report: Report, metric: str) -> list[Cell]:
    strong = [cell.strong for cell in mean_column(report, report.shown, metric)]
    found = (mean_cell(report, summary, metric) for summary in report.shown)
    *others, last = (replace(cell, strong=best) for cell, best in zip(found, strong, strict=True))
    return [*(replace(cell, share=None) for cell in others), last]


def mean_cell(report: Report, summary: Summary, metric: str) -> Cell:
    """Return the mean with its interval and the numbers of items; dashes where the result does not have the metric."""
    mean = summary.metrics.get(metric)
    if mean is None:
        return Cell(cells.DASH, detail=cells.DASH, extra=cells.DASH)
    mark = cells.mark(report.comparison(summary.name, metric))
    return Cell(cells.mean(mean), mark, cells.spread(mean), cells.counts(mean), cells.share(mean))


def _records(report: Report) -> Iterator[list[object]]:
    """Yield a row per result and metric."""
    for summary in report.summaries:
        for metric, mean in summary.metrics.items():
            compared = report.comparison(summary.name, metric)
            values = compared.as_dict() if compared else {}
            bounds = (mean.mean, mean.interval.low, mean.interval.high)
            counted = (mean.total, mean.scored, mean.unscored, mean.errors)
            yield [summary.name, metric, *map(known, bounds), *counted, *(values.get(key) for key in _DIFFERENCE)]


@section(40, "changes")
def of_kind_compared(report: Report, words: Words) -> Iterable[Block]:
    """Return what the kind has about two results; without it, what it has about each."""
    old, new = report.paired
    of_pair = report.kind.pair_blocks(new, old, words)
    return of_kind(report, words) if of_pair is None else of_pair


@section(40, "two")
def of_kind_beside(report: Report, words: Words) -> Iterator[Block]:
    """Yield what the kind has about two results as details, then what it has about each."""
    old, new = report.paired
    of_pair = report.kind.pair_blocks(new, old, words)
    if of_pair is not None:
        yield Details(lambda: of_pair)
    yield from of_kind(report, words)


@section(40, "one", *BOARD, of_each=True)
def of_kind(report: Report, words: Words) -> Iterator[Block]:
    """Yield the tables of every result, then its other blocks."""
    added = [each for table in report.tables for each in report.kind.blocks(table, words, report.scope)]
    for block in sorted(added, key=lambda block: not isinstance(block, TableBlock)):
        yield replace(block, role="kind") if isinstance(block, TableBlock | ItemList) else block


@section(50)
def rules(report: Report, words: Words) -> Iterator[Block]:
    """Yield the findings as fields; nothing where there were no rules."""
    if report.gate is not None:
        yield Fields(partial(_rule_fields, report.gate))


def _rule_fields(gate: "Gate") -> dict[str, Any]:
    from steelyard.reports.gate import findings_json

    return {"gate": findings_json(gate)}


@section(100)
def scores(report: Report, words: Words) -> Iterator[Block]:
    """Yield the scores, a column per metric; nothing where only means are asked for."""
    if report.per_item:
        headings = (words("report.result"), "id", *report.metrics)
        results = [
            ResultScores(
                table.name,
                table.ids,
                [table.column(metric) if metric in table.columns else None for metric in report.metrics],
            )
            for table in report.tables
        ]
        judged = {metric: table.judged_name(metric) for table in report.tables for metric in table.judges}
        yield ItemScores(headings, ("result", "id", *(judged.get(name, name) for name in report.metrics)), results)
        yield from (Fields(partial(_item_fields, table), index) for index, table in enumerate(report.tables))


def _item_fields(table: Table) -> dict[str, Any]:
    return {"per_item": [item.to_json() for item in items_of(table)]}
