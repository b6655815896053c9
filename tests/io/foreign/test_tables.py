"""Scores of other tools as tables: columns of numbers, systems, repeats, errors and what was not measured."""

import json

import numpy as np
import pytest

import steelyard
from steelyard.cli import main
from steelyard.errors import InputError


def csv_file(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_csv_of_scores_is_a_result(tmp_path):
    path = csv_file(tmp_path, "new.csv", "id,region,F1,passed", "a,north,0.5,1", "b,south,,0", "c,north,1,1")
    table = steelyard.load(path)
    assert table.metrics == ["F1", "passed"]
    assert table.ids == ["a", "b", "c"]
    assert (table.mean("F1"), table.mean("passed")) == (0.75, 2 / 3)
    assert table.why("F1", 1).kind == "unscored"
    assert table.tags == {"region": ["north", "south", "north"]}
    assert (table.name, table.kind) == ("new", "scores")


def test_two_files_are_compared_and_gated(tmp_path, capsys):
    numbers = np.random.default_rng(1).uniform(0.2, 0.6, 30)
    for name, gain in (("old", 0.0), ("new", 0.2)):
        lines = [f"q{row},{score + gain}" for row, score in enumerate(numbers)]
        csv_file(tmp_path, f"{name}.csv", "query_id,relevance", *lines)
    old, new = str(tmp_path / "old.csv"), str(tmp_path / "new.csv")
    assert main(["compare", old, new, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert found["n"] == 30
    assert found["diff"] == pytest.approx(0.2)
    assert found["significant"]
    assert main(["gate", new, "--baseline", old, "--require", "relevance > baseline"]) == 0
    assert main(["gate", old, "--require", "relevance >= 0.9"]) == 1
    assert main(["report", new, "-o", str(tmp_path / "page.html")]) == 0


def test_rows_without_ids_are_paired_by_their_questions(tmp_path, capsys):
    rows = [{"user_input": f"question {row} " + "x" * 90, "response": "a", "f": row / 9} for row in range(9)]
    for name, order in (("old", rows), ("new", rows[4:] + rows[:4])):  # RAGAS writes rows as they are finished
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in order))
    assert main(["compare", str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl"), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (found["n"], found["diff"]) == (9, 0.0)
    assert (found["wins"], found["losses"]) == (0, 0)


def test_a_question_that_is_there_twice_is_numbered(tmp_path):
    rows = [{"user_input": "q", "response": "a", "f": 1.0}, {"user_input": "q", "response": "b", "f": 0.0}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert steelyard.load(tmp_path / "x.jsonl").ids == ["q", "q (2)"]


def test_repeats_are_clustered_by_item(tmp_path):
    lines = [f"q{item},{epoch},{0.1 * item}" for item in range(1, 9) for epoch in range(1, 6)]
    table = steelyard.load(csv_file(tmp_path, "runs.csv", "id,epoch,score", *lines))
    assert len(table) == 40
    assert table.ids[:2] == ["q1#1", "q1#2"]
    alone = [f"q{item},{0.1 * item}" for item in range(1, 9)]
    once = steelyard.load(csv_file(tmp_path, "once.csv", "id,score", *alone))
    repeated, single = (each.summary().metrics["score"].interval for each in (table, once))
    assert (repeated.low, repeated.high) == pytest.approx((single.low, single.high))  # copies bring no certainty
    changed = steelyard.load(csv_file(tmp_path, "new.csv", "id,epoch,score", *(f"{line}1" for line in lines)))
    (found,) = steelyard.compare(table, changed)
    assert (found.n, found.units, found.scope) == (40, 8, "items")


def test_errors_of_the_system_and_of_scoring_stay_errors(tmp_path):
    rows = [
        {"id": "a", "question": "Q", "prediction": "A", "scores": {"m": 1.0}},
        {"id": "b", "question": "Q", "scores": {"m": None}, "error": "timed out"},
        {"id": "c", "question": "Q", "scores": {"m": None}, "errors": {"m": "the judge failed"}},
        {"id": "d", "question": "Q", "scores": {"m": None}, "unscored": {"m": "not asked"}},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (table,) = steelyard.load_all(path)
    reasons = [table.why("m", row) for row in range(4)]
    assert [None if each is None else str(each.reason) for each in reasons] == [
        None,
        "timed out",
        "the judge failed",
        "not asked",
    ]
    summary = table.summary().metrics["m"]
    assert (summary.scored, summary.errors, summary.unscored, summary.mean) == (1, 2, 1, 1.0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["id,F1", "a,1", "a,0"], "new.csv:3: duplicate id 'a'"),
        (["name,F1", "a,1"], "neither a results file nor a file of scores"),
        (["id,answer", "a,yes"], "no record has a score"),
        (["id,F1", "a,1", "b,x", "c,0.5"], "new.csv:3: the field 'F1' must be a number, not 'x'"),
        (["id,F1", "a,1e400"], "no record has a score"),
        (["id,F1", "a,1e200"], "new.csv:2"),
    ],
)
def test_a_bad_file_is_one_message(tmp_path, lines, message):
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        steelyard.load(csv_file(tmp_path, "new.csv", *lines))


def test_a_label_is_no_score(tmp_path):
    rows = [{"id": "a", "answerable": True, "F1": 0.5}, {"id": "b", "answerable": False, "F1": 1}]
    table = steelyard.load(csv_file(tmp_path, "rows.jsonl", *map(json.dumps, rows)))
    assert table.metrics == ["F1"]


def test_bounds_are_those_that_the_metric_of_this_name_is_documented_to_have(tmp_path):
    header = "id,faithfulness,nDCG@10,answer_relevancy,llm_judge,f1"
    table = steelyard.load(csv_file(tmp_path, "s.csv", header, "a,1,1,0.9,1,80", "b,0.9,1,1,1,90", "c,1,0.8,1,0.8,100"))
    bounds = {metric: table[metric].bounds for metric in table.metrics}
    assert bounds == {
        "faithfulness": (0, 1),
        "nDCG@10": (0, 1),
        "answer_relevancy": (-1, 1),
        "llm_judge": None,
        "f1": None,
    }
    highs = {metric: mean.interval.high for metric, mean in table.summary().metrics.items()}
    assert (highs["faithfulness"], highs["answer_relevancy"]) == (1, 1)
    assert highs["llm_judge"] > 1
