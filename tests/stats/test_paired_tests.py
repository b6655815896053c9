"""The paired tests against SciPy, and how they treat zeros, ties and gaps."""

import itertools
import math
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.stats.paired import bootstrap_tests, paired_tests, sign_test, t_test, wilcoxon_test

TESTS = ["permutation", "t", "wilcoxon", "sign", "bootstrap"]
quick = examples(60, database=None)
DIFFERENCES = np.random.default_rng(1).normal(0.2, 1, size=(60, 4))


@pytest.mark.parametrize("items", [2, 3, 10, 50, 6980])
def test_t_equals_scipy(items):
    differences = np.random.default_rng(items).normal(0.05, 1, size=items)
    assert t_test(differences).p_value == pytest.approx(scipy.stats.ttest_1samp(differences, 0).pvalue, rel=1e-10)


@quick
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=60).filter(any))
def test_wilcoxon_equals_scipy_with_zeros_and_ties(values):
    differences = np.array(values, dtype=float)
    expected = scipy.stats.wilcoxon(differences, zero_method="wilcox", correction=True, method="approx").pvalue
    assert wilcoxon_test(differences).p_value == pytest.approx(expected, rel=1e-10)


def test_wilcoxon_ties_with_a_tolerance_are_those_of_whole_numbers():
    generator = np.random.default_rng(2)
    ours, theirs = generator.integers(0, 11, size=(2, 80))
    floats = ours / 10 - theirs / 10
    assert wilcoxon_test(floats, tie_tolerance=1e-11) == wilcoxon_test((ours - theirs).astype(float))
    assert wilcoxon_test(floats) != wilcoxon_test((ours - theirs).astype(float))


@pytest.mark.slow
@quick
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_sign_equals_scipy(values):
    differences = np.array(values) * 0.1
    rose, fell = sum(value > 0 for value in values), sum(value < 0 for value in values)
    expected = scipy.stats.binomtest(rose, rose + fell).pvalue if rose + fell else 1.0
    assert sign_test(differences).p_value == pytest.approx(expected, rel=1e-10)


def test_sign_drops_what_moved_no_more_than_the_minimum():
    differences = np.array([0.3 - 0.2, 0.1, 0.2, 0.3, 0.4, -0.1, 0.0])
    assert sign_test(differences, minimum_difference=0.1).p_value == 0.25
    assert sign_test(differences, minimum_difference=0.09).p_value == sign_test(differences).p_value == 0.21875


def test_sign_ignores_rounding_around_0():
    assert sign_test(np.array([0.1 + 0.2 - 0.3, 1.0, 1.0])).p_value == 0.5


def test_bootstrap_agrees_with_t_on_a_normal_sample():
    differences = np.random.default_rng(3).normal(0.05, 1, size=(400, 20))
    sampled = [result.p_value for result in bootstrap_tests(differences, resamples=20_000)]
    assert sampled == pytest.approx([t_test(column).p_value for column in differences.T], abs=0.015)


def test_bootstrap_counts_ties_with_the_observed_mean():
    """Of the 27 samples of the centred (-1, -1, 2), 15 have a sum of -3, 3 or 6, where 3 was observed."""
    samples = [sum(sample) for sample in itertools.product((-1, -1, 2), repeat=3)]
    expected = sum(abs(total) >= 3 for total in samples) / 27
    assert expected == 15 / 27
    (result,) = bootstrap_tests(np.array([[0.7 - 0.6], [0.1], [0.4]]) - 0.1, resamples=20_000)
    assert abs(result.p_value - expected) < 3 * math.sqrt(expected * (1 - expected) / 20_000)


def test_bootstrap_gives_each_pattern_of_gaps_its_own_items():
    gapped = DIFFERENCES.copy()
    gapped[:7, 1] = gapped[:7, 3] = gapped[50:, 2] = np.nan
    together = bootstrap_tests(gapped, resamples=500)
    alone = [bootstrap_tests(column[~np.isnan(column), np.newaxis], resamples=500)[0] for column in gapped.T]
    assert together == alone


