"""The range of a score whose verdict the rules could not decide.

An uncertain verdict leaves one part of the score open (`Question.open_part`): `exact_match` of a fact, or
`correct_abstention` of a gap. The lowest score has 0 for that part and the highest has 1; every other part stays as
judged. The part has the same weight in the range as in the score.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from steelyard.legal.question_types import question_types
from steelyard.table import Flags, FloatArray

PART: Final = "uncertain"
"""1 where the rules could not decide and the score is the best guess, else 0."""


def score_range(scores: FloatArray, parts: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest score of each item; both are its score where the verdict is certain.

    An item belongs to the type whose open part it has; a type without an open part has no range.
    """
    low, high = scores.copy(), scores.copy()
    is_open = parts[PART] == 1 if PART in parts else np.zeros(len(scores), bool)
    for kind in question_types():
        if kind.open_part is None or kind.open_part not in parts:
            continue
        column = parts[kind.open_part]
        for row in np.flatnonzero(is_open & _has(column)):
            present = [name for name, values in parts.items() if not np.isnan(values[row])]
            weight = kind.weights(present)[kind.open_part]
            low[row] -= weight * column[row]
            high[row] += weight * (1 - column[row])
    return np.clip(low, 0, 1), np.clip(high, 0, 1)  # both are sums of rounded numbers


def _has(part: FloatArray) -> Flags:
    return ~np.isnan(part)
