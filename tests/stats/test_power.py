"""What a comparison could have detected."""

import math

import numpy as np
import pytest
import scipy.stats

from steelyard.stats.intervals import mean_interval
from steelyard.stats.paired import t_test
from steelyard.stats.power import (
    DecisionSample,
    effect_size,
    items_needed,
    smallest_detectable,
    trials_to_distinguish,
)

DIFFERENCES = np.random.default_rng(1).normal(0.02, 0.2, size=50)


def test_smallest_detectable_is_the_t_formula():
    quantiles = scipy.stats.t.ppf(0.975, 49) + scipy.stats.t.ppf(0.8, 49)
    assert smallest_detectable(DIFFERENCES) == pytest.approx(quantiles * DIFFERENCES.std(ddof=1) / math.sqrt(50))


def test_a_difference_of_that_size_is_found_with_that_power():
    generator = np.random.default_rng(2)
    samples = generator.normal(size=(2000, 40))
    detectable = smallest_detectable(scipy.stats.norm.ppf((np.arange(40) + 0.5) / 40))
    found = np.mean([t_test(sample + detectable).p_value < 0.05 for sample in samples])
    assert 0.76 < found < 0.84


@pytest.mark.parametrize("detect", [0.01, 0.05, 0.2, 1.0])
def test_items_needed_is_the_fewest_that_detect_it(detect):
    items = items_needed(DIFFERENCES, detect=detect)
    spread = DIFFERENCES.std(ddof=1)

    def detectable(n):
        return (scipy.stats.t.ppf(0.975, n - 1) + scipy.stats.t.ppf(0.8, n - 1)) * spread / math.sqrt(n)

    assert detectable(items) <= detect
    assert items == 2 or detectable(items - 1) > detect


def test_as_many_items_are_needed_as_there_are_for_what_they_detect():
    detectable = smallest_detectable(DIFFERENCES, alpha=0.01, power=0.9)
    assert items_needed(DIFFERENCES, detect=detectable * (1 + 1e-9), alpha=0.01, power=0.9) == 50


def test_effect_size_is_cohens_dz():
    assert effect_size(np.array([1.0, 2.0, 3.0])) == pytest.approx(2.0)
    assert effect_size(-DIFFERENCES) == -effect_size(DIFFERENCES)
    assert effect_size(np.array([1.0, -1.0])) == 0.0
    assert effect_size(np.zeros(5)) == 0.0


@pytest.mark.parametrize("values", [[], [0.5], [0.1, 0.3 - 0.2, 0.1]])
def test_effect_size_without_a_spread_is_not_a_number(values):
    assert math.isnan(effect_size(np.asarray(values, dtype=float)))


def test_too_few_items():
    assert math.isnan(smallest_detectable(np.array([0.1])))
    assert math.isnan(smallest_detectable(np.array([0.1, 0.1])))
    assert items_needed(np.array([0.1, 0.1]), detect=0.5) == 2


def test_refusals_say_why():
    with pytest.raises(ValueError, match=r"^items needed are computed from at least 2 differences, not 1$"):
        items_needed(np.array([0.1]), detect=0.1)
    with pytest.raises(ValueError, match=r"^the difference to detect must be positive, not 0$"):
        items_needed(DIFFERENCES, detect=0)
    with pytest.raises(ValueError, match=r"^alpha must be between 0 and 1, not 5$"):
        smallest_detectable(DIFFERENCES, alpha=5)
    with pytest.raises(ValueError, match=r"^power must be between alpha and 1, not 0\.01$"):
        smallest_detectable(DIFFERENCES, power=0.01)
    with pytest.raises(ValueError, match=r"^power must be between alpha and 1, not 1$"):
        smallest_detectable(DIFFERENCES, power=1)
    with pytest.raises(ValueError, match=r"^values must be finite; leave out unscored items first$"):
        effect_size(np.array([1.0, np.nan]))


@pytest.mark.parametrize(("share", "line", "items"), [(0.9, 0.8, 108), (0.3, 0.5, 47), (0.95, 0.99, 90)])
def test_trials_by_hand(share, line, items):
    # Fleiss: (1.95996 sqrt(v (1 - v)) + 0.84162 sqrt(p (1 - p)))^2 / (p - v)^2 is 107.4, 46.6 and 89.5
    assert trials_to_distinguish(share, line) == items
    scores = np.repeat([1.0, 0.0], [round(share * 100), round((1 - share) * 100)])
    assert DecisionSample(scores, (0.0, 1.0)).units_needed(line, alpha=0.05) == items


def test_ties_need_what_the_padded_interval_needs():
    # z^2 values of -1 and 1 among m = n + z^2: half the width is c z / m, c = z(0.975) + z(0.8): 54.9 - 3.8
    ties = DecisionSample(np.zeros(10), (-1.0, 1.0), paired=True)
    assert ties.units_needed(-0.1, alpha=0.05) == 52
    assert DecisionSample(np.zeros(10), (-0.5, 0.5), paired=True).units_needed(-0.1, alpha=0.05) == 24  # 27.5 - 3.8
    assert DecisionSample(np.zeros(1), (-1.0, 1.0), paired=True).units_needed(-0.1, alpha=0.05) is None


def test_equal_scores_are_padded_with_both_bounds():
    # z^2 = 3.84 values, half of them 0 and half 2, beside four of 0.7
    pads = scipy.stats.norm.ppf(0.975) ** 2
    mean, square = ((4 * 0.7**power + pads * 2**power / 2) / (4 + pads) for power in (1, 2))
    half = math.sqrt(pads * (square - mean**2) / (4 + pads))
    found = DecisionSample(np.full(4, 0.7), (0.0, 2.0)).interval(0.95)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half))
    assert found.method == "padded"


def test_half_of_the_differences_decide_how_the_interval_is_made():
    rising, place = np.linspace(0, 1, 20), np.arange(20)
    half, more = (DecisionSample(rising * (place >= 20 - n), (-1.0, 1.0), paired=True) for n in (10, 11))
    assert (half.interval(0.95).method, more.interval(0.95).method) == ("padded", "guarded t")
    shares = np.repeat([1.0, 0.0], [18, 2])
    assert DecisionSample(shares, (0.0, 1.0)).interval(0.9) == mean_interval(shares, level=0.9)
    assert DecisionSample(np.ones(5), (0.0, 1.0)).interval(0.9).method == "wilson"
