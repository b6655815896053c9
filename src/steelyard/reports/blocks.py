"""Blocks: what a report consists of, in a language but in no format.

A content builder (`build`, `comparison`, `gate`, `agreement`) makes a list of blocks; each renderer in `render` writes
the blocks that its format has a form for. Numbers in tables are formatted as text (`cells`), because they look the same
in every format; item scores, records and fields are values. A page has room for more than a text: a block says what
only pages show (`printed`, `Cell.extra`, `PageTables`), and where on a page it stands (`PageForm`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from steelyard.table import FloatArray

HEATS: Final = 6
"""The number of shades of cells."""
Place = Literal["top", "metrics", "changes", "details", "results", "settings"]
"""A part of a page: before everything else, metrics, what changed, details, the tables of each of many results, or
counts and settings at its end."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with the mark that qualifies it, such as a mark of significance, and a detail, such as an interval.

    Only pages show `extra`, in a column of its own, and `share`, a number between 0 and 1, as a bar. A `strong` cell is
    the best of its column. `heat` is a shade of a page from 0 to `HEATS`, the more the better.
    """

    text: str
    mark: str = ""
    detail: str = ""
    extra: str = ""
    share: float | None = None
    strong: bool = False
    heat: int | None = None

    def __str__(self) -> str:
        """The parts that are there, in one line."""
        return " ".join(filter(None, (self.text, self.mark, self.detail)))


Row = Sequence[str | Cell]
"""A row of a table."""


@dataclass(frozen=True, slots=True)
class PageForm:
    """How a page shows a table: in which part, and `folded` where it and others like it are long.

    Of tables with a `choice`, such as the name of a tag, a reader chooses which are shown. `result` is the name of the
    result that a table in `results` is about.
    """

    place: Place = "metrics"
    folded: bool = False
    choice: str = ""
    result: str = ""


IN_METRICS = PageForm()
"""A table below that of the means, which is where a page shows tables that do not say otherwise."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table. The first `text_columns` columns hold text, the others numbers.

    `detail` is the heading of the details of its cells, where they have some. `notes` are printed below the table.
    A `grouped` table has rows in groups with the same first cell, which a terminal prints once a group. Tables that
    are not `in_papers` are left out of LaTeX, those that are not `in_text` of the terminal and of Markdown.

    Text has the columns `printed`, in this order, or all. `page` is how a page shows the table, None if it does not;
    `extra` is the heading of what only pages show of the cells, and `value` that of the numbers beside it.
    `families` are numbers of columns that stay together where a table is divided. With a `caption`, LaTeX has the table
    as a float with a label.
    """

    headings: Sequence[str]
    rows: Sequence[Row]
    title: str = ""
    text_columns: int = 1
    detail: str = ""
    notes: Sequence[str] = ()
    grouped: bool = False
    in_papers: bool = True
    in_text: bool = True
    printed: Sequence[int] | None = None
    page: PageForm | None = IN_METRICS
    value: str = ""
    extra: str = ""
    families: Sequence[Sequence[int]] = ()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean with its interval, as places from 0 to 1 on an axis; no interval where it is not known."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that the dots of all rows share: the texts of its ends, a dot for each row, and the place of a line."""

    low: str
    high: str
    dots: Sequence[Dot | None]
    line: float | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Results by the metric of the headline, best first.

    `table` has a row for each; where there is room, the columns of `others`, the means of other metrics, follow its
    own, and the `axis` follows the column `axis_after`. A terminal without room leaves out columns, those that are
    `wide`, which papers do not have, before the axis, and those that are `optional` after it. `paper` is the table for
    papers of a single metric; several have a MetricMatrix.
    """

    table: TableBlock
    others: TableBlock
    axis: Axis | None = None
    axis_after: int = 2
    wide: Sequence[int] = ()
    optional: Sequence[int] = ()
    paper: TableBlock | None = None

    @property
    def whole(self) -> TableBlock:
        """The table with the columns of the other metrics."""
        others = self.others
        rows = [[*row, *other[others.text_columns :]] for row, other in zip(self.table.rows, others.rows, strict=True)]
        return replace(self.table, headings=[*self.table.headings, *others.headings[others.text_columns :]], rows=rows)

    @property
    def is_small(self) -> bool:
        """Whether the other metrics are few enough to follow in the same table."""
        return len(self.others.headings) - self.others.text_columns <= MOST_BESIDE


MOST_BESIDE: Final = 6
"""So many other metrics follow in the same row of a leaderboard, if there is room; more are a table of their own."""


@dataclass(frozen=True, slots=True)
class MetricMatrix:
    """The means of every metric, a row for each result of the board: for formats in which the board is not whole.

    `paper` is the table for papers, in which every mean has the letters of its metric.
    """

    table: TableBlock
    board: Leaderboard
    paper: TableBlock


@dataclass(frozen=True, slots=True)
class PageTables:
    """Tables that only pages have room for; `tables` is called by pages only."""

    tables: Callable[[], Iterable[TableBlock]]


@dataclass(frozen=True, slots=True)
class DifferenceGroup:
    """Rows of a table of differences that are about the same items, under a title."""

    title: str
    rows: Sequence[Row]


P_COLUMN = 5
"""The column of a table of differences with the p-values, whose heading is a symbol."""
PARTS_PRINTED = (0, 1, 2, 3, P_COLUMN)
"""The columns of a table of differences that text has of parts."""


@dataclass(frozen=True, slots=True)
class DifferenceTable:
    """How two results differ: a row per metric, then groups of parts of the scores, on a page all in one table.

    Text has the parts in a second table below `title`, whose first column is called `part`.
    """

    headings: Sequence[str]
    metrics: Sequence[Row]
    parts: Sequence[DifferenceGroup] = ()
    title: str = ""
    part: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one result compares with another: how many items are better, worse and the same in the main metric.

    `verdict` are the sentences that say what follows, each with the metric before it, and `sentences` the same without
    it, for pages, which have the `name` of the metric beside them. `tone` is whether they are good, bad or neither;
    `before` and `after` are the means, and `line` is title, metric and means. Of a metric that is not `directed` better
    is higher and worse is lower.
    """

    title: str
    metric: str
    name: str
    counts: str
    verdict: Sequence[str]
    sentences: Sequence[str]
    tone: Literal["good", "bad", "even"]
    better: int
    worse: int
    same: int
    directed: bool
    before: str
    after: str
    line: str


