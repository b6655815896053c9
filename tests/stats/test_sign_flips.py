"""Monte Carlo sign flips: right, seeded, and the same on any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats

from steelyard.stats.distributions import unit_scaled
from steelyard.stats.permutation import (
    _BLOCK_CELLS,
    _TILE_CELLS,
    _blocks,
    _random_flips,
    _signed_sums,
    enumerated_p_value,
    permutation_tests,
    sampled_p_values,
)


def scaled_columns(differences):
    return np.column_stack([unit_scaled(column) for column in differences.T])


def signs_drawn(items, resamples, seed):
    blocks = [_random_flips(items, block, seed=seed) for block in _blocks(items, resamples)]
    bits = np.vstack([np.unpackbits(flips, axis=1, count=items) for flips in blocks])
    return 1 - 2 * bits.astype(np.int64)


def test_it_agrees_with_whole_numbers_sign_by_sign():
    """Ties are many here; each must be decided as whole numbers decide it."""
    generator = np.random.default_rng(1)
    ours, theirs = generator.integers(0, 11, size=(2, 700, 6))
    wholes = ours - theirs
    sums = signs_drawn(700, 3000, 7) @ wholes
    expected = ((abs(sums) >= abs(wholes.sum(axis=0))).sum(axis=0) + 1) / 3001
    sampled = sampled_p_values(scaled_columns(ours / 10 - theirs / 10), resamples=3000, seed=7)
    assert sampled.tolist() == expected.tolist()
    assert (abs(sums) == abs(wholes.sum(axis=0))).sum() > 20


def test_the_32_bit_product_does_not_round():
    units = np.random.default_rng(12).integers(32_000, 32_769, size=(6980, 3))
    (block,) = _blocks(6980, 300)
    expected = signs_drawn(6980, 300, 5) @ units
    assert np.array_equal(_signed_sums(_random_flips(6980, block, seed=5), units.astype(np.float32)), expected)


@pytest.mark.parametrize("outlier", [0.0, 1e5])
def test_it_agrees_with_64_bits_where_32_would_not_do(outlier):
    generator = np.random.default_rng(2)
    differences = generator.normal(0.01, 1, size=(1500, 5))
    differences[0] += outlier
    sums = signs_drawn(1500, 2000, 3) @ differences
    expected = ((abs(sums) >= abs(differences.sum(axis=0)) * (1 - 1e-10)).sum(axis=0) + 1) / 2001
    sampled = sampled_p_values(scaled_columns(differences), resamples=2000, seed=3)
    assert sampled.tolist() == expected.tolist()


def test_it_lies_within_three_standard_errors_of_the_exact_p():
    differences = np.random.default_rng(3).normal(0.15, 1, size=(24, 20))
    exact = np.array([enumerated_p_value(column) for column in differences.T])
    sampled = sampled_p_values(scaled_columns(differences), resamples=20_000, seed=42)
    assert (abs(sampled - exact) < 3 * np.sqrt(exact * (1 - exact) / 20_000)).all()


@pytest.mark.parametrize("items", [45, 250, 6980])
def test_threads_do_not_change_it(items):
    differences = np.random.default_rng(4).normal(0.02, 1, size=(items, 4))
    one = permutation_tests(differences, threads=1)
    assert not one[0].exact
    assert permutation_tests(differences, threads=2) == one
    assert permutation_tests(differences, threads=5) == one
    assert permutation_tests(differences) == one


@pytest.mark.slow
@pytest.mark.parametrize("blas_threads", ["1", "2"])
def test_threads_of_the_matrix_library_do_not_change_it(blas_threads):
    script = (
        "import numpy as np; from steelyard.stats.permutation import permutation_tests as test;"
        "d = np.random.default_rng(9).normal(0.02, 1, size=(2000, 3));"
        "print([r.p_value for r in test(d, resamples=4000)])"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": blas_threads}
    printed = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
    )
    differences = np.random.default_rng(9).normal(0.02, 1, size=(2000, 3))
    assert printed.stdout.strip() == str([r.p_value for r in permutation_tests(differences, resamples=4000)])


def test_the_seed_decides_it():
    differences = np.random.default_rng(5).normal(0.1, 1, size=(200, 3))
    first = permutation_tests(differences, seed=1)
    assert permutation_tests(differences, seed=1) == first
    assert permutation_tests(differences, seed=2) != first


def test_golden_values_of_this_generator():
    """Made by this code (Philox, NumPy 2.4.0): a change here changes every sampled p users have seen."""
    differences = np.sin(np.arange(1.0, 301.0)).reshape(100, 3) + 0.08
    p_values = [result.p_value for result in permutation_tests(differences, resamples=999, seed=42)]
    assert p_values == [0.209, 0.282, 0.308]


def test_every_resample_has_signs_of_its_own():
    signs = signs_drawn(64, 20_000, 42)
    assert len(list(_blocks(64, 20_000))) > 1
    assert len(np.unique(signs, axis=0)) == 20_000
    assert abs(signs.mean(axis=0)).max() < 4 / np.sqrt(20_000)


def test_p_is_never_0_and_says_how_many_resamples():
    (result,) = permutation_tests(np.random.default_rng(6).normal(5, 1, size=(100, 1)), resamples=99)
    assert result.p_value == 1 / 100
    assert (result.test, result.exact, result.resamples) == ("permutation", False, 99)


def test_zero_rows_are_inert():
    """A column that is 0 on half the items has the p of its other half, within sampling."""
    values = np.random.default_rng(7).normal(0.15, 1, size=(100, 1))
    padded = np.vstack([values, np.zeros((100, 1))])
    full, half = permutation_tests(padded)[0].p_value, permutation_tests(values)[0].p_value
    assert abs(full - half) < 3 * np.sqrt(2 * half * (1 - half) / 10_000)


def test_p_values_are_uniform_when_nothing_differs():
    differences = np.random.default_rng(8).normal(size=(60, 400))
    p_values = [result.p_value for result in permutation_tests(differences, resamples=2000)]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.05


@pytest.mark.parametrize("items", [33, 511, 512, 513, 6980, 2_000_000])
def test_blocks_are_small_and_make_the_whole(items):
    blocks = list(_blocks(items, 10_000))
    assert sum(block.rows for block in blocks) == 10_000
    assert all(block.rows * min(items, 512) <= _TILE_CELLS for block in blocks)
    assert all(block.rows * items <= _BLOCK_CELLS for block in blocks)
