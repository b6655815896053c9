"""OTLP-JSON: traces as OpenTelemetry exporters and collectors write them, one export or one on each line."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.spans import Span, describe, records_of
from steelyard.io.records import Record
from steelyard.io.shapes import TEXT, ListOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "otlp"
TITLE: Final = "OTLP-JSON"

PAIRS: Final = ListOf(Shape({"key": TEXT, "value": Shape({})}, frozenset(("key",))))
_SPAN: Final = Shape(
    {
        "traceId": TEXT,
        "spanId": TEXT,
        "parentSpanId": TEXT,
        "name": TEXT,
        "attributes": PAIRS,
        "events": ListOf(Shape({"name": TEXT, "attributes": PAIRS})),
        "status": Shape({}),
    },
    frozenset(("traceId", "spanId")),
)
_EXPORT: Final = Shape({"resourceSpans": ListOf(Shape({"scopeSpans": ListOf(Shape({"spans": ListOf(_SPAN)}))}))})
_FAILED: Final = (2, "STATUS_CODE_ERROR")


def recognises(container: Container) -> bool:
    """Whether the content is an export of spans."""
    return container.kind in ("rows", "document") and isinstance(container.first.get("resourceSpans"), list)


def read(container: Container) -> Iterator[Record]:
    """One record for each trace."""
    return records_of((span for export in exports(container) for span in _spans(export)), NAME)


def exports(container: Container) -> Iterator[Record]:
    """Yield the exports of a file: it is one, or has one on each line."""
    if container.kind == "document":
        yield Record(container.name, 1, container.document, "{}")
    else:
        yield from container.records()


def value_of(value: Mapping[str, Any]) -> Any:
    """Return the value of an attribute, which OTLP wraps in its type."""
    kind, content = next(iter(value.items()), ("", None))
    if kind == "arrayValue":
        return [value_of(each) for each in (content or {}).get("values", ())]
    if kind == "kvlistValue":
        return attributes_of((content or {}).get("values", ()))
    return int(str(content)) if kind == "intValue" and str(content).lstrip("-").isdigit() else content


def attributes_of(pairs: Any) -> dict[str, Any]:
    """Attributes by name."""
    return {pair["key"]: value_of(pair.get("value") or {}) for pair in pairs or ()}


def _spans(export: Record) -> Iterator[Span]:
    rows.check(export.fields, _EXPORT, export.where, TITLE)
    for resource in export.fields.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            yield from (_span(each, export) for each in scope.get("spans", ()))


def _span(given: Mapping[str, Any], export: Record) -> Span:
    events = [(each.get("name", ""), attributes_of(each.get("attributes"))) for each in given.get("events", ())]
    parent, start = given.get("parentSpanId") or "", given.get("startTimeUnixNano", 0)
    span = Span(given["traceId"], given["spanId"], parent, export, given.get("name") or "", start)
    describe(span, attributes_of(given.get("attributes")), events)
    status = given.get("status") or {}
    if status.get("code") in _FAILED:
        raised = [attributes.get("exception.message") for name, attributes in events if name == "exception"]
        span.error = str(status.get("message") or next(iter(raised), None) or "error")
    return span
