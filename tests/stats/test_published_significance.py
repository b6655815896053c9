"""Published p-values: Urbano's TREC-8 matrices (README, one million resamples) and trec_eval runs of TREC-COVID.

`expected.json` says which were published and which were made with SciPy 1.17.1.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from steelyard.stats.paired import paired_tests, sign_test, t_test, wilcoxon_test

REAL = Path(__file__).parents[2].parent / "shared" / "data" / "real"
PUBLISHED = "published (Urbano README, systems 125=baseline,126=experimental of adhoc8_ap.csv, 1-based columns; p1,p2)"
WILCOXON = "wilcoxon_R_like_two (drop zeros, normal approx, continuity correction)"
CASES = {
    "adhoc8_ap 125 vs 126": ("adhoc8_ap.csv", 125, 126),
    "adhoc8_ap 10 vs 11": ("adhoc8_ap.csv", 10, 11),
    "adhoc8_p10 10 vs 11 (many zero differences)": ("adhoc8_p10.csv", 10, 11),
    "trec_covid_round1 wistud_bing vs run1, map per query rounded to 4 decimals as trec_eval prints": "map",
    "trec_covid_round1 wistud_bing vs run1, ndcg_cut_10 per query rounded to 4 decimals as trec_eval prints": (
        "ndcg_cut_10"
    ),
}


@pytest.fixture(scope="module")
def expected():
    path = REAL / "significance" / "expected.json"
    if not path.exists():
        pytest.skip(f"the real material is not here: {path}")
    return json.loads(path.read_text(encoding="utf-8"))


def differences(source):
    if isinstance(source, str):
        return covid_scores("run1", source) - covid_scores("wistud_bing", source)
    name, baseline, experimental = source
    matrix = np.genfromtxt(REAL / "significance" / name, delimiter=",", skip_header=1)
    return matrix[:, experimental - 1] - matrix[:, baseline - 1]


def covid_scores(run, measure):
    path = REAL / "trec_covid_round1" / "expected" / f"{run}.trec_eval-9.0.8.c.all_trec.q.txt"
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    scores = {query: float(value) for name, query, value in lines if name == measure and query != "all"}
    return np.array([scores[query] for query in sorted(scores)])


def test_published_values_to_their_printed_digits(expected):
    published = expected[PUBLISHED]
    ours = differences(CASES["adhoc8_ap 125 vs 126"])
    assert f"{t_test(ours).p_value:.10f}" == f"{published['t'][1]:.10f}" == "0.0013193972"
    assert f"{wilcoxon_test(ours).p_value:.9f}" == f"{published['wilcoxon'][1]:.9f}" == "0.003445188"
    sign = sign_test(ours, minimum_difference=0.01).p_value
    assert f"{sign:.9f}" == f"{published['sign(min_d=.01)'][1]:.9f}" == "0.009559879"


@pytest.mark.parametrize(("test", "published"), [("permutation", "permutation_1e6"), ("bootstrap", "bootstrap_1e6")])
def test_published_resampled_values_within_three_standard_errors(expected, test, published):
    (result,) = paired_tests(differences(CASES["adhoc8_ap 125 vs 126"])[:, np.newaxis], test=test, resamples=200_000)
    target = expected[PUBLISHED][published][1]
    resamples = min(1_000_000, result.resamples or 1_000_000)
    assert abs(result.p_value - target) < 3 * np.sqrt(target * (1 / resamples + 1 / 1_000_000))


@pytest.mark.parametrize("case", CASES)
def test_every_stored_value(expected, case):
    stored, ours = expected[case], differences(CASES[case])
    assert len(ours) == stored["n"]
    assert int((ours == 0).sum()) == stored["zero_differences"]
    assert t_test(ours).p_value == pytest.approx(stored["t_two"], rel=1e-9)
    assert wilcoxon_test(ours).p_value == pytest.approx(stored[WILCOXON], rel=1e-9)
    assert sign_test(ours).p_value == pytest.approx(stored["sign_two(min_d=0.0)"], rel=1e-9)
    minimum = sign_test(ours, minimum_difference=0.01).p_value
    assert minimum == pytest.approx(stored["sign_two(min_d=0.01)"], rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_permutation_is_exact_and_near_a_million_resamples(expected, case):
    (result,) = paired_tests(differences(CASES[case])[:, np.newaxis])
    assert result.exact
    assert abs(result.p_value - expected[case]["permutation_two_1e6"]) < expected[case]["permutation_two_3SE"]


def test_wilcoxon_of_precision_at_ten_hangs_on_rounding(expected):
    """R (and the stored 0.2434) rank 0.3 - 0.2 and 0.1 apart; over whole tenths, p is 0.3008."""
    case = "adhoc8_p10 10 vs 11 (many zero differences)"
    ours = differences(CASES[case])
    assert wilcoxon_test(ours).p_value == pytest.approx(expected[case][WILCOXON], rel=1e-9)
    merged = wilcoxon_test(ours, tie_tolerance=1e-11)
    assert merged == wilcoxon_test(np.rint(ours * 10))
    assert f"{merged.p_value:.4f}" == "0.3008"
