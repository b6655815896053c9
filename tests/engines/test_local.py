"""The local engine: results in order, few parts ahead, errors of tasks and of parts, processes that are killed."""

import copyreg
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from platforms import forking, linux, posix
from processes import children, is_alive, until

from steelyard import limits
from steelyard.engines.base import Part, PartLost, engine_of, open_engine
from steelyard.engines.local import LocalEngine
from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.i18n import Message
from steelyard.registry import kinds as direction

pytestmark = pytest.mark.slow

METHODS = [pytest.param("fork", marks=forking), pytest.param("spawn", marks=pytest.mark.slow)]


def parts(count):
    return (Part(f"part {number}", number) for number in range(count))


def doubled(number):
    return 2 * number


def slow_first(number):
    time.sleep(0.2 if number == 0 else 0)
    return os.getpid(), number


def refused(number):
    if number == 3:
        raise InputError(Message("formats.no_rows"), where="a.jsonl:3", hint="a hint")
    return number


def faulty(number):
    return 1 / number


def killed_once(folder: Path, number: int) -> int:
    """Kill this process as often as there are files that begin with the number."""
    for path in sorted(folder.glob(f"{number}-*")):
        path.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def limit_and_direction(number):
    return limits.ROWS.value, direction.is_lower_better("latency")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [0, 1, 30])
def test_results_are_in_the_order_of_parts(method, count):
    assert list(LocalEngine(2, method=method).map_in_order(doubled, parts(count))) == [2 * n for n in range(count)]


def test_several_processes_work_and_end_with_the_results():
    results = list(LocalEngine(2).map_in_order(slow_first, parts(20)))
    pids = {pid for pid, _ in results}
    assert [number for _, number in results] == list(range(20))
    assert len(pids) == 2
    assert os.getpid() not in pids


@linux
def test_processes_end_when_the_iterator_is_closed():
    before = set(children(os.getpid()))
    results = LocalEngine(2).map_in_order(slow_first, parts(100))
    next(results)
    started = set(children(os.getpid())) - before
    assert len(started) == 2
    results.close()
    assert not any(map(is_alive, started))


def test_few_parts_are_taken_ahead():
    taken = []

    def counted():
        for part in parts(1000):
            taken.append(part)
            yield part

    results = LocalEngine(2).map_in_order(doubled, counted())
    for _ in range(10):
        next(results)
    assert len(taken) <= 10 + 8
    results.close()


def test_an_input_error_has_its_place_and_comes_after_the_results_before_it():
    results = LocalEngine(2).map_in_order(refused, parts(10))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError) as caught:
        next(results)
    assert str(caught.value) == "a.jsonl:3: it contains no rows\nhint: a hint"


def test_a_fault_says_where_it_was_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        list(LocalEngine(2).map_in_order(faulty, parts(10)))
    assert "in faulty" in caught.value.__notes__[0]


def test_an_error_of_reading_comes_after_the_results_before_it():
    def torn():
        yield from parts(5)
        raise InputError(Message("formats.no_rows"), where="b")

    results = LocalEngine(2).map_in_order(doubled, torn())
    assert [next(results) for _ in range(5)] == [0, 2, 4, 6, 8]
    with pytest.raises(InputError, match="b: it contains no rows"):
        next(results)


@forking
def test_what_cannot_be_sent_back_is_an_error():
    with pytest.raises(RuntimeError, match="function"):
        list(LocalEngine(2).map_in_order(lambda number: lambda: number, parts(3)))


@posix
@pytest.mark.parametrize("method", METHODS)
def test_the_part_of_a_killed_process_is_done_again(tmp_path, method):
    for number in (0, 4):
        (tmp_path / f"{number}-0").touch()
    results = LocalEngine(2, method=method).map_in_order(partial(killed_once, tmp_path), parts(20))
    assert list(results) == list(range(20))


@posix
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_part_that_is_lost_too_often_is_named_and_what_was_done_is_given(tmp_path, retries):
    for number in range(retries + 1):
        (tmp_path / f"5-{number}").touch()
    results = LocalEngine(2, retries=retries).map_in_order(partial(killed_once, tmp_path), parts(20))
    assert [next(results) for _ in range(5)] == list(range(5))
    with pytest.raises(PartLost) as caught:
        next(results)
    attempts = f"{retries + 1} attempt{'s' * (retries > 0)}"
    assert str(caught.value).startswith(f"part 5: the process for this part was killed ({attempts})\n")


