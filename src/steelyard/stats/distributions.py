"""Numerics that tests and intervals share.

Tails and quantiles of the normal, Student t and fair binomial distributions, without SciPy's 0.9 s import; checks of
arguments, ties under rounding, and the seeded bootstrap.
"""

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from steelyard import limits
from steelyard.i18n import Message
from steelyard.table import FloatArray, IntArray

_NORMAL: Final = NormalDist()
_COUNTED_TRIALS: Final = 1000  # up to here integers are as fast
_STIRLING_FROM: Final = 10.0  # from here five terms of Stirling's series are exact to 1e-14
_CLOSE_ENOUGH: Final = 3e-16  # a step of one rounding error
_FRACTION_TERMS: Final = 10_000_000  # about sqrt(df) are needed; this only ends a loop that cannot converge
_BLOCK_CELLS: Final = 2**17  # draws in one block: 1 MB, which stays in the cache
# 0.3 - 0.2 and 0.1 are one difference of P@10. Scores near 1 are exact to 2e-16, so a difference of 2e-5 is to 1e-11.
TIE_TOLERANCE: Final = 1e-11


def normal_quantile(p: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(p)


def normal_cumulative(z: float) -> float:
    """Return the cumulative probability of the standard normal distribution."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def normal_two_sided(z: float) -> float:
    """Return the two-sided tail probability of the standard normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2))


def t_two_sided(statistic: float, df: float) -> float:
    """Return the two-sided tail probability of Student's t with df degrees of freedom."""
    _require_positive(df)
    square = statistic * statistic
    if math.isinf(square):
        return 0.0
    return regularised_beta(df / 2, 0.5, df / (df + square), square / (df + square))


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: float) -> float:
    """Return the quantile of Student's t with df degrees of freedom.

    Newton's method on the logarithms of tail and value: that curve is concave, so it cannot diverge when it starts from
    the normal quantile, which is always closer to 0 than the result.
    """
    _require_positive(df)
    if not 0 < p < 1:
        raise ValueError(f"a quantile needs a probability strictly between 0 and 1, not {p!r}")
    if p == 0.5:
        return 0.0
    target = 2 * min(p, 1 - p)
    root = abs(normal_quantile(p))
    step = 1.0
    while abs(step) > 1e-9:  # the next step would be its square
        tail = t_two_sided(root, df)
        step = math.log(tail / target) * tail / (2 * root * _t_density(root, df))
        root *= math.exp(step)
    return math.copysign(root, p - 0.5)


def fair_two_sided(successes: int, trials: int) -> float:
    """Return the two-sided tail probability of the fair binomial distribution; 1 without trials."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    fewer = min(successes, trials - successes)
    if 2 * fewer >= trials - 1:
        return 1.0
    if trials <= _COUNTED_TRIALS:
        return 2 * _ways(fewer, trials) / (1 << trials)
    return 2 * regularised_beta(trials - fewer, fewer + 1, 0.5, 0.5)


def regularised_beta(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction.

    The caller passes y = 1 - x so that the smaller of the two keeps its digits.
    """
    if x <= 0:
        return 0.0
    if y <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_tail(b, a, y, x)
    return _beta_tail(a, b, x, y)


def _ways(most: int, trials: int) -> int:
    """Return the number of outcomes with at most this many successes."""
    ways = total = 1
    for successes in range(most):
        ways = ways * (trials - successes) // (successes + 1)
        total += ways
    return total


def _beta_tail(a: float, b: float, x: float, y: float) -> float:
    return math.exp(_log_beta_weight(a, b, x, y)) / _beta_fraction(a, b, x, y)


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """Return the fraction of Didonato and Morris (ACM TOMS 708, 1992), by the modified Lentz method.

    It is written in a*y - b*x, which keeps its digits where x is near 1 and a is large; the one in Numerical Recipes
    loses five of them at a million degrees of freedom.
    """
    value = upper = _nonzero(a * (a * y - b * x + 1) / (a + 1))
    lower = 0.0
    for term in range(1, _FRACTION_TERMS):
        weight = term * (b - term) * x / (a + 2 * term - 1)
        numerator = (a + term - 1) * (a + b + term - 1) * x / (a + 2 * term - 1) * weight
        denominator = term + weight + (a + term) * (a * y - b * x + 1 + term * (1 + y)) / (a + 2 * term + 1)
        lower = 1 / _nonzero(denominator + numerator * lower)
        upper = _nonzero(denominator + numerator / upper)
        value *= lower * upper
        if abs(lower * upper - 1) <= _CLOSE_ENOUGH:
            return value
    raise ArithmeticError(f"the incomplete beta function did not converge at a={a!r}, b={b!r}, x={x!r}")


