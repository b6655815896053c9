"""Outcomes of answers, and causes of those not right, counted with intervals (`stats.outcomes` decides them)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from steelyard.stats.intervals import Interval
from steelyard.stats.outcomes import CAUSES, OUTCOMES, PARTS, too_many_undecided
from steelyard.stats.review import UNCERTAIN
from steelyard.stats.scopes import Scope, clusters_in
from steelyard.stats.summary import NO_INTERVAL, ScopeInterval, deciding, known, scope_intervals
from steelyard.table import Column, FloatArray, Table

_BOUNDS: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Share:
    """An outcome or a cause: how many answers have it, of how many, and the share with its intervals.

    `low` and `high` are the shares if no undecided answer had it, and if all of them had. Where too many are undecided,
    `mean` and intervals are NaN.
    """

    name: str
    count: int
    of: int
    mean: float
    low: float
    high: float
    interval: Interval
    scopes: tuple[ScopeInterval, ...]

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        numbers = {"count": self.count, "share": known(self.mean), "range": [known(self.low), known(self.high)]}
        return {**numbers, "scopes": [each.as_dict() for each in self.scopes]}


@dataclass(frozen=True, slots=True)
class Attribution:
    """The outcomes of all answers and the causes of those not right, without those on which the system `failed`."""

    outcomes: tuple[Share, ...]
    causes: tuple[Share, ...]
    failed: int

    @property
    def answers(self) -> int:
        """The number of answers."""
        return self.outcomes[0].of

    @property
    def undecided(self) -> int:
        """The number of answers whose outcome the rules cannot decide."""
        return self.outcomes[-1].count

    @property
    def decided(self) -> float:
        """The share of answers whose outcome is decided."""
        return 1 - self.undecided / self.answers

    @property
    def has_point(self) -> bool:
        """Whether so many are decided that the shares have values."""
        return not math.isnan(self.outcomes[0].mean)

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        sides = {"outcomes": self.outcomes, "causes": self.causes}
        shares = {name: {each.name: each.as_dict() for each in side} for name, side in sides.items()}
        numbers = {"answers": self.answers, "wrong": sum(each.count for each in self.causes)}
        return {**numbers, "decided": self.decided, "failed": self.failed, **shares}


def attribution(table: Table, column: Column | None, scope: Scope) -> Attribution | None:
    """Return the outcomes and causes that a column has as its parts; None if it has none, or no row has a value."""
    if column is None or not column.parts.keys() >= set(PARTS) or not len(column.scored):
        return None
    failed = np.zeros(len(table), np.bool_)
    failed[list(table.failures)] = True
    of_outcomes = (column.values, *(column.parts[part] for part in PARTS))
    unknown = np.full(len(table), np.nan)  # results files leave out parts that no item has
    caused = {name: np.where(failed, np.nan, column.parts.get(name, unknown)) for name in CAUSES}
    outcomes = _shares(dict(zip(OUTCOMES, of_outcomes, strict=True)), column.parts[UNCERTAIN], table, scope)
    return Attribution(outcomes, _shares(caused, np.zeros(len(table)), table, scope), int(failed.sum()))


def _shares(columns: Mapping[str, FloatArray], undecided: FloatArray, table: Table, scope: Scope) -> tuple[Share, ...]:
    """Return the share of each column, whose answers are the rows that have a value."""
    rows = ~np.isnan(next(iter(columns.values())))
    if not rows.any():
        return ()
    of, has_point, clusters = int(rows.sum()), not too_many_undecided(undecided[rows]), clusters_in(scope, table)
    found = []
    for name, has in columns.items():
        intervals = scope_intervals(has, clusters)
        scopes = tuple(
            replace(each, interval=each.interval.within(_BOUNDS) if has_point else NO_INTERVAL) for each in intervals
        )
        count = int(has[rows].sum())
        low, high = count / of, float(np.maximum(has, undecided)[rows].mean())
        mean = low if has_point else math.nan
        found.append(Share(name, count, of, mean, low, high, deciding(scopes, scope), scopes))
    return tuple(found)
