"""The two-sided paired permutation test, for many metrics at once: exact where it can be, else Monte Carlo."""

import numpy as np

from steelyard.stats.checks import require_columns, require_resamples
from steelyard.stats.enumeration import enumerated_p_value
from steelyard.stats.lattice import lattice_p_value
from steelyard.stats.result import PairedResult
from steelyard.stats.signs import sampled_p_values
from steelyard.stats.ties import unit_scaled
from steelyard.table import FloatArray


def permutation_tests(
    differences: FloatArray, *, resamples: int = 10_000, seed: int = 42, threads: int | None = None
) -> list[PairedResult]:
    """Test each column of differences (items down, metrics across) by flipping the signs of its items.

    An unscored item is a difference of 0 (or NaN, read as 0), which no flip can move. Sums that tie with the observed
    one count as extreme. A column's p does not depend on the other columns, nor on the number of threads.
    """
    require_resamples(resamples)
    require_columns(differences)
    columns = [unit_scaled(np.nan_to_num(column)) for column in differences.T]
    exact = [_exact_p_value(column) for column in columns]
    hard = [column for column, p_value in zip(columns, exact, strict=True) if p_value is None]
    if not hard:
        return [_result(p_value) for p_value in exact if p_value is not None]
    sampled = iter(sampled_p_values(np.column_stack(hard), resamples=resamples, seed=seed, threads=threads))
    return [_result(next(sampled), resamples) if p_value is None else _result(p_value) for p_value in exact]


def _exact_p_value(scaled: FloatArray) -> float | None:
    nonzero = scaled[scaled != 0]
    if len(nonzero) == 0:
        return 1.0
    p_value = lattice_p_value(nonzero)
    return enumerated_p_value(nonzero) if p_value is None else p_value


def _result(p_value: float, resamples: int | None = None) -> PairedResult:
    return PairedResult(p_value=float(p_value), test="permutation", exact=resamples is None, resamples=resamples)
