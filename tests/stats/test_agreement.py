"""Kappa and the bound on errors, against values worked out by hand, published ones, and SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from steelyard.stats.agreement import clopper_pearson, clopper_pearson_upper, cohen_kappa, effective_size
from steelyard.stats.review import Stratum, allocate, draw


def test_kappa_by_hand():
    # 20 both yes, 15 both no, 5 and 10 crossed: agreement 0.7, chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa 0.4
    found = cohen_kappa(np.array([[20, 5], [10, 15]]))
    assert found.value == pytest.approx(0.4)
    # Fleiss, Cohen and Everitt: same 0.4*(1-1.1*0.6)^2 + 0.3*(1-0.9*0.6)^2 = 0.10972,
    # crossed 0.36*(0.1*(0.6+0.5)^2 + 0.2*(0.4+0.5)^2)... with rows .5 .5 and columns .6 .4: 0.36*(0.1*1.21 + 0.2*0.81)
    # = 0.10188, less (0.4 - 0.5*0.6)^2 = 0.01; divided by 50 * 0.25
    error = math.sqrt((0.10972 + 0.10188 - 0.01) / 12.5)
    assert found.interval.low == pytest.approx(0.4 - 1.959963984540054 * error)
    assert found.interval.high == pytest.approx(0.4 + 1.959963984540054 * error)


def test_kappa_as_published():
    # two radiologists, 85 mammograms, four categories: kappa 0.4728
    # (Boyd et al. 1982, as in the Stata reference manual, [R] kappa, example 1)
    found = cohen_kappa(np.array([[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]]))
    assert found.value == pytest.approx(0.4728, abs=5e-5)


def test_kappa_at_its_ends():
    for table, end in (([[7, 0], [0, 5]], 1), ([[0, 5], [5, 0]], -1)):
        found = cohen_kappa(np.array(table))
        assert found.value == end
        assert math.isnan(found.interval.low)
        assert math.isnan(found.interval.high)
    assert cohen_kappa(np.array([[10, 10], [10, 10]])).value == 0
    for undefined in ([[9, 0], [0, 0]], [[0, 0], [0, 0]]):
        found = cohen_kappa(np.array(undefined))
        assert math.isnan(found.value)
        assert math.isnan(found.interval.low)
    with pytest.raises(ValueError, match="square table"):
        cohen_kappa(np.array([[1, 2, 3]]))


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_kappa_does_not_depend_on_who_is_first_or_what_is_called_yes(counts):
    table = np.array(counts).reshape(2, 2)
    one = cohen_kappa(table)
    for other in (cohen_kappa(table.T), cohen_kappa(table[::-1, ::-1])):
        assert other.value == pytest.approx(one.value, nan_ok=True)
        assert other.interval.low == pytest.approx(one.interval.low, nan_ok=True)
    assert math.isnan(one.interval.low) or -1 <= one.interval.low <= one.value <= one.interval.high <= 1


def test_no_error_in_59_is_at_most_five_in_a_hundred():
    assert clopper_pearson_upper(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59), abs=1e-12)
    assert clopper_pearson_upper(0, 59) < 0.05 < clopper_pearson_upper(0, 58)
    assert clopper_pearson_upper(5, 5) == 1


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([0.9, 0.95, 0.99]))
def test_bound_is_that_of_scipy(trials, share, confidence):
    errors = int(share * (trials - 1))
    expected = beta.ppf(confidence, errors + 1, trials - errors)
    assert clopper_pearson_upper(errors, trials, confidence=confidence) == pytest.approx(expected, rel=1e-9)


def test_both_sides():
    found = clopper_pearson(8, 10)
    assert (found.low, found.high) == pytest.approx((beta.ppf(0.025, 8, 3), beta.ppf(0.975, 9, 2)))
    assert clopper_pearson(10, 10).high == 1
    assert clopper_pearson(0, 10).low == 0


def test_refusals():
    with pytest.raises(ValueError, match="6 errors in 5 trials"):
        clopper_pearson_upper(6, 5)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        clopper_pearson_upper(0, 5, confidence=1)


def test_effective_size():
    assert effective_size([2.0] * 8) == 8
    assert effective_size([1, 3]) == pytest.approx(16 / 10)
    assert effective_size([]) == 0


@given(
    st.lists(st.tuples(st.integers(1, 200), st.sampled_from([1.0, 2.0, 3.0, 4.0])), min_size=1, max_size=8), st.data()
)
def test_allocation_gives_what_was_asked_and_what_there_is(strata, data):
    sizes, importances = zip(*strata, strict=True)
    count = data.draw(st.integers(len(sizes), sum(sizes)))
    found = allocate(sizes, importances, count)
    assert sum(found) == count
    assert all(1 <= each <= size for each, size in zip(found, sizes, strict=True))


def test_allocation_is_in_proportion():
    assert allocate([60, 30, 10], [1, 1, 1], 20) == [12, 6, 2]
    assert allocate([90, 10], [1, 9], 20) == [10, 10]
    assert allocate([98, 1, 1], [1, 1, 1], 10) == [8, 1, 1]


def test_draw_is_seeded_and_fair():
    strata = [Stratum("a", tuple(range(0, 60))), Stratum("b", tuple(range(60, 80)))]
    assert draw(strata, 20, seed=1) == draw(strata, 20, seed=1)
    assert draw(strata, 20, seed=1) != draw(strata, 20, seed=2)
    times = np.zeros(80)
    for seed in range(2000):
        for each in draw(strata, 8, seed=seed):
            assert set(each.rows) <= set(strata["ab".index(each.name)].rows)
            times[list(each.rows)] += 1
    # each item has the chance 0.1: 200 of 2,000 draws, within five standard errors of 13.4
    assert np.abs(times - 200).max() < 67
