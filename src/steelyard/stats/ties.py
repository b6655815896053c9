"""When two floating-point numbers count as one: 0.3 - 0.2 and 0.1 are the same difference of P@10."""

from typing import Final

import numpy as np

from steelyard.table import FloatArray, IntArray

# Scores of about 1 are good to 2e-16, so a difference as small as 2e-5 is good to 1e-11 of itself.
TIE_TOLERANCE: Final = 1e-11


def unit_scaled(differences: FloatArray) -> FloatArray:
    """The differences over the largest of them, with those that are only rounding set to 0; zeros stay zeros."""
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0:
        return np.zeros_like(differences)
    scaled = differences / largest
    return np.where(np.abs(scaled) <= TIE_TOLERANCE, 0.0, scaled)


def tie_groups(values: FloatArray, *, tolerance: float) -> IntArray:
    """For each value its group, numbered from 0 upwards in order of size; values no further apart share one."""
    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=values[order][:1]) > tolerance
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def deviation(values: FloatArray) -> float:
    """The standard deviation with n - 1; exactly 0 when the values differ by rounding only, NaN for fewer than two."""
    if len(values) < 2:
        return float("nan")
    if np.ptp(values) <= TIE_TOLERANCE * np.abs(values).max():
        return 0.0
    return float(np.std(values, ddof=1))
