"""Multiple testing: p-values corrected for a family of tests, and the compact letter display."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from string import ascii_letters
from typing import Literal

import numpy as np

from steelyard.table import FloatArray

Correction = Literal["holm", "bh", "bonferroni", "none"]


def adjust(p_values: Sequence[float], method: Correction) -> list[float]:
    """Return adjusted p-values in the given order; NaN (not tested) stays NaN and does not count in the family."""
    if method not in _CORRECTIONS:
        raise ValueError(f"no correction {method!r}; there are: {', '.join(_CORRECTIONS)}")
    raw = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(raw))
    order = tested[np.argsort(raw[tested], kind="stable")]
    adjusted = raw.copy()
    adjusted[order] = np.minimum(1.0, _CORRECTIONS[method](raw[order]))
    return [float(p_value) for p_value in adjusted]


def _holm(ascending: FloatArray) -> FloatArray:
    """Holm's step-down method (1979), which controls the family-wise error rate."""
    left = np.arange(len(ascending), 0, -1)
    return np.asarray(np.maximum.accumulate(ascending * left), dtype=np.float64)


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    """Benjamini and Hochberg's step-up method (1995), which controls the false discovery rate."""
    ranks = np.arange(1, len(ascending) + 1)
    scaled = ascending * (len(ascending) / ranks)
    return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1], dtype=np.float64)


_CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "bonferroni": lambda ascending: ascending * len(ascending),
    "none": lambda ascending: ascending,
}


Group = frozenset[str]


def letters(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of each name: two names share a letter if and only if they do not differ significantly.

    Insert and absorb (Piepho 2004), then redundant letters are dropped. Names come best first, and so do the letters.

    >>> letters(["best", "good", "poor"], [("best", "poor")])
    {'best': 'a', 'good': 'ab', 'poor': 'b'}
    """
    groups = [frozenset(names)]
    for pair in differing:
        groups = _absorb([part for group in groups for part in _split(group, pair)])
    rank = {name: number for number, name in enumerate(names)}
    groups = _needed(sorted(groups, key=lambda group: sorted(rank[name] for name in group)))
    return {name: "".join(_letter(n) for n, group in enumerate(groups) if name in group) for name in names}


def _split(group: Group, pair: tuple[str, str]) -> Iterable[Group]:
    """Return the group, or if it contains both of a differing pair, the group without each of them."""
    return [group - {name} for name in pair] if group.issuperset(pair) else [group]


def _absorb(groups: Sequence[Group]) -> list[Group]:
    """Return the groups that are not part of another."""
    distinct = list(dict.fromkeys(groups))
    return [group for group in distinct if not any(group < other for other in distinct)]


def _needed(groups: Sequence[Group]) -> list[Group]:
    """Return the groups without the redundant ones: those whose names and pairs of names all occur in other groups."""
    kept = list(groups)
    for group in reversed(groups):
        others = [other for other in kept if other is not group]
        bonds = [*combinations(group, 2), *((name,) for name in group)]
        if all(any(other.issuperset(bond) for other in others) for bond in bonds):
            kept = others
    return kept


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"
