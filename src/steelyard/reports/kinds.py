"""What kinds of results add to reports (`registry.kinds`).

The module `Kind.report` of a kind may have `blocks(table, words, units)`, the blocks about one result with intervals
over these units; `fields(table, units)`, the same as fields of JSON output; `panels(tables)`, charts of all results;
`kind_page()`, a part of its own on pages
(`render.html.kind_page`); and, if its items are about documents, `documents` (`KindDocuments`).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from steelyard.i18n import Words
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.stats.scopes import Scope
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet


def kind_blocks(table: Table, words: Words, scope: Scope) -> Iterable[Block]:
    """The blocks that the kind of a result adds, in the language of the words."""
    make = getattr(kind_of(table.kind).load_report(), "blocks", None)
    return () if make is None else make(table, words, scope)


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

        A relative folder is looked for from the current folder and then from `beside`, the folder of the results file.
        With `within`, only files in that folder are read. Documents are in the benchmark or in the folder `also`.
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
