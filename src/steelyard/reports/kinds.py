"""What kinds of results add to reports and their pages.

A kind names a class (`registry.kinds`), a `KindReport`, that overrides what it needs; the `KindPage` that its method
`page` returns adds to the page of every result of the kind. The classes here add nothing: they are for all other kinds.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from steelyard.i18n import Language, Localized, Words, as_message, from_json
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.stats.compare import Comparison, ComparisonSettings
from steelyard.stats.intervals import Interval
from steelyard.stats.outcomes import METRIC as ATTRIBUTED
from steelyard.stats.scopes import Scope, Units
from steelyard.table import Column, Table

if TYPE_CHECKING:
    from steelyard.documents.pages import Document, DocumentSet
    from steelyard.reports.plots.style import Spec

Json = dict[str, Any]
Rows = Sequence[int | None]
"""The row of each item of a page in one table; None where the table does not have it."""
Value = str | Sequence[str]
"""A value as text, or as a text in every language."""
Mark = tuple[int, int, str] | tuple[int, int, str, int]
"""What is marked in a text: where it begins and ends, in UTF-16 units, and the class; a citation of a context also has
the index of the context."""


Gauge = tuple[float, float, float]
"""The low end of an interval, the value and the high end, all between 0 and 1."""


@dataclass(frozen=True, slots=True)
class TileLine:
    """A figure with what was counted and its interval; `label` is a code, "" where the title of the tile is enough.

    Figure and interval are one text, or the text in every language. A figure that is `bad` is one of mistakes.
    """

    value: tuple[str, ...]
    counted: str
    interval: tuple[str, ...]
    gauge: Gauge | None = None
    label: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """Figures under a title, which is a code or, if `is_name`, the name of a metric.

    `of` is the code of what they are shares of, "" where the title says it.
    """

    title: str
    lines: Sequence[TileLine]
    of: str = ""
    is_name: bool = False


def gauge_of(mean: float, interval: Interval) -> Gauge | None:
    """Return the numbers of a gauge; None where one of them is unknown or not between 0 and 1."""
    numbers = (interval.low, mean, interval.high)
    return numbers if all(math.isfinite(number) and 0 <= number <= 1 for number in numbers) else None


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: its template, which finds `content` under that name."""

    template: str
    content: Any


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a kind: below the headlines, and among the details."""

    summary: Sequence[Section] = ()
    details: Sequence[Section] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one result as SVG; `caption` is a code. Sections show it by its name."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right answer has: typed values, quotations, passages, and whether it is a refusal."""

    answer: Mapping[str, Value] | None = None
    abstain: bool | None = None
    quotes: Sequence[str] | None = None
    evidence: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class AnswerDetails:
    """What was found in an answer. Reasons are (part, text in every language), remarks are texts in every language.

    `contexts` are the marks of each of its contexts, `values` its typed fields. `claims` are those that a judge has
    checked: the claim, its verdict, the quotation, whether the contexts have that, and the reason.
    """

    marks: Sequence[Mark] = ()
    citations: Sequence[Json] = ()
    evidence: Sequence[Json] = ()
    abstained: bool | None = None
    invented: Sequence[Sequence[str]] = ()
    reasons: Sequence[Sequence[str]] = ()
    remarks: Sequence[Sequence[str]] = ()
    contexts: Sequence[Sequence[Mark]] = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    claims: Sequence[Sequence[Any]] = ()


NO_DETAILS: Final = AnswerDetails()
"""Of an answer in which nothing was looked for."""
_NOTHING_EXPECTED: Final = Expected()


class ItemDetails:
    """What a page shows of an item besides its question, its answer and its scores."""

    fields: ClassVar[frozenset[str]] = frozenset()
    """Fields of an output that these details show; the others are shown by their names."""

    def expected(self, verdict: Mapping[str, Any], document: str) -> Expected:
        """Return what a right answer has, from the verdict on any answer to the item."""
        return _NOTHING_EXPECTED

    def answer(self, text: str, output: Mapping[str, Any], document: str) -> AnswerDetails:
        """Return what was found in an answer about a document."""
        return NO_DETAILS

    def documents(self) -> dict[str, dict[str, str]]:
        """Document → page → text, of the pages that some passage is on."""
        return {}


class KindPage:
    """What pages show of results of one kind."""

    folders: ClassVar[Sequence[Path]] = ()
    """Folders with the templates of the sections."""

    part_names: ClassVar[str] = "answer_part_names"
    """The section of the catalogue with the words for the parts of scores."""

    about_documents: ClassVar[bool] = False
    """Whether items are questions about documents, so that a page says which documents it does not have."""

    tags_shown: ClassVar[frozenset[str]] = frozenset()
    """Tags by whose values the sections already group, so that the tables by tag leave them out."""

    def sections(self, tables: Sequence[Table], units: Units = "auto") -> Sections:
        """Return the sections about these results, with intervals over these units."""
        return Sections()

    def tiles(self, table: Table, units: Units = "auto") -> Sequence[Tile]:
        """Return the figures of a single result that its page shows first; without any, those of a few metrics."""
        return ()

    def charts(self, table: Table, language: Language) -> Iterable[Chart]:
        """Return the charts of one result."""
        return ()

    def details(self, documents: "Mapping[str, Document]") -> ItemDetails:
        """Return what is shown of items, with passages found in these documents."""
        return ItemDetails()

    def item_columns(self, tables: Sequence[Table], rows: Sequence[Rows], order: Sequence[int]) -> Json:
        """Fields that the kind adds to the data of the page, for all its items.

        `rows` has for each table the row of each item; `order` are the items, those with the lowest scores first.
        """
        return {}

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        """Return the note of an item to a metric; "" where there is none."""
        return table.note(metric, row, language)


