"""Agreement of judges: kappa, AC1, alpha, exact intervals of an error rate, and the effective sample size."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.distributions import normal_quantile, regularised_beta, require_resamples, require_share
from steelyard.stats.intervals import Interval
from steelyard.table import FloatArray, IntArray

Weighting = Literal["none", "quadratic"]
"""Whether every disagreement counts the same, or that of grades by its square."""
Level = Literal["nominal", "ordinal", "interval"]
"""What ratings are: names, grades in an order, or numbers."""

_HALVINGS: Final = 200
_LEVEL: Final = 0.95  # of the two-sided intervals


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa or Gwet's AC1 with its large-sample interval; NaN if the agreement expected by chance is 1.

    The interval is NaN at 1 and -1 too, where the standard error is 0 however few items there are.
    """

    value: float
    interval: Interval


def cohen_kappa(counts: FloatArray, *, weighting: Weighting = "none") -> Kappa:
    """Cohen's kappa of two judges: `counts[i][j]` items were labelled i by one and j by the other.

    With the quadratic weighting labels are grades, and a disagreement counts as the square of its distance (Cohen
    1968). The standard error is that of Fleiss, Cohen and Everitt (1969) for a kappa that is not 0. Counts may be
    weights that sum to the effective number of items.
    """
    shares, total = _shares(counts)
    weights = _WEIGHTS[weighting](len(shares))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, by_chance = float((weights * shares).sum()), float(rows @ weights @ columns)
    if total == 0 or math.isclose(by_chance, 1.0):
        return _with_interval(math.nan, math.nan, "kappa")
    kappa = (observed - by_chance) / (1 - by_chance)
    pulls = weights - ((weights @ columns)[:, None] + (weights.T @ rows)[None, :]) * (1 - kappa)
    variance = float((shares * pulls**2).sum()) - (kappa - by_chance * (1 - kappa)) ** 2
    return _with_interval(kappa, variance / (1 - by_chance) ** 2 / total, "kappa")


def kappa_of(labels: FloatArray, verdicts: FloatArray, *, clusters: ArrayLike | None = None) -> Kappa:
    """Cohen's kappa of labels and verdicts; of more than two values that with quadratic weights, by their distance.

    For any numbers it is Lin's concordance coefficient (1989): 1 - mean squared difference / that of unrelated pairs.
    The standard error is that of its influence function, which for 0 and 1 is that of `cohen_kappa`; the influences of
    the items of a cluster are summed.
    """
    squares = (labels - verdicts) ** 2
    by_chance = ((labels - verdicts.mean()) ** 2 + verdicts.var()) if len(labels) else squares
    expected = float(by_chance.mean()) if len(labels) else 0.0
    if expected <= 0:
        return _with_interval(math.nan, math.nan, "kappa")
    observed = float(squares.mean())
    of_pairs = by_chance + (verdicts - labels.mean()) ** 2 + labels.var() - 2 * expected
    pulls = (observed * of_pairs / expected - (squares - observed)) / expected
    sums = pulls if clusters is None else np.bincount(np.unique(clusters, return_inverse=True)[1], weights=pulls)
    widened = 1.0 if clusters is None else len(sums) / max(len(sums) - 1, 1)
    variance = widened * float((sums * sums).sum()) / len(labels) ** 2
    return _with_interval(1 - observed / expected, math.nan if len(sums) < 2 else variance, "kappa")


def gwet_ac1(counts: FloatArray) -> Kappa:
    """Gwet's AC1 (2008) of two judges, which stays high where nearly all items have one label and the judges agree.

    Chance agreement is that of items whose label is guessed: the mean of share * (1 - share) over the labels but one.
    Every label that could be given has a row and a column of `counts`, used or not. NaN for a single label.
    """
    shares, total = _shares(counts)
    if total == 0 or len(shares) < 2:
        return _with_interval(math.nan, math.nan, "ac1")
    uses, others = (shares.sum(axis=1) + shares.sum(axis=0)) / 2, len(shares) - 1
    observed, by_chance = float(np.trace(shares)), float((uses * (1 - uses)).sum()) / others
    ac1 = (observed - by_chance) / (1 - by_chance)
    pulls = np.eye(len(shares)) - (1 - ac1) * (2 - uses[:, None] - uses[None, :]) / others
    variance = float((shares * pulls**2).sum()) - (observed - 2 * (1 - ac1) * by_chance) ** 2
    return _with_interval(ac1, variance / (1 - by_chance) ** 2 / total, "ac1")


def krippendorff_alpha(ratings: FloatArray, *, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha of any number of raters (rows) on items (columns), with NaN for a missing rating.

    It is 1 - observed / expected disagreement of pairs of ratings; NaN if no item has two, or all are equal. Ratings of
    the interval level disagree by their squared distance, ordinal ones by that of their ranks.
    """
    sample = _Ratings.of(ratings, level)
    return sample.alpha(np.ones(len(sample.sizes)))


def alpha_interval(ratings: FloatArray, *, level: Level = "nominal", resamples: int = 1000, seed: int = 42) -> Interval:
    """Return the 95 % percentile interval of Krippendorff's alpha, with the items drawn again."""
    require_resamples(resamples)
    sample = _Ratings.of(ratings, level)
    items, generator = len(sample.sizes), np.random.Generator(np.random.Philox(seed))
    draws = (
        np.bincount(generator.integers(items, size=items), minlength=items) for _ in range(resamples if items else 0)
    )
    found = np.array([sample.alpha(drawn.astype(np.float64)) for drawn in draws])
    defined = found[~np.isnan(found)]
    ends = np.quantile(defined, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]) if len(defined) else (math.nan, math.nan)
    return Interval(float(ends[0]), float(ends[1]), "bootstrap")


