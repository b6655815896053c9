"""The range of a score whose verdict is uncertain: the formulas of the score with the open part at 0 and at 1."""

import numpy as np
import pytest

import steelyard
from steelyard.legal.report.results import score_range

NAN = np.nan
# parts of an item, its score by the formula of explanation/verdicts.md, the lowest and the highest score
ITEMS = {
    "fact, cited": ({"exact_match": 1, "citation_correctness": 0.5}, 0.85, 0.15, 0.85),
    "fact, cited, judged wrong": ({"exact_match": 0, "citation_correctness": 1}, 0.3, 0.3, 1.0),
    "fact, no citation required": ({"exact_match": 0}, 0.0, 0.0, 1.0),
    "fact, partial credit": ({"exact_match": 0.5}, 0.5, 0.0, 1.0),
    "evidence": ({"recall": 1, "precision": 0.4, "citation_provided": 1}, 0.7, 0.7, 0.7),
    "gap, quotation": ({"correct_abstention": 1, "no_hallucination": 1, "quote_included": 0}, 0.8, 0.4, 0.8),
    "gap, conflict": ({"correct_abstention": 0, "no_hallucination": 1, "conflict_surfaced": 1}, 0.6, 0.6, 1.0),
    "gap, both": (
        {"correct_abstention": 0, "no_hallucination": 0, "quote_included": 1, "conflict_surfaced": 0},
        *(0.2, 0.2, 0.6),
    ),
    "gap, neither": ({"correct_abstention": 0, "no_hallucination": 1}, 0.5, 0.5, 1.0),
}


def columns(items, uncertain):
    names = dict.fromkeys(name for parts, *_ in items for name in parts)
    found = {name: np.array([float(parts.get(name, NAN)) for parts, *_ in items]) for name in names}
    return {**found, "uncertain": np.full(len(items), uncertain)}


@pytest.mark.parametrize("name", ITEMS)
def test_the_open_part_is_0_or_1_with_its_weight(name):
    _, score, *wanted = ITEMS[name]
    found = score_range(np.array([score]), columns([ITEMS[name]], 1.0))
    assert [end.item() for end in found] == pytest.approx(wanted)
    assert all(0 <= end.item() <= 1 for end in found)


def test_all_types_in_one_table():
    items = list(ITEMS.values())
    scores = np.array([score for _, score, *_ in items])
    low, high = score_range(scores, columns(items, 1.0))
    assert low == pytest.approx([item[2] for item in items])
    assert high == pytest.approx([item[3] for item in items])
    assert (low <= scores + 1e-12).all()
    assert (scores <= high + 1e-12).all()


@pytest.mark.parametrize("uncertain", [0.0, NAN])
def test_a_certain_score_has_no_range(uncertain):
    items = list(ITEMS.values())
    scores = np.array([score for _, score, *_ in items])
    low, high = score_range(scores, columns(items, uncertain))
    assert low.tolist() == high.tolist() == scores.tolist()
    without = {name: column for name, column in columns(items, 0.0).items() if name != "uncertain"}
    assert score_range(scores, without)[0].tolist() == scores.tolist()


@pytest.mark.slow
def test_the_range_is_what_the_judge_would_give():
    """An item judged right and the same one judged wrong are the two ends of one another's range."""
    table = steelyard.evaluate_legal("builtin:baseline")
    parts = {**table.parts.get("legal", {}), "uncertain": np.ones(len(table))}
    low, high = score_range(table.column("legal"), parts)
    term = np.where(np.isnan(parts["exact_match"]), parts.get("correct_abstention"), parts["exact_match"])
    assert low[term == 0] == pytest.approx(table.column("legal")[term == 0])
    assert high[term == 1] == pytest.approx(table.column("legal")[term == 1])
    assert (high[term >= 0] - low[term >= 0] > 0.39).all()
