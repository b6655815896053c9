"""`steelyard answers` on files that have several systems, other questions, own columns, or are no rows."""

import json

import pytest

from steelyard.cli import main


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return call


def lines(path, *rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


ITEM = {"id": 1, "question": "Who?", "prediction": "Ann", "references": ["Ann"]}


def test_one_system_of_several_is_selected(run, tmp_path):
    both = lines(tmp_path / "x.jsonl", {**ITEM, "system": "x"}, {**ITEM, "system": "y", "prediction": "Bob"})
    _, out, _ = run("answers", both, "-m", "EM", "--json")
    assert [each["name"] for each in json.loads(out)["results"]] == ["x", "y"]
    code, out, _ = run("answers", both, "-m", "EM", "--system", "y", "--json")
    [result] = json.loads(out)["results"]
    assert code == 0
    assert result["name"] == "y"


def test_different_questions_with_the_same_ids_are_reported(run, tmp_path):
    a, b = lines(tmp_path / "a.jsonl", ITEM), lines(tmp_path / "b.jsonl", {**ITEM, "question": "Whose?"})
    _, out, _ = run("answers", a, b, "-m", "EM")
    assert 'paired items with different questions: 1, such as "Whose?" and "Who?"' in out
    for path in (a, b):
        run("answers", path, "-m", "EM", "-o", path.with_suffix(".results.jsonl"))
    results = [path.with_suffix(".results.jsonl") for path in (a, b)]
    code, _, err = run("compare", *results)
    assert code == 2
    assert 'all their questions differ, such as "Whose?" and "Who?"' in err
    code, out, _ = run("compare", *results, "--force")
    assert code == 0
    assert "paired items with different questions: 1" in out


def test_a_metric_that_the_file_has_as_scores_says_so(run, tmp_path):
    path = lines(tmp_path / "x.jsonl", {"user_input": "Who?", "response": "Ann", "faithfulness": 0.5})
    code, _, err = run("answers", path, "-m", "faithfulness")
    assert code == 2
    assert f"steelyard report {path}" in err
    assert "ValuesGrounded" in err


def test_files_that_answers_cannot_take_say_what_they_are(run, tmp_path):
    path = lines(tmp_path / "x.jsonl", ITEM)
    run("answers", path, "-m", "EM", "-o", tmp_path / "r.jsonl")
    code, _, err = run("answers", tmp_path / "r.jsonl")
    assert code == 2
    assert "a results file of Steelyard" in err
    assert "steelyard report, compare" in err
    (tmp_path / "p.csv").write_text("question,[openai:gpt-4] {{question}}\nWho?,[PASS] Ann\n")
    code, _, err = run("answers", tmp_path / "p.csv")
    assert code == 2
    assert "promptfoo export eval" in err
    (tmp_path / "q.csv").write_text("q,[a] p,Status,Grader Reason,[b] p,Status,Grader Reason\n")
    assert "promptfoo export eval" in run("answers", tmp_path / "q.csv")[2]
    (tmp_path / "x.jsonl.lz4").write_bytes(b"x")
    code, _, err = run("answers", tmp_path / "x.jsonl.lz4")
    assert code == 2
    assert "lz4 -d" in err


def test_a_column_is_a_tag_where_by_or_tags_name_it(run, tmp_path):
    path = lines(tmp_path / "x.jsonl", {**ITEM, "领域": "合同"})
    assert "合同" in run("answers", path, "-m", "EM", "--by", "领域")[1]
    run("answers", path, "-m", "EM", "--tags", "领域", "-o", tmp_path / "r.jsonl")
    assert "合同" in run("report", tmp_path / "r.jsonl", "--by", "领域")[1]
    code, _, err = run("answers", path, "-m", "EM", "--tags", "none")
    assert code == 2
    assert "no column is called 'none'" in err
