"""The Dask engine, where Dask is installed: the same tables, workers that are killed, and what is left behind."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import start
from platforms import linux, posix
from processes import is_alive, until
from tables import shown

import steelyard
from steelyard.engines import dask
from steelyard.engines.base import Part, PartLost, received, work
from steelyard.engines.dask import DaskEngine
from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.signals import starting_workers

has_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="needs Dask: make extras")
slow = pytest.mark.slow
PARTS = [1, 2, 7, 64]


def parts(count):
    return (Part(f"part {number}", number) for number in range(count))


def doubled(number):
    time.sleep(0.01)
    return os.getpid(), 2 * number


def refused(number):
    if number == 3:
        raise InputError(Message("formats.no_rows"), where="a.jsonl:3", hint="a hint")
    return number


def killed(folder: Path, number: int) -> int:
    """Kill this process as often as there are files that begin with the number."""
    for path in sorted(folder.glob(f"{number}-*")):
        path.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.fixture(scope="module")
def engine():
    opened = DaskEngine(workers=2, retries=1)
    yield opened
    opened.close()


def written(path: Path, rows: int) -> Path:
    """Answers of words that differ, from 2,048 rows on in several batches."""
    choose = random.Random(rows)
    with path.open("w") as file:
        for number in range(rows):
            words = choose.choices("abcdefgh", k=6)
            row = {"id": number, "prediction": " ".join(words), "references": [" ".join(words[:3])]}
            file.write(json.dumps(row) + "\n")
    return path


@has_dask
@slow
def test_results_are_in_order_and_errors_in_their_place(engine):
    found = list(engine.map_in_order(doubled, parts(40)))
    assert [number for _, number in found] == [2 * number for number in range(40)]
    assert len({pid for pid, _ in found} - {os.getpid()}) == 2
    results = engine.map_in_order(refused, parts(10))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match=r"a\.jsonl:3: it contains no rows"):
        next(results)
    with pytest.raises(ZeroDivisionError) as caught:
        list(engine.map_in_order(partial(divmod, 1), parts(1)))
    assert "in a worker" in caught.value.__notes__[0]
    assert list(engine.map_in_order(lambda number: -number, parts(3))) == [0, -1, -2]
    assert list(engine.map_in_order(doubled, [])) == []


@has_dask
@slow
def test_few_parts_are_taken_ahead_and_an_error_of_reading_comes_last(engine):
    taken = []

    def torn():
        for part in parts(100):
            taken.append(part)
            yield part
        raise InputError(Message("formats.no_rows"), where="b")

    results = engine.map_in_order(abs, torn())
    assert [next(results) for _ in range(10)] == list(range(10))
    assert len(taken) <= 10 + 6
    assert [next(results) for _ in range(90)] == list(range(10, 100))
    with pytest.raises(InputError, match="b: it contains no rows"):
        next(results)


@has_dask
@slow
@pytest.mark.parametrize("count", PARTS)
def test_tables_do_not_depend_on_parts(engine, monkeypatch, tmp_path, count):
    answers = written(tmp_path / "rows.jsonl", 2048 * 3)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"q{q} 0 d{d} {d % 3}\n" for q in range(70) for d in range(9)))
    run.write_text("".join(f"q{q} Q0 d{d * 7 % 11} 1 {9 - d // 2} t\n" for q in range(70) for d in range(9)))
    monkeypatch.setattr(engine, "part_bytes", max(1, answers.stat().st_size // count))
    assert shown(steelyard.evaluate_answers(answers, engine=engine)) == shown(steelyard.evaluate_answers(answers))
    monkeypatch.setattr(engine, "part_bytes", max(1, run.stat().st_size // count))
    expected = shown(steelyard.evaluate_retrieval(qrels, run))
    assert shown(steelyard.evaluate_retrieval(qrels, run, engine=engine)) == expected


@has_dask
@slow
def test_parts_of_killed_workers_are_done_again(engine, tmp_path):
    for number in range(4):
        (tmp_path / f"{number}-0").touch()
    assert list(engine.map_in_order(partial(killed, tmp_path), parts(12))) == list(range(12))


@has_dask
@slow
def test_a_part_that_is_lost_too_often_is_named_and_what_was_done_is_given(engine, tmp_path):
    for number in range(2):
        (tmp_path / f"5-{number}").touch()
    results = engine.map_in_order(partial(killed, tmp_path), parts(20))
    assert [next(results) for _ in range(5)] == list(range(5))
    with pytest.raises(PartLost, match=r"^part 5: the process for this part was killed \(2 attempts\)\n"):
        next(results)


@has_dask
@slow
def test_a_scheduler_at_an_address(tmp_path):
    """One that gives a part up with the first lost worker, and workers of two threads."""
    from distributed import LocalCluster

    rows = written(tmp_path / "rows.jsonl", 2048 * 4)
    settings = {"allowed_failures": 0, "dashboard": False}
    for number in range(2):
        (tmp_path / f"5-{number}").touch()
    with LocalCluster(
        2, threads_per_worker=2, dashboard_address="127.0.0.1:0", silence_logs=50, scheduler_kwargs=settings
    ) as cluster:
        engine = DaskEngine(cluster.scheduler_address, retries=4, part_bytes=1)
        assert list(engine.map_in_order(partial(killed, tmp_path), parts(20))) == list(range(20))
        assert shown(steelyard.evaluate_answers(rows, engine=engine)) == shown(steelyard.evaluate_answers(rows))
        engine.close()
        assert cluster.scheduler.status.name == "running"


@has_dask
@slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "auto", "rays://127.0.0.1:1"])
def test_no_scheduler_at_the_address(monkeypatch, address):
    monkeypatch.setattr(dask, "_PATIENCE", 0.5)
    with pytest.raises(SystemFailure, match=rf"^{address}: no connection to Dask: .*\nhint: is the scheduler running"):
        next(DaskEngine(address).map_in_order(abs, parts(1)))


@has_dask
@slow
def test_no_scheduler_is_an_error_of_small_inputs_too(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "prediction": "a", "references": ["a"]}\n', "utf-8")
    done = start("answers", "rows.jsonl", "--engine", "dask", "--address", "tcp://127.0.0.1:1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("tcp://127.0.0.1:1: no connection to Dask: ")


def test_a_worker_of_another_version():
    with pytest.raises(
        ConfigError, match=r"^a worker has steelyard \S+, this program steelyard 0\.0\.1\nhint: install"
    ):
        received(work("0.0.1", "key", pickle.dumps((None, abs)), 1))


@pytest.mark.parametrize("package", ["python", "distributed"])
def test_a_node_of_another_version_of_dask_or_python(package):
    own = {"packages": {"python": "3.11.7.final.0", "distributed": "2026.8.0"}}
    same = {"packages": {"python": "3.11.1.final.0", "distributed": "2026.8.0"}}
    other = {"packages": {**same["packages"], package: "3.10.0"}}
    dask._check_versions(own, same, {"a": same})
    for nodes in ((other, {"a": same}), (same, {"a": same, "b": other})):
        with pytest.raises(ConfigError, match=rf"^a worker has {package} 3\.10"):
            dask._check_versions(own, *nodes)


METRIC = """
import os, pathlib, signal, time, numpy, steelyard

