"""The blocks of a report on its page: texts in every language, and tables as rows of headings and cells.

A text that differs between languages is markup that changes with the language of the page; one that is the same in all
is a name or a number.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from steelyard.i18n import LANGUAGES, Language
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Axis,
    Block,
    Cell,
    Details,
    DifferenceGroup,
    DifferenceTable,
    Headline,
    ItemList,
    Leaderboard,
    ListRole,
    MetricMatrix,
    Note,
    NoteRole,
    Notes,
    Outcome,
    Row,
    Symbol,
    TableBlock,
    TableRole,
)
from steelyard.reports.content import Layout, Report
from steelyard.reports.render.html.frame import word
from steelyard.reports.render.tables import AXIS_AFTER, columns_of
from steelyard.reports.sections import report_blocks

Part = Literal["top", "metrics", "changes", "details", "results", "settings"]
"""A part of a page: before everything else, metrics, what changed, details, the tables of each of many results, or
counts and settings at its end."""


class Place(NamedTuple):
    """Where a page shows tables of a role: in which part, and `folded` where they are long.

    Of tables that are a `choice`, such as those of a tag, a reader chooses which are shown.
    """

    part: Part = "metrics"
    folded: bool = False
    choice: bool = False


PLACES: Final[Mapping[TableRole, Place]] = {
    "table": Place(),
    "means": Place(),
    "groups": Place("details", choice=True),
    "groups_compared": Place("details", choice=True),
    "differences": Place("results", folded=True),
    "differences_apart": Place("results", folded=True),
    "letters": Place("results", folded=True),
    "within": Place(),
    "within_compared": Place("details"),
    "risk": Place("settings", folded=True),
    "refusals": Place(),
    "refusals_compared": Place("changes"),
    "uncertain": Place(),
    "unscored": Place("details", folded=True),
    "published": Place("details"),
    "decided": Place("details"),
    "judged": Place(),
    "coverage": Place("details"),
    "settings": Place("settings"),
    "kind": Place(),
}
"""Where a page shows the tables of each role; it does not show the others."""
_OF_TWO: Final[Mapping[TableRole, Place | None]] = {
    "means": Place("settings"),  # they are in the table of differences
    "means_compared": Place("settings"),
    "differences": Place("settings", folded=True),
    "groups": None,
}
_OF_MANY: Final[Mapping[TableRole, Place | None]] = {"unscored": Place("results", folded=True)}
_IN_LAYOUTS: Final[Mapping[Layout, Mapping[TableRole, Place | None]]] = {
    "two": _OF_TWO,
    "changes": _OF_TWO,
    "many": _OF_MANY,
    "brief": _OF_MANY,
}
"""The places that are others in a layout; None where it does not show the tables."""
LISTS: Final[Mapping[ListRole, Part]] = {"list": "metrics", "most_changed": "changes", "kind": "metrics"}
NOTES: Final[Mapping[NoteRole, Part]] = {
    "alert": "top",
    "warning": "metrics",
    "finding": "metrics",
    "count": "settings",
    "signature": "settings",
}
P_COLUMN: Final = 5
"""The column of a table of differences with the p-values, whose heading is a symbol."""
_EXTRA_AT: Final = 2
"""Groups begin with their value and their number; the metric with an interval is the next column."""
MOST_UNFOLDED: Final = 12
"""Tables that can be folded are closed where they have more rows together."""
_NAMED: Final[frozenset[TableRole]] = frozenset(("refusals", "uncertain", "coverage", "judged", "published", "kind"))
"""Roles of tables whose titles begin with the name of a result."""
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
    place: Place
    key: str
    groups: Sequence[PageCell]
    headings: Sequence[PageCell]
    rows: Sequence[Sequence[PageCell]]

    @property
    def is_named(self) -> bool:
        """Whether its title begins with the name of a result, which is not written with a capital."""
        return self.block.role in _NAMED

    @property
    def is_text(self) -> bool:
        """Whether it has no column of numbers."""
        return self.block.labels >= len(self.block.headings)


@dataclass(frozen=True, slots=True)
class PageDifferences:
    """The table of differences of two results: its headings, and groups of rows, the first without a title.

    Each row has a tone before its cells, good or bad where the difference is significant.
    """

    headings: Sequence[PageCell]
    groups: Sequence[tuple[str, Sequence[tuple[str, Sequence[PageCell]]]]]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The blocks of a page; `axis` has the dots of the rows of a board, and follows its column `axis_after`."""

    tables: Sequence[PageTable]
    notes: Sequence[Note]
    outcomes: Sequence[Headline]
    lists: Sequence[ItemList]
    board: PageTable | None = None
    axis: Axis | None = None
    matrix: PageTable | None = None
    comparison: Outcome | None = None
    differences: PageDifferences | None = None
    axis_after: int = AXIS_AFTER

    def tables_in(self, part: Part) -> list[PageTable]:
        """Return the tables of a part of the page."""
        return [table for table in self.tables if table.place.part == part and not table.place.choice]

    def tables_of(self, result: str) -> list[PageTable]:
        """Return the tables about one of many results; those about all of them have no name."""
        return [table for table in self.tables_in("results") if table.block.about == result]

    def lists_in(self, part: Part) -> list[ItemList]:
        """Return the lists of a part of the page."""
        return [block for block in self.lists if LISTS[block.role] == part]

    def notes_in(self, part: Part) -> list[Note]:
        """Return the notes of a part of the page, warnings last."""
        return sorted((note for note in self.notes if NOTES.get(note.role) == part), key=lambda note: note.is_warning)

    @property
    def choices(self) -> dict[str, list[PageTable]]:
        """The tables that a reader chooses from, by their choice."""
        choices: dict[str, list[PageTable]] = {}
        for table in self.tables:
            if table.place.choice:
                choices.setdefault(table.block.about, []).append(table)
        return choices

    def choices_without(self, tags: Collection[str]) -> dict[str, list[PageTable]]:
        """Return the same without those of some tags."""
        return {choice: tables for choice, tables in self.choices.items() if choice not in tags}

    @property
    def is_unfolded(self) -> bool:
        """Whether tables of numbers that can be folded are open at first; those of text are closed."""
        folded = (table for table in self.tables if table.place.folded and not table.is_text)
        return sum(len(table.rows) for table in folded) <= MOST_UNFOLDED


