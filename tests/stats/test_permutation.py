"""Exact permutation tests against the definition, and what must not change a p-value."""

import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from properties import examples
from reference.enumeration import counted, enumerated

from steelyard.stats.distributions import fair_two_sided, unit_scaled
from steelyard.stats.permutation import MOST_ENUMERATED, enumerated_p_value, lattice_p_value, permutation_tests

quick = examples(200, database=None)
tenths = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=10)
wholes = st.lists(st.integers(-100_000, 100_000), min_size=1, max_size=10)


def column(values):
    return np.asarray(values, dtype=float)[:, np.newaxis]


def p_value(values):
    (result,) = permutation_tests(column(values))
    assert result.exact
    assert result.resamples is None
    return result.p_value


def nonzero(values):
    scaled = unit_scaled(np.asarray(values, dtype=float))
    return scaled[scaled != 0]


@pytest.mark.slow
@quick
@given(tenths)
def test_precision_at_ten_ties_where_it_should(pairs):
    differences = [ours / 10 - theirs / 10 for ours, theirs in pairs]
    expected = enumerated([ours - theirs for ours, theirs in pairs])
    assert p_value(differences) == pytest.approx(float(expected), rel=1e-12)


def test_plain_comparison_would_be_wrong():
    ours, theirs = np.array([0.5, 0.9, 0.2, 1.0]), np.array([0.8, 0.1, 0.7, 0.9])
    signs = np.array(np.meshgrid(*[[1, -1]] * 4)).reshape(4, -1).T
    differences = ours - theirs
    plain = (abs((signs * differences).sum(axis=1)) >= abs(differences.sum())).mean()
    expected = float(enumerated([-3, 8, -5, 1]))
    assert (plain, expected) == (0.875, 1.0)
    assert p_value(differences) == expected


@quick
@given(wholes, st.sampled_from([1.0, 0.1, 1 / 3, 7e-5, 1e9]))
def test_both_exact_ways_equal_the_definition(values, step):
    assume(any(values))
    scaled = nonzero(np.asarray(values) * step)
    expected = float(enumerated(values))
    assert enumerated_p_value(scaled) == pytest.approx(expected, rel=1e-12)
    lattice = lattice_p_value(scaled)
    assert lattice is None or lattice == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("wholes", [[1, 2, 2, 2], [-3, 9, 9, 9, 9], [5, -1, -1, -1], [7, 7], [1], [3, -2, -1]])
def test_sizes_beyond_the_reach_of_the_tail(wholes):
    assert lattice_p_value(nonzero(wholes)) == float(enumerated(wholes))
    assert enumerated_p_value(nonzero(wholes)) == float(enumerated(wholes))


@pytest.mark.parametrize(("items", "largest"), [(40, 1), (300, 10), (1000, 4), (60, 400)])
def test_lattice_equals_big_integers_at_any_size(items, largest):
    generator = np.random.default_rng(items)
    values = generator.integers(-largest, largest + 1, size=items)
    for shift in (0, 1):
        wholes = (np.where(generator.random(items) < 0.3, abs(values), values) if shift else values).tolist()
        assert p_value(np.asarray(wholes) / largest) == pytest.approx(float(counted(wholes)), rel=1e-11)


def test_lattice_keeps_its_digits_far_in_the_tail():
    wholes = [*[3] * 150, *[1] * 200, *[-2] * 20]
    expected = float(counted(wholes))
    assert expected < 1e-60
    assert p_value(np.asarray(wholes) / 3) == pytest.approx(expected, rel=1e-11)


def test_zero_or_one_metrics_are_a_sign_test():
    differences = np.repeat([1.0, -1.0, 0.0], [1803, 1650, 3527])
    assert p_value(differences) == pytest.approx(fair_two_sided(1803, 3453), rel=1e-11)


def test_mixed_denominators_find_their_common_step():
    generator = np.random.default_rng(5)
    relevant = generator.integers(1, 7, size=50)
    ours, theirs = generator.integers(0, relevant + 1), generator.integers(0, relevant + 1)
    wholes = (60 // relevant * (ours - theirs)).tolist()
    assert p_value(ours / relevant - theirs / relevant) == pytest.approx(float(counted(wholes)), rel=1e-11)


def test_no_p_value_is_ever_0():
    assert p_value(np.ones(5000)) == sys.float_info.min


def test_all_zero_differences_have_p_1():
    assert p_value(np.zeros(6980)) == 1.0
    assert p_value([]) == 1.0


def test_enumeration_equals_scipy_on_real_numbers():
    differences = np.random.default_rng(3).normal(0.3, 1, size=12)
    expected = scipy.stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    ).pvalue
    assert p_value(differences) == pytest.approx(expected, rel=1e-12)


def test_enumeration_reaches_its_limit_and_no_further():
    differences = np.random.default_rng(4).normal(0.1, 1, size=MOST_ENUMERATED + 1)
    assert permutation_tests(column(differences[:-1]))[0].exact
    assert not permutation_tests(column(differences))[0].exact


@quick
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=14), st.randoms(use_true_random=False), st.integers(0, 5))
def test_what_must_not_change_an_exact_p_value(values, random, zeros):
    before = p_value(values)
    assert 0 < before <= 1
    assert p_value(np.negative(values)) == before
    shuffled = [*values, *[0.0] * zeros]
    random.shuffle(shuffled)
    assert p_value(shuffled) == pytest.approx(before, rel=1e-12)
    assert p_value(np.asarray(values) * 1024) == before


@quick
@given(tenths, st.floats(1e-3, 1e3))
def test_scale_does_not_change_an_exact_p_value(pairs, scale):
    differences = np.array([ours / 10 - theirs / 10 for ours, theirs in pairs])
    assert p_value(differences * scale) == pytest.approx(p_value(differences), rel=1e-12)


def test_columns_come_back_in_their_order():
    generator = np.random.default_rng(8)
    differences = np.column_stack(
        [generator.normal(size=80), generator.integers(-1, 2, size=80), np.zeros(80), generator.normal(size=80)]
    )
    forward, backward = permutation_tests(differences), permutation_tests(differences[:, ::-1])
    assert forward == backward[::-1]
    assert [result.exact for result in forward] == [False, True, True, False]
    assert [permutation_tests(differences[:, [index]])[0] for index in range(4)] == forward


def test_p_values_are_uniform_when_nothing_differs():
    differences = np.random.default_rng(11).normal(size=(18, 500))
    p_values = [result.p_value for result in permutation_tests(differences)]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.05


def test_refusals_say_why():
    with pytest.raises(ValueError, match=r"^differences must be items by metrics, not an array of 1 dimensions$"):
        permutation_tests(np.zeros(3))
    with pytest.raises(ValueError, match=r"^differences must be finite, or NaN for an unscored item$"):
        permutation_tests(column([1.0, np.inf]))
    with pytest.raises(ValueError, match=r"^resamples must be at least 1, not 0$"):
        permutation_tests(column([1.0]), resamples=0)