@dataclass(frozen=True, slots=True)
class PartGroup:
    """Parts of scores over the same items, each by the code of its name; `title` is the code of what the items are."""

    title: str
    parts: Sequence[tuple[str, Comparison]]


class KindReport:
    """What a kind adds to reports; this class adds nothing, and is that of all other kinds."""

    def blocks(self, table: Table, words: Words, scope: Scope) -> Iterable[Block]:
        """Return the blocks about one result, with intervals in this scope."""
        return ()

    def pair_blocks(self, new: Table, old: Table, words: Words) -> Iterable[Block] | None:
        """Return the blocks about two results that are compared; None if there are none, so that each has its own."""
        return None

    def compared_parts(self, new: Table, old: Table, settings: ComparisonSettings) -> Sequence[PartGroup]:
        """Compare the parts of the scores of two results; all p-values form one family."""
        return ()

    def reason(self, table: Table, row: int, metric: str, language: Language) -> str:
        """Return why an item has its score; "" if that is not known."""
        return table.note(metric, row, language)

    def fields(self, table: Table, scope: Scope) -> Mapping[str, Any] | None:
        """Return the blocks as fields of JSON output."""
        return None

    def attribution(self, table: Table) -> Column | None:
        """Return the column whose parts are the outcomes of answers and the causes of wrong ones; None without one."""
        return table.columns.get(ATTRIBUTED)

    def panels(self, tables: Sequence[Table]) -> Mapping[str, "Spec"]:
        """Return the panels of charts of all results, by the code of their caption."""
        return {}

    def page(self) -> KindPage | None:
        """Return a part of pages of its own, which then shows what the blocks say."""
        return None

    def documents(
        self, benchmark: str, *, within: Path | None = None, beside: Path | None = None, also: Path | None = None
    ) -> "DocumentSet | None":
        """Return the documents of a benchmark that a results file names, and why others are not there.

        A relative folder is looked for in the current folder and then in `beside`, the folder of the results file; an
        absolute one must be in `beside`. Without `beside`, the user has named the benchmark. With `within`, only files
        in that folder are read. Documents are in the benchmark or in the folder `also`.
        """
        return None


def kind_report(kind: str) -> KindReport:
    """Return what a kind adds to reports; raise TypeError if the kind names another class."""
    made = kind_of(kind).load_report()
    report = KindReport() if made is None else made()
    if not isinstance(report, KindReport):
        raise TypeError(f"the report of the kind {kind!r} is no KindReport")
    return report


def kind_page(kind: str) -> KindPage:
    """Return what a kind adds to pages."""
    return kind_report(kind).page() or KindPage()


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return a text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def present(values: Json) -> Json:
    """Return the fields that have a value; 0 and False are values, empty texts and lists are not."""
    return {key: value for key, value in values.items() if value or value == 0}


def failure_reason(table: Table, row: int) -> Localized:
    """Return why the system failed on an item: the message that was kept with it, else its English text."""
    output = (table.outputs[row] if table.outputs else None) or {}
    match output.get("verdict"):
        case {"messages": {"error": stored}} if (message := from_json(stored)) is not None:
            return message
    return as_message(table.failures[row])


def item_reason(table: Table, row: int, metric: str, words: Words) -> str:
    """Return why an item has its score in a metric, in a few words; "" if that is not known."""
    if row in table.failures:
        return words.labelled(words("report.the_system_failed"), failure_reason(table, row).text(words.language))
    if metric in table.columns and (missing := table.why(metric, row)):
        return missing.reason.text(words.language)
    return kind_report(table.kind).reason(table, row, metric, words.language)


def documents_for(
    tables: Sequence[Table],
    beside: Sequence[Path | None] = (),
    *,
    within: Path | None = None,
    also: Path | None = None,
) -> "DocumentSet":
    """Return the documents that the items of results are about, from the benchmarks that the results name.

    `beside` are the folders of the results files, one for each table; `within` and `also` as in `KindReport.documents`.
    """
    from steelyard.documents.pages import DocumentSet

    folders = beside or [None] * len(tables)
    named = dict.fromkeys((table.kind, table.benchmark, at) for table, at in zip(tables, folders, strict=True))
    found = (
        kind_report(kind).documents(benchmark, within=within, beside=at, also=also)
        for kind, benchmark, at in named
        if benchmark
    )
    return DocumentSet.of(documents for documents in found if documents is not None)
