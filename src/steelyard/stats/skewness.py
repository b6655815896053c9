"""Willink's interval for the mean of skewed values (2005): Student's t with a cubic correction for skewness."""

import math

import numpy as np

from steelyard.table import FloatArray


def skewed_reaches(deviations: FloatArray, quantile: float) -> tuple[float, float]:
    """How far below and above the mean the interval ends, for deviations from it and a quantile of t.

    With a = third moment / (6 sqrt(n) s^3), the ends are G(t) and G(-t) standard errors below the mean, where
    G(r) = ((1 + 6a (r - a))^(1/3) - 1) / 2a, and G(r) = r where nothing is skewed.
    """
    items = len(deviations)
    square = float((deviations * deviations).sum()) / (items - 1)
    if items < 3 or square == 0:
        return 0.0, 0.0
    error = math.sqrt(square / items)
    scaled = deviations / math.sqrt(square)
    skew = items * float((scaled**3).sum()) / ((items - 1) * (items - 2)) / (6 * math.sqrt(items))
    return _corrected(quantile, skew) * error, -_corrected(-quantile, skew) * error


def _corrected(quantile: float, skew: float) -> float:
    if abs(skew) < 1e-9:
        return quantile
    inside = 6 * skew * (quantile - skew)
    # of a small number the cube root of 1 more, less 1, would lose its digits
    root = math.expm1(math.log1p(inside) / 3) if inside > -0.5 else float(np.cbrt(1 + inside)) - 1
    return root / (2 * skew)
