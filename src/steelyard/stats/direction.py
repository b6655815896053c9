"""Direction of metrics and their parts: whether more or less is better."""

import re
from typing import Final

from steelyard.registry.kinds import BUILT_IN

_DECLARED: Final[set[str]] = set()


def lower_is_better(*names: str) -> None:
    """Declare, for this process, that less is better of columns with these names, such as "latency".

    Names of metrics of other tools say nothing about their direction; without this, more is better.
    """
    _DECLARED.update(names)


def declared() -> frozenset[str]:
    """Return the names that were declared in this process."""
    return frozenset(_DECLARED)


def is_lower_better(name: str) -> bool:
    """Return whether less is better of this column, as a kind of results or the user declares it.

    A kind declares it for every cut-off and parameter of a metric.
    """
    metric = re.split(r"[(@]", name)[0]
    return name in _DECLARED or any(metric in kind.lower_is_better for kind in BUILT_IN)


def is_directed(name: str) -> bool:
    """Whether more or less is better of this column; of a rate of refusals alone neither is, unless it is declared."""
    return name in _DECLARED or not any(name in kind.undirected for kind in BUILT_IN)


def directed_parts(name: str) -> list[str]:
    """Return the parts of a metric of which less is better."""
    return sorted(part for kind in BUILT_IN for part in kind.lower_is_better if part.startswith(f"{name}."))


def gain(name: str, difference: float) -> float:
    """Return the difference (newer minus older), negated if less is better."""
    return -difference if is_lower_better(name) else difference


def best(name: str) -> float:
    """Return the best value of a score between 0 and 1."""
    return 0.0 if is_lower_better(name) else 1.0
