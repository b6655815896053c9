"""The second tier: a judge decides what the rules call uncertain, and its verdicts stand beside theirs as a review.

Scores of the rules stay as they are: a review records who decided, whether they agree, and the score instead.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.results import utc_now
from steelyard.io.reviews import CHOSEN, MODEL_REVIEWER, Judgement, Sampling, digest_of
from steelyard.judges.calls import Caller
from steelyard.judges.run import judge_rows
from steelyard.judges.spec import Judge
from steelyard.judges.tasks import Judged, JudgedRow, default_metrics
from steelyard.legal.model import METRIC as LEGAL
from steelyard.legal.question_types import type_of_parts
from steelyard.registry.judged import RENAMED
from steelyard.stats.review import reviewable, uncertain_flags
from steelyard.table import Table

_PARTS: Final = {"Correct": "exact_match", "Refusal": "correct_abstention"}
"""Metric of answers → the part of legal questions that says the same."""


class _Open(NamedTuple):
    """A verdict to be decided: its row, what the judge sees, and the part of the score that it is about ("" for all).

    Where `is_opposed`, the part is 1 if the judge says 0: a question that should be answered was refused.
    """

    row: int
    seen: JudgedRow
    part: str = ""
    is_opposed: bool = False


def metric_of(table: Table, judge: Judge) -> str:
    """Return the column whose verdicts a judge decides."""
    if not judge.decides:
        raise ConfigError(Message("judges.decides_nothing", judge=judge.name), hint=Message("judges.decides_hint"))
    metric = LEGAL if table.kind == LEGAL else RENAMED.get(judge.decides, judge.decides)
    if metric not in table.columns:
        message = Message("judges.nothing_to_decide", judge=judge.name, metric=judge.decides)
        raise ConfigError(message, where=table.name, hint=Message("judges.add_metric_hint", metric=judge.decides))
    return metric


def second_tier(table: Table, judge: Judge, caller: Caller, *, everything: bool = False) -> list[Judgement]:
    """Return the verdicts of a judge on what is uncertain, or on everything; what it cannot decide stays as it is."""
    metric = metric_of(table, judge)
    flags = uncertain_flags(table, metric)
    rows = [row for row in reviewable(table, metric) if everything or (flags is not None and flags[row])]
    wanted = list(_open_legal(table, judge, rows) if table.kind == LEGAL else _open_answers(table, rows))
    judged = judge_rows(judge, (each.seen for each in wanted), caller, default_metrics(judge))
    digest = digest_of(table)
    sampling = Sampling(0, CHOSEN, len(wanted), len(reviewable(table, metric)), "", 1, 1)
    found = (_judgement(table, metric, judge, each, of) for each, of in zip(wanted, judged, strict=True))
    return [
        Judgement(**fields, metric=metric, result=digest, sampling=sampling, time=utc_now())
        for fields in found
        if fields is not None
    ]


def _open_answers(table: Table, rows: Iterable[int]) -> Iterator[_Open]:
    for row in rows:
        output = (table.outputs[row] if table.outputs else None) or {}
        references = tuple(text for group in output.get("references") or () for text in group)
        contexts = tuple((str(rank), text) for rank, text in enumerate(output.get("contexts") or (), 1))
        question, answer = str(output.get("question") or ""), str(output.get("answer") or "")
        yield _Open(row, JudgedRow(table.ids[row], question, answer, references, contexts))


def _open_legal(table: Table, judge: Judge, rows: Iterable[int]) -> Iterator[_Open]:
    """Yield the items whose open part is what the judge decides."""
    part = _PARTS.get(judge.decides, "")
    values = table.parts[LEGAL]
    for row in rows:
        known = [name for name, of_part in values.items() if not math.isnan(of_part[row])]
        kind = type_of_parts(known)
        if kind is None or kind.open_part != part:
            continue
        output: Mapping[str, Any] = (table.outputs[row] if table.outputs else None) or {}
        verdict = output.get("verdict") or {}
        expected = (verdict.get("expected") or {}).get("answer") or {}
        references = tuple(f"{value}" for value in expected.values())
        question, answer = str(output.get("question") or ""), str(output.get("answer") or "")
        seen = JudgedRow(table.ids[row], question, answer, references)
        yield _Open(row, seen, part, is_opposed=verdict.get("should_abstain") is False)


def _judgement(table: Table, metric: str, judge: Judge, each: _Open, judged: Judged) -> dict[str, Any] | None:
    """Return what the judge says of a verdict; None if it cannot tell."""
    score = next(iter(judged.scores.values()))
    if not isinstance(score, int | float):
        return None
    best = 1.0 if judge.task == "claims" else max(judge.scale.values())
    passes = float((score == best) is not each.is_opposed)
    old = float(table.column(metric)[each.row])
    before, new = (old, passes) if not each.part else _legal_scores(table, each, passes, old)
    agrees = before == passes
    note = next(iter(judged.notes.values()), "")
    return {
        "id": each.seen.id,
        "verdict": old,
        "agree": agrees,
        "unsure": False,
        "remark": str(note),
        "reviewer": f"{MODEL_REVIEWER}{judge.name} {judge.hash}",
        "score": None if agrees else new,
        "parts": {each.part: passes} if each.part and not agrees else {},
    }


def _legal_scores(table: Table, each: _Open, passes: float, score: float) -> tuple[float, float]:
    """Return the part as it was, and the score with the part as the judge has it."""
    parts = {name: float(values[each.row]) for name, values in table.parts[LEGAL].items()}
    known = {name: value for name, value in parts.items() if not math.isnan(value)}
    kind = type_of_parts(known)
    weight = kind.weights(known)[each.part] if kind is not None else 0.0
    return known[each.part], min(1.0, max(0.0, score + weight * (passes - known[each.part])))
