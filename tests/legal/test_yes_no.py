"""Yes/no answers as models write them: the clause that answers decides; what rules cannot decide is said so."""

import json
from pathlib import Path

import pytest

from steelyard.legal import judge_fact
from steelyard.legal.evidence import quotes
from steelyard.legal.facts.polarity import polarity
from steelyard.legal.reading import read

LINES = [
    json.loads(line) for line in (Path(__file__).parent / "lines" / "yes_no.jsonl").read_text("utf-8").splitlines()
]


def lines(*senses):
    return [line for line in LINES if line["says"] in senses and not line.get("missed")]


def judged(line, expected):
    return judge_fact({"boolean_answer": expected}, line["answer"], question=line["question"])


@pytest.mark.parametrize("line", lines("yes"))
def test_yes(line):
    assert judged(line, True).correct
    assert not judged(line, False).correct


@pytest.mark.parametrize("line", lines("no"))
def test_no(line):
    assert judged(line, False).correct
    assert not judged(line, True).correct


@pytest.mark.parametrize("line", lines("depends", "none"))
def test_neither(line):
    assert not judged(line, True).correct
    assert not judged(line, False).correct


@pytest.mark.parametrize("line", lines("depends"))
def test_depends_is_its_own_reading(line):
    assert "depends" in judged(line, True).reason


@pytest.mark.parametrize("line", lines("uncertain"))
def test_what_rules_cannot_decide_is_uncertain(line):
    assert judged(line, True).uncertain


@pytest.mark.parametrize("line", [line for line in LINES if line.get("missed")])
@pytest.mark.xfail(reason="the rules misread these", strict=True)
def test_known_misses(line):
    assert judged(line, line["says"] == "yes").correct


def test_most_short_answers_are_decided():
    plain = lines("yes", "no", "depends")
    assert sum(judged(line, True).uncertain for line in plain) <= 0.05 * len(plain)


def test_a_conclusion_against_the_first_sentence_is_a_guess():
    answer = "乙公司分两次起诉，并不属于重复起诉。两次起诉针对同一笔欠款。综上，乙公司分两次起诉属于重复起诉。"
    verdict = judge_fact({"boolean_answer": True}, answer, question="乙公司分两次起诉是否属于重复起诉？")
    assert verdict.correct
    assert verdict.uncertain


def test_an_announced_final_answer_decides():
    answer = "借款人称已经还清。\n最终答案：没有还清。"
    assert polarity("借款是否已经还清?", answer) is False
    assert polarity("Is the clause valid?", "The clause looks valid at first.\nFinal answer: No.") is False


def test_another_question_that_the_model_answers_is_not_read():
    answer = "三人具有原告资格。\n问题:该规定是否合法?\n答案:该规定不合法。"
    assert polarity("三人是否具有原告资格?", answer) is True


def test_only_a_capital_announces_the_answer_of_a_yes_no_question():
    question, expected = "Did he pay the price?", {"boolean_answer": True}
    assert judge_fact(expected, "He paid the price.\na: no", question=question).correct
    assert not judge_fact(expected, "He paid the price.\nA: no", question=question).correct


def test_a_repeated_question_is_silence_in_any_characters():
    assert quotes.repeats(read("瞭 解情况的人是谁？").text, "了解情况的人是谁？")
    assert quotes.repeats(read("薴麻是什么？").text, "苧麻是什么？")