def clopper_pearson_upper(errors: float, trials: float, *, confidence: float = 0.95) -> float:
    """Return the exact one-sided upper bound of an error rate (Clopper and Pearson 1934).

    It is the largest rate at which this few errors in this many trials have a probability of 1 - confidence. Errors and
    trials may be fractional, as Korn and Graubard (1998) use them for weighted samples.

    >>> round(clopper_pearson_upper(0, 59), 3)
    0.05
    """
    require_share("confidence", confidence)
    if not 0 <= errors <= trials:
        raise ValueError(f"{errors} errors in {trials} trials")
    if errors == trials:
        return 1.0
    low, high = errors / trials, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if regularised_beta(trials - errors, errors + 1, 1 - middle, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def clopper_pearson(successes: float, trials: float, *, level: float = _LEVEL) -> Interval:
    """Return the exact two-sided interval of a share (Clopper and Pearson 1934)."""
    one_sided = (1 + level) / 2
    low = 1 - clopper_pearson_upper(trials - successes, trials, confidence=one_sided)
    return Interval(low, clopper_pearson_upper(successes, trials, confidence=one_sided), "clopper-pearson")


def effective_size(weights: Sequence[float]) -> float:
    """Return the effective sample size of weighted items (Kish 1965)."""
    total = math.fsum(weights)
    return total * total / math.fsum(weight * weight for weight in weights) if total else 0.0


def _shares(counts: FloatArray) -> tuple[FloatArray, float]:
    """Return a table of counts as shares of its total, and the total."""
    table = np.asarray(counts, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or (table < 0).any():
        raise ValueError("kappa needs a square table of counts")
    total = float(table.sum())
    return (table / total if total else table), total


def _with_interval(value: float, variance: float, method: str) -> Kappa:
    if math.isnan(value) or math.isclose(abs(value), 1.0):
        return Kappa(value, Interval(math.nan, math.nan, method))
    half = normal_quantile((1 + _LEVEL) / 2) * math.sqrt(max(variance, 0.0))
    return Kappa(value, Interval(max(value - half, -1.0), min(value + half, 1.0), method))


def _quadratic(labels: int) -> FloatArray:
    """Return 1 - (distance / largest distance)² of each pair of grades."""
    grades = np.arange(labels, dtype=np.float64) / max(labels - 1, 1)
    return 1 - (grades[:, None] - grades[None, :]) ** 2


_WEIGHTS: Final[dict[Weighting, Callable[[int], FloatArray]]] = {"none": np.eye, "quadratic": _quadratic}


@dataclass(frozen=True, slots=True)
class _Ratings:
    """Ratings of the items that have two or more: the item, the number of the value, how many raters gave it."""

    item: IntArray
    code: IntArray
    uses: FloatArray
    values: FloatArray
    sizes: FloatArray
    level: Level

    @classmethod
    def of(cls, ratings: FloatArray, level: Level) -> "_Ratings":
        """Return the ratings of a table of raters x items."""
        if ratings.ndim != 2 or np.isinf(ratings).any():
            raise ValueError("alpha needs ratings of raters x items, finite or NaN")
        if level not in get_args(Level):
            raise ValueError(f"no level {level!r}; there are: {', '.join(get_args(Level))}")
        by_item = ratings.T[(~np.isnan(ratings)).sum(axis=0) > 1]
        rated = ~np.isnan(by_item)
        values, code = np.unique(by_item[rated], return_inverse=True)
        keys, uses = np.unique(np.nonzero(rated)[0] * len(values) + code, return_counts=True)
        item, code = np.divmod(keys, max(len(values), 1))
        return cls(item, code, uses.astype(np.float64), values, rated.sum(axis=1).astype(np.float64), level)

    def alpha(self, times: FloatArray) -> float:
        """Return alpha, with each item as many times as given."""
        weights = self.uses * times[self.item]
        counts = np.bincount(self.code, weights=weights, minlength=len(self.values)).astype(np.float64)
        within, among = self._differing(counts) if self.level == "nominal" else self._squared(counts)
        observed = float((times * within / (self.sizes - 1)).sum())
        expected = among / max(float(counts.sum()) - 1, 1.0)
        return 1 - observed / expected if expected > 0 else math.nan

    def _differing(self, counts: FloatArray) -> tuple[FloatArray, float]:
        """Return the number of pairs that differ, within each item and among all ratings."""
        return self.sizes**2 - self._by_item(self.uses), float(counts.sum() ** 2 - (counts * counts).sum())

    def _squared(self, counts: FloatArray) -> tuple[FloatArray, float]:
        """Return the squared distances of pairs, within each item and among all ratings.

        Those of m ratings sum to m * sum of squares - square of the sum. Ranks of ordinal ratings are the middles of
        the runs of equal ratings.
        """
        places = np.cumsum(counts) - counts / 2 if self.level == "ordinal" else self.values
        total = float(counts.sum())
        centred = places - float((counts * places).sum()) / max(total, 1.0)
        mine = centred[self.code]
        within = self.sizes * self._by_item(mine * mine) - self._by_item(mine) ** 2
        return within, total * float((counts * centred * centred).sum())

    def _by_item(self, values: FloatArray) -> FloatArray:
        """Return the sums of a value of each rating, one for each item."""
        return np.bincount(self.item, weights=self.uses * values, minlength=len(self.sizes)).astype(np.float64)
