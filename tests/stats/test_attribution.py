"""Outcomes and causes as shares: their intervals are those of all means, in both scopes."""

from itertools import product

import numpy as np
import pytest
from tables import table_of

from steelyard.stats.attribution import CAUSES, OUTCOMES, Answered, attribution, parts_of
from steelyard.stats.intervals import mean_interval
from steelyard.table import Column

ANSWERS = [
    *[Answered(1.0)] * 5,
    *[Answered(0.0, retrieved=True, uses=True)] * 3,
    *[Answered(0.0, states=False, retrieved=False)] * 2,
    Answered(0.0, invents=True),
    Answered(0.0),
    Answered(1.0, lacks=True),
    Answered(0.4, retrieved=True),
]


def result(answers, **fields):
    parts = parts_of(answers)
    values = parts.pop(OUTCOMES[0])
    table = table_of([str(row) for row in range(len(answers))], {}, **fields)
    return table, Column(values, np.isnan(values).astype(int), (), parts)


def attributed(answers):
    table, column = result(answers)
    return attribution(table, column, "items")


@pytest.mark.parametrize("documents", [None, list("aabbccddeeffgg")])
def test_intervals_are_those_of_means(documents):
    table, column = result(ANSWERS, tags={"document": documents} if documents else {})
    found = attribution(table, column, "documents" if documents else "items")
    every = {OUTCOMES[0]: column.values, **column.parts}
    for each in (*found.outcomes, *found.causes):
        values = every[each.name]
        rows = ~np.isnan(values)
        by_item = mean_interval(values[rows])
        assert by_item.method == "wilson"
        assert (each.mean, each.scopes[0].interval) == (pytest.approx(values[rows].mean()), by_item)
        if documents:
            clusters = np.array([ord(name) for name in documents])[rows]
            assert each.interval == mean_interval(values[rows], clusters=clusters).within((0.0, 1.0))
            assert [scope.scope for scope in each.scopes] == ["items", "documents"]
        else:
            assert each.interval == by_item


def test_outcomes_are_all_answers_and_causes_all_wrong_ones():
    found = attributed(ANSWERS)
    assert [each.count for each in found.outcomes] == [5, 4, 5]
    assert {each.name: each.count for each in found.causes} == {
        "invented": 1, "not_retrieved": 2, "not_used": 1, "misread": 3, "retrieval_unknown": 1,
    }  # fmt: skip
    assert found.as_dict()["wrong"] == 8


def test_each_answer_has_one_outcome_and_each_wrong_one_has_one_cause():
    flags = (False, True)
    for correct, invents, states, retrieved, uses, lacks in product(
        (0.0, 0.5, 1.0), flags, flags, (None, *flags), flags, flags
    ):
        answer = Answered(correct, invents, states, retrieved, uses, lacks)
        assert answer.outcome in OUTCOMES
        assert (answer.cause in CAUSES) is (correct < 1)
        assert (answer.outcome == "accurate") is (correct == 1 and not invents and not lacks)
        assert answer.cause != "misread" or (retrieved and states and uses)


def test_the_range_has_what_doubts_leave_open():
    doubtful = Answered(0.0, retrieved=True, doubts=frozenset(("correct",)))
    settled = Answered(0.0, invents=True, doubts=frozenset(("correct",)))
    found = attributed([Answered(1.0), doubtful, settled, Answered(0.0, retrieved=True)])
    assert [(each.low, each.high) for each in found.outcomes] == [(0.25, 0.5), (0.0, 0.25), (0.5, 0.75)]
    by_name = {each.name: (round(3 * each.low), each.count, round(3 * each.high)) for each in found.causes}
    assert by_name["not_used"] == (1, 2, 3)
    assert by_name["misread"] == (0, 0, 2)


def test_nothing_known_is_no_attribution():
    assert attributed([None, None]) is None
    assert attribution(table_of(["1"], {}), None, "items") is None
