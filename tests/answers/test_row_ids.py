"""Rows without ids: named by their questions, in every order, and joined to references."""

import json
import random

import pytest

import steelyard
from steelyard.answers.evaluate import evaluate_answers
from steelyard.errors import InputError, UnknownName
from steelyard.io.foreign.items import SeveralSystems
from steelyard.stats.compare import ComparisonSettings, compare_all

ROWS = [
    {"question": f"What is  {number}?", "prediction": str(number % 3), "references": [str(number % 2)]}
    for number in range(40)
]


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_in_another_order_gives_the_same_comparison(tmp_path):
    other = [{**row, "prediction": row["references"][0]} for row in ROWS]
    mixed = random.Random(1).sample(other, len(other))
    old, new, again = (
        evaluate_answers(write(tmp_path / f"{name}.jsonl", rows), metrics=["F1"], name=name)
        for name, rows in (("old", ROWS), ("new", other), ("mixed", mixed))
    )
    settings = ComparisonSettings()
    [expected], [found] = compare_all([new], old, settings), compare_all([again], old, settings)
    assert {**found.as_dict(), "a": "new"} == expected.as_dict()
    assert old.ids[0] == "What is 0?"
    assert set(again.ids) == set(old.ids)
    assert old.signature.get("reference set") == again.signature.get("reference set")


def test_rows_of_a_recognised_format_are_named_by_their_questions(tmp_path):
    rows = [{"user_input": row["question"], "response": row["prediction"], "reference": "1"} for row in ROWS[:3]]
    table = evaluate_answers(write(tmp_path / "x.jsonl", rows[::-1]), metrics=["F1"])
    assert table.ids == ["What is 2?", "What is 1?", "What is 0?"]


def test_a_question_again_is_numbered_and_a_row_without_one_has_its_number(tmp_path):
    asked = ["q", "q", "", "q (2)", "3", "q"]
    rows = [{"question": text, "prediction": "a", "references": ["a"]} for text in asked]
    table = evaluate_answers(write(tmp_path / "x.jsonl", rows), metrics=["F1"])
    assert table.ids == ["q", "q (2)", "3", "q (2) (2)", "3 (2)", "q (3)"]


def test_rows_without_questions_are_numbered_and_ids_win():
    rows = [{"prediction": "a", "references": ["a"]}, {"prediction": "b", "references": ["a"]}]
    assert evaluate_answers(rows, metrics=["F1"]).ids == ["1", "2"]
    named = [{**row, "id": name, "question": "q"} for row, name in zip(rows, "xy", strict=True)]
    assert evaluate_answers(named, metrics=["F1"]).ids == ["x", "y"]


def test_references_are_joined_by_question_where_neither_file_has_ids(tmp_path):
    predicted = write(tmp_path / "p.jsonl", [{"question": r["question"], "prediction": r["prediction"]} for r in ROWS])
    wanted = [{"question": r["question"], "references": r["references"]} for r in ROWS[::-1]]
    table = evaluate_answers(predicted, write(tmp_path / "r.jsonl", wanted), metrics=["EM"])
    assert table.mean("EM") == evaluate_answers(ROWS, metrics=["EM"]).mean("EM")
    assert table.counts["counts.joined_by_question"] == len(ROWS)


@pytest.mark.parametrize("with_question", ["p", "r"])
def test_references_are_joined_by_row_where_only_one_file_has_questions(tmp_path, with_question):
    sides = {"p": [{"prediction": r["prediction"]} for r in ROWS], "r": [{"references": r["references"]} for r in ROWS]}
    asked = [{**side, "question": r["question"]} for side, r in zip(sides[with_question], ROWS, strict=True)]
    files = {name: write(tmp_path / f"{name}.jsonl", asked if name == with_question else sides[name]) for name in sides}
    table = evaluate_answers(files["p"], files["r"], metrics=["EM"])
    assert table.mean("EM") == evaluate_answers(ROWS, metrics=["EM"]).mean("EM")
    assert table.counts["counts.joined_by_row"] == len(ROWS)
    assert table.ids[0] == "What is 0?"


