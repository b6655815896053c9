"""Haystack: answers as `GeneratedAnswer.to_dict()` writes them, wrapped or not."""

import json

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of

from steelyard import evaluate_answers


def test_an_answer():
    first, second = fields_of("haystack.jsonl")
    assert (first["id"], first["question"], first["prediction"]) == (
        "q1",
        "How much is the deposit?",
        "The deposit is 30,000 yuan.",
    )
    assert first["contexts"][0]["content"] == "The deposit is 30,000 yuan."
    assert (second["id"], second["prediction"]) == ("q2", "Two years.")


def test_answers_are_evaluated_over_their_documents():
    table = evaluate_answers(DATA / "haystack.jsonl", metrics="ValuesGrounded", keep=True)
    assert table.column("ValuesGrounded").tolist() == [1, 1]
    assert table.outputs[0]["context_ids"] == ["h1"]
    assert table.outputs[1]["contexts"] == ["The term is two years."]
    assert table.signature.get("format") == "Haystack"


def test_documents_that_are_no_objects(write):
    path = write("x.jsonl", json.dumps({"data": "a", "query": "q", "documents": ["d"]}) + "\n")
    assert "'documents[0]' must be an object" in complaint(fields_of, path)


@pytest.mark.parametrize("row", [{"data": "a", "query": "q"}, {"data": "a", "documents": []}])
def test_other_rows(write, row):
    assert fields_of(write("x.jsonl", json.dumps(row) + "\n")) == [row]
