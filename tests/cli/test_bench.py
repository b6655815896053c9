"""`steelyard bench` used rightly and wrongly."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import commands
import pytest
from platforms import linux
from processes import is_alive, until

ROOT = Path(__file__).parents[2]


def run(*words, cwd=ROOT):
    return commands.run("bench", *words, cwd=cwd)


@pytest.mark.slow
def test_json_and_per_item(tmp_path):
    done = run("--system", "builtin:baseline", "--json", "-q", "-o", tmp_path / "r.jsonl", "-o", tmp_path / "r.md")
    assert (done.returncode, done.stderr) == (0, f"baseline: 165 questions, results in {tmp_path / 'r.jsonl'}\n")
    found = json.loads(done.stdout)
    assert found["kind"] == "legal"
    (result,) = found["results"]
    assert (result["name"], result["items"], result["scored"], result["errors"]) == ("baseline", 165, 165, 0)
    assert list(result["metrics"])[:2] == ["legal", "EvidenceRecall@1"]  # the baseline returns contexts
    item = next(each for each in result["per_item"] if each["tags"]["type"] == "fact_exact")
    assert item["parts"]["legal"]["exact_match"] in (0.0, 1.0)
    assert item["notes"]["legal"].startswith("exact_match: ")
    assert set(result["legal"]["abstention"]) >= {"over_refusal_rate", "false_answer_rate"}
    assert (tmp_path / "r.md").read_text("utf-8").count("legal")
    replayed = run("--system", f"replay:{tmp_path / 'r.jsonl'}", "--json", "-o", tmp_path / "again.jsonl")
    assert json.loads(replayed.stdout)["results"][0]["metrics"] == result["metrics"]


@pytest.mark.slow
def test_chinese(tmp_path):
    done = run("--system", "builtin:baseline", "--lang", "zh", "--type", "conflict_gap", "-o", tmp_path / "r.jsonl")
    assert "应当拒答" in done.stdout
    assert "得分最低的条目" in done.stdout


def test_the_name_of_the_result(tmp_path):
    words = ("--system", "builtin:baseline", "--limit", "2", "--json", "-o", tmp_path / "r.jsonl")
    done = run(*words, "--name", "夜间版 2")
    assert json.loads(done.stdout)["results"][0]["name"] == "夜间版 2"
    assert done.stderr.startswith("夜间版 2: 2 questions")
    blank = run(*words, "--name", " ")
    assert (blank.returncode, "--name: must not be blank" in blank.stderr) == (2, True)


def test_the_case_of_an_extension_does_not_matter(tmp_path):
    words = ("--system", "builtin:baseline", "--limit", "2", "-o", tmp_path / "R.JSONL")
    assert run(*words).returncode == 0
    path = tmp_path / "R.JSONL"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
    done = run(*words, "--resume")
    assert (done.returncode, path.read_text("utf-8").count("\n")) == (0, 4)


MISTAKES = {
    "no system": (("--system", "nothing"), "this is not the SPEC of a system: 'nothing'"),
    "no folder": (("nowhere", "--system", "builtin:baseline"), "nowhere: there is no such folder"),
    "resume what": (
        ("--system", "builtin:baseline", "--resume"),
        "there is nothing to resume\nhint: specify the results file: -o FILE.jsonl --resume",
    ),
    "no replay": (("--system", "replay:nowhere.json"), "nowhere.json: no such file"),
    "bad header": (
        ("--system", "http://127.0.0.1:1/", "--header", "x"),
        "--header: a header must be NAME:VALUE, with a colon",
    ),
    "bad name of a header": (
        ("--system", "http://127.0.0.1:1/", "--header", "X Y: 1"),
        "--header: 'X Y' is not a valid header name: only letters, digits and - _ . are allowed",
    ),
    "bad header value": (
        ("--system", "http://127.0.0.1:1/", "--header", "X: 1\n2"),
        "--header: the header 'X' has characters that HTTP does not allow",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name, tmp_path):
    words, message = MISTAKES[name]
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_tag_is_checked_before_anything_is_asked(tmp_path):
    done = run("--system", "builtin:baseline", "--by", "nope", "-o", tmp_path / "r.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("no tag is called 'nope'")
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.slow
def test_what_a_system_prints_is_not_in_the_json(tmp_path):
    (tmp_path / "noisy.py").write_text("def answer(question):\n    print('debug')\n    return '不详'\n")
    done = run("--system", "python:noisy:answer", "--limit", "2", "--json", "-o", "r.jsonl", cwd=tmp_path)
    assert json.loads(done.stdout)["kind"] == "legal"
    assert "debug" in done.stderr


@pytest.mark.slow
def test_a_system_that_is_not_there(tmp_path):
    done = run("--system", "http://127.0.0.1:9/ask", "--retries", "0", "--limit", "2", "-o", tmp_path / "r.jsonl")
    assert done.returncode == 3
    assert "every question failed" in done.stderr
    assert (tmp_path / "r.jsonl").exists()


@pytest.mark.slow
def test_the_results_file_is_named_where_none_was_asked_for(tmp_path):
    done = run("--system", "builtin:baseline", "--limit", "3", cwd=tmp_path)
    assert done.returncode == 0
    begins, ends = done.stderr.splitlines()
    path = tmp_path / ends.removeprefix("results: ")
    assert begins.endswith(f", results in {ends.removeprefix('results: ')}")
    assert path.parent.name == "results"
    assert len(path.read_text("utf-8").splitlines()) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "questions/q.json:1: "),
        ('{"benchmark_type": "fact_exakt", "document": "d.md", "questions": []}', "questions/q.json:1: "),
    ],
)
def test_bad_question_files(tmp_path, content, message):
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "q.json").write_text(content)
    done = run(tmp_path, "--system", "builtin:baseline", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.slow
def test_a_missing_document(tmp_path):
    folder = tmp_path / "bench"  # documents are also looked for beside a benchmark
    (folder / "questions").mkdir(parents=True)
    source = json.loads((ROOT / "benchmark" / "questions" / "contract.fact_exact.json").read_text("utf-8"))
    (folder / "questions" / "q.json").write_text(json.dumps(source))
    done = run(folder, "--system", "builtin:baseline", cwd=folder)
    assert done.returncode == 0
    assert "documents that were not found: what needs them (pages, inventions) was not checked" in done.stdout


SLOW_PROGRAM = """
import json, os, subprocess, sys, time
child = subprocess.Popen(["sleep", "300"])
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
for number, line in enumerate(sys.stdin):
    if number == 3:
        time.sleep(300)
    print(json.dumps({"answer": "材料未载明。"}), flush=True)
