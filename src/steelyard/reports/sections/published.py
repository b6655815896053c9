"""Published scores beside the same answers as read: how many rows differ, and the first of them."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Note, Notes, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.reports.sections.changes import excerpt
from steelyard.reports.sections.failures import LONGEST_ID
from steelyard.table import Table

PUBLISHED: Final = "Published"
MOST: Final = 10
"""So many rows are listed."""
_SAME: Final = 1e-6
"""Scores that are nearer differ by roundings, such as that of rouge_chinese."""


@section(37, of_each=True)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield for each result and each metric beside its published scores the rows that differ."""
    for index, table in enumerate(report.tables):
        for published, metric in _pairs(table):
            yield from _differing(table, published, metric, words)
            yield Fields(partial(_fields, table, published, metric), index)


def _pairs(table: Table) -> Iterator[tuple[str, str]]:
    """Yield published columns with those as read: PublishedTerm with TermRatio, Published with any."""
    published = [metric for metric in table.metrics if metric.startswith(PUBLISHED)]
    for column in published:
        rest = column.removeprefix(PUBLISHED)
        yield from ((column, each) for each in table.metrics if each not in published and each.startswith(rest))


def _rows(table: Table, published: str, metric: str) -> list[int]:
    """Return the rows in which both have a number, and not the same."""
    difference = np.abs(table.column(metric) - table.column(published))
    return np.flatnonzero(difference > _SAME).tolist()


def _differing(table: Table, published: str, metric: str, words: Words) -> Iterator[Block]:
    rows = _rows(table, published, metric)
    message = words("report.published_differ", n=f"{len(rows):,}", items=f"{len(table):,}", metric=metric)
    if not rows:
        yield Notes([Note(words.labelled(table.name, message), named=True)])
        return
    shown: list[Row] = [
        [excerpt(table.ids[row], LONGEST_ID), *(cells.number(table.column(of)[row]) for of in (published, metric))]
        for row in rows[:MOST]
    ]
    more = [words("gate.and_more", n=f"{len(rows) - MOST:,}")] if len(rows) > MOST else []
    headings = ["id", published, metric]
    yield TableBlock(
        headings, shown, words.labelled(table.name, message), role="published", notes=more, about=table.name
    )


def _fields(table: Table, published: str, metric: str) -> dict[str, object]:
    rows = _rows(table, published, metric)
    return {"published": {"metric": metric, "differ": len(rows), "items": [table.ids[row] for row in rows]}}