@dataclass(frozen=True, slots=True)
class PageOnly:
    """Blocks that only pages show; `blocks` is called by pages only."""

    blocks: Callable[[], "Iterable[Block]"]


@dataclass(frozen=True, slots=True)
class Headline:
    """The outcome in one line, with warnings that must not be overlooked."""

    text: str
    passed: bool
    warnings: Sequence[str] = ()


WARNING: Final = "⚠"


@dataclass(frozen=True, slots=True)
class Note:
    """A line of text that a page shows in this part, or as a warning; a terminal dims a `quiet` one.

    Pages do not show one without a place.
    """

    text: str
    place: Place | None = "metrics"
    warning: bool = False
    quiet: bool = False

    def __str__(self) -> str:
        """The text; that of a warning begins with a sign."""
        is_signed = self.text.startswith(WARNING)  # texts about failures have the sign in every format
        return f"{WARNING} {self.text}" if self.warning and not is_signed else self.text


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of text, such as counts, methods and signatures."""

    lines: Sequence[str | Note]

    @property
    def texts(self) -> list[str]:
        """The lines without what only pages need."""
        return [str(line) for line in self.lines]

    @property
    def alerts(self) -> list[str]:
        """The lines that stand before everything else."""
        return [line.text for line in self.lines if isinstance(line, Note) and line.place == "top"]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An entry of a list: its parts in one line, and a note below it.

    A page links to the item with the id `item`, has texts `below` that, such as the description of a topic, and
    `sides`, what explains each of two results, instead of the note.
    """

    parts: Sequence[str]
    note: str = ""
    item: str = ""
    sides: Sequence[str] = ()
    below: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of items below its title; `lead` are lines of text before the title, `more` is one after the items.

    Pages show it if `on_page`, in the part `place`.
    """

    title: str
    items: Sequence[ListItem]
    lead: Sequence[str] = ()
    numbered: bool = False
    on_page: bool = True
    more: str = ""
    place: Place = "metrics"


@dataclass(frozen=True, slots=True)
class ResultScores:
    """The scores of the items of one result, a column per metric; None for a metric that the result does not have."""

    result: str
    ids: Sequence[str]
    columns: Sequence[FloatArray | None]


@dataclass(frozen=True, slots=True)
class ItemScores:
    """The scores of every item of every result, under their headings in the language of the report and in files."""

    headings: Sequence[str]
    keys: Sequence[str]
    results: Sequence[ResultScores]


@dataclass(frozen=True, slots=True)
class Records:
    """A table of values for programs, by column."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields of JSON output: of the whole report, or of the result with this index. `values` is called by JSON only."""

    values: Callable[[], Mapping[str, Any]]
    result: int | None = None