@pytest.mark.parametrize("test", TESTS)
def test_an_unscored_item_is_left_out(test):
    """The sampled permutation test draws signs for the gap too, so it is compared where it is exact."""
    rounded = np.round(DIFFERENCES, 2)
    gap = np.full((5, 4), np.nan)
    assert paired_tests(np.vstack([rounded, gap]), test=test) == paired_tests(rounded, test=test)


@pytest.mark.parametrize("test", TESTS)
def test_a_column_without_scores_is_not_tested(test):
    gapped = DIFFERENCES.copy()
    gapped[:, 2] = np.nan
    results = paired_tests(gapped, test=test, resamples=200)
    assert [math.isnan(result.p_value) for result in results] == [False, False, True, False]
    assert {result.test for result in results} == {test}


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_has_p_1(test):
    assert [result.p_value for result in paired_tests(np.zeros((9, 2)), test=test, resamples=50)] == [1.0, 1.0]


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_one_item_cannot_be_tested_by_its_spread(test):
    assert math.isnan(paired_tests(np.array([[0.5]]), test=test)[0].p_value)


@pytest.mark.parametrize(("test", "expected"), [("permutation", 1.0), ("wilcoxon", 1.0), ("sign", 1.0)])
def test_one_item_proves_nothing(test, expected):
    assert paired_tests(np.array([[0.5]]), test=test)[0].p_value == expected


def test_t_of_equal_differences_is_tiny_but_not_0():
    assert t_test(np.array([0.1, 0.3 - 0.2, 0.1])).p_value == sys.float_info.min


@quick
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.sampled_from(TESTS))
def test_laws_of_every_test(values, test):
    differences = np.array(values)[:, np.newaxis]
    (result,) = paired_tests(differences, test=test, resamples=100)
    assert 0 < result.p_value <= 1
    (mirrored,) = paired_tests(-differences, test=test, resamples=100)
    assert mirrored.p_value == pytest.approx(result.p_value, rel=1e-9)
    (doubled,) = paired_tests(differences * 2, test=test, resamples=100)
    assert doubled.p_value == pytest.approx(result.p_value, rel=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_columns_are_tested_one_by_one(test):
    together = paired_tests(DIFFERENCES, test=test, resamples=300)
    assert together == [paired_tests(DIFFERENCES[:, [i]], test=test, resamples=300)[0] for i in range(4)]
    assert together == paired_tests(DIFFERENCES[:, ::-1], test=test, resamples=300)[::-1]


@pytest.mark.parametrize(("test", "exact", "resamples"), [
    ("permutation", False, 300), ("t", False, None), ("wilcoxon", False, None), ("sign", True, None),
    ("bootstrap", False, 300),
])  # fmt: skip
def test_a_result_says_how_it_was_made(test, exact, resamples):
    result = paired_tests(DIFFERENCES, test=test, resamples=300)[0]
    assert (result.test, result.exact, result.resamples) == (test, exact, resamples)


def test_t_p_values_are_uniform_when_nothing_differs():
    results = paired_tests(np.random.default_rng(5).normal(size=(15, 2000)), test="t")
    assert scipy.stats.kstest([result.p_value for result in results], "uniform").pvalue > 0.05


@pytest.mark.parametrize("test", TESTS)
def test_one_in_twenty_is_significant_when_nothing_differs(test):
    results = paired_tests(np.random.default_rng(6).normal(size=(60, 1500)), test=test, resamples=999)
    assert np.mean([result.p_value <= 0.05 for result in results]) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1500)


def test_refusals_say_why():
    with pytest.raises(ValueError, match=r"^no paired test 'z'; there are: permutation, t, wilcoxon, sign, bootstrap$"):
        paired_tests(DIFFERENCES, test="z")
    with pytest.raises(ValueError, match=r"^differences must be finite, or NaN for an unscored item$"):
        paired_tests(np.array([[np.inf]]))
    with pytest.raises(ValueError, match=r"^differences must be items by metrics, not an array of 1 dimensions$"):
        paired_tests(np.zeros(3), test="t")
    with pytest.raises(ValueError, match=r"^values must be finite; leave out unscored items first$"):
        t_test(np.array([np.nan, 1.0]))
    with pytest.raises(ValueError, match=r"^resamples must be at least 1, not -1$"):
        paired_tests(DIFFERENCES, test="bootstrap", resamples=-1)
