"""Direction of metrics and their parts: whether more or less is better."""

import re

from steelyard.registry.kinds import BUILT_IN


def is_lower_better(name: str) -> bool:
    """Whether less is better of this column, as a kind of results declares it, whatever its cut-off and parameters."""
    return any(re.split(r"[(@]", name)[0] in kind.lower_is_better for kind in BUILT_IN)


def is_directed(name: str) -> bool:
    """Whether more or less is better of this column; of a rate of refusals alone neither is."""
    return not any(name in kind.undirected for kind in BUILT_IN)


def gain(name: str, difference: float) -> float:
    """The difference (newer minus older), negated if less is better."""
    return -difference if is_lower_better(name) else difference


def best(name: str) -> float:
    """The best value of a score between 0 and 1."""
    return 0.0 if is_lower_better(name) else 1.0
