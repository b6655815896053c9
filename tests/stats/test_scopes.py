"""Scopes: about other questions on these documents, and about other documents of the kind."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tables import make_table, table_of

import steelyard
from steelyard.errors import ConfigError, UnknownName
from steelyard.stats.gate import GateSettings, decide
from steelyard.stats.power import least_units, units_to_detect
from steelyard.stats.rules import parse_rule
from steelyard.stats.scopes import cannot_tell, scope_of, scopes_of
from steelyard.stats.summary import summarise


def in_documents(name, values, documents, **fields):
    """A result whose items are shared evenly by so many documents."""
    each = len(values) // documents
    tags = {"document": [f"d{row // each}" for row in range(len(values))]}
    return make_table(name, values, tags={**tags, **fields.pop("tags", {})}, **fields)


RISING = np.linspace(0.1, 0.8, 60)


@pytest.mark.parametrize(
    ("documents", "units", "scope"),
    [
        (1, "auto", "items"),
        (5, "auto", "items"),
        (6, "auto", "documents"),
        (6, "items", "items"),
        (2, "documents", "documents"),
        (60, "auto", "items"),  # no two items share one
    ],
)
def test_documents_decide_from_six_on(documents, units, scope):
    table = in_documents("x", RISING, documents)
    assert scope_of(units, table) == scope
    assert table.summary(units=units).metrics["F1"].scope == scope
    (found,) = steelyard.compare(table, in_documents("y", RISING + 0.1, documents), units=units)
    assert (found.scope, found.as_dict()["scope"]) == (scope, scope)
    (finding,) = decide([parse_rule("F1 >= 0.2")], table, settings=GateSettings(units=units)).findings
    assert finding.scope == scope


def test_every_table_must_have_enough():
    many, few = in_documents("many", RISING, 6), in_documents("few", RISING, 5)
    assert scope_of("auto", many, few) == scope_of("auto", few, many) == "items"
    assert scope_of("auto", many, make_table("none", RISING)) == "items"


def test_the_scopes_that_have_numbers():
    shared, own, none = in_documents("x", RISING, 5), in_documents("x", RISING, 60), make_table("x", RISING)
    both = ("items", "documents")
    assert (scopes_of("items", shared), scopes_of("documents", own)) == (both, both)
    assert scopes_of("items", own) == scopes_of("items", none) == scopes_of("items", shared, own) == ("items",)
    assert scopes_of("items") == ("items",)


def test_documents_must_be_named():
    with pytest.raises(ConfigError, match=r"^none does not name the documents .*\nhint: .*units=\"items\"$"):
        steelyard.compare(make_table("none", [1.0, 0.5]), make_table("other", [1.0, 0.0]), units="documents")
    with pytest.raises(UnknownName, match=r"^no units is called 'docs'"):
        steelyard.compare(make_table("a", [1.0]), make_table("b", [1.0]), units="docs")


def test_both_scopes_by_textbook_formulas():
    """Student's t of the items, and of the means of documents of one size."""
    generator = np.random.default_rng(7)
    old = generator.uniform(0.2, 0.6, 40)
    new = old + np.repeat([0.05, 0.2, 0.1, 0.15], 10) + generator.normal(0, 0.05, 40)
    tables = [in_documents(name, values, 4, bounds=None) for name, values in (("old", old), ("new", new))]
    (found,) = steelyard.compare(*tables, test="t")
    items, documents = found.scopes
    by_document = (new - old).reshape(4, 10).mean(axis=1)
    assert (items.units, documents.units) == (40, 4)
    assert items.p_value == pytest.approx(stats.ttest_1samp(new - old, 0).pvalue)
    assert documents.p_value == pytest.approx(stats.ttest_1samp(by_document, 0).pvalue)
    half = stats.t.ppf(0.975, 3) * stats.sem(by_document)
    # the interval may be wider than that of t alone, on the side of a tail
    assert documents.interval.low <= by_document.mean() - half + 1e-9
    assert documents.interval.high >= by_document.mean() + half - 1e-9
    fields = found.as_dict()
    assert [each["scope"] for each in fields["scopes"]] == ["items", "documents"]
    assert {key: fields[key] for key in ("ci95", "p_value", "units")} == {
        key: fields["scopes"][0][key] for key in ("ci95", "p_value", "units")
    }


