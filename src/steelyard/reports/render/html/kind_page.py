"""What a kind of results adds to pages.

A kind registers its report module in `registry.kinds`. If that module has a function `kind_page`, the `KindPage` that
it returns adds to the page of every result of the kind. The classes here add nothing: they are for all other kinds.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from steelyard.i18n import Language
from steelyard.registry.kinds import kind_of
from steelyard.reports.render.html.tiles import Tile
from steelyard.stats.scopes import Units
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

Json = dict[str, Any]
Rows = Sequence[int | None]
"""The row of each item of a page in one table; None where the table does not have it."""
Value = str | Sequence[str]
"""A value as text, or as a text in every language."""
Mark = tuple[int, int, str] | tuple[int, int, str, int]
"""What is marked in a text: where it begins and ends, in UTF-16 units, and the class; a citation of a context also has
the index of the context."""


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

    `contexts` are the marks of each of its contexts, `values` its typed fields.
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


NO_DETAILS: Final = AnswerDetails()
"""Of an answer in which nothing was looked for."""
_NOTHING_EXPECTED: Final = Expected()


class ItemDetails:
    """What a page shows of an item besides its question, its answer and its scores."""

    fields: ClassVar[frozenset[str]] = frozenset()
    """Fields of an output that these details show; the others are shown by their names."""

    def expected(self, verdict: Mapping[str, Any], document: str) -> Expected:
        """What a right answer has, from the verdict on any answer to the item."""
        return _NOTHING_EXPECTED

    def answer(self, text: str, output: Mapping[str, Any], document: str) -> AnswerDetails:
        """What was found in an answer about a document."""
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
        """The sections about these results, with intervals over these units."""
        return Sections()

    def tiles(self, table: Table, units: Units = "auto") -> Sequence[Tile]:
        """The figures of a single result that its page shows first; without any, those of a few metrics."""
        return ()

    def charts(self, table: Table, language: Language) -> Iterable[Chart]:
        """The charts of one result."""
        return ()

    def details(self, documents: "Mapping[str, Document]") -> ItemDetails:
        """What is shown of items, with passages found in these documents."""
        return ItemDetails()

    def item_columns(self, tables: Sequence[Table], rows: Sequence[Rows], order: Sequence[int]) -> Json:
        """Fields that the kind adds to the data of the page, for all its items.

        `rows` has for each table the row of each item; `order` are the items, those with the lowest scores first.
        """
        return {}

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        """The note of an item to a metric; "" where there is none."""
        return table.notes(row).get(metric, "")


_COMMON: Final = KindPage()


def kind_page(kind: str) -> KindPage:
    """What a kind adds to pages."""
    make = getattr(kind_of(kind).load_report(), "kind_page", None)
    return _COMMON if make is None else make()


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def present(values: Json) -> Json:
    """The fields that have a value; 0 and False are values, empty texts and lists are not."""
    return {key: value for key, value in values.items() if value or value == 0}