def page_blocks(report: Report, language: Language, *, kind_shown: bool = True) -> PageBlocks:
    """Return the blocks of a report that its page shows, with every text in every language.

    Blocks of a kind that has a part of its own on the page are not `kind_shown`.
    """
    places: dict[TableRole, Place | None] = {**PLACES, **_IN_LAYOUTS.get(report.layout, {})}
    lists: set[ListRole] = {*LISTS}
    if not kind_shown:
        places["kind"] = None
        lists.remove("kind")
    in_languages = [list(_shown(report_blocks(report, each), places, lists)) for each in LANGUAGES]
    blocks = list(zip(*in_languages, strict=True))
    tables = [texts for texts in blocks if isinstance(texts[0], TableBlock)]
    boards = [texts for texts in blocks if isinstance(texts[0], Leaderboard)]
    matrices = [texts for texts in blocks if isinstance(texts[0], MetricMatrix)]
    tabular = TableBlock | Leaderboard | MetricMatrix
    joined = [_joined(texts, language) for texts in blocks if not isinstance(texts[0], tabular)]
    notes = [note for block in joined if isinstance(block, Notes) for note in block.lines]
    return PageBlocks(
        [
            _page_table(texts, language, f"table-{number}", places[texts[0].role] or Place())
            for number, texts in enumerate(tables, 1)
        ],
        [Note(note) if isinstance(note, str) else note for note in notes],
        [block for block in joined if isinstance(block, Headline)],
        [block for block in joined if isinstance(block, ItemList)],
        next((_page_table([each.table for each in texts], language, "board") for texts in boards), None),
        next((texts[0].axis for texts in boards), None),
        next((_page_table([each.table for each in texts], language, "matrix") for texts in matrices), None),
        next((block for block in joined if isinstance(block, Outcome)), None),
        next((_page_differences(block) for block in joined if isinstance(block, DifferenceTable)), None),
    )


def _shown(
    blocks: Iterable[Block], places: Mapping[TableRole, Place | None], lists: Collection[ListRole]
) -> Iterator[Block]:
    """Yield the blocks that have a form on a page; items and values are its data."""
    for block in blocks:
        match block:
            case Details():
                yield from _shown(block.blocks(), places, lists)
            case TableBlock() if places.get(block.role):
                yield block
            case ItemList() if block.role in lists:
                yield block
            case Headline() | Notes() | Outcome() | DifferenceTable() | Leaderboard() | MetricMatrix():
                yield block


def _page_differences(block: DifferenceTable) -> PageDifferences:
    """Return the table; a part is a text, the other columns are numbers."""
    first, *others = block.headings
    classes = ["number name" if place == P_COLUMN else "number" for place in range(1, len(block.headings))]
    headings = [PageCell(block.part if block.parts else first), *map(PageCell, others, classes)]
    groups = [DifferenceGroup("", block.metrics), *block.parts]
    rows = [(group.title, [_difference_row(row) for row in group.rows]) for group in groups]
    return PageDifferences(headings, rows, block.notes)


