"""Texts that files and pages cannot hold, sanitized: lone surrogates and control characters become �, one for one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from steelyard.documents.pages import Document
from steelyard.i18n.masking import with_texts
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison
from steelyard.table import Column, Missing, Signature, Table

T = TypeVar("T")

_INVALID: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_ENDS: Final = re.compile("[\x0b\x0c\x85\u2028\u2029]")
"""Line separators that are not valid in older JavaScript strings."""
_ESCAPED: Final = re.compile(r"\\(?![nrt'\\]|u3000|xa0)")
"""What `repr` of a value has, if a text in it is to be changed: those characters are escaped, and no common ones."""


def sanitized(value: T) -> T:
    """The value with every text in it sanitized, keys included; offsets into a text stay valid."""
    return _changed(value) if _ESCAPED.search(repr(value)) else value


def _changed(value: Any) -> Any:
    if isinstance(value, str):
        return _LINE_ENDS.sub("\n", _INVALID.sub("\ufffd", value))
    if isinstance(value, dict):
        return {_changed(key): _changed(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(entry) for entry in value]
    return value


def sanitized_report(report: Report) -> Report:
    """The report with every text sanitized."""
    tables = [_sanitized_table(table) for table in report.tables]
    compared, pairs = (_sanitized_comparisons(each) for each in (report.comparisons, report.pairs))
    return replace(report, tables=tables, comparisons=compared, pairs=pairs)


def _sanitized_comparisons(comparisons: Sequence[Comparison]) -> list[Comparison]:
    return [replace(c, a=sanitized(c.a), b=sanitized(c.b), metric=sanitized(c.metric)) for c in comparisons]


def sanitized_documents(documents: Mapping[str, Document]) -> dict[str, Document]:
    """The documents with their names and pages sanitized."""
    return {sanitized(name): _sanitized_document(document) for name, document in documents.items()}


def _sanitized_table(table: Table) -> Table:
    return replace(
        table,
        ids=sanitized(list(table.ids)),
        columns={sanitized(metric): _sanitized_column(column) for metric, column in table.columns.items()},
        name=sanitized(table.name),
        signature=Signature(tuple((sanitized(key), sanitized(value)) for key, value in table.signature.settings)),
        tags=sanitized(dict(table.tags)),
        outputs=[sanitized(output) for output in table.outputs],
        failures=sanitized(dict(table.failures)),
        counts=sanitized(dict(table.counts)),
    )


def _sanitized_column(column: Column) -> Column:
    reasons = [Missing(reason.kind, with_texts(reason.reason, sanitized)) for reason in column.reasons]
    parts = {sanitized(part): values for part, values in column.parts.items()}
    return replace(column, reasons=reasons, parts=parts, notes=sanitized(dict(column.notes)))


def _sanitized_document(document: Document) -> Document:
    pages = tuple(replace(page, text=sanitized(page.text)) for page in document.pages)
    return replace(document, name=sanitized(document.name), pages=pages)
