"""Seeded stratified sampling: how many items of each stratum, and which."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items that are sampled together; an item of importance 2 is drawn twice as often as one of importance 1."""

    name: str
    rows: tuple[int, ...]
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The sample of a stratum; each of its `population` items was drawn with probability `len(rows) / population`."""

    name: str
    rows: tuple[int, ...]
    population: int


def draw(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """Draw `count` items, in proportion to the strata and at least one of each; rows are in order."""
    sizes = allocate([len(stratum.rows) for stratum in strata], [stratum.importance for stratum in strata], count)
    return _drawn(strata, sizes, seed)


def draw_in_turn(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """Draw `count` items from the strata in turn: all of the first, then of the next; empty samples are left out."""
    left, sizes = count, []
    for stratum in strata:
        sizes.append(min(left, len(stratum.rows)))
        left -= sizes[-1]
    return [sample for sample in _drawn(strata, sizes, seed) if sample.rows]


def _drawn(strata: Sequence[Stratum], sizes: Sequence[int], seed: int) -> list[Drawn]:
    generator = np.random.default_rng(seed)
    drawn = []
    for stratum, size in zip(strata, sizes, strict=True):
        chosen = generator.permutation(len(stratum.rows))[:size].tolist()
        drawn.append(Drawn(stratum.name, tuple(sorted(stratum.rows[index] for index in chosen)), len(stratum.rows)))
    return drawn


def allocate(sizes: Sequence[int], importances: Sequence[float], count: int) -> list[int]:
    """The sample size of each stratum, in proportion to size times importance; at least 1, at most the stratum's size.

    Each stratum gets one; each further item goes to the stratum that is furthest behind its share.
    """
    if not len(sizes) <= count <= sum(sizes):
        raise ValueError(f"{count} items of {len(sizes)} strata that hold {sum(sizes)}")
    shares = np.array(sizes, np.float64) * np.array(importances, np.float64)
    shares *= count / shares.sum()
    drawn = np.ones(len(sizes), np.int64)
    for _ in range(count - len(sizes)):
        behind = np.where(drawn < np.array(sizes), (drawn + 0.5) / shares, np.inf)
        drawn[int(np.argmin(behind))] += 1
    return [int(size) for size in drawn]
