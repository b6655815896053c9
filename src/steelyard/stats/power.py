"""Power: the smallest detectable difference, the number of items needed, the smallest possible p, the effect size.

Samples for gate decisions have conservative intervals, and the number of units that a decision needs.
"""

import math
import sys
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from steelyard.stats.correction import Correction, adjust
from steelyard.stats.distributions import (
    TIE_TOLERANCE,
    deviation,
    normal_quantile,
    require_one_column,
    require_share,
    t_quantile,
)
from steelyard.stats.intervals import Interval, mean_interval, standard_error
from steelyard.stats.paired import TestName, wilcoxon_test
from steelyard.table import FloatArray, IntArray

# beyond this many items the t and normal quantiles are equal
_MANY = 1_000_000
_MOST_LEAST = 1_000


def smallest_detectable(differences: FloatArray, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the mean difference that a paired t test at alpha detects with this power.

    NaN for fewer than two items, and for equal differences, whose standard error of 0 says nothing about other items.
    """
    _require_chances(alpha=alpha, power=power)
    require_one_column(differences)
    spread = deviation(differences)
    return _detectable(spread, len(differences), alpha=alpha, power=power) if spread > 0 else math.nan


def at_level(detectable: float, items: int, *, alpha: float, level: float) -> float:
    """Return the difference that is detected at `level`, from that detected at alpha with the same items and power."""
    if math.isnan(detectable) or level == alpha:
        return detectable
    return detectable * _quantiles(items, alpha=level) / _quantiles(items, alpha=alpha)


def items_needed(differences: FloatArray, *, detect: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the fewest items that detect a mean difference of `detect`, if they vary as these do."""
    _require_chances(alpha=alpha, power=power)
    if not detect > 0:
        raise ValueError(f"the difference to detect must be positive, not {detect!r}")
    require_one_column(differences)
    spread = deviation(differences)
    if math.isnan(spread):
        raise ValueError(f"items needed are computed from at least 2 differences, not {len(differences)}")
    return items_to_distinguish(spread, detect, alpha=alpha, power=power)


def items_to_distinguish(spread: float, gap: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the fewest items that distinguish a mean from a threshold at distance `gap`, if items have this spread.

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
    """Return the fewest 0/1 items with which Wilson's interval of a share excludes a threshold, at this power.

    The sample size for one proportion (Fleiss): ((z(1 - alpha/2) sqrt(v(1-v)) + z(power) sqrt(p(1-p))) / (p-v))^2,
    where v is the threshold: Wilson's interval excludes v exactly if the score test with the variance of v rejects it.
    """
    at_line = normal_quantile(1 - alpha / 2) * math.sqrt(line * (1 - line))
    at_share = normal_quantile(power) * math.sqrt(share * (1 - share))
    return max(1, math.ceil(((at_line + at_share) / (share - line)) ** 2))


def smallest_p(test: TestName, units: int, *, resamples: int | None = None) -> float | None:
    """Return the smallest p-value that the test can give with this many units: that of equal differences.

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
        case "bootstrap" if resamples is not None:
            return 1 / (resamples + 1)
        case _:
            return None


@cache
def least_units(test: TestName, correction: Correction, family: int, *, alpha: float = 0.05) -> int:
    """Return the fewest units with which a test can be significant in a family of so many tests.

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


POWER = 0.8
"""The power with which the needed number of units is computed."""
MAX_REPEATED = 200_000
"""Above this many items the needed number is computed from the spread alone."""
SLACK = 1e-9
"""Values closer than this are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class DecisionSample:
    """Scores or differences, without NaN and within `bounds`, whose mean is compared with a threshold.

    A 0/1 metric has Wilson's interval, others have the t interval, by document if items share one. If at least half of
    the paired differences are 0, few items decide and the t interval is too narrow: three ties would give certainty.
    The interval is then widened to include a padded one, which adds z²/2 values at each end of the observed changes (of
    the possible ones if nothing changed), as Agresti and Coull (1998) do for a share. Clusters are `documents`,
    or items that were run several times.
    """

    values: FloatArray
    bounds: tuple[float, float]
    clusters: IntArray | None = None
    paired: bool = False
    documents: bool = True

    def __len__(self) -> int:
        return len(self.values)

    def interval(self, level: float) -> Interval:
        """Return the interval of the mean, within the bounds; NaN if the spread is unknown."""
        interval = self._widened(level) if self._is_sparse() else self._ordinary(level)
        return interval.within(self.bounds)

    @property
    def by_document(self) -> bool:
        """Whether the units are documents, so that further items of the same documents would not help."""
        return self.documents and self._groups() is not None

    @property
    def all_units(self) -> int:
        """The number of documents or items, also if all values are equal."""
        return len(self) if self.clusters is None else len(np.unique(self.clusters))

    @property
    def units(self) -> int:
        """The number of documents, or else items, that vary."""
        groups = self._groups()
        return len(self) if groups is None else len(np.unique(groups))

    def units_needed(self, threshold: float, *, alpha: float) -> int | None:
        """Return the fewest units like these whose interval at 1 - alpha excludes the threshold, with a power of 0.8.

        Documents are assumed to be of the same size as these. None if no number would do (the mean equals the
        threshold), or the spread is unknown.
        """
        mean = float(self.values.mean())
        gap = abs(mean - threshold)
        if gap <= SLACK or len(self) < 2:
            return None
        if self._is_share():
            return trials_to_distinguish(mean, threshold, alpha=alpha, power=POWER) if 0 <= threshold <= 1 else None
        spread = standard_error(self.values, self._groups()) * math.sqrt(self.units)
        if math.isnan(spread) or (self._is_sparse() and not np.isfinite(self._pads()).all()):
            return None
        ordinary = items_to_distinguish(spread, gap, alpha=alpha, power=POWER)
        padded = math.ceil(self._padded_items(gap, alpha) * self.units / len(self)) if self._is_sparse() else 0
        return self._increased(max(ordinary, padded), threshold, alpha)

    def _increased(self, units: int, threshold: float, alpha: float) -> int:
        """At least this many units: a skewed sample has a wider interval than its spread alone gives."""
        while self.paired and units * len(self) < MAX_REPEATED * self.units:
            longer = self._repeated(units).interval(1 - alpha)
            if not longer.low - SLACK <= threshold <= longer.high + SLACK:
                break
            units = math.ceil(units * 1.25)
        return units

    def _repeated(self, units: int) -> "DecisionSample":
        """Return a sample of this many units, made by repeating these."""
        groups = self._groups()
        if groups is None:
            return replace(self, values=np.resize(self.values, units), clusters=None)
        members = [self.values[groups == group] for group in np.unique(groups)]
        chosen = [members[number % len(members)] for number in range(units)]
        labels = np.repeat(np.arange(units), [len(values) for values in chosen])
        return replace(self, values=np.concatenate(chosen), clusters=labels)

    def _ordinary(self, level: float) -> Interval:
        return mean_interval(
            self.values, level=level, method="guarded t" if self.paired else "auto", clusters=self._groups()
        )

    def _widened(self, level: float) -> Interval:
        padded = self._padded(level)
        if self._all_equal() or math.isnan(padded.low):
            return padded
        ordinary = self._ordinary(level)
        low, high = np.fmin(ordinary.low, padded.low), np.fmax(ordinary.high, padded.high)
        return Interval(float(low), float(high), "padded")

    def _groups(self) -> IntArray | None:
        """Return the clusters; None if all values are equal."""
        return None if self._all_equal() else self.clusters

    def _all_equal(self) -> bool:
        return bool(np.ptp(self.values) <= TIE_TOLERANCE * np.abs(self.values).max())

    def _is_share(self) -> bool:
        """Return whether the values are independent 0/1 scores."""
        return not self.paired and self._groups() is None and bool(np.isin(self.values, (0, 1)).all())

    def _is_sparse(self) -> bool:
        """Return whether few values differ: all are equal, or at least half of the paired differences are 0."""
        if self._is_share():
            return False
        return self._all_equal() or (self.paired and 2 * int(np.count_nonzero(self.values)) <= len(self))

    def _pads(self) -> FloatArray:
        """Return the two values that pad the sample."""
        largest = float(np.abs(self.values).max())
        return np.array([-largest, largest]) if self.paired and largest > 0 else np.array(self.bounds)

    def _padded(self, level: float) -> Interval:
        pads, z = self._pads(), normal_quantile((1 + level) / 2)
        if not np.isfinite(pads).all():
            return Interval(math.nan, math.nan, "padded")
        weight = len(self) + z**2
        mean = (float(self.values.sum()) + z**2 * float(pads.mean())) / weight
        square = (float((self.values**2).sum()) + z**2 * float((pads**2).mean())) / weight
        half = z * math.sqrt(max(square - mean**2, 0.0) / weight)
        return Interval(mean - half, mean + half, "padded")

    def _padded_items(self, gap: float, alpha: float) -> int:
        """Return the n whose padded interval is as narrow as the gap: gap² m² = c² (v m + p), where m = n + z².

        v is the variance of the values, p the squares that the padding adds, c the sum of z and the quantile of the
        power.
        """
        z = normal_quantile(1 - alpha / 2)
        square, spread = (z + normal_quantile(POWER)) ** 2, float(self.values.var())
        added = z**2 * (float(((self._pads() - self.values.mean()) ** 2).mean()) - spread)
        root = math.sqrt((square * spread) ** 2 + 4 * gap**2 * square * max(added, 0.0))
        return max(1, math.ceil((square * spread + root) / (2 * gap**2) - z**2))
