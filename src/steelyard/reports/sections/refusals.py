"""Refusals of questions that have an answer and of those that have none, where the rows say which is which."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, PageTables, TableBlock
from steelyard.reports.content import Report
from steelyard.table import FloatArray, Table

ORDER: Final = 35
_METRIC: Final = "Refusal"


class Counts(NamedTuple):
    """Questions by whether they have an answer, and whether they were refused."""

    over_refused: int
    answered: int
    refused: int
    missed: int


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table of two by two for each result with the two parts of `Refusal`."""
    for index, table in enumerate(report.tables):
        counts = refusal_counts(table)
        if counts is not None:
            shown = _table(counts, table.name, words)
            yield PageTables(partial(iter, [shown])) if report.is_short else shown
            yield Fields(partial(_fields, counts), index)


def refusal_counts(table: Table) -> Counts | None:
    """The counts of a result; None if it does not say which questions have an answer."""
    parts = table.columns[_METRIC].parts if _METRIC in table.columns else {}
    if not {"over_refusal", "missed_refusal"} <= parts.keys():
        return None
    over, missed = (_split(parts[name]) for name in ("over_refusal", "missed_refusal"))
    return Counts(over[0], over[1], missed[1], missed[0])


def _split(part: FloatArray) -> tuple[int, int]:
    """How many of the rows that have the part have 1, and how many 0."""
    return int(np.count_nonzero(part == 1)), int(np.count_nonzero(part == 0))


def _table(counts: Counts, name: str, words: Words) -> TableBlock:
    rows = [
        [words("report.answerable"), *_row(counts.over_refused, counts.answered, counts.over_refused)],
        [words("report.not_answerable"), *_row(counts.refused, counts.missed, counts.missed)],
    ]
    headings = ["", *map(words, ("report.refused", "report.answered", "report.wrong_rate"))]
    return TableBlock(headings, rows, f"{name}: {_METRIC}")


def _row(refused: int, answered: int, wrong: int) -> list[str]:
    share = f"{wrong / (refused + answered):.4f}" if refused + answered else cells.DASH
    return [f"{refused:,}", f"{answered:,}", share]


def _fields(counts: Counts) -> dict[str, Any]:
    return {"refusals": counts._asdict()}
