"""Labelled lines: references that are one number, a list, or one name of several; all invented.

Those of the second and third file were written before they were first run, and none of them is credited when wrong.
"""

import json
from pathlib import Path

import pytest

from steelyard.contexts.correctness import verdict
from steelyard.legal import judge_fact
from steelyard.legal.points import judge_points
from steelyard.legal.question_types.points import Form, Point
from steelyard.text.normalisation import normalise

LINES = Path(__file__).parent / "lines"
OPEN = 5
"""Right answers of the other files that the rules deny, all of them uncertain."""


def read(name):
    return [json.loads(line) for line in (LINES / name).read_text("utf-8").splitlines()]


def judged(line):
    return verdict(line["answer"], line["question"], [[line["reference"]]])


@pytest.mark.parametrize("line", read("numbers.jsonl"), ids=lambda line: f"{line['reference']} | {line['answer']}")
def test_numbers_and_lists(line):
    assert judged(line).is_right == line["correct"], judged(line).why


def test_lines_that_the_rules_were_not_written_for():
    found = [(line, judged(line)) for name in ("second", "third") for line in read(f"numbers.{name}.jsonl")]
    other = [(line, each) for line, each in found if each.is_right != line["correct"]]
    assert all(line["correct"] and each.is_uncertain for line, each in other), other
    assert len(other) <= OPEN


@pytest.mark.parametrize(
    ("expected", "answer", "question", "correct"),
    [
        ({"date": "2022-03-08"}, "签订日为3月8日、付款日为3月10日，均在2022年。", "合同何时签订？", True),
        ({"date": "2022-03-08"}, "签于3月8日，付款于2022年4月1日。", "合同何时签订？", False),
        ({"count": 3}, "She complained of three leaks in 2023.", "How many times did she complain?", True),
        ({"count": 82}, "In all, 82 boards had come unglued.", "多少张地板脱胶？", True),
        ({"count": 24}, "租期两年。", "租期几个月？", True),
        ({"count": 6}, "保证期间为半年。", "保证期间几个月？", True),
        ({"count": 6}, "保证期间为六年。", "保证期间几个月？", False),
        ({"text_answer": "4"}, "There are 4 parts. The notice is 6 weeks.", "How many weeks is the notice?", False),
        ({"entity": "Enterprise"}, "The Business and Enterprise plans.", "Which plan has it?", False),
    ],
)
def test_fields_read_the_grammar_of_values(expected, answer, question, correct):
    found = judge_fact(expected, answer, question=question)
    assert found.correct == correct, found.reason


def test_a_number_that_is_not_there_or_that_nothing_selects_is_uncertain():
    lines = [("The contract has 4 parts.", "6"), ("It has 3 doors and 6 seats.", "6")]
    found = [verdict(answer, "What is the number of weeks?", [[reference]]) for answer, reference in lines]
    assert [(each.is_right, each.is_uncertain) for each in found] == [(False, False), (False, True)]


@pytest.mark.parametrize(
    ("point", "answer", "outcome"),
    [
        ("4月26日到货", "货物于2022年4月26日到货。", "given"),
        ("2022年4月26日到货", "货物于4月26日到货。", "given"),
        ("4月26日到货", "货物于2022年4月27日到货。", "missed"),
    ],
)
def test_a_date_of_a_point_agrees_with_one_that_has_its_year(point, answer, outcome):
    wanted = Point(1.0, (Form(point, 1.0),))
    assert [each.outcome for each in judge_points([wanted], normalise(answer))] == [outcome]
