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
_KNOWN: Final = ("name", "value", "comment", "traceId")


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
    kept = {name: _others(score, name) for (name, _), score in zip(named(verdicts), scores, strict=True)}
    return rows.present({rows.ID: trace, **scores_of(map(_without_label, verdicts)), rows.EXTRA: {NAME: kept}})


def _without_label(verdict: Verdict) -> Verdict:
    """Return a verdict without a label that only repeats its number: it is kept under `extra`."""
    return verdict._replace(label=None) if rows.is_score(verdict.value) else verdict


def _observation(score: Mapping[str, Any]) -> str:
    subject = score.get("subject") or {}
    return str(score.get("observationId") or (subject.get("id") if subject.get("kind") == "observation" else "") or "")


def _others(score: Mapping[str, Any], name: str) -> Fields:
    """Return the fields beside name, value, comment and trace, and these where they would be written otherwise."""
    others = {key: value for key, value in score.items() if key not in _KNOWN}
    again = _score("", name, others, verdict_of(score))
    differing = [key for key in _KNOWN[:3] if key in score and (key not in again or again[key] != score[key])]
    return {**others, **{key: score[key] for key in differing}}


def _written(row: Fields) -> Iterator[Fields]:
    kept, reasons, notes = rows.extra_of(row, NAME), row.get(rows.UNSCORED) or {}, row.get(rows.NOTES) or {}
    for name, value in (row.get(rows.SCORES) or {}).items():
        if value is not None or name in reasons:
            verdict = Verdict(name, value, reasons.get(name), notes.get(name))
            yield _score(str(row[rows.ID]), name, kept.get(name) or {}, verdict)


def _score(trace: str, name: str, others: Mapping[str, Any], verdict: Verdict) -> Fields:
    is_flag = others.get("dataType") == "BOOLEAN" and "stringValue" not in others
    value = verdict.label if verdict.value is None else bool(verdict.value) if is_flag else verdict.value
    kind = {} if "dataType" in others else {"dataType": "CATEGORICAL" if verdict.value is None else "NUMERIC"}
    place = {} if "subject" in others else {"traceId": trace}
    comment = {"comment": verdict.explanation} if verdict.explanation else {}
    return {**place, "name": name, "value": value, **kind, **comment, **others}
