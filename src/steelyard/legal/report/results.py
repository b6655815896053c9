"""Figures of a legal result: parts of the score by type, refusals, hallucination rate, the lowest questions."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from steelyard.legal.formulas import METRIC
from steelyard.legal.question_types import counted_parts, part_labels
from steelyard.reports.content import lowest_rows
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.scopes import Units, clusters_of, scope_of
from steelyard.stats.summary import interval_list, known
from steelyard.table import FloatArray, IntArray, Table

GAP_TYPE: Final = "conflict_gap"
WORST: Final = 5


@dataclass(frozen=True, slots=True)
class PartMean:
    """A part of the score over the items of a type that have it."""

    type: str
    part: str
    mean: float
    interval: Interval
    items: int


@dataclass(frozen=True, slots=True)
class Refusals:
    """Answered and refused, of questions that can and cannot be answered."""

    answered_answerable: int = 0
    refused_answerable: int = 0
    answered_unanswerable: int = 0
    refused_unanswerable: int = 0
    failed: int = 0
    silent: int = 0

    @property
    def over_refusal(self) -> float:
        """The share of answerable questions that were refused."""
        return _share(self.refused_answerable, self.answered_answerable)

    @property
    def false_answer(self) -> float:
        """The share of unanswerable questions that were answered."""
        return _share(self.answered_unanswerable, self.refused_unanswerable)


@dataclass(frozen=True, slots=True)
class LowQuestion:
    """A question with a low score, and the reason."""

    id: str
    score: float
    question: str
    reason: str
    row: int


def part_means(table: Table, units: Units = "auto") -> Iterator[PartMean]:
    """The score and its parts for each type, in order; the scope is that of the whole table."""
    scope = scope_of(units, table)
    for kind in dict.fromkeys(table.tags.get("type", ())):
        of_type = table.take(np.flatnonzero(np.array(table.tags["type"]) == kind))
        columns = {METRIC: of_type.column(METRIC), **of_type.parts.get(METRIC, {})}
        clusters = clusters_of(of_type, scope)
        for part in (METRIC, *part_labels()):
            if part in columns and not np.isnan(columns[part]).all():
                yield part_mean(kind, part, columns[part], clusters)


def part_mean(kind: str, part: str, column: FloatArray, clusters: IntArray | None) -> PartMean:
    """The mean of a part over the items that have it; `clusters` are the units of all items (`clusters_of`)."""
    scored = ~np.isnan(column)
    interval = mean_interval(column[scored], clusters=None if clusters is None else clusters[scored])
    bounded = replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))
    return PartMean(kind, part, float(column[scored].mean()), bounded, int(scored.sum()))


def parts_of_items(table: Table) -> list[dict[str, float]]:
    """The parts of the score of each item that have a value."""
    parts: list[dict[str, float]] = [{} for _ in table.ids]
    for name, column in table.parts.get(METRIC, {}).items():
        for of_item, value in zip(parts, column.tolist(), strict=True):
            if not math.isnan(value):
                of_item[name] = value
    return parts


def weighted_parts(table: Table) -> list[dict[str, tuple[float, float]]]:
    """The parts that count in the score of each item, each with its weight and the value that counts.

    Recall and precision count as 1 if they reach their thresholds, else as 0. Empty where no type has these parts.
    """
    outputs: Sequence[Any] = table.outputs or [None] * len(table)
    reached = [((output or {}).get("verdict") or {}).get("reached") or {} for output in outputs]
    return list(map(counted_parts, parts_of_items(table), table.column(METRIC).tolist(), reached))


def refusals(table: Table) -> Refusals:
    """How questions about gaps were answered; those without an answer are counted by themselves."""
    counts: dict[tuple[bool, bool], int] = {}
    for verdict in _answered_gaps(table).values():
        key = (bool(verdict.get("should_abstain")), verdict["abstained"])
        counts[key] = counts.get(key, 0) + 1
    gaps = _gaps(table)
    failed = sum(row in table.failures for row in gaps)
    return Refusals(
        counts.get((False, False), 0),
        counts.get((False, True), 0),
        counts.get((True, False), 0),
        counts.get((True, True), 0),
        failed,
        len(gaps) - sum(counts.values()) - failed,
    )


def hallucinations(table: Table) -> tuple[int, int]:
    """Of the answers to questions about gaps, the number in which something is invented, and the number of all."""
    column = inventions(table)
    return int(np.nansum(column)), int((~np.isnan(column)).sum())


def inventions(table: Table) -> FloatArray:
    """1 for answers to questions about gaps in which something is invented, 0 for the others, NaN for other items."""
    column = table.parts.get(METRIC, {}).get("no_hallucination", np.full(len(table), np.nan))

    def flag(row: int, verdict: Mapping[str, Any]) -> bool | None:
        return None if np.isnan(column[row]) else bool(column[row] == 0 and verdict.get("invented", True))

    return _flags(table, flag)


def wrong_answers(table: Table) -> FloatArray:
    """1 for questions that were answered and should not be, 0 for those that were refused, NaN for other items."""
    return _flags(table, lambda row, of: not of["abstained"] if of.get("should_abstain") else None)


def wrong_refusals(table: Table) -> FloatArray:
    """1 for answerable questions about gaps that were refused, 0 for those that were answered, NaN for other items."""
    return _flags(table, lambda row, of: None if of.get("should_abstain") else of["abstained"])


def _flags(table: Table, flag: Callable[[int, Mapping[str, Any]], bool | None]) -> FloatArray:
    """A flag of each verdict on a question about a gap that has an answer; NaN where there is none."""
    column = np.full(len(table), np.nan)
    for row, verdict in _answered_gaps(table).items():
        found = flag(row, verdict)
        column[row] = np.nan if found is None else float(bool(found))
    return column


def hallucination_rate(table: Table) -> float:
    """The share of answers to questions about gaps in which something is invented; no answer is not one."""
    invented, answers = hallucinations(table)
    return invented / answers if answers else float("nan")


def has_gaps(table: Table) -> bool:
    """Whether a result has questions about gaps."""
    return bool(_gaps(table))


def _gaps(table: Table) -> list[int]:
    """The rows of questions about gaps."""
    return [row for row, kind in enumerate(table.tags.get("type", ())) if kind == GAP_TYPE]


def _answered_gaps(table: Table) -> dict[int, Mapping[str, Any]]:
    """The verdicts on questions about gaps that have an answer, by row."""
    verdicts = {row: (table.outputs[row] or {}).get("verdict", {}) for row in _gaps(table)} if table.outputs else {}
    return {row: verdict for row, verdict in verdicts.items() if isinstance(verdict.get("abstained"), bool)}


def worst(table: Table, count: int = WORST) -> list[LowQuestion]:
    """The questions with the lowest scores, in order, of equal scores in the order of their ids; all below 1."""
    column = table.column(METRIC)
    outputs: Sequence[Any] = table.outputs or [None] * len(table)
    notes = table.columns[METRIC].notes
    return [
        LowQuestion(
            table.ids[row],
            float(column[row]),
            str((outputs[row] or {}).get("question", "")),
            notes.get(row, ""),
            row,
        )
        for row in lowest_rows(table, METRIC, count, best=1.0)
    ]


def weighted_mean(table: Table) -> float | None:
    """The mean by the weights of the questions; None if the questions have none."""
    weights = [float(weight or 1) for weight in table.tags.get("weight", ())]
    return float(np.average(table.column(METRIC), weights=weights)) if weights else None


def spent(table: Table) -> dict[str, float]:
    """Seconds per question (median and 95th percentile) and tokens, if they were recorded."""
    seconds = [output["seconds"] for output in table.outputs if output and "seconds" in output]
    tokens = [output["tokens"] for output in table.outputs if output and "tokens" in output]
    times = (
        {"seconds_median": float(np.median(seconds)), "seconds_p95": float(np.percentile(seconds, 95))}
        if seconds
        else {}
    )
    return {**times, **({"tokens": float(sum(tokens))} if tokens else {})}


def as_json(table: Table, units: Units = "auto") -> dict[str, Any]:
    """The figures as fields of JSON output."""
    matrix = refusals(table)
    return {
        "by_type": [
            {
                "type": part.type,
                "part": part.part,
                "mean": known(part.mean),
                "ci95": interval_list(part.interval),
                "items": part.items,
            }
            for part in part_means(table, units)
        ],
        "abstention": {
            "answered_answerable": matrix.answered_answerable,
            "abstained_answerable": matrix.refused_answerable,
            "answered_unanswerable": matrix.answered_unanswerable,
            "abstained_unanswerable": matrix.refused_unanswerable,
            "failed": matrix.failed,
            "silent": matrix.silent,
            "over_refusal_rate": known(matrix.over_refusal),
            "false_answer_rate": known(matrix.false_answer),
        },
        **({} if (weighted := weighted_mean(table)) is None else {"weighted_mean": weighted}),
        "hallucination_rate": known(hallucination_rate(table)),
        "worst": [{"id": low.id, "score": low.score, "reason": low.reason} for low in worst(table)],
        **spent(table),
    }


def _share(some: int, others: int) -> float:
    return some / (some + others) if some + others else float("nan")
