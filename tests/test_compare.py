import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from rendering import render_console
from tables import make_table, table_of

import steelyard
from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.reports.content import compare_results
from steelyard.stats.compare import ComparisonSettings, compare_all, compare_each
from steelyard.stats.power import items_needed, smallest_detectable
from steelyard.table import Missing, Signature

table = partial(make_table, bounds=None)


def test_the_newer_comes_first_and_the_difference_is_new_minus_old():
    (found,) = steelyard.compare(table("old", [0, 1, 0, 0]), table("new", [1, 1, 1, 0]))
    assert (found.a, found.b, found.n, found.a_mean, found.b_mean) == ("new", "old", 4, 0.75, 0.25)
    assert found.difference == 0.5
    # two of four items differ, both one way: of the four sign flips two are as extreme
    assert (found.p_value, found.exact, found.significant) == (0.5, True, False)
    assert (found.wins, found.losses, found.as_dict()["ties"]) == (2, 0, 2)


def test_what_json_has_of_a_comparison():
    # six of six items rise: p is 2 / 2^6, which no six differences can be below; more are not needed
    old, new = table("old", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), table("new", [0.2, 0.4, 0.6, 0.5, 0.7, 0.9])
    (found,) = steelyard.compare(old, new, test="sign", seed=7)
    content = found.as_dict()
    assert {name: content[name] for name in ("a", "b", "metric", "n", "test", "seed", "exact", "resamples")} == {
        **{"a": "new", "b": "old", "metric": "F1", "n": 6},
        **{"test": "sign", "seed": 7, "exact": True, "resamples": None},
    }
    assert (content["p_value"], content["p_adjusted"], content["significant"]) == (2 / 64, 2 / 64, True)
    assert (content["correction"], content["alpha"], content["needed"]) == ("holm", 0.05, None)
    assert content["diff"] == pytest.approx(0.2)


def test_differences_that_tie_but_for_rounding_have_ranks_of_their_own_for_wilcoxon():
    # 0.3 - 0.2 < 0.1 < 0.4 - 0.3 in floats: R has ranks 1, 2, 3, where other tests see three equal differences
    (found,) = steelyard.compare(table("old", [0.2, 0.1, 0.3]), table("new", [0.3, 0.0, 0.4]), test="wilcoxon")
    # the ranks of what rises sum to 4, half a rank nearer to 3; their variance is 3 * 4 * 7 / 24, ties would take 0.5
    assert found.p_value == pytest.approx(math.erfc(0.5 / math.sqrt(3.5) / math.sqrt(2)))


@pytest.mark.parametrize("settings", [{"resamples": 0}, {"alpha": 0.0}, {"alpha": 1.0}])
def test_settings_have_a_range(settings):
    with pytest.raises(ConfigError):
        ComparisonSettings(**settings)
    assert ComparisonSettings(resamples=1).resamples == 1


def test_items_are_paired_by_id_not_by_place():
    new = table("new", [3, 2, 1], ids=["c", "b", "a"])
    old = table("old", [1, 2, 3], ids=["a", "b", "c"])
    (found,) = steelyard.compare(old, new)
    assert (found.difference, found.p_value) == (0.0, 1.0)


def test_items_scored_in_only_one_are_left_out_and_counted():
    gap = {"reasons": (Missing("unscored", "no reference"),), "status": {"F1": np.array([0, 0, 1])}}
    new = table("new", [1, 1, np.nan], **gap)
    old = table("old", [0, 1, 1, 1], ids=["q0", "q1", "q2", "q9"])
    (found,) = steelyard.compare(old, new)
    assert (found.n, found.unpaired, found.a_mean, found.b_mean) == (2, 2, 1.0, 0.5)


