"""Confidence intervals of a mean: t, widened for skewed scores; Wilson for 0/1 scores; BCa; clustered items.

Widening uses the empirical likelihood (Owen 1988). The items are given weights that sum to 1 and yield the mean in
question. The likelihood ratio R of that mean is the largest product of n times the weights; the means with -2 log R
below a threshold form the interval. It extends further on the side where the sample has its tail, and never beyond the
sample's own values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.distributions import (
    TIE_TOLERANCE,
    normal_cumulative,
    normal_quantile,
    require_one_column,
    require_resamples,
    require_share,
    resampled_sums,
    t_quantile,
)
from steelyard.table import Bounds, FloatArray

Method = Literal["auto", "widened t", "guarded t", "t", "wilson", "bca"]

_LARGEST_TILT: Final = 1 - 1e-12  # at 1 the largest value would get all the weight
_CLOSE_ENOUGH: Final = 1e-6  # of the tilt; the next step would be the square of this
_MOST_STEPS: Final = 100  # three are usual
# sums of products are not matrix products here: those start threads, which cost more than they save


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds of an interval, NaN if there are too few items, and the method that computed them."""

    low: float
    high: float
    method: str

    def within(self, bounds: Bounds) -> "Interval":
        """Return the interval, limited to the bounds of a metric."""
        return Interval(max(self.low, bounds[0]), min(self.high, bounds[1]), self.method)


@dataclass(frozen=True, slots=True)
class _UnitSums:
    """Scores summed within the units that vary independently: the items, or the clusters they belong to."""

    sums: FloatArray
    sizes: FloatArray

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.sizes.sum())


@dataclass(frozen=True, slots=True)
class _Settings:
    level: float
    resamples: int
    seed: int


def mean_interval(
    values: FloatArray,
    *,
    level: float = 0.95,
    method: Method = "auto",
    clusters: ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 42,
) -> Interval:
    """Return the confidence interval of the mean of the values, without NaN: leave out unscored items first.

    "auto" is Wilson if every value is 0 or 1 and there are no clusters, else "widened t". For differences pass
    "widened t", because differences of 0/1 scores may be negative even if none in the sample is; "guarded t" is for
    decisions. `clusters` labels each value with its group (for example its document); the groups are then the units
    that vary, with one degree of freedom less than there are groups. `resamples` and `seed` apply to "bca" only.
    """
    require_one_column(values)
    require_share("level", level)
    require_resamples(resamples)
    is_clustered = clusters is not None
    if clusters is not None and len(values) and _all_binary(values) and values.min() == values.max():
        # the variance between groups is unknown, and 0 would give an empty interval: each group counts as one value
        values, clusters = values[: len(np.unique(clusters))], None
    is_share = clusters is None and len(values) and _all_binary(values)
    chosen = method if method != "auto" else "wilson" if is_share else "widened t"
    if chosen not in _METHODS:
        raise ValueError(f"no interval method {chosen!r}; there are: auto, {', '.join(_METHODS)}")
    sample = _sample(values, clusters)
    name = f"clustered {chosen}" if is_clustered else chosen
    if len(sample.sums) < max(_FEWEST_UNITS[chosen], 1 + is_clustered):
        return Interval(math.nan, math.nan, name)
    low, high = _METHODS[chosen](sample, _Settings(level, resamples, seed))
    return Interval(low, high, name)


def standard_error(values: FloatArray, clusters: ArrayLike | None = None) -> float:
    """Return the standard error of the mean, over clusters if given; NaN for fewer than two units."""
    require_one_column(values)
    sample = _sample(values, clusters)
    return math.nan if len(sample.sums) < 2 else _error(sample)


def _all_binary(values: FloatArray) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _sample(values: FloatArray, clusters: ArrayLike | None) -> _UnitSums:
    if clusters is None:
        return _UnitSums(values, np.ones(len(values)))
    labels = np.asarray(clusters)
    if labels.shape != values.shape:
        raise ValueError(f"{labels.size} cluster labels for {len(values)} values")
    _, member = np.unique(labels, return_inverse=True)
    return _UnitSums(np.bincount(member, weights=values).astype(np.float64), np.bincount(member).astype(np.float64))


