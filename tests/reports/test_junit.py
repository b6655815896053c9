"""JUnit as GitHub, GitLab and Jenkins read it."""

import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rendering import as_json, render_console, render_junit, render_markdown
from tables import make_table

from steelyard.i18n import words_of
from steelyard.reports.gate import outcome, reason
from steelyard.stats.gate import GateSettings, decide
from steelyard.stats.rules import Target, Threshold, parse_rule
from steelyard.table import Missing, Signature

WHEN = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
SCHEMA = Path(__file__).with_name("junit.xsd")


table = partial(make_table, signature=Signature.of({"missing": "zero"}))


def gate(*rules, settings=GateSettings(), name="new & <b>"):  # noqa: B008 - frozen
    values = [0.0, 0.9] * 20
    new = table(name, values)
    old = table("old", [1.0, 0.4] * 20)
    return decide([parse_rule(rule) for rule in rules], new, old, settings)


RULES = ("F1 >= 0.4", "F1 >= 0.9", "F1 not-worse-by 0.3", "no item of F1 may fall from 1")


def parsed(found, **settings):
    return ElementTree.fromstring(render_junit(found, when=WHEN, seconds=0.25, **settings))


def validate(text):
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    etree.XMLSchema(etree.parse(SCHEMA)).assertValid(etree.fromstring(text.encode()))


def test_one_case_a_rule_and_a_failure_for_each_that_is_not_met():
    (suite,) = parsed(gate(*RULES))
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == list(RULES)
    failed = {
        name: case.find("failure").get("type") for name, case in cases.items() if case.find("failure") is not None
    }
    assert failed == {
        "F1 >= 0.9": "not met",
        "F1 not-worse-by 0.3": "cannot tell",
        "no item of F1 may fall from 1": "not met",
    }
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "4",
        "3",
        "0",
        "0",
    )
    assert (suite.get("time"), suite.get("timestamp")) == ("0.250", "2026-02-03T04:05:06")
    fall = cases["no item of F1 may fall from 1"].find("failure")
    assert fall.get("message") == "20 of 20 items that scored 1 fell"
    assert "\nq0: 1 → 0.0000\n" in fall.text


def test_what_cannot_be_told_but_may_pass_is_skipped():
    (suite,) = parsed(gate("F1 not-worse-by 0.3", settings=GateSettings(allow_inconclusive=True)))
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert (
        suite.find("testcase/skipped").get("message").startswith("measured 0.4500 against 0.7000; difference -0.2500 ")
    )


def test_properties_carry_the_signature():
    (suite,) = parsed(gate("F1 >= 0.4"))
    found = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert (found["signature"], found["result"], found["baseline"]) == ("missing:zero", "new & <b>", "old")


def test_it_is_valid():
    validate(render_junit(gate(*RULES), when=WHEN, seconds=0.25))
    validate(render_junit(gate(*RULES, settings=GateSettings(allow_inconclusive=True)), when=WHEN, seconds=12.5))


@given(st.text(), st.text())
def test_any_text_is_escaped_and_control_characters_are_gone(name, value):
    new = table(name, [1.0, 0.0], tags={"type": [value, value]})
    found = decide([Threshold(Target("F1", (("type", value),)), ">=", 1.0)], new)
    (suite,) = parsed(found)
    (case,) = suite.iter("testcase")
    kept = [char for char in case.get("name") if ord(char) < 32 and char not in "\t\n\r"]
    assert kept == []
    assert case.find("failure") is not None


def test_the_summary_for_a_pull_request():
    text = render_markdown(gate(*RULES))
    assert text.startswith("## ❌ the gate is not passed: new \\& \\<b\\> against old\n\n|  | rule | verdict | why |\n")
    assert "| ✅ | F1 \\>= 0.4 | met | measured 0.4500 " in text
    assert "| ❌ | F1 \\>= 0.9 | not met | " in text
    assert "| ⚠️ | F1 not-worse-by 0.3 | inconclusive | " in text
    assert "### items that fell: no item of F1 may fall from 1\n\n- q0 · 1 → 0.0000\n" in text
    assert render_markdown(gate("F1 >= 0.4")).startswith("## ✅ the gate is passed")


def test_many_falls_are_not_all_named():
    new, old = table("new", [0.0] * 80), table("old", [1.0] * 80)
    found = decide([parse_rule("no item of F1 may fall from 1")], new, old)
    text = render_markdown(found)
    assert (text.count(" · 1 → 0.0000"), "\nand 30 more\n" in text) == (50, True)
    assert len(as_json(found)["findings"][0]["fell"]) == 80


