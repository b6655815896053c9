"""Intervals for a mean: against SciPy, and whether they cover what they claim to."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.stats.distributions import resampled_sums
from steelyard.stats.intervals import mean_interval

VALUES = np.random.default_rng(1).beta(2, 5, size=80)
quick = examples(100, database=None)


def covered(intervals, mean):
    return np.mean([interval.low <= mean <= interval.high for interval in intervals])


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_t_equals_scipy(level):
    expected = scipy.stats.ttest_1samp(VALUES, 0).confidence_interval(level)
    interval = mean_interval(VALUES, level=level, method="t")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert interval.method == "t"


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (1, 1), (3, 10), (50, 100), (6979, 6980)])
def test_wilson_equals_scipy(successes, trials):
    values = np.repeat([1.0, 0.0], [successes, trials - successes])
    expected = scipy.stats.binomtest(successes, trials).proportion_ci(method="wilson")
    interval = mean_interval(values)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-15)
    assert interval.method == "wilson"
    assert 0 <= interval.low <= interval.high <= 1


def test_wilson_ends_at_0_and_1_without_rounding():
    for trials in range(1, 200):
        assert mean_interval(np.ones(trials)).high == 1.0
        assert mean_interval(np.zeros(trials)).low == 0.0


@pytest.mark.parametrize("method", ["widened t", "guarded t", "t", "bca"])
def test_two_values_have_an_interval_and_one_has_none(method):
    two, one = (mean_interval(np.array(values), method=method) for values in ([0.2, 0.4], [0.2]))
    assert two.low < 0.3 < two.high
    assert math.isnan(one.low)
    assert math.isnan(one.high)


def test_bca_equals_scipy_within_resampling():
    expected = scipy.stats.bootstrap((VALUES,), np.mean, n_resamples=20_000, rng=np.random.default_rng(1))
    interval = mean_interval(VALUES, method="bca", resamples=20_000)
    low, high = expected.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.02 * (high - low))
    assert interval.method == "bca"


def test_bca_corrects_for_bias_and_skew_as_scipy_does():
    skewed = np.array([0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.5, 2.5])
    expected = scipy.stats.bootstrap((skewed,), np.mean, n_resamples=200_000, rng=np.random.default_rng(1))
    interval = mean_interval(skewed, method="bca", resamples=200_000)
    low, high = expected.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.006 * (high - low))


def test_bca_of_clusters_of_unlike_sizes_is_that_of_a_ratio_of_sums():
    generator = np.random.default_rng(7)
    sizes = np.array([1, 2, 3, 5, 8, 13, 1, 2, 3, 30])
    values, clusters = (
        generator.exponential(np.repeat(np.where(sizes < 5, 4.0, 1.0), sizes)),
        np.repeat(np.arange(10), sizes),
    )
    expected = scipy.stats.bootstrap(
        (np.bincount(clusters, values), sizes),
        lambda sums, items, axis: sums.sum(axis=axis) / items.sum(axis=axis),
        paired=True,
        n_resamples=100_000,
        rng=generator,
    )
    low, high = expected.confidence_interval
    interval = mean_interval(values, method="bca", clusters=clusters, resamples=100_000)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def test_bca_leans_towards_the_long_tail():
    skewed = np.random.default_rng(2).exponential(size=40)
    interval = mean_interval(skewed, method="bca")
    assert interval.high - skewed.mean() > 1.1 * (skewed.mean() - interval.low)


def test_bca_is_seeded():
    assert mean_interval(VALUES, method="bca", seed=1) == mean_interval(VALUES, method="bca", seed=1)
    assert mean_interval(VALUES, method="bca", seed=1) != mean_interval(VALUES, method="bca", seed=2)


def test_resamples_draw_every_item_as_often_as_the_next():
    drawn = resampled_sums(np.eye(5), resamples=40_000, seed=3)
    assert (drawn.sum(axis=1) == 5).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(5), abs=0.02)
    assert drawn.var(axis=0) == pytest.approx(np.full(5, 0.8), abs=0.03)


def test_many_blocks_are_one_stream():
    columns = np.random.default_rng(4).normal(size=(50_000, 1))
    assert np.unique(resampled_sums(columns, resamples=9, seed=3)).size == 9


def test_clusters_of_one_are_no_clusters():
    plain = mean_interval(VALUES)
    clustered = mean_interval(VALUES, clusters=np.arange(80))
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert clustered.method == "clustered widened t"


def test_clusters_of_the_same_size_are_an_interval_over_their_means():
    clusters = np.repeat([f"document {number}" for number in range(16)], 5)
    over_means = mean_interval(VALUES.reshape(16, 5).mean(axis=1))
    clustered = mean_interval(VALUES, clusters=clusters)
    assert (clustered.low, clustered.high) == pytest.approx((over_means.low, over_means.high), rel=1e-12)


def test_clusters_of_several_sizes_by_the_formula():
    """The mean is 3.5; its residuals are summed within {1, 2}, {3, 4, 5} and {6}."""
    values, clusters = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [0, 0, 1, 1, 1, 2]
    residuals = np.array([-2.5 - 1.5, -0.5 + 0.5 + 1.5, 2.5])
    half = scipy.stats.t.ppf(0.975, 2) * math.sqrt(3 / 2 * (residuals**2).sum()) / 6
    interval = mean_interval(values, clusters=clusters)
    assert (interval.low, interval.high) == pytest.approx((3.5 - half, 3.5 + half))


def test_zero_or_one_values_in_clusters_are_not_wilson():
    assert mean_interval(np.array([0.0, 1.0, 1.0, 0.0]), clusters=[1, 1, 2, 2]).method == "clustered widened t"


@pytest.mark.slow
def test_t_covers_what_it_claims():
    samples = np.random.default_rng(5).normal(0.4, 0.2, size=(4000, 30))
    assert 0.935 < covered(map(mean_interval, samples), 0.4) < 0.965


def test_wilson_covers_what_it_claims():
    """Exactly, over all 61 outcomes; with few items it swings with the true share, and keeps to 95 % on the whole."""
    successes = np.arange(61)
    intervals = [mean_interval(np.repeat([1.0, 0.0], [count, 60 - count])) for count in successes]
    low, high = np.array([(interval.low, interval.high) for interval in intervals]).T
    shares = np.linspace(0.05, 0.95, 91)
    coverage = [scipy.stats.binom.pmf(successes, 60, p)[(low <= p) & (p <= high)].sum() for p in shares]
    assert min(coverage) > 0.92
    assert 0.945 < np.mean(coverage) < 0.955


@pytest.mark.slow
def test_bca_covers_what_it_claims():
    samples = np.random.default_rng(17).normal(0.4, 0.2, size=(2000, 80))
    intervals = (mean_interval(sample, method="bca", resamples=500, seed=seed) for seed, sample in enumerate(samples))
    assert 0.935 < covered(intervals, 0.4) < 0.965


@pytest.mark.slow
def test_clusters_cover_where_ignoring_them_does_not():
    generator = np.random.default_rng(8)
    samples = generator.normal(size=(2000, 30, 1)) + generator.normal(size=(2000, 30, 4))
    clusters = np.repeat(np.arange(30), 4)
    assert 0.935 < covered([mean_interval(s.ravel(), clusters=clusters) for s in samples], 0) < 0.965
    assert covered([mean_interval(s.ravel()) for s in samples], 0) < 0.85


def test_tiny_values_have_an_interval_too():
    interval = mean_interval(np.array([0.0, 1e-150, 3e-150]), method="bca")
    assert 0 <= interval.low <= interval.high <= 3e-150


@quick
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.sampled_from(["widened t", "guarded t", "t", "bca"]))
def test_the_mean_lies_inside(values, method):
    column = np.array(values)
    interval = mean_interval(column, method=method, resamples=200)
    slack = 0.5 if method == "bca" else 1e-12
    assert interval.low - slack <= column.mean() <= interval.high + slack
    assert interval.low <= interval.high


@pytest.mark.parametrize("method", ["auto", "widened t", "guarded t", "t", "wilson", "bca"])
def test_no_items_have_no_interval(method):
    interval = mean_interval(np.array([]), method=method)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


@pytest.mark.parametrize("settings", [{}, {"method": "bca"}, {"clusters": ["a"]}])
def test_one_item_has_no_interval(settings):
    interval = mean_interval(np.array([0.5]), **settings)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_one_cluster_has_no_interval():
    assert math.isnan(mean_interval(VALUES, clusters=np.zeros(80)).low)


@pytest.mark.parametrize("method", ["widened t", "guarded t", "t", "bca"])
def test_equal_values_have_no_width(method):
    interval = mean_interval(np.full(9, 0.25), method=method)
    assert (interval.low, interval.high) == (0.25, 0.25)


def test_refusals_say_why():
    for options, words in [
        ({"method": "normal"}, r"^no interval method 'normal'; there are: auto, widened t, guarded t, t, wilson, bca$"),
        ({"method": "wilson"}, r"^a Wilson interval needs values of 0 and 1, and no clusters$"),
        ({"level": 95}, r"^level must be between 0 and 1, not 95$"),
        ({"resamples": 0}, r"^resamples must be at least 1, not 0$"),
        ({"clusters": [1, 2]}, r"^2 cluster labels for 80 values$"),
    ]:
        with pytest.raises(ValueError, match=words):
            mean_interval(VALUES, **options)
    with pytest.raises(ValueError, match=r"^values must be finite; leave out unscored items first$"):
        mean_interval(np.array([0.1, np.nan]))
    with pytest.raises(ValueError, match=r"^one column is needed, not an array of 2 dimensions$"):
        mean_interval(np.zeros((2, 2)))


@pytest.mark.parametrize("value", [0.8, -0.1, 1 / 3, 0.0, 1e-300])
@pytest.mark.parametrize("items", [2, 20, 1000])
def test_values_that_are_all_alike_have_an_interval_of_no_width(value, items):
    # 0.8 is no binary number: the mean of twenty of them is not quite 0.8
    found = mean_interval(np.full(items, value), method="widened t")
    assert found.low == pytest.approx(value, rel=1e-12)
    assert found.high == pytest.approx(value, rel=1e-12)


def test_equal_scores_of_few_documents_are_few_values():
    of_one, of_four = (mean_interval(np.ones(100), clusters=np.arange(100) % count) for count in (1, 4))
    assert math.isnan(of_one.low)
    alone = mean_interval(np.ones(4))
    assert (of_four.low, of_four.high, of_four.method) == (alone.low, alone.high, "clustered wilson")
