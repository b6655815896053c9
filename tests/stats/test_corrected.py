"""Corrected means against the libraries of their authors, a second way, and simulated truth."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bench.judge_coverage import ELSEWHERE, PUBLISHED, documents, labels_from_elsewhere, main, random_labels
from steelyard.stats.corrected import (
    Corrected,
    NotInformative,
    labels_saved,
    ppi_difference,
    ppi_mean,
    rogan_gladen,
    rogan_gladen_difference,
    rogan_gladen_mean,
)
from steelyard.stats.intervals import Interval, standard_error


def sample(seed, labelled, others, kind):
    """Labels, verdicts on the labelled items, verdicts on the others."""
    generator, items = np.random.default_rng(seed), labelled + others
    labels = generator.random(items)
    match kind:
        case "0/1":
            right = labels < 0.8
            verdicts = np.where(right, generator.random(items) < 0.95, generator.random(items) > 0.6).astype(float)
            labels = right.astype(float)
        case "scores":
            verdicts = (labels + 0.6 * generator.random(items) - 0.3).clip(0, 1)
        case "against":
            verdicts = 1 - labels
        case _:
            labels = (labels < 0.5).astype(float)
            verdicts = 0.2 * labels
    return labels[:labelled], verdicts[:labelled], verdicts[labelled:]


# ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) of ppi-python 0.2.3, with lam=None
PPI_PYTHON = [
    ((1, 100, 900, "0/1"), (0.7970465196540724, 0.730728630177756, 0.8633644091303887)),
    ((2, 50, 150, "0/1"), (0.8261638233514823, 0.7252233133314439, 0.9271043333715208)),
    ((3, 40, 300, "scores"), (0.4901647398498935, 0.4359279225366672, 0.5444015571631198)),
    ((4, 60, 200, "against"), (0.5715085618081788, 0.5014076844339996, 0.6416094391823579)),
    ((5, 30, 400, "weak"), (0.5065000000000002, 0.3630308008893034, 0.649969199110697)),
]


@pytest.mark.parametrize(("drawn", "expected"), PPI_PYTHON)
def test_without_a_guard_it_is_ppi_python(drawn, expected):
    found = ppi_mean(*sample(*drawn), guarded=False)
    assert (found.estimate, found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)
    assert found.method == "ppi++"


def test_the_weight_of_verdicts_is_within_0_and_1():
    assert ppi_mean(*sample(4, 60, 200, "against")).tuning == 0
    assert ppi_mean(*sample(5, 30, 400, "weak")).tuning == 1
    assert 0 < ppi_mean(*sample(1, 100, 900, "0/1")).tuning < 1


def padded_by_hand(labels, labelled, others, level=0.95):
    """The guarded interval with the two pseudo items appended."""
    tuning = ppi_mean(labels, labelled, others).tuning
    pads = (labels.min(), labels.max()) if labels.min() < labels.max() else (0.0, 1.0)
    verdict = np.concatenate([labelled, others]).mean()
    rectifier = np.concatenate([labels - tuning * labelled, np.array(pads) - tuning * verdict])
    centre = tuning * others.mean() + rectifier.mean()
    error = math.sqrt(rectifier.var() / len(rectifier) + tuning**2 * others.var() / len(others))
    half = scipy.stats.t.ppf((1 + level) / 2, len(labels) - 1) * error
    return max(centre - half, 0.0), min(centre + half, 1.0)


@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 100), st.sampled_from(["0/1", "scores", "against"]))
def test_the_guard_adds_two_items(seed, labelled, others, kind):
    parts = sample(seed, labelled, others, kind)
    found = ppi_mean(*parts)
    assert (found.interval.low, found.interval.high) == pytest.approx(padded_by_hand(*parts), abs=1e-9)
    assert 0 <= found.interval.low <= found.estimate <= found.interval.high <= 1


def test_labels_that_are_all_right_are_no_certainty():
    verdicts = np.array([1.0, 0.0] * 25)
    found = ppi_mean(np.ones(50), verdicts, verdicts)
    assert (found.estimate, found.tuning, found.interval.high) == (1, 0, 1)
    assert 0.9 < found.interval.low < 0.97
    assert ppi_mean(np.ones(50), verdicts, verdicts, guarded=False).interval.low == 1


def test_equal_labels_without_bounds_have_no_interval():
    labels, verdicts = np.ones(20), np.array([1.0, 0.0] * 10)
    assert math.isnan(ppi_mean(labels, verdicts, verdicts, bounds=(-math.inf, math.inf)).interval.low)
    varied = ppi_mean(verdicts + 3, verdicts, verdicts, bounds=(-math.inf, math.inf))
    assert 3 < varied.interval.low < varied.estimate < varied.interval.high < 4


def test_a_constant_judge_has_no_weight():
    labels = sample(1, 40, 0, "0/1")[0]
    found = ppi_mean(labels, np.ones(40), np.ones(100), guarded=False)
    assert (found.estimate, found.tuning) == (labels.mean(), 0)
    half = scipy.stats.norm.ppf(0.975) * labels.std() / math.sqrt(40)
    assert found.interval.high - found.estimate == pytest.approx(half)
    assert math.isnan(labels_saved(labels, np.ones(40)))
    assert math.isnan(labels_saved(np.ones(40), labels))


def test_every_item_has_a_label():
    labels, verdicts, none = sample(1, 40, 0, "0/1")
    found = ppi_mean(labels, verdicts, none)
    assert (found.estimate, found.tuning) == (labels.mean(), 0)


def test_one_label_has_no_interval():
    found = ppi_mean(np.array([1.0]), np.array([1.0]), np.array([1.0, 0.0]))
    assert math.isnan(found.interval.low)
    several = ppi_mean(np.array([1.0, 0.0]), np.ones(2), np.ones(2), clusters=(["a", "a"], ["b", "c"]))
    assert math.isnan(several.interval.high)


@pytest.mark.parametrize("guarded", [True, False])
def test_each_item_its_own_document_is_nearly_no_document(guarded):
    parts = sample(3, 40, 300, "scores")
    alone = ppi_mean(*parts, guarded=guarded)
    found = ppi_mean(*parts, guarded=guarded, clusters=(np.arange(40), np.arange(40, 340)))
    assert found.estimate == alone.estimate
    assert found.interval.method == f"clustered {alone.interval.method}"
    assert found.interval.low == pytest.approx(alone.interval.low, abs=0.002)  # 40/39 of the variance


def test_repeated_items_say_no_more_than_once():
    parts = sample(3, 40, 300, "scores")
    clusters = (np.arange(40), np.arange(40, 340))
    once = ppi_mean(*parts, clusters=clusters, guarded=False)
    twice = ppi_mean(
        *(np.repeat(part, 2) for part in parts), clusters=tuple(np.repeat(c, 2) for c in clusters), guarded=False
    )
    assert twice.interval.low == pytest.approx(once.interval.low, abs=1e-4)
    plain = ppi_mean(*(np.repeat(part, 2) for part in parts), guarded=False)
    assert plain.interval.low > once.interval.low + 0.01


def test_the_variance_over_documents_by_hand():
    labels, labelled, others = sample(3, 12, 24, "scores")
    clusters = (np.arange(12) % 4, np.arange(24) % 6)
    found = ppi_mean(labels, labelled, others, clusters=clusters, guarded=False)
    rectifier = labels - found.tuning * labelled
    pulls = [
        ((rectifier - rectifier.mean())[clusters[0] == unit]).sum() / 12
        + found.tuning * ((others - others.mean())[clusters[1] == unit]).sum() / 24
        for unit in range(6)
    ]
    error = math.sqrt(4 / 3 * sum(pull**2 for pull in pulls))
    assert found.interval.high - found.estimate == pytest.approx(scipy.stats.norm.ppf(0.975) * error)


def test_equal_labels_of_few_documents_count_once_each():
    verdicts = np.zeros(40)
    found = ppi_mean(np.ones(40), verdicts, verdicts, clusters=(np.arange(40) % 8, np.arange(40) % 8))
    eight = ppi_mean(np.ones(8), verdicts[:8], verdicts[:8])
    assert found.interval.low == pytest.approx(eight.interval.low)


def test_documents_that_are_alike_add_no_certainty():
    labels = np.array([1.0, 0.0] * 20)
    clusters = (np.arange(40) // 2, np.arange(40) // 2)
    found = ppi_mean(labels, labels * 0, labels * 0, clusters=clusters)
    alone = ppi_mean(labels, labels * 0, labels * 0)
    assert found.interval.low < alone.interval.low < 0.5 < alone.interval.high < found.interval.high


def test_a_difference_is_the_mean_of_differences():
    first, second = sample(1, 60, 300, "scores"), sample(2, 60, 300, "scores")
    found = ppi_difference(*zip(first, second, strict=True), guarded=False)
    assert found == ppi_mean(*(a - b for a, b in zip(first, second, strict=True)), guarded=False)
    guarded = ppi_difference(*zip(first, second, strict=True))
    reverse = ppi_difference(*zip(second, first, strict=True))
    assert (guarded.interval.low, guarded.interval.high) == pytest.approx(
        (-reverse.interval.high, -reverse.interval.low)
    )
    assert guarded.interval.low < guarded.estimate < guarded.interval.high


def test_no_difference_is_no_certainty():
    labels, labelled, others = sample(1, 30, 100, "0/1")
    found = ppi_difference((labels, labels), (labelled, labelled), (others, others))
    assert found.estimate == 0
    assert found.interval.low == pytest.approx(-found.interval.high)
    assert 0.05 < found.interval.high < 0.2


def test_mistakes():
    ones = np.ones(3)
    with pytest.raises(ValueError, match="3 labels for 2 verdicts"):
        ppi_mean(ones, ones[:2], ones)
    with pytest.raises(ValueError, match="0 labels"):
        ppi_mean(ones[:0], ones[:0], ones)
    with pytest.raises(ValueError, match="finite"):
        ppi_mean(ones * math.nan, ones, ones)
    with pytest.raises(ValueError, match="2 and 3 cluster labels for 3 and 3 items"):
        ppi_mean(ones, ones, ones, clusters=([1, 2], [1, 2, 3]))
    with pytest.raises(ValueError, match="level must be"):
        ppi_mean(ones, ones, ones, level=95)


# point_estimator and confidence_interval of UW-Madison-Lee-Lab/LLM-judge-reporting (082884d)
LEE = [
    ((400, 1000), (180, 200), (140, 200), 0.95, (0.1666666666666668, 0.05635072484160894, 0.2627330257859588)),
    ((190, 200), (48, 50), (9, 10), 0.95, (0.988372093023256, 0.9153385727680016, 1.0)),
    ((640, 800), (61, 70), (20, 33), 0.95, (0.850407978241161, 0.6999709978256804, 1.0)),
    ((30, 1000), (95, 100), (90, 100), 0.9, (0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("positive", "sensitivity", "specificity", "level", "expected"), LEE)
def test_rogan_gladen_is_that_of_its_authors(positive, sensitivity, specificity, level, expected):
    found = rogan_gladen(*positive, sensitivity=sensitivity, specificity=specificity, level=level)
    assert (found.estimate, found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)
    assert found.method == "rogan-gladen"
    assert math.isnan(found.tuning)
    assert replace(found, tuning=float("nan")) == found  # Python 3.13 compares dataclasses field by field


def test_a_judge_that_is_always_right_needs_no_correction():
    found = rogan_gladen(70, 100, sensitivity=(50, 50), specificity=(50, 50))
    assert isinstance(found, Corrected)
    assert found.estimate == 0.7
    assert found.interval.low < 0.7 < found.interval.high


def test_a_judge_that_says_nothing_is_refused():
    for sensitivity, specificity in (((5, 10), (5, 10)), ((1, 10), (2, 10)), ((100, 1000), (1, 1))):
        with pytest.raises(NotInformative, match="sum to"):
            rogan_gladen(5, 10, sensitivity=sensitivity, specificity=specificity)
    for positives, of in ((11, 10), (-1, 10)):
        with pytest.raises(ValueError, match=f"{positives} of {of}"):
            rogan_gladen(positives, of, sensitivity=(9, 10), specificity=(9, 10))
    with pytest.raises(ValueError, match="0 of 0"):
        rogan_gladen(5, 10, sensitivity=(0, 0), specificity=(9, 10))


RATES = {"sensitivity": (18, 20), "specificity": (16, 20)}


def test_a_mean_of_verdicts_is_that_of_their_number():
    verdicts = np.array([1.0] * 33 + [0.0] * 7)
    for level in (0.95, 0.8):
        assert rogan_gladen_mean(verdicts, **RATES, level=level) == rogan_gladen(33, 40, **RATES, level=level)
    assert rogan_gladen_mean(verdicts, **RATES) == rogan_gladen(33, 40, **RATES)
    assert rogan_gladen_mean(np.ones(6), **RATES, clusters=[0, 0, 1, 1, 2, 2]) == rogan_gladen(3, 3, **RATES)


@pytest.mark.parametrize("clusters", [None, np.arange(40) // 4])
def test_a_mean_of_shares_has_their_own_variance(clusters):
    """Lee et al. (2025): the variance of the share of yes is that of a mean, the rates have one item more of each."""
    shares = np.tile([1.0, 0.5, 0.75, 1.0], 10) - 0.01 * np.arange(40)
    found = rogan_gladen_mean(shares, **RATES, clusters=clusters)
    q1, q0 = 19 / 22, 17 / 22
    v1, v0 = q1 * (1 - q1) / 22, q0 * (1 - q0) / 22
    theta, z = (shares.mean() + q0 - 1) / (q1 + q0 - 1), scipy.stats.norm.ppf(0.975)
    centre = theta + 2 * z**2 * (theta * v1 - (1 - theta) * v0)
    square = standard_error(shares, clusters) ** 2 + (1 - theta) ** 2 * v0 + theta**2 * v1
    half = z * math.sqrt(square) / (q1 + q0 - 1)
    assert found.estimate == pytest.approx((shares.mean() + 0.8 - 1) / 0.7)
    assert (found.interval.low, found.interval.high) == pytest.approx((centre - half, min(centre + half, 1.0)))


def test_a_difference_over_the_rates_by_hand():
    """The variance of d / r, with r = sensitivity + specificity - 1: (var d + (d / r)^2 var r) / r^2."""
    differences = np.array([1.0, 0, 0, 1, 0, -1, 0, 1, 1, 0])
    q1, q0 = 19 / 22, 17 / 22
    r, of_rates = q1 + q0 - 1, (q1 * (1 - q1) + q0 * (1 - q0)) / 22
    square = differences.var(ddof=1) / 10 + (0.3 / r) ** 2 * of_rates
    half = scipy.stats.t.ppf(0.975, 9) * math.sqrt(square) / r
    found = rogan_gladen_difference(differences, **RATES)
    assert (found.estimate, found.method) == (pytest.approx(0.3 / 0.7), "rogan-gladen")
    assert (found.interval.low, found.interval.high) == pytest.approx((0.3 / r - half, min(0.3 / r + half, 1.0)))
    against = rogan_gladen_difference(-differences, **RATES)
    assert against.interval == Interval(-found.interval.high, -found.interval.low, "lee")
    fewer = rogan_gladen_difference(np.repeat(differences, 2), **RATES, clusters=np.repeat(np.arange(10), 2), level=0.9)
    half = scipy.stats.t.ppf(0.95, 9) * math.sqrt(square) / r
    assert (fewer.interval.low, fewer.interval.high) == pytest.approx((0.3 / r - half, min(0.3 / r + half, 1.0)))


def test_a_difference_of_one_item_or_none_that_varies_is_within_1_and_has_no_interval():
    for differences, estimate in (([1.0], 1.0), ([-1.0] * 5, -1.0), ([0.0] * 5, 0.0)):
        found = rogan_gladen_difference(np.array(differences), **RATES)
        assert found.estimate == estimate
        assert math.isnan(found.interval.low)
        assert math.isnan(found.interval.high)


def test_labels_saved_is_the_squared_correlation():
    labels, verdicts, _ = sample(3, 80, 0, "scores")
    assert labels_saved(labels, verdicts) == pytest.approx(scipy.stats.pearsonr(labels, verdicts).statistic ** 2)
    assert labels_saved(labels, 1 - labels) == pytest.approx(1)


def test_labels_saved_is_what_the_interval_gains():
    # at the best weight Var = Var(Y)/n * (1 - rho² N/(N + n)), up to the difference of the samples' variances
    parts = sample(7, 2000, 8000, "0/1")
    saved, found = labels_saved(*parts[:2]), ppi_mean(*parts, guarded=False)
    alone = 2 * scipy.stats.norm.ppf(0.975) * parts[0].std() / math.sqrt(2000)
    width = found.interval.high - found.interval.low
    assert (width / alone) ** 2 == pytest.approx(1 - saved * 0.8, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case.name)
def test_guarded_intervals_hold_the_truth(case):
    found = random_labels(case, simulations=1500)
    assert 0.935 <= found["guarded PPI++"].coverage <= 0.975
    assert found["guarded PPI++"].width < found["labels alone"].width
    assert found["PPI++"].coverage < found["guarded PPI++"].coverage


@pytest.mark.slow
def test_labels_from_elsewhere_are_for_rogan_gladen_only():
    found = labels_from_elsewhere(ELSEWHERE[1], simulations=1500)
    assert 0.935 <= found["Rogan-Gladen"].coverage <= 0.99
    assert found["guarded PPI++"].coverage < 0.01


@pytest.mark.slow
def test_documents_are_the_units():
    found = documents(PUBLISHED[0], simulations=1500)
    assert 0.925 <= found["guarded PPI++"].coverage <= 0.975
    assert found["PPI++"].coverage < 0.92


@pytest.mark.slow
def test_the_tables_are_printed(capsys):
    main(["--simulations", "5"])
    assert capsys.readouterr().out.count("###") == 6