def _widened_bounds(sample: _UnitSums, settings: _Settings) -> tuple[float, float]:
    """Return the t interval, widened to the empirical likelihood interval.

    Each end is that of the interval that lies further out.

    t alone has too little coverage on the side of a long tail; likelihood alone has too little if only a few values of
    the sample differ. With the quantile of t both agree within a hundredth for symmetric samples of 30 items.
    """
    mean, deviations, quantile = sample.mean, _deviations(sample), _quantile(sample, settings)
    low, high = _t_bounds(sample, settings)
    if not high - low > TIE_TOLERANCE * abs(mean):
        return low, high  # all values are equal up to rounding
    below, above = likelihood_reach(-deviations, quantile), likelihood_reach(deviations, quantile)
    return min(low, mean - below), max(high, mean + above)


def _guarded_bounds(sample: _UnitSums, settings: _Settings) -> tuple[float, float]:
    """Return the widened interval, moved out to Willink's (2005): for decisions, where a false claim costs more."""
    low, high = _widened_bounds(sample, settings)
    below, above = skewed_reaches(_deviations(sample), _quantile(sample, settings))
    return min(low, sample.mean - below), max(high, sample.mean + above)


def _t_bounds(sample: _UnitSums, settings: _Settings) -> tuple[float, float]:
    """Student's t interval; residuals are summed within each cluster first."""
    half = _quantile(sample, settings) * _error(sample)
    return sample.mean - half, sample.mean + half


def _quantile(sample: _UnitSums, settings: _Settings) -> float:
    return t_quantile((1 + settings.level) / 2, len(sample.sums) - 1)


def _deviations(sample: _UnitSums) -> FloatArray:
    """Return the contribution of each unit to the mean: its residual over the mean size of a unit."""
    return (sample.sums - sample.sizes * sample.mean) * (len(sample.sums) / float(sample.sizes.sum()))


def _error(sample: _UnitSums) -> float:
    units = len(sample.sums)
    residuals = sample.sums - sample.sizes * sample.mean
    return math.sqrt(units / (units - 1) * float((residuals * residuals).sum())) / float(sample.sizes.sum())


def _wilson_bounds(sample: _UnitSums, settings: _Settings) -> tuple[float, float]:
    """Wilson's score interval (1927), which stays within 0 and 1 and is not empty for shares of 0 or 1."""
    if not (_all_binary(sample.sums) and (sample.sizes == 1).all()):
        raise ValueError("a Wilson interval needs values of 0 and 1, and no clusters")
    trials, share = len(sample.sums), sample.mean
    square = normal_quantile((1 + settings.level) / 2) ** 2
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    spread = math.sqrt(square * (share * (1 - share) / trials + square / (4 * trials**2))) / (1 + square / trials)
    return (0.0 if share == 0 else centre - spread), (1.0 if share == 1 else centre + spread)


def _bca_bounds(sample: _UnitSums, settings: _Settings) -> tuple[float, float]:
    """Efron's bias-corrected and accelerated bootstrap (1987); clusters are drawn as units."""
    columns = np.column_stack([sample.sums, sample.sizes])
    sums = resampled_sums(columns, resamples=settings.resamples, seed=settings.seed)
    means = sums[:, 0] / sums[:, 1]
    bias, acceleration = _bias(means, sample.mean), _acceleration(sample)
    edges = (normal_quantile((1 - settings.level) / 2), normal_quantile((1 + settings.level) / 2))
    shares = [normal_cumulative(bias + (bias + edge) / (1 - acceleration * (bias + edge))) for edge in edges]
    low, high = np.quantile(means, shares)
    return float(low), float(high)


def _bias(means: FloatArray, mean: float) -> float:
    """Return the normal quantile of the share of resampled means below the mean; a tie counts half."""
    tolerance = TIE_TOLERANCE * float(np.abs(means).max())
    below = np.count_nonzero(means < mean - tolerance) + np.count_nonzero(means <= mean + tolerance)
    share = below / (2 * len(means))
    return normal_quantile(min(max(share, 0.5 / len(means)), 1 - 0.5 / len(means)))


