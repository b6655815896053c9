"""Items without a score: why, how many, and the first of them; an item is found by its id."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from steelyard.errors import cut
from steelyard.i18n import Words
from steelyard.reports.blocks import Block, PageForm, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections.changes import excerpt
from steelyard.stats.selection import NO_PART
from steelyard.table import Missing, Table

ORDER: Final = 38
NAMED: Final = 5
"""So many ids are given for each reason."""
LONGEST_ID: Final = 40
"""So many characters of an id are given: it may be a question."""
MOST_REASONS: Final = 10
"""So many reasons of a result are listed, those of most items first."""

_Places = tuple[int, ...]


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result in which some cell has no number."""
    for table in report.tables:
        if reasons := _reasons(table):
            page = PageForm("results" if report.is_many else "details", folded=True, result=table.name)
            yield _table(table, reasons, words, page)


def _reasons(table: Table) -> dict[tuple[Missing, _Places], list[str]]:
    """The metrics without a number by the reason and the rows; that a part is not one of the item is no reason."""
    found: dict[tuple[Missing, _Places], list[str]] = {}
    for metric, column in table.columns.items():
        for code, missing in enumerate(column.reasons, 1):
            if missing != NO_PART and (rows := tuple(np.flatnonzero(column.codes == code).tolist())):
                found.setdefault((missing, rows), []).append(metric)
    return found


def _table(
    table: Table, reasons: Mapping[tuple[Missing, _Places], list[str]], words: Words, page: PageForm
) -> TableBlock:
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
    return TableBlock(headings, rows, title, text_columns=4, notes=notes, in_papers=False, page=page)
