"""FlashRAG and UltraRAG: datasets, outputs, snapshots of runs, evaluations."""

import json

import pytest
from complaints import complaint
from foreign_files import fields_of


def test_a_row_of_a_dataset():
    first, second = fields_of("flashrag_dataset.jsonl")
    assert first == {
        "id": "test_0",
        "question": "Within how many days may a buyer return goods?",
        "references": ["14 days", "two weeks"],
        "tags": {"area": "sale"},
    }
    assert "tags" not in second


def test_outputs():
    first, second = fields_of("flashrag_intermediate_data.json")
    assert first["contexts"][0] == {"id": "d1", "text": "Returns\nGoods may be returned within 14 days."}
    assert (first["prediction"], first["scores"]) == ("Within 14 days.", {"em": 0.0, "f1": 0.8})
    assert (second["prediction"], second["scores"]) == ("", {"em": 0.0, "f1": 0.0})


def test_rows_with_an_answer_of_their_own_are_plain_rows(write):
    row = {"id": 1, "question": "q", "golden_answers": ["a"], "pred": "a"}
    assert fields_of(write("x.jsonl", json.dumps(row) + "\n")) == [row]


def test_the_snapshot_of_a_run():
    first, *_, last = fields_of("ultrarag_memory.json")
    assert first == {
        "id": "0",
        "question": "Within how many days may a buyer return goods?",
        "prediction": "Within 14 days.",
        "references": ["14 days", "two weeks"],
        "contexts": ["Goods may be returned within 14 days.", "The buyer bears the freight."],
        "scores": {"acc": 1.0, "f1": 0.8, "rouge-l": 0.8},
    }
    assert (last["id"], last["prediction"]) == ("2", "")


def test_the_questions_of_a_run_are_the_first_and_its_answers_the_last(write):
    steps = [
        {"memory_q_ls": ["q"], "memory_ans_ls": ["draft"]},
        {"memory_q_ls": ["part of q"], "memory_ret_psg": [["p"]]},
        {"memory_ret_psg": ["<UNSET>"], "memory_ans_ls": ["final"], "memory_x": 3},
        {},
    ]
    text = json.dumps([{"step": f"s.{number}", "memory": memory} for number, memory in enumerate(steps)])
    assert fields_of(write("x.json", text)) == [{"id": "0", "question": "q", "prediction": "final"}]


def test_an_evaluation():
    assert [row["scores"]["f1"] for row in fields_of("ultrarag_evaluate_results.json")] == [0.8, 0.0, 0.0]
    assert [row["id"] for row in fields_of("ultrarag_evaluate_results.json")] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.jsonl",
            '{"question": "q", "golden_answers": "a"}\n',
            "x.jsonl:1: the field 'golden_answers' must be a list, not 'a'",
        ),
        (
            "x.json",
            '[{"question": "q", "golden_answers": [], "output": {"metric_score": {"em": "1"}}}]',
            "x.json#/0: the field 'output.metric_score.em' must be a number, not '1'",
        ),
        ("x.json", '{"f1": [0.5, "x"], "avg_f1": 0.5}', "x.json: the field 'f1[1]' must be a number, not 'x'"),
        (
            "x.json",
            '{"f1": [0.5], "avg_f1": 0.5, "em": [1, 0], "avg_em": 0.5}',
            "x.json: the columns differ in length: f1 1, em 2",
        ),
        (
            "x.json",
            '[{"step": "a.b", "memory": {}}, {"step": "a.c", "memory": []}]',
            "x.json#/1: the field 'memory' must be an object, not a list",
        ),
    ],
)
def test_a_malformed_file_gives_one_message(write, name, text, message):
    said = complaint(fields_of, write(name, text))
    assert message in said
    assert len(said.splitlines()) == 2
