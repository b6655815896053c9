"""Tau-b against SciPy, tau AP against its definition, and the agreement on systems against a second way."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.ranks import kendall_tau, system_agreement, tau_ap

lists = st.integers(2, 12).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 5), min_size=size, max_size=size)] * 2)
)


@given(lists)
def test_tau_is_that_of_scipy(both):
    a, b = both
    expected = scipy.stats.kendalltau(a, b).statistic
    assert kendall_tau(a, b) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("values", [7, 10_000])
def test_tau_of_many_is_that_of_scipy(values):
    a, b = np.floor(np.random.default_rng(1).random((2, 3000)) * values)
    assert kendall_tau(a, b) == pytest.approx(scipy.stats.kendalltau(a, b).statistic, abs=1e-12)


def tau_ap_by_pairs(judged, truth):
    """Tau AP by all pairs, as its docstring says."""
    shares = []
    for i in range(len(judged)):
        signs = [np.sign(truth[j] - truth[i]) for j in range(len(judged)) if judged[j] > judged[i]]
        counted = [sign for sign in signs if sign]
        shares += [sum(counted) / len(counted)] if counted else []
    return float(np.mean(shares)) if shares else math.nan


@given(lists)
def test_tau_ap_by_its_definition(both):
    assert tau_ap(*both) == pytest.approx(tau_ap_by_pairs(*both), nan_ok=True, abs=1e-12)


@given(st.integers(2, 12).flatmap(lambda size: st.permutations(range(size))))
def test_tau_ap_without_ties_is_as_published(truth):
    # Yilmaz, Aslam and Robertson 2008: 2/(N-1) * sum over i > 1 of C(i)/(i-1), less 1
    best_first = truth[::-1]
    right = [sum(above > here for above in best_first[:i]) / i for i, here in enumerate(best_first) if i]
    assert tau_ap(range(len(truth)), truth) == pytest.approx(2 * sum(right) / len(right) - 1, abs=1e-12)


def test_tau_ap_minds_the_top():
    truth = [4, 3, 2, 1]
    at_the_top, at_the_bottom = [3, 4, 2, 1], [4, 3, 1, 2]
    assert kendall_tau(at_the_top, truth) == kendall_tau(at_the_bottom, truth)
    assert tau_ap(at_the_top, truth) == pytest.approx(1 / 3)  # (-1 + 1 + 1) / 3
    assert tau_ap(at_the_bottom, truth) == pytest.approx((1 + 1 + 1 / 3) / 3)


@pytest.mark.parametrize("measure", [kendall_tau, tau_ap])
def test_ends(measure):
    scores = np.array([0.1, 0.4, 0.4, 0.9, 0.2])
    assert measure(scores, scores) == pytest.approx(1)
    assert measure(scores, -scores) == pytest.approx(-1)
    assert measure(1e-15 * scores, scores) == pytest.approx(1)  # small scores are no rounding errors
    for constant in ([1.0] * 5, [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3]):  # which differ by rounding
        assert math.isnan(measure(constant, scores))
    assert math.isnan(measure([1.0], [2.0]))
    assert math.isnan(measure([], []))
    with pytest.raises(ValueError, match="2 and 1 scores"):
        measure([1, 2], [1])
    with pytest.raises(ValueError, match="finite"):
        measure([1, math.nan], [1, 2])


def test_systems():
    generator = np.random.default_rng(5)
    people = generator.random((40, 12)) + np.arange(12) / 30
    judge = people + 0.5 * generator.random((40, 12))
    found = system_agreement(judge, people, resamples=300, seed=1)
    means = judge.mean(axis=0), people.mean(axis=0)
    assert found.tau == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert found.tau_ap == pytest.approx(tau_ap_by_pairs(*means))
    assert found.top is bool(means[0].argmax() == means[1].argmax())
    draws = np.random.Generator(np.random.Philox(1)).integers(40, size=(300, 40))
    pairs = [(judge[rows].mean(axis=0), people[rows].mean(axis=0)) for rows in draws]
    for measure, interval in (
        (lambda a, b: scipy.stats.kendalltau(a, b).statistic, found.tau_interval),
        (tau_ap_by_pairs, found.tau_ap_interval),
    ):
        expected = np.quantile([measure(*pair) for pair in pairs], [0.025, 0.975])
        assert (interval.low, interval.high) == pytest.approx(tuple(expected))
    assert found == system_agreement(judge, people, resamples=300, seed=1)


def test_a_judge_like_people_and_one_of_a_kind():
    people = np.random.default_rng(2).random((10, 4))
    same = system_agreement(people, people, resamples=50)
    assert (same.tau, same.tau_ap, same.top) == (1, 1, True)
    assert (same.tau_interval.low, same.tau_interval.high) == (1, 1)
    against = system_agreement(-people, people, resamples=50)
    assert (against.tau, against.top) == (-1, False)
    constant = system_agreement(np.ones((10, 4)), people, resamples=50)
    assert math.isnan(constant.tau)
    assert math.isnan(constant.tau_interval.low)
    assert not constant.top  # it puts all first, which people do not
    assert math.isnan(system_agreement(people[:1], people[:1]).tau_interval.low)


def test_systems_are_refused():
    with pytest.raises(ValueError, match="topics and systems"):
        system_agreement(np.ones((3, 2)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="resamples"):
        system_agreement(np.ones((3, 2)), np.ones((3, 2)), resamples=0)
