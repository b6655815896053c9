"""The range of a score whose verdict the rules could not decide.

An uncertain verdict leaves one part of the score open: `exact_match` of a fact, `correct_abstention` of a gap. The
lowest score has 0 for that part and the highest has 1; every other part stays as judged. The part counts in the
range with the same weight as in the score (`legal.score`).
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from steelyard.legal.formulas import FACT_WEIGHTS, GAP_WEIGHTS
from steelyard.table import Flags, FloatArray

PART: Final = "uncertain"
"""1 where the rules could not decide and the score is the best guess, else 0."""
_QUOTING: Final = ("quote_included", "conflict_surfaced")


def score_range(scores: FloatArray, parts: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest score of each item; both are its score where the verdict is certain.

    The parts that an item has tell its type: a fact has `exact_match`, a gap `correct_abstention`. A set of evidence
    has neither, so its range is its score.
    """
    low, high = scores.copy(), scores.copy()
    is_open = _column(parts, PART, len(scores)) == 1
    for part, weights in _open_parts(parts, len(scores)):
        rows = is_open & _has(part)
        low[rows] -= (weights * part)[rows]
        high[rows] += (weights * (1 - part))[rows]
    return np.clip(low, 0, 1), np.clip(high, 0, 1)  # both are sums of rounded numbers


def _open_parts(parts: Mapping[str, FloatArray], items: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Each part that can be open, with its weight in the score of each item."""
    cited = _has(_column(parts, "citation_correctness", items))
    yield _column(parts, "exact_match", items), np.where(cited, FACT_WEIGHTS["exact_match"], 1.0)
    quoting = np.logical_or.reduce([_has(_column(parts, name, items)) for name in _QUOTING])
    weight = GAP_WEIGHTS["correct_abstention"]
    yield _column(parts, "correct_abstention", items), np.where(quoting, weight, weight / sum(GAP_WEIGHTS.values()))


def _column(parts: Mapping[str, FloatArray], name: str, items: int) -> FloatArray:
    """A part, NaN where an item does not have it."""
    return parts.get(name, np.full(items, np.nan))


def _has(part: FloatArray) -> Flags:
    return ~np.isnan(part)
