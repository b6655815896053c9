"""`steelyard convert`: what is read, written and left out."""

import json

import pytest
from foreign_files import DATA

from steelyard.cli import main
from steelyard.errors import SteelyardError
from steelyard.io.conversion import convert
from steelyard.io.foreign.formats import formats, is_writable

SUFFIXES = {"beir": "", "trec-run": ".run", "trec-qrels": ".qrels", "legalbench-rag": ".json", "deepeval": ".json"}

ROW = {
    "user_input": "Who paid?",
    "retrieved_contexts": ["Mr Vale paid."],
    "response": "Mr Vale",
    "reference": "Mr Vale",
    "persona_name": "clerk",
    "faithfulness": 0.5,
}


@pytest.fixture
def ragas(tmp_path):
    path = tmp_path / "ragas.jsonl"
    path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    return path


def run(capsys, *words):
    code = main(["convert", *map(str, words), "--lang", "en"])
    return code, capsys.readouterr()


def test_rows_go_to_ours_and_back(ragas, tmp_path, capsys):
    code, printed = run(capsys, ragas, tmp_path / "ours.jsonl")
    assert (code, printed.err) == (0, "")
    assert printed.out == f"RAGAS → Steelyard rows: 1 row in {tmp_path / 'ours.jsonl'}\n"
    assert run(capsys, tmp_path / "ours.jsonl", tmp_path / "back.jsonl", "--to", "ragas")[0] == 0
    carried = {name: value for name, value in ROW.items() if name != "persona_name"}
    assert json.loads((tmp_path / "back.jsonl").read_text("utf-8")) == carried


def test_fields_without_a_place_are_listed(ragas, tmp_path, capsys):
    code, printed = run(capsys, ragas, tmp_path / "goldens.json", "--to", "deepeval", "--json")
    done = json.loads(printed.out)
    assert (code, done["read"], done["rows"]) == (0, "RAGAS", 1)
    assert done["not_carried"] == {"ragas.persona_name": 1, "scores": 1}


def test_fields_without_a_place_are_printed_in_one_line(ragas, tmp_path, capsys):
    printed = run(capsys, ragas, tmp_path / "goldens.json", "--to", "deepeval")[1]
    assert printed.out.splitlines()[1:] == ["not carried (rows: 1): ragas.persona_name, scores"]


def test_a_results_file_is_a_source_and_a_target(tmp_path, capsys):
    (tmp_path / "scores.csv").write_text("id,F1\na,0.5\nb,1\n", encoding="utf-8")
    assert run(capsys, tmp_path / "scores.csv", tmp_path / "results.jsonl", "--to", "results")[0] == 0
    code, printed = run(
        capsys, tmp_path / "results.jsonl", tmp_path / "events.jsonl", "--to", "otel-evaluations", "--json"
    )
    assert (code, json.loads(printed.out)["rows"]) == (0, 2)
    assert "gen_ai.evaluation.result" in (tmp_path / "events.jsonl").read_text("utf-8")


def test_plain_rows_keep_their_other_columns(tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("id,question,answer,ground_truth,region\n1,Q,A,G,north\n", encoding="utf-8")
    assert run(capsys, tmp_path / "rows.csv", tmp_path / "ours.jsonl")[0] == 0
    row = json.loads((tmp_path / "ours.jsonl").read_text("utf-8"))
    assert (row["question"], row["prediction"], row["references"]) == ("Q", "A", "G")
    assert row["extra"] == {"rows": {"region": "north"}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ours.docx"], "no format is written to files with the suffix '.docx'"),
        (["ours.jsonl", "--to", "promptfoo"], "files of promptfoo can be read, but not written"),
        (["ours.jsonl", "--to", "raggas"], "did you mean 'ragas'?"),
        (["ragas.jsonl"], "the file already exists"),
    ],
)
def test_mistakes(ragas, capsys, monkeypatch, words, message):
    monkeypatch.chdir(ragas.parent)
    code, printed = run(capsys, ragas.name, *words)
    assert code == 2
    assert message in printed.err


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, each in formats().items() if is_writable(each)])
def test_every_sample_is_written_or_one_message(name, tmp_path):
    written = 0
    samples = [path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".md"]
    for number, sample in enumerate(samples):
        target = tmp_path / f"{number}{SUFFIXES.get(name, '.jsonl')}"
        try:
            convert(sample, target, write_as=name)
        except SteelyardError:
            assert not target.exists() or target.is_dir()
        else:
            written += 1
    assert written


def test_results_go_to_ragas_as_ragas_has_them(tmp_path, capsys):
    row = {"id": "a", "question": "Q", "prediction": "A", "references": ["G"], "contexts": [{"id": "d1", "text": "T"}]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["answers", str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "results.jsonl")]) == 0
    assert run(capsys, tmp_path / "results.jsonl", tmp_path / "ragas.jsonl", "--to", "ragas")[0] == 0
    written = json.loads((tmp_path / "ragas.jsonl").read_text("utf-8"))
    assert (written["reference"], written["retrieved_contexts"]) == ("G", ["T"])
    assert main(["answers", str(tmp_path / "ragas.jsonl")]) == 0


@pytest.mark.parametrize("name", ["x.jsonl", "x.JSON.gz", "x.csv"])
def test_a_folder_has_no_name_of_a_file(name, tmp_path, capsys):
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    assert main(["convert", str(source), str(tmp_path / name), "--to", "beir"]) == 2
    message = capsys.readouterr().err
    assert "BEIR is written as a folder" in message
    assert f"hint: name a folder, such as {tmp_path / 'x'}\n" in message
    assert not (tmp_path / name).exists()
    assert main(["convert", str(source), str(tmp_path / "version.1"), "--to", "beir"]) == 0


def test_a_document_that_no_tool_writes_is_said_to_be_no_rows(tmp_path, capsys):
    source = tmp_path / "run.json"
    source.write_text('{"q1": {"d1": 0.5}}', encoding="utf-8")
    assert main(["convert", str(source), str(tmp_path / "x.run")]) == 2
    assert "an array of objects is required, not a single value" in capsys.readouterr().err


@pytest.mark.parametrize("mark", [{}, {"extra": {}}], ids=["plain rows", "our rows"])
def test_two_systems_need_a_format_with_a_place_for_them_or_a_name(tmp_path, mark):
    row = {"id": 1, "question": "Who?", "prediction": "Ann", "references": ["Ann"], **mark}
    source = tmp_path / "x.jsonl"
    source.write_text("".join(json.dumps({**row, "system": name}) + "\n" for name in "xyx"))
    with pytest.raises(SteelyardError, match="the outputs of several systems: x, y"):
        convert(source, tmp_path / "out.csv", write_as="ragas")
    assert not (tmp_path / "out.csv").exists()
    assert convert(source, tmp_path / "out.csv", write_as="ragas", system="y").rows == 1
    assert convert(source, tmp_path / "out.jsonl").rows == 3
    with pytest.raises(SteelyardError, match="no system is called 'z'"):
        convert(source, tmp_path / "z.csv", write_as="ragas", system="z")


def test_labels_that_are_written_as_tags_are_not_listed_as_left_out(tmp_path):
    source = tmp_path / "x.jsonl"
    source.write_text(json.dumps({"question": "Who?", "answer": "Ann", "gold": "Ann", "category": "a", "own": "b"}))
    done = convert(source, tmp_path / "out.jsonl", write_as="flashrag")
    assert set(done.not_carried) == {"prediction", "rows.own"}
