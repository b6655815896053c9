"""Commands that are stopped by a signal end the processes that they started, and report what is saved."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from platforms import linux, posix
from processes import DEADLINE, children, is_alive, until
from web.folders import put, table

SLOW_SERVER = """
import os
import time

from steelyard.pipelines.server import Server

app = Server("slow", __file__)


@app.tool("->x")
def begin():
    return {"x": 1}


@app.tool("x->y")
def wait(x):
    with open("pid", "w") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(300)
    return {"y": 1}


if __name__ == "__main__":
    app.run()
"""


def unless_ignored(name: str) -> "signal.Signals":
    """The signal of this name; the test is skipped where processes are started with it ignored (nohup)."""
    number = signal.Signals[name]
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as by nohup")
    return number


def command(*words: object, cwd: Path, **settings: object) -> "subprocess.Popen[str]":
    """A command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "steelyard", *map(str, words), "--lang", "en"],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,  # type: ignore[call-overload]
    )


def until_serving(process: "subprocess.Popen[str]") -> None:
    """Wait for the first page of `view`."""
    assert process.stderr is not None
    address = process.stderr.readline().split()[-1]
    assert httpx.get(address, trust_env=False, timeout=DEADLINE).status_code == 200


@pytest.fixture
def pipeline(tmp_path):
    source = tmp_path / "servers" / "slow" / "src"
    source.mkdir(parents=True)
    (source / "slow.py").write_text(SLOW_SERVER)
    (source.parent / "parameter.yaml").write_text("{}\n")
    (tmp_path / "p.yaml").write_text("servers:\n  slow: servers/slow\npipeline:\n- slow.begin\n- slow.wait\n")
    return tmp_path


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])  # Windows has no SIGHUP
def test_a_pipeline_ends_its_servers_and_can_be_resumed(pipeline, name):
    number = unless_ignored(name)
    with command("run", "p.yaml", "--isolated", cwd=pipeline) as process:
        until(lambda: (pipeline / "pid").exists() and (pipeline / "pid").read_text().endswith("\n"))
        server = int((pipeline / "pid").read_text())
        assert server != process.pid
        process.send_signal(number)
        _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 143
    assert "steelyard run p.yaml --resume" in errors
    assert "Traceback" not in errors
    until(lambda: not is_alive(server))


@linux
@pytest.mark.slow
def test_answers_ends_its_processes(tmp_path):
    row = {"prediction": "Paris", "reference": "Paris"}
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"id": n, **row}) + "\n" for n in map(str, range(300_000))))
    with command("answers", "rows.jsonl", "-j", "2", cwd=tmp_path) as process:
        until(lambda: len(children(process.pid)) == 2)
        workers = children(process.pid)
        process.terminate()
        _, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, errors) == (143, "")
    until(lambda: not any(map(is_alive, workers)))


@posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])  # Windows has no SIGHUP
def test_view_ends_with_0(tmp_path, name):
    number = unless_ignored(name)
    put(tmp_path / "r.jsonl", table("a run"))
    with command("view", tmp_path, "--port", "0", cwd=tmp_path) as process:
        until_serving(process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, errors) == (0, "")
    assert not list(tmp_path.glob("*-wal"))


@posix
@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    put(tmp_path / "r.jsonl", table("a run"))
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}  # as nohup does
    with command("view", tmp_path, "--port", "0", cwd=tmp_path, **ignore) as process:
        until_serving(process)
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.terminate()
        _, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, errors) == (0, "")
