"""Means corrected for the errors of a judge.

If the labels of people are a random sample of the judged items: PPI++ (Angelopoulos, Duchi and Zrnic 2023). If they
come from elsewhere, where the share of right items may be another: Rogan and Gladen (1978). Never the reverse.
"""

import math
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.distributions import (
    TIE_TOLERANCE,
    deviation,
    normal_quantile,
    require_one_column,
    require_share,
    t_quantile,
)
from steelyard.stats.intervals import Interval, standard_error
from steelyard.table import Bounds, FloatArray, IntArray

CorrectionMethod = Literal["ppi++", "rogan-gladen"]
Rate = tuple[float, float]
"""So many verdicts that agree, of so many; no whole numbers where items share clusters."""
Pair = tuple[FloatArray, FloatArray]
"""Values of two systems on the same items."""

_PADS: Final = 2.0  # items, one at each end of the range of the labels


class NotInformative(ValueError):
    """The judge says yes to wrong items as often as to right ones, so that its verdicts cannot be corrected."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean corrected for the errors of a judge; `tuning` is the weight of the verdicts, NaN for Rogan-Gladen."""

    estimate: float
    interval: Interval
    method: CorrectionMethod
    tuning: float = field(compare=False)  # NaN equals nothing


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the corrected mean is a sum of: the verdicts without a label times lambda, and label - lambda * verdict."""

    imputed: FloatArray
    rectifier: FloatArray
    tuning: float

    @property
    def imputed_mean(self) -> float:
        return float(self.imputed.mean()) if len(self.imputed) else 0.0

    @property
    def imputed_variance(self) -> float:
        return float(self.imputed.var()) / len(self.imputed) if len(self.imputed) else 0.0

    @property
    def estimate(self) -> float:
        return self.imputed_mean + float(self.rectifier.mean())

    @property
    def variance(self) -> float:
        return self.imputed_variance + float(self.rectifier.var()) / len(self.rectifier)


def ppi_mean(
    labels: FloatArray,
    labelled_verdicts: FloatArray,
    other_verdicts: FloatArray,
    *,
    level: float = 0.95,
    guarded: bool = True,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    bounds: Bounds = (0.0, 1.0),
) -> Corrected:
    """Return the mean label of all items, from the labels of a random sample of them and the verdicts on all (PPI++).

    It is lambda * mean(other verdicts) + mean(label - lambda * verdict), with the lambda of the least variance, within
    0 and 1. Verdicts may be scores. `clusters` are the groups (documents) of the labelled and of the other items, which
    may share them; the variance is then over groups.

    Guarded: two pseudo items are added to the labelled ones, with the lowest and the highest label (those of `bounds`
    if all labels are equal) and the mean verdict; the quantile is that of t; results are kept within the bounds. The
    interval of 0/1 scores near 1 would be far too narrow otherwise. Unguarded: the normal interval of the paper. The
    interval is NaN for fewer than two labelled units, and guarded if all labels are equal and have no bounds.
    """
    lowest, highest = (float(labels.min()), float(labels.max())) if len(labels) else bounds
    pads = (lowest, highest) if highest - lowest > TIE_TOLERANCE else bounds
    parts = _parts(labels, labelled_verdicts, other_verdicts)
    return _corrected(parts, labelled_verdicts, pads, bounds, _Rule(level, guarded, clusters))


def ppi_difference(
    labels: Pair,
    labelled_verdicts: Pair,
    other_verdicts: Pair,
    *,
    level: float = 0.95,
    guarded: bool = True,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    bounds: Bounds = (0.0, 1.0),
) -> Corrected:
    """Return the difference of the mean labels of two systems, first minus second, as `ppi_mean` of the differences.

    `bounds` are those of a score. The pseudo items of the guard lie symmetrically: they speak for neither system.
    """
    label, labelled, other = (first - second for first, second in (labels, labelled_verdicts, other_verdicts))
    widest = bounds[1] - bounds[0]
    largest = float(np.abs(label).max(initial=0.0)) or widest
    rule = _Rule(level, guarded, clusters)
    return _corrected(_parts(label, labelled, other), labelled, (-largest, largest), (-widest, widest), rule)


def rogan_gladen(positives: int, items: int, *, sensitivity: Rate, specificity: Rate, level: float = 0.95) -> Corrected:
    """Return the share of right items, from the share that a judge calls right (Rogan and Gladen 1978).

    `sensitivity` and `specificity` are (verdicts that agree, of so many labelled items) on right and on wrong items,
    from wherever. The interval is that of Lee et al. (2025), from smoothed shares. Raises NotInformative if sensitivity
    and specificity, as they are or smoothed, sum to 1 or less. An interval that is one point, 0 or 1, means that such
    labels and these verdicts cannot be of one judge.
    """
    _require_counts((positives, items))
    return _rogan_gladen(positives / items, _smoothed(positives, items, level), _Rates(sensitivity, specificity), level)


def rogan_gladen_mean(
    verdicts: FloatArray,
    *,
    sensitivity: Rate,
    specificity: Rate,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Corrected:
    """Return the mean share of right items, from verdicts that are 0 or 1, or shares of claims that are called right.

    As `rogan_gladen`, but for shares and for clusters the variance is that of the mean of the verdicts.
    """
    require_one_column(verdicts)
    items = len(verdicts) if clusters is None else len(np.unique(clusters))
    share, variance = _smoothed(float(verdicts.mean()) * items, items, level)
    is_binary = bool(((verdicts == 0) | (verdicts == 1)).all())
    if items > 1 and deviation(verdicts) > 0 and not (is_binary and clusters is None):
        share, variance = float(verdicts.mean()), standard_error(verdicts, clusters) ** 2
    return _rogan_gladen(float(verdicts.mean()), (share, variance), _Rates(sensitivity, specificity), level)


def rogan_gladen_difference(
    differences: FloatArray,
    *,
    sensitivity: Rate,
    specificity: Rate,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Corrected:
    """Return the mean difference of two systems, from those of the verdicts of one judge on the same items.

    The judge is taken to err as often on both systems; the difference of the means is then divided by sensitivity +
    specificity - 1, whose own error is part of the interval.
    """
    require_one_column(differences)
    rates = _Rates(sensitivity, specificity)
    mean, error = float(differences.mean()), standard_error(differences, clusters)
    units = len(differences) if clusters is None else len(np.unique(clusters))
    estimate = mean / rates.informative
    if not (units > 1 and error > 0):
        return Corrected(max(-1.0, min(estimate, 1.0)), Interval(math.nan, math.nan, "lee"), "rogan-gladen", math.nan)
    of_right, of_wrong = rates.variances
    spread = error**2 + (mean / rates.smoothed) ** 2 * (of_right + of_wrong)
    half = t_quantile((1 + level) / 2, units - 1) * math.sqrt(spread) / rates.smoothed
    centre = mean / rates.smoothed
    interval = Interval(min(centre - half, estimate), max(centre + half, estimate), "lee").within((-1.0, 1.0))
    return Corrected(max(-1.0, min(estimate, 1.0)), interval, "rogan-gladen", math.nan)


def labels_saved(labels: FloatArray, verdicts: FloatArray) -> float:
    """Return the largest share of labels that the judge can save: its squared correlation with them; NaN if none."""
    require_one_column(labels)
    require_one_column(verdicts)
    if not (deviation(labels) > 0 and deviation(verdicts) > 0):
        return math.nan
    return min(float(np.corrcoef(labels, verdicts)[0, 1]) ** 2, 1.0)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How the interval of a corrected mean is computed."""

    level: float
    guarded: bool
    clusters: tuple[ArrayLike, ArrayLike] | None


