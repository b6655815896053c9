"""MLflow: traces with their spans and assessments, as `Trace.to_json` and `search_traces` give them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.spans import Span, Verdict, describe, fields_of, root_of
from steelyard.io.records import Record, parse_json
from steelyard.io.shapes import SCALAR, TEXT, ListOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "mlflow-traces"
TITLE: Final = "MLflow traces"

_SPANS: Final = ListOf(Shape({"span_id": TEXT, "name": TEXT, "attributes": Shape({})}, frozenset(("span_id",))))
_ASSESSMENTS: Final = ListOf(
    Shape({"assessment_name": TEXT, "feedback": Shape({"error": Shape({})}), "expectation": Shape({})})
)
_INFO: Final = Shape({"trace_id": SCALAR, "request_id": SCALAR, "assessments": _ASSESSMENTS})
_TRACE: Final = Shape(
    {"info": _INFO, "data": Shape({"spans": _SPANS}, frozenset(("spans",)))}, frozenset(("info", "data"))
)
_ROW: Final = Shape(
    {"trace_id": SCALAR, "spans": _SPANS, "assessments": _ASSESSMENTS}, frozenset(("trace_id", "spans"))
)
_VERDICTS: Final = {"yes": 1.0, "no": 0.0}  # as MLflow counts the verdicts of its judges
_ANSWERS: Final = ("expected_response", "expected_output", "expected_answer")


def recognises(container: Container) -> bool:
    """Whether the content is traces: with `info` and `data`, or rows with `trace_id` and `spans` or `trace`."""
    first = container.first if container.kind in ("rows", "document") else {}
    is_trace = isinstance(first.get("info"), dict) and isinstance(first.get("data"), dict)
    return is_trace or ("trace_id" in first and ("spans" in first or "trace" in first))


def read(container: Container) -> Iterator[Record]:
    """One record for each trace."""
    if container.kind == "document":
        traces: Iterator[Record] = iter((Record(container.name, 1, container.document, "{}"),))
    else:
        traces = rows.with_values(container.records(), ("trace_id", "trace"), cells=container.cells)
    for record in traces:
        yield record._replace(fields=_fields(*_parts(record), record))


def _parts(record: Record) -> tuple[Fields, list[Fields]]:
    """Return what a trace says about itself, and its spans."""
    row = record.fields
    trace = row.get("trace")
    if isinstance(trace, str):
        row = parse_json(trace, record.where, lenient=True)
    elif isinstance(trace, dict):
        row = trace
    if "info" not in row:
        rows.check(row, _ROW, record.where, TITLE)
        return row, row["spans"]
    rows.check(row, _TRACE, record.where, TITLE)
    return row["info"], row["data"]["spans"]


def _fields(info: Fields, given: list[Fields], record: Record) -> Fields:
    trace = str(info.get("trace_id") or info.get("request_id") or "")
    assessments = info.get("assessments") or []
    spans = [_span(each, record) for each in given] or [Span(trace, "", "", record)]
    root = root_of(spans)
    root.verdicts = [_verdict(each) for each in assessments if not each.get("expectation")]
    expected = {each.get("assessment_name"): each["expectation"] for each in assessments if each.get("expectation")}
    answers = [expected[name].get("value") for name in _ANSWERS if name in expected]
    extra = {**rows.extra_of(fields := fields_of(trace, root, spans, NAME), NAME), "expectations": expected}
    return {**fields, **rows.present({rows.REFERENCES: answers, rows.EXTRA: {NAME: rows.present(extra)}})}


def _span(given: Mapping[str, Any], record: Record) -> Span:
    parent = given.get("parent_span_id") or given.get("parent_id") or ""
    start = given.get("start_time_unix_nano") or given.get("start_time") or 0
    span = Span("", given["span_id"], str(parent), record, str(given.get("name") or ""), start)
    attributes = given.get("attributes") or {}
    describe(span, {name: value if isinstance(value, str) else json.dumps(value) for name, value in attributes.items()})
    status = given.get("status") or given.get("status_code")
    is_error = "ERROR" in str(status.get("code") if isinstance(status, dict) else status)
    message = status.get("message") if isinstance(status, dict) else given.get("status_message")
    span.error = str(message or "error") if is_error else None
    return span


def _verdict(assessment: Mapping[str, Any]) -> Verdict:
    feedback = assessment.get("feedback") or {}
    value, error = feedback.get("value"), feedback.get("error")
    label = value if isinstance(value, str) else None
    reason = str(error.get("error_message") or error.get("error_code") or "error") if error else None
    number = _VERDICTS.get(value.lower()) if isinstance(value, str) else value
    name = str(assessment.get("assessment_name") or "assessment")
    return Verdict(name, number, label, assessment.get("rationale"), reason)
