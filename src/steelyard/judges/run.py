"""Judging rows: the calls of many rows are made together, repeats are combined, and the scores become a Table."""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard import __version__
from steelyard.answers.rows import AnswerRow, Wanted
from steelyard.answers.sources import Answers, AnswerStream, stream_answers
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.addresses import masked_url
from steelyard.io.records import result_name
from steelyard.judges.calls import NOT_ASKED, Call, Caller
from steelyard.judges.prompts import language_of
from steelyard.judges.replies import Answer, unscored
from steelyard.judges.spec import Judge
from steelyard.judges.tasks import Judged, JudgedRow, Score, Steps, default_metrics, metrics_of, needs_of, steps_of
from steelyard.table import JUDGES, Column, Missing, Note, Signature, Table

CALLS: Final = "counts.judge_calls"
TOKENS: Final = "counts.judge_tokens"
_LACKING: Final[Mapping[str, Message]] = {
    "question": Message("missing.no_question"),
    "references": Message("missing.no_reference"),
    "contexts": Message("missing.no_contexts"),
}


def judge_rows(
    judge: Judge, rows: Iterable[JudgedRow], caller: Caller, metrics: Sequence[str], *, is_planned: bool = False
) -> Iterator[Judged]:
    """Yield the scores of each row, in order; with `is_planned`, calls that are not made have the assumed answers."""
    left = iter(rows)
    while batch := list(islice(left, caller.together)):
        caller.ahead = max(caller.ahead - len(batch), 0)
        runs = [
            _lacking(judge, row, metrics) or [_Row(judge, row, metrics, n) for n in range(judge.repeats)]
            for row in batch
        ]
        _drive([run for of_row in runs if isinstance(of_row, list) for run in of_row], caller, is_planned=is_planned)
        for of_row in runs:
            yield of_row if isinstance(of_row, Judged) else combined(judge, [run.judged for run in of_row], metrics)


class _Row:
    """One repeat of the judgment of a row: its steps, and the calls that it waits for."""

    def __init__(self, judge: Judge, row: JudgedRow, metrics: Sequence[str], repeat: int) -> None:
        self.row, self.repeat = row, repeat
        self.language = language_of(row.question, row.answer)
        self.judged = Judged({})
        self._steps: Steps = steps_of(judge, row, metrics)
        self._begun = False

    def next_calls(self, caller: Caller, answers: list[Answer]) -> list[Call]:
        """Take the answers of the last calls, and return the next; none when the row is judged."""
        try:
            requests = self._steps.send(answers) if self._begun else next(self._steps)
        except StopIteration as end:
            self.judged = end.value
            return []
        self._begun = True
        return [caller.call(self.row.id, request, self.language, self.repeat) for request in requests]


def _drive(rows: list[_Row], caller: Caller, *, is_planned: bool) -> None:
    """Make the calls of all rows, round by round, until each is judged."""
    waiting = {run: run.next_calls(caller, []) for run in rows}
    while waiting := {run: calls for run, calls in waiting.items() if calls}:
        answers = caller.answers(call for calls in waiting.values() for call in calls)
        waiting = {
            run: run.next_calls(caller, [_assumed(call, answers[call.key], is_planned) for call in calls])
            for run, calls in waiting.items()
        }


def _assumed(call: Call, answer: Answer, is_planned: bool) -> Answer:
    is_open = is_planned and answer.why == NOT_ASKED and call.request.assumed is not None
    return Answer(call.request.assumed) if is_open else answer


def _lacking(judge: Judge, row: JudgedRow, metrics: Sequence[str]) -> Judged | None:
    """Return why a row is not judged, if it lacks something."""
    need = next((need for need in needs_of(judge, metrics) if not row.has(need)), None)
    return None if need is None else Judged(dict.fromkeys(metrics, Missing("unscored", _LACKING[need])))


