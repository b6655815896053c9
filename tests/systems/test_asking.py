"""Asking many questions: attempts, rate, order, and the end of a run."""

import _thread
import signal
import threading
import time
from collections import Counter
from contextlib import closing
from random import Random
from typing import Any

import pytest
from systems.server import Answer

from steelyard import limits
from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.net.retry import LONGEST_RETRY_AFTER, RetryableFailure
from steelyard.systems.ask import AskSettings, ask_all
from steelyard.systems.base import Ask, Failure, Reply, SystemSettings
from steelyard.systems.command import CommandSystem
from steelyard.systems.http import HttpSystem

QUICK = AskSettings(backoff=0)


def asks(count):
    return [Ask(f"q{number}", f"question {number}") for number in range(count)]


class Fake:
    """A system that replies by a function of the question and of how often it was asked."""

    name = "fake"

    def __init__(self, reply):
        self.reply = reply
        self.asked: Counter[str] = Counter()
        self.closed = False

    def ask(self, ask):
        self.asked[ask.id] += 1
        return self.reply(ask, self.asked[ask.id])

    def close(self):
        self.closed = True


def echo(ask, _):
    return Reply({"answer": ask.question}, tokens=3)


class FixedRandom(Random):
    """Draws nothing, and keeps what it was asked to draw."""

    def __init__(self):
        self.drawn = []

    def uniform(self, low, high):
        self.drawn.append((low, high))
        return 0.0


def test_every_question_is_asked_once():
    system = Fake(echo)
    found = dict(ask_all(system, iter(asks(50)), QUICK))
    assert {ask.id: reply.record["answer"] for ask, reply in found.items()} == {a.id: a.question for a in asks(50)}
    assert set(system.asked.values()) == {1}
    assert all(reply.seconds > 0 and reply.tokens == 3 for reply in found.values())
    assert system.closed


def test_no_questions():
    system = Fake(echo)
    assert list(ask_all(system, [])) == []
    assert system.closed


def test_answers_come_as_they_are_done():
    last_is_done = threading.Event()

    def reply(ask, _):
        if ask.id == "q0":
            last_is_done.wait(10)
        return echo(ask, _)

    order = []
    for ask, _ in ask_all(Fake(reply), asks(3), AskSettings(concurrency=2)):
        order.append(ask.id)
        if len(order) == 2:
            last_is_done.set()
    assert order == ["q1", "q2", "q0"]


def test_as_many_at_a_time_as_asked_for():
    together = threading.Barrier(3, timeout=10)

    def reply(ask, _):
        together.wait()
        return echo(ask, _)

    assert len(list(ask_all(Fake(reply), asks(6), AskSettings(concurrency=3)))) == 6


def test_retryable_failures_are_repeated_after_a_random_delay():
    def reply(ask, times):
        if times <= 2:
            raise RetryableFailure("busy")
        return echo(ask, times)

    random = FixedRandom()
    settings = AskSettings(concurrency=1, retries=2, backoff=0.5)
    ((_, found),) = ask_all(Fake(reply), asks(1), settings, random=random)
    assert found.record == {"answer": "question 0"}
    assert random.drawn == [(0, 0.5), (0, 1.0)]


def test_the_backoff_is_bounded():
    def busy(ask, _):
        raise RetryableFailure("busy")

    random = FixedRandom()
    ((_, found),) = ask_all(Fake(busy), asks(1), AskSettings(retries=9), random=random)
    assert (str(found.message), found.attempts) == ("busy", 10)
    assert [high for _, high in random.drawn] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_delays_are_drawn_from_the_seed(monkeypatch):
    seeds = []
    monkeypatch.setattr("steelyard.systems.ask.Random", lambda seed: seeds.append(seed) or FixedRandom())
    list(ask_all(Fake(echo), asks(1), AskSettings(seed=7)))
    assert seeds == [7]


def test_other_failures_are_final():
    def broken(ask, _):
        raise SystemFailure("the answer must be text, not 7", where="out.jsonl:3")

    system = Fake(broken)
    ((_, found),) = ask_all(system, asks(1), QUICK)
    assert isinstance(found, Failure)
    assert (str(found.message), found.attempts) == ("out.jsonl:3: the answer must be text, not 7", 1)
    assert system.asked == {"q0": 1}


def test_retry_after_pauses_all_questions():
    begun = time.monotonic()

    def reply(ask, times):
        if ask.id == "q0" and times == 1:
            raise RetryableFailure("busy", retry_after=0.1)
        asked_again.append(time.monotonic() - begun)
        return echo(ask, times)

    asked_again: list[Any] = []
    assert len(list(ask_all(Fake(reply), asks(3), AskSettings(concurrency=1)))) == 3
    assert min(asked_again) >= 0.1