@steelyard.metric("Lasting", kind="answers")
def lasting(pairs, profile):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")
    if pathlib.Path("slow").exists():
        time.sleep(60)
    for path in sorted(pathlib.Path(".").glob("kill-*"))[:1]:
        path.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return numpy.ones(len(list(pairs.rows())))
"""
"""A metric that kills the process in which it is computed, as often as there are files; with a file `slow` it waits."""
ANSWERS = ["answers", "rows.jsonl", "-m", "F1,Lasting", "--metrics-from", "lasting"]
DASK = ["--engine", "dask", "-j", "2"]


@pytest.fixture
def folder(tmp_path):
    written(tmp_path / "rows.jsonl", 50_000)
    (tmp_path / "lasting.py").write_text(METRIC)
    return tmp_path


@has_dask
@slow
@posix
def test_the_command_and_a_killed_worker_print_the_same_and_nothing_else(folder):
    wanted = start(*ANSWERS, "--json", cwd=folder)
    assert start(*ANSWERS, "--json", *DASK, cwd=folder) == wanted
    (folder / "kill-1").touch()
    assert start(*ANSWERS, "--json", *DASK, cwd=folder) == wanted
    assert not (folder / "kill-1").exists()
    assert (wanted.returncode, wanted.stderr) == (0, "")


@has_dask
@slow
@posix
def test_a_command_whose_part_was_lost_is_resumed(folder):
    assert start(*ANSWERS, "-o", "whole.jsonl", cwd=folder).returncode == 0
    command = [*ANSWERS, *DASK, "-o", "r.jsonl", "--retries", "0"]
    (folder / "kill-1").touch()
    lost = start(*command, cwd=folder)
    assert lost.returncode == 2
    assert "the process for this part was killed (1 attempt)" in lost.stderr
    done = start(*command, "--resume", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [(folder / name).read_text().splitlines() for name in ("whole.jsonl", "r.jsonl")]
    assert lines[0][1:] == lines[1][1:]


def workers(folder: Path) -> set[int]:
    """The processes that have begun a part."""
    path = folder / "pids"
    return set(map(int, path.read_text().split())) if path.exists() else set()


@has_dask
@slow
@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_no_process_is_left_when_the_program_is_stopped(folder, number):
    """Ctrl-C and the end of a terminal reach the workers too; the program prints nothing but what it does alone."""
    (folder / "slow").touch()
    with (folder / "errors").open("w") as errors:
        program = subprocess.Popen(
            [sys.executable, "-m", "steelyard", *ANSWERS, *DASK],
            cwd=folder,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
        until(lambda: len(workers(folder)) == 2)
        (os.killpg if number in (signal.SIGINT, signal.SIGHUP) else os.kill)(program.pid, number)
        program.wait()
    until(lambda: not any(map(is_alive, workers(folder))))
    if number != signal.SIGKILL:
        assert (folder / "errors").read_text() == ""


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_until_workers_are_started_and_do_not_reach_them(number):
    """They are left to the program, which then handles them as before."""
    received: list[int] = []
    before = signal.signal(number, lambda number, _: received.append(number))
    code = "import signal; print(*sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    try:
        with starting_workers():
            os.kill(os.getpid(), number)
            blocked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            assert received == []
        assert received == [number]
    finally:
        signal.signal(number, before)
    assert blocked.split() == [str(int(signal.SIGHUP)), str(int(signal.SIGINT))]


@has_dask
@slow
@posix
def test_handlers_of_signals_are_kept():
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    engine = DaskEngine(workers=1)
    assert list(engine.map_in_order(abs, parts(2))) == [0, 1]
    engine.close()
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())
