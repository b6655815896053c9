"""What may be believed of a judge: agreement, refusals, the file, and the gate that decides by corrected intervals."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import make_table

from steelyard.errors import InputError
from steelyard.i18n import words_of
from steelyard.reports.gate import reason
from steelyard.stats.agreement import cohen_kappa, kappa_of
from steelyard.stats.belief import Calibrations
from steelyard.stats.calibration import CLAIM, Calibration, JudgeName, column_digest, read_calibration
from steelyard.stats.gate import GateSettings, decide
from steelyard.stats.rules import parse_rule
from steelyard.table import JUDGES, Column, Missing, Signature

HASH = "0123456789abcdef"
JUDGE = JudgeName("claims", HASH, "m")
METRIC = "Faithfulness"


def judged(verdicts, name="new", **fields):
    """A result whose scores a model has judged."""
    signature = Signature.of({"kind": "answers", JUDGES: f"{METRIC}={HASH}", "judge": "claims", "model": "m"})
    return make_table(name, verdicts, metric=METRIC, signature=signature, **fields)


def calibration(labels, verdicts, **fields):
    labels, verdicts = np.array(labels, float), np.array(verdicts, float)
    return Calibration(JUDGE, METRIC, [f"q{row}" for row in range(len(labels))], labels, verdicts, **fields)


def drawn(seed=1, *, items=1000, labelled=200, right=0.8, sensitivity=0.95, specificity=0.85):
    """Truth and verdicts of items, the first of them labelled."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(items) < right).astype(float)
    chances = np.where(truth == 1, sensitivity, 1 - specificity)
    verdicts = (generator.random(items) < chances).astype(float)
    return truth, verdicts, slice(labelled)


def sample(seed=1, design="random", **fields):
    """A judged result, and labels of its first items."""
    truth, verdicts, labelled = drawn(seed, **fields)
    table = judged(verdicts)
    found = calibration(truth[labelled], verdicts[labelled], design=design, result=column_digest(table, METRIC))
    return table, found, truth


def find(rule, table, *calibrations, baseline=None, **settings):
    given = GateSettings(calibrations=Calibrations(calibrations), **settings)
    gate = decide([parse_rule(rule)], table, baseline, given)
    return gate, gate.findings[0]


@given(st.integers(0, 10_000), st.sampled_from([2, 4]), st.integers(5, 80))
def test_kappa_of_values_is_that_of_counts(seed, grades, size):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, grades, size).astype(float)
    verdicts = np.where(generator.random(size) < 0.6, labels, generator.integers(0, grades, size)).astype(float)
    counts = np.zeros((grades, grades))
    np.add.at(counts, (labels.astype(int), verdicts.astype(int)), 1)
    expected = cohen_kappa(counts, weighting="quadratic")
    found = kappa_of(labels, verdicts)
    assert found.value == pytest.approx(expected.value, abs=1e-12, nan_ok=True)
    assert found.interval.low == pytest.approx(expected.interval.low, abs=1e-6, nan_ok=True)  # of a root


def test_kappa_of_scores_is_lins_concordance():
    labels, verdicts = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0.2, 0.3, 0.7, 1.0])
    covariance = ((labels - labels.mean()) * (verdicts - verdicts.mean())).mean()
    gap = (labels.mean() - verdicts.mean()) ** 2
    assert kappa_of(labels, verdicts).value == pytest.approx(2 * covariance / (labels.var() + verdicts.var() + gap))


def test_items_of_one_document_count_once_for_the_interval_of_kappa():
    truth, verdicts, _ = drawn(items=80)
    alone = kappa_of(truth, verdicts).interval
    thrice = kappa_of(np.repeat(truth, 3), np.repeat(verdicts, 3), clusters=np.repeat(np.arange(80), 3)).interval
    assert (thrice.low, thrice.high) == pytest.approx((alone.low, alone.high), abs=0.005)
    assert kappa_of(np.repeat(truth, 3), np.repeat(verdicts, 3)).interval.low > alone.low + 0.05


