"""The compact letter display: systems that share a letter do not differ significantly."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_letters

Group = frozenset[str]


def letters(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A text of letters for each name: two names share a letter if and only if they are not a differing pair.

    Insert and absorb (Piepho 2004), then letters that say nothing new are dropped. Names come best first, and so do
    the letters.

    >>> letters(["best", "good", "poor"], [("best", "poor")])
    {'best': 'a', 'good': 'ab', 'poor': 'b'}
    """
    groups = [frozenset(names)]
    for pair in differing:
        groups = _absorb([part for group in groups for part in _split(group, pair)])
    place = {name: number for number, name in enumerate(names)}
    groups = _needed(sorted(groups, key=lambda group: sorted(place[name] for name in group)))
    return {name: "".join(_letter(n) for n, group in enumerate(groups) if name in group) for name in names}


def _split(group: Group, pair: tuple[str, str]) -> Iterable[Group]:
    """The group, or where it holds both of a differing pair, the group without the one and without the other."""
    return [group - {name} for name in pair] if group.issuperset(pair) else [group]


def _absorb(groups: Sequence[Group]) -> list[Group]:
    """The groups that are part of no other."""
    distinct = list(dict.fromkeys(groups))
    return [group for group in distinct if not any(group < other for other in distinct)]


def _needed(groups: Sequence[Group]) -> list[Group]:
    """The groups without those of which every two names, and every name, are together elsewhere."""
    kept = list(groups)
    for group in reversed(groups):
        others = [other for other in kept if other is not group]
        bonds = [*combinations(group, 2), *((name,) for name in group)]
        if all(any(other.issuperset(bond) for other in others) for bond in bonds):
            kept = others
    return kept


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"