def _nonzero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def _log_beta_weight(a: float, b: float, x: float, y: float) -> float:
    """log of x^a y^b / B(a, b), with the large terms cancelled analytically if a and b are large."""
    if min(a, b) < _STIRLING_FROM:
        return a * _log_part(x, y) + b * _log_part(y, x) - _log_beta(a, b)
    excess = x * b - y * a
    deviance = a * _log_ratio(x * (a + b) / a, excess / a) + b * _log_ratio(y * (a + b) / b, -excess / b)
    correction = _stirling(a) + _stirling(b) - _stirling(a + b)
    return deviance + 0.5 * math.log(a / (a + b) * b / (2 * math.pi)) - correction


def _log_ratio(ratio: float, above_one: float) -> float:
    return math.log1p(above_one) if abs(above_one) < 0.5 else math.log(ratio)


def _log_part(part: float, rest: float) -> float:
    return math.log(part) if part < 0.5 else math.log1p(-rest)


def _log_beta(a: float, b: float) -> float:
    """log B(a, b) for a smaller argument under 10; as R's lbeta, which avoids subtracting two large logarithms."""
    small, large = min(a, b), max(a, b)
    if large < _STIRLING_FROM:
        return math.lgamma(small) + math.lgamma(large) - math.lgamma(small + large)
    both = small + large
    correction = _stirling(large) - _stirling(both)
    shift = small - small * math.log(both) + (large - 0.5) * math.log1p(-small / both)
    return math.lgamma(small) + correction + shift


def _stirling(x: float) -> float:
    """Return the remainder of Stirling's formula for log gamma(x), for x of 10 or more."""
    square = 1 / (x * x)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / x


def _t_density(value: float, df: float) -> float:
    power = -(df + 1) / 2 * math.log1p(value * value / df)
    return math.exp(power - 0.5 * math.log(df) - _log_beta(0.5, df / 2))


def _require_positive(df: float) -> None:
    if not df > 0:
        raise ValueError(f"degrees of freedom must be positive, not {df!r}")


def require_resamples(resamples: int) -> None:
    """Raise an error if the number of resamples is not positive, or above the limit."""
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    limits.RESAMPLES.check(resamples, Message("words.the_number_of_resamples"))


def require_one_column(values: FloatArray) -> None:
    """Raise an error unless the values are one column of finite numbers."""
    if values.ndim != 1:
        raise ValueError(f"one column is needed, not an array of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("values must be finite; leave out unscored items first")


def require_columns(differences: FloatArray) -> None:
    """Raise an error unless differences are items by metrics and not infinite; NaN stands for an unscored item."""
    if differences.ndim != 2:
        raise ValueError(f"differences must be items by metrics, not an array of {differences.ndim} dimensions")
    if np.isinf(differences).any():
        raise ValueError("differences must be finite, or NaN for an unscored item")


def require_share(name: str, share: float) -> None:
    """Raise an error unless a level or probability lies strictly between 0 and 1."""
    if not 0 < share < 1:
        raise ValueError(f"{name} must be between 0 and 1, not {share!r}")


def resampled_sums(columns: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """Return the column sums of `resamples` bootstrap samples, one row for each sample.

    All columns share the same draws; they are made in blocks that fit into the cache.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    rows = max(1, _BLOCK_CELLS // max(1, len(columns)))
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    items, sums = len(columns), []
    for size in sizes:
        drawn = generator.integers(items, size=(size, items)) + items * np.arange(size)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=size * items).reshape(size, items)
        sums.append(counts.astype(np.float64) @ columns)
    return np.concatenate(sums)


def unit_scaled(differences: FloatArray) -> FloatArray:
    """Return the differences divided by the largest magnitude; those that are only rounding errors become 0."""
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0:
        return np.zeros_like(differences)
    scaled = differences / largest
    return np.where(np.abs(scaled) <= TIE_TOLERANCE, 0.0, scaled)


def tie_groups(values: FloatArray, *, tolerance: float) -> IntArray:
    """Return the tie group of each value, numbered from 0 upwards; values within the tolerance share a group."""
    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=values[order][:1]) > tolerance
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def deviation(values: FloatArray) -> float:
    """Return the sample standard deviation; exactly 0 if the values differ only by rounding, NaN for fewer than two."""
    if len(values) < 2:
        return float("nan")
    if np.ptp(values) <= TIE_TOLERANCE * np.abs(values).max():
        return 0.0
    return float(np.std(values, ddof=1))
