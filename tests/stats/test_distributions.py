"""Tails and quantiles against SciPy."""

import math
import subprocess
import sys

import pytest
import scipy.stats

from steelyard.stats.distributions import (
    fair_two_sided,
    normal_cumulative,
    normal_quantile,
    normal_two_sided,
    regularised_beta,
    t_quantile,
    t_two_sided,
)

DEGREES = [1, 1.5, 2, 3, 5, 9, 10, 19, 20, 21, 30, 49, 100, 1000, 6979, 1e5, 1e6]
CHANCES = [1e-12, 1e-9, 1e-6, 0.001, 0.025, 0.1, 0.25, 0.4, 0.49, 0.4999, 0.6, 0.9, 0.975, 0.999, 1 - 1e-9]


@pytest.mark.parametrize("df", DEGREES)
def test_t_tail_equals_scipy(df):
    for statistic in (1e-3, 0.1, 0.5, 1, 1.7, 1.74, 2, -3, 5, 7, 7.5, 12, 30, -100, 1e4):
        expected = 2 * scipy.stats.t.sf(abs(statistic), df)
        if expected > 1e-290:
            assert t_two_sided(statistic, df) == pytest.approx(expected, rel=1e-10, abs=0)


def test_t_tail_at_its_ends():
    assert t_two_sided(0.0, 7) == 1.0
    assert t_two_sided(math.inf, 7) == 0.0
    # Cauchy in closed form; SciPy 1.17.1 is off by 3e-9 here
    assert t_two_sided(1e-8, 1) == pytest.approx(1 - 2 / math.pi * math.atan(1e-8), rel=1e-15)


@pytest.mark.parametrize("df", DEGREES)
def test_t_quantile_equals_scipy(df):
    for p in CHANCES:
        assert t_quantile(p, df) == pytest.approx(scipy.stats.t.ppf(p, df), rel=1e-10, abs=0)


def test_t_quantile_of_a_half_is_0():
    assert t_quantile(0.5, 3) == 0.0


@pytest.mark.parametrize("p", CHANCES)
def test_normal_equals_scipy(p):
    z = scipy.stats.norm.ppf(p)
    assert normal_quantile(p) == pytest.approx(z, rel=1e-10, abs=0)
    assert normal_cumulative(z) == pytest.approx(p, rel=1e-10, abs=0)
    assert normal_two_sided(z) == pytest.approx(2 * min(p, 1 - p), rel=1e-8 if p > 0.999 else 1e-10, abs=0)


@pytest.mark.parametrize("trials", [1, 2, 3, 10, 25, 50, 99, 1000, 9999, 100_000, 1_000_000])
def test_fair_coin_equals_scipy(trials):
    near = [round(trials / 2 - sigmas * math.sqrt(trials) / 2) for sigmas in (0, 0.5, 1, 2, 4, 8, 20)]
    for successes in {0, 1, trials // 4, trials // 3, *near}:
        if not 0 <= 2 * successes < trials:
            continue
        expected = min(1.0, 2 * scipy.stats.binom.cdf(successes, trials, 0.5))
        if expected > 1e-290:
            assert fair_two_sided(successes, trials) == pytest.approx(expected, rel=1e-10, abs=0)
            assert fair_two_sided(trials - successes, trials) == fair_two_sided(successes, trials)


def test_fair_coin_is_exact_where_it_can_be_counted():
    for trials in range(60):
        for successes in range(trials + 1):
            tail = sum(math.comb(trials, k) for k in range(min(successes, trials - successes) + 1))
            assert fair_two_sided(successes, trials) == pytest.approx(min(1.0, 2 * tail / 2**trials), rel=1e-15)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2, 3), (0.5, 40), (40, 0.5), (12, 15), (300, 7), (5000, 6000)])
def test_regularised_beta_equals_scipy(a, b):
    for x in (0.0, 1e-9, 0.01, 0.2, 0.45, 0.5, 0.8, 0.99, 1.0, a / (a + b) * (1 + 1e-9), a / (a + b) * (1 - 1e-6)):
        expected = scipy.special.betainc(a, b, x)
        assert regularised_beta(a, b, x, 1 - x) == pytest.approx(expected, rel=1e-10, abs=1e-300)


def test_refusals_say_why():
    with pytest.raises(ValueError, match=r"^a quantile needs a probability strictly between 0 and 1, not 1\.0$"):
        t_quantile(1.0, 5)
    with pytest.raises(ValueError, match=r"^degrees of freedom must be positive, not 0$"):
        t_two_sided(1.0, 0)
    with pytest.raises(ValueError, match=r"^5 successes in 4 trials$"):
        fair_two_sided(5, 4)


@pytest.mark.slow
def test_statistics_do_not_import_scipy():
    modules = "paired, intervals, correction, power"
    script = f"import sys; from steelyard.stats import {modules}; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