@pytest.mark.parametrize(
    ("labels", "verdicts", "code"),
    [
        ([1, 0] * 20, [1] * 40, "calibration.uninformative"),  # a constant judge
        ([1, 0] * 20, [0, 1] * 20, "calibration.uninformative"),
        ([1] * 40, [1] * 30 + [0] * 10, "calibration.one_label"),
        ([1, 1, 0, 0], [1, 0, 0, 0], "calibration.kappa_not_above_0"),
        ([1.0], [1.0], "calibration.too_few"),
        ([0, 1, 2, 3] * 10, [2] * 40, "calibration.kappa_not_above_0"),
        ([1, 0] * 20, [1, 0] * 20, None),
    ],
)
def test_a_judge_that_says_nothing_is_refused(labels, verdicts, code):
    refusal = calibration(labels, verdicts).refusal
    assert (refusal and refusal.code) == code


@pytest.mark.parametrize(("size", "counts"), [(6, False), (60, True)])
def test_full_agreement_on_few_labels_is_not_enough(size, counts):
    found = calibration([1, 0] * (size // 2), [1, 0] * (size // 2))
    assert found.kappa.value == 1.0
    assert (found.advisory(0.4) is None) is counts


def test_a_calibration_file_reads_back(tmp_path):
    truth, verdicts, labelled = drawn()
    people = np.vstack([truth[labelled], 1 - truth[labelled]])
    people[0, 3] = np.nan
    clusters = np.arange(200) % 40
    found = calibration(
        truth[labelled], verdicts[labelled], design="random", result="r", people=people, clusters=clusters
    )
    path = tmp_path / "c.json"
    path.write_text(json.dumps(found.as_dict()), "utf-8")
    again = read_calibration(path)
    assert again.as_dict() == found.as_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "report"},
        {"design": "somehow"},
        {"labels": [1.0]},
        {"labels": None},
        {"verdicts": ["a", "b"]},
        {"judge": {"name": "claims"}},
        {"ids": "q0"},
    ],
)
def test_a_faulty_calibration_file_is_refused(tmp_path, change):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**calibration([1, 0], [1, 0]).as_dict(), **change}), "utf-8")
    with pytest.raises(InputError) as error:
        read_calibration(path)
    assert "c.json" in str(error.value)


def test_labels_of_the_same_result_are_corrected_by_ppi_and_others_by_rogan_gladen():
    table, found, truth = sample()
    belief = Calibrations([found]).belief(table, METRIC)
    assert belief.corrected.method == "ppi++"
    assert belief.people.n == 200
    assert belief.corrected.interval.low < truth.mean() < belief.corrected.interval.high
    assert belief.corrected.interval.high - belief.corrected.interval.low < (
        belief.people.interval.high - belief.people.interval.low
    )
    other = judged(drawn(2)[1])
    assert Calibrations([found]).belief(other, METRIC).corrected.method == "rogan-gladen"
    elsewhere = replace(found, design="elsewhere")
    assert Calibrations([elsewhere]).belief(table, METRIC).corrected.method == "rogan-gladen"


def test_chosen_labels_and_graded_labels_from_elsewhere_correct_nothing():
    table, found, _ = sample(design="selected")
    belief = Calibrations([found]).belief(table, METRIC)
    assert (belief.corrected, belief.why.code) == (None, "calibration.selected")
    graded = calibration([0, 1, 2] * 20, [0, 1, 2] * 20)
    assert Calibrations([graded]).belief(table, METRIC).why.code == "calibration.graded"


def test_a_calibration_of_another_judge_is_none():
    table, found, _ = sample()
    other = replace(found, judge=replace(JUDGE, hash="f" * 16))
    belief = Calibrations([other]).belief(table, METRIC)
    assert (belief.calibration, belief.advisory.code) == (None, "calibration.of_other_judge")


