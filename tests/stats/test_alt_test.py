"""The alternative annotator test against its authors' numbers and a second way.

All 52 rows of the notebook of nitaytech/AltTest (18428b1) come out as printed from the data there, which is not here;
the numbers below are those of its `alt_test` on samples that can be drawn again.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from steelyard.stats.alt_test import alt_test


def sample(seed, people, items, metric):
    """Labels of people who are right more or less often, a quarter of them missing, and of a judge."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(items) * 5).astype(int)

    def noisy(share):
        return np.where(generator.random(items) < share, truth, (generator.random(items) * 5).astype(int)).astype(float)

    labels = np.array([noisy(0.4 + 0.1 * person) for person in range(people)])
    judge = noisy(0.7)
    if metric == "rmse":
        labels = labels + np.floor(8 * generator.random(labels.shape)) / 8
        judge = judge + np.floor(8 * generator.random(items)) / 8
    labels[generator.random(labels.shape) < 0.25] = math.nan
    return judge, labels


@pytest.mark.parametrize(
    ("drawn", "epsilon", "rates", "p_values"),
    [
        (
            *((1, 3, 80, "accuracy"), 0.2, (1.0, 0.8612313612313612)),
            [4.89503271136714e-06, 0.0020809767065668168, 0.002269762185403621],
        ),
        (
            *((2, 5, 60, "accuracy"), 0.15, (1.0, 0.9394730367374452)),
            [2.014937851640405e-05, 9.224591460805e-05, 6.851814526771e-07, 0.00010312396228172, 0.0028933081027172],
        ),
        (
            *((3, 5, 120, "rmse"), 0.1, (0.0, 0.5421771479821199)),
            [0.012388522890355257, 0.020633347592822936, 0.3877186111125991, 0.11721209477703129, 0.5134256652475373],
        ),
        (
            *((4, 4, 45, "rmse"), 0.2, (0.0, 0.5094742063492064)),
            [0.09288380534477307, 0.19446750278309677, 0.14716575991989816, 0.5],
        ),
    ],
)
def test_numbers_of_the_authors(drawn, epsilon, rates, p_values):
    found = alt_test(*sample(*drawn), epsilon=epsilon, metric=drawn[-1])
    assert (found.winning_rate, found.advantage) == pytest.approx(rates, abs=1e-12)
    assert found.p_values == pytest.approx(p_values, rel=1e-9)
    assert found.passes is (rates[0] >= 0.5)


def by_hand(judge, people, epsilon, metric):
    """p, items and advantage of each person, item by item."""
    rows = []
    for person in range(len(people)):
        wins, differences = [], []
        for item in range(people.shape[1]):
            own, others = people[person, item], np.delete(people[:, item], person)
            others = others[~np.isnan(others)]
            if np.isnan(own) or not len(others) or np.isnan(judge[item]):
                continue
            if metric == "accuracy":
                of_judge, of_person = np.mean(others == judge[item]), np.mean(others == own)
            else:
                of_judge, of_person = (-np.round(np.mean((others - each) ** 2), 9) for each in (judge[item], own))
            wins.append(of_judge >= of_person)
            differences.append(float(of_person >= of_judge) - float(of_judge >= of_person))
        p_value = ttest_1samp(differences, epsilon, alternative="less").pvalue if len(wins) >= 30 else math.nan
        rows.append((p_value, len(wins), np.mean(wins)))
    return rows


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(35, 70), st.sampled_from(["accuracy", "rmse"]))
@settings(max_examples=30)
def test_each_person_item_by_item(seed, people, items, metric):
    judge, labels = sample(seed, people, items, metric)
    judge[seed % items] = math.nan
    found = alt_test(judge, labels, metric=metric)
    expected = by_hand(judge, labels, 0.2, metric)
    assert found.n == tuple(items for _, items, _ in expected)
    assert found.p_values == pytest.approx([p for p, _, _ in expected], nan_ok=True, rel=1e-8)
    tested = [(p, share) for p, _, share in expected if not math.isnan(p)]
    if tested:
        rejected = false_discovery_control([p for p, _ in tested], method="by") <= 0.05
        assert found.winning_rate == pytest.approx(rejected.mean())
        assert found.advantage == pytest.approx(np.mean([share for _, share in tested]))


def test_a_judge_that_is_always_right_and_one_that_never_is():
    people = np.tile((np.arange(40) % 3).astype(float), (3, 1))
    same = alt_test(people[0], people)
    assert (same.winning_rate, same.advantage, same.passes) == (1, 1, True)  # all items tie, 0 < epsilon
    assert same.p_values == (0, 0, 0)
    for metric in ("accuracy", "rmse"):
        wrong = alt_test(people[0] + 1, people, metric=metric)
        assert (wrong.winning_rate, wrong.advantage, wrong.passes, wrong.p_values) == (0, 0, False, (1, 1, 1))


def test_half_of_the_people_are_enough():
    # the judge agrees with the first two, who agree with each other; the last two agree with nobody
    right = np.zeros(40)
    people = np.array([right, right, right + 1, right + 2])
    found = alt_test(right, people, epsilon=0.0)
    assert (found.winning_rate, found.passes) == (0.5, True)


def test_a_judge_that_ties_every_item_is_not_better_by_a_margin_of_nought():
    people = np.tile((np.arange(40) % 3).astype(float), (3, 1))
    same = alt_test(people[0], people, epsilon=0)  # the mean difference is 0, which is not below 0
    assert same.p_values == (1, 1, 1)
    assert (same.winning_rate, same.advantage, same.passes) == (0, 1, False)


def test_distances_that_differ_by_rounding_are_equal():
    people = np.tile([[2.8], [2.9], [2.8]], (1, 40))  # 2.9 and 2.7 are as far from 2.8
    assert alt_test(np.full(40, 2.7), people, metric="rmse").p_values[1] == 0


def test_too_little_to_compare():
    people = np.tile(np.arange(29.0), (3, 1))
    found = alt_test(np.arange(29.0), people)
    assert math.isnan(found.winning_rate)
    assert math.isnan(found.advantage)
    assert not found.passes
    assert found.n == (29, 29, 29)
    alone = alt_test(np.zeros(50), np.array([[0.0] * 50, [math.nan] * 50]))
    assert alone.n == (0, 0)
    assert alt_test([], np.empty((2, 0))).n == (0, 0)


def test_refusals():
    with pytest.raises(ValueError, match="3 verdicts"):
        alt_test([1, 2, 3], np.ones((2, 4)))
    with pytest.raises(ValueError, match="q must be"):
        alt_test([1], np.ones((2, 1)), q=0)
