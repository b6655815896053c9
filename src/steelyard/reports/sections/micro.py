"""Micro averages of metrics over sets, such as statutes and charges."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.stats.micro import COUNTS, RESAMPLES, Micro, micro_averages
from steelyard.stats.scopes import clusters_of
from steelyard.stats.summary import interval_list
from steelyard.table import Table


@section(33, of_each=True)
def micro(report: Report, words: Words) -> Iterator[Block]:
    """Yield a row for each result and metric that has counts of what is given, wanted and found."""
    found = [
        (index, metric, made)
        for index, table in enumerate(report.tables)
        for metric in table.metrics
        if (made := micro_of(table, metric, report))
    ]
    if not found:
        return
    rows: list[Row] = [
        [report.tables[index].name, words.name("metric", metric), *_cells(made), f"{made.given:,}", f"{made.wanted:,}"]
        for index, metric, made in found
    ]
    codes = ("report.system", "report.metric", "report.micro_precision", "report.micro_recall", "report.micro_f1")
    headings = [*map(words, codes), words("answer_part_names.given"), words("answer_part_names.wanted")]
    note = words("report.micro_note", resamples=f"{RESAMPLES:,}")
    yield TableBlock(headings, rows, words("report.micro_averages"), labels=2, notes=[note])
    for index in {index for index, _, _ in found}:
        made_here = {metric: _fields(made) for at, metric, made in found if at == index}
        yield Fields(partial(dict, micro=made_here), index)


def micro_of(table: Table, metric: str, report: Report) -> Micro | None:
    """Return the micro averages of a metric; None if it has no counts, or nothing is scored."""
    parts = table.parts.get(metric, {})
    if not set(COUNTS) <= parts.keys():
        return None
    counts = np.stack([parts[name] for name in COUNTS], axis=1)
    if np.isnan(counts).any(axis=1).all():
        return None
    return micro_averages(counts, clusters=clusters_of(table, report.scope))


def _cells(made: Micro) -> list[Cell]:
    pairs = zip((made.precision, made.recall, made.f1), made.intervals, strict=True)
    return [Cell(cells.number(value), detail=cells.interval(interval)) for value, interval in pairs]


def _fields(made: Micro) -> dict[str, object]:
    names = ("precision", "recall", "f1")
    ends = {f"{name}_ci95": interval_list(each) for name, each in zip(names, made.intervals, strict=True)}
    return {**{name: getattr(made, name) for name in (*names, *COUNTS)}, **ends}
