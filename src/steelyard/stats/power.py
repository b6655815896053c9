"""Power: the smallest detectable difference, the number of items needed, the smallest possible p, the effect size."""

import math
import sys
from functools import cache

import numpy as np

from steelyard.stats.arrays import deviation, require_one_column, require_share
from steelyard.stats.correction import Correction, adjust
from steelyard.stats.distributions import normal_quantile, t_quantile
from steelyard.stats.paired import TestName, wilcoxon_test
from steelyard.table import FloatArray

# beyond this many items the t and normal quantiles are equal
_MANY = 1_000_000
_MOST_LEAST = 1_000


def smallest_detectable(differences: FloatArray, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The mean difference that a paired t test at alpha detects with this power.

    NaN for fewer than two items, and for equal differences, whose standard error of 0 says nothing about other items.
    """
    _require_chances(alpha=alpha, power=power)
    require_one_column(differences)
    spread = deviation(differences)
    return _detectable(spread, len(differences), alpha=alpha, power=power) if spread > 0 else math.nan


def at_level(detectable: float, items: int, *, alpha: float, level: float) -> float:
    """The difference that is detected at `level`, from that detected at alpha with the same items and power."""
    if math.isnan(detectable) or level == alpha:
        return detectable
    return detectable * _quantiles(items, alpha=level) / _quantiles(items, alpha=alpha)


def items_needed(differences: FloatArray, *, detect: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """The fewest items that detect a mean difference of `detect`, if they vary as these do."""
    _require_chances(alpha=alpha, power=power)
    if not detect > 0:
        raise ValueError(f"the difference to detect must be positive, not {detect!r}")
    require_one_column(differences)
    spread = deviation(differences)
    if math.isnan(spread):
        raise ValueError(f"items needed are computed from at least 2 differences, not {len(differences)}")
    return items_to_distinguish(spread, detect, alpha=alpha, power=power)


def items_to_distinguish(spread: float, gap: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """The fewest items that distinguish a mean from a threshold at distance `gap`, if items have this spread.

    n is the least with (t(1 - alpha/2, n-1) + t(power, n-1)) spread / sqrt(n) <= gap: a two-sided t interval then
    excludes the threshold in a share `power` of repetitions. For a one-sided question pass twice its alpha. If items
    share documents, `spread` is the standard error of the mean times sqrt(n); the result then counts items in further
    documents of the same size.
    """
    normal = ((normal_quantile(1 - alpha / 2) + normal_quantile(power)) * spread / gap) ** 2
    if normal > _MANY:
        return math.ceil(normal)
    items = max(2, math.floor(normal))  # t has longer tails than the normal, so it needs no fewer
    while _detectable(spread, items, alpha=alpha, power=power) > gap:
        items += 1
    return items


def trials_to_distinguish(share: float, line: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """The fewest 0/1 items with which Wilson's interval of a share excludes a threshold, at this power.

    The sample size for one proportion (Fleiss): ((z(1 - alpha/2) sqrt(v(1-v)) + z(power) sqrt(p(1-p))) / (p-v))^2,
    where v is the threshold: Wilson's interval excludes v exactly if the score test with the variance of v rejects it.
    """
    at_line = normal_quantile(1 - alpha / 2) * math.sqrt(line * (1 - line))
    at_share = normal_quantile(power) * math.sqrt(share * (1 - share))
    return max(1, math.ceil(((at_line + at_share) / (share - line)) ** 2))


def smallest_p(test: TestName, units: int, *, resamples: int | None = None) -> float | None:
    """The smallest p-value that the test can give with this many units: that of equal differences.

    A test that flips or counts signs has 2^units outcomes, two of which are the most extreme; a Monte Carlo test with
    `resamples` draws cannot go below 1 / (resamples + 1). None if the number of units sets no bound (t, bootstrap), or
    is 0.

    >>> smallest_p("permutation", 4)
    0.125
    """
    if not units:
        return None
    match test:
        case "permutation" | "sign":
            least = max(0.5 ** min(units - 1, 1000), sys.float_info.min)
            return least if resamples is None else 1 / (resamples + 1)
        case "wilcoxon":
            return wilcoxon_test(np.ones(units)).p_value
        case _:
            return None


@cache
def least_units(test: TestName, correction: Correction, family: int, *, alpha: float = 0.05) -> int:
    """The fewest units with which a test can be significant in a family of so many tests.

    >>> least_units("permutation", "holm", 1)
    6
    """
    for units in range(2, _MOST_LEAST):
        bound = smallest_p(test, units)
        if bound is None or adjust([bound] * max(family, 1), correction)[0] < alpha:
            return units
    return _MOST_LEAST


def units_to_detect(spread: float, difference: float, *, least: int, alpha: float = 0.05) -> int | None:
    """About how many units with this spread would detect the measured difference, at least `least`.

    None if the spread is unknown or the difference is 0.
    """
    if math.isnan(spread) or math.isnan(difference) or difference == 0:
        return None
    return max(least, items_to_distinguish(spread, abs(difference), alpha=alpha) if spread > 0 else 0)


def effect_size(differences: FloatArray) -> float:
    """Cohen's d_z, the mean difference in standard deviations; NaN if the standard deviation is 0 or unknown."""
    require_one_column(differences)
    mean = float(np.mean(differences)) if len(differences) else math.nan
    if mean == 0:
        return 0.0
    spread = deviation(differences)
    return mean / spread if spread > 0 else math.nan


def _detectable(spread: float, items: int, *, alpha: float, power: float) -> float:
    return _quantiles(items, alpha=alpha, power=power) * spread / math.sqrt(items)


def _quantiles(items: int, *, alpha: float, power: float = 0.8) -> float:
    return t_quantile(1 - alpha / 2, items - 1) + t_quantile(power, items - 1)


def _require_chances(*, alpha: float, power: float) -> None:
    require_share("alpha", alpha)
    if not alpha < power < 1:
        raise ValueError(f"power must be between alpha and 1, not {power!r}")
