"""Yes/no answers as models write them: the clause that answers decides; what rules cannot decide is said so."""

import json
import re
from pathlib import Path

import pytest

from steelyard.legal import judge_fact
from steelyard.legal.evidence import quotes
from steelyard.legal.facts.polarity import polarity
from steelyard.legal.reading import read

FOLDER = Path(__file__).parent / "lines"
LINES = [json.loads(line) for line in (FOLDER / "yes_no.jsonl").read_text("utf-8").splitlines()]
LABELLED = [json.loads(line) for path in FOLDER.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]


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


@pytest.mark.parametrize("line", lines("depends"))
def test_that_it_depends_is_a_guess(line):
    assert judged(line, True).uncertain


def test_most_short_answers_are_decided():
    plain = lines("yes", "no")
    assert sum(judged(line, True).uncertain for line in plain) <= 0.05 * len(plain)


def first_sentence_moved(answer):
    """The answer with its first sentence at its end, or None if it has one sentence."""
    parts = re.match(r"\s*(.+?(?:[。！？!?]|\.(?=\s)|\n))\s*(\w.*)$", answer, re.DOTALL)
    if parts is None:
        return None
    first, rest = parts[1].strip(), parts[2].rstrip()
    return f"{rest}{'' if rest[-1] in '。.!?！？' else '。'} {first}"


def test_the_place_of_the_first_sentence_does_not_matter():
    lines = [line for line in LABELLED if "says" in line or "boolean_answer" in (line.get("expected") or {})]
    moved = flipped = 0
    for line in lines:
        answer = line.get("answer")
        other = first_sentence_moved(answer) if isinstance(answer, str) else None
        if other is None or (verdict := judged(line, True)).uncertain:
            continue
        changed = judge_fact({"boolean_answer": True}, other, question=line["question"])
        moved += 1
        flipped += not changed.uncertain and changed.correct is not verdict.correct
    assert moved >= 50
    assert flipped <= 0.04 * moved


@pytest.mark.parametrize("request_", ["诉讼请求", "全部诉讼请求", "要求支付违约金的请求", "上诉请求", "申请"])
@pytest.mark.parametrize("question", ["法院是否支持原告的{}？", "法院支持了原告的{}吗？", "原告的{}是否得到支持？"])
@pytest.mark.parametrize(
    "answer", ["法院驳回原告的{}。", "驳回原告的{}。", "对原告的{}，本院不予支持。", "驳回。", "不予支持。"]
)
def test_a_dismissed_request_is_never_a_yes(request_, question, answer):
    asked, said = question.format(request_), answer.format(request_)
    assert polarity(asked, said) is not True
    assert polarity(asked, said) is False or judged({"question": asked, "answer": said}, False).uncertain


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
