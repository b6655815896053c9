"""Corrections for a family of tests: with twenty metrics, one in twenty differs by luck."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from steelyard.table import FloatArray

Correction = Literal["holm", "bh", "bonferroni", "none"]


def adjust(p_values: Sequence[float], method: Correction) -> list[float]:
    """Adjusted p-values in the order given; NaN (not tested) stays NaN and is no member of the family."""
    if method not in _CORRECTIONS:
        raise ValueError(f"no correction {method!r}; there are: {', '.join(_CORRECTIONS)}")
    raw = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(raw))
    order = tested[np.argsort(raw[tested], kind="stable")]
    adjusted = raw.copy()
    adjusted[order] = np.minimum(1.0, _CORRECTIONS[method](raw[order]))
    return [float(p_value) for p_value in adjusted]


def _holm(ascending: FloatArray) -> FloatArray:
    """Step down (Holm 1979): the chance of any false finding."""
    left = np.arange(len(ascending), 0, -1)
    return np.asarray(np.maximum.accumulate(ascending * left), dtype=np.float64)


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    """Step up (Benjamini and Hochberg 1995): the expected share of false findings."""
    ranks = np.arange(1, len(ascending) + 1)
    scaled = ascending * (len(ascending) / ranks)
    return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1], dtype=np.float64)


def _bonferroni(ascending: FloatArray) -> FloatArray:
    return ascending * len(ascending)


def _unchanged(ascending: FloatArray) -> FloatArray:
    return ascending


_CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "bonferroni": _bonferroni,
    "none": _unchanged,
}
