"""OpenTelemetry GenAI: events `gen_ai.evaluation.result` as OTLP-JSON, one export of logs on each line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.otlp import PAIRS, attributes_of, exports
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.spans import EVENT, evaluation, named, scores_of
from steelyard.io.records import Record
from steelyard.io.shapes import TEXT, ListOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "otel-evaluations"
TITLE: Final = "OpenTelemetry evaluations"
CARRIES: Final = frozenset((rows.ID, rows.SCORES, rows.UNSCORED, rows.ERRORS, rows.NOTES))
NEEDS: Final = frozenset((rows.SCORES,))

_PREFIX: Final = "gen_ai.evaluation."
_VALUE: Final = f"{_PREFIX}score.value"
_RESPONSE: Final = "gen_ai.response.id"
_ATTRIBUTES: Final = (
    *(f"{_PREFIX}{name}" for name in ("name", "score.value", "score.label", "explanation")),
    *("error.type", _RESPONSE),
)
_TRACE: Final = re.compile("[0-9a-f]{32}")
_LOG: Final = Shape({"traceId": TEXT, "spanId": TEXT, "eventName": TEXT, "attributes": PAIRS})
_EXPORT: Final = Shape({"resourceLogs": ListOf(Shape({"scopeLogs": ListOf(Shape({"logRecords": ListOf(_LOG)}))}))})


def recognises(container: Container) -> bool:
    """Whether the content is an export of logs."""
    return container.kind in ("rows", "document") and isinstance(container.first.get("resourceLogs"), list)


def read(container: Container) -> Iterator[Record]:
    """One record for each response or trace, with the results of its evaluations; other events are not read."""
    items: dict[str, list[tuple[Record, Fields]]] = {}
    for export in exports(container):
        rows.check(export.fields, _EXPORT, export.where, TITLE)
        for event in _events(export.fields):
            items.setdefault(_item(event), []).append((export, event))
    for item, found in items.items():
        yield found[0][0]._replace(fields=_fields(item, [event for _, event in found]))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write one event for each score; a failed one has `error.type`, one that was not measured its reason as label."""
    rows.write_lines((export for row in content for export in _written(row)), path)


def _events(export: Fields) -> Iterator[Fields]:
    for resource in export.get("resourceLogs", ()):
        for scope in resource.get("scopeLogs", ()):
            yield from (log for log in scope.get("logRecords", ()) if log.get("eventName") == EVENT)


def _item(log: Fields) -> str:
    return str(attributes_of(log.get("attributes")).get(_RESPONSE) or log.get("traceId") or "")


def _fields(item: str, logs: list[Fields]) -> Fields:
    verdicts = [evaluation(attributes_of(log.get("attributes"))) for log in logs]
    kept = {name: _others(log) for (name, _), log in zip(named(verdicts), logs, strict=True)}
    return rows.with_extra(rows.present({rows.ID: item, **scores_of(verdicts)}), rows.present(kept), NAME)


def _others(log: Fields) -> Fields:
    """Return what an event has beside a verdict and its item."""
    attributes = rows.others(attributes_of(log.get("attributes")), _ATTRIBUTES)
    return {**rows.others(log, ("eventName", "traceId", "attributes")), **attributes}


def _written(row: Fields) -> Iterator[Fields]:
    for name, value in (row.get(rows.SCORES) or {}).items():
        scope = {"logRecords": [_log(row, name, value)]}
        yield {"resourceLogs": [{"scopeLogs": [scope]}]}


def _log(row: Mapping[str, Any], name: str, value: float | None) -> Fields:
    item = str(row.get(rows.ID) or "")
    place = {"traceId": item} if _TRACE.fullmatch(item) else {}
    texts = {
        f"{_PREFIX}name": name,
        _VALUE: value,
        f"{_PREFIX}score.label": (row.get(rows.UNSCORED) or {}).get(name),
        f"{_PREFIX}explanation": (row.get(rows.NOTES) or {}).get(name),
        "error.type": (row.get(rows.ERRORS) or {}).get(name),
        _RESPONSE: None if place else item,
    }
    return {"eventName": EVENT, **place, "attributes": _pairs(texts)}


def _pairs(attributes: Mapping[str, Any]) -> list[Fields]:
    kinds = {str: "stringValue", float: "doubleValue"}
    return [
        {"key": name, "value": {kinds.get(type(value), "doubleValue"): value}}
        for name, value in attributes.items()
        if value is not None
    ]
