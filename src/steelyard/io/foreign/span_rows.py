"""Rows of spans: JSONL, JSON, CSV or parquet with a span on each row, as the SDK of OpenTelemetry and Phoenix write."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.spans import Span, describe, parsed, records_of
from steelyard.io.records import Record
from steelyard.io.shapes import SCALAR, ListOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "spans"
TITLE: Final = "rows of spans"

_IDS: Final = ("trace_id", "span_id")
_TEXTS: Final = (*_IDS, *(f"context.{name}" for name in _IDS), "parent_id", "parent_span_id", "name")
_PREFIX: Final = "attributes."
_ROW: Final = Shape(
    {
        "context": Shape({"trace_id": SCALAR, "span_id": SCALAR}, frozenset(("trace_id", "span_id"))),
        "trace_id": SCALAR,
        "span_id": SCALAR,
        "attributes": Shape({}),
        "events": ListOf(Shape({})),
    }
)
_FAILED: Final = ("ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR")


def recognises(container: Container) -> bool:
    """Whether rows have the ids of a trace and a span, and attributes."""
    first = container.first if container.kind == "rows" else {}
    has_attributes = isinstance(first.get("attributes"), dict) or any(name.startswith(_PREFIX) for name in first)
    return has_attributes and bool(_id(first, "trace_id")) and bool(_id(first, "span_id"))


def read(container: Container) -> Iterator[Record]:
    """One record for each trace."""
    return records_of(map(_span, rows.with_values(container.records(), _TEXTS, cells=container.cells)), NAME)


def _id(row: Mapping[str, Any], name: str) -> str:
    context = row.get("context")
    inner = context.get(name) if isinstance(context, dict) else None
    return str(inner or row.get(f"context.{name}") or row.get(name) or "").removeprefix("0x")


def _span(record: Record) -> Span:
    row = record.fields
    rows.check(row, _ROW, record.where, TITLE)
    parent = str(row.get("parent_id") or row.get("parent_span_id") or "").removeprefix("0x")
    span = Span(_id(row, "trace_id"), _id(row, "span_id"), parent, record, str(row.get("name") or ""))
    span.start = row.get("start_time") or 0
    columns = {name.removeprefix(_PREFIX): value for name, value in row.items() if name.startswith(_PREFIX)}
    events = [(str(each.get("name")), _object(each.get("attributes"))) for each in row.get("events") or ()]
    kind = {"openinference.span.kind": row["span_kind"]} if row.get("span_kind") else {}
    describe(span, {**kind, **columns, **(row.get("attributes") or {})}, events)
    span.error = _error(row)
    return span


def _object(value: Any) -> dict[str, Any]:
    found = parsed(value)
    return found if isinstance(found, dict) else {}


def _error(row: Mapping[str, Any]) -> str | None:
    status = row.get("status")
    given = status if isinstance(status, dict) else row
    if str(given.get("status_code", "")) not in _FAILED:
        return None
    return str(given.get("description") or given.get("status_message") or given.get("message") or "error")
