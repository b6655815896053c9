"""Samples for gate decisions: conservative intervals, and the number of units that a decision needs."""

import math
from dataclasses import dataclass, replace

import numpy as np

from steelyard.stats.arrays import TIE_TOLERANCE
from steelyard.stats.distributions import normal_quantile
from steelyard.stats.intervals import Interval, mean_interval, standard_error
from steelyard.stats.power import items_to_distinguish, trials_to_distinguish
from steelyard.table import FloatArray, IntArray

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
        """The interval of the mean, within the bounds; NaN if the spread is unknown."""
        interval = self._widened(level) if self._is_sparse() else self._ordinary(level)
        return replace(interval, low=max(interval.low, self.bounds[0]), high=min(interval.high, self.bounds[1]))

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
        """The fewest units like these whose interval at 1 - alpha excludes the threshold, with a power of 0.8.

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
        """A sample of this many units, made by repeating these."""
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
        """The clusters; None if all values are equal."""
        return None if self._all_equal() else self.clusters

    def _all_equal(self) -> bool:
        return bool(np.ptp(self.values) <= TIE_TOLERANCE * np.abs(self.values).max())

    def _is_share(self) -> bool:
        """Whether the values are independent 0/1 scores."""
        return not self.paired and self._groups() is None and bool(np.isin(self.values, (0, 1)).all())

    def _is_sparse(self) -> bool:
        """Whether few values differ: all are equal, or at least half of the paired differences are 0."""
        if self._is_share():
            return False
        return self._all_equal() or (self.paired and 2 * int(np.count_nonzero(self.values)) <= len(self))

    def _pads(self) -> FloatArray:
        """The two values that pad the sample."""
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
        """The n whose padded interval is as narrow as the gap: gap² m² = c² (v m + p), where m = n + z².

        v is the variance of the values, p the squares that the padding adds, c the sum of z and the quantile of the
        power.
        """
        z = normal_quantile(1 - alpha / 2)
        square, spread = (z + normal_quantile(POWER)) ** 2, float(self.values.var())
        added = z**2 * (float(((self._pads() - self.values.mean()) ** 2).mean()) - spread)
        root = math.sqrt((square * spread) ** 2 + 4 * gap**2 * square * max(added, 0.0))
        return max(1, math.ceil((square * spread + root) / (2 * gap**2) - z**2))