def test_a_judge_that_was_not_recorded_is_believed_about_its_own_result_only():
    truth, verdicts, labelled = drawn()
    table, other = (make_table("r", values, metric=METRIC) for values in (verdicts, drawn(2)[1]))
    found = replace(
        calibration(truth[labelled], verdicts[labelled], design="random", result=column_digest(table, METRIC)),
        judge=JudgeName(""),
    )
    given = Calibrations([found])
    assert given.belief(table, METRIC).corrected.method == "ppi++"
    assert given.belief(other, METRIC).why.code == "calibration.unknown_judge"


@pytest.mark.parametrize("settings", [{}, {"allow_inconclusive": True}, {"force": True}])
@pytest.mark.parametrize(
    "rule", [f"{METRIC} >= 0", f"{METRIC} <= 1", f"{METRIC} >= baseline", f"{METRIC} not-worse-by 0.9"]
)
def test_no_judged_metric_passes_without_a_calibration(rule, settings):
    table = judged([1.0] * 50)
    gate, finding = find(rule, table, baseline=replace(table, name="old"), **settings)
    assert (finding.outcome, gate.passed) == ("advisory", False)


@pytest.mark.parametrize(("value", "outcome"), [(1.0, "met"), (0.0, "not met")])
@pytest.mark.parametrize("rule", [f"{METRIC} >= 0.5", f"{METRIC} not-worse-by 0.1"])
def test_a_judge_without_a_calibration_decides_where_that_is_accepted(rule, value, outcome):
    table = judged([value] * 50)
    gate, finding = find(rule, table, baseline=judged([1.0] * 50, "old"), accept_advisory=True)
    assert (finding.outcome, finding.is_accepted, gate.passed) == (outcome, True, outcome == "met")
    for language, words in (("en", "not calibrated"), ("zh", "未校准")):
        assert words in reason(finding, words_of(language))


def test_a_calibrated_judge_below_the_floor_stays_advisory_where_others_are_accepted():
    table, found, _ = sample(sensitivity=0.6, specificity=0.6)
    assert find(f"{METRIC} >= 0", table, found, accept_advisory=True)[1].outcome == "advisory"


def test_parts_and_single_items_of_a_judged_metric_never_pass():
    table, found, _ = sample()
    rules = [f"{METRIC}.quoted >= 0", f"no item of {METRIC} may fall from 1"]
    table = replace(
        table,
        columns={METRIC: replace(table.columns[METRIC], parts={"quoted": np.ones(len(table))})},
    )
    for rule in rules:
        gate, finding = find(rule, table, found, baseline=replace(table, name="old"))
        assert (finding.outcome, gate.passed) == ("advisory", False)


def test_other_metrics_are_decided_as_before():
    table = judged([1.0] * 50)
    table = replace(table, columns={**table.columns, "EM": table.columns[METRIC]})
    gate, finding = find("EM >= 0.9", table)
    assert (finding.outcome, gate.passed) == ("met", True)


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        (f"{METRIC} >= 0.6", "met"),
        (f"{METRIC} >= 0.8", "cannot tell"),
        (f"{METRIC} >= 0.95", "not met"),
        (f"{METRIC} > 0.6", "met"),
        (f"{METRIC} <= 0.95", "met"),
        (f"{METRIC} == 0.8", "cannot tell"),
        (f"{METRIC} == 0.2", "not met"),
    ],
)
def test_a_calibrated_metric_is_decided_by_the_corrected_interval(rule, outcome):
    table, found, _ = sample()
    gate, finding = find(rule, table, found)
    assert finding.outcome == outcome
    assert gate.passed is (outcome == "met")
    assert finding.interval == finding.corrected.interval


def test_a_judge_below_the_floor_is_advisory():
    table, found, _ = sample(sensitivity=0.8, specificity=0.7)
    assert found.refusal is None
    _, finding = find(f"{METRIC} >= 0.1", table, found)
    assert (finding.outcome, finding.advisory.code) == ("advisory", "calibration.kappa_too_low")


def test_a_flattering_judge_does_not_pass_what_people_would_not():
    """The judge calls 95 % right where people call 60 % right."""
    table, found, truth = sample(right=0.6, sensitivity=1.0, specificity=0.75, labelled=300)
    assert table.mean(METRIC) > 0.65 > truth.mean()
    _, finding = find(f"{METRIC} >= 0.65", table, found)
    assert finding.outcome == "not met"


