"""Figures of a legal result: parts of the score by type, refusals, uncertain verdicts, and what it took.

An uncertain verdict leaves one part of the score open (`Question.open_part`): `exact_match` of a fact, or
`correct_abstention` of a gap. The lowest score has 0 for that part and the highest has 1; every other part stays as
judged. The bounds of the mean are the means of these. A result without the part, written before there was one, has
nothing to show.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from steelyard.legal.model import METRIC
from steelyard.legal.question_types import counted_parts, part_labels, question_types
from steelyard.reports.content import lowest_rows
from steelyard.reports.sections.answers import Counts, Doubts, counts_of
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.review import UNCERTAIN, uncertain_flags
from steelyard.stats.scopes import Units, clusters_of, scope_of
from steelyard.stats.summary import interval_list, known
from steelyard.table import FloatArray, IntArray, Table, mean

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
    """Questions about gaps: answered and refused, and those without an answer."""

    counts: Counts
    failed: int
    silent: int


def by_type(table: Table) -> dict[str, Table]:
    """Return the items of each type of question, in the order of the items."""
    types = np.array(table.tags.get("type", ()))
    return {kind: table.take(np.flatnonzero(types == kind)) for kind in dict.fromkeys(types.tolist())}


def part_means(table: Table, units: Units = "auto") -> Iterator[PartMean]:
    """Yield the score and its parts for each type, in order; the scope is that of the whole table."""
    scope = scope_of(units, table)
    for kind, of_type in by_type(table).items():
        columns = {METRIC: of_type.column(METRIC), **of_type.parts.get(METRIC, {})}
        clusters = clusters_of(of_type, scope)
        for part in (METRIC, *part_labels()):
            if part in columns and not np.isnan(columns[part]).all():
                yield part_mean(kind, part, columns[part], clusters)


def part_mean(kind: str, part: str, column: FloatArray, clusters: IntArray | None) -> PartMean:
    """Return the mean of a part over the items that have it; `clusters` are the units of all items (`clusters_of`)."""
    scored = ~np.isnan(column)
    interval = mean_interval(column[scored], clusters=None if clusters is None else clusters[scored])
    return PartMean(kind, part, float(column[scored].mean()), interval.within((0.0, 1.0)), int(scored.sum()))


def parts_of_items(table: Table) -> list[dict[str, float]]:
    """Return the parts of the score of each item that have a value."""
    parts: list[dict[str, float]] = [{} for _ in table.ids]
    for name, column in table.parts.get(METRIC, {}).items():
        for of_item, value in zip(parts, column.tolist(), strict=True):
            if not math.isnan(value):
                of_item[name] = value
    return parts


def output_of(table: Table, row: int) -> Mapping[str, Any]:
    """Return what the system returned for an item, with the verdict; empty if the result does not have it."""
    return (table.outputs[row] if table.outputs else None) or {}


def weighted_parts(table: Table) -> list[dict[str, tuple[float, float]]]:
    """Return the parts that count in the score of each item, each with its weight and the value that counts.

    Recall and precision count as 1 if they reach their thresholds, else as 0. Empty where no type has these parts.
    """
    verdicts = [output_of(table, row).get("verdict") or {} for row in range(len(table))]
    reached = [verdict.get("reached") or {} for verdict in verdicts]
    return list(map(counted_parts, parts_of_items(table), table.column(METRIC).tolist(), reached))


def refusals(table: Table) -> Refusals:
    """Return how questions about gaps were answered; those without an answer are counted by themselves."""
    counts, gaps = counts_of(wrong_refusals(table), wrong_answers(table)), _gaps(table)
    failed = sum(row in table.failures for row in gaps)
    return Refusals(counts, failed, len(gaps) - sum(counts) - failed)


def wrong_answers(table: Table) -> FloatArray:
    """1 for questions that were answered and should not be, 0 for those that were refused, NaN for other items."""
    return _flags(table, lambda row, of: not of["abstained"] if of.get("should_abstain") else None)


def wrong_refusals(table: Table) -> FloatArray:
    """1 for answerable questions about gaps that were refused, 0 for those that were answered, NaN for other items."""
    return _flags(table, lambda row, of: None if of.get("should_abstain") else of["abstained"])


def _flags(table: Table, flag: Callable[[int, Mapping[str, Any]], bool | None]) -> FloatArray:
    """Per row: the flag of the verdict on an answered gap question, NaN elsewhere."""
    column = np.full(len(table), np.nan)
    for row in _gaps(table):
        verdict = output_of(table, row).get("verdict", {})
        if isinstance(verdict.get("abstained"), bool) and (found := flag(row, verdict)) is not None:
            column[row] = found
    return column


def has_gaps(table: Table) -> bool:
    """Return whether a result has questions about gaps."""
    return bool(_gaps(table))


def _gaps(table: Table) -> list[int]:
    """Return the rows of questions about gaps."""
    gaps = {kind.type for kind in question_types() if kind.may_abstain}
    return [row for row, kind in enumerate(table.tags.get("type", ())) if kind in gaps]


def score_range(scores: FloatArray, parts: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest score of each item; both are its score where the verdict is certain.

    An item belongs to the type whose open part it has; a type without an open part has no range.
    """
    low, high = scores.copy(), scores.copy()
    is_open = parts[UNCERTAIN] == 1 if UNCERTAIN in parts else np.zeros(len(scores), bool)
    for kind in question_types():
        column = parts.get(kind.open_part or "")
        if column is None:
            continue
        for row in np.flatnonzero(is_open & ~np.isnan(column)):
            present = [name for name, values in parts.items() if not np.isnan(values[row])]
            weight = kind.weights(present)[str(kind.open_part)]
            low[row] -= weight * column[row]
            high[row] += weight * (1 - column[row])
    return np.clip(low, 0, 1), np.clip(high, 0, 1)  # both are sums of rounded numbers


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The share of uncertain verdicts among the items that have the part, and the bounds of the mean score."""

    share: PartMean
    count: int
    mean: float
    low: float
    high: float

    @property
    def doubts(self) -> Doubts:
        """The numbers of a table of uncertain verdicts."""
        return Doubts(self.count, self.share.items, self.mean, self.low, self.high)

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        share = {"share": self.share.mean, "ci95": interval_list(self.share.interval)}
        return {
            "count": self.count,
            "items": self.share.items,
            **share,
            "mean_range": [known(self.low), known(self.high)],
        }


def uncertain(table: Table, kind: str = "", units: Units = "auto") -> Uncertain | None:
    """Return what is uncertain in a result, or in its items of one type; None where the result does not say."""
    flags = uncertain_flags(table, METRIC)
    if flags is None:
        return None
    clusters = clusters_of(table, scope_of(units, table))
    share = part_mean(kind, UNCERTAIN, table.parts[METRIC][UNCERTAIN], clusters)
    means = [mean(ends[~np.isnan(ends)]) for ends in score_range(table.column(METRIC), table.parts.get(METRIC, {}))]
    return Uncertain(share, int(flags.sum()), table.mean(METRIC), *means)


def uncertain_by_type(table: Table, units: Units = "auto") -> list[Uncertain]:
    """Return the same for each type of question that says it, in order."""
    scope = scope_of(units, table)
    of_types = (uncertain(of_type, kind, scope) for kind, of_type in by_type(table).items())
    return [summary for summary in of_types if summary is not None]


def weighted_mean(table: Table) -> float | None:
    """Return the mean by the weights of the questions; None if the questions have none."""
    weights = [float(weight or 1) for weight in table.tags.get("weight", ())]
    return float(np.average(table.column(METRIC), weights=weights)) if weights else None


def spent(table: Table) -> dict[str, float]:
    """Seconds per question (median and 95th percentile) and tokens, if they were recorded."""
    seconds, tokens = (
        [output[name] for output in table.outputs if output and name in output] for name in ("seconds", "tokens")
    )
    found = {"tokens": float(sum(tokens))} if tokens else {}
    if not seconds:
        return found
    return {"seconds_median": float(np.median(seconds)), "seconds_p95": float(np.percentile(seconds, 95)), **found}


def as_json(table: Table, units: Units = "auto") -> dict[str, Any]:
    """Return the figures as fields of JSON output."""
    gaps, weighted, doubts = refusals(table), weighted_mean(table), uncertain(table, units=units)
    counts = gaps.counts
    kinds = {each.share.type: each.as_dict() for each in uncertain_by_type(table, units)}
    by_part = [
        {"type": part.type, "part": part.part, "mean": known(part.mean), "ci95": interval_list(part.interval)}
        | {"items": part.items}
        for part in part_means(table, units)
    ]
    scores, notes = table.column(METRIC), table.columns[METRIC].notes
    return {
        "by_type": by_part,
        "abstention": {
            "answered_answerable": counts.answered,
            "abstained_answerable": counts.over_refused,
            "answered_unanswerable": counts.missed,
            "abstained_unanswerable": counts.refused,
            "failed": gaps.failed,
            "silent": gaps.silent,
            "over_refusal_rate": known(counts.over_refusal),
            "false_answer_rate": known(counts.false_answer),
        },
        **({} if weighted is None else {"weighted_mean": weighted}),
        "worst": [
            {"id": table.ids[row], "score": float(scores[row]), "reason": notes.get(row, "")}
            for row in lowest_rows(table, METRIC, WORST, best=1.0)
        ],
        **spent(table),
        **({} if doubts is None else {UNCERTAIN: {**doubts.as_dict(), "by_type": kinds}}),
    }
