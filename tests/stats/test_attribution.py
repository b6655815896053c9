"""Outcomes and causes as shares: their intervals are those of all means, in both scopes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tables import table_of

from steelyard.stats.attribution import attribution
from steelyard.stats.intervals import mean_interval
from steelyard.stats.outcomes import CAUSES, METRIC, OUTCOMES, PARTS, Answered, has_no_point, parts_of
from steelyard.table import Column

UNDECIDED = Answered(0.0, retrieved=True, doubts=frozenset(("correct",)))
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
    every = {
        **column.parts,
        **dict(zip(OUTCOMES, (column.values, *(column.parts[part] for part in PARTS)), strict=True)),
    }
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
    assert {each.name: each.count for each in found.outcomes} == {
        "accurate": 5, "incomplete": 4, "wrong": 4, "hallucinated": 1, "undecided": 0,
    }  # fmt: skip
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
    settled = Answered(0.0, invents=True, doubts=frozenset(("correct",)))
    found = attributed([*[Answered(1.0)] * 2, UNDECIDED, settled, Answered(0.0, retrieved=True)])
    assert [each.count for each in found.outcomes] == [2, 0, 1, 1, 1]
    ranges = [(each.low, each.high) for each in found.outcomes]
    assert ranges == [(0.4, 0.6), (0.0, 0.2), (0.2, 0.4), (0.2, 0.4), (0.2, 0.2)]
    assert [each.mean for each in found.outcomes] == [0.4, 0.0, 0.2, 0.2, 0.2]  # a fifth is not more than a fifth
    assert {each.name: each.count for each in found.causes if each.count} == {"invented": 1, "not_used": 1}


def test_where_more_than_a_fifth_is_undecided_there_is_no_point_value():
    found = attributed([Answered(1.0), Answered(1.0), UNDECIDED])
    fields = found.as_dict()
    assert list(fields["outcomes"]) == ["accurate", "incomplete", "wrong", "hallucinated", "undecided"]
    for each in fields["outcomes"].values():
        assert each["share"] is None
        assert [scope["ci95"] for scope in each["scopes"]] == [[None, None]]
    assert fields["decided"] == pytest.approx(2 / 3)
    assert fields["outcomes"]["accurate"]["range"] == [pytest.approx(2 / 3), 1.0]


def test_the_summary_of_such_a_column_has_no_mean_either():
    table, column = result([Answered(1.0), Answered(1.0), UNDECIDED])
    table = replace(table, columns={METRIC: column, "F1": Column(np.ones(3))})
    names = [METRIC, f"{METRIC}.hallucinated", f"{METRIC}.uncertain", "F1", "F1.precision"]
    assert [has_no_point(table, name) for name in names] == [True, True, False, False, False]
    found = table.summary().metrics
    assert (found[METRIC].as_dict()["mean"], found[METRIC].as_dict()["ci95"]) == (None, [None, None])
    assert found["F1"].mean == 1.0
    assert table.take(np.array([0, 1])).summary().metrics[METRIC].mean == 1.0


def test_nothing_known_is_no_attribution():
    assert attributed([None, None]) is None
    assert attribution(table_of(["1"], {}), None, "items") is None
