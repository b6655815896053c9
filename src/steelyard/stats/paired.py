"""Paired two-sided tests of whether two systems differ, with one p-value for each metric.

Differences are items down, metrics across, and NaN if either system has no score: the permutation test gives such an
item a difference of 0, which has no effect; the others leave it out.
"""

import math
import sys
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from steelyard.stats.distributions import (
    TIE_TOLERANCE,
    deviation,
    fair_two_sided,
    normal_two_sided,
    require_columns,
    require_one_column,
    require_resamples,
    resampled_sums,
    t_two_sided,
    tie_groups,
)
from steelyard.stats.permutation import PairedResult, permutation_tests
from steelyard.table import FloatArray

__all__ = ["PairedResult", "TestName", "bootstrap_tests", "paired_tests", "sign_test", "t_test", "wilcoxon_test"]

TestName = Literal["permutation", "t", "wilcoxon", "sign", "bootstrap"]


def paired_tests(
    differences: FloatArray, *, test: TestName = "permutation", resamples: int = 10_000, seed: int = 42
) -> list[PairedResult]:
    """Test each column of differences; the p-value of a column without any score is NaN.

    `resamples` and `seed` apply to the permutation test if it cannot be exact, and to the bootstrap.
    """
    require_resamples(resamples)
    require_columns(differences)
    if test not in get_args(TestName):
        raise ValueError(f"no paired test {test!r}; there are: {', '.join(get_args(TestName))}")
    scored = np.count_nonzero(~np.isnan(differences), axis=0) > 0
    columns = differences[:, scored]
    match test:
        case "permutation":
            tested = permutation_tests(columns, resamples=resamples, seed=seed)
        case "bootstrap":
            tested = bootstrap_tests(columns, resamples=resamples, seed=seed)
        case _:
            tested = [_BY_COLUMN[test](column[~np.isnan(column)]) for column in columns.T]
    results = iter(tested)
    return [
        next(results) if any_score else PairedResult(math.nan, test, exact=False, resamples=None)
        for any_score in scored
    ]


def t_test(differences: FloatArray) -> PairedResult:
    """Student's paired t test; p is NaN for one item, and 1 if all differences are 0.

    If all differences are equal and not 0, t is infinite; p is then the smallest positive float, because 0 would
    claim that chance is excluded.
    """
    require_one_column(differences)
    return PairedResult(_t_p_value(differences), "t", exact=False, resamples=None)


def wilcoxon_test(differences: FloatArray, *, tie_tolerance: float = 0.0) -> PairedResult:
    """Wilcoxon's signed-rank test, as R's wilcox.test(exact=FALSE, correct=TRUE) at any number of items.

    Zeros are dropped, ties share their mean rank, and the normal approximation is corrected for ties and continuity.
    As in R, 0.3 - 0.2 and 0.1 do not tie, which changes p; with a `tie_tolerance` (a share of the largest difference,
    for example 1e-11) they do.
    """
    require_one_column(differences)
    p_value = _wilcoxon_p_value(differences, tie_tolerance=tie_tolerance)
    return PairedResult(p_value, "wilcoxon", exact=False, resamples=None)


def sign_test(differences: FloatArray, *, minimum_difference: float = 0.0) -> PairedResult:
    """Return the exact binomial sign test; differences no larger than the minimum are dropped."""
    require_one_column(differences)
    sizes = np.abs(differences)
    moved = differences[sizes > minimum_difference + TIE_TOLERANCE * sizes.max(initial=0.0)]
    p_value = fair_two_sided(int(np.count_nonzero(moved > 0)), len(moved))
    return PairedResult(max(p_value, sys.float_info.min), "sign", exact=True, resamples=None)


def bootstrap_tests(differences: FloatArray, *, resamples: int = 10_000, seed: int = 42) -> list[PairedResult]:
    """Return the bootstrap test: each mean against the means of resampled differences that were shifted to a mean of 0.

    p is (b + 1) / (B + 1), and NaN for a column with fewer than two scores. Columns scored on the same items share
    their draws.
    """
    require_resamples(resamples)
    require_columns(differences)
    p_values = np.full(differences.shape[1], np.nan)
    patterns, pattern_of = np.unique(~np.isnan(differences), axis=1, return_inverse=True)
    for index, scored in enumerate(patterns.T):
        chosen = np.flatnonzero(pattern_of.ravel() == index)
        p_values[chosen] = _bootstrap_p_values(differences[np.ix_(scored, chosen)], resamples=resamples, seed=seed)
    return [PairedResult(float(p_value), "bootstrap", exact=False, resamples=resamples) for p_value in p_values]


def _t_p_value(differences: FloatArray) -> float:
    if not differences.any():
        return 1.0
    spread = deviation(differences)
    if math.isnan(spread):
        return math.nan
    if spread == 0:
        return sys.float_info.min
    statistic = float(differences.mean()) / spread * math.sqrt(len(differences))
    return max(t_two_sided(statistic, len(differences) - 1), sys.float_info.min)


def _wilcoxon_p_value(differences: FloatArray, *, tie_tolerance: float) -> float:
    tolerance = tie_tolerance * float(np.abs(differences).max(initial=0.0))
    nonzero = differences[np.abs(differences) > tolerance]
    if len(nonzero) == 0:
        return 1.0
    items = len(nonzero)
    groups = tie_groups(np.abs(nonzero), tolerance=tolerance)
    tied = np.bincount(groups).astype(np.float64)
    ranks = (np.cumsum(tied) - (tied - 1) / 2)[groups]
    excess = abs(float(ranks[nonzero > 0].sum()) - items * (items + 1) / 4)
    variance = items * (items + 1) * (2 * items + 1) / 24 - float((tied**3 - tied).sum()) / 48
    return max(normal_two_sided(max(0.0, excess - 0.5) / math.sqrt(variance)), sys.float_info.min)


def _bootstrap_p_values(differences: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    if len(differences) < 2:
        return np.full(differences.shape[1], np.nan)
    totals = differences.sum(axis=0)
    centred = differences - totals / len(differences)
    tolerance = TIE_TOLERANCE * np.abs(differences).sum(axis=0)
    shifted = resampled_sums(centred, resamples=resamples, seed=seed)
    extreme = (np.abs(shifted) >= np.abs(totals) - tolerance).sum(axis=0)
    return np.asarray((extreme + 1) / (resamples + 1), dtype=np.float64)


_BY_COLUMN: dict[str, Callable[[FloatArray], PairedResult]] = {
    "t": t_test,
    "wilcoxon": wilcoxon_test,
    "sign": sign_test,
}
