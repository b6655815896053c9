"""Langfuse: traces with their observations and scores, or observations alone, as the API and exports give them."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.spans import Span, Verdict, documents_of, fields_of, is_search, records_of, root_of
from steelyard.io.records import Record, json_records
from steelyard.io.shapes import ANYTHING, TEXT, ListOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "langfuse"
TITLE: Final = "Langfuse"

SCORE: Final = Shape({"name": TEXT, "value": ANYTHING, "subject": Shape({})}, frozenset(("name",)))
_OBSERVATION: Final = Shape({"id": TEXT, "traceId": TEXT, "type": TEXT}, frozenset(("id", "type")))
_TRACE: Final = Shape(
    {"id": TEXT, "observations": ListOf(_OBSERVATION), "scores": ListOf(SCORE)}, frozenset(("id", "observations"))
)
_ROW: Final = Shape({"id": TEXT, "traceId": TEXT, "type": TEXT}, frozenset(("id", "traceId", "type")))


def recognises(container: Container) -> bool:
    """Whether the content is traces that hold their observations, or observations."""
    first = container.first if container.kind in ("rows", "document") else {}
    listed = first.get("data")
    if container.kind == "document" and isinstance(listed, list) and listed and isinstance(listed[0], dict):
        first = listed[0]
    return _is_trace(first) or ("traceId" in first and "type" in first and "id" in first)


def read(container: Container) -> Iterator[Record]:
    """One record for each trace."""
    found = _listed(container)
    head = next(found, None)
    if head is None:
        return
    together = chain((head,), found)
    if _is_trace(head.fields):
        yield from (record._replace(fields=_trace(record)) for record in together)
    else:
        yield from records_of((_row(record) for record in together), NAME)


def verdict_of(score: Mapping[str, Any], span: str = "") -> Verdict:
    """Return a score as a verdict; a category is a label, unless a configuration gives it a number."""
    value, kind = score.get("value"), score.get("dataType")
    is_label = isinstance(value, str) or kind == "TEXT" or (kind == "CATEGORICAL" and not score.get("configId"))
    label = score.get("stringValue") or (value if isinstance(value, str) else None)
    return Verdict(str(score["name"]), None if is_label else value, label, score.get("comment"), span=span)


def _is_trace(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("observations"), list) and "id" in row


def _listed(container: Container) -> Iterator[Record]:
    """Yield the rows of a file, of an answer of the API (`data`), or the one trace that a file holds."""
    if container.kind != "document":
        yield from container.records()
    elif isinstance(container.document.get("data"), list):
        records = json_records(container.document["data"], container.name)
        yield from (record._replace(pattern="{}#/data/{}") for record in records)
    else:
        yield Record(container.name, 1, container.document, "{}")


def _trace(record: Record) -> Fields:
    rows.check(record.fields, _TRACE, record.where, TITLE)
    given = record.fields
    spans = [_span(each, given["id"], record) for each in given["observations"] if isinstance(each, dict)]
    scores = given.get("scores") or []
    for span in spans:
        found = [each for each in scores if each.get("observationId") == span.id]
        span.verdicts = [verdict_of(each, span.name) for each in found]
    own = Span(given["id"], "", "", record, str(given.get("name") or ""))
    own.input, own.output, own.metadata = given.get("input"), given.get("output"), given.get("metadata")
    own.verdicts = [verdict_of(each) for each in scores if not each.get("observationId")]
    own.error = root_of(spans).error if spans else None
    return fields_of(given["id"], own, [own, *spans], NAME)


def _row(record: Record) -> Span:
    rows.check(record.fields, _ROW, record.where, TITLE)
    return _span(record.fields, record.fields["traceId"], record)


def _span(given: Mapping[str, Any], trace: str, record: Record) -> Span:
    parent, name = str(given.get("parentObservationId") or ""), given.get("name") or given["type"].lower()
    span = Span(trace, given["id"], parent, record, str(name), given.get("startTime") or 0, given["type"].upper())
    span.input, span.output, span.metadata = given.get("input"), given.get("output"), given.get("metadata")
    span.documents = documents_of(span.output) if is_search(span) else []
    span.error = str(given.get("statusMessage") or "error") if given.get("level") == "ERROR" else None
    return span
