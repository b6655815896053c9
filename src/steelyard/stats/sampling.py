"""A sample by strata, seeded: how many of each, and which."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items of one kind; one of importance 2 is drawn twice as often as one of importance 1."""

    name: str
    rows: tuple[int, ...]
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn of a stratum: each of its `population` items had the chance `len(rows) / population`."""

    name: str
    rows: tuple[int, ...]
    population: int


def draw(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """So many items of all strata, each stratum with its share, at least one of each; rows in order."""
    sizes = allocate([len(each.rows) for each in strata], [each.importance for each in strata], count)
    return _drawn(strata, sizes, seed)


def draw_in_turn(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """So many items: all of the first stratum, then of the next, until there are enough; strata without one are left
    out."""
    left, sizes = count, []
    for stratum in strata:
        sizes.append(min(left, len(stratum.rows)))
        left -= sizes[-1]
    return [each for each in _drawn(strata, sizes, seed) if each.rows]


def _drawn(strata: Sequence[Stratum], sizes: Sequence[int], seed: int) -> list[Drawn]:
    generator = np.random.default_rng(seed)
    drawn = []
    for stratum, size in zip(strata, sizes, strict=True):
        chosen = generator.permutation(len(stratum.rows))[:size].tolist()
        drawn.append(Drawn(stratum.name, tuple(sorted(stratum.rows[at] for at in chosen)), len(stratum.rows)))
    return drawn


def allocate(sizes: Sequence[int], importances: Sequence[float], count: int) -> list[int]:
    """How many to draw of strata of these sizes: in proportion to size times importance, none empty, none overdrawn.

    Each gets one; each further item goes to the stratum that is furthest behind its share.
    """
    if not len(sizes) <= count <= sum(sizes):
        raise ValueError(f"{count} items of {len(sizes)} strata that hold {sum(sizes)}")
    shares = np.array(sizes, np.float64) * np.array(importances, np.float64)
    shares *= count / shares.sum()
    drawn = np.ones(len(sizes), np.int64)
    for _ in range(count - len(sizes)):
        behind = np.where(drawn < np.array(sizes), (drawn + 0.5) / shares, np.inf)
        drawn[int(np.argmin(behind))] += 1
    return [int(each) for each in drawn]
