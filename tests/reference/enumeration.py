"""Slow and plain: permutation p-values by the definition, in whole numbers, where no rounding can hide."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def enumerated(differences: Sequence[int]) -> Fraction:
    """The share of all sign vectors whose sum is at least as far from 0 as the observed one."""
    observed = abs(sum(differences))
    flips = itertools.product((1, -1), repeat=len(differences))
    extreme = sum(
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True))) >= observed for signs in flips
    )
    return Fraction(extreme, 2 ** len(differences))


def counted(differences: Sequence[int]) -> Fraction:
    """The same for many items: count the sign vectors that give each sum, one item after the other."""
    total = sum(map(abs, differences))
    ways = np.zeros(2 * total + 1, dtype=object)
    ways[total] = 1
    for size in filter(None, map(abs, differences)):
        ways = np.roll(ways, size) + np.roll(ways, -size)
    far = abs(np.arange(-total, total + 1)) >= abs(sum(differences))
    return Fraction(int(ways[far].sum()), 2 ** sum(map(bool, differences)))
