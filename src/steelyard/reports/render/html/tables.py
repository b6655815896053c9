"""The blocks of a report on its page: texts in every language, and tables as rows of headings and cells.

A text that differs between languages is markup that changes with the language of the page; one that is the same in all
is a name or a number.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final

from steelyard.i18n import LANGUAGES, Language
from steelyard.reports import cells
from steelyard.reports.blocks import (
    P_COLUMN,
    Axis,
    Block,
    Cell,
    DifferenceGroup,
    DifferenceTable,
    Dot,
    Headline,
    ItemList,
    Leaderboard,
    MetricMatrix,
    Note,
    Notes,
    Outcome,
    PageOnly,
    PageTables,
    Place,
    Row,
    TableBlock,
)
from steelyard.reports.build import all_blocks
from steelyard.reports.content import Report
from steelyard.reports.render.html.frame import word
from steelyard.reports.render.html.sanitize import sanitized

MOST_UNFOLDED: Final = 12
"""Tables that can be folded are closed where they have more rows together."""
BAR: Final = "bar-cell"
_MARKS: Final = {cells.BETTER: "good", cells.WORSE: "bad"}


@dataclass(frozen=True, slots=True)
class PageCell:
    """A heading or a cell: its text, its classes, and how many columns it spans; `share` is drawn as a bar."""

    text: str = ""
    classes: str = ""
    span: int = 1
    share: float | None = None


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page: `groups` are headings above those of the columns, if there are any."""

    block: TableBlock
    key: str
    groups: Sequence[PageCell]
    headings: Sequence[PageCell]
    rows: Sequence[Sequence[PageCell]]

    @property
    def is_text(self) -> bool:
        """Whether it has no column of numbers."""
        return self.block.text_columns >= len(self.block.headings)


@dataclass(frozen=True, slots=True)
class PageBoard:
    """A leaderboard of a page: its table, and the axis with the dots of its rows."""

    table: PageTable
    axis: Axis | None
    after: int

    @property
    def rows(self) -> list[tuple[Sequence[PageCell], Dot | None]]:
        """The rows, each with its dot."""
        dots = self.axis.dots if self.axis else [None] * len(self.table.rows)
        return list(zip(self.table.rows, dots, strict=True))


@dataclass(frozen=True, slots=True)
class PageDifference:
    """A row of that table; `tone` is good or bad where the difference is significant."""

    cells: Sequence[PageCell]
    tone: str


