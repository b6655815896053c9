"""The program as a person runs it: exit codes, what is printed where, what is written."""

import argparse
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run, start
from platforms import posix

import steelyard
from steelyard.cli.parser import build_parser
from steelyard.native import description

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
QRELS, RUN_A, RUN_B, RUN_C = (str(DATA / name) for name in ("qrels.txt", "run_a.txt", "run_b.txt", "run_c.txt"))


def as_json(*arguments):
    done = run("retrieval", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.slow
def test_demo():
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "$ steelyard bench --system builtin:baseline" in done.stdout
    for words in (
        "exact facts",
        "evidence sets",
        "gaps and conflicts",
        "not answerable",
        "questions with the lowest scores",
        "165 items",
    ):
        assert words in done.stdout


@pytest.mark.slow
def test_both_names_are_installed():
    for name in ("steelyard", "ultrarag"):
        done = subprocess.run(
            [Path(sys.executable).with_name(name), "--version"], capture_output=True, text=True, check=True
        )
        assert done.stdout == f"steelyard {steelyard.__version__} ({description()})\n"


def test_json_has_the_agreed_shape():
    found = as_json(QRELS, RUN_B, RUN_C, "-m", "ndcg@10,num_rel")
    assert list(found) == ["steelyard", "kind", "signature", "units", "scope", "results", "comparisons", "risk"]
    assert (found["steelyard"], found["kind"]) == (steelyard.__version__, "retrieval")
    first = found["results"][0]
    assert {key: first[key] for key in ("name", "items", "scored", "unscored", "errors")} == {
        "name": "run_b", "items": 40, "scored": 40, "unscored": 0, "errors": 0,
    }  # fmt: skip
    table = steelyard.evaluate_retrieval(QRELS, RUN_B, ["nDCG@10", "NumRel"])
    metric = first["metrics"]["nDCG@10"]
    assert metric["mean"] == table.mean("nDCG@10")
    assert metric["ci95"][0] < metric["mean"] < metric["ci95"][1]
    assert (metric["scored"], metric["unscored"]) == (40, 0)
    assert first["metrics"]["NumRel"]["sum"] == table.column("NumRel").sum()
    assert "per_item" not in first
    (comparison,) = found["comparisons"]
    assert (comparison["a"], comparison["b"], comparison["metric"]) == ("run_c", "run_b", "nDCG@10")
    assert comparison["diff"] == pytest.approx(comparison["a_mean"] - comparison["b_mean"])
    for key in ("n", "ci95", "test", "exact", "resamples", "p_value", "p_adjusted", "significant"):
        assert key in comparison


def test_per_item():
    found = as_json(QRELS, RUN_C, "-m", "AP,P@5", "-q")["results"][0]["per_item"]
    table = steelyard.evaluate_retrieval(QRELS, RUN_C, ["AP", "P@5"])
    assert [item["id"] for item in found] == list(table.ids)
    assert [item["scores"]["AP"] for item in found] == table.column("AP").tolist()


def test_missing_queries_count_nought_or_are_left_out():
    zero = as_json(QRELS, RUN_C, "-m", "AP")["results"][0]
    skip = as_json(QRELS, RUN_C, "-m", "AP", "--missing", "skip", "-q")["results"][0]
    assert (zero["scored"], skip["scored"], skip["unscored"]) == (40, 39, 1)
    assert skip["metrics"]["AP"]["mean"] == pytest.approx(zero["metrics"]["AP"]["mean"] * 40 / 39)
    missing = next(item for item in skip["per_item"] if item["id"] == "en-20")
    assert missing == {"id": "en-20", "scores": {"AP": None}, "unscored": {"AP": "the query is not in the run"}}


def test_options_reach_the_evaluation():
    found = as_json(QRELS, RUN_A, "-m", "ndcg,P", "-k", "3,7", "-l", "2", "-M", "7", "--trec-eval", "10")
    table = steelyard.evaluate_retrieval(
        QRELS, RUN_A, ["nDCG@3", "nDCG@7", "P@3", "P@7"], relevance_level=2, depth=7, trec_eval=10
    )
    assert {name: m["mean"] for name, m in found["results"][0]["metrics"].items()} == {
        name: table.mean(name) for name in table.metrics
    }
    assert found["signature"] == str(table.signature)


def test_names_are_those_of_the_files_made_unique(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.bm25.txt").write_bytes(Path(RUN_A).read_bytes())
    found = as_json(QRELS, str(tmp_path / "one" / "run.bm25.txt"), str(tmp_path / "two" / "run.bm25.txt"), "-m", "AP")
    assert [result["name"] for result in found["results"]] == ["run.bm25", "run.bm25-2"]
    assert found["comparisons"][0]["p_value"] == 1.0


def test_every_output_format(tmp_path):
    outputs = [tmp_path / f"report{suffix}" for suffix in (".json", ".jsonl", ".csv", ".md", ".tex")]
    words = [word for path in outputs for word in ("-o", str(path))]
    done = run("retrieval", QRELS, RUN_B, RUN_A, "-m", "AP,P@5", *words)
    assert (done.returncode, done.stderr) == (0, "")
    mean = steelyard.evaluate_retrieval(QRELS, RUN_A, ["AP"]).mean("AP")
    assert json.loads(outputs[0].read_text())["results"][1]["metrics"]["AP"]["mean"] == mean
    from steelyard.io.results import load_all

    assert load_all(outputs[1])[1].mean("AP") == mean
    rows = list(csv.DictReader(io.StringIO(outputs[2].read_text())))
    assert [float(row["mean"]) for row in rows if (row["result"], row["metric"]) == ("run_a", "AP")] == [mean]
    assert f"**{mean:.4f}** ▲" in outputs[3].read_text("utf-8")
    assert rf"AP & 0.3245 & \textbf{{{mean:.4f}}}$^{{+}}$ \\" in outputs[4].read_text()


def test_a_csv_of_items(tmp_path):
    run("retrieval", QRELS, RUN_C, "-m", "AP", "--missing", "skip", "-q", "-o", str(tmp_path / "items.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "items.csv").read_text())))
    table = steelyard.evaluate_retrieval(QRELS, RUN_C, ["AP"])
    expected = {item: value for item, value in zip(table.ids, table.column("AP"), strict=True) if item != "en-20"}
    assert {row["id"]: float(row["AP"]) for row in rows if row["AP"]} == expected
    assert len(rows) == 40


def test_the_table_says_what_was_counted():
    text = run("retrieval", QRELS, RUN_C, "-m", "AP").stdout
    assert "run_c: 40 items, 40 scored; counted: judged queries 40 · judged queries missing from the run 1" in text
    assert "signature run_c: kind:retrieval|trec_eval:9 (float32 scores)|" in text


@pytest.mark.slow
def test_chinese_reports_and_messages():
    done = run("retrieval", QRELS, RUN_B, RUN_A, "-m", "AP", LANG="zh_CN.UTF-8")
    assert "指标" in done.stdout
    assert "run_a 对比 run_b" in done.stdout
    assert "有标注但检索结果中缺少的查询 0" in done.stdout
    assert run("retrieval", QRELS, "no.txt", "--lang", "zh").stderr == "no.txt: 没有这个文件\n"


def test_metrics_are_listed_and_explained():
    listed = run("metrics").stdout
    assert "nDCG[@k]" in listed
    done = run("metrics", "ndcg_cut_10")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "nDCG[@k]")
    for word in ("Formula: ", "Convention: ", "Source: ", "Range: 0 to 1", "Also called: ndcg_cut"):
        assert word in done.stdout


@pytest.mark.slow
def test_a_stranger_s_metric(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom steelyard import metric\n\n"
        "@metric('First')\ndef first(rankings, *, rel: int = 1):\n"
        '    """Whether the first document is relevant.\n\n    Formula: P@1\n    Source: here\n    """\n'
        "    return rankings.per_query((rankings.rank == 1) & (rankings.grade >= rel))\n"
    )
    words = ("-m", "First,P@1", "--metrics-from", "mine", "--json")
    done = start("retrieval", QRELS, RUN_A, *words, PYTHONPATH=str(tmp_path))
    metrics = json.loads(done.stdout)["results"][0]["metrics"]
    assert metrics["First"]["mean"] == metrics["P@1"]["mean"]


MISTAKES = {
    "a file that is not there": (
        ("retrieval", QRELS, "run_x.txt"),
        "run_x.txt: no such file\n",
    ),
    "an unknown metric": (
        ("retrieval", QRELS, RUN_A, "-m", "ndgc@10"),
        "no metric is called 'ndgc@10'\nhint: did you mean 'nDCG'?\n",
    ),
    "an unknown format": (
        ("retrieval", QRELS, RUN_A, "-o", "report.docx"),
        "report.docx: no report format has the extension '.docx'\n"
        "hint: known: .json, .csv, .md, .tex, .html, .svg, .png, .pdf, .jsonl, .eval\n",
    ),
    "a missing folder": (
        ("retrieval", QRELS, RUN_A, "-o", "no/such/report.json"),
        "no/such/report.json: there is no folder 'no/such'\nhint: create it first\n",
    ),
    "an unknown module": (
        ("retrieval", QRELS, RUN_A, "--metrics-from", "nobody_has_this"),
        "no module is called 'nobody_has_this'\nhint: modules are searched for in this folder and on PYTHONPATH\n",
    ),
    "a path as a module": (
        ("metrics", "--metrics-from", "../x"),
        "no module is called '../x'\nhint: modules are searched for in this folder and on PYTHONPATH\n",
    ),
    "a module in no package": (
        ("retrieval", QRELS, RUN_A, "--metrics-from", ".x"),
        "no module is called '.x'\nhint: modules are searched for in this folder and on PYTHONPATH\n",
    ),
    "a folder as output": (
        ("retrieval", QRELS, RUN_A, "-o", "folder.md"),
        "folder.md: this is a folder, a file is required\n",
    ),
    "an input as output": (
        ("retrieval", QRELS, "mine.csv", "-o", "mine.csv"),
        "mine.csv: this is one of the inputs; it would be overwritten\nhint: use another name\n",
    ),
    "standard input twice": (
        ("retrieval", "-", "-"),
        "standard input can be read only once\nhint: use files for the other arguments\n",
    ),
    "no metric at all": (("retrieval", QRELS, RUN_A, "-m", ","), "no metric is given\nhint: for example nDCG@10\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_exit_with_2_and_no_traceback(case, tmp_path):
    arguments, message = MISTAKES[case]
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "mine.csv").write_text("precious")
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr == message
    assert (tmp_path / "mine.csv").read_text() == "precious"


@pytest.mark.parametrize("words", [["retrieval"], ["nothing"], [], ["retrieval", QRELS, RUN_A, "-k", "0"]])
def test_usage_errors_exit_with_2(words):
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: steelyard" in done.stderr


def test_two_files_the_wrong_way_round_get_a_hint(tmp_path):
    done = run("retrieval", QRELS, QRELS)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "hint: a run line is: query Q0 document rank score tag; judgments (QRELS) come before runs (RUN)\n"
    )

    done = run("retrieval", RUN_A, RUN_B)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{RUN_A}:1: 6 columns, 4 are required\n")
    assert done.stderr.endswith(
        "hint: a qrels line is: query 0 document grade; judgments (QRELS) come before runs (RUN)\n"
    )


@pytest.mark.slow
def test_files_of_this_folder_do_not_stand_in_for_libraries(tmp_path):
    for name in ("rich", "statistics", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run by accident')")
    program = str(Path(sys.executable).with_name("steelyard"))  # `python -m` would put this folder first by itself
    done = subprocess.run(
        [program, "retrieval", QRELS, RUN_A, "-m", "AP"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_a_metric_of_this_folder(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from steelyard import metric\n\n@metric('One')\ndef one(r):\n    return r.retrieved > 0\n"
    )
    done = start("retrieval", QRELS, RUN_A, "-m", "One", "--metrics-from", "mine", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["results"][0]["metrics"]["One"]["mean"] == 1.0


@pytest.mark.slow
def test_json_is_utf_8_whatever_the_terminal_speaks(tmp_path):
    (tmp_path / "qrels").write_text("查询 0 d 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("查询 Q0 d 1 1 t\n", encoding="utf-8")
    words = [sys.executable, "-m", "steelyard", "retrieval", "qrels", "run", "-m", "AP", "-q", "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert json.loads(done.stdout.decode("utf-8"))["results"][0]["per_item"][0]["id"] == "查询"


def test_names_are_not_markup(tmp_path):
    names = ["run[red].txt", "run[best].txt"]
    for name in names:
        (tmp_path / name).write_bytes(Path(RUN_A).read_bytes())
    text = run("retrieval", QRELS, *names, "-m", "AP", cwd=tmp_path).stdout
    assert "run[red]" in text.splitlines()[0]
    assert "run[best]" in text.splitlines()[0]


@pytest.mark.slow
def test_pipes_are_files_too():
    command = f'"{sys.executable}" -m steelyard retrieval <(cat "{QRELS}") <(cat "{RUN_A}") -m AP --json'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    mean = json.loads(done.stdout)["results"][0]["metrics"]["AP"]["mean"]
    assert mean == steelyard.evaluate_retrieval(QRELS, RUN_A, ["AP"]).mean("AP")


@pytest.mark.slow
def test_compressed_standard_input():
    command = [sys.executable, "-m", "steelyard", "retrieval", QRELS, "-", "-m", "AP", "--json"]
    done = subprocess.run(command, input=gzip.compress(Path(RUN_A).read_bytes()), capture_output=True, check=True)
    mean = json.loads(done.stdout)["results"][0]["metrics"]["AP"]["mean"]
    assert mean == steelyard.evaluate_retrieval(QRELS, RUN_A, ["AP"]).mean("AP")


@pytest.mark.slow
def test_a_terminal_that_cannot_show_triangles():
    done = start("retrieval", QRELS, RUN_B, RUN_A, "-m", "AP", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("run_b -> run_a: AP 0.3245 -> 0.5635\n")
    assert "0.5635 ^" in done.stdout
    assert "36 better . 4 worse . 0 same (AP)" in done.stdout
    assert "?" not in done.stdout


def test_counts_alone_are_printed_and_not_compared():
    found = as_json(QRELS, RUN_B, RUN_A, "-m", "num_ret,num_rel")
    assert found["comparisons"] == []
    assert found["results"][1]["metrics"]["NumRet"]["sum"] == 800


@pytest.mark.slow
@posix
def test_a_disk_that_is_full():
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    command = f'"{sys.executable}" -m steelyard retrieval "{QRELS}" "{RUN_A}" > /dev/full'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "output: No space left on device\n")


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error():
    command = f'"{sys.executable}" -m steelyard retrieval "{QRELS}" "{RUN_A}" -q | head -1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.slow
def test_our_own_bug_shows_its_traceback_and_exits_with_4(tmp_path):
    (tmp_path / "broken.py").write_text(
        "from steelyard.retrieval import evaluate\n\nevaluate.column_of = lambda *given: 1 / 0\n"
    )
    done = start("retrieval", QRELS, RUN_A, "-m", "RR", "--metrics-from", "broken", PYTHONPATH=str(tmp_path))
    assert done.returncode == 4
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.slow
def test_an_error_in_somebody_s_metric_is_theirs(tmp_path):
    (tmp_path / "broken.py").write_text(
        "from steelyard import metric\n\n@metric('Broken')\ndef broken(r):\n    return 1 / 0\n\n"
        "@metric('Lengths', kind='answers')\ndef lengths(pairs, profile):\n"
        "    return [1 / len(answer) for answer in pairs.answers]\n"
    )
    words = ("--metrics-from", "broken", "-m")
    done = start("retrieval", QRELS, RUN_A, *words, "Broken", PYTHONPATH=str(tmp_path))
    place = tmp_path / "broken.py"
    said = f"{place}:5: the metric Broken (package broken) failed: ZeroDivisionError: division by zero\n"
    assert (done.returncode, done.stderr.startswith(said)) == (2, True), done.stderr
    rows = [{"id": "q1", "prediction": "a", "answer": "a"}, {"id": "q2", "prediction": "", "answer": "a"}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = start("answers", tmp_path / "rows.jsonl", *words, "Lengths", PYTHONPATH=str(tmp_path))
    said = f"{place}:9: the metric Lengths (package broken) failed on the row q2: ZeroDivisionError"
    assert (done.returncode, done.stderr.startswith(said)) == (2, True), done.stderr


def test_a_long_name_is_not_repeated_in_full(capsys):
    from steelyard.cli import main

    assert main(["metrics", "x" * 100_000]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"no metric is called '{'x' * 200}…'\n")
    assert len(said) < 5_000


@pytest.mark.parametrize(
    ("locale", "title"), [("en_GB.UTF-8", "Questions and files:"), ("zh_CN.UTF-8", "题目与文件：")]
)
def test_without_a_command_all_commands_are_printed_in_groups(locale, title):
    done = run(LANG=locale)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"\n{title}\n  new " in done.stderr
    assert run("--help", LANG=locale) == (0, done.stderr, "")
    listed = re.findall(r"^  (\w[\w-]*) +\S", done.stderr, re.MULTILINE)
    assert sorted(listed) == sorted(command_names())
    assert max(map(len, done.stderr.splitlines())) <= 110


def command_names():
    actions = build_parser()._actions
    return next(action for action in actions if isinstance(action, argparse._SubParsersAction)).choices


@pytest.mark.parametrize("options", ["", "-m GMAP -m num_ret", "--missing skip", "--lang zh", "--units items", "-l 2"])
def test_printed_json_of_a_ranking_is_that_of_its_report(run, tmp_path, options):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 2\nq2 0 d1 1\n")
    (tmp_path / "判决").write_text("q1 Q0 d1 1 0.5 tag\nq3 Q0 d1 1 0.5 tag\n")
    line = ("retrieval", "qrels", "判决", *options.split())
    printed = run(*line, "--json", cwd=tmp_path)
    run(*line, "-o", "x.json", cwd=tmp_path)
    assert printed.stdout == (tmp_path / "x.json").read_text("utf-8")


@pytest.mark.parametrize(
    "options", ["", "-m EM -m Refusal", "--lang zh", "--units items", "--by type", "--tags document", "--profile squad"]
)
def test_printed_json_of_answers_is_that_of_their_report(run, tmp_path, options):
    rows = [
        {"id": "一", "prediction": "no answer", "references": ["a b"], "type": "x", "document": "d", "contexts": ["a"]},
        {"id": "2", "prediction": "a\u2028b", "references": ["a b", "c"], "type": "y", "document": "d"},
        {"id": "3", "prediction": None, "references": [], "type": "y", "document": "e"},
    ]
    (tmp_path / "答.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    line = ("answers", "答.jsonl", *options.split())
    printed = run(*line, "--json", cwd=tmp_path)
    run(*line, "-o", "x.json", cwd=tmp_path)
    assert printed.stdout == (tmp_path / "x.json").read_text("utf-8")
