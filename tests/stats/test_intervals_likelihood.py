"""The widened and the guarded t interval: their parts by definition, and when they move an end and when not."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.stats.intervals import likelihood_reach, mean_interval, skewed_reaches

SKEWED = np.random.default_rng(3).beta(0.5, 2, size=40)
quick = examples(100, database=None)


def minus_two_log_ratio(values, mean):
    """By Owen's own equation: sum of (x - mean) / (1 + lambda (x - mean)) = 0, solved for lambda."""
    away = values - mean
    ends = (-1 / away.max() + 1e-9, -1 / away.min() - 1e-9)
    multiplier = scipy.optimize.brentq(lambda guess: (away / (1 + guess * away)).sum(), *ends, xtol=1e-14)
    return 2 * np.log1p(multiplier * away).sum()


@pytest.mark.parametrize("radius", [0.5, 1.96, 3.0])
@pytest.mark.parametrize("values", [SKEWED, 1 - SKEWED, 7 * SKEWED - 3, np.array([0.0] * 25 + [0.2, 0.5, 1.0])])
def test_the_ratio_at_the_ends_is_the_threshold(values, radius):
    away = values - values.mean()
    for reach in (likelihood_reach(away, radius), -likelihood_reach(-away, radius)):
        assert minus_two_log_ratio(values, values.mean() + reach) == pytest.approx(radius**2, rel=1e-7)


def test_zeros_and_ones_have_the_interval_of_the_binomial_likelihood():
    """9 of 40: 2 (9 log(0.225 / p) + 31 log(0.775 / (1 - p))) = 3.84 at both ends."""
    values = np.repeat([1.0, 0.0], [9, 31])
    away, radius = values - values.mean(), scipy.stats.norm.ppf(0.975)
    for share in (0.225 + likelihood_reach(away, radius), 0.225 - likelihood_reach(-away, radius)):
        ratio = 2 * (9 * np.log(0.225 / share) + 31 * np.log(0.775 / (1 - share)))
        assert ratio == pytest.approx(3.841459, rel=1e-6)


def test_it_widens_on_the_side_of_the_tail_only():
    plain, widened = mean_interval(SKEWED, method="t"), mean_interval(SKEWED)
    assert widened.low == plain.low
    assert widened.high > plain.high + 0.03 * (plain.high - plain.low)
    assert widened.method == "widened t"


def test_it_is_t_but_for_little_where_nothing_is_skewed():
    for items, share in [(30, 0.02), (1000, 0.0005)]:
        values = scipy.stats.norm.ppf((np.arange(items) + 0.5) / items)
        plain, widened = mean_interval(values, method="t"), mean_interval(values)
        assert widened.high - plain.high < share * (plain.high - plain.low)
        assert (widened.low + widened.high) / 2 == pytest.approx(0, abs=1e-9)


def test_few_items_have_the_t_interval():
    """Likelihood cannot leave the sample's own range, in which the mean of three items often does not lie."""
    few = np.array([0.1, 0.2, 0.6])
    plain, widened = mean_interval(few, method="t"), mean_interval(few, method="widened t")
    assert (widened.low, widened.high) == (plain.low, plain.high)


def test_clusters_are_the_units():
    documents = SKEWED[:30]
    clusters = np.repeat(np.arange(30), 4)
    noise = np.tile([-0.1, 0.1, -0.2, 0.2], 30)
    clustered = mean_interval(np.repeat(documents, 4) + noise, clusters=clusters)
    over_means = mean_interval(documents)
    assert (clustered.low, clustered.high) == pytest.approx((over_means.low, over_means.high), rel=1e-9)


def test_a_higher_level_is_a_wider_interval():
    intervals = [mean_interval(SKEWED, level=level) for level in (0.8, 0.9, 0.95, 0.99, 0.9999)]
    assert all(inner.low > outer.low and inner.high < outer.high for inner, outer in pairwise(intervals))


@quick
@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.floats(0.5, 0.999))
def test_it_holds_the_t_interval_and_mirrors(values, level):
    column = np.array(values)
    plain, widened = (mean_interval(column, level=level, method=method) for method in ("t", "widened t"))
    mirrored = mean_interval(-column, level=level, method="widened t")
    assert widened.low <= plain.low <= plain.high <= widened.high
    assert (-mirrored.high, -mirrored.low) == pytest.approx((widened.low, widened.high), rel=1e-9, abs=1e-9)
    assert widened.high <= max(plain.high, column.max())


@quick
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.floats(0.01, 700))
def test_the_reach_ends_within_the_values(values, radius):
    away = np.array(values) - np.mean(values)
    assert 0 <= likelihood_reach(away, radius) <= max(away.max(), 0) * (1 + 1e-12)


def test_scores_of_one_kind_only_have_no_reach():
    assert likelihood_reach(np.zeros(9), 2.0) == 0
    assert likelihood_reach(np.empty(0), 2.0) == 0
    assert 0 <= likelihood_reach(np.full(2, 1e-17), 0.01) <= 1.1e-17  # equal up to rounding


def test_willink_by_the_formula():
    items, quantile = len(SKEWED), 2.0
    away = SKEWED - SKEWED.mean()
    error = scipy.stats.sem(SKEWED)
    third = items * (away**3).sum() / ((items - 1) * (items - 2))
    skew = third / (6 * np.sqrt(items) * SKEWED.std(ddof=1) ** 3)
    below, above = (abs(np.cbrt(1 + 6 * skew * (edge - skew)) - 1) / (2 * skew) for edge in (quantile, -quantile))
    assert skewed_reaches(away, quantile) == pytest.approx((below * error, above * error), rel=1e-12)


def test_willink_is_t_where_nothing_is_skewed():
    values = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    assert skewed_reaches(values, 2.0) == pytest.approx([2 * scipy.stats.sem(values)] * 2)
    nudged = values + np.array([0, 0, 1e-6, 0, -1e-6])
    assert skewed_reaches(nudged - nudged.mean(), 2.0) == pytest.approx([2 * scipy.stats.sem(values)] * 2, rel=1e-5)


def test_a_guarded_interval_holds_the_widened_one():
    for values in (SKEWED, 1 - SKEWED, SKEWED[:3], np.array([0.0] * 25 + [0.2, 0.5, 1.0])):
        widened, guarded = (mean_interval(values, method=method) for method in ("widened t", "guarded t"))
        assert guarded.low <= widened.low < widened.high <= guarded.high
    assert mean_interval(SKEWED, method="guarded t").high > mean_interval(SKEWED).high
