"""Scores of other tools on the command line: report, compare, gate, sample and view take them as they are."""

import json

import httpx
import pytest
from foreign_files import DATA
from web.serving import serving

import steelyard
from steelyard.cli import main
from steelyard.web.rendering import OPEN, report_pages

# file → the name of its format in the signature, and one of its metrics
FILES = {
    "promptfoo.json": ("promptfoo", "pass"),
    "promptfoo_prompts.jsonl": ("promptfoo", "contains"),
    "inspect/log.json": ("Inspect", "parts/recall"),
    "inspect/log.eval": ("Inspect", "graded"),
    "inspect/chunked.eval": ("Inspect", "graded"),
    "deepeval_latest_run_full.json": ("DeepEval test run", "Faithfulness"),
    "deepeval_latest_test_run.json": ("DeepEval test run", "Exact"),
    "samples_terms_gen.jsonl": ("lm-evaluation-harness samples", "exact_match,strict"),
    "samples_terms_mc.jsonl": ("lm-evaluation-harness samples", "acc_norm"),
    "ragas_experiment.jsonl": ("RAGAS", "correct"),
    "ragas_experiment.csv": ("RAGAS", "relevancy"),
    "ragas_result.parquet": ("RAGAS", "faithfulness"),
    "ultrarag_evaluate_results.json": ("UltraRAG", "rouge-l"),
    "ultrarag_memory.json": ("UltraRAG", "f1"),
    "ragchecker_output.json": ("RAGChecker", "claim_recall"),
    "mlflow_results.csv": ("MLflow rows", "correct"),
    "retrieval/mteb": ("MTEB", "ndcg_at_10"),
    "rows.csv": ("rows", "Answer Relevancy"),
    "rows.jsonl": ("rows", "Answer Relevancy"),
    "rows.parquet": ("rows", "Answer Relevancy"),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A CSV, a JSONL and a parquet file of scores."""
    pandas = pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("plain")
    frame = pandas.DataFrame({"id": ["a", "b", "c"], "Answer Relevancy": [0.5, None, 1.0], "region": ["n", "s", "n"]})
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_json(folder / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "rows.parquet")
    return folder


@pytest.fixture(params=FILES)
def foreign(request, plain):
    """A file, the name of its format, one of its metrics, and the name of its last system."""
    path = (plain if request.param.startswith("rows.") else DATA) / request.param
    return str(path), *FILES[request.param], steelyard.load_all(path)[-1].name


def test_each_command_takes_the_file(foreign, tmp_path, monkeypatch, capsys):
    path, title, metric, system = foreign
    monkeypatch.chdir(tmp_path)
    assert main(["report", path, "-m", metric, "--mask", "-o", "page.html"]) == 0
    assert main(["report", path, "-m", metric]) == 0
    assert f"|format:{title}|" in capsys.readouterr().out
    assert main(["compare", path, path, "-m", metric, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    assert {pair["metric"] for pair in found} == {metric}
    assert main(["gate", path, "--system", system, "--require", f"{metric} >= 0", "--allow-errors", "1"]) == 0
    assert f"|format:{title}|" in capsys.readouterr().out
    assert main(["sample", path, "--system", system, "-m", metric, "-n", "1", "-o", "r.html", "-o", "r.jsonl"]) == 0
    assert json.loads((tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[0])["metric"] == metric


def test_saved_as_a_results_file_nothing_changes(foreign, tmp_path):
    path, *_ = foreign
    for table in steelyard.load_all(path):
        table.save(tmp_path / "saved.jsonl")
        again = steelyard.load(tmp_path / "saved.jsonl", strict=True)
        assert again.summary().as_dict() == table.summary().as_dict()
        assert (again.ids, again.tags) == (table.ids, table.tags)
        assert [output or {} for output in again.outputs] == [output or {} for output in table.outputs]


def test_two_systems_of_one_file_are_compared_and_gated(capsys):
    path = str(DATA / "promptfoo.json")
    assert main(["compare", path, "-m", "correct", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (found["a"], found["b"], found["metric"], found["diff"], found["n"]) == ("short", "echo", "Correct", 1.0, 2)
    rules = ["--require", "Correct >= baseline", "--baseline-system", "echo"]
    assert main(["gate", path, "--system", "short", "--allow-errors", "100%", *rules]) == 0
    assert "short against echo" in capsys.readouterr().out
    assert main(["gate", path, "--require", "Correct >= 0"]) == 2
    message = "it contains 2 results: echo, short\nhint: exactly one is required here; --system NAME selects one"
    assert message in capsys.readouterr().err
    assert main(["gate", path, "--system", "shrt", "--require", "Correct >= 0"]) == 2
    assert "no result is called 'shrt'\nhint: did you mean 'short'?" in capsys.readouterr().err


def test_repeats_are_clustered_and_the_output_says_so(capsys):
    path, note = str(DATA / "inspect" / "log.eval"), "log: 8 rows are repeated runs of 4 items; intervals and tests"
    gate = ["gate", path, "--require", "graded >= 0", "--allow-errors", "1"]
    for command in (["report", path], ["compare", path, path], gate):
        assert main(command) == 0
        assert note in capsys.readouterr().out
    assert main(["report", path, "--lang", "zh"]) == 0
    assert "8 行是 4 个条目的重复运行" in capsys.readouterr().out


def test_errors_and_what_was_not_measured_are_shown(tmp_path, capsys):
    assert main(["report", str(DATA / "promptfoo.json")]) == 0
    out = capsys.readouterr().out
    assert "echo: 3 items, 1 error; " in out
    assert "short: 3 items, 2 errors; " in out
    assert "3 scored, " not in out
    assert main(["report", str(DATA / "ragas_result.parquet")]) == 0
    assert "ragas_result: 3 items, 2 scored, 1 unscored\n" in (out := capsys.readouterr().out)
    assert "ragas_result: items without a score\nreason" in out


def test_a_name_with_brackets_is_quoted_in_a_rule(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("id,Correctness [GEval]\na,1\nb,0.5\n", encoding="utf-8")
    assert main(["gate", str(path), "--require", '"Correctness [GEval]" >= 0.5']) == 0
    assert '"Correctness [GEval]" >= 0.5' in capsys.readouterr().out
    assert main(["gate", str(path), "--require", "Correctness [GEval] >= 0.5"]) == 2
    assert "and so must a metric with brackets in its name" in capsys.readouterr().err


def test_private_data_in_texts_of_others_is_masked(tmp_path, capsys):
    rows = [
        {
            "id": "a",
            "question": "Call 13812345678?",
            "prediction": "13812345678",
            "contexts": [{"id": "d", "text": "The number is 13812345678."}],
            "scores": {"m": 1.0},
            "notes": {"m": "13812345678 is in the context"},
        },
        {"id": "b", "question": "Q", "scores": {"m": None}, "errors": {"m": "no reply from 13812345678"}},
    ]
    path, page = tmp_path / "rows.jsonl", tmp_path / "page.html"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["report", str(path), "-o", str(page)]) == 0
    assert "13812345678" in page.read_text(encoding="utf-8")
    assert main(["report", str(path), "--mask", "-o", str(page), "--overwrite"]) == 0
    assert "13812345678" not in page.read_text(encoding="utf-8")
    review = tmp_path / "review.html"
    assert main(["sample", str(path), "-n", "1", "--mask", "-o", str(review)]) == 0
    assert "13812345678" not in review.read_text(encoding="utf-8")


def test_a_folder_of_files_of_other_tools_is_viewed(plain, tmp_path):
    for name in FILES:
        source = (plain if name.startswith("rows.") else DATA) / name
        if source.is_file():
            (tmp_path / source.name).write_bytes(source.read_bytes())
    (tmp_path / "corpus.csv").write_text("id,text,year\na,Terms of sale,2024\n", encoding="utf-8")
    (tmp_path / "twice.csv").write_text("id,score\na,1\na,0\n", encoding="utf-8")
    with serving(tmp_path, render=report_pages(tmp_path, OPEN)) as server:
        listed = server.viewer.listed()
        pages = [httpx.get(f"{server.address}result/{entry.id}", trust_env=False) for entry in listed.entries]
    assert {entry.path for entry in listed.entries} == {name.rpartition("/")[2] for name in FILES} - {"mteb"}
    assert (len(listed.broken), listed.others) == (0, 2)
    assert {page.status_code for page in pages} == {200}
    assert all("|format:" in entry.signature for entry in listed.entries)


def test_a_folder_in_place_of_a_file_is_answered_with_its_files(tmp_path, run):
    (tmp_path / "log.json").write_text("{}", encoding="utf-8")
    for command in ("report", "answers"):
        code, _, err = run(command, tmp_path)
        assert (code, err.splitlines()[-1]) == (
            2,
            f"hint: give a file; the newest in this folder: {tmp_path / 'log.json'}",
        )


@pytest.mark.parametrize("suffix", [".yaml", ".html", ".xml"])
def test_types_of_files_that_are_not_read_give_one_message(suffix, tmp_path, run):
    path = tmp_path / f"results{suffix}"
    path.write_text("evalId: x\nresults:\n  version: 3\n", encoding="utf-8")
    code, _, err = run("report", path)
    assert (code, err.splitlines()[0]) == (2, f"{path}: files of the type {suffix} are not read")
    assert len(err.splitlines()) == 2


def test_a_system_that_failed_does_not_pass(tmp_path, capsys):
    rows = [{"id": str(row), "scores": {"pass": None}, "error": "503"} for row in range(19)]
    rows.append({"id": "19", "scores": {"pass": 1.0}})
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["gate", str(path), "--require", "pass >= 0.9", "--lang", "en"]) == 1
    assert "19 items have an error in place of a score" in capsys.readouterr().out
    assert main(["gate", str(path), "--require", "pass >= 0.9", "--allow-errors", "95%"]) == 0
    assert main(["gate", str(path), "--require", "pass >= 0.9", "--allow-errors", "94%"]) == 1


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("q1 Q0 d1 1 2.5 tag\n", "TREC run, without scores: score it with steelyard retrieval QRELS FILE -o"),
        ("q1 0 d1 1\n", "TREC qrels, without scores: score it with steelyard retrieval FILE RUN -o"),
        (
            '{"user_input": "q", "response": "a", "reference": "b", "retrieved_contexts": ["c"]}\n',
            "RAGAS, without scores: score it with steelyard answers FILE -o",
        ),
    ],
)
def test_a_file_without_scores_is_told_which_command_scores_it(write, capsys, content, command):
    path = str(write("file.jsonl" if content.startswith("{") else "file.txt", content))
    assert main(["compare", path, path, "--lang", "en"]) == 2
    assert f"hint: {command.replace('FILE', path)} results.jsonl\n" in capsys.readouterr().err
