"""Tables of formats that have no room for everything: their columns, and wide tables divided."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from steelyard.reports.blocks import (
    WARNING,
    WARNINGS,
    Block,
    Details,
    DifferenceGroup,
    DifferenceTable,
    ItemList,
    Leaderboard,
    MetricMatrix,
    Note,
    Notes,
    Outcome,
    Row,
    TableBlock,
    TableRole,
)

COLUMNS: Final[dict[TableRole, Sequence[int]]] = {
    "differences": (0, 3, 4, 5, 6, 9, 10),  # means and effects are in other tables
    "differences_apart": (0, 1, 2, 3, 4, 5, 6, 9, 10),
    "tests": (0, 5, 6, 7, 9, 10),
}
"""The columns that are shown of tables with these roles; of others all are."""
COMPARED: Final[tuple[TableRole, ...]] = ("means_compared",)
"""Tables that repeat the means of a table of differences."""
AXIS_AFTER: Final = 2
"""The column of a leaderboard that its axis follows."""
WIDE: Final = (-1, 5)
"""Columns that a narrow leaderboard leaves out first: the numbers of items, and the interval of the difference."""
_PARTS: Final = (0, 1, 2, 3, 5)
"""The columns of a table of differences that are shown of parts."""


def plain(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks without details, and with fewer columns; a table of differences is plain tables."""
    for block in blocks:
        match block:
            case Details():
                pass
            case TableBlock():
                yield columns_of(block, COLUMNS[block.role]) if block.role in COLUMNS else block
            case DifferenceTable():
                yield from _as_tables(block)
            case Outcome():
                yield ItemList("", (), block.lines)
            case _:
                yield block


def note_text(line: str | Note) -> str:
    """Return the text of a note; that of a warning begins with a sign."""
    if isinstance(line, str):
        return line
    return f"{WARNING} {line.message}" if line.role in WARNINGS else line.message


def divided_notes(block: Notes) -> tuple[list[str], list[str]]:
    """Return the texts of the alerts, which stand before everything else, and of the other notes."""
    alerts = [line for line in block.lines if isinstance(line, Note) and line.role == "alert"]
    return [note_text(line) for line in alerts], [note_text(line) for line in block.lines if line not in alerts]


def columns_of(block: TableBlock, columns: Sequence[int]) -> TableBlock:
    """Return the table with these columns, in this order."""
    rows = [[row[column] for column in columns] for row in block.rows]
    labels = sum(column < block.labels for column in columns)
    return replace(block, headings=[block.headings[column] for column in columns], rows=rows, labels=labels)


def without_columns(block: TableBlock, columns: Sequence[int]) -> TableBlock:
    """Return the table without some of its columns; a negative number counts from the end."""
    count = len(block.headings)
    left_out = {column % count for column in columns}
    return columns_of(block, [column for column in range(count) if column not in left_out])


def with_columns(block: TableBlock, columns: Sequence[int]) -> TableBlock:
    """Return the table with its labels and these columns of numbers."""
    return replace(columns_of(block, [*range(block.labels), *columns]), families=())


def divided(block: TableBlock, fits: Callable[[TableBlock], bool]) -> list[TableBlock]:
    """Return the table, or if it does not fit, several with its labels and as many columns of numbers as fit.

    A family of columns is divided only where it does not fit by itself. The first has the title, the last the notes.
    """
    if fits(block):
        return [block]
    parts: list[list[int]] = [[]]
    for family in block.families or [range(block.labels, len(block.headings))]:
        units = [family] if fits(with_columns(block, family)) else [[column] for column in family]
        for columns in units:
            if parts[-1] and not fits(with_columns(block, [*parts[-1], *columns])):
                parts.append([])
            parts[-1].extend(columns)
    first, *others = (replace(with_columns(block, columns), notes=()) for columns in parts)
    tables = [first, *(replace(table, title="") for table in others)]
    return [*tables[:-1], replace(tables[-1], notes=block.notes)]


def board_tables(block: Leaderboard | MetricMatrix, most: int) -> Iterator[TableBlock]:
    """Yield the tables of a board for formats without a width: of at most so many columns, and without wide ones."""
    match block:
        case Leaderboard():
            yield without_columns(block.table, WIDE)
        case MetricMatrix():
            yield from divided(block.lettered, lambda table: len(table.headings) <= most)


def _as_tables(block: DifferenceTable) -> Iterator[TableBlock]:
    """Yield the metrics, and the parts of scores where there are some: each group below its title."""
    yield TableBlock(block.headings, block.metrics, role="differences")
    if block.parts:
        headings = [block.part, *(block.headings[column] for column in _PARTS[1:])]
        rows = [row for group in block.parts for row in _group_rows(group, len(headings))]
        yield TableBlock(headings, rows, block.title, notes=block.notes, role="differences")


def _group_rows(group: DifferenceGroup, columns: int) -> Iterator[Row]:
    yield [group.title, *[""] * (columns - 1)]
    for row in group.rows:
        yield [f"· {row[0]}", *(row[column] for column in _PARTS[1:])]