def test_a_difference_is_corrected_by_labels_of_both_results():
    truth, verdicts, labelled = drawn(items=400)
    worse = np.where(np.arange(400) % 4 == 0, 0.0, truth)
    again = np.where(worse == truth, verdicts, 0.0)
    new, old = judged(again), judged(verdicts, "old")
    calibrations = [
        calibration(labels[labelled], of[labelled], design="random", result=column_digest(table, METRIC))
        for labels, of, table in ((worse, again, new), (truth, verdicts, old))
    ]
    _, finding = find(f"{METRIC} >= baseline - 0.05", new, *calibrations, baseline=old)
    assert (finding.outcome, finding.corrected.method) == ("not met", "ppi++")
    assert finding.corrected.estimate == pytest.approx(worse.mean() - truth.mean(), abs=0.05)
    _, finding = find(f"{METRIC} not-worse-by 0.3", new, *calibrations, baseline=old)
    assert finding.outcome == "met"


def test_a_difference_without_labels_of_these_results_is_corrected_by_error_rates():
    _, verdicts, _ = drawn(items=400)
    _, labels_verdicts, labelled = drawn(7)
    elsewhere = calibration(drawn(7)[0][labelled], labels_verdicts[labelled])
    new, old = judged(np.where(np.arange(400) % 4 == 0, 0.0, verdicts)), judged(verdicts, "old")
    _, finding = find(f"{METRIC} >= baseline", new, elsewhere, baseline=old)
    assert (finding.outcome, finding.corrected.method) == ("not met", "rogan-gladen")
    assert finding.corrected.estimate < new.mean(METRIC) - old.mean(METRIC)  # errors hide a part of it


def test_items_of_one_document_widen_the_corrected_interval():
    truth, verdicts, _ = drawn(items=400)
    order = np.argsort(truth)  # documents that are right or wrong as a whole
    truth, verdicts = truth[order], verdicts[order]
    shuffled = np.random.default_rng(3).permutation(400)
    tags = {"document": [f"d{row // 20}" for row in range(400)]}
    table = judged(verdicts, tags=tags)
    chosen = shuffled[:100]
    found = Calibration(
        JUDGE,
        METRIC,
        [table.ids[row] for row in chosen],
        truth[chosen],
        verdicts[chosen],
        "random",
        column_digest(table, METRIC),
    )
    by_item, by_document = (Calibrations([found]).belief(table, METRIC, scope) for scope in ("items", "documents"))
    widths = [each.corrected.interval.high - each.corrected.interval.low for each in (by_item, by_document)]
    assert widths[1] > 1.5 * widths[0]


def test_verdicts_that_the_error_rates_cannot_explain_are_refused():
    """The judge finds 60 % of what is right, and calls 90 % right here."""
    labels, verdicts = [1] * 100 + [0] * 100, [1] * 60 + [0] * 40 + [1] * 5 + [0] * 95
    elsewhere, table = calibration(labels, verdicts), judged([1.0] * 900 + [0.0] * 100)
    gate, finding = find(f"{METRIC} >= 0.999", table, elsewhere, allow_inconclusive=True)
    assert (finding.outcome, finding.advisory.code, gate.passed) == ("advisory", "calibration.inconsistent", False)


def unknown(table, rows):
    """The table without verdicts on some rows."""
    values = np.where(rows, np.nan, table.column(METRIC))
    column = Column(values, rows.astype(np.int64), (Missing("unscored", "?"),), bounds=(0.0, 1.0))
    return replace(table, columns={METRIC: column})


def test_labelled_items_without_a_verdict_are_part_of_the_corrected_mean():
    """The judge does not know 80 of 200 answers, which are wrong."""
    lost = np.arange(200) < 80
    truth = np.where(lost, 0.0, (np.arange(200) % 6 != 0).astype(float))
    table = unknown(judged(truth), lost)
    known = np.flatnonzero(~lost)
    found = Calibration(
        JUDGE,
        METRIC,
        [f"q{row}" for row in known],
        truth[known],
        truth[known],
        "random",
        column_digest(table, METRIC),
        {f"q{row}": 0.0 for row in range(80)},
    )
    belief = Calibrations([found]).belief(table, METRIC)
    assert belief.corrected.estimate == pytest.approx(truth.mean(), abs=0.01)
    _, finding = find(f"{METRIC} >= 0.7", table, found)
    assert finding.outcome == "not met"