@posix
def test_parts_that_only_wait_behind_a_lost_one_are_not_counted_as_lost(tmp_path):
    for number in range(20):
        (tmp_path / f"{number}-0").touch()
    results = LocalEngine(3, retries=1).map_in_order(partial(killed_once, tmp_path), parts(20))
    assert list(results) == list(range(20))


@linux
def test_workers_that_are_killed_while_they_have_nothing_to_do(tmp_path):
    def waiting():
        yield from parts(4)
        for pid in children(os.getpid()):
            if pid not in before:
                os.kill(pid, signal.SIGKILL)
        yield from (Part(str(number), number) for number in range(4, 8))

    before = set(children(os.getpid()))
    assert list(LocalEngine(2).map_in_order(doubled, waiting())) == [2 * number for number in range(8)]


ORPHANS = """
import os, sys, time
from steelyard.engines.base import Part
from steelyard.engines.local import LocalEngine

def work(number):
    print(os.getpid(), flush=True)
    time.sleep(60)

for result in LocalEngine(2, method="fork").map_in_order(work, [Part("a", 1), Part("b", 2)]):
    pass
"""


@linux
def test_workers_end_when_the_program_is_killed(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers = [int(program.stdout.readline()) for _ in range(2)]
        program.kill()
    until(lambda: not any(map(is_alive, workers)))


HALF = """
import os, signal, struct
from steelyard.engines.local import _Worker

worker = _Worker("fork", abs)
os.write(worker._parts.fileno(), struct.pack("!i", 1000) + b"not all of it")
print(worker._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@linux
def test_a_worker_ends_when_the_program_is_killed_while_it_sends_a_part(tmp_path):
    with open(tmp_path / "pid", "w") as output:  # a pipe would be read until the worker has ended
        program = subprocess.run([sys.executable, "-c", HALF], stdout=output, check=False)
    assert program.returncode == -signal.SIGKILL
    worker = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(worker))


@linux
def test_a_worker_of_a_fork_server_may_wait_for_parts():
    def late():
        yield Part("0", 0)
        time.sleep(2.5)  # longer than the interval in which a worker looks for the program
        yield Part("1", 1)

    assert list(LocalEngine(1, retries=0, method="forkserver").map_in_order(doubled, late())) == [0, 2]


@pytest.mark.parametrize("method", METHODS)
def test_workers_have_the_limits_and_directions_of_the_program(monkeypatch, method):
    monkeypatch.setattr(limits.ROWS, "value", 7)
    monkeypatch.setattr(direction, "_DECLARED", {"latency"})
    assert list(LocalEngine(1, method=method).map_in_order(limit_and_direction, parts(1))) == [(7, True)]


def test_engines_by_name():
    with engine_of("local", workers=3) as engine:
        assert isinstance(engine, LocalEngine)
        assert engine.workers == 3
    with engine_of(None) as engine:
        assert engine is None
    with engine_of(given := LocalEngine(1)) as engine:
        assert engine is given
    with pytest.raises(UnknownName, match="no engine is called 'lokal'"):
        open_engine("lokal")
    with pytest.raises(ConfigError, match="--address"):
        open_engine("local", address="auto")


class Unreadable(Exception):
    """An exception that can be pickled, but not read again."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def fail_unreadably(part: int) -> int:
    raise Unreadable("the real", "reason")


def test_an_exception_that_cannot_be_read_keeps_its_text(monkeypatch):
    monkeypatch.delitem(copyreg.dispatch_table, Unreadable, raising=False)  # tblib, which Dask imports, can read it
    with pytest.raises(RuntimeError, match="Unreadable: the real reason") as caught:
        list(LocalEngine(1).map_in_order(fail_unreadably, [Part("a", 1)]))
    assert "fail_unreadably" in "\n".join(caught.value.__notes__)


@pytest.mark.parametrize("settings", [{"workers": 0}, {"workers": -1}, {"retries": -1}])
def test_numbers_that_are_too_small(settings):
    with pytest.raises(ConfigError, match="must be an integer of at least"):
        LocalEngine(**settings)