def _difference_row(row: Row) -> tuple[str, list[PageCell]]:
    name, *numbers = (cell.value if isinstance(cell, Cell) else cell for cell in row)
    marks = [cell.mark if isinstance(cell, Cell) else "" for cell in row[1:]]
    shown = [PageCell(f"{text} {mark}".rstrip(), "number") for text, mark in zip(numbers, marks, strict=True)]
    tone = next((_MARKS[mark] for mark in marks if mark in _MARKS), "")
    return tone, [PageCell(name, _name_class(name)), *shown]


def _joined(values: Sequence[Any], language: Language) -> Any:
    """Return the same value in every language as one, with its texts in all of them."""
    first = values[0]
    match first:
        case str():
            return first if len(set(values)) == 1 else word(language, *values)
        case list() | tuple():
            return [_joined(parts, language) for parts in zip(*values, strict=True)]
    if not is_dataclass(first) or isinstance(first, type):
        return first
    names = [each.name for each in fields(first)]
    return replace(first, **{name: _joined([getattr(value, name) for value in values], language) for name in names})


class _Column(NamedTuple):
    """A column of a page: its heading, and what it has for a cell of the block."""

    heading: PageCell
    cell: Callable[[Cell], PageCell]


def _page_table(
    texts: Sequence[TableBlock],
    language: Language,
    key: str,
    place: Place = Place(),  # noqa: B008 - a constant
) -> PageTable:
    texts = [_extra_first(each) if each.role == "groups" else each for each in texts]
    block: TableBlock = _joined(texts, language)
    columns = [_columns(texts, block, number) for number in range(len(block.headings))]
    has_groups = block.main and len(block.headings) - block.labels > 1
    rows = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in block.rows]
    return PageTable(
        block,
        place,
        key,
        [cell for number in range(len(columns)) for cell in _group(block, number, columns[number])]
        if has_groups
        else [],
        [column.heading for of_block in columns for column in of_block],
        [
            [column.cell(cell) for cell, of_block in zip(row, columns, strict=True) for column in of_block]
            for row in rows
        ],
    )


def _extra_first(block: TableBlock) -> TableBlock:
    """Return a table of groups with the metric that has an interval before the others."""
    columns = range(len(block.headings))
    extra = [column for column in columns if any(isinstance(row[column], Cell) for row in block.rows)]
    others = [column for column in columns if column not in extra]
    return columns_of(block, [*others[:_EXTRA_AT], *extra, *others[_EXTRA_AT:]])


def _columns(texts: Sequence[TableBlock], block: TableBlock, number: int) -> list[_Column]:
    """Return the columns of a page for one of a block: texts; or numbers, their details, further numbers and bars."""
    heading = block.headings[number]
    if number < block.labels:
        return [
            _Column(PageCell(heading, _name_class(heading)), lambda cell: PageCell(cell.value, _name_class(cell.value)))
        ]
    values = [cell for row in block.rows if isinstance(cell := row[number], Cell)]
    has_extra = any(cell.extra for cell in values)
    first, title = "first" if block.main else "", block.main or heading
    is_symbol = isinstance(texts[0].headings[number], Symbol)
    classes = _classes("number", first, "name" if is_symbol else _name_class(title))
    number_cell = partial(_number_cell, first=first, strong=bool(block.detail) or has_extra)
    columns = [_Column(PageCell(title, classes), number_cell)]
    if block.detail:
        columns.append(_Column(PageCell(block.detail, "number"), lambda cell: PageCell(cell.detail, "number muted")))
    if has_extra:
        is_one = not block.main or len(block.headings) - block.labels == 1
        extra = PageCell(block.extra, _classes("number", "" if is_one else "counts-head"))
        columns.append(_Column(extra, lambda cell: PageCell(cell.extra, "number muted")))
    if any(cell.share is not None for cell in values):
        columns.append(_Column(PageCell(classes=BAR), lambda cell: PageCell(classes=BAR, share=cell.share)))
    return columns


def _number_cell(cell: Cell, *, first: str, strong: bool) -> PageCell:
    text = cell.value + (f" {cell.mark}" if cell.mark else "")
    # red and green are not legible on every shade
    colour = _MARKS.get(cell.mark, "") if cell.heat is None else f"heat-{cell.heat}"
    return PageCell(text, _classes("number", "strong" if strong or cell.strong else "", first, colour))


def _group(block: TableBlock, number: int, columns: Sequence[_Column]) -> Iterator[PageCell]:
    """Yield the heading above those of the columns of a page for one of a block; texts and bars have none."""
    heading = block.headings[number]
    named = 0 if number < block.labels else sum(column.heading.classes != BAR for column in columns)
    if named:
        yield PageCell(heading, _classes("group", _name_class(heading)), named)
    if named < len(columns):
        yield PageCell(classes="blank")


def _name_class(text: str) -> str:
    """Return the class of a name, which is the same in every language."""
    return "" if hasattr(text, "__html__") else "said"


def _classes(*names: str) -> str:
    return " ".join(filter(None, names))
