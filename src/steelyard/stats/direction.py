"""Which way a metric, or a part of one, gets better."""

from typing import Final

LOWER_IS_BETTER: Final = frozenset(("legal.uncertain",))
"""Names of columns, as rules and `compare -m` write them, of which less is better. Of all others more is."""


def is_lower_better(name: str) -> bool:
    """Whether less of it is better."""
    return name in LOWER_IS_BETTER


def gain(name: str, difference: float) -> float:
    """A difference (newer minus older) with the sign turned so that more is better."""
    return -difference if is_lower_better(name) else difference


def best(name: str) -> float:
    """The best value of a score between 0 and 1."""
    return 0.0 if is_lower_better(name) else 1.0
