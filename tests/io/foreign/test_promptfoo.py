"""promptfoo: systems, tests, scores and errors of its results."""

import json

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of

GRADER = "the grader is down"


def test_each_prompt_with_each_provider_is_a_system():
    rows = fields_of("promptfoo.json")
    assert [(row["id"], row["system"]) for row in rows] == [
        (test, system) for test in "012" for system in ("echo", "short")
    ]
    rows = fields_of("promptfoo_prompts.jsonl")
    assert {row["system"] for row in rows} == {"Answer: {{question}}", "brief"}


def test_what_is_read_of_a_result():
    rows = fields_of("promptfoo.json")
    assert rows[1]["question"] == "Within how many days may a buyer return goods?"
    assert rows[1]["prediction"] == "Within 14 days."
    assert rows[1]["references"] == ["14 days"]
    assert rows[1]["tags"] == {"area": "sale"}
    assert rows[1]["contexts"] == ["Goods may be returned within 14 days.", "Other."]  # of the variables
    assert rows[3]["contexts"] == ["运费由买方承担。", "other"]  # of the provider's metadata
    assert json.loads(rows[3]["prediction"]) == {"answer": "买方", "sources": [3]}  # an output may be an object
    assert rows[4]["references"] == ["No"]  # of the assertion `equals`
    assert rows[1]["extra"]["promptfoo"]["cost"] == 0.001


def test_a_failed_provider_is_an_error_and_a_failed_assertion_is_not():
    rows = fields_of("promptfoo.json")
    assert rows[5]["error"] == "the server is down"
    assert "scores" not in rows[5]
    assert "prediction" not in rows[5]
    assert "error" not in rows[4]
    assert rows[4]["scores"] == {"Correct": 0.0, "pass": 0.0, "score": 0.0}


def test_named_scores_and_assertions_are_scores():
    rows = fields_of("promptfoo.json")
    assert rows[0]["scores"] == {"Correct": 0.0, "contains": 1.0, "pass": 0.0, "score": 0.5}
    assert rows[0]["notes"] == {"pass": 'Expected output to contain "14 days"'}
    assert fields_of("promptfoo_prompts.jsonl")[0]["scores"] == {"contains": 1 / 3, "pass": 1.0, "score": 0.5}


def test_a_failed_grader_is_no_score():
    row = fields_of("promptfoo.json")[3]
    assert row["scores"] == {"Correct": 1.0, "Polite": None, "pass": None, "score": None}
    assert row["errors"] == {"Polite": GRADER, "pass": GRADER, "score": GRADER}


def test_a_test_that_is_there_again_is_a_repeat():
    rows = fields_of("promptfoo_prompts.jsonl")
    assert [(row["id"], row["repeat"]) for row in rows] == [("0", 1), ("0", 1), ("0", 2), ("0", 2)]
    assert all("repeat" not in row for row in fields_of("promptfoo.json"))


def test_results_without_a_file_around_them(write):
    summary = json.loads((DATA / "promptfoo.json").read_text("utf-8"))["results"]
    assert fields_of(write("x.json", json.dumps(summary))) == fields_of("promptfoo.json")


def test_one_provider_that_is_there_twice_is_two_systems(write):
    result = {"testIdx": 0, "vars": {"q": "a"}, "provider": {"id": "echo"}, "prompt": {"label": "p"}, "success": True}
    rows = fields_of(write("x.jsonl", "".join(json.dumps({**result, "promptIdx": each}) + "\n" for each in (0, 1))))
    assert [row["system"] for row in rows] == ["echo #0", "echo #1"]


def test_an_error_of_a_version_without_reasons(write):
    result = {"testIdx": 0, "promptIdx": 0, "vars": {"q": "a"}, "success": False, "score": 0, "error": "no reply"}
    graded = {**result, "testIdx": 1, "vars": {"q": "b"}, "gradingResult": {"pass": False, "reason": "no reply"}}
    rows = fields_of(write("x.jsonl", json.dumps(result) + "\n" + json.dumps(graded) + "\n"))
    assert (rows[0]["error"], rows[1]["scores"]) == ("no reply", {"pass": 0.0, "score": 0.0})


def test_the_table_of_version_2():
    first, second, third = fields_of("promptfoo_v2.json")
    assert first["prediction"] == first["question"] == "May goods be returned within 14 days?"
    assert first["scores"] == {"contains": 1.0, "pass": 1.0, "score": 1.0}
    assert second["prediction"] == "Who bears the freight?"  # without the reason before it
    assert second["scores"] == {"contains": 0.0, "pass": 0.0, "score": 0.0}
    assert (third["error"], "prediction" in third, "scores" in third) == ("the server is down", False, False)
    assert [row["id"] for row in (first, second, third)] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.json",
            '{"results": {"version": 3, "results": 5}}',
            "x.json#/results: the field 'results' must be a list, not 5",
        ),
        (
            "x.json",
            '{"results": {"version": 3, "results": [{"vars": []}]}}',
            "x.json#/results/results/0: the field 'vars' must be an object, not a list",
        ),
        (
            "x.json",
            '{"results": {"version": 2, "table": {"head": {}, "body": []}}}',
            "x.json#/results: the field 'table.head.prompts' is missing",
        ),
        (
            "x.jsonl",
            '{"promptIdx": 0, "testIdx": 0, "vars": {}, "gradingResult": {"componentResults": [{"score": "1"}]}}\n',
            "x.jsonl:1: the field 'gradingResult.componentResults[0].score' must be a number, not '1'",
        ),
    ],
)
def test_a_malformed_file_gives_one_message(write, name, text, message):
    said = complaint(fields_of, write(name, text))
    assert message in said
    assert len(said.splitlines()) == 2
    assert "hint: read as promptfoo" in said


@pytest.mark.parametrize("name", ["expected", "ideal", "reference"])
def test_a_variable_with_the_expected_answer_is_the_reference(write, name):
    result = {"promptIdx": 0, "testIdx": 0, "vars": {"question": "q", name: "a"}, "response": {"output": "b"}}
    (row,) = fields_of(write("results.jsonl", json.dumps(result) + "\n"))
    assert row["references"] == ["a"]


def test_csv_of_several_systems_is_answered_with_the_format_that_is_read(write):
    path = write("out.csv", "q,[a] p,Status,Grader Reason,[b] p,Status,Grader Reason\nx,1,PASS,,2,PASS,\n")
    assert complaint(fields_of, path).endswith(
        "hint: of promptfoo the JSON is read: promptfoo eval -o results.json, "
        "or promptfoo export eval ID -o results.json for a past evaluation"
    )


def test_csv_of_one_system_is_refused_too(write):
    path = write("out.csv", "q,[a] p,Status,Score,Named Scores,Grader Reason,Comment\nx,y,ERROR,0.00,{},no reply,\n")
    message = complaint(fields_of, path)
    assert message.startswith(f"{path}: CSV of promptfoo is not read: its scores are rounded")
    assert message.endswith(
        "hint: of promptfoo the JSON is read: promptfoo eval -o results.json, "
        "or promptfoo export eval ID -o results.json for a past evaluation"
    )
