"""Agreement of two judges: Cohen's kappa, exact intervals of an error rate, and the effective sample size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from steelyard.stats.distributions import normal_quantile, regularised_beta, require_share
from steelyard.stats.intervals import Interval
from steelyard.table import FloatArray

_HALVINGS: Final = 200
_LEVEL: Final = 0.95  # of the two-sided intervals


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with its large-sample interval; both are NaN if the agreement expected by chance is 1.

    The interval is NaN at 1 and -1 too, where the standard error is 0 however few items there are.
    """

    value: float
    interval: Interval


def cohen_kappa(counts: FloatArray) -> Kappa:
    """Cohen's kappa of two judges: `counts[i][j]` items were labelled i by one and j by the other.

    The standard error is that of Fleiss, Cohen and Everitt (1969) for a kappa that is not 0. Counts may be weights that
    sum to the effective number of items.
    """
    table = np.asarray(counts, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or (table < 0).any():
        raise ValueError("kappa needs a square table of counts")
    total = float(table.sum())
    shares = table / total if total else table
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, by_chance = float(np.trace(shares)), float(rows @ columns)
    if total == 0 or math.isclose(by_chance, 1.0):
        return Kappa(math.nan, Interval(math.nan, math.nan, "kappa"))
    kappa = (observed - by_chance) / (1 - by_chance)
    if math.isclose(abs(kappa), 1.0):
        return Kappa(kappa, Interval(math.nan, math.nan, "kappa"))
    half = normal_quantile((1 + _LEVEL) / 2) * math.sqrt(_kappa_variance(shares, kappa, by_chance) / total)
    return Kappa(kappa, Interval(max(kappa - half, -1.0), min(kappa + half, 1.0), "kappa"))


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


def clopper_pearson(successes: float, trials: float) -> Interval:
    """Return the exact two-sided interval of a share (Clopper and Pearson 1934)."""
    one_sided = (1 + _LEVEL) / 2
    low = 1 - clopper_pearson_upper(trials - successes, trials, confidence=one_sided)
    return Interval(low, clopper_pearson_upper(successes, trials, confidence=one_sided), "clopper-pearson")


def effective_size(weights: Sequence[float]) -> float:
    """Return the effective sample size of weighted items (Kish 1965)."""
    total = math.fsum(weights)
    return total * total / math.fsum(weight * weight for weight in weights) if total else 0.0


def _kappa_variance(shares: FloatArray, kappa: float, by_chance: float) -> float:
    """Return the variance of kappa for one item."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    same = np.diag(shares) * (1 - (rows + columns) * (1 - kappa)) ** 2
    crossed = shares * (columns[:, None] + rows[None, :]) ** 2
    different = (1 - kappa) ** 2 * float(crossed.sum() - np.trace(crossed))
    variance = float(same.sum()) + different - (kappa - by_chance * (1 - kappa)) ** 2
    return max(variance, 0.0) / (1 - by_chance) ** 2
