"""DeepEval: goldens, and the scores of a test run."""

import json

import pytest
from complaints import complaint
from foreign_files import carried, fields_of, through_ours

from steelyard.errors import ConfigError
from steelyard.io.foreign import deepeval
from steelyard.io.foreign.formats import not_carried


@pytest.mark.parametrize("name", ["deepeval_goldens.jsonl", "deepeval_camel.json"])
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv"])
def test_every_form_of_goldens_can_be_written_as_every_other(name, suffix, tmp_path):
    again = carried(fields_of(through_ours(name, "deepeval", tmp_path / f"again{suffix}")), "deepeval")
    assert again == [
        {key: value for key, value in row.items() if suffix != ".csv" or value != ""}
        for row in carried(fields_of(name), "deepeval")
    ]


def test_a_golden():
    first, second, third = fields_of("deepeval_goldens.json")
    assert first["id"] == "q1"  # of the metadata
    assert first["question"] == "Within how many days may a buyer return goods?"
    assert (first["prediction"], first["references"]) == ("Within 14 days.", ["14 days"])
    assert first["tags"] == {"area": "sale", "difficulty": "low"}
    assert first["extra"]["deepeval"]["source_file"] == "terms.pdf"
    assert first["contexts"] == ["Goods may be returned within 14 days.", "运费由买方承担。"]
    assert first["reference_contexts"] == ["Goods may be returned within 14 days."]  # `context` is the ideal one
    assert "prediction" not in second
    assert third["reference_contexts"] == ["There is none.", "Second | half."]


def test_a_retrieved_passage_with_a_source():
    for name in ("deepeval_goldens.json", "deepeval_goldens.jsonl", "deepeval_goldens.csv"):
        contexts = fields_of(name)[1]["contexts"]
        assert contexts == [{"document": "terms, page 3", "text": "运费由买方承担。"}, "other"]


def test_passages_of_csv_and_jsonl_are_separated():
    for name in ("deepeval_goldens.jsonl", "deepeval_goldens.csv"):
        first, _, third = fields_of(name)
        assert first["contexts"] == ["Goods may be returned within 14 days.", "运费由买方承担。"]
        assert third["reference_contexts"] == ["There is none.", "Second ", " half."]  # as DeepEval reads it


def test_tools_in_a_cell_are_json_or_separated(write):
    text = 'input,actual_output,tools_called,expected_tools\nq,a,find;open,"[{""name"": ""find""}]"\n'
    (row,) = fields_of(write("x.csv", text))
    assert row["extra"]["deepeval"] == {"tools_called": ["find", "open"], "expected_tools": [{"name": "find"}]}


def test_names_in_camel_case_are_the_same():
    (camel,) = fields_of("deepeval_camel.json")
    snake = fields_of("deepeval_goldens.json")[0]
    assert {**camel, "extra": None} == {**snake, "extra": None}


def test_a_conversation():
    for name in ("deepeval_conversations.json", "deepeval_conversations.csv"):
        (row,) = fields_of(name)
        assert (row["question"], row["prediction"]) == ("May I return it?", "Yes, within 14 days.")
        assert row["reference_contexts"] == ["14 days"]


def test_csv_with_a_separator_in_a_passage_is_refused(tmp_path):
    row = {"question": "q", "contexts": ["one | two"]}
    message = complaint(deepeval.write, [row], tmp_path / "x.csv", kind=ConfigError)
    assert "x.csv: a passage contains '|', which separates passages in DeepEval goldens as CSV" in message
    assert "hint: write .json or .jsonl instead" in message
    assert not (tmp_path / "x.csv").exists()
    deepeval.write([row], tmp_path / "x.jsonl")
    assert fields_of(tmp_path / "x.jsonl") == [row]


def test_what_a_golden_has_no_field_for_stands_in_its_metadata(tmp_path):
    row = {
        "id": 5,
        "question": "q",
        "references": ["a", "b"],
        "contexts": [{"id": "d1", "text": "p", "document": "x.pdf", "score": 0.5}],
        "reference_context_ids": ["d1"],
        "system": "s",
        "repeat": 2,
        "scores": {"f": 0.5},
    }
    deepeval.write([row], tmp_path / "x.json")
    (again,) = fields_of(tmp_path / "x.json")
    assert again == {
        "id": 5,
        "question": "q",
        "references": ["a", "b"],
        "contexts": [{"document": "x.pdf", "text": "p"}],
        "retrieved_context_ids": ["d1"],
        "reference_context_ids": ["d1"],
        "system": "s",
        "repeat": 2,
    }
    assert sorted(not_carried(row, deepeval)) == ["contexts.score", "scores"]


