"""CAIL 2025's score of numerical answers: its rule as it is written, and by value. All cases are invented."""

import json

import pytest
from foreign_files import DATA

import steelyard
from steelyard.contexts.cail2025 import NO_ANSWERS
from steelyard.table import Missing

CODE = "《中华人民共和国民法典》第一千一百七十九条"
RULES = "《最高人民法院关于审理人身损害赔偿案件适用法律若干问题的解释》第七条"


def answer(numbers: list[object], articles: list[object]) -> str:
    return json.dumps({"numerical_answer": numbers, "article_answer": articles}, ensure_ascii=False)


def parts(given: str, wanted: str, metric: str) -> list[float]:
    column = steelyard.evaluate_answers([given], [wanted], [metric]).columns[metric]
    return [column.parts["numbers"][0], column.parts["articles"][0], column.values[0]]


@pytest.mark.parametrize(
    ("numbers", "articles", "published", "read"),
    [
        ([1095.89], [CODE, RULES], [1, 1], [1, 1]),
        ([1095.894], [RULES, CODE], [1, 1], [1, 1]),
        ([1095.9], [CODE], [0, 0.3], [0, 0.3]),
        ([1095.89], [CODE, RULES, "《刑法》第一条"], [1, 0], [1, 0]),
        ([1095.89], ["《刑法》第一条"], [1, 0], [1, 0]),
        ([1095.89, 3], [], [0, 0], [0, 0]),
        ([], [CODE, RULES], [0, 1], [0, 1]),
        # what the rule, taken literally, does not know
        (["1,095.89元"], ["民法典1179条", RULES], [0, 0], [1, 1]),
        ([1095.89], ["《民法典》第1179条"], [1, 0], [1, 0.3]),
        (["约一千元"], ["该法"], [0, 0], [0, 0]),
    ],
)
def test_known_answers(numbers, articles, published, read):
    given, wanted = answer(numbers, articles), answer([1095.89], [CODE, RULES])
    assert parts(given, wanted, "PublishedCAIL") == pytest.approx([*published, sum(published) / 2])
    assert parts(given, wanted, "CAIL") == pytest.approx([*read, sum(read) / 2])


def test_numbers_may_be_in_another_order_by_value():
    given, wanted = answer([200, 6], [CODE]), answer([6, 200.0], [CODE])
    assert (parts(given, wanted, "PublishedCAIL")[0], parts(given, wanted, "CAIL")[0]) == (0, 1)
    assert parts(answer([6, 6, 200], [CODE]), wanted, "CAIL")[0] == 0


@pytest.mark.parametrize("metric", ["PublishedCAIL", "CAIL"])
def test_what_cannot_be_read_scores_0_and_a_reference_that_cannot_has_a_reason(metric):
    given = ["不知道", "[1]", '{"numerical_answer": 6, "article_answer": []}', answer([6], [CODE])]
    table = steelyard.evaluate_answers(given, [answer([6], [CODE])] * 3 + ["6"], [metric])
    assert table.column(metric)[:3].tolist() == [0, 0, 0]
    assert table.why(metric, 3) == Missing("unscored", NO_ANSWERS)


@pytest.mark.parametrize("given", ["[" * 100_000, answer(["9" * 40], [CODE]), answer(["九亿亿亿亿亿元"], [CODE])])
def test_lists_in_lists_and_huge_numbers_are_wrong_answers(given):
    table = steelyard.evaluate_answers([given], [answer([6], [CODE])], ["PublishedCAIL", "CAIL"])
    assert table.column("CAIL").tolist() == table.column("PublishedCAIL").tolist() == [0 if given[0] == "[" else 0.5]


def test_the_profile_has_both_columns():
    table = steelyard.evaluate_answers(DATA / "cail2025.jsonl", DATA / "cail2025.jsonl", profile="cail2025")
    assert {name: table.mean(name) for name in table.metrics} == {"PublishedCAIL": 1.0, "CAIL": 1.0}
