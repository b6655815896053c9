"""Outcomes of answers, and causes of those that are not right: decided from what is known of each answer.

This is the one definition of the outcomes; reports, metrics and pages take it from here:

- accurate: right, with all that was asked for (a question of a benchmark: full score);
- hallucinated: not accurate, and a value, name or quotation in it, or cited words, stand nowhere in the sources;
- wrong: not accurate and nothing invented, but it asserts something that is not right, or answers where it must refuse;
- incomplete: nothing false is asserted, but something is missing: a citation, a part of the answer, or all of it,
  because it refuses or is blank where there is an answer, or only copies its sources;
- undecided: a verdict in doubt could make it another of these.

Accurate, incomplete and hallucinated are those of Magesh and others (Journal of Empirical Legal Studies, 2025), who
count wrong answers among the hallucinated ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np

from steelyard.stats.review import UNCERTAIN
from steelyard.table import FloatArray, Table

METRIC: Final = "Accurate"
"""The column of outcomes: 1 for accurate answers; the other outcomes and the causes are its parts."""
UNDECIDED: Final = "undecided"
OUTCOMES: Final = ("accurate", "incomplete", "wrong", "hallucinated", UNDECIDED)
PARTS: Final = (*OUTCOMES[1:-1], UNCERTAIN)
"""The parts of the column that are outcomes, in their order; that of undecided answers has the name of all doubts."""
CAUSES: Final = ("invented", "not_retrieved", "not_used", "misread", "retrieval_unknown")
MOST_UNDECIDED: Final = 0.2
"""The largest share of undecided answers beside which shares of outcomes are given as numbers."""


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
        """Return the outcome, which is undecided if a doubt would change it."""
        found = {each.without_doubts() for each in self.variants()}
        return found.pop() if len(found) == 1 else UNDECIDED

    def without_doubts(self) -> str:
        """Return the outcome if there were no doubts."""
        if self.invents:
            return "hallucinated"
        if self.correct == 1:
            return "incomplete" if self.lacks else "accurate"
        return "incomplete" if self.correct > 0 or not self.states else "wrong"

    @property
    def cause(self) -> str:
        """Return why the answer is not right: the first cause that applies; "" if it is right or undecided."""
        if self.correct == 1 or self.outcome == UNDECIDED:
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
    """Return outcomes and causes as columns of 0 and 1, NaN where nothing is known or an answer has no cause."""
    columns = {name: np.full(len(answers), np.nan) for name in (OUTCOMES[0], *PARTS, *CAUSES)}
    for row, answer in enumerate(answers):
        if answer is None:
            continue
        outcome, cause = answer.outcome, answer.cause
        for name, column in zip(OUTCOMES, (OUTCOMES[0], *PARTS), strict=True):
            columns[column][row] = name == outcome
        for name in CAUSES if cause else ():
            columns[name][row] = name == cause
    return columns


def has_no_point(table: Table, name: str) -> bool:
    """Return whether a column, or a part of one, is a share of outcomes of which too many are undecided.

    It has a range then and no value, and decides nothing.
    """
    metric, _, part = name.partition(".")
    parts = table.columns[metric].parts if metric in table.columns else {}
    if part not in ("", *PARTS[:-1]) or not parts.keys() >= set(PARTS):
        return False
    return too_many_undecided(parts[UNCERTAIN])


def too_many_undecided(undecided: FloatArray) -> bool:
    """Return whether more answers are undecided than shares allow for; NaN are no answers."""
    known = undecided[~np.isnan(undecided)]
    return bool(len(known)) and float(known.mean()) > MOST_UNDECIDED