"""


@linux
@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_that_is_stopped_ends_its_programs_and_says_what_was_kept(tmp_path, number, code):
    (tmp_path / "program.py").write_text(SLOW_PROGRAM, encoding="utf-8")
    path, pids = tmp_path / "r.jsonl", tmp_path / "pids"
    system = f"command:{sys.executable} {tmp_path / 'program.py'} {pids}"
    words = [sys.executable, "-m", "steelyard", "bench", "--system", system, "-j", "1", "--limit", "9"]
    words += ["-o", str(path), "--lang", "en"]
    run = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until(lambda: path.exists() and path.read_bytes().count(b"\n") == 4)  # the head and three items
    started = [int(pid) for pid in pids.read_text().split()]
    assert all(map(is_alive, started))
    run.send_signal(number)
    _, said = run.communicate(timeout=120)
    assert run.returncode == code
    assert re.search(r"^stopped; [23] of 9 questions are done and saved in ", said, re.MULTILINE)
    assert f"{path}\nhint: resume with: -o {path} --resume\n" in said
    until(lambda: not any(map(is_alive, started)))
    assert path.read_bytes().count(b"\n") == 4


FLAKY = """
def answer(question):
    if "多少" in question:
        raise RuntimeError("HTTP 500")
    return "不详"
"""


@pytest.mark.slow
def test_too_many_failed_questions_are_exit_3_with_the_results_kept(tmp_path):
    (tmp_path / "flaky.py").write_text(FLAKY, encoding="utf-8")
    asked = ("--system", "python:flaky:answer", "--retries", "0", "-o", "r.jsonl", "--lang", "en")
    done = run(*asked, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("⚠ ")
    assert re.search(
        r"flaky:answer: \d+ of 165 questions failed, more than --max-errors allows \(0\.05\); ", done.stderr
    )
    assert "HTTP 500" in done.stderr
    assert "the results are kept; ask the failed questions again with -o r.jsonl --resume" in done.stderr
    kept = (tmp_path / "r.jsonl").read_text("utf-8")
    assert len(kept.splitlines()) == 166
    done = run(*asked, "--resume", "--max-errors", "90%", cwd=tmp_path)
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("citations", "noticed"), [([], True), ([{"page": 1, "text": "甲"}], False)])
def test_answers_that_all_lack_citations_are_noticed(tmp_path, citations, noticed):
    answer = {"answer": "不清楚", "citations": citations}
    name = f"cites_{len(citations)}"
    (tmp_path / f"{name}.py").write_text(f"def reply(question):\n    return {answer!r}\n", encoding="utf-8")
    done = run("--system", f"python:{name}:reply", "-o", "r.jsonl", cwd=tmp_path)
    assert ("no answer has a citation" in done.stderr) is noticed
