"""As many resamples as a family needs, letters or the reason why there are none, and errors of the first kind."""

from itertools import combinations

import numpy as np
import pytest
from rendering import render_console, render_latex
from tables import make_table

import steelyard
from steelyard.reports.sections.leaderboard import letters_by_metric
from steelyard.stats.compare import ComparisonSettings, compare_pairs
from steelyard.stats.resampling import resamples_for

TOPICS = 40  # more than can be enumerated


def runs(count, *, step, noise=0.05, metrics=("AP",), seed=3):
    """Invented results; each is worse than the one before by `step`."""
    source = np.random.default_rng(seed)
    topics = source.uniform(0.4, 0.6, TOPICS)
    values = [
        {metric: topics - step * number + source.normal(0, noise, TOPICS) for metric in metrics}
        for number in range(count)
    ]
    return [make_table(f"s{number:02}", each, bounds=None) for number, each in enumerate(values)]


@pytest.mark.parametrize(
    ("tests", "resamples"), [(1, 10_000), (100, 10_000), (101, 100_000), (528, 100_000), (2_640, 1_000_000)]
)
def test_a_family_needs_so_many_resamples(tests, resamples):
    assert resamples_for(tests, 0.05) == resamples
    assert tests / (resamples + 1) < 0.05 / 4


@pytest.mark.slow
def test_a_large_family_is_drawn_again_where_p_is_at_its_floor():
    tables = runs(16, step=0.01)  # 120 pairs
    found = compare_pairs(tables, ComparisonSettings())
    few = compare_pairs(tables, ComparisonSettings(resamples=10_000))
    many = compare_pairs(tables, ComparisonSettings(resamples=100_000))
    assert {each.resamples for each in found} == {10_000, 100_000}
    for each, rough, fine in zip(found, few, many, strict=True):
        assert each.p_value == (rough if each.resamples == 10_000 else fine).p_value  # to the last digit
        assert (each.resamples == 100_000) is (round(rough.p_value * 10_001) <= 10)
        assert each.smallest_p == 1 / 100_001


def test_a_small_family_keeps_its_numbers():
    tables = runs(4, step=0.03, metrics=("AP", "P@5"))
    found, given = (compare_pairs(tables, ComparisonSettings(resamples=given)) for given in (None, 10_000))
    assert [each.p_adjusted for each in found] == [each.p_adjusted for each in given]
    assert {each.resamples for each in found} == {10_000}


@pytest.mark.slow
def test_letters_or_the_reason_why_there_are_none():
    tables = runs(33, step=0.03, noise=0.02)
    by_need = steelyard.compare(*tables)
    assert len(set(by_need.letters["AP"].values())) > 20
    assert by_need.letters_notes == {}
    too_few = steelyard.compare(*tables, resamples=10_000)
    reason = "No letters for AP: this number of resamples rules out that differences are significant; set "
    assert too_few.letters == {"AP": None}
    assert too_few.letters_notes == {"AP": f"{reason}resamples=100000."}
    for text in (render_console(too_few.outcome), render_latex(too_few.outcome)):
        assert "rules out that differences are significant" in text.replace("\n", " ")
    assert "--resamples 100000" in render_console(too_few.outcome)


def test_results_that_all_differ_have_letters_of_their_own():
    found = steelyard.compare(*runs(8, step=0.1, noise=0.01))
    assert list(found.letters["AP"].values()) == list("abcdefgh")
    assert "letters" in render_console(found.outcome)


def test_each_metric_may_be_a_family():
    tables = runs(3, step=0.01, metrics=("AP", "P@5"))
    apart = steelyard.compare(*tables, family="metric")
    for metric in ("AP", "P@5"):
        alone = steelyard.compare(*tables, metrics=metric)
        assert [each.p_adjusted for each in apart if each.metric == metric] == [each.p_adjusted for each in alone]
        assert apart.letters[metric] == alone.letters[metric]
    assert {each.as_dict()["family"] for each in apart} == {"metric"}
    assert "correction: holm (2 for each metric)" in render_console(apart.outcome)
    with pytest.raises(steelyard.SteelyardError, match="'metrics'"):
        steelyard.compare(*tables, family="metrics")


def test_a_mark_beside_a_shared_letter_is_explained():
    source = np.random.default_rng(3)
    base = source.uniform(0.4, 0.6, TOPICS)
    worse = base - 0.02 + source.normal(0, 0.052, TOPICS)  # p between 0.05 / 7 and 0.05 / 28
    same = [make_table(f"t{n}", base + source.normal(0, 0.05, TOPICS), metric="AP") for n in range(6)]
    found = steelyard.compare(make_table("base", base, metric="AP"), make_table("worse", worse, metric="AP"), *same)
    letters = found.letters["AP"]
    is_shared = bool(set(letters["base"]) & set(letters["worse"]))
    assert (found[0].significant, is_shared) == (True, True)
    assert "compare each result with base (7 tests); letters compare every two (28 tests)" in " ".join(
        render_console(found.outcome).split()
    )


def test_an_interval_and_a_test_that_disagree_are_explained():
    new = np.array([0.31, 0.46, -0.41, 0.07, 0.3, 0.37, 0.23, 0.4, 0.16, 0.21, 0.14, -0.11])
    compared = steelyard.compare(make_table("old", np.zeros(12), bounds=None), make_table("new", new, bounds=None))
    (found,) = compared
    assert (found.interval.low < 0, found.significant, found.disagrees) == (True, True, True)
    text = render_console(compared.outcome)
    assert "better (interval and test are two methods; the p value decides)" in text
    clear = steelyard.compare(make_table("old", np.zeros(12), bounds=None), make_table("new", new + 0.5, bounds=None))
    assert "two methods" not in render_console(clear.outcome)


@pytest.mark.slow
def test_equal_systems_have_different_letters_in_no_more_than_alpha_of_families():
    """Six systems of which none is better, 150 times: a difference, or two letters, in at most 5 % (+ 2 errors)."""
    wrong = {"pairs": 0, "baseline": 0, "letters": 0}
    for seed in range(150):
        tables = runs(6, step=0.0, seed=seed)
        found = steelyard.compare(*tables, resamples=999)
        wrong["baseline"] += any(each.significant for each in found)
        wrong["pairs"] += any(each.significant for each in found.outcome.pairs)
        letters = letters_by_metric(found.outcome)["AP"] or {}
        wrong["letters"] += any(not set(letters[a]) & set(letters[b]) for a, b in combinations(letters, 2))
    assert max(wrong.values()) <= 150 * (0.05 + 2 * np.sqrt(0.05 * 0.95 / 150))
    assert wrong["letters"] == wrong["pairs"]


@pytest.mark.slow
def test_drawing_again_keeps_the_error_of_a_single_test():
    """True differences of 0 in families of 105: p <= u in no more than u of them."""
    p_values: list[float] = []
    for seed in range(20):
        pairs = compare_pairs(runs(15, step=0.0, seed=seed), ComparisonSettings())  # 105 pairs
        p_values.extend(each.p_value for each in pairs)
    for level in (0.001, 0.01, 0.05, 0.2):
        share = np.mean(np.array(p_values) <= level)
        assert share <= level + 4 * np.sqrt(level * (1 - level) / (20 * 14))  # 14 independent differences in each


def test_a_gate_that_cannot_tell_says_what_decides_it():
    new, old = runs(2, step=0.002)
    found = steelyard.gate(new, ["AP >= baseline"], baseline=old)
    assert found.findings[0].outcome == "cannot tell"
    assert "Rules are decided one by one, by the interval of the difference" in str(found)
    assert "one by one" not in str(steelyard.gate(new, ["AP >= 0.1"]))
