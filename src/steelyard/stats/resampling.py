"""As many resamples as a family of permutation tests needs, drawn only for the tests whose p-value is at its floor.

The smallest Monte Carlo p, 1 / (B + 1), times the number of tests must be well below alpha; else no test of a large
family could be significant. Tests with few extreme draws are drawn again with ten times as many, up to what the family
needs. The draws are those of `--resamples B`, and the other p-values keep their digits. Stopping early at many extreme
draws keeps the test valid (Besag and Clifford 1991): p <= u implies (b + 1) / (B + 1) <= u at one fixed B.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from steelyard.stats.distributions import unit_scaled
from steelyard.stats.permutation import sampled_p_values
from steelyard.table import FloatArray

if TYPE_CHECKING:
    from steelyard.stats.compare import Comparison

RESAMPLES: Final = 10_000
"""The resamples of a test whose family is small."""
MOST_RESAMPLES: Final = 1_000_000
"""The most that are drawn unless the user asks for more."""
_MARGIN: Final = 5  # the floor of p times the number of tests is at most a fifth of alpha
_FEW: Final = 10  # fewer extreme draws than this: p is near its floor
_MOST_WORK: Final = 1_000_000_000_000  # about one and a half minutes on two processors
_FIXED_WORK: Final = 200  # what a draw costs besides its sum, in items
_COLUMNS: Final = 32  # tests in one product: what is computed of a block stays in the cache


def resamples_for(tests: int, alpha: float) -> int:
    """Return how many resamples a family of so many tests needs, a power of ten.

    >>> resamples_for(528, 0.05)
    100000
    """
    resamples = RESAMPLES
    while _MARGIN * tests > alpha * (resamples + 1):
        resamples *= 10
    return resamples


def with_enough_resamples(
    comparisons: Sequence["Comparison"], tests: int, alpha: float, units_of: Callable[[int], FloatArray]
) -> list["Comparison"]:
    """Return the comparisons of one family; `units_of` gives the differences of the units of one by its index."""
    found = list(comparisons)
    enough = min(resamples_for(tests, alpha), MOST_RESAMPLES)
    resamples = RESAMPLES
    while resamples < enough:
        low = [index for index, each in enumerate(found) if each.resamples == resamples and _is_low(each)]
        if sum(found[index].units + _FIXED_WORK for index in low) * 10 * resamples > _MOST_WORK:
            break
        resamples *= 10
        for index, p_value in _p_values(low, units_of, resamples, seed=found[0].settings.seed).items():
            found[index] = replace(found[index], p_value=p_value, p_adjusted=p_value, resamples=resamples)
    floor = 1 / (resamples + 1)
    return [replace(each, smallest_p=floor, smallest_p_adjusted=floor) if each.resamples else each for each in found]


def _is_low(comparison: "Comparison") -> bool:
    """Return whether a p-value is that of few extreme draws."""
    return comparison.p_value * ((comparison.resamples or 0) + 1) < _FEW + 0.5


def _p_values(
    indices: Sequence[int], units_of: Callable[[int], FloatArray], resamples: int, *, seed: int
) -> dict[int, float]:
    """Return p-values by index; tests of as many units share their signs."""
    columns: dict[int, list[tuple[int, FloatArray]]] = defaultdict(list)
    for index in indices:
        units = unit_scaled(np.nan_to_num(units_of(index)))
        columns[len(units)].append((index, units))
    found: dict[int, float] = {}
    for group in columns.values():
        for start in range(0, len(group), _COLUMNS):
            part = group[start : start + _COLUMNS]
            matrix = np.column_stack([units for _, units in part])
            p_values = sampled_p_values(matrix, resamples=resamples, seed=seed).tolist()
            found.update(zip([index for index, _ in part], p_values, strict=True))
    return found
