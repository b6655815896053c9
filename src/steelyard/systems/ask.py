"""Ask one system many questions: concurrently, at a limited rate, with retries and a timeout for each attempt.

An attempt that takes too long, or is not wanted any more, is abandoned together with its thread.
"""

import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, SteelyardError, SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.net.replies import excerpt
from steelyard.net.retry import RetryableFailure, RetryRule
from steelyard.systems.base import Ask, Failure, Reply, System

_POLL: Final = 0.5  # seconds; on Windows, Ctrl-C has no effect during a wait
_GRACE: Final = 0.25  # seconds for a system that has the same timeout to end the attempt by itself

Answered = tuple[Ask, Reply | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """How questions are asked.

    `concurrency` is the most questions at a time, `timeout` the seconds of each attempt, `retries` the number of
    attempts after the first, `rate` the most attempts per second over all threads, `backoff` the most seconds before
    the second attempt, `seed` that of the delays.
    """

    concurrency: int = 4
    timeout: float = 60.0
    retries: int = 2
    rate: float | None = None
    backoff: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0:
            raise ConfigError(Message("systems.concurrency_and_retries"))
        if not (self.timeout > 0 and self.backoff >= 0 and (self.rate is None or 0 < self.rate < math.inf)):
            raise ConfigError(Message("systems.timeout_and_rate"))
        limits.CONCURRENCY.check(self.concurrency, Message("words.concurrency"))
        limits.RETRIES.check(self.retries, Message("words.the_number_of_retries"))
        limits.TIMEOUT_SECONDS.check(self.timeout, Message("words.the_timeout_in_seconds"))
        limits.INTERVAL_SECONDS.check(1 / self.rate if self.rate else 0, Message("words.seconds_between_attempts"))


def ask_all(
    system: System, asks: Iterable[Ask], settings: AskSettings | None = None, *, random: Random | None = None
) -> Generator[Answered, None, None]:
    """Yield every question with its reply or failure as soon as there is one; at the end the system is closed.

    When the iterator is closed (`contextlib.closing`) or Ctrl-C is pressed, no further question is asked and running
    attempts are abandoned. The delays before further attempts are drawn from `random`, by default from the seed.
    """
    settings = settings or AskSettings()
    run = _Run(system, iter(asks), settings, random or Random(settings.seed))
    try:
        yield from run.answers()
    finally:
        run.stop()


class _Run:
    """The state that the worker threads share; `_lock` guards the times, `_taking` the questions and the workers.

    A worker takes a question, asks until there is a reply or a final failure, reports it, and takes the next. Every
    attempt has a thread of its own, so that a late one can be abandoned.
    """

    def __init__(self, system: System, asks: Iterator[Ask], settings: AskSettings, random: Random) -> None:
        self._system = system
        self._asks = asks
        self._settings = settings
        self._random = random
        self._rule = RetryRule(settings.retries, settings.backoff)
        self._lock = threading.Lock()
        self._taking = threading.Lock()
        self._room = threading.Semaphore(2 * settings.concurrency)  # questions whose answers are not read yet
        self._reports: SimpleQueue[Answered | BaseException | None] = SimpleQueue()
        self._working = 0
        self._abandoned: list[threading.Thread] = []
        self._next_start = 0.0
        self._paused_until = 0.0
        self._stopped = threading.Event()

    def answers(self) -> Iterator[Answered]:
        """Yield the answers as they are reported; an error that is no failure of the system is raised here."""
        self._start_worker()
        while True:
            try:
                report = self._reports.get(timeout=_POLL)
            except Empty:
                continue
            if report is None:
                return
            if isinstance(report, BaseException):
                raise report
            self._room.release()
            yield report

    def stop(self) -> None:
        """Ask no further question, and do not wait for running attempts."""
        self._stopped.set()
        self._room.release()
        self._system.close()

    def _start_worker(self) -> None:
        self._working += 1
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        """Answer question after question; the last worker reports the end."""
        error = _outcome(self._ask_on)
        with self._taking:
            self._working -= 1
            is_last = not self._working
        self._room.release()  # so that the next waiting worker ends too
        if is_last or error is not None:
            self._reports.put(error)

    def _ask_on(self) -> None:
        while (ask := self._take()) is not None and (answer := self._answer(ask)) is not None:
            self._reports.put((ask, answer))

    def _take(self) -> Ask | None:
        """Return the next question when there is room for its answer; None at the end, or if the run was stopped."""
        self._room.acquire()
        with self._taking:
            ask = None if self._stopped.is_set() else next(self._asks, None)
            if ask is not None and self._working < self._settings.concurrency:
                self._start_worker()
        return ask

    def _answer(self, ask: Ask) -> Reply | Failure | None:
        """Ask until there is a reply or a final failure; None if the run was stopped."""
        first = time.monotonic()
        attempt = 0
        while True:
            attempt += 1
            if not self._wait_for_turn():
                return None
            started = time.monotonic()
            match self._attempt(ask):
                case _ if self._stopped.is_set():
                    return None
                case Reply() as reply:
                    return replace(reply, seconds=time.monotonic() - started)
                case RetryableFailure() as failure if self._backs_off(failure, attempt):
                    continue
                case SystemFailure() as failure:
                    message: Localized = failure.problems[0]
                case Exception() as error if not isinstance(error, SteelyardError):
                    text = excerpt(str(error))
                    named = f"{type(error).__name__}{': ' if text else ''}{text}"
                    message = Message("systems.asking_failed", error=named)
                case error:
                    raise error
            return Failure(message, time.monotonic() - first, attempt)

    def _attempt(self, ask: Ask) -> Reply | BaseException:
        """Ask once in a new thread, which is abandoned if it is late; raise an error if too many of these still run."""
        outcomes: SimpleQueue[Reply | BaseException] = SimpleQueue()
        thread = threading.Thread(target=lambda: outcomes.put(_outcome(self._system.ask, ask)), daemon=True)
        thread.start()
        with suppress(Empty):
            return outcomes.get(timeout=self._settings.timeout + _GRACE)
        with self._lock:
            self._abandoned = [late for late in (*self._abandoned, thread) if late.is_alive()]
            if len(self._abandoned) > limits.LEFT_BEHIND.value:
                raise limits.LEFT_BEHIND.exceeded(Message("words.unfinished_attempts"), error=SystemFailure)
        return RetryableFailure(Message("core.no_answer_within", timeout=self._settings.timeout))

    def _wait_for_turn(self) -> bool:
        """Wait until another attempt may start; False if the run was stopped."""
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            if self._settings.rate:
                self._next_start = start + 1 / self._settings.rate
        while not self._stopped.is_set():
            left = max(start, self._paused_until) - time.monotonic()
            if left <= 0:
                return True
            self._stopped.wait(left)
        return False

    def _backs_off(self, failure: RetryableFailure, attempt: int) -> bool:
        """Wait before another attempt: all questions where the system asked for it, else this one; False to give up."""
        with self._lock:
            seconds = self._rule.wait(failure, attempt, self._random)
            if seconds is not None and failure.retry_after is not None:
                self._paused_until = max(self._paused_until, time.monotonic() + seconds)
        if seconds is not None and failure.retry_after is None:
            self._stopped.wait(seconds)
        return seconds is not None


def _outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function, or the exception that it raised."""
    try:
        return function(*arguments)
    except BaseException as error:
        return error
