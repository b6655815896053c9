"""`steelyard answers` as a person runs it."""

import json

import commands
import pytest

ROWS = [
    {"id": 0, "question": "首都？", "golden_answers": ["北京"], "pred_answer": "北京。", "category": "zh"},
    {"id": 1, "question": "capital?", "golden_answers": ["Paris"], "pred_answer": "It is Paris", "category": "en"},
    {"id": 2, "question": "sum?", "golden_answers": ["42,000元"], "pred_answer": "2000元", "category": "zh"},
]


def run(*arguments):
    return commands.run("answers", *arguments)


def write_rows(write, name, rows):
    return write(name, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))


def test_json_has_the_agreed_shape(write):
    done = run(write_rows(write, "mine.jsonl", ROWS), "--json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["kind"] == "answers"
    (result,) = found["results"]
    assert (result["name"], result["items"], result["scored"]) == ("mine", 3, 3)
    assert list(result["metrics"]) == [
        "Acc",
        "EM",
        "StringEM",
        "CoverEM",
        "F1",
        "ROUGE-1",
        "ROUGE-2",
        "ROUGE-L",
        "Correct",
    ]
    assert result["metrics"]["EM"]["mean"] == pytest.approx(1 / 3)
    assert result["metrics"]["Acc"]["mean"] == pytest.approx(2 / 3)
    assert result["per_item"][1]["parts"]["F1"] == {"precision": 1 / 3, "recall": 1.0}
    assert result["per_item"][0]["tags"] == {"category": "zh"}


def test_two_systems_are_paired_by_id(write):
    worse = [{**row, "pred_answer": "no idea"} for row in reversed(ROWS)]
    done = run(write_rows(write, "old.jsonl", worse), write_rows(write, "new.jsonl", ROWS), "-m", "em,f1", "--json")
    comparisons = json.loads(done.stdout)["comparisons"]
    assert [(c["a"], c["b"], c["metric"], c["n"]) for c in comparisons] == [
        ("new", "old", "EM", 3),
        ("new", "old", "F1", 3),
    ]
    assert comparisons[0]["diff"] == pytest.approx(1 / 3)


def test_fields_can_be_named_and_references_may_be_apart(write):
    predictions = write("p.csv", "key,said\nq1,北京\nq2,\n")
    references = write("r.csv", "key,truth\nq1,北京\nq2,上海\nq3,广州\n")
    words = ("--map", "id=key", "--map", "prediction=said", "--map", "references=truth", "-m", "em", "--json")
    done = run(predictions, "--references", references, *words)
    assert done.stderr == ""
    result = json.loads(done.stdout)["results"][0]
    assert result["metrics"]["EM"]["mean"] == pytest.approx(1 / 3)
    assert result["counts"]["missing predictions"] == 1


def test_the_profile_is_in_the_signature(write):
    done = run(write_rows(write, "mine.jsonl", ROWS), "--profile", "ultrarag", "-m", "acc", "--json")
    found = json.loads(done.stdout)
    assert "profile:ultrarag" in found["signature"]
    assert found["results"][0]["metrics"]["Acc"]["mean"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_groups_by_a_tag(write):
    path = write_rows(write, "mine.jsonl", ROWS)
    groups = json.loads(run(path, "-m", "em,acc", "--by", "category", "--json").stdout)["results"][0]["by"]["category"]
    assert {value: group["items"] for value, group in groups.items()} == {"zh": 2, "en": 1}
    assert groups["zh"]["metrics"]["EM"]["mean"] == 0.5
    assert groups["en"]["metrics"]["Acc"]["mean"] == 1.0
    text = run(path, "-m", "em,acc", "--by", "category").stdout
    assert "mine: category" in text
    done = run(path, "--by", "categroy")
    assert (done.returncode, done.stderr) == (2, "mine: no tag is called 'categroy'\nhint: did you mean 'category'?\n")


@pytest.mark.slow
def test_mistakes(write):
    path = write_rows(write, "mine.jsonl", ROWS)
    done = run(path, "-m", "ndcg@10")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"{path}: nDCG@10 needs what no row has: ids of contexts and of reference contexts\n"
        "hint: accepted names: retrieved_context_ids, reference_context_ids; "
        "select another column with --map retrieved_context_ids=COLUMN\n"
    )
    done = run(path, "--map", "nonsense")
    assert done.returncode == 2
    assert "must be FIELD=NAME, not 'nonsense'" in done.stderr
    again = write_rows(write, "twice.jsonl", [ROWS[0], ROWS[0]])
    done = run(again)
    assert done.stderr.startswith(f"{again}:2: duplicate id '0' (first on line 1)\n")


@pytest.mark.slow
def test_a_file_of_another_kind_is_told_by_its_name(write):
    lines = write_rows(write, "lines.json", ROWS)
    assert run(lines).stderr.endswith("hint: one object per line is JSONL: rename the file to .jsonl\n")
    array = write("array.jsonl", json.dumps(ROWS))
    assert run(array).stderr.endswith("hint: an array is JSON: rename the file to .json\n")


def test_a_field_is_mapped_once(write):
    path = write_rows(write, "mine.jsonl", ROWS)
    done = run(path, "--map", "references=golden_answers", "--map", "references=question")
    assert done.stderr == "the field 'references' is mapped to both 'golden_answers' and 'question'\n"
    assert done.returncode == 2


def test_results_are_named_by_the_user(write):
    files = [write_rows(write, "a.jsonl", ROWS), write_rows(write, "b.jsonl", ROWS)]
    done = run(*files, "-m", "em", "--name", "old model", "--name", "new model", "--json")
    assert [result["name"] for result in json.loads(done.stdout)["results"]] == ["old model", "new model"]
    done = run(*files, "--name", "old model")
    assert (done.returncode, done.stderr) == (2, "1 name for 2 files: --name is needed once for each file\n")