def test_many_items_without_verdict_and_label_make_a_metric_advisory():
    table, found, _ = sample()
    lost = np.arange(1000) >= 900
    table = unknown(table, lost)
    found = replace(found, result=column_digest(table, METRIC))
    _, finding = find(f"{METRIC} >= 0.1", table, found)
    assert (finding.outcome, finding.advisory.code) == ("advisory", "calibration.undecided")


def test_the_range_of_unknown_verdicts_is_part_of_the_interval_where_that_is_the_policy():
    table, found, _ = sample()
    parts = {"unknown": np.full(1000, 0.1), "low": table.column(METRIC) * 0.9, "high": np.ones(1000)}
    settings = {**dict(table.signature.settings), "unknown": "range"}
    ranged = replace(
        table,
        columns={METRIC: replace(table.columns[METRIC], parts=parts)},
        signature=Signature.of(settings),
    )
    for result in (column_digest(ranged, METRIC), "of another"):
        found = replace(found, result=result, unit=CLAIM)
        plain, wide = (
            Calibrations([found]).belief(each, METRIC) for each in (replace(ranged, columns=table.columns), ranged)
        )
        assert wide.unknown.policy == "range"
        assert wide.corrected.interval.low <= plain.corrected.interval.low
        assert wide.corrected.interval.high >= plain.corrected.interval.high
    # labels from elsewhere: counted against the answers alone, which is the lower end
    alone = replace(table, columns={METRIC: replace(table.columns[METRIC], values=parts["low"])})
    assert wide.corrected.interval.low <= Calibrations([found]).belief(alone, METRIC).corrected.interval.low
    assert wide.corrected.interval.high == 1.0


def test_a_difference_holds_whichever_way_unknown_verdicts_are_counted():
    table, found, _ = sample()
    settings = Signature.of({**dict(table.signature.settings), "unknown": "range"})

    def ranged(scores):
        parts = {"unknown": np.full(1000, 0.1), "low": scores * 0.9, "high": np.maximum(scores, 0.1)}
        return replace(
            table, columns={METRIC: replace(table.columns[METRIC], values=scores, parts=parts)}, signature=settings
        )

    new = ranged(table.column(METRIC))
    old = ranged(np.where(np.arange(1000) < 100, 0.0, table.column(METRIC)))
    given = Calibrations([replace(found, result="of another", unit=CLAIM)])
    wide = given.difference(new, old, METRIC).interval
    for one, other in (("low", "high"), ("high", "low")):
        newer, older = (
            replace(of, columns={METRIC: replace(of.columns[METRIC], values=of.parts[METRIC][end], parts={})})
            for of, end in ((new, one), (old, other))
        )
        by_itself = given.difference(newer, older, METRIC).interval
        assert wide.low <= by_itself.low
        assert wide.high >= by_itself.high


def test_results_of_two_judges_have_no_corrected_difference():
    new, first, _ = sample(1)
    verdicts = drawn(2)[1]
    old = replace(
        judged(verdicts, "old"),
        signature=Signature.of({"kind": "answers", JUDGES: f"{METRIC}=other", "judge": "claims"}),
    )
    second = replace(first, judge=JudgeName("claims", "other"), result=column_digest(old, METRIC))
    found = Calibrations([first, second]).difference(new, old, METRIC)
    assert found.code == "calibration.other_judge"


def test_the_judge_of_the_baseline_must_count_too():
    new, good, _ = sample(1)
    truth, verdicts, labelled = drawn(5, sensitivity=0.8, specificity=0.7)
    old = judged(verdicts, "old")
    weak = calibration(truth[labelled], verdicts[labelled], design="random", result=column_digest(old, METRIC))
    assert weak.advisory(0.4) is not None
    _, finding = find(f"{METRIC} >= baseline - 0.9", new, good, weak, baseline=old)
    assert finding.outcome == "advisory"


