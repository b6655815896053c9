"""The seeded bootstrap: how often each item is drawn, and the sums that follow, in blocks that stay small."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.table import FloatArray

_BLOCK_CELLS: Final = 2**17  # draws in one block: 1 MB, which stays in the cache


def resampled_sums(columns: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """The sums of each column over `resamples` samples of as many items, drawn with replacement; one row a sample.

    All columns share the same draws.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    rows = max(1, _BLOCK_CELLS // max(1, len(columns)))
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    return np.concatenate([_draw_counts(generator, len(columns), size) @ columns for size in sizes])


def _draw_counts(generator: "np.random.Generator", items: int, rows: int) -> NDArray[np.float64]:
    """How often each item was drawn, row by row."""
    drawn = generator.integers(items, size=(rows, items)) + items * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