def test_what_makes_the_findings_doubtful_is_said():
    new = table(
        "new",
        [1.0, np.nan, 0.0],
        reasons=(Missing("unscored", "no key"),),
        status={"F1": np.array([0, 1, 0])},
        failures={2: "timeout"},
        complete=False,
    )
    warnings = as_json(decide([parse_rule("F1 >= 0")], new))["warnings"]
    assert warnings == [
        "⚠ 1 of 3 questions failed and counts as 0 (timeout)",
        "new: the run was cut off; only these items were written: 3; no rule is met without --force",
        "new: F1: items without a score, excluded: 1",
    ]


def test_a_run_that_was_cut_off_is_said_first():
    new = table("new", [1.0] * 9, complete=False)
    said = "new: the run was cut off; only these items were written: 9; no rule is met without --force"
    found = decide([parse_rule("F1 >= 0.5")], new)
    assert render_console(found).startswith(f"{said}\nthe gate is not passed: new\n")
    assert render_markdown(found).startswith("## ❌ the gate is not passed: new\n\n**new: the run was cut off; only ")
    (suite,) = parsed(found)
    assert suite.find("testcase/failure").get("message").startswith("a run was cut off; measured 1.0000 ")
    assert suite.find("system-out").text.startswith(said)
    waived = decide([parse_rule("F1 >= 0.5")], new, settings=GateSettings(force=True))
    assert render_console(waived).startswith(f"{said.partition(';')[0]}; only these items were written: 9; decided on ")


def why(rule, values, old=None, units="auto", **fields):
    new, before = table("new", values, **fields), old and table("old", old, **fields)
    (found,) = decide([parse_rule(rule)], new, before, GateSettings(units=units)).findings
    return outcome(found, words_of("en")), reason(found, words_of("en"))


def test_reasons_do_not_contradict_verdicts():
    word, said = why("F1 >= 0.4", [0.0, 0.9] * 20)
    assert (word, "; met by the measured value; about " in said) == ("met", True)
    assert said.endswith(" more items would establish it statistically")
    word, said = why("F1 >= 0.5", [0.0, 0.9] * 20)
    assert word == "not met"
    assert "; not met by the measured value; about " in said
    assert "needed to decide" not in said
    word, said = why("F1 not-worse-by 0.3", [0.0, 0.9] * 20, [1.0, 0.4] * 20)
    assert (word, "; inconclusive at this sample size; about " in said) == ("inconclusive", True)


def test_only_an_equality_that_is_met_is_true_of_these_items():
    assert why("F1 == 1", [1.0] * 9)[1].endswith("; holds for these items; a sample cannot prove it for others")
    word, said = why("F1 == 0.5", [0.0, 0.9] * 20)
    assert (word, said.endswith("(95 %), 40 items")) == ("not met", True)


def test_absurd_numbers_are_not_said():
    said = why("F1 >= 0.450001", [0.0, 0.9] * 20)[1]
    assert said.endswith("; more than 1,000,000 more items would be needed to establish it statistically")
    tags = {"document": [str(n // 10) for n in range(40)]}
    values = np.repeat([0.9, 0.8, 0.7, 0.2], 10)
    by_document = {"tags": tags, "units": "documents"}
    assert re.search(
        r"; about \d+ more documents would establish it statistically$", why("F1 >= 0.6", values, **by_document)[1]
    )
    assert why("F1 >= 0.650001", values, **by_document)[1].endswith(
        "; more than 1,000,000 more documents would be needed to establish it statistically"
    )


def test_a_value_that_no_item_has_offers_the_nearest():
    said = why("F1[type=fact_exat] >= 0", [1.0], tags={"type": ["fact_exact"]})[1]
    assert said == "no item to decide on; no item has type=fact_exat; did you mean 'fact_exact'?"


def test_chinese():
    for text in (
        render_console(gate(*RULES), language="zh"),
        render_markdown(gate(*RULES), language="zh"),
        render_junit(gate(*RULES), when=WHEN, seconds=0.1, language="zh"),
    ):
        for words in (
            "未通过门禁",
            "实测达标；约再增加",
            "以当前样本量无法判断",
            "原得 1 分的 20 个条目中有 20 个下降",
        ):
            assert words in text