def _acceleration(sample: _UnitSums) -> float:
    """Return a sixth of the skewness of the jackknife means."""
    left_out = (sample.sums.sum() - sample.sums) / (sample.sizes.sum() - sample.sizes)
    pulls = left_out.mean() - left_out
    largest = float(np.abs(pulls).max())
    if largest == 0:
        return 0.0
    scaled = pulls / largest  # skewness is scale-free; tiny pulls would underflow when squared
    return float((scaled**3).sum() / (6 * (scaled @ scaled) ** 1.5))


def likelihood_reach(deviations: FloatArray, radius: float) -> float:
    """Return the distance from the mean to the upper end of the empirical likelihood interval {-2 log R <= radius²}.

    The best weights are proportional to 1 / (1 - tilt * deviation), so one number is searched: the tilt at which
    sqrt(-2 log R), which is almost proportional to it, equals the radius. Newton's method within a bracket.
    """
    largest = float(deviations.max(initial=0.0))
    if largest == 0:
        return 0.0
    scaled = deviations / largest
    low, high = 0.0, _LARGEST_TILT
    tilt = min(radius / math.sqrt(float((scaled * scaled).sum())), 0.5)
    for _ in range(_MOST_STEPS):
        distance, slope = _root_ratio(scaled, tilt)
        low, high = (tilt, high) if distance < radius else (low, tilt)
        better = tilt + (radius - distance) / slope
        previous, tilt = tilt, better if low < better < high else (low + high) / 2
        if abs(tilt - previous) <= _CLOSE_ENOUGH * previous:
            break
    weights = 1 / (1 - tilt * scaled)
    return largest * float((weights * scaled).sum()) / float(weights.sum())


def _root_ratio(scaled: FloatArray, tilt: float) -> tuple[float, float]:
    """sqrt(-2 log R) at this tilt, and its derivative."""
    items = len(scaled)
    parts = 1 - tilt * scaled
    weights = 1 / parts
    total = float(weights.sum())
    ratio = 2 * (float(np.log(parts).sum()) + items * math.log(total / items))
    pulls = scaled * weights
    growth = items * float((pulls * weights).sum()) / total - float(pulls.sum())
    root = math.sqrt(max(ratio, 0.0))
    return root, growth / root if root > 0 and growth else math.inf


def skewed_reaches(deviations: FloatArray, quantile: float) -> tuple[float, float]:
    """Return the distances from the mean to both ends of Willink's interval (2005).

    It is the t interval with a cubic correction for skewness.

    With a = third moment / (6 sqrt(n) s^3), the ends are G(t) and G(-t) standard errors below the mean, where
    G(r) = ((1 + 6a (r - a))^(1/3) - 1) / 2a, and G(r) = r without skewness.
    """
    items = len(deviations)
    square = float((deviations * deviations).sum()) / (items - 1)
    if items < 3 or square == 0:
        return 0.0, 0.0
    error = math.sqrt(square / items)
    scaled = deviations / math.sqrt(square)
    skew = items * float((scaled**3).sum()) / ((items - 1) * (items - 2)) / (6 * math.sqrt(items))
    return _skew_corrected(quantile, skew) * error, -_skew_corrected(-quantile, skew) * error


def _skew_corrected(quantile: float, skew: float) -> float:
    if abs(skew) < 1e-9:
        return quantile
    inside = 6 * skew * (quantile - skew)
    # cbrt(1 + x) - 1 would lose its digits for small x
    root = math.expm1(math.log1p(inside) / 3) if inside > -0.5 else float(np.cbrt(1 + inside)) - 1
    return root / (2 * skew)


_METHODS: dict[str, Callable[[_UnitSums, _Settings], tuple[float, float]]] = {
    "widened t": _widened_bounds,
    "guarded t": _guarded_bounds,
    "t": _t_bounds,
    "wilson": _wilson_bounds,
    "bca": _bca_bounds,
}
_FEWEST_UNITS = {"widened t": 2, "guarded t": 2, "t": 2, "wilson": 1, "bca": 2}
