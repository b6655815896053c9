"""What a comparison could have detected."""

import math

import numpy as np
import pytest
import scipy.stats

from steelyard.stats.paired import t_test
from steelyard.stats.power import effect_size, items_needed, smallest_detectable

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
    with pytest.raises(ValueError, match=r"^values must be finite; leave out unscored items first$"):
        effect_size(np.array([1.0, np.nan]))