def test_a_long_retry_after_is_not_waited_for():
    def reply(ask, _):
        raise RetryableFailure("busy", retry_after=LONGEST_RETRY_AFTER + 1)

    ((_, found),) = ask_all(Fake(reply), asks(1))
    assert (str(found.message), found.attempts) == ("busy", 1)


def test_the_rate_holds_over_all_threads():
    begun = time.monotonic()
    assert len(list(ask_all(Fake(echo), asks(6), AskSettings(concurrency=4, rate=50)))) == 6
    assert time.monotonic() - begun >= 5 / 50


@pytest.mark.slow
def test_an_attempt_that_takes_too_long_is_left_behind():
    forever = threading.Event()

    def reply(ask, times):
        if times == 1:
            forever.wait(10)
        return echo(ask, times)

    ((_, found),) = ask_all(Fake(reply), asks(1), AskSettings(timeout=0.05, backoff=0))
    assert found.record == {"answer": "question 0"}
    system = Fake(lambda ask, _: forever.wait(10))
    ((_, found),) = ask_all(system, asks(1), AskSettings(timeout=0.05, retries=0))
    assert (str(found.message), found.attempts) == ("no reply within 0.05 s", 1)
    assert 0.05 <= found.seconds < 10
    forever.set()


def test_no_more_is_asked_than_is_read():
    system = Fake(echo)
    with closing(ask_all(system, asks(100), AskSettings(concurrency=2))) as answers:
        next(answers)
        threading.Event().wait(0.05)
        assert len(system.asked) <= 5  # one read, two unread, two that were under way
    assert system.closed


def test_closing_does_not_wait_for_what_is_running():
    forever = threading.Event()

    def reply(ask, times):
        if ask.id != "q0":
            forever.wait(10)
        return echo(ask, times)

    system = Fake(reply)
    begun = time.monotonic()
    with closing(ask_all(system, asks(100), AskSettings(concurrency=3))) as answers:
        assert next(answers)[0].id == "q0"
    assert time.monotonic() - begun < 5
    assert system.closed
    asked = sum(system.asked.values())
    forever.set()
    threading.Event().wait(0.02)
    assert sum(system.asked.values()) == asked <= 5


def test_closing_does_not_wait_for_another_attempt():
    def reply(ask, _):
        if ask.id == "q0":
            return echo(ask, _)
        raise RetryableFailure("busy", retry_after=100) if ask.id == "q1" else RetryableFailure("busy")

    begun = time.monotonic()
    with closing(ask_all(Fake(reply), asks(9), AskSettings(concurrency=2, backoff=100))) as answers:
        next(answers)
    assert time.monotonic() - begun < 5