@dataclass(frozen=True, slots=True)
class PageDifferences:
    """The table of differences of two results: its headings, and groups of rows, the first without a title."""

    headings: Sequence[PageCell]
    groups: Sequence[tuple[str, Sequence[PageDifference]]]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The blocks of a page."""

    tables: Sequence[PageTable]
    notes: Sequence[Note]
    outcomes: Sequence[Headline]
    lists: Sequence[ItemList]
    board: PageBoard | None = None
    matrix: PageTable | None = None
    comparison: Outcome | None = None
    differences: PageDifferences | None = None

    def tables_in(self, place: Place) -> list[PageTable]:
        """The tables of a part of the page."""
        tables = ((table, table.block.page) for table in self.tables)
        return [table for table, form in tables if form and form.place == place and not form.choice]

    def tables_of(self, result: str) -> list[PageTable]:
        """The tables about one of many results; those about all of them have no name."""
        tables = ((table, table.block.page) for table in self.tables)
        return [table for table, form in tables if form and form.place == "results" and form.result == result]

    def lists_in(self, place: Place) -> list[ItemList]:
        """The lists of a part of the page."""
        return [block for block in self.lists if block.place == place]

    def notes_in(self, place: Place) -> list[Note]:
        """The notes of a part of the page, warnings last."""
        return sorted((note for note in self.notes if note.place == place), key=lambda note: note.warning)

    @property
    def choices(self) -> dict[str, list[PageTable]]:
        """The tables that a reader chooses from, by their choice."""
        choices: dict[str, list[PageTable]] = {}
        for table in self.tables:
            if table.block.page and table.block.page.choice:
                choices.setdefault(table.block.page.choice, []).append(table)
        return choices

    def choices_without(self, tags: Collection[str]) -> dict[str, list[PageTable]]:
        """The same without those of some tags."""
        return {choice: tables for choice, tables in self.choices.items() if choice not in tags}

    @property
    def is_unfolded(self) -> bool:
        """Whether tables of numbers that can be folded are open at first; those of text are closed."""
        folded = (table for table in self.tables if table.block.page and table.block.page.folded and not table.is_text)
        return sum(len(table.rows) for table in folded) <= MOST_UNFOLDED


def page_blocks(report: Report, language: Language) -> PageBlocks:
    """The blocks of a report that its page shows, with every text in every language."""
    in_languages = [list(_shown(all_blocks(report, each))) for each in LANGUAGES]
    blocks = list(zip(*in_languages, strict=True))
    tables = [texts for texts in blocks if isinstance(texts[0], TableBlock)]
    boards = [texts for texts in blocks if isinstance(texts[0], Leaderboard)]
    matrices = [texts for texts in blocks if isinstance(texts[0], MetricMatrix)]
    tabular = TableBlock | Leaderboard | MetricMatrix
    joined = [_joined(texts, language) for texts in blocks if not isinstance(texts[0], tabular)]
    notes = [note for block in joined if isinstance(block, Notes) for note in block.lines]
    return PageBlocks(
        [_page_table(texts, language, f"table-{number}") for number, texts in enumerate(tables, 1)],
        [Note(note) if isinstance(note, str) else note for note in notes],
        [block for block in joined if isinstance(block, Headline)],
        [block for block in joined if isinstance(block, ItemList)],
        next((_page_board(texts, language) for texts in boards), None),
        next((_page_table([each.table for each in texts], language, "matrix") for texts in matrices), None),
        next((block for block in joined if isinstance(block, Outcome)), None),
        next((_page_differences(block) for block in joined if isinstance(block, DifferenceTable)), None),
    )


def _page_board(texts: Sequence[Leaderboard], language: Language) -> PageBoard:
    table = _page_table([board.table for board in texts], language, "board")
    return PageBoard(table, texts[0].axis, texts[0].axis_after)


def _shown(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that have a form on a page; items and values are its data."""
    for block in blocks:
        match block:
            case PageTables():
                yield from block.tables()
            case PageOnly():
                yield from _shown(block.blocks())
            case TableBlock() if block.page is not None:
                yield block
            case ItemList() if block.on_page:
                yield block
            case Headline() | Notes() | Outcome() | DifferenceTable() | Leaderboard() | MetricMatrix():
                yield block


def _page_differences(block: DifferenceTable) -> PageDifferences:
    """The table; a part is a text, the other columns are numbers."""
    first, *others = block.headings
    classes = ["number name" if place == P_COLUMN else "number" for place in range(1, len(block.headings))]
    headings = [PageCell(block.part if block.parts else first), *map(PageCell, others, classes)]
    groups = [DifferenceGroup("", block.metrics), *block.parts]
    rows = [(group.title, [_difference_row(row) for row in group.rows]) for group in groups]
    return PageDifferences(headings, rows, block.notes)


def _difference_row(row: Row) -> PageDifference:
    name, *numbers = (cell.text if isinstance(cell, Cell) else cell for cell in row)
    marks = [cell.mark if isinstance(cell, Cell) else "" for cell in row[1:]]
    shown = [PageCell(f"{text} {mark}".rstrip(), "number") for text, mark in zip(numbers, marks, strict=True)]
    tone = next((_MARKS[mark] for mark in marks if mark in _MARKS), "")
    return PageDifference([PageCell(name, _name_class(name)), *shown], tone)


