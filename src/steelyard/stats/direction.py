"""Direction of metrics and their parts: whether more or less is better."""

from typing import Final

LOWER_IS_BETTER: Final = frozenset(("legal.uncertain",))
"""The columns of which less is better, as named in rules and `compare -m`; of all others more is better."""


def is_lower_better(name: str) -> bool:
    """Whether less is better."""
    return name in LOWER_IS_BETTER


def gain(name: str, difference: float) -> float:
    """The difference (newer minus older), negated if less is better."""
    return -difference if is_lower_better(name) else difference


def best(name: str) -> float:
    """The best value of a score between 0 and 1."""
    return 0.0 if is_lower_better(name) else 1.0
