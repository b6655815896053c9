"""Results by merit: their ranks in a metric, their letters, and the means of all metrics with the best of each."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import HEATS, Cell, Row, TableBlock
from steelyard.reports.content import Report, main_metric
from steelyard.reports.sections.footnotes import caption
from steelyard.stats.compare import Comparison
from steelyard.stats.correction import letters
from steelyard.stats.direction import gain, is_directed
from steelyard.stats.summary import Summary
from steelyard.table import Table


def ranking(report: Report, metric: str) -> list[tuple[int, Summary]]:
    """The summaries with their ranks, best first; equal means share a rank, unknown ones are last."""
    merits = [_merit(summary, metric) for summary in report.summaries]
    ranked = [
        (1 + sum(other > merit for other in merits), each) for merit, each in zip(merits, report.summaries, strict=True)
    ]
    return sorted(ranked, key=lambda pair: pair[0])


def _merit(summary: Summary, metric: str) -> float:
    mean = summary.metrics.get(metric)
    value = -math.inf if mean is None else gain(metric, mean.mean)
    return value if math.isfinite(value) else -math.inf


def letters_by_metric(report: Report) -> dict[str, dict[str, str] | None]:
    """For each metric the letters of each result that has it; the best has an a. None where no test is conclusive."""
    by_metric: dict[str, list[Comparison]] = {}
    for pair in report.pairs:
        by_metric.setdefault(pair.metric, []).append(pair)
    return {metric: _letters_of(report.tables, metric, pairs) for metric, pairs in by_metric.items()}


def _letters_of(tables: Sequence[Table], metric: str, pairs: Sequence[Comparison]) -> dict[str, str] | None:
    if all(pair.underpowered for pair in pairs):
        return None
    having = [table for table in tables if metric in table.columns]
    names = [table.name for table in sorted(having, key=lambda table: -gain(metric, table.mean(metric)))]
    return letters(names, [(pair.a, pair.b) for pair in pairs if pair.significant])


def lettered_matrix(report: Report, words: Words) -> TableBlock:
    """The means of every metric with its letters, if all pairs were compared, else with marks; for papers."""
    found = letters_by_metric(report)
    table = replace(matrix(report, report.metrics, words), caption=caption(report, words))
    marks = [found.get(metric, {}) for metric in report.metrics]
    rows = [[row[0], *map(partial(_lettered, str(row[0])), row[1:], marks)] for row in table.rows]
    return replace(table, rows=rows) if found else table


def _lettered(name: str, cell: str | Cell, marks: Mapping[str, str] | None) -> str | Cell:
    """A mean with its letters instead of its mark; a dash where no test could be significant."""
    if isinstance(cell, str) or cell.text == cells.DASH:
        return cell
    return replace(cell, mark=cells.DASH if marks is None else marks.get(name, ""))


def matrix(report: Report, metrics: Sequence[str], words: Words) -> TableBlock:
    """A row for each result in the order of the board, a column for each metric."""
    ranked = [summary for _, summary in ranking(report, main_metric(report))]
    columns = [mean_column(report, ranked, metric) for metric in metrics]
    rows: list[Row] = [[summary.name, *row] for summary, *row in zip(ranked, *columns, strict=True)]
    return TableBlock(
        [words("report.system"), *(words.name("metric", metric) for metric in metrics)],
        rows,
        words("report.all_metrics"),
        families=_families(metrics),
    )


def mean_column(report: Report, summaries: Sequence[Summary], metric: str) -> list[Cell]:
    """The means of a metric with marks of significance; the best is strong."""
    means = [summary.metrics.get(metric) for summary in summaries]
    merits = [_merit(summary, metric) for summary in summaries]
    finite = [merit for merit in merits if math.isfinite(merit)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return [
        Cell(cells.DASH)
        if mean is None
        else Cell(
            cells.mean(mean),
            cells.mark(report.comparison(summary.name, metric)),
            strong=low < merit == high and is_directed(metric),
            heat=_heat(merit, low, high) if is_directed(metric) else None,
        )
        for summary, mean, merit in zip(summaries, means, merits, strict=True)
    ]


def _heat(merit: float, low: float, high: float) -> int | None:
    return round(HEATS * (merit - low) / (high - low)) if math.isfinite(merit) and low < high else None


def _families(metrics: Sequence[str]) -> list[list[int]]:
    """The columns of metrics that differ in their cut-off only, and single ones in a row, stay together."""
    families: dict[str, list[int]] = {}
    for column, metric in enumerate(metrics, 1):
        name, at, _ = metric.rpartition("@")
        families.setdefault(name if at else "", []).append(column)
    return list(families.values())
