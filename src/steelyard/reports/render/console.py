"""Blocks as text for a terminal."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from steelyard.reports import cells
from steelyard.reports.blocks import (
    Axis,
    Block,
    Cell,
    Dot,
    Headline,
    ItemList,
    ItemScores,
    Leaderboard,
    MetricMatrix,
    Note,
    NoteRole,
    Notes,
    Row,
    TableBlock,
)
from steelyard.reports.render.tables import (
    AXIS_AFTER,
    COMPARED,
    WIDE,
    divided,
    note_text,
    plain,
    with_columns,
    without_columns,
)
from steelyard.text.visible import one_line, visible

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

_COLOURS: Final = {cells.BETTER: "green", cells.WORSE: "red"}
_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_NOTES: Final[dict[NoteRole, str]] = {"alert": "yellow", "warning": "yellow", "signature": "dim"}
PIPED: Final = 300
"""The width of output that is not on a terminal: its lines of text are not wrapped."""
AXIS: Final = (14, 32)
"""The least and the greatest width of an axis."""
SHORTEST_NAME: Final = 12
MOST_BESIDE: Final = 6
"""So many other metrics follow in the same row of a leaderboard, if there is room; more are a table of their own."""
OPTIONAL: Final = (3, 0)
"""Columns that a leaderboard leaves out after its axis: the interval, and the rank."""
_GAP: Final = 2
_NARROWEST: Final = 8
_INDENT: Final = "  "


def render_console(blocks: Sequence[Block], *, width: int = PIPED, colour: bool = False, spaced: bool = True) -> str:
    """Return the blocks one below the other, with an empty line between them if `spaced`.

    A table with details that is wider than `width` is divided, a table for each column; a leaderboard has fewer
    columns. Lines of text are wrapped on a terminal, which is any width but that of piped output.
    """
    parts = [lines for block in plain(blocks) for lines in _parts(block, width, colour)]
    return ("\n\n" if spaced else "\n").join("\n".join(lines) for lines in parts) + "\n"


def table_lines(block: TableBlock, *, width: int = PIPED, colour: bool = False) -> list[str]:
    """Return the lines of a table, as wide as it must be, with its notes."""
    return [*_draw(_rich_table(block), block.title, colour), *_text(block.notes, width, colour)]


def _parts(block: Block, width: int, colour: bool) -> Iterator[list[str]]:
    """Yield the lines of a block; a table that is too wide has several parts, and an empty block none."""
    match block:
        case TableBlock() if block.role not in COMPARED:
            yield from (table_lines(part, width=width, colour=colour) for part in _divided(block, width))
        case Leaderboard():
            yield table_lines(fitted(block, width), width=width, colour=colour)
        case MetricMatrix() if not _is_whole(block.board, width):
            fits = partial(_fits, width=width)
            yield from (table_lines(part, width=width, colour=colour) for part in divided(block.table, fits))
        case Headline():
            yield [*_text(block.warnings, width, colour, "red"), styled(visible(block.message), "bold", colour)]
        case Notes() if block.lines:
            yield _text(block.lines, width, colour)
        case ItemList() if block.items or block.lead:
            yield [line for text in _list_lines(block) for line in _wrapped(visible(text), width)]
        case ItemScores():
            yield list(_score_lines(block))


def _text(lines: Sequence[str | Note], width: int, colour: bool, style: str = "") -> list[str]:
    """Lines of text, wrapped with a hanging indent; warnings are yellow, and quiet lines dim."""
    return [
        styled(part, style or (_NOTES.get(line.role, "") if isinstance(line, Note) else ""), colour)
        for line in lines
        for part in _wrapped(visible(note_text(line)), width)
    ]


def _wrapped(text: str, width: int) -> list[str]:
    """Return the text in lines no wider than the terminal, all but the first indented; piped output is not wrapped."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    if width >= PIPED or cell_len(text) <= width:
        return [text]
    lead = text[: len(text) - len(text.lstrip())]
    room = max(width - len(lead) - len(_INDENT), _NARROWEST)
    lines = Text(text[len(lead) :]).wrap(Console(width=room), room)
    first, *others = (line.plain.rstrip() for line in lines)
    return [lead + first, *(f"{lead}{_INDENT}{line}" for line in others)]


def fitted(board: Leaderboard, width: int) -> TableBlock:
    """Return the table of a leaderboard.

    With the other metrics and the axis if there is room, else without some columns.

    First the wide columns are left out, then the other metrics are left to a table of their own, then the axis is left
    out, then the optional columns; at last names are shortened.
    """
    table = board.whole if _is_whole(board, width) else board.table
    gone = _left_out(table, _wide(board), width - _axis_width(board))
    room = width - _width(_rich_table(without_columns(table, gone))) - _GAP
    if board.axis and room >= AXIS[0]:
        return _with_axis(without_columns(table, gone), board.axis, AXIS_AFTER, min(room, AXIS[1]))
    gone = [*gone, *_left_out(without_columns(table, gone), OPTIONAL, width)]
    return _with_short_names(without_columns(table, gone), board.table.labels - 1 - (0 in gone), width)


def _left_out(block: TableBlock, columns: Sequence[int], width: int) -> Sequence[int]:
    """Return the first of these columns without which the table fits, or all."""
    counts = range(len(columns))
    enough = (count for count in counts if _fits(without_columns(block, columns[:count]), width=width))
    return columns[: next(enough, len(columns))]


def _is_whole(board: Leaderboard, width: int) -> bool:
    """Return whether the other metrics are few, and there is room for them beside the axis."""
    return len(board.others.headings) - board.others.labels <= MOST_BESIDE and _fits(
        without_columns(board.whole, _wide(board)), width=width - _axis_width(board)
    )


