"""Blocks as text for a terminal."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Headline, ItemList, ItemScores, Notes, Row, TableBlock
from steelyard.text.visible import one_line, visible

if TYPE_CHECKING:
    from rich.table import Table as RichTable


def render_console(blocks: Sequence[Block], *, width: int = 300, colour: bool = False, spaced: bool = True) -> str:
    """The blocks one below the other, with an empty line between them if `spaced`.

    A table with details that is wider than `width` is divided, a table for each column; nothing is cut off.
    """
    parts = [lines for block in blocks for lines in _parts(block, width, colour)]
    return ("\n\n" if spaced else "\n").join("\n".join(lines) for lines in parts) + "\n"


def table_lines(block: TableBlock, *, colour: bool = False) -> list[str]:
    """The lines of a table, as wide as it must be, with its notes."""
    return [*_draw(_rich_table(block), block.title, colour), *map(visible, block.notes)]


def _parts(block: Block, width: int, colour: bool) -> Iterator[list[str]]:
    """The lines of a block; a table that is too wide has several parts, and an empty block none."""
    match block:
        case TableBlock() if block.in_text:
            yield from (table_lines(part, colour=colour) for part in _divided(block, width))
        case Headline():
            yield [*map(visible, block.warnings), _bold(visible(block.text), colour)]
        case Notes() if block.lines:
            yield [*map(visible, block.texts)]
        case ItemList() if block.items or block.lead:
            yield [*map(visible, _list_lines(block))]
        case ItemScores():
            yield list(_score_lines(block))


def _list_lines(block: ItemList) -> Iterator[str]:
    yield from block.lead
    if block.items:
        yield block.title
    for item in block.items:
        yield f"  {'  '.join(item.parts)}"
        if item.note:
            yield f"    {item.note}"
    if block.more:
        yield f"  {block.more}"


def _score_lines(block: ItemScores) -> Iterator[str]:
    """One line per item and result, tab-separated."""
    yield "\t".join(block.keys)
    for scores in block.results:
        columns = [None if column is None else column.tolist() for column in scores.columns]
        for row, identifier in enumerate(scores.ids):
            values = (cells.DASH if column is None else cells.score(column[row]) for column in columns)
            yield "\t".join((visible(scores.result), visible(identifier), *values))


def _divided(block: TableBlock, width: int) -> list[TableBlock]:
    """A table for each column of numbers where the table has details and is wider than the terminal."""
    if not block.detail or _width(_rich_table(block)) <= width:
        return [block]
    columns = range(block.text_columns, len(block.headings))
    parts = [replace(_column(block, column), notes=()) for column in columns]
    return [*parts[:-1], *(replace(part, notes=block.notes) for part in parts[-1:])]


def _column(block: TableBlock, column: int) -> TableBlock:
    """The table with its texts and one column of numbers."""
    rows = [[*row[: block.text_columns], row[column]] for row in block.rows]
    return replace(block, headings=[*block.headings[: block.text_columns], block.headings[column]], rows=rows)


def _rich_table(block: TableBlock) -> "RichTable":
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(block.headings):
        is_text = number < block.text_columns
        table.add_column(visible(heading), justify="left" if is_text else "right", no_wrap=True)
        if block.detail and not is_text:
            table.add_column(block.detail, style="dim", no_wrap=True)
    for row in _printed_once(block.rows) if block.grouped else block.rows:
        table.add_row(*(one_line(text) for text in _texts(block, row)))
    return table


def _printed_once(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows without the first cell where the row before has the same."""
    before: str | Cell | None = None
    for row in rows:
        yield ["", *row[1:]] if row[0] == before else row
        before = row[0]


def _texts(block: TableBlock, row: Row) -> Iterator[str]:
    """The texts of a row; details have a column of their own."""
    for number, cell in enumerate(row):
        if not block.detail or number < block.text_columns:
            yield str(cell)
        else:
            value = cell if isinstance(cell, Cell) else Cell(cell)
            yield from (str(replace(value, detail="")), value.detail)


def _draw(table: "RichTable", title: str, colour: bool) -> list[str]:
    """The lines of a table below its title, which may be wider than the table and is not wrapped."""
    from rich.console import Console

    output = io.StringIO()
    settings = {"force_terminal": True} if colour else {"no_color": True}
    Console(file=output, width=_width(table), highlight=False, emoji=False, markup=False, **settings).print(table)  # type: ignore[arg-type]
    head = [_bold(visible(title), colour)] if title else []
    return [*head, *(line.rstrip() for line in output.getvalue().splitlines())]


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if colour else text


def _width(table: "RichTable") -> int:
    """The columns of the terminal that a table needs."""
    from rich.console import Console

    return Console(width=10_000, markup=False).measure(table).maximum
