"""Half of a character, which JSON can escape and UTF-8 cannot hold: � in all that is written, and the rest as it is."""

import json

import pytest
from commands import run
from foreign_files import fields_of

import steelyard

HALF = "\ud83d"
ROW = {
    "id": f"1{HALF}",
    "question": f"who?{HALF}",
    "prediction": f"Ann {HALF}",
    "references": [f"Ann{HALF}"],
    "contexts": [f"Ann came.{HALF}"],
    "tags": {"group": f"t{HALF}"},
}
MENDED = json.loads(json.dumps(ROW).replace("\\ud83d", "\\ufffd"))
WHOLE = {**MENDED, "id": "2", "prediction": "Ann 😀"}


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{json.dumps(WHOLE)}\n", "utf-8")
    return path


@pytest.mark.parametrize("engine", [(), ("--engine", "local", "-j", "1")], ids=["alone", "engine"])
def test_answers_are_written(rows, tmp_path, engine):
    done = run("answers", rows, "-o", "out.jsonl", *engine, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    table = steelyard.load(tmp_path / "out.jsonl")
    assert list(table.ids) == ["1\ufffd", "2"]
    assert table.outputs[0]["answer"] == "Ann \ufffd"
    assert table.outputs[1]["answer"] == "Ann 😀"
    assert table.tags["group"][0] == "t\ufffd"


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "parquet"])
@pytest.mark.parametrize("source", ["jsonl", "json"])
def test_rows_are_converted(rows, tmp_path, source, suffix):
    if source == "json":
        (tmp_path / "rows.json").write_text(json.dumps([ROW, WHOLE]), "utf-8")
    target = tmp_path / f"out.{suffix}"
    assert run("convert", f"rows.{source}", target, cwd=tmp_path).returncode == 0
    assert fields_of(target)[0]["prediction"] == MENDED["prediction"]
    assert fields_of(target)[1]["prediction"] == WHOLE["prediction"]


@pytest.mark.parametrize(
    "cell", [r"['a\ud800', 'b']", r'[""a\ud800"", ""b""]', r"['a\ud800'\n 'b']".replace(r"\n", "\n")]
)
def test_lists_in_cells_of_csv(tmp_path, cell):
    text = f'user_input,response,retrieved_contexts,reference\nq,a,"{cell}",r\n'
    (tmp_path / "ragas.csv").write_text(text, "utf-8")
    assert run("convert", "ragas.csv", "out.jsonl", cwd=tmp_path).returncode == 0
    assert fields_of(tmp_path / "out.jsonl")[0]["contexts"] == ["a\ufffd", "b"]


def test_groups_are_printed_as_json(rows, tmp_path):
    done = run("answers", rows, "--by", "group", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert '"t\ufffd"' in done.stdout


def test_values_of_python_are_saved(tmp_path):
    table = steelyard.evaluate_answers([f"Ann {HALF}"], [[f"Ann{HALF}"]], ["EM"], ids=[f"1{HALF}"], keep=True)
    table.save(tmp_path / "out.jsonl")
    assert list(steelyard.load(tmp_path / "out.jsonl").ids) == ["1\ufffd"]
