"""Kappa, AC1, alpha and the bound on errors: values worked out by hand or published, other libraries, second ways."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from steelyard.stats.agreement import (
    alpha_interval,
    clopper_pearson,
    clopper_pearson_upper,
    cohen_kappa,
    effective_size,
    gwet_ac1,
    krippendorff_alpha,
)
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
    assert found.interval.method == "kappa"


def test_kappa_as_published():
    # two radiologists, 85 mammograms, four categories: kappa 0.4728
    # (Boyd et al. 1982, as in the Stata reference manual, [R] kappa, example 1)
    found = cohen_kappa(np.array([[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]]))
    assert found.value == pytest.approx(0.4728, abs=5e-5)


RADIOLOGISTS = np.array([[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]])  # Boyd et al. 1982, as above


def test_kappa_of_grades_is_that_of_other_libraries():
    # cohens_kappa(counts, wt="quadratic") of statsmodels 0.15.0; cohen_kappa_score of scikit-learn 1.9.1 agrees
    found = cohen_kappa(RADIOLOGISTS, weighting="quadratic")
    assert found.value == pytest.approx(0.67137057800116, abs=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.5378686679129568, 0.8048724880893631), abs=1e-9
    )
    plain = cohen_kappa(RADIOLOGISTS)
    assert (plain.interval.low, plain.interval.high) == pytest.approx((0.330269593309579, 0.615308637982938), abs=1e-9)


tables = st.lists(st.integers(0, 20), min_size=9, max_size=9).map(lambda counts: np.array(counts).reshape(3, 3))


def jackknifed(measure, table):
    """The standard error of a measure of a table of counts, by leaving out one item at a time."""
    left_out, times = [], []
    for cell in np.argwhere(table > 0):
        one = np.zeros_like(table)
        one[tuple(cell)] = 1
        left_out.append(measure(table - one).value)
        times.append(table[tuple(cell)])
    items, values = table.sum(), np.array(left_out)
    mean = np.average(values, weights=times)
    return math.sqrt((items - 1) / items * float(np.array(times) @ (values - mean) ** 2))


@given(tables.filter(lambda table: table.sum() > 1))
def test_kappa_of_grades_by_its_definition(table):
    squares = (np.arange(3)[:, None] - np.arange(3)[None, :]) ** 2
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    among = float((squares * chance).sum())
    found = cohen_kappa(table, weighting="quadratic").value
    expected = 1 - float((squares * table).sum()) / among if among else math.nan
    assert found == pytest.approx(expected, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("measure", [cohen_kappa, gwet_ac1, lambda counts: cohen_kappa(counts, weighting="quadratic")])
def test_standard_errors_are_near_those_of_the_jackknife(measure):
    table = 8 * RADIOLOGISTS
    found = measure(table)
    error = (found.interval.high - found.value) / 1.959963984540054
    assert error == pytest.approx(jackknifed(measure, table), rel=0.02)


def test_two_grades_have_one_kappa():
    table = np.array([[20, 5], [10, 15]])
    assert cohen_kappa(table, weighting="quadratic") == cohen_kappa(table)


@pytest.mark.parametrize(
    ("table", "value", "error"),
    [(RADIOLOGISTS, 0.529198058426, 0.067882110471), (np.array([[118, 5], [2, 0]]), 0.940776337609, 0.023056964302)],
)
def test_ac1_is_that_of_another_library(table, value, error):
    # CAC(...).gwet() of irrCAC 0.4.4, whose variance is divided by one item less
    found = gwet_ac1(table)
    items = table.sum()
    assert found.value == pytest.approx(value, abs=1e-11)
    half = 1.959963984540054 * error * math.sqrt((items - 1) / items)
    assert found.interval.low == pytest.approx(value - half, abs=1e-10)
    assert found.interval.high == pytest.approx(min(value + half, 1), abs=1e-10)


def test_ac1_holds_where_kappa_does_not():
    # 118 of 125 items alike, but both say yes nearly always: the paradox of kappa (Feinstein and Cicchetti 1990)
    table = np.array([[118, 5], [2, 0]])
    assert cohen_kappa(table).value < 0
    assert gwet_ac1(table).value > 0.9


def test_a_constant_judge_has_no_kappa():
    constant = np.array([[30, 20], [0, 0]])
    for weighting in ("none", "quadratic"):
        assert cohen_kappa(constant, weighting=weighting).value == 0
    assert math.isnan(gwet_ac1(np.zeros((2, 2))).value)
    assert math.isnan(gwet_ac1(np.array([[5]])).value)
    undefined = cohen_kappa(np.array([[5]]), weighting="quadratic")
    assert math.isnan(undefined.value)
    assert undefined.interval.method == "kappa"
    same = gwet_ac1(np.array([[9, 0], [0, 0]]))
    assert same.value == 1
    assert math.isnan(same.interval.low)


NAN = math.nan
RATERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_as_published(level, value):
    # Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C
    assert krippendorff_alpha(RATERS, level=level) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.743421052631579), ("ordinal", 0.8153875037548814), ("interval", 0.8491071428571428)],
)
def test_alpha_is_that_of_another_library(level, value):
    # krippendorff 0.9.0
    assert krippendorff_alpha(RATERS, level=level) == pytest.approx(value, abs=1e-12)


def alpha_by_pairs(ratings, level):
    """Alpha by all pairs of ratings, as it is defined."""
    items = [column[~np.isnan(column)].tolist() for column in ratings.T]
    items = [item for item in items if len(item) > 1]
    every = [value for item in items for value in item]

    def distance(one, other):
        if level == "nominal":
            return float(one != other)
        if level == "interval":
            return (one - other) ** 2
        low, high = sorted((one, other))
        between = sum(low <= value <= high for value in every)
        return (between - (every.count(low) + every.count(high)) / 2) ** 2 if low != high else 0.0

    observed = sum(distance(a, b) / (len(item) - 1) for item in items for a in item for b in item)
    expected = sum(distance(a, b) for a in every for b in every) / (len(every) - 1) if len(every) > 1 else 0
    return 1 - observed / expected if expected else math.nan


rated = st.lists(
    st.lists(st.sampled_from([NAN, 0.0, 1.0, 2.5, 3.0]), min_size=3, max_size=3), min_size=1, max_size=8
).map(lambda items: np.array(items).T)


@given(rated, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_by_its_definition(ratings, level):
    expected = alpha_by_pairs(ratings, level)
    assert krippendorff_alpha(ratings, level=level) == pytest.approx(expected, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_equal_raters_and_of_a_constant(level):
    one = np.array([1.0, 2.0, 2.0, 3.0])
    assert krippendorff_alpha(np.stack([one, one]), level=level) == 1
    for nothing in (np.ones((2, 5)), np.full((2, 5), NAN), np.empty((2, 0)), one[np.newaxis, :]):
        assert math.isnan(krippendorff_alpha(nothing, level=level))
        assert math.isnan(alpha_interval(nothing, level=level, resamples=5).low)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_the_interval_of_alpha_is_that_of_drawn_items(level):
    found = alpha_interval(RATERS, level=level, resamples=200, seed=3)
    columns = RATERS[:, (~np.isnan(RATERS)).sum(axis=0) > 1]
    generator = np.random.Generator(np.random.Philox(3))
    drawn = [columns[:, generator.integers(columns.shape[1], size=columns.shape[1])] for _ in range(200)]
    low, high = np.quantile([alpha_by_pairs(each, level) for each in drawn], [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found == alpha_interval(RATERS, level=level, resamples=200, seed=3)
    assert found.low < krippendorff_alpha(RATERS, level=level) < found.high


def test_alpha_refuses():
    with pytest.raises(ValueError, match="raters x items"):
        krippendorff_alpha(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="no level 'ratio'"):
        krippendorff_alpha(RATERS, level="ratio")


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