@dataclass(frozen=True, slots=True)
class CheckCase:
    """A rule as a test case: `reason` in one line, `details` below it where it failed."""

    name: str
    status: Literal["passed", "failed", "skipped"]
    outcome: str
    reason: str
    output: str
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """Test cases for a CI server, with properties of the run and lines of output."""

    name: str
    classname: str
    properties: Mapping[str, str]
    cases: Sequence[CheckCase]
    output: Sequence[str]


Block = (
    TableBlock
    | DifferenceTable
    | Leaderboard
    | MetricMatrix
    | PageTables
    | PageOnly
    | Outcome
    | Headline
    | Notes
    | ItemList
    | ItemScores
    | Records
    | Fields
    | CheckSuite
)


def printed(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks of formats of text: without tables and columns that only pages have room for."""
    for block in blocks:
        match block:
            case PageTables() | PageOnly():
                pass
            case TableBlock():
                yield _printed(block)
            case DifferenceTable():
                yield from _as_tables(block)
            case Outcome():
                yield ItemList("", (), [block.line, *block.verdict, block.counts])
            case _:
                yield block


def _printed(block: TableBlock) -> TableBlock:
    if block.printed is None:
        return block
    rows = [[row[column] for column in block.printed] for row in block.rows]
    return replace(block, headings=[block.headings[column] for column in block.printed], rows=rows, printed=None)


def divided(block: TableBlock, fits: Callable[[TableBlock], bool]) -> list[TableBlock]:
    """The table, or if it does not fit, several with its texts and as many columns of numbers as fit.

    A family of columns is divided only where it does not fit by itself. The first has the title, the last the notes.
    """
    if fits(block):
        return [block]
    parts: list[list[int]] = [[]]
    for columns in _units(block, fits):
        if parts[-1] and not fits(with_columns(block, [*parts[-1], *columns])):
            parts.append([])
        parts[-1].extend(columns)
    tables = [with_columns(block, columns) for columns in parts]
    titled = [replace(tables[0], notes=()), *(replace(table, title="", notes=()) for table in tables[1:])]
    return [*titled[:-1], replace(titled[-1], notes=block.notes)]


def _units(block: TableBlock, fits: Callable[[TableBlock], bool]) -> Iterator[Sequence[int]]:
    """The columns that are not divided: families that fit, and single columns."""
    for family in block.families or [range(block.text_columns, len(block.headings))]:
        if fits(with_columns(block, family)):
            yield family
        else:
            yield from ([column] for column in family)


def without_columns(block: TableBlock, columns: Sequence[int]) -> TableBlock:
    """The table without some of its columns."""
    kept = [column for column in range(len(block.headings)) if column not in columns]
    texts = sum(column < block.text_columns for column in kept)
    rows = [[row[column] for column in kept] for row in block.rows]
    return replace(block, headings=[block.headings[column] for column in kept], rows=rows, text_columns=texts)


def for_paper(block: Leaderboard | MetricMatrix, most: int) -> Iterator[TableBlock]:
    """The tables of a board for formats without a width: of at most so many columns, and without wide ones."""
    match block:
        case Leaderboard():
            yield without_columns(block.table, block.wide)
        case MetricMatrix():
            yield from divided(block.paper, lambda table: len(table.headings) <= most)


def with_columns(block: TableBlock, columns: Sequence[int]) -> TableBlock:
    """The table with its texts and these columns of numbers."""
    kept = [*range(block.text_columns), *columns]
    rows = [[row[column] for column in kept] for row in block.rows]
    return replace(block, headings=[block.headings[column] for column in kept], rows=rows, families=())


def _as_tables(block: DifferenceTable) -> Iterator[TableBlock]:
    """The metrics, and the parts of scores where there are some: each group below its title, in fewer columns."""
    yield TableBlock(block.headings, block.metrics, in_papers=False)
    if block.parts:
        headings = [block.part, *(block.headings[column] for column in PARTS_PRINTED[1:])]
        rows = [row for group in block.parts for row in _group_rows(group, len(headings))]
        yield TableBlock(headings, rows, block.title, notes=block.notes, in_papers=False)


def _group_rows(group: DifferenceGroup, columns: int) -> Iterator[Row]:
    yield [group.title, *[""] * (columns - 1)]
    for row in group.rows:
        yield [f"· {row[0]}", *(row[column] for column in PARTS_PRINTED[1:])]
