"""Arithmetic of legal scores: the weighted sum of parts, the penalty for invented values, and the common parts."""

from collections.abc import Mapping
from typing import Final

METRIC: Final = "legal"
"""The kind of legal results, and the name of their metric."""
SLACK: Final = 1e-9
"""The tolerance with which a score equals the weighted sum of its parts."""
PENALTIES: Final = {"high": 0.4, "medium": 0.2, "low": 0.0}
"""What an invented value takes off the penalised score, by the level that the question names."""
COMMON_PARTS: Final = ("value_cited", "penalised_score", "passed", "uncertain")
"""Parts that items of every type can have and that do not count in the score."""


def weighted_sum(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """The sum of the values, each times its weight."""
    total = 0.0
    for part, weight in weights.items():
        total += weight * values[part]  # in a loop: `sum` rounds differently from Python 3.12 on
    return total


def penalised(score: float, penalty: float) -> float:
    """The score less the penalty for invented values, at least 0."""
    return max(0.0, score - penalty)
