"""Questions on which the system failed, and items that could not be scored: how many, and the first reason."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from steelyard.errors import cut
from steelyard.i18n import Words
from steelyard.reports.blocks import Block, Note, Notes
from steelyard.reports.content import Report
from steelyard.reports.kinds import failure_reason
from steelyard.table import Flags, Table

ORDER: Final = 1
LONGEST_REASON: Final = 120


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A warning at the top; nothing where all is well."""
    if lines := failures(report.tables, words):
        yield Notes([Note(line, "top", warning=True) for line in lines])


def failures(tables: Sequence[Table], words: Words) -> list[str]:
    """For each result how many questions failed, and how many other items could not be scored."""
    found = [(table, text) for table in tables for text in _texts(table, words)]
    if len(tables) > 1:
        return [f"⚠ {words('core.labelled', label=table.name, message=text)}" for table, text in found]
    return [f"⚠ {text}" for _, text in found]


def _texts(table: Table, words: Words) -> Iterator[str]:
    if table.failures:
        reason = failure_reason(table, min(table.failures)).text(words.language)
        yield _text("report.questions_failed", table, len(table.failures), reason, words)
    errors = _errors(table)
    errors[list(table.failures)] = False
    if errors.any():
        reason = _first_reason(table, int(np.flatnonzero(errors)[0]), words)
        yield _text("report.items_not_scored", table, int(errors.sum()), reason, words)


def _text(code: str, table: Table, rows: int, reason: str, words: Words) -> str:
    short = cut(" ".join(reason.split()), LONGEST_REASON)
    return words(code, n=f"{rows:,}", items=f"{len(table):,}", reason=short)


def _errors(table: Table) -> Flags:
    """The rows with an error in place of a score, in any metric."""
    found = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        found |= column.missing("error")
    return found


def _first_reason(table: Table, row: int, words: Words) -> str:
    reasons = (column.why(row) for column in table.columns.values())
    return next(why.reason.text(words.language) for why in reasons if why is not None and why.kind == "error")