def _joined(values: Sequence[Any], language: Language) -> Any:
    """The same value in every language as one, with its texts in all of them."""
    first = values[0]
    match first:
        case str():
            texts = [sanitized(text) for text in values]
            return texts[0] if len(set(texts)) == 1 else word(language, *texts)
        case list() | tuple():
            return [_joined(parts, language) for parts in zip(*values, strict=True)]
    if not is_dataclass(first) or isinstance(first, type):
        return first
    names = [each.name for each in fields(first)]
    return replace(first, **{name: _joined([getattr(value, name) for value in values], language) for name in names})


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a block; on a page it may be several: the number, its detail, its extra and a bar.

    Columns whose parts have headings are set `apart`; where there are several, their own headings are above (`named`).
    A heading that begins with a `symbol`, such as p, keeps its small letter.
    """

    place: int
    heading: str
    is_text: bool
    apart: bool
    named: bool
    symbol: bool
    detail: bool
    extra: bool
    bar: bool


def _page_table(texts: Sequence[TableBlock], language: Language, key: str) -> PageTable:
    block: TableBlock = _joined(texts, language)
    columns = [_column(texts, block, place) for place in range(len(block.headings))]
    has_groups = any(column.named for column in columns)
    return PageTable(
        block,
        key,
        [cell for column in columns for cell in _group(column)] if has_groups else [],
        [cell for column in columns for cell in _headings(block, column)],
        [[cell for column in columns for cell in _cells(row[column.place], column)] for row in block.rows],
    )


def _column(texts: Sequence[TableBlock], block: TableBlock, place: int) -> _Column:
    is_text = place < block.text_columns
    apart = bool(block.value) and not is_text
    values = [cell for row in block.rows if isinstance(cell := row[place], Cell)]
    return _Column(
        place,
        block.headings[place],
        is_text,
        apart=apart,
        named=apart and len(block.headings) - block.text_columns > 1,
        symbol=any(len(each.headings[place].partition(" ")[0]) == 1 for each in texts),
        detail=bool(block.detail) and not is_text,
        extra=any(cell.extra for cell in values),
        bar=any(cell.share is not None for cell in values),
    )


def _group(column: _Column) -> Iterator[PageCell]:
    """The heading above those of the parts of a column."""
    if column.is_text:
        yield PageCell(classes="blank")
        return
    yield PageCell(column.heading, _classes("group", _name_class(column.heading)), 1 + column.detail + column.extra)
    if column.bar:
        yield PageCell(classes="blank")


def _headings(block: TableBlock, column: _Column) -> Iterator[PageCell]:
    if column.is_text:
        yield PageCell(column.heading, _name_class(column.heading))
        return
    heading = column.heading if not block.value else block.value
    own = "name" if column.symbol else _name_class(heading)
    yield PageCell(heading, _classes("number", "first" if column.apart else "", own))
    if column.detail:
        yield PageCell(block.detail, "number")
    if column.extra:
        yield PageCell(block.extra, _classes("number", "counts-head" if column.named else ""))
    if column.bar:
        yield PageCell(classes=BAR)


def _cells(cell: str | Cell, column: _Column) -> Iterator[PageCell]:
    if column.is_text:
        text = cell.text if isinstance(cell, Cell) else cell
        yield PageCell(text, _name_class(text))
        return
    value = cell if isinstance(cell, Cell) else Cell(cell)
    text = value.text + (f" {value.mark}" if value.mark else "")
    strong = "strong" if column.detail or column.extra or value.strong else ""
    # red and green are not legible on every shade
    colour = _MARKS.get(value.mark, "") if value.heat is None else f"heat-{value.heat}"
    yield PageCell(text, _classes("number", strong, "first" if column.apart else "", colour))
    if column.detail:
        yield PageCell(value.detail, "number muted")
    if column.extra:
        yield PageCell(value.extra, "number muted")
    if column.bar:
        yield PageCell(classes=BAR, share=value.share)


def _name_class(text: str) -> str:
    """The class of a name, which is the same in every language."""
    return "" if hasattr(text, "__html__") else "said"


def _classes(*names: str) -> str:
    return " ".join(filter(None, names))
