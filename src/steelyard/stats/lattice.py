"""The exact sign-flip test at any n, where all differences are multiples of one step (0/1 metrics, P@k, 4 decimals)."""

import math
import sys
from fractions import Fraction
from typing import Final

import numpy as np

from steelyard.stats.ties import TIE_TOLERANCE
from steelyard.table import FloatArray, IntArray

# Two fractions with denominators up to this lie more than twice the tie tolerance apart, so the nearest is the one.
_FINEST_STEP: Final = 100_000
_MOST_WORK: Final = 100_000_000  # additions; about 50 ms


def lattice_p_value(scaled: FloatArray) -> float | None:
    """The exact two-sided p of non-zero differences scaled to a largest of 1, or None where it cannot be had soon.

    Flipping the signs of a set of items takes twice their sum off the total, so the tail is the chance that a random
    subset of the magnitudes sums to at most (total - observed) / 2.
    """
    multiples = _as_multiples(np.abs(scaled))
    if multiples is None:
        return None
    observed = abs(int(np.sum(np.where(scaled < 0, -multiples, multiples))))
    if observed == 0:
        return 1.0
    reach = (int(multiples.sum()) - observed) // 2
    if len(multiples) * (reach + 1) > _MOST_WORK:
        return None
    return min(1.0, max(2 * _subset_sum_tail(multiples, reach), sys.float_info.min))


def _as_multiples(magnitudes: FloatArray) -> IntArray | None:
    """The magnitudes as whole multiples of their largest common step, or None when they have none that is coarse."""
    steps = 1
    while steps <= _FINEST_STEP:
        exact = magnitudes * steps
        multiples = np.rint(exact)
        off = np.abs(exact - multiples) > TIE_TOLERANCE * steps
        if not off.any():
            return multiples.astype(np.int64)
        finer = Fraction(float(magnitudes[off.argmax()])).limit_denominator(_FINEST_STEP)
        refined = math.lcm(steps, finer.denominator)
        if refined == steps:
            return None
        steps = refined
    return None


def _subset_sum_tail(multiples: IntArray, reach: int) -> float:
    """The chance that a random subset sums to at most `reach`; all terms are positive, so no digits cancel."""
    chances = np.zeros(reach + 1)
    chances[0] = 1.0
    for size, count in zip(*np.unique(multiples, return_counts=True), strict=True):
        add = _with_many if count > size else _with_few
        chances = add(chances, size=int(size), count=int(count))
    return float(chances.sum())


def _with_many(chances: FloatArray, *, size: int, count: int) -> FloatArray:
    """The chances with `count` more items of one size: one convolution for each remainder modulo that size."""
    taken = _fair_binomial(count)
    grown = np.empty_like(chances)
    for remainder in range(min(size, len(chances))):
        part = chances[remainder::size]
        grown[remainder::size] = np.convolve(part, taken[: len(part)])[: len(part)]
    return grown


def _with_few(chances: FloatArray, *, size: int, count: int) -> FloatArray:
    grown = chances.copy()
    for _ in range(count):
        grown[size:] += grown[:-size]
        grown *= 0.5
    return grown


def _fair_binomial(trials: int) -> FloatArray:
    """The chances of 0, 1, ... successes, by ratios outwards from the middle: good to about `trials` roundings."""
    middle = trials // 2
    successes = np.arange(middle, trials)
    upper = np.cumprod(np.concatenate([[1.0], (trials - successes) / (successes + 1)]))
    lower = upper[trials - 2 * middle + 1 :][::-1]
    weights = np.concatenate([lower, upper])
    return np.asarray(weights / weights.sum(), dtype=np.float64)