def _parts(labels: FloatArray, labelled: FloatArray, other: FloatArray) -> _Parts:
    for values in (labels, labelled, other):
        require_one_column(values)
    if len(labels) != len(labelled) or not len(labels):
        raise ValueError(f"{len(labels)} labels for {len(labelled)} verdicts")
    tuning = _tuning(labels, labelled, other)
    return _Parts(tuning * other, labels - tuning * labelled, tuning)


def _tuning(labels: FloatArray, labelled: FloatArray, other: FloatArray) -> float:
    """Return the lambda of the least variance; 0 if the verdicts are equal, or every item has a label."""
    verdicts = np.concatenate([labelled, other])
    if not (len(other) and deviation(verdicts) > 0):
        return 0.0
    shared = float(((labels - labels.mean()) * (labelled - labelled.mean())).mean())
    best = shared / ((1 + len(labels) / len(other)) * float(verdicts.var(ddof=1)))
    return min(max(best, 0.0), 1.0)


def _corrected(parts: _Parts, labelled: FloatArray, pads: Bounds, bounds: Bounds, rule: _Rule) -> Corrected:
    require_share("level", rule.level)
    units, variance = _units(parts, rule.clusters)
    estimate = parts.estimate
    if units < 2 or (rule.guarded and not np.isfinite(pads).all()):
        low, high = math.nan, math.nan
    elif not rule.guarded:
        half = normal_quantile((1 + rule.level) / 2) * math.sqrt(variance)
        low, high = estimate - half, estimate + half
    else:
        estimate = min(max(estimate, bounds[0]), bounds[1])
        verdict = parts.tuning * _mean_verdict(parts, labelled)
        centre, spread = _padded(parts, (pads[0] - verdict, pads[1] - verdict), _effect(parts, variance, units))
        half = t_quantile((1 + rule.level) / 2, units - 1) * math.sqrt(spread)
        low, high = max(min(centre - half, estimate), bounds[0]), min(max(centre + half, estimate), bounds[1])
    name = "guarded ppi++" if rule.guarded else "ppi++"
    named = f"clustered {name}" if rule.clusters is not None else name
    return Corrected(estimate, Interval(low, high, named), "ppi++", parts.tuning)


def _mean_verdict(parts: _Parts, labelled: FloatArray) -> float:
    """Return the mean verdict over all items; 0 if the verdicts have no weight."""
    if not parts.tuning:
        return 0.0
    total = float(labelled.sum()) + float(parts.imputed.sum()) / parts.tuning
    return total / (len(labelled) + len(parts.imputed))


