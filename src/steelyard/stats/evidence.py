"""What a sample says for sure: intervals for decisions, and how many more items would settle one."""

import math
from dataclasses import dataclass, replace

import numpy as np

from steelyard.stats.distributions import normal_quantile
from steelyard.stats.intervals import Interval, mean_interval, standard_error
from steelyard.stats.power import items_to_tell, trials_to_tell
from steelyard.stats.ties import TIE_TOLERANCE
from steelyard.table import FloatArray, IntArray

POWER = 0.8
"""Items that would settle something are reckoned so that they do in four of five repetitions."""
MOST_TRIED = 200_000
"""More items than this are reckoned from the spread alone."""
SLACK = 1e-9
"""What is nearer than this to a line lies on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Values without gaps whose mean is to be told from a line; each lies between the `ends`.

    The values of a 0/1 metric have Wilson's interval, others that of t, by document where items share one. But where
    at least half of the paired differences are 0, what decides is a few items that changed, and t claims too much: in
    the end, certainty from three items that tie. Such an interval is widened to hold a padded one too, which adds
    z²/2 values at each end of what was seen to change (of what is possible, where nothing changed), as Agresti and
    Coull (1998) do for a share.
    """

    values: FloatArray
    ends: tuple[float, float]
    clusters: IntArray | None = None
    paired: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def interval(self, level: float) -> Interval:
        """The interval of the mean, within the ends; NaN where nothing is known of the spread."""
        found = self._widened(level) if self._is_sparse() else self._ordinary(level)
        return replace(found, low=max(found.low, self.ends[0]), high=min(found.high, self.ends[1]))

    @property
    def by_document(self) -> bool:
        """Whether what varies are documents: further items of the same ones would then tell nothing more."""
        return self._groups() is not None

    @property
    def units(self) -> int:
        """How many documents, or else items, vary."""
        groups = self._groups()
        return len(self) if groups is None else len(np.unique(groups))

    def units_needed(self, line: float, *, alpha: float) -> int | None:
        """The fewest units like these whose interval at 1 - alpha would leave the line out, with a power of 0.8.

        Documents are reckoned to be of the size that these have. None where no number would (the mean lies on the
        line), or nothing is known of the spread.
        """
        mean = float(self.values.mean())
        gap = abs(mean - line)
        if gap <= SLACK or len(self) < 2:
            return None
        if self._is_share():
            return trials_to_tell(mean, line, alpha=alpha, power=POWER) if 0 <= line <= 1 else None
        spread = standard_error(self.values, self._groups()) * math.sqrt(self.units)
        if math.isnan(spread) or (self._is_sparse() and not np.isfinite(self._pads()).all()):
            return None
        ordinary = items_to_tell(spread, gap, alpha=alpha, power=POWER)
        padded = math.ceil(self._padded_items(gap, alpha) * self.units / len(self)) if self._is_sparse() else 0
        return self._lengthened(max(ordinary, padded), line, alpha)

    def _lengthened(self, units: int, line: float, alpha: float) -> int:
        """At least so many: a skewed sample keeps a longer interval than its spread alone says."""
        while self.paired and units * len(self) < MOST_TRIED * self.units:
            longer = self._repeated(units).interval(1 - alpha)
            if not longer.low - SLACK <= line <= longer.high + SLACK:
                break
            units = math.ceil(units * 1.25)
        return units

    def _repeated(self, units: int) -> "Sample":
        """A sample of so many units: these, over and over."""
        groups = self._groups()
        if groups is None:
            return replace(self, values=np.resize(self.values, units), clusters=None)
        members = [self.values[groups == group] for group in np.unique(groups)]
        chosen = [members[number % len(members)] for number in range(units)]
        labels = np.repeat(np.arange(units), [len(each) for each in chosen])
        return replace(self, values=np.concatenate(chosen), clusters=labels)

    def _ordinary(self, level: float) -> Interval:
        return mean_interval(
            self.values, level=level, method="guarded t" if self.paired else "auto", clusters=self._groups()
        )

    def _widened(self, level: float) -> Interval:
        padded = self._padded(level)
        if self._alike() or math.isnan(padded.low):
            return padded
        ordinary = self._ordinary(level)
        low, high = np.fmin(ordinary.low, padded.low), np.fmax(ordinary.high, padded.high)
        return Interval(float(low), float(high), "padded")

    def _groups(self) -> IntArray | None:
        """The clusters, which do not matter where all values are alike."""
        return None if self._alike() else self.clusters

    def _alike(self) -> bool:
        return bool(np.ptp(self.values) <= TIE_TOLERANCE * np.abs(self.values).max())

    def _is_share(self) -> bool:
        """Whether the values are those of a 0/1 metric, each drawn by itself."""
        return not self.paired and self._groups() is None and bool(np.isin(self.values, (0, 1)).all())

    def _is_sparse(self) -> bool:
        if self._is_share():
            return False
        return self._alike() or (self.paired and 2 * int(np.count_nonzero(self.values)) <= len(self))

    def _pads(self) -> FloatArray:
        largest = float(np.abs(self.values).max())
        return np.array([-largest, largest]) if self.paired and largest > 0 else np.array(self.ends)

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

        v is the variance of the values, p what the padding adds to their sum of squares, c is z and that of the power.
        """
        z = normal_quantile(1 - alpha / 2)
        square, spread = (z + normal_quantile(POWER)) ** 2, float(self.values.var())
        added = z**2 * (float(((self._pads() - self.values.mean()) ** 2).mean()) - spread)
        root = math.sqrt((square * spread) ** 2 + 4 * gap**2 * square * max(added, 0.0))
        return max(1, math.ceil((square * spread + root) / (2 * gap**2) - z**2))
