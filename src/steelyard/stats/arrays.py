"""Array functions that tests and intervals share: argument checks, ties under rounding, the seeded bootstrap."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard import limits
from steelyard.i18n import Message
from steelyard.table import FloatArray, IntArray


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


_BLOCK_CELLS: Final = 2**17  # draws in one block: 1 MB, which stays in the cache


def resampled_sums(columns: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """The column sums of `resamples` bootstrap samples, one row for each sample.

    All columns share the same draws; they are made in blocks that fit into the cache.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    rows = max(1, _BLOCK_CELLS // max(1, len(columns)))
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    return np.concatenate([_draw_counts(generator, len(columns), size) @ columns for size in sizes])


def _draw_counts(generator: "np.random.Generator", items: int, rows: int) -> NDArray[np.float64]:
    """How often each item was drawn, one row for each sample."""
    drawn = generator.integers(items, size=(rows, items)) + items * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


# 0.3 - 0.2 and 0.1 are one difference of P@10. Scores near 1 are exact to 2e-16, so a difference of 2e-5 is to 1e-11.
TIE_TOLERANCE: Final = 1e-11


def unit_scaled(differences: FloatArray) -> FloatArray:
    """The differences divided by the largest magnitude; those that are only rounding errors become 0."""
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0:
        return np.zeros_like(differences)
    scaled = differences / largest
    return np.where(np.abs(scaled) <= TIE_TOLERANCE, 0.0, scaled)


def tie_groups(values: FloatArray, *, tolerance: float) -> IntArray:
    """The tie group of each value, numbered from 0 in ascending order; values within the tolerance share a group."""
    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=values[order][:1]) > tolerance
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def deviation(values: FloatArray) -> float:
    """The sample standard deviation; exactly 0 if the values differ only by rounding, NaN for fewer than two."""
    if len(values) < 2:
        return float("nan")
    if np.ptp(values) <= TIE_TOLERANCE * np.abs(values).max():
        return 0.0
    return float(np.std(values, ddof=1))
