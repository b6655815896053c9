"""Micro averages: precision, recall and F1 of all items together, with intervals of a bootstrap over items."""

import math
from typing import Final, NamedTuple

import numpy as np

from steelyard.stats.distributions import resampled_sums
from steelyard.stats.intervals import Interval
from steelyard.table import FloatArray, IntArray

COUNTS: Final = ("given", "wanted", "found")
"""Parts of a metric over sets: how many values an item gives, how many are wanted, and how many of both are."""
RESAMPLES: Final = 2000
_ENDS: Final = (0.025, 0.975)


class Micro(NamedTuple):
    """Precision, recall and F1, each with its interval."""

    precision: float
    recall: float
    f1: float
    intervals: tuple[Interval, Interval, Interval]
    given: int
    wanted: int
    found: int


def micro_averages(
    counts: FloatArray, *, clusters: IntArray | None = None, resamples: int = RESAMPLES, seed: int = 42
) -> Micro:
    """Return the averages of items with the columns given, wanted and found; clusters are drawn as units."""
    counts = counts[~np.isnan(counts).any(axis=1)] if clusters is None else _by_cluster(counts, clusters)
    total = counts.sum(axis=0)
    drawn = _averages(resampled_sums(counts, resamples=resamples, seed=seed)) if len(counts) > 1 else None
    precision, recall, f1 = _averages(total[np.newaxis])[0].tolist()
    given, wanted, found = map(int, total)
    return Micro(precision, recall, f1, _intervals(drawn), given, wanted, found)


def _by_cluster(counts: FloatArray, clusters: IntArray) -> FloatArray:
    scored = ~np.isnan(counts).any(axis=1)
    labels = np.unique(clusters[scored], return_inverse=True)[1]
    return np.stack([np.bincount(labels, weights=column[scored]) for column in counts.T], axis=1)


def _averages(sums: FloatArray) -> FloatArray:
    given, wanted, found = sums.T
    shares = [np.divide(found, of, out=np.zeros_like(found), where=of > 0) for of in (given, wanted)]
    both = given + wanted
    return np.stack([*shares, np.divide(2 * found, both, out=np.zeros_like(found), where=both > 0)], axis=1)


def _intervals(drawn: FloatArray | None) -> tuple[Interval, Interval, Interval]:
    if drawn is None:
        unknown = Interval(math.nan, math.nan, "bootstrap")
        return unknown, unknown, unknown
    low, high = np.quantile(drawn, _ENDS, axis=0).tolist()
    first, second, third = (Interval(*ends, "bootstrap") for ends in zip(low, high, strict=True))
    return first, second, third
