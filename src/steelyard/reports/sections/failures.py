"""Items that failed or have no score: how many, why, and the first of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from steelyard.errors import cut
from steelyard.i18n import Words
from steelyard.reports.blocks import Block, Note, Notes, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.kinds import failure_reason
from steelyard.reports.sections import section
from steelyard.reports.sections.changes import excerpt
from steelyard.stats.selection import NO_PART
from steelyard.table import Missing, Table

LONGEST_REASON: Final = 120


@section(1)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield a warning at the top; nothing where all is well."""
    if lines := failures(report.tables, words):
        yield Notes([Note(line, "alert") for line in lines])


def failures(tables: Sequence[Table], words: Words) -> list[str]:
    """For each result how many questions failed, and how many other items could not be scored."""
    found = [(table, text) for table in tables for text in _texts(table, words)]
    if len(tables) > 1:
        return [words("core.labelled", label=table.name, message=text) for table, text in found]
    return [text for _, text in found]


def _texts(table: Table, words: Words) -> Iterator[str]:
    if table.failures:
        reason = failure_reason(table, min(table.failures)).text(words.language)
        yield _text("report.questions_failed", table, len(table.failures), reason, words)
    errors = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        errors |= column.missing("error")
    errors[list(table.failures)] = False
    if errors.any():
        reasons = (column.why(int(errors.argmax())) for column in table.columns.values())
        reason = next(why.reason.text(words.language) for why in reasons if why is not None and why.kind == "error")
        yield _text("report.items_not_scored", table, int(errors.sum()), reason, words)


def _text(code: str, table: Table, rows: int, reason: str, words: Words) -> str:
    short = cut(" ".join(reason.split()), LONGEST_REASON)
    return words(code, n=f"{rows:,}", items=f"{len(table):,}", reason=short)


NAMED: Final = 5
"""So many ids are given for each reason."""
LONGEST_ID: Final = 40
"""So many characters of an id are given: it may be a question."""
MOST_REASONS: Final = 10
"""So many reasons of a result are listed, those of most items first."""

_Places = tuple[int, ...]


@section(38)
def unscored(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each result in which some cell has no number."""
    for table in report.tables:
        if reasons := _missing_reasons(table):
            yield _table(table, reasons, words)


def _missing_reasons(table: Table) -> dict[tuple[Missing, _Places], list[str]]:
    """Return the metrics without a number by reason and rows; an item that lacks a part needs no reason."""
    found: dict[tuple[Missing, _Places], list[str]] = {}
    for metric, column in table.columns.items():
        for code, missing in enumerate(column.reasons, 1):
            if missing != NO_PART and (rows := tuple(np.flatnonzero(column.codes == code).tolist())):
                found.setdefault((missing, rows), []).append(metric)
    return found


def _table(table: Table, reasons: Mapping[tuple[Missing, _Places], list[str]], words: Words) -> TableBlock:
    largest = sorted(reasons.items(), key=lambda entry: -len(entry[0][1]))
    rows: list[Row] = [
        [
            cut(" ".join(missing.reason.text(words.language).split())),
            f"{len(places):,}",
            words.joined("core.listed", metrics),
            words.joined("core.listed", (excerpt(table.ids[row], LONGEST_ID) for row in places[:NAMED]))
            + (" …" if len(places) > NAMED else ""),
        ]
        for (missing, places), metrics in largest[:MOST_REASONS]
    ]
    more = len(largest) - MOST_REASONS
    headings = [words("report.reason"), "n", words("report.metric"), words("report.first_items")]
    notes = [words("gate.and_more", n=f"{more:,}")] if more > 0 else []
    title = words.labelled(table.name, words("report.without_score"))
    return TableBlock(headings, rows, title, labels=4, notes=notes, role="unscored", about=table.name)