def test_agreement_within_one_document_is_not_enough():
    clusters = np.zeros(40, np.int64)
    found = calibration([1, 0] * 20, [1, 0] * 20, clusters=clusters)
    assert found.advisory(0.4) is not None


def test_the_type_of_the_only_metric_is_that_metric_and_needs_a_calibration_too():
    table, _, _ = sample()
    table = replace(table, tags={"type": ["fact"] * len(table)})
    for rule in ("no item of fact may fall from 1", f"no item of {METRIC} may fall from 1"):
        _, finding = find(rule, table, baseline=table)
        assert finding.outcome == "advisory", rule


def test_a_metric_with_a_dot_is_not_taken_for_a_part():
    name = "Tone.v2"
    table = make_table("new", [1.0, 0.0] * 50, metric=name, parts={name: {"flipped": np.zeros(100)}})
    table = replace(table, signature=Signature.of({"kind": "answers", JUDGES: f"{name}={HASH}", "judge": "tone"}))
    for rule in (f"{name} >= 0.1", f"{name}.flipped <= 0.5"):
        assert find(rule, table)[1].outcome == "advisory", rule


def test_a_judged_baseline_makes_a_rule_advisory_too():
    table, _, _ = sample()
    measured = make_table("measured", table.column(METRIC), metric=METRIC)
    _, finding = find(f"{METRIC} >= baseline", measured, baseline=table, force=True)
    assert finding.outcome == "advisory"


def test_labels_from_elsewhere_correct_only_the_kinds_of_verdicts_that_were_calibrated():
    truth, verdicts, labelled = drawn()
    named = JudgeName("tone", HASH, "m")
    found = replace(calibration(truth[labelled], verdicts[labelled]), judge=named, metric="Tone")
    signature = Signature.of({"kind": "answers", JUDGES: f"Tone={HASH}", "judge": "tone", "model": "m"})
    graded = make_table("new", [0.75, 0.5] * 100, metric="Tone", signature=signature)
    belief = Calibrations([found]).belief(graded, "Tone")
    assert (belief.corrected, belief.why.code) == (None, "calibration.graded")
    shares = judged([0.75, 0.5] * 100)  # means of the verdicts on the claims of an answer
    answers, claims = (calibration(truth[labelled], verdicts[labelled], unit=unit) for unit in ("", CLAIM))
    assert Calibrations([answers]).belief(shares, METRIC).why.code == "calibration.graded"
    assert Calibrations([claims]).belief(shares, METRIC).corrected is not None


def test_few_labels_do_not_count():
    found = calibration([1, 0] * 14, [1, 0] * 14)
    assert found.advisory(0.0).code == "calibration.few_labels"


def test_a_tie_between_two_people_leaves_sensitivity_and_specificity():
    labels = np.array([1.0, 0.0] * 60)
    people = np.vstack([labels, labels])
    people[1, 0] = 0.0
    found = calibration(people.mean(axis=0), labels, people=people)
    assert found.is_binary
    assert (found.sensitivity, found.specificity) == ((59, 59), (60, 60))


@pytest.mark.parametrize(
    "change",
    [
        {"ids": [], "labels": [], "verdicts": []},
        {"ids": ["q0"] * 200},
        {"people": [[1.0]]},
        {"people": [["x"] * 200]},
        {"clusters": [1]},
        {"clusters": [10**30] * 200},
        {"judge": {"name": "a", "hash": "b", "model": "c", "more": 5, "hash2": []}, "labels": [1.0]},
        {"labels": [None] * 200},
        {"kind": "gate"},
    ],
)
def test_a_calibration_that_was_edited_is_one_error(tmp_path, change):
    _, found, _ = sample()
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**found.as_dict(), **change}), "utf-8")
    with pytest.raises(InputError) as refused:
        read_calibration(path)
    assert refused.value.where == str(path)