def _wide(board: Leaderboard) -> list[int]:
    """Return the numbers of the wide columns, which stay the same where other metrics follow."""
    return [column % len(board.table.headings) for column in WIDE]


def _axis_width(board: Leaderboard) -> int:
    return AXIS[0] + _GAP if board.axis else 0


def _fits(block: TableBlock, *, width: int) -> bool:
    return _width(_rich_table(block)) <= width


def _with_axis(block: TableBlock, axis: Axis, after: int, width: int) -> TableBlock:
    """Return the table with a column of dots on an axis."""
    ends = f"{axis.low}{axis.high:>{width - len(axis.low)}}"
    rows = [
        [*row[: after + 1], gauge(dot, axis.line, width), *row[after + 1 :]]
        for row, dot in zip(block.rows, axis.dots, strict=True)
    ]
    return replace(block, headings=[*block.headings[: after + 1], ends, *block.headings[after + 1 :]], rows=rows)


def gauge(dot: Dot | None, line: float | None, width: int) -> str:
    """Return a mean with its interval as characters of an axis; the line is where the baseline is.

    >>> gauge(Dot(0.5, 0.3, 0.7), 0.1, 21)
    '··┊···────●────······'
    """
    last = width - 1
    drawn = ["·"] * width
    if line is not None:
        drawn[round(line * last)] = "┊"
    if dot is not None:
        low, mean, high = (round(place * last) for place in (dot.low, dot.mean, dot.high))
        drawn[low : high + 1] = "─" * (high + 1 - low)
        drawn[mean] = "●"
    return "".join(drawn)


def _with_short_names(block: TableBlock, column: int, width: int) -> TableBlock:
    """Return the table with names cut in the middle so that it fits, unless two of them would be the same."""
    excess = _width(_rich_table(block)) - width
    if excess <= 0:
        return block
    longest = max(max((len(one_line(str(row[column]))) for row in block.rows), default=0) - excess, SHORTEST_NAME)
    names = [_shortened(one_line(str(row[column])), longest) for row in block.rows]
    if len(set(names)) < len(names):
        return block
    rows = [[*row[:column], name, *row[column + 1 :]] for row, name in zip(block.rows, names, strict=True)]
    return replace(block, rows=rows)


def _shortened(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


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
    """Yield one line per item and result, tab-separated."""
    yield "\t".join(block.keys)
    for scores in block.results:
        columns = [None if column is None else column.tolist() for column in scores.columns]
        for row, identifier in enumerate(scores.ids):
            values = (cells.DASH if column is None else cells.score(column[row]) for column in columns)
            yield "\t".join((visible(scores.result), visible(identifier), *values))


def _divided(block: TableBlock, width: int) -> list[TableBlock]:
    """Return a table for each column of numbers where the table has details and is wider than the terminal."""
    if not block.detail or _width(_rich_table(block)) <= width:
        return [block]
    columns = range(block.labels, len(block.headings))
    parts = [replace(with_columns(block, [column]), notes=()) for column in columns]
    return [*parts[:-1], *(replace(part, notes=block.notes) for part in parts[-1:])]


def _rich_table(block: TableBlock) -> "RichTable":
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(block.headings):
        is_text = number < block.labels
        table.add_column(visible(heading), justify="left" if is_text else "right", no_wrap=True)
        if block.detail and not is_text:
            table.add_column(block.detail, style="dim", no_wrap=True)
    for row in _printed_once(block.rows) if block.grouped else block.rows:
        table.add_row(*_texts(block, row))
    return table


def _printed_once(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows without the first cell where the row before has the same."""
    before: str | Cell | None = None
    for row in rows:
        yield ["", *row[1:]] if row[0] == before else row
        before = row[0]


def _texts(block: TableBlock, row: Row) -> Iterator["Text"]:
    """Yield the texts of a row; details have a column of their own."""
    for number, cell in enumerate(row):
        if not block.detail or number < block.labels:
            yield _styled_cell(cell)
        else:
            value = cell if isinstance(cell, Cell) else Cell(cell)
            yield from (_styled_cell(replace(value, detail="")), _styled_cell(value.detail))


def _styled_cell(cell: str | Cell) -> "Text":
    """Return the text of a cell: the best is bold, a mark of significance is green or red."""
    from rich.text import Text

    if isinstance(cell, str):
        return Text(one_line(cell))
    parts = ((cell.value, "bold" if cell.strong else ""), (cell.mark, _COLOURS.get(cell.mark, "")), (cell.detail, ""))
    shown = [Text(one_line(text), style) for text, style in parts if text]
    return Text(" ").join(shown)


def _draw(table: "RichTable", title: str, colour: bool) -> list[str]:
    """Return the lines of a table below its title, which may be wider than the table and is not wrapped."""
    from rich.console import Console

    output = io.StringIO()
    settings = {"force_terminal": True} if colour else {"no_color": True}
    Console(file=output, width=_width(table), highlight=False, emoji=False, markup=False, **settings).print(table)  # type: ignore[arg-type]
    head = [styled(visible(title), "bold", colour)] if title else []
    return [*head, *(line.rstrip() for line in output.getvalue().splitlines())]


def styled(text: str, style: str, colour: bool) -> str:
    """Return the text in a style of the terminal: bold, dim, red, green or yellow."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style else text


def _width(table: "RichTable") -> int:
    """Return the columns of the terminal that a table needs."""
    from rich.console import Console

    return Console(width=10_000, markup=False).measure(table).maximum