def test_all_tests_of_all_systems_are_one_family():
    source = np.random.default_rng(1)
    old = table("old", source.random(30))
    systems = [table(f"s{n}", old.column("F1") + source.normal(0.05 * n, 0.1, 30)) for n in range(4)]
    found = compare_all(systems, old, ComparisonSettings(correction="bonferroni"))
    assert [c.p_adjusted for c in found] == pytest.approx([min(1.0, 4 * c.p_value) for c in found])


def test_each_pair_has_its_comparisons_on_the_metrics_that_are_asked_for():
    old, new, other = (
        table(name, {"F1": [0.1, 0.2], "S": [0.0, 1.0], "T": [1.0, 1.0]}) for name in ("old", "new", "x")
    )
    pairs = [(new, old), (other, old)]
    found = compare_each(pairs, [new, other, old], ComparisonSettings(), metrics=["S", "T"])
    assert [[(each.a, each.metric) for each in part] for part in found] == [
        [("new", "S"), ("new", "T")],
        [("x", "S"), ("x", "T")],
    ]


def test_settings_that_differ_are_said():
    new = table("new", [1, 0], signature=Signature.of({"missing": "zero", "run": "a"}))
    old = table("old", [1, 0], signature=Signature.of({"missing": "skip", "run": "b"}))
    assert steelyard.compare(old, new)[0].settings_differ == ("missing",)


def test_counts_do_not_swell_the_family():
    new = table_of(ids=["a"], columns={"AP": np.ones(1), "NumRel": np.ones(1)}, sums=("NumRel",), name="new")
    assert [c.metric for c in steelyard.compare(new, new)] == ["AP"]
    assert [c.metric for c in steelyard.compare(new, new, metrics=["NumRel"])] == ["NumRel"]


def test_the_same_seed_gives_the_same_p():
    source = np.random.default_rng(2)
    new, old = table("new", source.random(200)), table("old", source.random(200))
    first, second = (steelyard.compare(old, new, seed=7)[0] for _ in range(2))
    assert first.p_value == second.p_value
    assert first.resamples == 10_000


def test_what_is_equal_but_for_rounding_is_equal():
    # AP of 3/8, added up in two orders: one rounding apart
    new, old = [(1 + 2 / 4) / 4] * 12, [(1 / 2 + 2 / 3 + 3 / 9) / 4] * 12
    assert new != old
    for test in ("permutation", "t", "wilcoxon", "sign", "bootstrap"):
        (found,) = steelyard.compare(table("old", old), table("new", new), test=test)
        assert (found.p_value, found.wins, found.losses) == (1.0, 0, 0), test


def test_small_differences_tie_as_they_do_on_paper():
    new, old = np.array([1, 3, 1]) * 1e-6 + 0.5, np.array([0, 2, 2]) * 1e-6 + 0.5
    (found,) = steelyard.compare(table("old", old), table("new", new))
    assert (found.p_value, found.exact) == (1.0, True)


def test_the_order_of_items_does_not_matter():
    source = np.random.default_rng(5)
    values, ids = source.random((2, 60)), [f"q{n}" for n in range(60)]
    turned = source.permutation(60)
    first = steelyard.compare(table("b", values[1], ids), table("a", values[0], ids))[0]
    mixed = [ids[n] for n in turned]
    second = steelyard.compare(table("b", values[1], ids), table("a", values[0][turned], mixed))[0]
    assert first.resamples == 10_000
    assert first.p_value == second.p_value


