"""Correct: the value of a reference, however it is written."""

import json

import numpy as np
import pytest

import steelyard
from steelyard.contexts import correctness
from steelyard.contexts.correctness import verdict
from steelyard.i18n import words_of
from steelyard.legal.facts.fields import FactVerdict
from steelyard.legal.facts.values import FieldVerdict
from steelyard.reports.kinds import item_reason


def is_right(answer, references, question=""):
    return verdict(answer, question, [references]).is_right


@pytest.mark.parametrize("word", ["İstanbul", "ışık", "ſix", "twıce", "5 dollarſ", "5 thouſand", "ſection 5"])
def test_a_letter_of_another_alphabet_is_read(word):
    assert is_right(word, [word], "What is it?")
    assert not is_right("Ankara", [word], "What is it?")
    assert not is_right(word, ["Ankara"], "What is it?")


@pytest.mark.parametrize(
    ("answer", "references", "question"),
    [
        ("six days", ["6 days"], "How long is the notice?"),
        ("The notice is 6 days.", ["six days"], "How long is the notice?"),
        ("Within 6 days of delivery.", ["within six days"], "When must it be paid?"),
        ("六天", ["6天"], "通知期多长？"),
        ("42,000 元", ["4.2万元"], "借款本金是多少？"),
        ("$5 million", ["5,000,000 dollars"], "What is the cap?"),
        ("It ends on 2031-03-31.", ["31 March 2031"], "When does the lease end?"),
        ("2018年3月", ["March 2018"], "何时签订？"),
        ("百分之十二点五", ["12.5%"], "利率是多少？"),
        ("It has forty-two rooms.", ["42"], "How many rooms does it have?"),
        ("It was in 1989.", ["1989"], "When was it built?"),
        ("Yes, it is allowed.", ["yes"], "Is subcontracting allowed?"),
        ("不可以", ["否"], "可以转租吗？"),
        ("Evgenia Armanovna Medvedeva", ["Evgenia Medvedeva"], "Who won?"),
        ("It is called Peking [1].", ["Beiping", "Peking"], "What is it called?"),
        ("无法从材料中得知。", ["材料没有记载"], "法定代表人是谁？"),
    ],
)
def test_values_are_compared_and_not_spellings(answer, references, question):
    assert is_right(answer, references, question)


@pytest.mark.parametrize(
    ("answer", "references", "question"),
    [
        ("six months", ["6 days"], "How long is the notice?"),
        ("7 days", ["6 days"], "How long is the notice?"),
        ("42,001 元", ["4.2万元"], "借款本金是多少？"),
        ("42,000 美元", ["4.2万元"], "借款本金是多少？"),
        ("42000 yuan or 43000 yuan", ["42000 yuan"], "How much was lent?"),
        ("31 March 2032", ["31 March 2031"], "When does the lease end?"),
        ("No, it is not allowed.", ["yes"], "Is subcontracting allowed?"),
        ("It was not signed by Mary Stone.", ["Mary Stone"], "Who signed it?"),
        ("Bob Vale or Mary Stone", ["Mary Stone"], "Who signed it?"),
        ("I do not know.", ["Mary Stone"], "Who signed it?"),
        ("The document does not say who signed it. Mary Stone", ["Mary Stone"], "Who signed it?"),
        ("It is Mary Stone.", ["not stated"], "Who signed it?"),
        (".", ["."], ""),
        ("", [""], ""),
        ("42", ["", " "], ""),
        ("Mary!", ["!", "\u200b"], ""),
    ],
)
def test_another_value_is_wrong(answer, references, question):
    assert not is_right(answer, references, question)


def test_one_reference_of_each_group_is_wanted():
    groups = [["Alice Brown"], ["Bob Stone", "Robert Stone"]]
    right = [
        verdict(each, "Who wrote it?", groups).is_right for each in ("Robert Stone and Alice Brown", "Alice Brown")
    ]
    assert right == [True, False]


def test_the_order_of_references_does_not_matter():
    references = ["late 1968", "8 November 1968", "1968"]
    found = {verdict("It came out in 1968.", "When?", [each]) for each in (references, references[::-1])}
    assert len(found) == 1


def test_a_verdict_has_its_reason_in_both_languages():
    rows = [
        {"question": "How long?", "prediction": "six months", "references": ["6 days"]},
        {"question": "Which day?", "prediction": "in June 2020", "references": ["5 June 2020"]},
        {"question": "Who?", "prediction": "", "references": ["Mary Stone"]},
        {"question": "Who?", "prediction": "I don't know who did", "references": ["unknown"]},
    ]
    table = steelyard.evaluate_answers(rows, None, "Correct")
    reasons = {lang: [item_reason(table, row, "Correct", words_of(lang)) for row in range(4)] for lang in ("en", "zh")}
    assert reasons["en"][0] == "six months is not 6 days"
    assert reasons["zh"] == [
        "回答称“six months”，应为 6 days",
        "“June 2020”不确切（未精确到日）",
        "回答为空",
        "回答称“I don't know”",
    ]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([(False, False), (False, False)], (0, 0)),
        ([(False, False), (False, True)], (0, 1)),
        ([(True, True), (True, False)], (1, 0)),
        ([(False, False), (True, True)], (1, 1)),
    ],
)
def test_uncertain_is_what_no_certain_verdict_settles(monkeypatch, found, expected):
    verdicts = iter(
        [FactVerdict(right, right, None, {"f": FieldVerdict(right, None, (), unsure)}) for right, unsure in found]
    )
    monkeypatch.setattr(correctness, "judge_fact", lambda *_, **__: next(verdicts))
    rows = [{"prediction": "It is Mary Stone.", "references": ["Mary of 6 towns"]}]
    table = steelyard.evaluate_answers(rows, None, "Correct")
    assert (table.column("Correct")[0], table.parts["Correct"]["uncertain"][0]) == expected


def test_the_metric_of_the_command(write):
    rows = [
        {"question": "How long?", "pred": "six days [1]", "gold": "6 days", "contexts": ["six days"]},
        {"question": "How long?", "pred": None, "gold": "6 days"},
        {"question": "How long?", "pred": "six days", "gold": []},
    ]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    for options in ({}, {"strip_citations": False}, {"profile": "ultrarag"}):
        table = steelyard.evaluate_answers(path, None, "Correct", **options)
        np.testing.assert_array_equal(table.column("Correct"), [1, 0, np.nan])
