"""Blocks: what a report consists of, in a language but in no format.

Content builders (`build`, `comparison`, `gate`, `agreement`) make a list of blocks; a renderer in `render` writes those
that its format has a form for. A section says what a block is: a table, a list and a note have a role, and every
renderer has a small map from roles to what it does with them. Numbers in tables are formatted (`cells`), because they
look the same everywhere; item scores, records and fields are values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from steelyard.table import FloatArray

HEATS: Final = 6
"""The number of shades of cells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with the mark that qualifies it, such as a mark of significance, and a detail, such as an interval.

    `extra` is a further number about the same, `share` the value where a bar can show it, between 0 and 1. A `strong`
    cell is the best of its column. `heat` is a shade from 0 to `HEATS`, the more the better.
    """

    value: str
    mark: str = ""
    detail: str = ""
    extra: str = ""
    share: float | None = None
    strong: bool = False
    heat: int | None = None

    def __str__(self) -> str:
        """Return the parts that are there, in one line."""
        return " ".join(filter(None, (self.value, self.mark, self.detail)))


class Symbol(str):
    """A heading that begins with a symbol, such as p, which is not written with a capital."""

    __slots__ = ()


Row = Sequence[str | Cell]
"""A row of a table."""
TableRole = Literal[
    "table",  # anything that is not one of the following
    "means",  # the means of every metric
    "means_compared",  # the same beside a table of differences
    "groups",  # the means by a tag
    "groups_compared",  # before and after by a tag, in the metric of the headline
    "differences",  # every number of a comparison, metric by metric
    "differences_apart",  # the same where its means are not those of the leaderboard
    "tests",  # the tests of a comparison in full
    "effects",  # effect sizes, and how many items are better and worse
    "within",  # differences within each value of a tag, of many results
    "within_compared",  # the same of two results
    "changed_items",  # the scores of changed items
    "letters",  # the letters of every metric
    "risk",
    "refusals",
    "refusals_compared",
    "uncertain",
    "unscored",
    "published",  # published scores beside the same answers as read
    "decided",
    "judged",  # what may be believed of a judged metric
    "coverage",  # wrong verdicts by the share of verdicts that are left
    "settings",  # what was counted, and settings
    "kind",  # what only one kind of results has
]
ListRole = Literal["list", "changed", "most_changed", "kind"]
"""Changed items are listed in every metric that is asked for (`changed`), or in the main one (`most_changed`)."""
NoteRole = Literal["alert", "warning", "finding", "count", "signature", "hint"]
WARNINGS: Final[tuple[NoteRole, ...]] = ("alert", "warning")
"""The roles of notes that warn."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table: what it is, its headings and its rows. The first `labels` columns are names, the others numbers.

    `about` is the result that the table is about, or the tag of groups. `main`, `detail` and `extra` are the headings
    of the parts of its cells, where they have some. A `grouped` table has rows in groups with the same first cell.
    `families` are numbers of columns that stay together where a table is divided. `notes` follow the table; a `caption`
    describes it by itself.
    """

    headings: Sequence[str]
    rows: Sequence[Row]
    title: str = ""
    role: TableRole = "table"
    labels: int = 1
    about: str = ""
    main: str = ""
    detail: str = ""
    extra: str = ""
    notes: Sequence[str] = ()
    grouped: bool = False
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
    """An axis that the dots of all rows share: its ends, a dot for each row, and the place of a line."""

    low: str
    high: str
    dots: Sequence[Dot | None]
    line: float | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Results by the metric of the headline, best first: `table` has a row for each, `others` the other metrics.

    Columns of the table are rank, name, mean, interval, then the difference from the first result with its interval and
    p, letters if there are some, and how many items are better, the same and worse. `axis` shows the means. `lettered`
    are the means of a single metric with its letters; several have a MetricMatrix.
    """

    table: TableBlock
    others: TableBlock
    axis: Axis | None = None
    lettered: TableBlock | None = None

    @property
    def whole(self) -> TableBlock:
        """The table with the columns of the other metrics."""
        others = self.others
        rows = [[*row, *other[others.labels :]] for row, other in zip(self.table.rows, others.rows, strict=True)]
        return replace(self.table, headings=[*self.table.headings, *others.headings[others.labels :]], rows=rows)


@dataclass(frozen=True, slots=True)
class MetricMatrix:
    """The means of every metric, a row for each result of the board; `lettered` has the letters of every metric."""

    table: TableBlock
    board: Leaderboard
    lettered: TableBlock


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that a format without room for them leaves out; `blocks` is called by the others only."""

    blocks: "Callable[[], Iterable[Block]]"


@dataclass(frozen=True, slots=True)
class DifferenceGroup:
    """Rows of a table of differences that are about the same items, under a title."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class DifferenceTable:
    """How two results differ: a row per metric, then groups of parts of the scores.

    Parts that stand apart have their own `title`, and a first column called `part`.
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

    `name` is that of the metric, `before` and `after` are the means, and `sentences` say what follows; `tone` is
    whether that is good, bad or neither. `lines` are all of it by itself. Of a metric that is not `directed` better is
    higher and worse is lower.
    """

    title: str
    metric: str
    name: str
    sentences: Sequence[str]
    lines: Sequence[str]
    tone: Literal["good", "bad", "even"]
    better: int
    worse: int
    same: int
    directed: bool
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Headline:
    """The outcome in one line, with warnings that must not be overlooked."""

    message: str
    passed: bool
    warnings: Sequence[str] = ()


WARNING: Final = "⚠"
"""The sign before a warning."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line of prose. An alert stands before everything else; a hint says how to see more.

    One that is `named` begins with the name of a result or a metric, which is not written with a capital.
    """

    message: str
    role: NoteRole = "finding"
    named: bool = False

    @property
    def is_warning(self) -> bool:
        """Whether it warns."""
        return self.role in WARNINGS


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of prose, such as counts, methods and signatures."""

    lines: Sequence[str | Note]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An entry of a list: its parts in one line, and a note below it.

    Where there is room, `sides`, what explains each of two results, replace the note, and further lines stand `below`,
    such as the description of a topic. `item` is the id.
    """

    parts: Sequence[str]
    note: str = ""
    item: str = ""
    sides: Sequence[str] = ()
    below: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of items below its title; `lead` are lines before the title, `more` is one after the items."""

    title: str
    items: Sequence[ListItem]
    lead: Sequence[str] = ()
    role: ListRole = "list"
    numbered: bool = False
    more: str = ""


@dataclass(frozen=True, slots=True)
class ResultScores:
    """The scores of the items of one result, a column per metric; None for a metric that the result does not have."""

    result: str
    ids: Sequence[str]
    columns: Sequence[FloatArray | None]


@dataclass(frozen=True, slots=True)
class ItemScores:
    """The scores of every item of every result, under headings for readers, and `keys` for programs."""

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
    """Named values for programs: of the whole report, or of the result with this index; made when they are read."""

    values: Callable[[], Mapping[str, Any]]
    result: int | None = None


CheckStatus = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class CheckCase:
    """A rule as a test case: `reason` in one line, `details` below it where it failed."""

    name: str
    status: CheckStatus
    outcome: str
    reason: str
    output: str
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """The rules of a gate as test cases, with properties of the run and lines of output."""

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
    | Details
    | Outcome
    | Headline
    | Notes
    | ItemList
    | ItemScores
    | Records
    | Fields
    | CheckSuite
)
