"""Rows of MLflow: datasets, and results with assessments."""

import json

import pytest
from complaints import complaint
from foreign_files import fields_of


def test_a_row_of_a_dataset():
    first, second, third = fields_of("mlflow_dataset.jsonl")
    assert second["question"] == "Within how many days may a buyer return goods?"
    assert (second["prediction"], second["references"]) == ("Within 14 days.", ["14 days"])
    assert second["tags"] == {"area": "sale"}
    assert second["id"].startswith("dr-")
    assert second["extra"]["mlflow"]["expectations"] == {"expected_facts": ["14 days"]}
    assert "prediction" not in first
    assert third["prediction"] == "卖方"  # of the object {"response": …}


def test_assessments_in_columns():
    first, second, third = fields_of("mlflow_results.csv")
    assert first["scores"] == {"length": 17.0, "graded": 1.0, "correct": 1.0}
    assert first["notes"] == {"graded": "it is there"}
    assert first["references"] == ["14 days"]
    assert second["scores"] == {"length": 28.0, "graded": None, "correct": 0.0}
    assert second["errors"] == {"graded": "the judge is down"}
    assert (third["error"], "scores" in third) == ("ERROR", False)  # the system failed


def test_assessments_in_a_list(write):
    assessments = [
        {"name": "relevance", "value": 0.5, "rationale": "half"},
        {"assessment_name": "safe", "feedback": {"value": "yes"}},
        {"assessment_name": "tone", "feedback": {"value": "formal"}},
        {"assessment_name": "missing", "feedback": {"value": float("nan")}},
        {"assessment_name": "judge", "feedback": {"value": None, "error": {"error_message": "down"}}},
        {"assessment_name": "expected_response", "expectation": {"value": "b"}},
    ]
    row = {"inputs": {"messages": [{"role": "user", "content": "q"}]}, "outputs": {"n": 1}, "assessments": assessments}
    (found,) = fields_of(write("x.jsonl", json.dumps(row) + "\n"))
    assert found == {
        "question": "q",
        "prediction": '{"n": 1}',
        "references": ["b"],
        "scores": {"relevance": 0.5, "safe": 1.0, "judge": None, "missing": None},
        "unscored": {"missing": "NaN"},
        "errors": {"judge": "down"},
        "notes": {"relevance": "half"},
        "extra": {"mlflow": {"labels": {"tone": "formal"}}},
    }


def test_contexts(write):
    context = [{"content": "p", "doc_uri": "a.pdf"}]
    row = {
        "inputs": {"a": 1, "b": "x"},
        "outputs": "y",
        "retrieved_context": context,
        "expectations": {"expected_retrieved_context": context},
    }
    (found,) = fields_of(write("x.jsonl", json.dumps(row) + "\n"))
    assert found["contexts"] == found["reference_contexts"] == [{"text": "p", "document": "a.pdf"}]
    assert found["question"] == "x"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"inputs": "q", "outputs": "a"}, "x.jsonl:2: the field 'inputs' must be an object, not 'q'"),
        ({"inputs": {}, "assessments": ["yes"]}, "x.jsonl:2: the field 'assessments[0]' must be an object, not 'yes'"),
        ({"inputs": {}, "expectations": []}, "x.jsonl:2: the field 'expectations' must be an object, not a list"),
    ],
)
def test_a_malformed_file_gives_one_message(write, line, message):
    good = {"inputs": {"question": "q"}, "outputs": "a"}
    said = complaint(fields_of, write("x.jsonl", json.dumps(good) + "\n" + json.dumps(line) + "\n"))
    assert message in said
    assert len(said.splitlines()) == 2
