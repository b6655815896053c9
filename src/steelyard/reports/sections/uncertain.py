"""Verdicts of metrics of answers that the rules could not decide: how many, and the range that they leave the mean.

The mean would be the lowest if every uncertain verdict were 0, and the highest if it were 1. Legal results, whose
scores have parts with weights, have a table of their own.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, PageTables, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.stats.review import UNCERTAIN, uncertain_flags
from steelyard.table import Table

ORDER: Final = 36
_KIND: Final = "answers"


class Doubts(NamedTuple):
    """The uncertain verdicts of a metric among its items, and the bounds of its mean."""

    undecided: int
    items: int
    mean: float
    low: float
    high: float


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result with uncertain verdicts."""
    found = [(index, doubts(table)) for index, table in enumerate(report.tables) if table.kind == _KIND]
    known = [(index, of) for index, of in found if of]
    tables = [_table(of, report.tables[index].name, words) for index, of in known]
    yield from [PageTables(lambda: tables)] if report.is_short else tables
    yield from (Fields(partial(_fields, of), index) for index, of in known)


def doubts(table: Table) -> dict[str, Doubts]:
    """The metrics of a result that have uncertain verdicts."""
    flags = {metric: uncertain_flags(table, metric) for metric in table.columns}
    return {metric: _of(table, metric, each) for metric, each in flags.items() if each is not None and each.any()}


def _of(table: Table, metric: str, flags: np.ndarray[Any, np.dtype[np.bool_]]) -> Doubts:
    scores = table.column(metric)
    ends = [float(np.nanmean(np.where(flags, end, scores))) for end in (0.0, 1.0)]
    return Doubts(int(flags.sum()), len(table.scored(metric)), table.mean(metric), *ends)


def _table(found: dict[str, Doubts], name: str, words: Words) -> TableBlock:
    rows: list[Row] = [
        [
            words.name("metric", metric),
            f"{each.undecided:,} / {each.items:,} ({cells.percent(each.undecided / each.items, words)})",
            *(cells.number(number) for number in each[2:]),
        ]
        for metric, each in found.items()
    ]
    codes = ("report.metric", "report.uncertain_items", "report.mean", "report.lowest_mean", "report.highest_mean")
    return TableBlock([words(code) for code in codes], rows, words.labelled(name, words("report.uncertain_items")))


def _fields(found: dict[str, Doubts]) -> dict[str, Any]:
    return {UNCERTAIN: {metric: each._asdict() for metric, each in found.items()}}
