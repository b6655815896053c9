"""Spot checks of verdicts: which metric gives verdicts, what passes, and a sample for a person to read."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from steelyard.errors import ConfigError, InputError, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.io.reviews import Judgement, Sampling, digest_of
from steelyard.stats.sampling import Drawn, Stratum, draw, draw_in_turn
from steelyard.stats.selection import AGAIN_HINT
from steelyard.table import Flags, Table

UNCERTAIN: Final = "uncertain"
CERTAIN: Final = "certain"
"""The two strata of `--by uncertain`; all of the first are read before any of the second."""
DOUBTFUL: Final = "doubtful"
PASSING: Final = 0.5
"""A score from here on is a pass, where the result does not say itself what passes."""
NEAR: Final = 0.15
"""A score so near to the lowest one that passes is near the threshold."""
DOUBTS: Final = {"near the threshold": 4.0, "partial credit": 3.0, "remarks": 2.0, "clear": 1.0}
"""Kinds of verdicts, the most doubtful first, and how often one is drawn for each clear one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many verdicts to read: a number, or a share of all of them in percent."""

    number: float
    percent: bool = False

    def of(self, population: int) -> int:
        """How many of so many; at least one, and never more than there are."""
        count = math.ceil(round(population * self.number / 100, 9)) if self.percent else int(self.number)
        return max(1, min(count, population))


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """`by` is a tag, "uncertain", "doubtful", or None for all alike; `metric` is whose verdicts are read."""

    wanted: Wanted
    by: str | None = None
    seed: int = 42
    metric: str | None = None


def take_sample(table: Table, settings: SampleSettings) -> list[Judgement]:
    """A judgement without an opinion for each sampled verdict: by strata where there are several, else in order."""
    metric = verdict_metric(table, settings.metric)
    rows = reviewable(table, metric)
    if not rows:
        raise InputError(Message("reports.no_verdict_review"), where=table.name)
    count = settings.wanted.of(len(rows))
    result = digest_of(table)
    return [
        Judgement(
            *(table.ids[row], float(table.column(metric)[row]), None, False, "", "", metric, result),
            sampling=Sampling(
                settings.seed, settings.by, count, len(rows), drawn.name, len(drawn.rows), drawn.population
            ),
        )
        for drawn in _draw(table, metric, rows, count, settings)
        for row in drawn.rows
    ]


def uncertain_rows(table: Table, metric: str) -> list[int]:
    """The verdicts that the rules could not decide; a result that does not say which is an error."""
    flags = uncertain_flags(table, metric)
    if flags is None:
        hint = Message("reports.judge_again_or_doubtful", again=AGAIN_HINT)
        raise InputError(Message("reports.result_does_not_say_which"), where=table.name, hint=hint)
    return [row for row in reviewable(table, metric) if flags[row]]


def uncertain_flags(table: Table, metric: str) -> Flags | None:
    """Row by row, whether the verdict is uncertain; None where the result does not say."""
    column = table.parts(metric).get(UNCERTAIN)
    return None if column is None or np.isnan(column).all() else column == 1


def verdict_metric(table: Table, name: str | None = None) -> str:
    """The metric whose scores are verdicts: the one that is named, else the first; it must run from 0 to 1."""
    metric = name or table.metrics[0]
    if metric not in table.columns:
        raise UnknownName.of(Message("words.metric"), metric, table.metrics, where=table.name)
    scores = table.scored(metric)
    if len(scores) and not (scores.min() >= 0 and scores.max() <= 1):
        hint = Message("reports.name_another_metric")
        raise ConfigError(Message("reports.gives_no_verdicts_scores_do", metric=metric), hint=hint)
    return metric


def reviewable(table: Table, metric: str) -> list[int]:
    """The rows that have a verdict; where the system failed there is nothing to judge."""
    there = ~np.isnan(table.column(metric))
    return [row for row in np.flatnonzero(there).tolist() if row not in table.failures]


def passed(table: Table, metric: str) -> Flags:
    """Row by row, whether the verdict is a pass: as the result says, else from a score of 0.5 on."""
    said = table.parts(metric).get("passed")
    return table.column(metric) >= PASSING if said is None else said == 1


def _draw(table: Table, metric: str, rows: Sequence[int], count: int, settings: SampleSettings) -> list[Drawn]:
    if settings.by == UNCERTAIN:
        first = uncertain_rows(table, metric)
        rest = sorted(set(rows) - set(first))
        return draw_in_turn(
            [Stratum(UNCERTAIN, tuple(first)), Stratum(CERTAIN, tuple(rest))], count, seed=settings.seed
        )
    strata = _strata(table, metric, rows, settings.by)
    if count < len(strata):
        message = Message("reports.items_cannot_hold_one_each", count=count, strata=len(strata), by=settings.by)
        raise ConfigError(message, hint=Message("reports.ask_more_n", strata=len(strata)))
    return draw(strata, count, seed=settings.seed)


def _strata(table: Table, metric: str, rows: Sequence[int], by: str | None) -> list[Stratum]:
    if by is None:
        return [Stratum("", tuple(rows))]
    if by == DOUBTFUL:
        return _strata_by(_doubts(table, metric), rows, DOUBTS)
    if by not in table.tags:
        hint = nearest(by, [*table.tags, UNCERTAIN, DOUBTFUL])
        raise UnknownName(Message("reports.no_tag_called", tag=by), where=table.name, hint=hint)
    values = table.tags[by]
    return _strata_by(values, rows, dict.fromkeys((values[row] for row in rows), 1.0))


def _strata_by(labels: Sequence[str], rows: Sequence[int], importances: Mapping[str, float]) -> list[Stratum]:
    members: dict[str, list[int]] = {name: [] for name in importances}
    for row in rows:
        members[labels[row]].append(row)
    return [Stratum(name, tuple(found), importances[name]) for name, found in members.items() if found]


def _doubts(table: Table, metric: str) -> list[str]:
    """The kind of each verdict, of those in `DOUBTS`."""
    column, passes = table.column(metric), passed(table, metric)
    kinds = np.array(table.tags.get("type", [""] * len(table)))
    lowest = {kind: min(column[passes & (kinds == kind)], default=PASSING) for kind in dict.fromkeys(kinds.tolist())}
    return [
        _doubt(float(column[row]), float(lowest[kinds[row]]), has_remarks=_has_remarks(table, row))
        for row in range(len(table))
    ]


def _doubt(score: float, threshold: float, *, has_remarks: bool) -> str:
    is_partial = 0 < score < 1
    if is_partial and abs(score - threshold) <= NEAR:
        return "near the threshold"
    if is_partial:
        return "partial credit"
    return "remarks" if has_remarks else "clear"


def _has_remarks(table: Table, row: int) -> bool:
    output = (table.outputs[row] if table.outputs else None) or {}
    return bool((output.get("verdict") or {}).get("remarks"))
