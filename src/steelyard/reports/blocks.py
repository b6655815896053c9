"""Blocks: what a report consists of, in a language but in no format.

A content builder (`build`, `comparison`, `gate`, `agreement`) makes a list of blocks; each renderer in `render` writes
the blocks that its format has a form for. Numbers in tables are formatted as text (`cells`), because they look the same
in every format; item scores, records and fields are values. A page has room for more than a text: a block says what
only pages show (`printed`, `Cell.extra`, `PageTables`), and where on a page it stands (`PageForm`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from steelyard.table import FloatArray

Place = Literal["top", "metrics", "details", "settings"]
"""A part of a page: before everything else, the tables of metrics, the details, or counts and settings at its end."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with the mark that qualifies it, such as a mark of significance, and a detail, such as an interval.

    Only pages show `extra`, in a column of its own, and `share`, a number between 0 and 1, as a bar.
    """

    text: str
    mark: str = ""
    detail: str = ""
    extra: str = ""
    share: float | None = None

    def __str__(self) -> str:
        """The parts that are there, in one line."""
        return " ".join(filter(None, (self.text, self.mark, self.detail)))


Row = Sequence[str | Cell]
"""A row of a table."""


@dataclass(frozen=True, slots=True)
class PageForm:
    """How a page shows a table: in which part, and `folded` where it and others like it are long.

    Of tables with a `choice`, such as the name of a tag, a reader chooses which are shown.
    """

    place: Place = "metrics"
    folded: bool = False
    choice: str = ""


IN_METRICS = PageForm()
"""A table below that of the means, which is where a page shows tables that do not say otherwise."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table. The first `text_columns` columns hold text, the others numbers.

    `detail` is the heading of the details of its cells, where they have some. `notes` are printed below the table.
    A `grouped` table has rows in groups with the same first cell, which a terminal prints once a group. Tables that
    are not `in_papers` are left out of LaTeX.

    Text has the columns `printed`, in this order, or all. `page` is how a page shows the table, None if it does not;
    `extra` is the heading of what only pages show of the cells, and `value` that of the numbers beside it.
    """

    headings: Sequence[str]
    rows: Sequence[Row]
    title: str = ""
    text_columns: int = 1
    detail: str = ""
    notes: Sequence[str] = ()
    grouped: bool = False
    in_papers: bool = True
    printed: Sequence[int] | None = None
    page: PageForm | None = IN_METRICS
    value: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True)
class PageTables:
    """Tables that only pages have room for; `tables` is called by pages only."""

    tables: Callable[[], Iterable[TableBlock]]


@dataclass(frozen=True, slots=True)
class Headline:
    """The outcome in one line, with warnings that must not be overlooked."""

    text: str
    passed: bool
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A line of text that a page shows in this part, or as a warning."""

    text: str
    place: Place = "metrics"
    warning: bool = False

    def __str__(self) -> str:
        """The text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of text, such as counts, methods and signatures."""

    lines: Sequence[str | Note]

    @property
    def texts(self) -> list[str]:
        """The lines without what only pages need."""
        return [str(line) for line in self.lines]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An entry of a list: its parts in one line, and a note below it."""

    parts: Sequence[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of items below its title; `lead` are lines of text before the title. Pages show it if `on_page`."""

    title: str
    items: Sequence[ListItem]
    lead: Sequence[str] = ()
    numbered: bool = False
    on_page: bool = True


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


Block = TableBlock | PageTables | Headline | Notes | ItemList | ItemScores | Records | Fields | CheckSuite


def printed(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks of formats of text: without tables and columns that only pages have room for."""
    for block in blocks:
        match block:
            case PageTables():
                pass
            case TableBlock():
                yield _printed(block)
            case _:
                yield block


def _printed(block: TableBlock) -> TableBlock:
    if block.printed is None:
        return block
    rows = [[row[column] for column in block.printed] for row in block.rows]
    return replace(block, headings=[block.headings[column] for column in block.printed], rows=rows, printed=None)
