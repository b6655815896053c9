"""What a calibration finds in ten items, by hand; rates of clusters; what is believed in another scope or level."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tables import make_table

from steelyard.stats.agreement import alpha_interval, cohen_kappa, gwet_ac1, krippendorff_alpha
from steelyard.stats.alt_test import alt_test
from steelyard.stats.belief import Calibrations
from steelyard.stats.calibration import CLAIM, Calibration, JudgeName, column_digest, read_calibration
from steelyard.stats.corrected import ppi_difference, rogan_gladen_difference
from steelyard.stats.gate import GateSettings, decide
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.ranks import SystemAgreement
from steelyard.stats.rules import parse_rule
from steelyard.table import JUDGES, Column, Missing, Signature

JUDGE = JudgeName("claims", "0123456789abcdef", "m")
METRIC = "Faithfulness"
# both say yes of 4 and no of 3; 1 is right for people alone, 2 are for the judge alone
LABELS, VERDICTS = np.array([1.0] * 5 + [0.0] * 5), np.array([1.0] * 4 + [0.0] + [1.0] * 2 + [0.0] * 3)


def calibration(labels, verdicts, **fields):
    labels, verdicts = np.array(labels, float), np.array(verdicts, float)
    return Calibration(JUDGE, METRIC, [f"q{row}" for row in range(len(labels))], labels, verdicts, **fields)


def judged(verdicts, name="new", **fields):
    signature = Signature.of({"kind": "answers", JUDGES: f"{METRIC}={JUDGE.hash}", "judge": "claims", "model": "m"})
    return make_table(name, verdicts, metric=METRIC, signature=signature, **fields)


def test_figures_by_hand():
    ranks = SystemAgreement(0.5, Interval(0.25, 0.75, "bootstrap"), math.nan, Interval(-1.0, 1.0, "bootstrap"), True)
    people = np.vstack([LABELS, VERDICTS])
    found = calibration(LABELS, VERDICTS, unknown={"x": 1.0, "y": 0.0}, people=people, systems=ranks).figures()
    # as in test_agreement.test_kappa_by_hand, with 10 items in the place of 50
    half = 1.959963984540054 * math.sqrt((0.10972 + 0.10188 - 0.01) / 2.5)
    # 6 of 20 ratings are in pairs that differ, 11 say yes and 9 no: 1 - 19 * 6 / (2 * 99)
    ends = alpha_interval(people)
    alpha = {"value": 1 - 19 * 6 / 198, "ci95": [ends.low, ends.high]}
    ac1 = gwet_ac1(np.array([[3, 2], [1, 4]]))  # by chance 2 * 0.55 * 0.45 = 0.495
    assert ac1.value == pytest.approx((0.7 - 0.495) / (1 - 0.495))
    expected = {
        "n": 10,
        "kappa": {"value": 0.4, "ci95": [0.4 - half, 0.4 + half], "lower": 0.4 - half},
        "kappa_unweighted": None,
        "alpha": alpha,
        "ac1": {"value": ac1.value, "ci95": [ac1.interval.low, ac1.interval.high]},
        "agreement": 0.7,
        "constant_guess": 0.5,
        "people_mean": 0.5,
        "judge_mean": 0.6,
        "sensitivity": [4, 5],
        "specificity": [3, 5],
        "threshold": 1.0,
        "rho2": (4 * 3 - 1 * 2) ** 2 / (5 * 5 * 6 * 4),
        "unknown": 2,
        "unknown_people_mean": 0.5,
        "refused": "kappa_not_above_0",
        "alt_test": {"winning_rate": None, "advantage": None, "passes": False},
        "between_people": {"alpha": alpha["value"], "ci95": alpha["ci95"]},
        "systems": {"tau": 0.5, "tau_ci95": [0.25, 0.75], "tau_ap": None, "tau_ap_ci95": [-1, 1], "same_best": True},
    }
    assert rounded(found) == rounded(expected)


def rounded(content):
    return json.loads(json.dumps(content), parse_float=lambda digits: round(float(digits), 9))


def test_grades_have_a_kappa_without_weights_and_the_alpha_of_numbers():
    labels, verdicts = np.array([0.0, 1, 2, 2, 1, 0, 2, 1]), np.array([0.0, 1, 2, 1, 1, 0, 2, 2])
    found = calibration(labels, verdicts, people=np.vstack([labels, verdicts]))
    assert found.exact_kappa == cohen_kappa(np.array([[2, 0, 0], [0, 2, 1], [0, 1, 2]]))
    as_numbers = krippendorff_alpha(np.vstack([labels, verdicts]), level="interval")
    assert found.alpha[0] == found.between_people[0] == as_numbers
    assert found.alpha[1] == alpha_interval(np.vstack([labels, verdicts]), level="interval")
    assert (found.line, found.figures()["sensitivity"], found.figures()["specificity"]) == (None, None, None)


def test_people_are_compared_by_distance_where_there_are_scores():
    people = np.random.default_rng(3).random((3, 40))
    scores, grades = (calibration(each.mean(axis=0), each[0], people=each) for each in (people, people.round()))
    assert scores.alt_test == alt_test(people[0], people, metric="rmse")
    assert grades.alt_test == alt_test(people.round()[0], people.round(), metric="accuracy")
    assert scores.alt_test.p_values != alt_test(people[0], people, metric="accuracy").p_values


@pytest.mark.parametrize(("right", "by_chance"), [(30, 0.5), (45, 0.625)])
def test_where_all_agree_the_bound_of_kappa_is_that_of_the_agreement(right, by_chance):
    # agreement of 60 of 60 is at least 0.025^(1/60) (Clopper and Pearson 1934)
    labels = [1] * right + [0] * (60 - right)
    found = calibration(labels, labels)
    assert found.least_kappa == pytest.approx((0.025 ** (1 / 60) - by_chance) / (1 - by_chance))
    assert found.advisory(found.least_kappa).code == "calibration.kappa_too_low"  # must lie above
    assert found.advisory(found.least_kappa - 1e-9) is None


@pytest.mark.parametrize(
    ("labels", "verdicts", "of_whole"),
    [([1, 0], [0.5, 0.25], True), ([1, 0], [1, 0], False), ([2, 0], [0.5, 1], False), ([1, 0], [1.5, 0.5], False)],
)
def test_labels_of_whole_answers(labels, verdicts, of_whole):
    assert calibration(labels, verdicts).is_of_whole is of_whole


def test_rates_of_copied_items_are_those_of_single_ones():
    """The variance over n clusters is s (1 - s) / (n - 1), that of 3n items s (1 - s) / 3n: n - 1 independent items."""
    copied = calibration(np.repeat(LABELS, 3), np.repeat(VERDICTS, 3), clusters=np.repeat(np.arange(10), 3))
    assert copied.rate(right=True) == pytest.approx((0.8 * 4, 4))
    assert copied.rate(right=False) == pytest.approx((0.6 * 4, 4))
    # one hit and one miss in each cluster vary less than by chance, and count as so many items
    opposed = calibration([1, 1, 1, 1, 0, 0], [1, 0, 1, 0, 0, 1], clusters=np.array([0, 0, 1, 1, 2, 2]))
    assert opposed.rate(right=True) == (2, 4)
    # nothing varies: a cluster counts as one item
    equal = calibration([1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, 1], clusters=np.array([0, 0, 1, 1, 2, 2]))
    assert equal.rate(right=True) == (2, 2)


def test_all_that_a_calibration_was_given_reads_back(tmp_path):
    found = calibration(LABELS, VERDICTS, unknown={"x": 1.0}, threshold=0.5, unit=CLAIM, result="r", design="selected")
    (tmp_path / "c.json").write_text(json.dumps(found.as_dict()), "utf-8")
    again = read_calibration(tmp_path / "c.json")
    assert (again.threshold, again.unit, again.unknown, again.design) == (0.5, CLAIM, {"x": 1.0}, "selected")
    assert (again.judge, again.metric, again.people, again.clusters) == (JUDGE, METRIC, None, None)
    assert len(column_digest(judged(VERDICTS), METRIC)) == 16


DOCUMENTS = {"document": [f"d{row // 4}" for row in range(80)]}


def test_means_of_verdicts_and_labels_vary_by_document():
    scores, groups = np.tile(VERDICTS, 8), np.arange(80) // 4
    table = judged(scores, tags=DOCUMENTS)
    found = replace(calibration(1 - scores[:40], scores[:40]), design="random", result=column_digest(table, METRIC))
    belief = Calibrations([found]).belief(table, METRIC, "documents", level=0.8)
    assert (belief.judge, belief.metric, belief.without, belief.unknown) == (JUDGE, METRIC, 0, None)
    assert belief.raw.interval == mean_interval(scores, clusters=groups, level=0.8)
    assert belief.people.interval == mean_interval(1 - scores[:40], clusters=groups[:40], level=0.8)


def test_a_column_that_nothing_is_known_of():
    belief = Calibrations().belief(make_table("r", VERDICTS, metric=METRIC), METRIC)
    assert (belief.judge, belief.people, belief.corrected) == (JudgeName(""), None, None)
    assert (belief.why.code, belief.advisory.code) == ("calibration.none", "calibration.none")


@pytest.mark.parametrize("design", ["random", "elsewhere"])
def test_corrected_intervals_are_of_the_level(design):
    scores = np.tile(VERDICTS, 8)
    new, old = judged(scores), judged(np.where(np.arange(80) % 7 == 0, 0.0, scores), "old")
    labels = np.tile(LABELS, 8)[:60]
    given = Calibrations(
        [
            calibration(labels, table.column(METRIC)[:60], design=design, result=column_digest(table, METRIC))
            for table in (new, old)
        ]
    )
    for found in (
        lambda level: given.belief(new, METRIC, level=level).corrected,
        lambda level: given.difference(new, old, METRIC, level=level),
    ):
        wide, narrow = found(0.95).interval, found(0.5).interval
        assert wide.low < narrow.low <= narrow.high < wide.high


def test_a_difference_has_the_labels_of_items_without_a_verdict():
    """Every item has a label in both results: the difference is that of the labels, whatever the judge knows."""
    lost, truth = np.arange(40) < 8, np.tile([1.0, 1.0, 0.0, 1.0], 10)
    truths = {"new": truth, "old": np.where(np.arange(40) % 5 == 0, 0.0, truth)}
    tables, given = [], []
    for name, labels in truths.items():
        column = Column(np.where(lost, np.nan, labels), lost.astype(np.int64), (Missing("unscored", "?"),))
        table = replace(judged(labels, name), columns={METRIC: replace(column, bounds=(0.0, 1.0))})
        known = Calibration(
            JUDGE, METRIC, table.ids[8:], labels[8:], labels[8:], "random", column_digest(table, METRIC)
        )
        tables.append(table)
        given.append(replace(known, unknown=dict(zip(table.ids[:8], labels[:8].tolist(), strict=True))))
    new, old = tables
    found = Calibrations(given).difference(new, old, METRIC)
    assert found.estimate == pytest.approx(truth.mean() - truths["old"].mean())


def test_a_difference_has_labels_of_the_items_that_people_labelled_in_both_results():
    scores = np.tile(VERDICTS, 8)
    tables = [judged(scores, "new"), judged(np.roll(scores, 3), "old")]
    truths = [np.where(np.arange(80) % 5 == 0, 1 - table.column(METRIC), table.column(METRIC)) for table in tables]
    given = [
        Calibration(
            *(JUDGE, METRIC, table.ids[rows], truth[rows], table.column(METRIC)[rows]),
            *("random", column_digest(table, METRIC)),
        )
        for table, truth, rows in zip(tables, truths, (slice(0, 40), slice(10, 60)), strict=True)
    ]
    both = np.isin(np.arange(80), np.arange(10, 40))
    newer, older = (table.column(METRIC) for table in tables)
    found = Calibrations(given).difference(tables[0], tables[1], METRIC)
    assert found == ppi_difference(
        (truths[0][both], truths[1][both]), (newer[both], older[both]), (newer[~both], older[~both]), bounds=(0.0, 1.0)
    )


def test_items_without_a_verdict_count_in_both_ways_where_that_is_the_policy():
    """The judge cannot tell of the first 8 of 80 items, and the last one failed: it counts in neither way."""
    lost, failed, scores = np.arange(80) < 8, np.arange(80) == 79, np.tile(VERDICTS, 8)
    ends = {
        end: np.where(failed, np.nan, np.where(lost, value, scores)) for end, value in (("low", 0.0), ("high", 1.0))
    }
    settings = {**dict(judged(scores).signature.settings), "unknown": "range"}
    missing = lost | failed
    column = Column(np.where(missing, np.nan, scores), missing.astype(np.int64), (Missing("unscored", "?"),))
    column = replace(column, parts={"unknown": lost.astype(np.float64), **ends}, bounds=(0.0, 1.0))
    table = replace(judged(scores), columns={METRIC: column}, signature=Signature.of(settings))
    given = Calibrations([calibration(np.tile(LABELS, 8), np.tile(VERDICTS, 8))], least_kappa=0.0)
    found = given.belief(table, METRIC)
    low, high = (given.belief(judged(values[:79]), METRIC) for values in ends.values())
    assert found.unknown[:3] == (8, low.raw.value, high.raw.value)
    assert found.corrected.estimate == given.belief(judged(scores[8:79]), METRIC).corrected.estimate
    interval = found.corrected.interval
    assert (interval.low, interval.high) == (low.corrected.interval.low, high.corrected.interval.high)
    assert found.without == 9
    assert found.advisory is None  # 1 of 80 is undecided
    counted = replace(table, signature=Signature.of({**settings, "unknown": "left_out"}))
    assert given.belief(counted, METRIC).advisory.args["share"] == "11"


def test_a_difference_by_error_rates_varies_by_document():
    new, old = (
        judged(np.roll(np.tile(VERDICTS, 8), shift), name, tags=DOCUMENTS) for shift, name in ((0, "n"), (3, "o"))
    )
    differences = new.column(METRIC) - old.column(METRIC)
    few = calibration(LABELS, VERDICTS)
    assert Calibrations([few]).difference(new, old, METRIC).code == "calibration.kappa_not_above_0"
    known = calibration(np.tile(LABELS, 8), np.tile(VERDICTS, 8))
    rates = {"sensitivity": known.rate(right=True), "specificity": known.rate(right=False)}
    found = Calibrations([known]).difference(new, old, METRIC, "documents")
    assert found == rogan_gladen_difference(differences, **rates, clusters=np.arange(80) // 4)


def labelled(*tables):
    """Calibrations by labels of the first 60 items, where people deny every fifth verdict."""
    denied = np.arange(60) % 5 == 0
    return Calibrations(
        [
            calibration(
                np.where(denied, 1 - table.column(METRIC)[:60], table.column(METRIC)[:60]),
                table.column(METRIC)[:60],
                design="random",
                result=column_digest(table, METRIC),
            )
            for table in tables
        ]
    )


def test_a_rule_is_about_its_items_in_its_scope():
    scores = np.tile(VERDICTS, 8)
    tags = {**DOCUMENTS, "type": ["late" if row >= 30 else "early" for row in range(80)]}
    new, old = judged(scores, tags=tags), judged(np.where(np.arange(80) % 7 == 0, 0.0, scores), "old", tags=tags)
    given = labelled(new, old)
    settings = GateSettings(units="documents", calibrations=given)
    rules = [f"{METRIC}[type=late] >= 0.1", f"{METRIC} >= baseline - 1", f"{METRIC} not-worse-by 0.9"]
    threshold, relative, not_worse = decide(list(map(parse_rule, rules)), new, old, settings).findings
    late = new.take(np.arange(30, 80))
    assert threshold.corrected == given.belief(new, METRIC, "documents", chosen=late).corrected
    assert threshold.corrected != given.belief(new, METRIC, "documents").corrected
    assert relative.corrected == given.difference(new, old, METRIC, "documents")
    assert not_worse.corrected == given.difference(new, old, METRIC, "documents", level=0.9)
    assert relative.interval.method == "clustered guarded ppi++"