def _units(parts: _Parts, clusters: tuple[ArrayLike, ArrayLike] | None) -> tuple[int, float]:
    """Return the number of labelled units and the variance of the corrected mean, over the clusters if given."""
    items, others = len(parts.rectifier), len(parts.imputed)
    if clusters is None:
        return items, parts.variance
    labelled, other = (np.asarray(each) for each in clusters)
    if labelled.shape != (items,) or other.shape != (others,):
        raise ValueError(f"{labelled.size} and {other.size} cluster labels for {items} and {others} items")
    units = len(np.unique(labelled))
    if units < 2:
        return units, math.nan
    pulls = np.concatenate(
        [(parts.rectifier - parts.rectifier.mean()) / items, (parts.imputed - parts.imputed_mean) / max(others, 1)]
    )
    sums = np.bincount(_numbered(labelled, other), weights=pulls)
    return units, units / (units - 1) * float((sums * sums).sum())


def _numbered(labelled: ArrayLike, other: ArrayLike) -> IntArray:
    """Return a number for the cluster of each item, the labelled ones first."""
    return np.unique(np.concatenate([np.asarray(labelled), np.asarray(other)]), return_inverse=True)[1]


def _effect(parts: _Parts, variance: float, units: int) -> float:
    """Return how many items are worth one independent item: at least 1, so that clusters never add certainty.

    Equal labels say nothing of their clusters: each counts as one item.
    """
    return max(variance / parts.variance, 1.0) if parts.variance > 0 else len(parts.rectifier) / units


def _padded(parts: _Parts, pads: Bounds, effect: float) -> tuple[float, float]:
    """Return the corrected mean and its variance with two pseudo items among the labelled ones."""
    items = len(parts.rectifier) / effect
    weight, mean = items + _PADS, float(parts.rectifier.mean())
    middle = (pads[0] + pads[1]) / 2
    centre = (items * mean + _PADS * middle) / weight
    square = items * (float(parts.rectifier.var()) + (mean - centre) ** 2)
    square += _PADS * ((pads[1] - pads[0]) ** 2 / 4 + (middle - centre) ** 2)
    return parts.imputed_mean + centre, square / weight**2 + effect * parts.imputed_variance


@dataclass(frozen=True, slots=True)
class _Rates:
    """How often a judge agrees with right and wrong labels; raises NotInformative if that is no more than chance."""

    sensitivity: Rate
    specificity: Rate

    def __post_init__(self) -> None:
        _require_counts(self.sensitivity, self.specificity)
        if self.informative <= 0:
            raise NotInformative(f"sensitivity and specificity sum to {self.informative + 1:.3f}")
        if self.smoothed <= 0:
            raise NotInformative(f"sensitivity and specificity, smoothed, sum to {self.smoothed + 1:.3f}")

    @property
    def informative(self) -> float:
        return self.sensitivity[0] / self.sensitivity[1] + self.specificity[0] / self.specificity[1] - 1

    @property
    def shares(self) -> tuple[float, float]:
        """Sensitivity and specificity, with one more item of each kind."""
        (hits, right), (rejected, wrong) = self.sensitivity, self.specificity
        return (hits + 1) / (right + 2), (rejected + 1) / (wrong + 2)

    @property
    def smoothed(self) -> float:
        return sum(self.shares) - 1

    @property
    def variances(self) -> tuple[float, float]:
        q1, q0 = self.shares
        return q1 * (1 - q1) / (self.sensitivity[1] + 2), q0 * (1 - q0) / (self.specificity[1] + 2)


def _require_counts(*counts: Rate) -> None:
    for count, of in counts:
        if not 0 <= count <= of or of == 0:
            raise ValueError(f"{count} of {of}")


def _smoothed(positives: float, items: int, level: float) -> tuple[float, float]:
    """Return a share and its variance, with z² items more, half of them positive (Agresti and Coull 1998)."""
    require_share("level", level)
    square = normal_quantile((1 + level) / 2) ** 2
    share = (positives + square / 2) / (items + square)
    return share, share * (1 - share) / (items + square)


def _rogan_gladen(mean: float, smoothed: tuple[float, float], rates: _Rates, level: float) -> Corrected:
    """Return the corrected mean with the interval of Lee et al. (2025), within 0 and 1."""
    z = normal_quantile((1 + level) / 2)
    share, of_share = smoothed
    of_right, of_wrong = rates.variances
    estimate = (mean + rates.specificity[0] / rates.specificity[1] - 1) / rates.informative
    theta = (share + rates.shares[1] - 1) / rates.smoothed
    centre = theta + 2 * z**2 * (theta * of_right - (1 - theta) * of_wrong)
    half = z * math.sqrt(of_share + (1 - theta) ** 2 * of_wrong + theta**2 * of_right) / rates.smoothed
    low, high = (min(max(end, 0.0), 1.0) for end in (centre - half, centre + half))
    return Corrected(min(max(estimate, 0.0), 1.0), Interval(low, high, "lee"), "rogan-gladen", math.nan)
