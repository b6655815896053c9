"""What kinds of results add to reports (`registry.kinds`).

The module `Kind.report` of a kind may have `blocks(table, words, units)`, the blocks about one result with intervals
over these units; `pair_blocks(new, old, words)`, those about two that are compared; `compared_parts(new, old,
settings)`, how parts of the scores of these two differ (`PartGroup`); `reason(table, row, metric, language)`, why an
item has its score; `fields(table, units)`, the blocks as fields of JSON output; `panels(tables)`, charts of all
results; `kind_page()`, a part of its own on pages
(`render.html.kind_page`); and, if its items are about documents, `documents` (`KindDocuments`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from steelyard.i18n import Localized, Words, as_message, from_json
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.stats.compare import Comparison, ComparisonSettings
from steelyard.stats.scopes import Scope
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet


def kind_blocks(table: Table, words: Words, scope: Scope) -> Iterable[Block]:
    """The blocks that the kind of a result adds, in the language of the words."""
    make = getattr(kind_of(table.kind).load_report(), "blocks", None)
    return () if make is None else make(table, words, scope)


@dataclass(frozen=True, slots=True)
class PartGroup:
    """Parts of scores over the same items, each by the code of its name; `title` is the code of what the items are."""

    title: str
    parts: Sequence[tuple[str, Comparison]]


def pair_blocks(new: Table, old: Table, words: Words) -> Iterable[Block] | None:
    """The blocks about two results that are compared; None if the kind has none, so that each has its own."""
    make = getattr(kind_of(new.kind).load_report(), "pair_blocks", None)
    return None if make is None else make(new, old, words)


def compared_parts(new: Table, old: Table, settings: ComparisonSettings) -> Sequence[PartGroup]:
    """How the parts of scores of two results differ; all p-values form one family."""
    make = getattr(kind_of(new.kind).load_report(), "compared_parts", None)
    return () if make is None else make(new, old, settings)


def failure_reason(table: Table, row: int) -> Localized:
    """Why the system failed on an item: the message that was kept with it, else its English text."""
    output = (table.outputs[row] if table.outputs else None) or {}
    match output.get("verdict"):
        case {"messages": {"error": stored}} if (message := from_json(stored)) is not None:
            return message
    return as_message(table.failures[row])


def item_reason(table: Table, row: int, metric: str, words: Words) -> str:
    """Why an item has its score in a metric, in a few words; "" if that is not known."""
    if row in table.failures:
        return words.labelled(words("report.the_system_failed"), failure_reason(table, row).text(words.language))
    if metric in table.columns and (missing := table.why(metric, row)):
        return missing.reason.text(words.language)
    make = getattr(kind_of(table.kind).load_report(), "reason", None)
    return table.notes(row).get(metric, "") if make is None else make(table, row, metric, words.language)


def kind_fields(table: Table, scope: Scope) -> dict[str, Any]:
    """The fields that the kind of a result adds to JSON output, under the name of the kind."""
    make = getattr(kind_of(table.kind).load_report(), "fields", None)
    return {} if make is None else {table.kind: make(table, scope)}


def kind_panels(tables: Sequence[Table]) -> Mapping[str, Any]:
    """The panels of charts that the kind of results adds (`plots`), by the code of their caption."""
    make = getattr(kind_of(tables[0].kind).load_report(), "panels", None) if tables else None
    return {} if make is None else make(tables)


def has_page(kind: str) -> bool:
    """Whether the kind has a part of its own on pages."""
    return hasattr(kind_of(kind).load_report(), "kind_page")


class KindDocuments(Protocol):
    """The documents of a benchmark that a results file names."""

    def __call__(
        self, benchmark: str, *, within: Path | None = None, beside: Path | None = None, also: Path | None = None
    ) -> "DocumentSet":
        """The documents, and why others are not there.

        A relative folder is looked for in the current folder and then in `beside`, the folder of the results file; an
        absolute one must be in `beside`. Without `beside`, the user has named the benchmark. With `within`, only files
        in that folder are read. Documents are in the benchmark or in the folder `also`.
        """


def documents_for(
    tables: Sequence[Table],
    beside: Sequence[Path | None] = (),
    *,
    within: Path | None = None,
    also: Path | None = None,
) -> "DocumentSet":
    """The documents that the items of results are about, from the benchmarks that the results name.

    `beside` are the folders of the results files, one for each table; `within` and `also` as in `KindDocuments`.
    """
    from steelyard.documents.sets import DocumentSet

    folders = beside or [None] * len(tables)
    named = dict.fromkeys((table.kind, table.benchmark, at) for table, at in zip(tables, folders, strict=True))
    return DocumentSet.of(
        find(benchmark, within=within, beside=at, also=also)
        for kind, benchmark, at in named
        if benchmark and (find := _documents_of(kind))
    )


def _documents_of(kind: str) -> KindDocuments | None:
    return getattr(kind_of(kind).load_report(), "documents", None)
