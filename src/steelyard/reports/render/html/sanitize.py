"""Texts that no file and no page can hold, mended: half characters and control characters become �, one for one."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from steelyard.documents.pages import Document
from steelyard.reports.content import Report
from steelyard.reports.grids import Grid
from steelyard.table import Column, Missing, Signature, Table

T = TypeVar("T")

_BROKEN: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LINES: Final = re.compile("[\x0b\x0c\x85\u2028\u2029]")
"""Line ends that are none in JavaScript's strings of old, on which parsers fail."""


def mended(value: T) -> T:
    """The value with every text in it mended, keys included; places in a text stay where they are."""
    found: Any = value
    match value:
        case str():
            found = _LINES.sub("\n", _BROKEN.sub("\ufffd", value))
        case dict():
            found = {mended(key): mended(each) for key, each in value.items()}
        case list() | tuple():
            found = [mended(each) for each in value]
    return found  # type: ignore[no-any-return]


def mended_report(report: Report) -> Report:
    """The report with every text mended."""
    compared = [replace(c, a=mended(c.a), b=mended(c.b), metric=mended(c.metric)) for c in report.comparisons]
    grids = [
        replace(grid, by_language={language: _mended_grid(each) for language, each in grid.by_language.items()})
        for grid in report.grids
    ]
    tables = [_mended_table(table) for table in report.tables]
    return replace(report, tables=tables, comparisons=compared, grids=grids)


def mended_documents(documents: Mapping[str, Document]) -> dict[str, Document]:
    """The documents with their pages mended, by mended names."""
    return {mended(name): _mended_document(document) for name, document in documents.items()}


def _mended_grid(grid: Grid) -> Grid:
    headings, rows = mended(list(grid.headings)), mended([list(row) for row in grid.rows])
    return replace(grid, headings=headings, rows=rows, title=mended(grid.title))


def _mended_table(table: Table) -> Table:
    return replace(
        table,
        ids=mended(list(table.ids)),
        columns={mended(metric): _mended_column(column) for metric, column in table.columns.items()},
        name=mended(table.name),
        signature=Signature(tuple((mended(key), mended(value)) for key, value in table.signature.settings)),
        tags=mended(dict(table.tags)),
        outputs=mended(list(table.outputs)),
        failures=mended(dict(table.failures)),
        counts=mended(dict(table.counts)),
    )


def _mended_column(column: Column) -> Column:
    reasons = [Missing(reason.kind, mended(reason.reason)) for reason in column.reasons]
    return replace(column, reasons=reasons, parts=mended(dict(column.parts)), notes=mended(dict(column.notes)))


def _mended_document(document: Document) -> Document:
    pages = tuple(replace(page, text=mended(page.text)) for page in document.pages)
    return replace(document, name=mended(document.name), pages=pages)
