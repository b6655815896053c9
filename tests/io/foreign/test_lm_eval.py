"""Samples of lm-evaluation-harness: documents, filters, choices."""

import json

import pytest
from complaints import complaint
from foreign_files import fields_of

SAMPLE = {"doc_id": 7, "doc": {}, "target": "a", "resps": [["b"]], "filtered_resps": ["b"]}


def test_filters_of_one_document_are_one_record():
    first, second = fields_of("samples_terms_gen.jsonl")
    assert [row["id"] for row in (first, second)] == ["0", "1"]
    assert first["scores"] == {"exact_match,strict": 0.0, "exact_match,loose": 0.0}
    assert first["prediction"] == "lol"  # before the filters
    assert first["references"] == ["14"]
    filtered = [sample["filtered_resps"] for sample in first["extra"]["lm-eval"]["samples"]]
    assert filtered == [["[invalid]"], ["lol"]]


def test_the_most_likely_choice_is_the_prediction():
    first, second = fields_of("samples_terms_mc.jsonl")
    assert first["question"] == "Within how many days may a buyer return goods?"
    assert (first["prediction"], first["references"]) == ("7", ["14"])
    assert (second["prediction"], second["references"]) == ("卖方", ["买方"])
    assert first["scores"] == {"acc": 0.0, "acc_norm": 0.0}


def test_metrics_are_those_that_are_named(write):
    lines = [
        {**SAMPLE, "f1": 0.5, "size": 3, "metrics": ["f1"]},
        {**SAMPLE, "doc_id": 8, "f1": float("nan"), "n": [1, 2]},
    ]
    first, second = fields_of(write("samples_x.jsonl", "".join(json.dumps(line) + "\n" for line in lines)))
    assert first["scores"] == {"f1": 0.5}
    assert (second["scores"], second["unscored"]) == ({"f1": None}, {"f1": "NaN"})


def test_the_question_is_the_prompt_where_the_document_has_none(write):
    old = {**SAMPLE, "arguments": [["the prompt", {"until": []}]]}
    new = {**SAMPLE, "doc_id": 8, "arguments": {"gen_args_0": {"arg_0": "the prompt"}}, "filtered_resps": [["b", "c"]]}
    rows = fields_of(write("samples_x.jsonl", json.dumps(old) + "\n" + json.dumps(new) + "\n"))
    assert [(row["question"], row["prediction"]) for row in rows] == [("the prompt", "b")] * 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({**SAMPLE, "resps": "b"}, "x.jsonl:2: the field 'resps' must be a list, not 'b'"),
        ({**SAMPLE, "doc_id": None}, "x.jsonl:2: the field 'doc_id' must be an integer, not null"),
        ({"doc_id": 1, "doc": {}}, "x.jsonl:2: the field 'target' is missing"),
        ({**SAMPLE, "metrics": [1]}, "x.jsonl:2: the field 'metrics[0]' must be text, not 1"),
    ],
)
def test_a_malformed_file_gives_one_message(write, line, message):
    said = complaint(fields_of, write("x.jsonl", json.dumps(SAMPLE) + "\n" + json.dumps(line) + "\n"))
    assert message in said
    assert len(said.splitlines()) == 2
