"""Risk measures against their published definitions, written out as loops, and against scipy's t test."""

import math

import numpy as np
import pytest
import scipy.stats
from rendering import as_json, render_console
from tables import make_table

from steelyard.reports.content import compare_results
from steelyard.stats.compare import ComparisonSettings
from steelyard.stats.risk import geo_risk, risk_of, risks

SCORES = np.random.default_rng(3).random((4, 30)).round(2)


@pytest.mark.parametrize("alpha", [0, 1, 5, 10])
def test_urisk_and_trisk_are_the_mean_and_t_of_weighted_differences(alpha):
    differences = SCORES[1] - SCORES[0]
    weighted = [each * (1 + alpha) if each < 0 else each for each in differences.tolist()]
    urisk, trisk = risk_of(differences, alpha=alpha)
    assert urisk == pytest.approx(sum(weighted) / 30)
    assert trisk == pytest.approx(scipy.stats.ttest_1samp(weighted, 0).statistic)
    assert math.isnan(risk_of(np.zeros(5), alpha=alpha)[1])


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_georisk_is_that_of_the_paper(alpha):
    """Dinçer, Macdonald and Ounis (2016): sqrt(S/c Φ(ZRisk/c)), z = (x - e) / sqrt(e), e = S T / N."""
    totals = SCORES.sum(axis=0)
    for row, found in zip(SCORES, geo_risk(SCORES, alpha=alpha), strict=True):
        z_risk = 0.0
        for score, total in zip(row.tolist(), totals.tolist(), strict=True):
            expected = row.sum() * total / SCORES.sum()
            z = (score - expected) / math.sqrt(expected)
            z_risk += z if score >= expected else (1 + alpha) * z
        assert found == pytest.approx(math.sqrt(row.mean() * scipy.stats.norm.cdf(z_risk / 30)))


def test_items_that_nobody_finds_add_no_risk():
    silent = np.column_stack([SCORES, np.zeros((4, 1))])
    assert np.isfinite(geo_risk(silent, alpha=1)).all()
    assert geo_risk(np.zeros((2, 3)), alpha=1) == [0.0, 0.0]


def test_without_common_items_or_with_scores_below_nought_there_is_no_georisk():
    for scores in (np.empty((2, 0)), np.array([[0.1, -0.2], [0.3, 0.4]])):
        assert geo_risk(scores, alpha=1) == pytest.approx([math.nan] * 2, nan_ok=True)
    first, second = (make_table("s", SCORES[n, :20], ids=[f"q{row + n}" for row in range(20)]) for n in range(2))
    shared = np.vstack([SCORES[0, 1:20], SCORES[1, :19]])
    assert [each.georisk for each in risks([first, second], "F1", alpha=1)] == geo_risk(shared, alpha=1)


def test_the_risk_of_rankings_is_printed_and_in_json():
    tables = [make_table(f"s{n}", row, metric="nDCG@10", kind="retrieval") for n, row in enumerate(SCORES)]
    report = compare_results(tables, ComparisonSettings())
    found = as_json(report)["risk"]
    assert [(each["name"], each["alpha"]) for each in found[:5]] == [*((f"s{n}", 1) for n in range(4)), ("s0", 5)]
    assert (found[0]["urisk"], found[0]["trisk"]) == (None, None)
    text = render_console(report)
    assert "risk against s0: nDCG@10, alpha = 1\nsystem    URisk  TRisk  GeoRisk\n" in text
    assert f"{found[1]['urisk']:+.4f}  {found[1]['trisk']:.2f}   {found[1]['georisk']:.4f}" in text
    answers = [make_table(f"s{n}", row) for n, row in enumerate(SCORES)]
    assert "risk" not in as_json(compare_results(answers, ComparisonSettings()))


def test_a_metric_of_which_less_is_better_has_no_georisk():
    tables = [make_table(f"s{n}", row, metric="noise_sensitivity") for n, row in enumerate(SCORES[:2])]
    (_, risk) = risks(tables, "noise_sensitivity", alpha=1)
    assert risk.urisk == pytest.approx(risk_of(SCORES[0] - SCORES[1], alpha=1)[0])
    assert math.isnan(risk.georisk)