def combined(judge: Judge, repeats: Sequence[Judged], metrics: Sequence[str]) -> Judged:
    """Return one judgment of several: the median of the scores and parts, and the share of repeats that differ from it.

    Between two verdicts there is none: such a row is unscored. Notes and details are those of the first repeat that has
    the median.
    """
    if len(repeats) == 1:
        return repeats[0]
    scores: dict[str, Score] = {}
    parts: dict[str, dict[str, float]] = {}
    for metric in metrics:
        given = [each.scores[metric] for each in repeats]
        known = [score for score in given if isinstance(score, float)]
        parts[metric] = _medians([each.parts.get(metric, {}) for each in repeats])
        if 2 * len(known) <= len(repeats):
            scores[metric] = next(score for score in given if isinstance(score, Missing))
            continue
        median = statistics.median(known)
        is_between = judge.task == "verdict" and median not in known
        scores[metric] = unscored("missing.judge_split", repeats=len(repeats)) if is_between else median
        parts[metric]["flipped"] = sum(score != median for score in given) / len(repeats)
    first = metrics[0]
    typical = next((each for each in repeats if each.scores[first] == scores[first]), repeats[0])
    return replace(typical, scores=scores, parts=parts)


def _medians(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median of each part over the repeats that have it."""
    values: dict[str, list[float]] = {}
    for name, value in (item for each in parts for item in each.items()):
        values.setdefault(name, []).extend([] if math.isnan(value) else [value])
    return {name: statistics.median(known) if known else math.nan for name, known in values.items()}


@dataclass(slots=True)
class ColumnBuilder:
    """The column of one metric, row by row."""

    bounds: tuple[float, float] = (0.0, 1.0)
    values: list[float] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    reasons: dict[Missing, int] = field(default_factory=dict)
    parts: dict[str, dict[int, float]] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)

    def add(self, score: Score, parts: Mapping[str, float], note: Note | None) -> None:
        """Append a row."""
        row = len(self.values)
        is_missing = isinstance(score, Missing)
        self.values.append(np.nan if isinstance(score, Missing) else score)
        self.status.append(self.reasons.setdefault(score, len(self.reasons) + 1) if isinstance(score, Missing) else 0)
        for name, value in parts.items():
            self.parts.setdefault(name, {})[row] = value
        if note and not is_missing:
            self.notes[row] = note

    def column(self) -> Column:
        """Return the column; a range is part of it only where the judge could not tell somewhere."""
        size = len(self.values)
        is_ranged = any(self.parts.get("unknown", {}).values())
        kept = [name for name in self.parts if is_ranged or name not in ("unknown", "low", "high")]
        parts = {name: np.full(size, np.nan) for name in kept}
        for name, values in parts.items():
            values[list(self.parts[name])] = list(self.parts[name].values())
        status = np.array(self.status, np.int64)
        return Column(np.array(self.values, np.float64), status, tuple(self.reasons), parts, self.notes, self.bounds)


def row_of(row: AnswerRow) -> JudgedRow:
    """Return what a judge sees of a row of a file."""
    contexts = tuple((each.id or str(rank), each.text or "") for rank, each in enumerate(row.contexts or (), 1))
    references = tuple(dict.fromkeys(text for group in row.references for text in group))
    return JudgedRow(row.id, row.question, row.prediction or "", references, contexts)


def chosen_metrics(judge: Judge, names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics of a judge that the user names, else those that it has by default."""
    known = {name.casefold(): name for name in metrics_of(judge)}
    for name in names:
        if name.casefold() not in known:
            raise UnknownName.of(Message("words.metric"), name, list(known.values()))
    return tuple(known[name.casefold()] for name in names) or default_metrics(judge)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of rows, and how it is read: columns of fields and tags, one of its systems, and the first rows only."""

    path: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    system: str | None = None
    limit: int | None = None
    tags: Sequence[str] = ()

    @property
    def most(self) -> float:
        """The most rows; the others are read too, because the digest is that of the whole file."""
        return math.inf if self.limit is None else self.limit

    def as_dict(self) -> dict[str, Any]:
        """Return the source as a journal records it, without secrets of an address."""
        fields = {"path": masked_url(self.path), "mapping": dict(self.mapping), "system": self.system}
        return {**fields, "limit": self.limit, "tags": list(self.tags)}

    def read(self, needs: Sequence[str] = ("answer",)) -> "Rows":
        """Read the rows; an error if there are none, or if a column of tags is in none of them."""
        fields = frozenset(("prediction",) if "answer" in needs else ())
        wanted = Wanted(fields=fields, contexts="needed", system=self.system, labels=tuple(self.tags))
        answers = stream_answers(self.path, mapping=self.mapping, references=None, wanted=wanted)
        rows = [row for number, row in enumerate(chain.from_iterable(answers.batches())) if number < self.most]
        if not rows:
            raise InputError(Message("formats.empty_file"), where=self.path)
        known = {name for row in rows for name in row.tags}
        for name in self.tags:
            if name not in known:
                raise InputError(Message("judges.no_column", name=name), where=self.path)
        return Rows(answers, rows)


class Rows(NamedTuple):
    """The rows of a source, and how they were read."""

    answers: Answers | AnswerStream
    rows: list[AnswerRow]


def judge_file(
    judge: Judge,
    source: Source,
    read: Rows,
    caller: Caller,
    metrics: Sequence[str],
    *,
    name: str | None = None,
    is_planned: bool = False,
) -> Table:
    """Judge the rows of a file."""
    answers, rows = read
    caller.ahead = len(rows)
    columns = {metric: ColumnBuilder() for metric in metrics}
    details = []
    for judged in judge_rows(judge, map(row_of, rows), caller, metrics, is_planned=is_planned):
        for metric, builder in columns.items():
            builder.add(judged.scores[metric], judged.parts.get(metric, {}), judged.notes.get(metric))
        details.append(judged.details)
    return Table(
        ids=[row.id for row in rows],
        columns={metric: builder.column() for metric, builder in columns.items()},
        name=name or result_name(answers.name),
        signature=_signature(judge, metrics, answers.digest),
        tags=_tags(rows),
        outputs=[_output(row, judge, found) for row, found in zip(rows, details, strict=True)],
        failures={number: row.error for number, row in enumerate(rows) if row.error},
        counts={**answers.counts, **spent(caller)},
        complete=not caller.stopped,
        created=caller.journal.header.get("created"),
        main=metrics[0],
    )


def check_needs(judge: Judge, read: Rows, metrics: Sequence[str], where: str) -> None:
    """Refuse rows of which none has something that the judge needs."""
    rows = list(map(row_of, read.rows))
    for need in needs_of(judge, metrics):
        if not any(row.has(need) for row in rows):
            message = Message("judges.needs_unmet", judge=judge.name, need=need)
            raise InputError(message, where=where, hint=Message("judges.map_hint", need=need))


def spent(caller: Caller) -> dict[str, int]:
    """Return the calls and tokens of a result, whether they were made now or are from the journal."""
    tokens = sum(reply.sent + reply.received for reply in caller.used.values())
    return {CALLS: len(caller.used), **({TOKENS: tokens} if tokens else {})}


def _signature(judge: Judge, metrics: Sequence[str], digest: str) -> Signature:
    return Signature.of(
        {
            "kind": "answers",
            JUDGES: ",".join(f"{metric}={judge.hash}" for metric in metrics),
            "judge": judge.name,
            "model": judge.model,
            "unknown": judge.unknown,
            "repeats": judge.repeats,
            "predictions": f"sha256 {digest[:16]}",
            "steelyard": __version__,
        }
    )


def _tags(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row.tags)
    return {name: [row.tags.get(name, "") for row in rows] for name in names}


def _output(row: AnswerRow, judge: Judge, details: Mapping[str, Any]) -> dict[str, Any]:
    contexts = [each.text or "" for each in row.contexts or ()]
    ids = [each.id for each in row.contexts or ()]
    return {
        "question": row.question,
        "answer": row.prediction,
        "references": [list(group) for group in row.references],
        **({"contexts": contexts} if contexts else {}),
        **({"context_ids": ids} if all(ids) and ids else {}),
        **({"judged": {judge.name: dict(details)}} if details else {}),
    }
