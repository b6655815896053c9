"""The alternative annotator test (Calderon, Reichart and Dror 2025): may a judge stand in for people?

Each person is left out in turn. Whoever is at least as close to the labels of the others on an item wins it, the
person or the judge, or both. The judge wins against a person if that person does not win a share of epsilon more of the
items: epsilon is what people cost.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from steelyard.stats.correction import adjust
from steelyard.stats.distributions import TIE_TOLERANCE, deviation, require_share, t_two_sided
from steelyard.table import FloatArray, IntArray

Closeness = Literal["accuracy", "rmse"]
"""How close an answer is to those of others: the share that equal it, or the root of the mean squared distance."""

FEWEST_ITEMS: Final = 30
"""People who labelled fewer items that others labelled too are not compared."""
_FEWEST_PEOPLE: Final = 2  # who labelled an item
_PASSES_FROM: Final = 0.5


@dataclass(frozen=True, slots=True)
class AltTest:
    """The winning rate omega, the advantage rho, whether the judge passes, and p and the items of each person.

    p is NaN for people who are not compared. The winning rate is the share of people that the judge wins against, of
    those compared; it passes at half of them. The advantage, which ranks judges, is the mean share of items on which
    the judge is at least as close to the others as the person is.
    """

    winning_rate: float
    advantage: float
    passes: bool
    p_values: tuple[float, ...]
    n: tuple[int, ...]


def alt_test(
    judge: Sequence[float] | FloatArray,
    people: FloatArray,
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    metric: Closeness = "accuracy",
) -> AltTest:
    """Return the test of a judge against people, the rows of `people`; a column is an item, NaN is no label.

    One-sided t tests, corrected by Benjamini and Yekutieli (2001) so that a share q of the wins is false at most.
    Epsilon is 0.2 for experts, 0.15 for trained people, 0.1 for crowds.
    """
    require_share("q", q)
    verdicts = np.asarray(judge, np.float64)
    if people.ndim != 2 or verdicts.shape != people.shape[1:]:
        raise ValueError(f"{verdicts.size} verdicts for {people.shape} people and items")
    kept = ~np.isnan(verdicts) & ((~np.isnan(people)).sum(axis=0) >= _FEWEST_PEOPLE)
    labels, verdicts = people[:, kept], verdicts[kept]
    known = ~np.isnan(labels)
    leads = _LEADS[metric](verdicts, labels)
    each = [row[has] for row, has in zip(leads, known, strict=True)]
    p_values = tuple(_p_value(-own, epsilon) for own in each)
    shares = [float(np.mean(own >= 0)) for own in each if len(own) >= FEWEST_ITEMS]
    rate, advantage = (_winning_rate(p_values, q), float(np.mean(shares))) if shares else (math.nan, math.nan)
    return AltTest(rate, advantage, rate >= _PASSES_FROM, p_values, tuple(map(len, each)))


def _p_value(differences: FloatArray, epsilon: float) -> float:
    """Return p of the one-sided t test that the mean is below epsilon; NaN for too few items."""
    if len(differences) < FEWEST_ITEMS:
        return math.nan
    gap, spread = float(differences.mean()) - epsilon, deviation(differences)
    if spread == 0:
        return 0.0 if gap < 0 else 1.0
    tail = t_two_sided(gap * math.sqrt(len(differences)) / spread, len(differences) - 1) / 2
    return tail if gap < 0 else 1 - tail


def _winning_rate(p_values: Sequence[float], q: float) -> float:
    """Return the share of tests that are rejected: Benjamini and Hochberg's at q / (1 + 1/2 + ... + 1/tests)."""
    adjusted = [p for p in adjust(p_values, "bh") if not math.isnan(p)]
    harmonic = math.fsum(1 / rank for rank in range(1, len(adjusted) + 1))
    return sum(p <= q / harmonic for p in adjusted) / len(adjusted)


def _accuracy_leads(judge: FloatArray, labels: FloatArray) -> FloatArray:
    """Return the sign of how many more of the others' labels equal the verdict than equal the person's label."""
    matches = labels == judge
    lead = matches.sum(axis=0) - matches - (_equal_labels(labels) - 1)
    return np.asarray(np.sign(lead), np.float64)


def _equal_labels(labels: FloatArray) -> IntArray:
    """Return for each label how many people gave it to the item, this person included."""
    _, codes = np.unique(labels, return_inverse=True)
    items = np.arange(labels.shape[1])
    keys = codes.reshape(labels.shape) * labels.shape[1] + items
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[places].reshape(labels.shape)


def _rmse_leads(judge: FloatArray, labels: FloatArray) -> FloatArray:
    """Return the sign of how much closer to the others' labels the verdict is than the person's label.

    The sum over the others is that over all people without the own term; labels are taken from the mean of the item, so
    that no digits are lost.
    """
    people, means = (~np.isnan(labels)).sum(axis=0), np.nansum(labels, axis=0)
    means = means / np.maximum(people, 1)
    own, verdict = labels - means, judge - means
    of_verdict = people * verdict**2 - (own - verdict) ** 2
    of_person = people * own**2
    lead = of_person - of_verdict
    tied = np.abs(lead) <= TIE_TOLERANCE * (of_person + people * verdict**2)
    return np.where(tied, 0.0, np.sign(lead))


_LEADS: Final[dict[Closeness, Callable[[FloatArray, FloatArray], FloatArray]]] = {
    "accuracy": _accuracy_leads,
    "rmse": _rmse_leads,
}
