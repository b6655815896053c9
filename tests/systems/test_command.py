"""Programs that are asked over a pipe."""

import os
import shlex
import sys
import threading

import pytest
from platforms import posix

from steelyard.errors import ConfigError, SystemFailure
from steelyard.net.retry import RetryableFailure
from steelyard.systems.base import Ask
from steelyard.systems.command import CommandSystem

PROGRAM = """
import json, os, sys, time
sys.stderr.write("loading\\n\\n"); sys.stderr.flush()
for line in sys.stdin:
    ask = json.loads(line)
    match ask["question"]:
        case "pid": reply = {"answer": str(os.getpid())}
        case "die": sys.stderr.write("Traceback\\nKeyError: 'page'\\n"); sys.exit(7)
        case "sleep": time.sleep(60)
        case "list": reply = [1]
        case "chatter": print("Loading the model"); reply = {"answer": "x"}
        case "twice": print(json.dumps({"answer": "x"})); reply = {"answer": "x"}
        case "other": reply = {"id": "another", "answer": "x"}
        case "long": reply = "x" * (5 << 20)
        case question: reply = {"id": ask["id"], "answer": question + ask["document"]}
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture
def command(write):
    return shlex.join([sys.executable, "-S", str(write("program.py", PROGRAM))])


@pytest.fixture
def system(command):
    system = CommandSystem(command, timeout=30)
    yield system
    system.close()


def ask(system, question):
    return system.ask(Ask("q1", question, "甲.md")).record["answer"]


def failure(system, question):
    with pytest.raises(SystemFailure) as caught:
        ask(system, question)
    return caught.value


def alive(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def test_one_process_answers_all(system):
    assert ask(system, "多少？") == "多少？甲.md"
    assert ask(system, "pid") == ask(system, "pid")


def test_a_process_that_dies_is_a_failure_and_the_next_question_has_another(system):
    first = ask(system, "pid")
    died = failure(system, "die")
    assert str(died.message) == "the program ended with code 7; last line of its standard error: KeyError: 'page'"
    assert not isinstance(died, RetryableFailure)
    assert ask(system, "pid") != first


@posix
def test_a_process_that_is_too_slow_is_killed(command):
    system = CommandSystem(command, timeout=30)
    pid = ask(system, "pid")
    system._timeout = 0.05
    late = failure(system, "sleep")
    assert str(late.message) == "no reply within 0.05 s"
    assert isinstance(late, RetryableFailure)
    assert not alive(pid)
    system.close()


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("list", "the reply must be text or an object, not [1]"),
        (
            "chatter",
            "the reply cannot be read: this is not JSON: Expecting value (column 1); "
            "it begins with 'Loading the model'",
        ),
        ("other", "the program replied to 'another', but the question was 'q1'"),
        ("long", "the size of the reply is above the limit of 4,194,304"),
    ],
)
def test_bad_replies(system, question, message):
    assert str(failure(system, question).message) == message
    assert ask(system, "x") == "x甲.md"


def test_an_unrequested_line(system):
    assert ask(system, "twice") == "x"
    (process,) = system._idle
    while process._lines.empty():  # the line is on its way
        threading.Event().wait(0.001)
    unasked = failure(system, "x")
    assert str(unasked.message) == 'the program wrote a line without a request: {"answer": "x"}'
    assert ask(system, "x") == "x甲.md"


def test_a_process_for_each_question_at_a_time(system):
    both = threading.Barrier(2)
    pids = []

    def work():
        process = system._take()
        both.wait()
        pids.append(process._child.pid)
        system._give_back(process)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(pids)) == 2
    assert int(ask(system, "pid")) in pids


@posix
def test_closing_ends_all_processes_also_at_work(system):
    idle = ask(system, "pid")
    failures = []
    asking = threading.Thread(target=lambda: failures.append(str(failure(system, "sleep").message)))
    busy = system._take()
    system._busy.discard(busy)
    system._idle.append(busy)
    asking.start()
    while not system._busy:
        threading.Event().wait(0.001)
    system.close()
    asking.join()
    assert failures[0].startswith("the program ended with code")
    assert not alive(idle)
    assert str(failure(system, "x").message) == "the system is closed"
    system.close()


@pytest.mark.slow
def test_a_process_that_ignores_the_end_of_input_is_killed(write):
    stubborn = """import time
input()
print('{"answer": "x"}', flush=True)
while True: time.sleep(60)"""
    command = shlex.join([sys.executable, "-S", str(write("stubborn.py", stubborn))])
    system = CommandSystem(command, timeout=30)
    ask(system, "x")
    (process,) = system._idle
    system.close()
    assert process._child.returncode == -9


def test_a_program_that_ends_without_output():
    system = CommandSystem("true", timeout=30)
    assert str(failure(system, "x").message) == "the program ended with code 0; last line of its standard error: none"
    system.close()


@posix
def test_a_program_that_cannot_be_started(write):
    path = write("program", "no interpreter")
    path.chmod(0o755)
    system = CommandSystem(str(path), timeout=30)
    assert str(failure(system, "x").message).startswith("the program cannot be started: ")
    system.close()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("  ", "the command is empty"),
        ("python 'x", "this is not a command: python 'x (No closing quotation)"),
        ("no-such-program -x", "there is no program 'no-such-program'"),
    ],
)
def test_bad_commands(command, message):
    with pytest.raises(ConfigError) as caught:
        CommandSystem(command, timeout=1)
    assert str(caught.value.message) == message
