"""What commands print beside their results, and the log file: one place, two options."""

import json
import logging
import re

import pytest
from commands import ROOT, run, start

import steelyard.cli.console
from steelyard.cli.console import LOG

DATA = ROOT / "data"
RUNS = ("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", DATA / "run_b.txt", "-m", "AP")
BENCH = ("bench", "--system", "builtin:baseline", "--limit", "2", "-o", "r.jsonl")
BEGINS = "baseline: 2 questions, results in r.jsonl\n"


def test_bench_prints_what_it_does_where_there_is_no_terminal(tmp_path):
    done = run(*BENCH, "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["kind"]) == (0, "legal")
    assert done.stderr == BEGINS


def test_the_demo_does_not_name_its_temporary_file(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_quiet_leaves_numbers_and_errors(tmp_path):
    loud = run(*BENCH, cwd=tmp_path)
    assert run("--quiet", *BENCH, "--overwrite", cwd=tmp_path) == (0, loud.stdout, "")
    assert run(*BENCH, "--overwrite", "--quiet", "--json", "--require", "legal >= 2", cwd=tmp_path).stderr == ""
    failed = run("answers", "absent.jsonl", "--quiet", cwd=tmp_path)
    assert (failed.returncode, failed.stderr) == (2, "absent.jsonl: no such file\n")


def test_the_last_of_quiet_and_verbose_counts():
    assert run(*RUNS, "--verbose", "--quiet").stderr == ""
    assert run("--quiet", *RUNS, "--verbose").stderr != ""


def test_verbose_has_files_scores_and_times_on_standard_error():
    done = run("--verbose", *RUNS, "--engine", "local")
    assert done.stdout == run(*RUNS).stdout
    lines = [re.fullmatch(r" *\d+ ms  (.*)", line)[1] for line in done.stderr.splitlines()]
    assert re.fullmatch(rf"steelyard {steelyard.__version__} \((compiled kernel|pure Python)\), Python 3\..*", lines[0])
    assert f"reading {DATA / 'run_a.txt'}" in lines
    assert any(line.startswith("engine local, ") for line in lines)
    assert lines[-1] == "exit code 0"
    assert "读取" in run("--verbose", *RUNS, "--lang", "zh").stderr


def test_a_log_file_has_everything_and_is_appended_to(tmp_path):
    for _ in range(2):
        assert run(*BENCH, "--log-file", "a.log", "--quiet", "--overwrite", cwd=tmp_path).stderr == ""
    assert run("answers", "absent.jsonl", "--log-file", "a.log", cwd=tmp_path).returncode == 2
    log = (tmp_path / "a.log").read_text("utf-8")
    assert log.count(f" INFO {BEGINS}") == 2
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} DEBUG steelyard .*", log.splitlines()[0])
    assert log.splitlines()[-1].endswith(" ERROR absent.jsonl: no such file")


def test_a_log_file_that_cannot_be_written_is_an_input_error(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "1", "prediction": "x", "references": ["x"]}\n')
    taken = run("answers", "a.jsonl", "--log-file", "./a.jsonl", cwd=tmp_path)
    assert (taken.returncode, taken.stdout) == (2, "")
    assert taken.stderr == "a.jsonl: this is one of the inputs; it would be overwritten\nhint: use another name\n"
    absent = run("answers", "a.jsonl", "--log-file", "no/a.log", cwd=tmp_path)
    assert (absent.returncode, absent.stdout) == (2, "")
    assert absent.stderr.endswith("no/a.log: No such file or directory\n")


def test_long_work_prints_a_line_every_so_often(tmp_path, monkeypatch):
    monkeypatch.setattr(steelyard.cli.console, "EVERY", 0.0)
    lines = run(*BENCH, "-j", "1", cwd=tmp_path).stderr.splitlines()
    assert [line.rpartition(",")[0] for line in lines[1:]] == ["1/2 questions", *["2/2 questions"] * 2]
    assert re.fullmatch(r"1 results, \d+ s\n(2 results, \d+ s\n){2}", run(*RUNS, "--json").stderr)
    assert re.search(r"^\d+ rows, \d+ s$", run("answers", DATA / "answers_a.jsonl").stderr, re.MULTILINE)
    assert run(*RUNS, "--quiet").stderr == ""


@pytest.mark.slow
def test_the_log_is_as_before_after_a_command(caplog):
    start("metrics", "AP")
    before = (LOG.handlers, LOG.level, LOG.propagate)
    run(*RUNS, "--verbose")
    assert (LOG.handlers, LOG.level, LOG.propagate) == before
    with caplog.at_level(logging.DEBUG, "steelyard"):  # Python code has the same messages, if it asks for them
        steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / "run_a.txt", ["AP"])
    assert f"reading {DATA / 'run_a.txt'}" in caplog.messages
