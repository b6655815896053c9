"""Outcomes of answers, and causes of wrong ones: decided from what is known of each answer, and counted with intervals.

Outcomes are those of Magesh and others (Journal of Empirical Legal Studies, 2025): accurate, incomplete, hallucinated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np

from steelyard.stats.intervals import Interval
from steelyard.stats.review import UNCERTAIN
from steelyard.stats.scopes import Scope, clusters_in
from steelyard.stats.summary import ScopeInterval, deciding, known, scope_intervals
from steelyard.table import Column, FloatArray, Table

METRIC: Final = "Accurate"
"""The column of outcomes: 1 for accurate answers; the other outcomes and the causes are its parts."""
OUTCOMES: Final = ("accurate", "incomplete", "hallucinated")
CAUSES: Final = ("invented", "not_retrieved", "not_used", "misread", "retrieval_unknown")
UNCERTAIN_CAUSE: Final = "uncertain_cause"
_BOUNDS: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Answered:
    """What is known of an answer.

    `correct` is 1 if it is right, 0 if it is wrong, else the share that is right; it `lacks` something if it is right
    without all that is required with it. It `states` something unless it is blank, refuses, or copies its sources.
    `retrieved` says whether the evidence was retrieved, None if that is not known, and `uses` whether the answer has
    anything of it. `doubts` are names of fields that may be the other way round.
    """

    correct: float
    invents: bool = False
    states: bool = True
    retrieved: bool | None = None
    uses: bool = False
    lacks: bool = False
    doubts: frozenset[str] = frozenset()

    @property
    def outcome(self) -> str:
        """Return accurate, incomplete or hallucinated."""
        if self.invents:
            return "hallucinated"
        if self.correct == 1:
            return "incomplete" if self.lacks else "accurate"
        return "incomplete" if self.correct > 0 or not self.states else "hallucinated"

    @property
    def cause(self) -> str:
        """Return why the answer is wrong: the first cause that applies; "" if it is right."""
        if self.correct == 1:
            return ""
        if self.invents:
            return "invented"
        if not self.retrieved:
            return "retrieval_unknown" if self.retrieved is None else "not_retrieved"
        return "misread" if self.states and self.uses else "not_used"

    def with_evidence(self, retrieved: bool | None, uses: bool) -> "Answered":
        """Return the same with what is known of the evidence."""
        return replace(self, retrieved=retrieved, uses=uses)

    def variants(self) -> "Iterator[Answered]":
        """Yield what the answer may be, with each doubtful field either way."""
        names = sorted(self.doubts)
        for values in product((False, True), repeat=len(names)):
            changed: dict[str, Any] = dict(zip(names, values, strict=True))
            yield replace(self, **changed)


def parts_of(answers: Sequence[Answered | None]) -> dict[str, FloatArray]:
    """Return outcomes and causes as columns of 0 and 1, NaN where nothing is known; right answers have no cause.

    An answer is uncertain if a doubt would change its outcome; its cause is, if a doubt would change that.
    """
    columns = {name: np.full(len(answers), np.nan) for name in (*OUTCOMES, UNCERTAIN, *CAUSES, UNCERTAIN_CAUSE)}
    for row, answer in enumerate(answers):
        if answer is not None:
            for name, value in _values(answer):
                columns[name][row] = value
    return columns


def _values(answer: Answered) -> Iterator[tuple[str, bool]]:
    variants = list(answer.variants())
    yield from ((name, name == answer.outcome) for name in OUTCOMES)
    yield UNCERTAIN, len({each.outcome for each in variants}) > 1
    if answer.cause:
        yield from ((name, name == answer.cause) for name in CAUSES)
        yield UNCERTAIN_CAUSE, len({each.cause for each in variants}) > 1


@dataclass(frozen=True, slots=True)
class Share:
    """An outcome or a cause: how many answers have it, of how many, and the share with its intervals.

    `low` and `high` are the shares if no uncertain answer had it, and if all of them had.
    """

    name: str
    count: int
    of: int
    low: float
    high: float
    interval: Interval
    scopes: tuple[ScopeInterval, ...]

    @property
    def mean(self) -> float:
        """Return the share."""
        return self.count / self.of

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        numbers = {"count": self.count, "share": known(self.mean), "range": [known(self.low), known(self.high)]}
        return {**numbers, "scopes": [each.as_dict() for each in self.scopes]}


@dataclass(frozen=True, slots=True)
class Attribution:
    """The outcomes of all answers and the causes of the wrong ones, without those on which the system `failed`."""

    outcomes: tuple[Share, ...]
    causes: tuple[Share, ...]
    failed: int

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        sides = {"outcomes": self.outcomes, "causes": self.causes}
        shares = {name: {each.name: each.as_dict() for each in side} for name, side in sides.items()}
        numbers = {"answers": self.outcomes[0].of, "wrong": sum(each.count for each in self.causes)}
        return {**numbers, "failed": self.failed, **shares}


def attribution(table: Table, column: Column | None, scope: Scope) -> Attribution | None:
    """Return the outcomes and causes that a column has as its parts; None if it has none, or no row has a value."""
    if column is None or not {*OUTCOMES[1:], UNCERTAIN} <= column.parts.keys() or not len(column.scored):
        return None
    failed = np.zeros(len(table), np.bool_)
    failed[list(table.failures)] = True
    parts = {OUTCOMES[0]: column.values, **column.parts}
    unknown = np.full(len(table), np.nan)  # results files leave out parts that no item has
    caused = {name: np.where(failed, np.nan, parts.get(name, unknown)) for name in (*CAUSES, UNCERTAIN_CAUSE)}
    outcomes = _shares(OUTCOMES, parts, parts[UNCERTAIN], table, scope)
    return Attribution(outcomes, _shares(CAUSES, caused, caused[UNCERTAIN_CAUSE], table, scope), int(failed.sum()))


def _shares(
    names: Sequence[str], parts: Mapping[str, FloatArray], doubtful: FloatArray, table: Table, scope: Scope
) -> tuple[Share, ...]:
    clusters = clusters_in(scope, table)
    found = []
    for name in names:
        has = parts[name]
        rows = ~np.isnan(has)
        if not rows.any():
            return ()
        of, open_ = int(rows.sum()), doubtful[rows] == 1
        low, high = (float(np.where(open_, end, has[rows]).mean()) for end in (0.0, 1.0))
        scopes = tuple(replace(each, interval=each.interval.within(_BOUNDS)) for each in scope_intervals(has, clusters))
        found.append(Share(name, int(has[rows].sum()), of, low, high, deciding(scopes, scope), scopes))
    return tuple(found)