def test_items_of_one_document_are_flipped_together():
    tags = {"document": [str(n // 10) for n in range(20)]}
    new, old = table("new", [1.0] * 10 + [0.9] * 10, tags=tags), table("old", [0.0] * 10 + [0.2] * 10, tags=tags)
    (found,) = steelyard.compare(old, new, units="documents")
    assert (found.p_value, found.significant) == (0.5, False)  # two documents: four sign flips, two as extreme
    assert found.interval.method == "clustered widened t"


def in_documents(documents, metrics=("F1",), gain=0.1):
    """Two results that differ alike on every item, ten items a document."""
    rows = 10 * documents
    made = {"ids": [str(n) for n in range(rows)], "tags": {"document": [str(n // 10) for n in range(rows)]}}
    old, new = (table_of(columns={m: np.full(rows, v) for m in metrics}, name="x", **made) for v in (0.5, 0.5 + gain))
    return new, old


@pytest.mark.parametrize(
    ("documents", "settings", "smallest", "underpowered"),
    [
        (4, {}, 0.125, True),
        (5, {}, 0.0625, True),
        (6, {}, 0.03125, False),
        (6, {"alpha": 0.03}, 0.03125, True),
        (4, {"test": "sign"}, 0.125, True),
        (4, {"test": "wilcoxon"}, 0.0719, True),  # R: wilcox.test(rep(1, 4), exact=FALSE), p = 0.07186
        (5, {"test": "wilcoxon"}, 0.0369, False),
        (4, {"test": "t"}, None, False),
        (4, {"test": "bootstrap"}, 0.0001, False),
    ],
)
def test_a_test_that_cannot_tell_says_so(documents, settings, smallest, underpowered):
    (found,) = steelyard.compare(*reversed(in_documents(documents)), units="documents", **settings)
    assert (found.n, found.units, found.scope == "documents", found.underpowered) == (
        10 * documents,
        documents,
        True,
        underpowered,
    )
    assert found.smallest_p == (None if smallest is None else pytest.approx(smallest, abs=5e-5))
    assert smallest is None or found.p_value == pytest.approx(found.smallest_p)  # all differ alike: it is reached
    assert found.significant is not underpowered
    assert found.all_equal
    assert np.isnan(found.smallest_detectable)
    assert (found.as_dict()["units"], found.as_dict()["smallest_p"]) == (documents, found.smallest_p)


@pytest.mark.parametrize(
    ("correction", "underpowered"), [("holm", True), ("bonferroni", True), ("bh", False), ("none", False)]
)
def test_the_family_makes_it_harder_to_tell(correction, underpowered):
    """Six documents, smallest p 0.031: too large for two metrics, but Benjamini and Hochberg let both pass together."""
    for found in steelyard.compare(*reversed(in_documents(6, ("F1", "EM"))), correction=correction):
        assert (found.underpowered, found.significant) == (underpowered, not underpowered)


def test_a_sampled_p_is_no_smaller_than_its_draws():
    source = np.random.default_rng(2)
    (found,) = steelyard.compare(table("old", source.random(200)), table("new", source.random(200)), resamples=99)
    assert (found.units, found.scope == "documents", found.smallest_p, found.underpowered) == (200, False, 0.01, False)
    (found,) = steelyard.compare(table("old", [0.0] * 3000), table("new", [1.0] * 3000))
    assert found.smallest_p is not None
    assert 0 < found.smallest_p < 1e-300


def test_units_are_counted_on_the_rows_that_both_have():
    new, old = in_documents(6)
    (found,) = steelyard.compare(old, new.take(np.arange(5, 40)), units="documents")
    assert (found.n, found.units) == (35, 4)
    (found,) = steelyard.compare(old, new.take(np.arange(5, 40)))  # the new one has four: too few to decide
    assert (found.scope, found.units, [other.units for other in found.others]) == ("items", 35, [4])


def test_mistakes():
    one = table("one", [1.0])
    with pytest.raises(InputError, match=r"^no item is in both one and two\nhint: items are paired by their id$"):
        steelyard.compare(table("two", [1.0], ids=["x"]), one)
    with pytest.raises(ConfigError, match=r"^one is of kind answers and two of kind legal; they are not comparable$"):
        steelyard.compare(table("two", [1.0], kind="legal"), one)
    with pytest.raises(ConfigError, match=r"^one and two have no metric in common\nhint: one has F1; two has EM$"):
        steelyard.compare(table_of(ids=["0"], columns={"EM": np.ones(1)}, name="two"), one)
    with pytest.raises(UnknownName, match=r"^no test is called 'permutatoin'\nhint: did you mean 'permutation'\?$"):
        steelyard.compare(one, one, test="permutatoin")
    with pytest.raises(UnknownName, match=r"^no correction is called 'hulm'\nhint: did you mean 'holm'\?$"):
        steelyard.compare(one, one, correction="hulm")


def test_an_interval_of_a_difference_is_limited_only_where_both_results_declare_bounds():
    wide = [0.0, 1.0, 1.0]
    bounded, other = make_table("x", wide), make_table("y", wide[::-1])
    unbounded = make_table("y", wide[::-1], bounds=None)
    assert steelyard.compare(bounded, other)[0].interval.high == 1
    assert steelyard.compare(bounded, unbounded)[0].interval.high > 1
    assert steelyard.compare(unbounded, bounded)[0].interval.high > 1


def test_no_detectable_difference_without_a_standard_error():
    same = make_table("x", [0.2, 0.4, 0.9])
    compared = steelyard.compare(same, replace(same, name="y"))
    assert compared[0].as_dict()["smallest_detectable"] is None
    assert "F1: every item differs by the same amount, so the standard error" in str(compared)


@pytest.mark.parametrize("correction", ["holm", "bh", "bonferroni", "none"])
def test_the_detectable_difference_is_that_of_the_level_of_one_test_in_the_family(correction):
    source = np.random.default_rng(5)
    scores = {name: source.random(30) for name in ("F1", "EM", "P", "R")}
    old, new = make_table("old", scores), make_table("new", {name: source.random(30) for name in scores})
    family = steelyard.compare(old, new, correction=correction)
    level = 0.05 if correction == "none" else 0.05 / 4
    for found in family:
        differences = new.column(found.metric) - old.column(found.metric)
        assert found.smallest_detectable == pytest.approx(smallest_detectable(differences, alpha=level))
        detected = items_needed(differences, detect=found.smallest_detectable * (1 + 1e-9), alpha=level)
        assert detected == 30  # `needed` and `detectable` agree


def test_the_detectable_difference_of_geometric_means_is_corrected_on_the_log_scale():
    source = np.random.default_rng(6)
    values = [{"GMAP": source.uniform(0.1, 1, 30), "F1": source.random(30)} for _ in range(2)]
    old, new = (
        replace(each, columns={**each.columns, "GMAP": replace(each["GMAP"], geometric=True)})
        for each in map(make_table, ("old", "new"), values)
    )
    found = steelyard.compare(old, new)[0]
    logs = smallest_detectable(np.log(new.column("GMAP")) - np.log(old.column("GMAP")), alpha=0.025)
    assert found.smallest_detectable == pytest.approx(old.mean("GMAP") * np.expm1(logs))


def test_changed_items_are_those_of_metrics_that_changed():
    before = {name: [0.0, 1.0, 0.5] for name in ("EM", "F1", "P", "R", "S")}
    after = {**before, "F1": [0.5, 1.0, 0.0], **{name: [1.0, 1.0, 0.5] for name in "PRS"}}
    old, new = make_table("old", before), make_table("new", after)
    text = str(steelyard.compare(old, new))
    assert "1 better · 1 worse · 1 same (F1)" in text
    titles = [line for line in text.splitlines() if line.startswith("most ")]
    assert titles == ["most regressed items: F1", "most improved items: F1"]
    named = str(steelyard.compare(old, new, metrics="S,F1,EM"))
    assert "most improved items: S" in named
    assert "items: EM" not in named
    tables = [old, new, make_table("third", after)]
    text = render_console(compare_results(tables, ComparisonSettings(), per_item=True))
    assert "new − old, EM" not in text
    assert "new − old, F1: 1 better, 1 worse" in text
    assert "new − old, S: 1 better, 0 worse" in text
    assert "new − old" not in render_console(compare_results(tables, ComparisonSettings()))
