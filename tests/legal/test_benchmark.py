"""A run against a system: nothing recorded is lost, nothing is asked twice, failures are failures."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from commands import ROOT, run
from platforms import posix
from tables import table_of

import steelyard
from steelyard.errors import InputError, SystemFailure, UnknownName
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import BenchmarkRun
from steelyard.systems.ask import AskSettings
from steelyard.systems.python import PythonSystem


def run_benchmark(*settings, **options):
    return BenchmarkRun(*settings, **options).table()


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
        time.sleep(self.server.delay)
        reply = json.dumps({"answer": f"材料未载明（{len(body['question'])}个字的问题）。"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        try:
            self.wfile.write(reply)
        except OSError:
            return  # whoever asked was killed
        with self.server.lock:
            self.server.answered.append(body["id"])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    found: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.lock, found.asked, found.answered, found.delay = threading.Lock(), [], [], 0.05
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


def command(server, path, *words):
    url = f"http://127.0.0.1:{server.server_address[1]}/ask"
    return ["bench", "--system", url, "-o", str(path), "-j", "4", *words]


def recorded(path):
    """What the whole lines of a results file say, by id."""
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1] if line]
    return {line["id"]: line for line in lines if "id" in line}


@posix
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_run_loses_nothing_and_asks_nothing_twice(server, tmp_path, seed):
    path = tmp_path / "results.jsonl"
    words = [sys.executable, "-m", "steelyard", *command(server, path)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wanted = random.Random(seed).randint(3, 60)
    while len(server.asked) < wanted:
        assert process.poll() is None, "the run ended before it was killed"
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = recorded(path)
    already = len(server.asked)
    server.delay = 0
    done = run(*command(server, path, "--resume", "--json"))
    again = [body["id"] for body in server.asked[already:]]
    assert not set(again) & set(before)
    assert len(again) == len(set(again)) == 165 - len(before)
    after = recorded(path)
    assert {key: after[key] for key in before} == before
    whole = tmp_path / "whole.jsonl"
    undisturbed = run(*command(server, whole, "--json"))
    assert (done.returncode, undisturbed.returncode) == (0, 0)
    results = [json.loads(each.stdout)["results"][0]["metrics"] for each in (done, undisturbed)]
    assert results[0].keys() == {"legal", "Seconds"}
    assert results[0]["legal"] == results[1]["legal"]
    scores = [{key: line["scores"] for key, line in recorded(each).items()} for each in (path, whole)]
    assert scores[0] == scores[1]


@pytest.mark.slow
def test_the_key_is_never_sent(server, tmp_path):
    server.delay = 0
    assert run(*command(server, tmp_path / "r.jsonl", "--limit", "20")).returncode == 0
    assert len(server.asked) == 20
    assert all(set(body) == {"id", "question", "document"} for body in server.asked)


@pytest.fixture(scope="module")
def benchmark():
    return load_benchmark(benchmark_folder(), ["conflict_gap"], 12)


def test_a_failure_is_recorded_counts_as_nought_and_is_asked_again(benchmark, tmp_path):
    failing = {benchmark.questions[3].about.question}

    def system(question):
        if question in failing:
            raise OSError("no luck")
        return "材料未载明。"

    path, settings = tmp_path / "r.jsonl", AskSettings(retries=0)
    table = run_benchmark(benchmark, PythonSystem(system, "mine"), settings, path)
    assert list(table.failures) == [3]
    assert table.failures[3].endswith("the system raised OSError: no luck")
    assert table.column("legal")[3] == 0.0
    assert {
        part: column[3] for part, column in table.parts.get("legal", {}).items() if part != "value_cited"
    }.keys() >= {"passed"}
    assert table.parts["legal"]["passed"][3] == table.parts["legal"]["penalised_score"][3] == 0.0
    assert recorded(path)[table.ids[3]]["output"]["question"] == benchmark.questions[3].about.question
    summary = table.summary()
    assert (summary.items, summary.scored, summary.errors, summary.unscored) == (12, 11, 1, 0)
    assert summary.metrics["legal"].mean == pytest.approx(table.column("legal").mean())
    assert "output" in recorded(path)[table.ids[3]]
    failing.clear()
    again = run_benchmark(benchmark, PythonSystem(system, "mine"), settings, path, resume=True)
    assert (again.failures, len(again)) == ({}, 12)
    assert again.ids == [question.about.id for question in benchmark.questions]
    finished = run_benchmark(benchmark, PythonSystem(system, "mine"), settings, path, resume=True)
    assert finished.column("legal").tolist() == again.column("legal").tolist()


def test_if_every_question_fails_the_system_failed(benchmark, tmp_path):
    with pytest.raises(
        SystemFailure, match=r"^mine: the first 10 questions all failed: .*ZeroDivisionError: division by zero\n"
    ):
        run_benchmark(
            benchmark, PythonSystem(lambda question: 1 / 0, "mine"), AskSettings(retries=0), tmp_path / "r.jsonl"
        )


def test_recorded_answers_are_for_questions(benchmark, tmp_path, write):
    from steelyard.systems.replay import ReplaySystem

    first = benchmark.questions[0].about.id
    lines = [{"id": first, "answer": "不详"}, {"id": "nobody", "answer": "x"}]
    system = ReplaySystem(write("r.jsonl", "".join(json.dumps(line) + "\n" for line in lines)))
    table = run_benchmark(benchmark, system, AskSettings(retries=0), tmp_path / "a.jsonl")
    assert table.counts == {"counts.answers_unasked": 1}
    assert len(table.failures) == 11
    other = ReplaySystem(write("o.jsonl", '{"id": "nobody", "answer": "x"}\n'))
    with pytest.raises(InputError, match="no recorded answer belongs to a question of this benchmark"):
        run_benchmark(benchmark, other, AskSettings(), tmp_path / "b.jsonl")


def test_an_empty_file_is_begun_and_not_resumed(benchmark, tmp_path):
    path = tmp_path / "r.jsonl"
    path.touch()
    table = run_benchmark(benchmark, PythonSystem(lambda question: "不详", "mine"), AskSettings(), path, resume=True)
    assert len(table) == 12


def test_a_result_has_the_name_that_was_given(benchmark, tmp_path):
    path, system = tmp_path / "r.jsonl", PythonSystem(lambda question: "不详", "mine")
    table = run_benchmark(benchmark, system, AskSettings(), path, name="夜间版 2")
    assert (table.name, table.signature.get("system")) == ("夜间版 2", "mine")
    assert json.loads(path.read_text("utf-8").partition("\n")[0])["name"] == "夜间版 2"
    for name in (None, "夜间版 2"):
        assert run_benchmark(benchmark, system, AskSettings(), path, resume=True, name=name).name == "夜间版 2"
    with pytest.raises(InputError, match="was recorded under the name '夜间版 2'"):
        run_benchmark(benchmark, system, AskSettings(), path, resume=True, name="other")


@pytest.mark.parametrize("name", ["two", "stranger", "forged"])
def test_a_file_that_cannot_be_finished_is_not_resumed(benchmark, tmp_path, name):
    path, asked = tmp_path / "r.jsonl", []
    run_benchmark(benchmark, PythonSystem(lambda question: "不详", "mine"), AskSettings(), path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    item = json.loads(lines[1])
    wrong = {
        "two": lines + lines[:3],
        "stranger": [*lines[:3], json.dumps(item | {"id": "nobody"}) + "\n"],
        "forged": [lines[0], json.dumps(item | {"scores": {"legal": 0.123}}) + "\n"],
    }[name]
    path.write_text("".join(wrong), "utf-8")
    system = PythonSystem(lambda question: asked.append(question) or "不详", "mine")
    with pytest.raises(InputError) as caught:
        run_benchmark(benchmark, system, AskSettings(), path, resume=True)
    said = {
        "two": f"{path}: it contains 2 results: mine, mine\n",
        "stranger": f"{path}: the item 'nobody' is not one of the questions\n",
        "forged": f"{path}:2: the score of '{item['id']}' does not match its parts\n",
    }[name]
    assert str(caught.value).startswith(said)
    assert (asked, path.read_text("utf-8")) == ([], "".join(wrong))


@posix
def test_a_run_is_not_written_to_a_pipe(benchmark, tmp_path):
    os.mkfifo(tmp_path / "r.jsonl")
    system = PythonSystem(lambda question: "不详", "mine")
    with pytest.raises(InputError, match="results that are written item by item need a regular file"):
        run_benchmark(benchmark, system, AskSettings(), tmp_path / "r.jsonl", overwrite=True)
    assert (tmp_path / "r.jsonl").is_fifo()


def test_another_run_is_not_resumed(benchmark, tmp_path):
    path = tmp_path / "r.jsonl"
    run_benchmark(benchmark, PythonSystem(lambda question: "不详", "mine"), AskSettings(), path)
    with pytest.raises(InputError) as caught:
        run_benchmark(benchmark, PythonSystem(lambda question: "不详", "other"), AskSettings(), path, resume=True)
    assert str(caught.value) == (
        f"{path}: this result was produced with other settings: system\n"
        "hint: use another file with -o, or remove this one"
    )
    with pytest.raises(InputError, match="the file already exists"):
        run_benchmark(benchmark, PythonSystem(lambda question: "不详", "mine"), AskSettings(), path)


def test_the_same_questions_have_one_digest_wherever_they_lie(tmp_path):
    shutil.copytree(ROOT / "benchmark", tmp_path / "elsewhere")
    here, there = load_benchmark(ROOT / "benchmark"), load_benchmark(tmp_path / "elsewhere")
    assert here.digest == there.digest
    assert here.digest != load_benchmark(ROOT / "benchmark", "fact_exact").digest


def test_public_python():
    table = steelyard.evaluate_legal(lambda question: {"answer": "不知道"}, types=["conflict_gap"])
    assert table.kind == "legal"
    assert set(table.tags["type"]) == {"conflict_gap"}
    with pytest.raises(UnknownName, match="no question type is called 'fact_exakt'"):
        steelyard.evaluate_legal("builtin:baseline", types=["fact_exakt"])


def test_the_seed_s_own_interface(monkeypatch):
    from benchmark.test_runner import BenchmarkRunner

    class Silent:
        def query(self, question):
            return ""

    summary = BenchmarkRunner(ROOT / "benchmark").run_benchmark(Silent(), question_type="fact_exact")
    assert set(summary) == {
        "total_tests", "passed_tests", "pass_rate", "overall_score", "max_score", "overall_percentage", "by_type",
        "individual_results", "timestamp",
    }  # fmt: skip
    assert (summary["total_tests"], summary["passed_tests"], summary["overall_percentage"]) == (83, 0, 0.0)
    assert summary["individual_results"][0].keys() == {"id", "type", "score", "passed", "reason", "error"}
    assert "the answer is empty" in summary["individual_results"][0]["reason"]
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    chinese = BenchmarkRunner(ROOT / "benchmark").run_benchmark(Silent(), question_type="fact_exact")
    assert "回答为空" in chinese["individual_results"][0]["reason"]


def test_percentages_of_the_summary_have_no_binary_error():
    from benchmark.test_runner import summary_of

    scores = [0.1] * 3 + [0.032] * 3  # 100 times their mean is 6.600000000000001
    about = {"ids": list("abcdef"), "tags": {"type": ["fact_exact"] * 6}, "kind": "legal"}
    parts = {"legal": {"passed": np.zeros(6)}}
    summary = summary_of(table_of(columns={"legal": np.array(scores)}, parts=parts, **about))
    assert (repr(summary["overall_percentage"]), repr(summary["overall_score"])) == ("6.6", "0.396")


@pytest.mark.slow
def test_one_test_per_question():
    words = [sys.executable, "-m", "pytest", "-q", "benchmark", "-k", "fact_exact", "-p", "no:cacheprovider"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    strict = {**os.environ, "STEELYARD_SYSTEM": "builtin:baseline"}
    failed = subprocess.run(
        [*words, "--maxfail", "1"], cwd=ROOT, capture_output=True, text=True, check=False, env=strict
    )
    assert failed.returncode == 1
    assert "exact_match" in failed.stdout


@pytest.mark.slow
def test_questions_may_weigh_more(tmp_path):
    source = ROOT / "benchmark"
    (tmp_path / "questions").mkdir()
    (tmp_path / "contract.md").write_bytes((source / "documents" / "contract.md").read_bytes())
    file = json.loads((source / "questions" / "contract.conflict_gap.json").read_text("utf-8"))
    file["questions"] = file["questions"][:3]
    file["questions"][0]["scoring"]["weight"] = 3
    (tmp_path / "questions" / "q.json").write_text(json.dumps(file))
    done = run("bench", tmp_path, "--system", "builtin:baseline", "--json", "-q", "-o", tmp_path / "r.jsonl")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["results"][0]
    first, second, third = (item["scores"]["legal"] for item in result["per_item"])
    assert result["legal"]["weighted_mean"] == pytest.approx((3 * first + second + third) / 5)