def test_each_scope_is_a_family_of_its_own():
    columns = {"F1": RISING, "EM": RISING}
    tags = {"document": [str(row // 10) for row in range(60)]}
    old = make_table("old", columns, tags=tags)
    new = make_table("new", {metric: values + 0.1 for metric, values in columns.items()}, tags=tags)
    for found in steelyard.compare(old, new):
        items, documents = found.scopes
        assert documents.p_adjusted == pytest.approx(2 * 2 / 2**6)
        assert items.p_adjusted == pytest.approx(2 * 2 / 2**60)


def test_one_document_tells_nothing_about_others():
    old, new = (in_documents(name, values, 1) for name, values in (("old", RISING), ("new", RISING + 0.1)))
    (found,) = steelyard.compare(old, new)
    documents = found.as_dict()["scopes"][1]
    assert (documents["units"], documents["ci95"]) == (1, [None, None])
    assert (documents["p_value"], documents["needed"]) == (None, None)
    assert documents["reason"] == "cannot tell with 1 document"
    said = "For other documents of this kind: cannot tell with 1 document; at least 6 would be needed\n"
    assert f"F1: On this one document: +0.1000 [0.1000, 0.1000], p 1.7e-18: better\nF1: {said}" in str(
        steelyard.compare(old, new)
    )


def test_repeated_runs_of_an_item_are_one_unit_in_both():
    tags = {"repeat_of": [str(row // 3) for row in range(60)]}
    table = in_documents("x", RISING, 4, tags=tags)
    means = {each.scope: each for each in table.summary().metrics["F1"].scopes}
    assert (means["items"].units, means["items"].interval.method) == (20, "clustered widened t")
    assert means["documents"].units == 4


def test_groups_have_the_scope_of_the_whole():
    tags = {"type": ["a" if row % 10 < 5 else "b" for row in range(60)]}
    old, new = (in_documents(name, RISING + gain, 6, tags=tags) for name, gain in (("old", 0), ("new", 0.1)))
    found = steelyard.compare(old, new, by="type").as_dict()
    assert {pair["scope"] for pairs in found["by"]["type"].values() for pair in pairs} == {"documents"}
    one = {"type": ["a" if row < 10 else "b" for row in range(60)]}  # a is one document of the six
    old, new = (in_documents(name, RISING + gain, 6, tags=one) for name, gain in (("old", 0), ("new", 0.1)))
    (within,) = steelyard.compare(old, new, by="type").as_dict()["by"]["type"]["a"]
    assert (within["scope"], within["units"], within["scopes"][1]["reason"]) == (
        "documents",
        1,
        "cannot tell with 1 document",
    )


def test_how_many_would_settle_it():
    assert [least_units("permutation", "holm", family) for family in (1, 2, 3)] == [6, 7, 7]  # 2 / 2^n * family < 0.05
    assert least_units("t", "holm", 20) == 2
    assert units_to_detect(float("nan"), 0.1, least=6) is None
    assert units_to_detect(0.1, 0.0, least=6) is None
    assert units_to_detect(0.0, 0.1, least=6) == 6
    needed = units_to_detect(0.2, 0.1, least=6)
    assert needed is not None
    t = stats.t.ppf([0.975, 0.8], needed - 1).sum()
    assert t * 0.2 / np.sqrt(needed) <= 0.1 < stats.t.ppf([0.975, 0.8], needed - 2).sum() * 0.2 / np.sqrt(needed - 1)


def test_a_gate_decides_in_one_scope_and_says_both():
    values = np.repeat([0.9, 0.9, 0.9, 0.2], 10) + np.tile(np.linspace(-0.02, 0.02, 10), 4)
    gate = steelyard.gate(in_documents("x", values, 4), "F1 >= 0.5")
    assert gate.passed
    (finding,) = gate.as_dict()["findings"]
    assert (finding["scope"], finding["sure"]) == ("items", True)
    assert [(each["scope"], each["units"], each["sure"]) for each in finding["scopes"]] == [
        ("items", 40, True),
        ("documents", 4, False),
    ]
    text = str(gate)
    assert "On these 4 documents: measured 0.7250 [" in text
    assert "\nF1 >= 0.5: For other documents of this kind: cannot tell with 4 documents; about " in text


def test_a_gate_says_that_one_document_cannot_tell_also_if_questions_failed():
    table = replace(in_documents("x", np.linspace(0.2, 0.8, 5), 1), failures={0: "HTTP 500"})
    lines = str(steelyard.gate(table, "F1 >= 0.1")).splitlines()
    said = "F1 >= 0.1: For other documents of this kind: cannot tell with 1 document; at least 6 would be needed"
    assert said in lines
    assert any(
        "For other documents of this kind: measured 0.5000, 5 items" in line
        for line in str(steelyard.gate(table, "F1 >= 0.1", units="documents")).splitlines()
    )


def test_documents_that_agree_lack_what_there_must_be():
    table = in_documents("x", [0.7, 0.8] * 8, 4)
    (finding,) = decide([parse_rule("F1 >= 0.1")], table).findings
    (other,) = finding.others
    assert (finding.scope, finding.outcome, finding.sure) == ("items", "met", True)
    assert (other.scope, other.outcome, other.units, other.more_documents) == ("documents", "cannot tell", 4, 2)


def test_json_has_the_numbers_of_each_scope():
    old, new = in_documents("old", RISING, 6), in_documents("new", RISING + np.tile([0.1, 0.0, 0.05], 20), 6)
    (found,) = steelyard.compare(old, new)
    (other,) = found.others
    names = ("units", "ci95", "p_value", "p_adjusted", "significant", "smallest_detectable", "smallest_p", "needed")
    for each in (found, other):
        content = each.as_dict()
        (scope,) = (entry for entry in found.as_dict()["scopes"] if entry["scope"] == each.scope)
        assert {name: scope[name] for name in names} == {name: content[name] for name in names}
    assert (found.scope, found.units, other.units) == ("documents", 6, 60)


def test_what_each_interval_covers():
    """Documents with their own effects: items speak of the mean of these documents, documents of the population."""
    generator = np.random.default_rng(20261116)
    documents, items, samples, mean = 10, 15, 600, 0.5
    effects = generator.normal(mean, 0.1, (documents, samples))
    scores = np.repeat(effects, items, axis=0) + generator.normal(0, 0.15, (documents * items, samples))
    columns = {f"m{number}": scores[:, number] for number in range(samples)}
    tags = {"document": [str(row // items) for row in range(documents * items)]}
    table = table_of([str(row) for row in range(documents * items)], columns, tags=tags)
    found = [each.scopes for each in summarise(table).metrics.values()]

    def covered(scope, truths):
        intervals = [each.interval for scopes in found for each in scopes if each.scope == scope]
        return np.mean([one.low <= truth <= one.high for one, truth in zip(intervals, truths, strict=True)])

    these, population = effects.mean(axis=0), np.full(samples, mean)
    assert covered("items", these) >= 0.94
    assert 0.93 <= covered("documents", population) <= 0.98
    assert covered("items", population) < 0.85  # not what items speak of


def test_so_few_units_are_named():
    codes = [cannot_tell(scope, units).code for scope in ("documents", "items") for units in (1, 2)]
    assert codes == [
        "scope.cannot_tell_one_document",
        "scope.cannot_tell_documents",
        "scope.cannot_tell_one_item",
        "scope.cannot_tell_items",
    ]
