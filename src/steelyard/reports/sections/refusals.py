"""Refusals of questions that have an answer and of those that have none, where the rows say which is which."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, PageForm, PageTables, Row, TableBlock
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
    """A table of two by two for each result with the two parts of `Refusal`; of two results, one table."""
    found = [refusal_counts(table) for table in report.tables]
    known = [(index, counts) for index, counts in enumerate(found) if counts is not None]
    if report.is_pair and len(known) == 2:
        yield pair_table(known[0][1], known[1][1], words)
    else:
        tables = [_table(counts, report.tables[index].name, words) for index, counts in known]
        yield from [PageTables(lambda: tables)] if report.is_short else tables
    yield from (Fields(partial(_fields, counts), index) for index, counts in known)


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


def pair_table(before: Counts, after: Counts, words: Words, rows: Sequence[Row] = ()) -> TableBlock:
    """The counts of two results in one table, before → after, and further rows."""
    answerable = [_change(before.answered, after.answered), _change(before.over_refused, after.over_refused)]
    others = [_change(before.missed, after.missed), _change(before.refused, after.refused)]
    over = [_percent(counts.over_refused, counts.answered, words) for counts in (before, after)]
    missed = [_percent(counts.missed, counts.refused, words) for counts in (before, after)]
    counted = [
        [words("report.answerable"), *answerable, " → ".join(over)],
        [words("report.not_answerable"), *others, " → ".join(missed)],
    ]
    headings = ["", *map(words, ("report.answered", "report.refused", "report.wrong_rate"))]
    title = words("report.refusals_before_after")
    return TableBlock(headings, [*counted, *rows], title, in_papers=False, page=PageForm("changes"))


def _change(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"


def _percent(wrong: int, right: int, words: Words) -> str:
    return cells.percent(wrong / (wrong + right), words) if wrong + right else cells.DASH


def _table(counts: Counts, name: str, words: Words) -> TableBlock:
    rows = [
        [words("report.answerable"), *_row(counts.over_refused, counts.answered, counts.over_refused)],
        [words("report.not_answerable"), *_row(counts.refused, counts.missed, counts.missed)],
    ]
    headings = ["", *map(words, ("report.refused", "report.answered", "report.wrong_rate"))]
    return TableBlock(headings, rows, words.labelled(name, _METRIC))


def _row(refused: int, answered: int, wrong: int) -> list[str]:
    return [f"{refused:,}", f"{answered:,}", _share(wrong, refused + answered - wrong)]


def _share(wrong: int, right: int) -> str:
    return f"{wrong / (wrong + right):.4f}" if wrong + right else cells.DASH


def _fields(counts: Counts) -> dict[str, Any]:
    return {"refusals": counts._asdict()}
