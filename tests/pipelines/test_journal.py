"""A run that ended early goes on where it ended: after a failure, after kill -9, and in constant memory."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from platforms import linux, posix

from steelyard.cli import main

COUNTER = """
import os
import time
from pathlib import Path

from steelyard.pipelines.server import Server

app = Server("counter", __file__)
STATE = {"ready": False}


def note(word):
    with open("calls.log", "a") as file:
        file.write(word + "\\n")


@app.tool("->")
def prepare():
    note("prepare")
    STATE["ready"] = True


@app.tool("rows->xs")
def make(rows):
    note("make")
    return {"xs": [0] * rows}


@app.tool("xs,step,pause->xs")
def add(xs, step, pause):
    note("add")
    time.sleep(pause)
    return {"xs": [x + step for x in xs]}


@app.tool("xs->total")
def total(xs):
    note("total")
    if not STATE["ready"]:
        raise RuntimeError("not prepared")
    if Path("broken").exists():
        from steelyard.errors import SystemFailure

        raise SystemFailure("the scales are broken")
    return {"total": sum(xs)}
"""
STEPS = """servers:
  counter: servers/counter
pipeline:
- counter.prepare
- counter.make
- loop:
    times: {times}
    steps: [counter.add]
- counter.total
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    source = tmp_path / "servers" / "counter" / "src"
    source.mkdir(parents=True)
    (source / "counter.py").write_text(COUNTER)
    (source.parent / "parameter.yaml").write_text("rows: 3\nstep: 2\npause: 0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(here, times):
    (here / "p.yaml").write_text(STEPS.format(times=times))


def calls(here):
    words = (here / "calls.log").read_text().split()
    (here / "calls.log").unlink()
    return words


def result(capsys):
    return json.loads(capsys.readouterr().out)


def test_a_failed_run_goes_on_at_the_step_that_failed(here, capsys):
    write(here, times=4)
    (here / "broken").touch()
    assert main(["run", "p.yaml", "--json"]) == 3
    assert "p.yaml:9: counter.total: the scales are broken" in capsys.readouterr().err
    assert calls(here) == ["prepare", "make", "add", "add", "add", "add", "total"]
    (here / "broken").unlink()
    assert main(["run", "p.yaml", "--json", "--resume"]) == 0
    assert result(capsys) == {"total": 24}
    # what only prepares a server is done again, as soon as the server is needed
    assert calls(here) == ["prepare", "total"]
    (snapshot,) = (here / "output").iterdir()
    steps = [call["step"] for call in json.loads(snapshot.read_text())]
    assert steps == ["counter.prepare", "counter.make", *["counter.add"] * 4, "counter.total"]


def test_nothing_is_left_to_resume_after_a_whole_run(here, capsys):
    write(here, times=1)
    assert main(["run", "p.yaml"]) == 0
    assert main(["run", "p.yaml", "--resume"]) == 2
    assert capsys.readouterr().err.endswith("output: no unfinished run of p was found\n")


def test_a_changed_parameter_runs_anew_from_the_first_step_that_uses_it(here, capsys):
    write(here, times=2)
    (here / "broken").touch()
    assert main(["run", "p.yaml"]) == 3
    (here / "broken").unlink()
    calls(here)
    (here / "parameters").mkdir()
    (here / "parameters" / "p_parameter.yaml").write_text("counter: {step: 5}\n")
    capsys.readouterr()
    assert main(["run", "p.yaml", "--resume", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"total": 30}
    assert "run again from counter.add on: the step or its parameters have changed\n" in err
    assert calls(here) == ["prepare", "add", "add", "total"]


def test_a_torn_last_line_is_run_again(here, capsys):
    write(here, times=2)
    (here / "broken").touch()
    assert main(["run", "p.yaml"]) == 3
    (here / "broken").unlink()
    (journal,) = (here / "output").glob("*.jsonl")
    journal.write_bytes(journal.read_bytes()[:-20])
    calls(here)
    capsys.readouterr()
    assert main(["run", "p.yaml", "--resume", "--json"]) == 0
    assert result(capsys) == {"total": 12}
    assert calls(here) == ["prepare", "add", "total"]


def test_the_journal_of_another_pipeline_is_left_alone(here, capsys):
    write(here, times=2)
    (here / "broken").touch()
    (here / "p_more.yaml").write_text((here / "p.yaml").read_text())
    assert main(["run", "p_more.yaml"]) == 3
    (journal,) = (here / "output").glob("*.jsonl")
    before = journal.read_bytes()
    assert main(["run", "p.yaml", "--resume"]) == 2
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "p_more.yaml").write_text((here / "p.yaml").read_text())
    assert main(["run", "elsewhere/p_more.yaml", "--resume"]) == 2
    assert journal.read_bytes() == before


def test_another_server_under_the_same_name_is_asked_anew(here, capsys):
    write(here, times=2)
    (here / "broken").touch()
    assert main(["run", "p.yaml"]) == 3
    (here / "broken").unlink()
    program = here / "servers" / "counter" / "src" / "counter.py"
    program.write_text(COUNTER.replace("[0] * rows", "[100] * rows"))
    capsys.readouterr()
    assert main(["run", "p.yaml", "--resume", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"total": 312}
    assert "run again from counter.prepare on: the step or its parameters have changed\n" in err
    (kept,) = (here / "output").glob("*.replaced.jsonl")
    assert len(kept.read_text().splitlines()) == 1 + 4


def test_two_runs_of_one_second_keep_both_snapshots(here):
    write(here, times=1)
    assert main(["run", "p.yaml"]) == main(["run", "p.yaml"]) == 0
    assert len(list((here / "output").glob("memory__p_*.json"))) == 2


def start(*more):
    return subprocess.Popen(
        [sys.executable, "-m", "steelyard.cli", "run", "p.yaml", "--json", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@posix
@pytest.mark.slow
def test_a_killed_run_gives_the_same_result_when_it_is_resumed(here):
    write(here, times=400)
    (here / "servers" / "counter" / "parameter.yaml").write_text("rows: 50\nstep: 3\npause: 0.002\n")
    run = start()
    deadline = time.monotonic() + 30
    seed = random.randrange(50, 300)
    while not (here / "calls.log").exists() or len((here / "calls.log").read_text().split()) < seed:
        assert time.monotonic() < deadline, run.communicate()
        time.sleep(0.005)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    before = calls(here)
    resumed = start("--resume")
    out, err = resumed.communicate(timeout=60)
    assert (json.loads(out), resumed.returncode) == ({"total": 50 * 3 * 400}, 0), err
    # at most the one call that was under way is made twice
    assert len(before) + len(calls(here)) <= 1 + 1 + 400 + 1 + 2


MEASURE = """
import resource, sys
from steelyard.cli import main
code = main(["run", "p.yaml"])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak(here, times):
    write(here, times)
    (here / "servers" / "counter" / "parameter.yaml").write_text("rows: 1000\nstep: 1\npause: 0\n")
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    code, kilobytes = done.stderr.split()[-2:]
    assert code == "0"
    return int(kilobytes)


@linux
@pytest.mark.slow
def test_a_thousand_rounds_need_no_more_memory_than_ten(here):
    # a value of 1,000 rows is some 36 kB: a thousand of them kept would be 36 MB
    assert peak(here, 1000) - peak(here, 10) < 8_000
