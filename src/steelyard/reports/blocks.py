"""Blocks: what a report consists of, in a language but in no format.

A content builder (`build`, `comparison`, `gate`, `agreement`) makes a list of blocks; each renderer in `render` writes
the blocks that its format has a form for. Numbers in tables are formatted as text (`cells`), because they look the same
in every format; item scores, records and fields are values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from steelyard.table import FloatArray


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with the mark that qualifies it, such as a mark of significance, and a detail, such as an interval."""

    text: str
    mark: str = ""
    detail: str = ""

    def __str__(self) -> str:
        """The parts that are there, in one line."""
        return " ".join(filter(None, (self.text, self.mark, self.detail)))


Row = Sequence[str | Cell]
"""A row of a table."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table. The first `text_columns` columns hold text, the others numbers.

    `detail` is the heading of the details of its cells, where they have some. `notes` are printed below the table.
    A `grouped` table has rows in groups with the same first cell, which a terminal prints once a group. Tables that
    are not `in_papers` are left out of LaTeX.
    """

    headings: Sequence[str]
    rows: Sequence[Row]
    title: str = ""
    text_columns: int = 1
    detail: str = ""
    notes: Sequence[str] = ()
    grouped: bool = False
    in_papers: bool = True


@dataclass(frozen=True, slots=True)
class Headline:
    """The outcome in one line, with warnings that must not be overlooked."""

    text: str
    passed: bool
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of text, such as counts, methods and signatures."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An entry of a list: its parts in one line, and a note below it."""

    parts: Sequence[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of items below its title; `lead` are lines of text before the title."""

    title: str
    items: Sequence[ListItem]
    lead: Sequence[str] = ()
    numbered: bool = False


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
    verdict: str
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


Block = TableBlock | Headline | Notes | ItemList | ItemScores | Records | Fields | CheckSuite


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page in every language; `note` is the code of a text below the tables."""

    by_language: Mapping[str, TableBlock]
    note: str = ""

    @property
    def headings(self) -> list[tuple[str, ...]]:
        """The headings, each in every language."""
        return list(zip(*(table.headings for table in self.by_language.values()), strict=True))

    @property
    def title(self) -> tuple[str, ...]:
        """The title in every language."""
        return tuple(table.title for table in self.by_language.values())