@pytest.mark.parametrize("name", ["deepeval_latest_test_run.json", "deepeval_latest_run_full.json"])
def test_a_run(name):
    first, second, third = fields_of(name)
    assert [row["id"] for row in (first, second, third)] == ["q1", "test_case_1", "test_case_2"]
    assert first["scores"] == {"Skipped": 1.0, "Exact": 1.0, "Faithfulness": 0.75}
    assert first["notes"]["Exact"] == "because of Within 14 days."
    assert second["scores"]["Faithfulness"] is None
    assert second["errors"] == {"Faithfulness": "ValueError: the model did not answer"}
    assert third["scores"]["Skipped"] is None
    assert third["unscored"] == {"Skipped": "because of Yes."}
    assert "errors" not in third
    assert third["scores"]["Exact"] == 0.0  # wrong, and measured
    assert first["extra"]["deepeval-run"]["metrics"]["Exact"]["threshold"] == 1.0
    assert second["extra"]["deepeval-run"]["success"] is False
    assert first["reference_contexts"] == ["Goods may be returned within 14 days."]


def test_names_that_are_the_same_are_no_ids(write):
    case = {"name": "test_answer", "input": "q", "metricsData": [{"name": "G", "score": 1}, {"name": "G", "score": 0}]}
    rows = fields_of(write("run.json", json.dumps({"testRunData": {"testCases": [case, {**case, "input": "r"}]}})))
    assert ["id" in row for row in rows] == [False, False]
    assert rows[0]["scores"] == {"G": 1.0, "G (2)": 0.0}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.json",
            '[{"input": "q", "actual_output": "a", "retrieval_context": 5}]',
            "x.json#/0: the field 'retrieval_context' must be a list, not 5",
        ),
        (
            "x.jsonl",
            '{"input": ["q"], "expected_output": "a"}\n',
            "x.jsonl:1: the field 'input' must be text, not a list",
        ),
        (
            "x.csv",
            'scenario,turns\ns,"[{""role"""\n',
            "x.csv:2: the field 'turns' must be a list, not '[{\"role\"'",
        ),
        (
            "x.json",
            '{"testRunData": {"testCases": [{"name": "t", "metricsData": [{"score": 1}]}]}}',
            "x.json: the field 'testRunData.testCases[0].metricsData[0].name' is missing",
        ),
        (
            "x.json",
            '{"testRunData": []}',
            "x.json: the field 'testRunData' must be an object, not a list",
        ),
        (
            "x.json",
            '{"testRunData": {"testCases": [{"metricsData": [{"name": "F", "score": "high"}]}]}}',
            "x.json: the field 'testRunData.testCases[0].metricsData[0].score' must be a number, not 'high'",
        ),
    ],
)
def test_a_malformed_file_gives_one_message(write, name, text, message):
    said = complaint(fields_of, write(name, text))
    assert message in said
    assert len(said.splitlines()) == 2
    assert "hint: read as DeepEval" in said


def test_names_that_deepeval_gave_are_no_ids(write):
    cases = [{"name": f"test_case_{number}", "input": text} for number, text in enumerate("ab")]
    path = write("run.json", json.dumps({"testCases": cases, "metricsScores": []}))
    assert [row.get("id") for row in fields_of(path)] == [None, None]
    cases[1]["name"] = "second"
    path = write("named.json", json.dumps({"testCases": cases, "metricsScores": []}))
    assert [row.get("id") for row in fields_of(path)] == ["test_case_0", "second"]


def test_an_empty_list_of_passages_in_jsonl_is_empty(write):
    golden = {"input": "q", "expected_output": "a", "retrieval_context": "", "context": "x|y"}
    (row,) = fields_of(write("goldens.jsonl", json.dumps(golden) + "\n"))
    assert (row["contexts"], row["reference_contexts"]) == ([], ["x", "y"])
