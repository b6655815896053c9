"""Percentages are values: however they are written, they are compared by what they come to."""

from decimal import Decimal

import pytest

import steelyard
from steelyard.legal import FactRules, find_invented, judge_fact
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

RATE = "借款的年利率是多少？"
SPELLINGS = {
    "1.2": (
        "百分之一点二",
        "1.2%",
        "1.2 %",
        "１．２％",
        "1.2 percent",
        "1.2 per cent",
        "1.2 Percent",
        "百分之1.20",
        "12‰",
    ),
    "0.3": ("千分之三", "3‰", "0.3%", "百分之零点三", "0.3 per cent"),
    "0.05": ("万分之五", "0.05%", "0.5‰", "5‱"),
    "25": ("twenty-five percent", "Twenty-five per cent", "百分之二十五", "25%"),
    "3.65": ("百分之三点六五", "3.65％"),
}
PAIRS = [(value, spelling) for value, spellings in SPELLINGS.items() for spelling in spellings]


@pytest.mark.parametrize(("value", "spelling"), PAIRS)
def test_a_spelling_is_one_value(value, spelling):
    for before in ("", "年利率：", "the rate is "):
        (found,) = mentions(normalise(before + spelling))
        assert (found.kind, found.value) == ("percent", Decimal(value)), before


@pytest.mark.parametrize(("value", "spelling"), PAIRS)
def test_facts_and_grounding_compare_values(value, spelling):
    for other in SPELLINGS[value]:
        assert judge_fact({"text_answer": other}, f"年利率：{spelling}。", question=RATE).correct, other
        assert judge_fact({"entity": other}, {"entity": spelling, "answer": other}, question=RATE).correct, other
        assert not find_invented(f"年利率：{spelling}。", f"双方约定年利率：{other}。", question=RATE), other
    wrong = f"年利率为{Decimal(value) * 2}%。"
    assert not judge_fact({"text_answer": spelling}, wrong, question=RATE).correct
    assert find_invented(wrong, f"双方约定年利率：{spelling}。", question=RATE)


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("月利率0.1%，年利率1.2%", True),
        ("同期存款利率1.5%，借款年利率百分之一点二", True),
        ("不是1.5%，是1.2%", True),
        ("约1.2%", True),
        ("1.2", False),
        ("11.2%", False),
        ("1.2%或1.5%", False),
        ("1.2%至1.5%", False),
        ("不超过百分之一点二", False),
        ("1.1%、1.2%、1.3%", False),
        ("不是1.2%，是1.5%", False),
        ("好像是1.2%", False),
        ("材料未载明。", False),
    ],
)
def test_one_percentage_is_the_answer(answer, correct):
    assert judge_fact({"text_answer": "1.2%"}, answer, question=RATE).correct is correct


def test_around_a_percentage():
    about = judge_fact({"text_answer": "1.2%"}, "约1.2%", question=RATE)
    assert about.remarks == ("approx_added",)
    strict = FactRules(approx_policy="strict")
    assert not judge_fact({"text_answer": "1.2%"}, "约1.2%", question=RATE, rules=strict).correct
    assert judge_fact({"text_answer": "1.2%"}, "1.2", question="年利率是百分之几？").correct
    aliases = {"text_answer": "1.2%", "aliases": ["基准利率"]}
    assert judge_fact(aliases, "按基准利率", question=RATE).correct
    assert judge_fact(aliases, "百分之一点二", question=RATE).correct
    text = {"text_answer": "按日万分之五计算"}
    assert judge_fact(text, "违约金按日0.05%计算。", question="违约金如何计算？").correct
    assert not judge_fact(text, "违约金按日0.5%计算。", question="违约金如何计算？").correct
    contradicted = {"text_answer": "百分之一点二", "answer": "年利率1.5%"}
    assert not judge_fact({"text_answer": "1.2%"}, contradicted, question=RATE).correct


def test_a_rate_is_read_whole():
    (found,) = mentions("年利率百分之三点六五")
    assert (found.text, found.value) == ("百分之三点六五", Decimal("3.65"))


@pytest.mark.parametrize(
    ("prediction", "grounded"), [("年利率为1.2 %。", 1), ("年利率为12‰。", 1), ("年利率为1.3 %。", 0)]
)
def test_contexts_state_percentages_by_value(prediction, grounded):
    row = {"id": "1", "question": RATE, "prediction": prediction, "contexts": ["双方约定年利率为百分之一点二。"]}
    assert steelyard.evaluate_answers([row], metrics=["ValuesGrounded"]).mean("ValuesGrounded") == grounded
