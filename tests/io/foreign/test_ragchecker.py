"""RAGChecker: its input, and its output with metrics and labels."""

import pytest
from complaints import complaint
from foreign_files import fields_of


def test_input():
    first, second = fields_of("ragchecker_input.json")
    assert first == {
        "id": "q1",
        "question": "Within how many days may a buyer return goods?",
        "prediction": "Within 14 days, free of charge.",
        "references": ["Within 14 days, unopened."],
        "contexts": [
            {"id": "d1", "text": "Goods may be returned within 14 days."},
            {"id": "d2", "text": "运费由买方承担。"},
        ],
    }
    assert second["contexts"] == [{"text": "没有"}]  # a passage need not have an id


def test_output_has_scores_from_0_to_1_and_keeps_the_labels():
    first, second = fields_of("ragchecker_output.json")
    assert {name: first["scores"][name] for name in ("precision", "context_utilization", "faithfulness")} == {
        "precision": 0.5,
        "context_utilization": 1.0,
        "faithfulness": 0.5,
    }
    assert len(second["scores"]) == 11
    labels = first["extra"]["ragchecker"]
    assert labels["answer2response"] == ["Entailment", "Neutral"]
    assert len(labels["answer2response"]) == len(labels["response_claims"])
    assert set(labels) == {
        *("response_claims", "gt_answer_claims", "answer2response", "response2answer"),
        *("retrieved2response", "retrieved2answer"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"results": [{"query": "q", "gt_answer": "a"}, {"gt_answer": "b"}]}',
            "x.json: the field 'results[1].query' is missing",
        ),
        (
            '{"results": [{"query": "q", "gt_answer": "a", "metrics": {"f1": "50%"}}]}',
            "x.json: the field 'results[0].metrics.f1' must be a number, not '50%'",
        ),
        (
            '{"results": [{"query": "q", "retrieved_context": ["p", 3]}]}',
            "x.json: the field 'results[0].retrieved_context[1]' must be text or an object, not 3",
        ),
    ],
)
def test_a_malformed_file_gives_one_message(write, text, message):
    said = complaint(fields_of, write("x.json", text))
    assert message in said
    assert len(said.splitlines()) == 2