@pytest.fixture
def interruptible():
    """Ctrl-C as it is in a terminal; a job in the background is started without it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_stops_at_once():
    forever = threading.Event()

    def reply(ask, _):
        _thread.interrupt_main()
        forever.wait(10)

    system = Fake(reply)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(ask_all(system, asks(100), AskSettings(concurrency=1)))
    assert time.monotonic() - begun < 5
    assert system.closed
    forever.set()


def test_child_processes_end_with_the_iterator():
    system = CommandSystem("sleep 60", timeout=60)
    started = threading.Event()
    ask = system.ask
    system.ask = lambda each: (started.set(), ask(each))[1]  # type: ignore[method-assign, assignment, func-returns-value]

    def questions():
        yield Ask("q0", "?")
        started.wait(10)
        while not system._busy:
            threading.Event().wait(0.001)
        running.extend(system._busy)
        raise InputError("this line is no question")

    running: list[Any] = []

    with pytest.raises(InputError, match=r"^this line is no question$"):
        list(ask_all(system, questions(), AskSettings(concurrency=2)))
    (process,) = running
    assert process.has_ended()


@pytest.mark.parametrize("error", [ZeroDivisionError("ours"), RecursionError("too deep"), MemoryError()])
def test_an_exception_is_a_failure_of_its_question_alone(error):
    def reply(ask, _):
        if ask.id == "q1":
            raise error
        return echo(ask, _)

    found = {ask.id: answer for ask, answer in ask_all(Fake(reply), asks(3))}
    assert isinstance(found["q0"], Reply)
    assert isinstance(found["q2"], Reply)
    text = f": {error}" if str(error) else ""
    assert str(found["q1"].message) == f"the question failed: {type(error).__name__}{text}"
    assert found["q1"].attempts == 1


def test_a_mistake_of_the_user_ends_the_run():
    def reply(ask, _):
        raise ConfigError("no such model")

    with pytest.raises(ConfigError, match="no such model"):
        list(ask_all(Fake(reply), asks(3)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"concurrency": 0}, "concurrency must be at least 1 and retries at least 0"),
        ({"retries": -1}, "concurrency must be at least 1 and retries at least 0"),
        ({"timeout": 0}, "timeout and rate must be above 0"),
        ({"rate": 0}, "timeout and rate must be above 0"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        AskSettings(**settings)


def test_over_http_no_question_is_asked_again_once_it_is_answered(serve):
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def reply(body):
        with lock:
            seen[body["id"]] += 1
            times = seen[body["id"]]
        number = int(body["id"][1:])
        if number % 3 == 1 and times == 1:
            return Answer(b"", status=500)
        if number % 3 == 2 and times == 1:
            return Answer(b"", status=429, headers={"Retry-After": "0"})
        return Answer({"answer": body["question"]})

    server = serve(reply)
    system = HttpSystem(server.url, SystemSettings())
    found = dict(ask_all(system, asks(30), AskSettings(concurrency=8, rate=1000, backoff=0.01), random=Random(1)))
    assert {ask.id: reply.record["answer"] for ask, reply in found.items()} == {a.id: a.question for a in asks(30)}
    # nothing of the expected answer, nor anything else, is ever sent
    assert all(body.keys() == {"id", "question", "document"} for body in server.bodies)
    expected = {ask.id: 1 if int(ask.id[1:]) % 3 == 0 else 2 for ask in asks(30)}
    assert Counter(body["id"] for body in server.bodies) == expected


@pytest.mark.slow
def test_over_http_failures_have_different_messages(serve):
    def reply(body):
        return {
            "q0": Answer({"answer": "x"}),
            "q1": Answer(b"down", status=503),
            "q2": Answer(b"who are you", status=401),
            "q3": Answer({"answer": "x"}, slow=True),
        }[body["id"]]

    server = serve(reply)
    system = HttpSystem(server.url, SystemSettings(timeout=0.5))
    found = {ask.id: reply for ask, reply in ask_all(system, asks(4), AskSettings(timeout=0.5, retries=1, backoff=0))}
    assert found["q0"].record["answer"] == "x"
    assert [(str(found[f"q{n}"].message), found[f"q{n}"].attempts) for n in (1, 2, 3)] == [
        ("the system answered with status 503: down", 2),
        ("the system answered with status 401: who are you", 1),
        ("no reply within 0.5 s", 2),
    ]


def test_closing_early_over_http(serve):
    server = serve(lambda body: Answer({"answer": "x"}, slow=body["id"] != "q0"))
    system = HttpSystem(server.url, SystemSettings())
    begun = time.monotonic()
    with closing(ask_all(system, asks(100), AskSettings(concurrency=4))) as answers:
        assert next(answers)[0].id == "q0"
    assert time.monotonic() - begun < 5
    assert len(server.requests) <= 6


def test_threads_are_started_as_they_are_needed():
    before = threading.active_count()
    most = []

    def reply(ask, _):
        most.append(threading.active_count())
        return echo(ask, _)

    assert len(list(ask_all(Fake(reply), asks(3), AskSettings(concurrency=500)))) == 3
    assert max(most) - before <= 5  # three or four that ask, one that watches


@pytest.mark.slow
def test_a_slow_system_is_asked_as_many_at_a_time_as_allowed():
    together = threading.Barrier(100, timeout=60)

    def reply(ask, _):
        together.wait()
        return echo(ask, _)

    assert len(list(ask_all(Fake(reply), asks(200), AskSettings(concurrency=100)))) == 200


@pytest.mark.slow
def test_attempts_that_never_end_are_bounded(monkeypatch):
    monkeypatch.setattr(limits.LEFT_BEHIND, "value", 5)
    forever = threading.Event()
    system = Fake(lambda ask, _: forever.wait(60))
    settings = AskSettings(concurrency=3, timeout=0.02, retries=0)
    with pytest.raises(SystemFailure, match=r"^the number of unfinished attempts is above the limit of 5"):
        list(ask_all(system, asks(100), settings))
    assert len(system.asked) <= 9
    forever.set()


def test_a_late_answer_is_not_counted_twice():
    released = threading.Event()

    def reply(ask, times):
        if ask.id == "q0" and times == 1:
            released.wait(10)
        if ask.id == "q1":
            released.set()
        return echo(ask, times)

    found = list(ask_all(Fake(reply), asks(30), AskSettings(concurrency=1, timeout=0.05, backoff=0)))
    assert sorted(ask.id for ask, _ in found) == sorted(ask.id for ask in asks(30))