def test_plain_rows_have_systems_repeats_and_errors(tmp_path):
    rows = [
        {"qid": "a", "query": "Who?", "pred": text, "gold": ["Ann"], "system": system, "repeat": repeat, "error": error}
        for system, repeat, text, error in (
            ("x", 1, "Ann", None),
            ("x", 2, None, "timed out"),
            ("y", 1, "Bob", None),
            ("y", 2, "Ann", None),
        )
    ]
    path = write(tmp_path / "x.jsonl", rows)
    with pytest.raises(SeveralSystems) as caught:
        evaluate_answers(path, metrics=["EM"])
    assert list(caught.value.systems) == ["x", "y"]
    for source in (path, rows):
        table = evaluate_answers(source, metrics=["EM"], system="x")
        assert table.ids == ["a#1", "a#2"]
        assert table.tags["repeat_of"] == ["a", "a"]
        assert table.failures == {1: "timed out"}
        assert table.mean("EM") == 0.5
    with pytest.raises(UnknownName, match="'z'"):
        evaluate_answers(path, metrics=["EM"], system="z")


def test_a_failure_in_an_empty_cell_is_the_failure_of_a_row(tmp_path):
    (tmp_path / "x.csv").write_text("question,prediction,references,error\nWho?,,Ann,timed out\nWhere?,Oslo,Oslo,\n")
    assert evaluate_answers(tmp_path / "x.csv", metrics=["EM"]).failures == {0: "timed out"}


def test_system_prompts_are_no_systems():
    rows = [{**row, "system": "You answer briefly.\n" * (1 + index)} for index, row in enumerate(ROWS[:2])]
    assert len(evaluate_answers(rows, metrics=["EM"])) == 2


def test_whole_numbers_that_pandas_wrote_as_floats_are_the_same_ids(tmp_path):
    (tmp_path / "x.csv").write_text("id,question,prediction,references\n0.0,Who?,Ann,Ann\n1.0,Where?,Oslo,Oslo\n")
    (tmp_path / "scores.csv").write_text("id,f\n0.0,1\n1.0,0\n7e1,1\n")
    assert evaluate_answers(tmp_path / "x.csv", metrics=["EM"]).ids == ["0", "1"]
    assert evaluate_answers([{**row, "id": float(n)} for n, row in enumerate(ROWS[:2])]).ids == ["0", "1"]
    assert steelyard.load(tmp_path / "scores.csv").ids == ["0", "1", "7e1"]
    rows = "id,user_input,response,reference\n0.0,Who?,Ann,Ann\n"
    (tmp_path / "ragas.csv").write_text(rows)
    assert evaluate_answers(tmp_path / "ragas.csv", metrics=["EM"]).ids == ["0"]


def test_values_of_answerable_that_cannot_be_read_are_counted():
    rows = [{**row, "answerable": value} for row, value in zip(ROWS, ("maybe", 1.0, "否", "yes", ""), strict=False)]
    table = evaluate_answers(rows, metrics=["Refusal"])
    assert table.counts["counts.answerable_unclear"] == 1
    assert table.note("Refusal", 0) == "the value of answerable is neither yes nor no"
    assert table.note("Refusal", 0, "zh") == "answerable 的值既不是“是”也不是“否”"
    with pytest.raises(InputError, match='row 1: no value of answerable is yes or no; the first is "maybe"'):
        evaluate_answers([{**row, "answerable": "maybe"} for row in rows], metrics=["Refusal"])
    assert evaluate_answers([{**row, "answerable": "maybe"} for row in rows], metrics=["F1"]).tags["answerable"]


@pytest.mark.parametrize("format", ["rows", "ragas"])
def test_own_columns_are_tags_where_they_are_named(tmp_path, format):
    names = ("question", "prediction", "references") if format == "rows" else ("user_input", "response", "reference")
    rows = [{**dict(zip(names, ("q", "a", "a"), strict=True)), "领域": "合同", "level": number} for number in (1, 2)]
    table = evaluate_answers(write(tmp_path / "x.jsonl", rows), metrics=["EM"], tags=["领域", "level"])
    assert table.tags == {"领域": ["合同", "合同"], "level": ["1", "2"]}
    assert "领域" not in evaluate_answers(tmp_path / "x.jsonl", metrics=["EM"]).tags


def test_questions_that_are_there_again_are_counted(tmp_path):
    rows = [{**row, "scores": {"m": 1.0}} for row in (*ROWS, *ROWS[:3])]
    table = evaluate_answers(write(tmp_path / "again.jsonl", rows), metrics=["F1"])
    assert table.counts["counts.questions_again"] == 3
    assert "counts.questions_again" not in evaluate_answers(write(tmp_path / "once.jsonl", ROWS)).counts


def test_scores_of_questions_that_are_there_again_are_counted(tmp_path):
    rows = [{"user_input": row["question"], "response": "x", "faithfulness": 0.5} for row in (*ROWS, *ROWS[:5])]
    assert steelyard.load(write(tmp_path / "again.jsonl", rows)).counts["counts.questions_again"] == 5
