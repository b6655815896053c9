"""Langfuse: rows of scores, as its API gives them (versions 1 to 3) and takes them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.langfuse import SCORE, verdict_of
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.spans import Verdict, named, scores_of
from steelyard.io.records import Record

NAME: Final = "langfuse-scores"
TITLE: Final = "Langfuse scores"
CARRIES: Final = frozenset((rows.ID, rows.SCORES, rows.UNSCORED, rows.NOTES))
NEEDS: Final = frozenset((rows.ID, rows.SCORES))

_TEXTS: Final = ("id", "traceId", "observationId", "name", "comment", "stringValue")
_KNOWN: Final = ("name", "value", "comment", "traceId", "dataType")


def recognises(container: Container) -> bool:
    """Whether rows have a name, a value, and the trace that they are about."""
    first = container.first if container.kind == "rows" else {}
    return {"name", "value"} <= first.keys() and ("traceId" in first or isinstance(first.get("subject"), dict))


def read(container: Container) -> Iterator[Record]:
    """One record for each trace, with all its scores."""
    items: dict[str, list[Record]] = {}
    for record in rows.with_values(container.records(), _TEXTS, cells=container.cells):
        rows.check(record.fields, SCORE, record.where, TITLE)
        items.setdefault(_trace(record), []).append(record)
    for trace, found in items.items():
        yield found[0]._replace(fields=_fields(trace, [record.fields for record in found]))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write one row for each score; what was not scored has its reason as a category."""
    rows.write_lines((score for row in content for score in _written(row)), path)


def _trace(record: Record) -> str:
    subject = record.fields.get("subject") or {}
    is_trace = subject.get("kind") == "trace"
    found = record.fields.get("traceId") or subject.get("traceId") or (subject.get("id") if is_trace else None)
    if not found:
        raise InputError(Message("formats.field_missing", key="traceId"), where=record.where, hint=rows.read_as(TITLE))
    return str(found)


def _fields(trace: str, scores: list[Fields]) -> Fields:
    verdicts = [verdict_of(score, _observation(score)) for score in scores]
    kept = {name: rows.others(score, _KNOWN) for (name, _), score in zip(named(verdicts), scores, strict=True)}
    return rows.present({rows.ID: trace, **scores_of(map(_without_label, verdicts)), rows.EXTRA: {NAME: kept}})


def _without_label(verdict: Verdict) -> Verdict:
    """Return a verdict without a label that only repeats its number."""
    return verdict._replace(label=None) if rows.is_score(verdict.value) else verdict


def _observation(score: Mapping[str, Any]) -> str:
    subject = score.get("subject") or {}
    return str(score.get("observationId") or (subject.get("id") if subject.get("kind") == "observation" else "") or "")


def _written(row: Fields) -> Iterator[Fields]:
    reasons, notes = row.get(rows.UNSCORED) or {}, row.get(rows.NOTES) or {}
    for name, value in (row.get(rows.SCORES) or {}).items():
        score = {"traceId": str(row[rows.ID]), "name": name}
        comment = {"comment": notes[name]} if notes.get(name) else {}
        if value is not None:
            yield {**score, "value": value, "dataType": "NUMERIC", **comment}
        elif name in reasons:
            yield {**score, "value": reasons[name], "dataType": "CATEGORICAL", **comment}
