"""Counts of pairs of texts by the compiled kernel; the numpy counts of `overlaps` are the same."""

from typing import Any, Final

import numpy as np

from steelyard.native import kernel
from steelyard.table import IntArray
from steelyard.text.coding import Codes

_MOST_CELLS: Final = 1 << 36  # of one pair: longer texts are compared where Ctrl-C is heard


def count_shared(predictions: Codes, references: Codes) -> IntArray | None:
    """Four rows of counts: shared tokens, bigrams, the longest common subsequence, present; None without a kernel."""
    native = _kernel_for(predictions, references)
    return None if native is None else _rows(native.count_shared(*_columns(predictions), *_columns(references)), 4)


def count_distinct(predictions: Codes, references: Codes, n: int) -> IntArray | None:
    """Three rows of counts of distinct n-grams: common, of the prediction, of the reference; None without a kernel."""
    native = _kernel_for(predictions, references)
    return None if native is None else _rows(native.count_distinct(*_columns(predictions), *_columns(references), n), 3)


def _kernel_for(predictions: Codes, references: Codes) -> Any:
    cells = predictions.lengths * references.lengths
    return kernel() if cells.max(initial=0) <= _MOST_CELLS else None


def _columns(codes: Codes) -> tuple[IntArray, IntArray]:
    return np.ascontiguousarray(codes.values, np.int64), np.ascontiguousarray(codes.lengths, np.int64)


def _rows(counts: bytes, rows: int) -> IntArray:
    return np.frombuffer(counts, np.int64).reshape(rows, -1)
