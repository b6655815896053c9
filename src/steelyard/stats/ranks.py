"""Agreement of rankings: Kendall's tau-b, tau AP, and whether a judge ranks systems as people do."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.distributions import (
    TIE_TOLERANCE,
    require_one_column,
    require_resamples,
    resampled_sums,
    tie_groups,
)
from steelyard.stats.intervals import Interval
from steelyard.table import FloatArray, IntArray

_FEW: Final = 64  # up to here all pairs at once are faster than halves
_LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """How far a judge ranks systems as people do, with percentile intervals over topics.

    `top`: every system that the judge puts first is one that people put first.
    """

    tau: float
    tau_interval: Interval
    tau_ap: float
    tau_ap_interval: Interval
    top: bool


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Return Kendall's tau-b of two lists of scores; NaN if one of them has no order."""
    return _tau(*_groups(a, b))


def tau_ap(judged: ArrayLike, truth: ArrayLike) -> float:
    """Return tau AP (Yilmaz, Aslam and Robertson 2008) of scores whose highest is the best; NaN without an order.

    The mean, over all systems but the first, of (pairs in the true order - pairs against it) / pairs with the systems
    that are judged better. Pairs that are tied in either list do not count, nor does a system without any that counts;
    so equal lists have 1, reversed ones -1, with ties too. Of several tied firsts none has a pair.
    """
    return _tau_ap(*_groups(judged, truth))


def system_agreement(
    judge: FloatArray, people: FloatArray, *, resamples: int = 2000, seed: int = 42
) -> SystemAgreement:
    """Return how far the mean scores of a judge rank systems as those of people do; both are topics x systems.

    The intervals are those of other topics: topics are drawn with replacement, the same for the judge and the people.
    """
    require_resamples(resamples)
    if judge.ndim != 2 or judge.shape != people.shape or not len(judge):
        raise ValueError(f"scores of {judge.shape} and {people.shape} topics and systems")
    systems = judge.shape[1]
    both = np.column_stack([judge, people])
    ranks = _groups(both[:, :systems].mean(axis=0), both[:, systems:].mean(axis=0))
    sums = resampled_sums(both, resamples=resamples, seed=seed) if len(both) > 1 else both[:0]
    drawn = [_groups(row[:systems], row[systems:]) for row in sums]
    first, best = (set(np.flatnonzero(each == each.max(initial=0)).tolist()) for each in ranks)
    return SystemAgreement(
        _tau(*ranks), _percentiles(_tau, drawn), _tau_ap(*ranks), _percentiles(_tau_ap, drawn), first <= best
    )


def _tau(a: IntArray, b: IntArray) -> float:
    concordant, discordant = _pairs(a, b)
    untied = math.sqrt(_untied(a) * _untied(b))
    return float(concordant.sum() - discordant.sum()) / untied if untied else math.nan


def _tau_ap(judged: IntArray, truth: IntArray) -> float:
    concordant, discordant = _pairs(judged, truth)
    counted = concordant + discordant > 0
    shares = (concordant - discordant)[counted] / (concordant + discordant)[counted]
    return float(shares.mean()) if len(shares) else math.nan


def _groups(a: ArrayLike, b: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the ranks of both lists, from the lowest; scores that differ by rounding have one rank."""
    first, second = (np.asarray(values, np.float64) for values in (a, b))
    if first.shape != second.shape:
        raise ValueError(f"{first.size} and {second.size} scores")
    for values in (first, second):
        require_one_column(values)
    return _ranks(first), _ranks(second)


def _ranks(values: FloatArray) -> IntArray:
    return tie_groups(values, tolerance=TIE_TOLERANCE * float(np.abs(values).max(initial=0.0)))


def _untied(ranks: IntArray) -> int:
    """Return the number of pairs that are not tied."""
    counts = np.bincount(ranks)
    return (len(ranks) ** 2 - int((counts * counts).sum())) // 2


def _pairs(a: IntArray, b: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each value, how many values above it in `a` are above it in `b`, and how many below it."""
    return _above_in_both(a, b), _above_in_both(a, -b)


def _above_in_both(a: IntArray, b: IntArray) -> IntArray:
    order = np.lexsort((b, -a))  # ties of `a` in ascending order of `b`, so that none is above another
    found = np.empty(len(a), np.int64)
    found[order] = _larger_before(b[order])
    return found


def _larger_before(values: IntArray) -> IntArray:
    """Return, for each value, how many earlier ones are larger; by halves, in n log² n steps."""
    if len(values) <= _FEW:
        return np.asarray(np.tril(values[np.newaxis, :] > values[:, np.newaxis], -1).sum(axis=1), np.int64)
    half = len(values) // 2
    first, second = values[:half], values[half:]
    larger = half - np.searchsorted(np.sort(first), second, side="right")
    return np.concatenate([_larger_before(first), _larger_before(second) + larger])


def _percentiles(measure: Callable[[IntArray, IntArray], float], drawn: list[tuple[IntArray, IntArray]]) -> Interval:
    """Return the percentile interval of a measure, over the draws that it is defined for."""
    found = np.array([measure(*ranks) for ranks in drawn], np.float64)
    defined = found[~np.isnan(found)]
    ends = np.quantile(defined, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]) if len(defined) else (math.nan, math.nan)
    return Interval(float(ends[0]), float(ends[1]), "bootstrap")
