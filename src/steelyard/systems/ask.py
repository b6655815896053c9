"""Ask one system many questions: concurrently, at a limited rate, with retries and a timeout for each attempt.

An attempt that takes too long, or is not wanted any more, is abandoned together with its thread.
"""

import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, SteelyardError, SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.net.http import status_of
from steelyard.net.replies import excerpt
from steelyard.net.retry import RetryableFailure, RetryRule
from steelyard.systems.base import Ask, Failure, Reply, System

_POLL: Final = 0.5  # seconds; on Windows, Ctrl-C has no effect during a wait
_GRACE: Final = 0.25  # seconds for a system that has the same timeout to end the attempt by itself
_SOON: Final = 0.001
_TURN: Final = 0.02  # seconds between looks whether an attempt may start, after a system has limited their number

Answered = tuple[Ask, Reply | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """How questions are asked.

    `concurrency` is the most questions at a time; half as many after each status 429, and one more after each reply.
    `timeout` is the seconds of each attempt, `retries` the number of attempts after the first, `rate` the most attempts
    per second over all threads, `backoff` the most seconds before the second attempt, `seed` that of the delays.
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


@dataclass(slots=True)
class _Pending:
    """A question without an answer yet: when it was first asked, the number of attempts, and the start of the last."""

    ask: Ask
    first: float
    attempt: int = 0
    started: float = 0.0


class _Run:
    """The state that the threads share, guarded by `_lock`.

    A worker thread takes a question, asks until there is a reply or a final failure, reports it, and takes the next.
    One more thread watches the time: a worker whose attempt is late is abandoned, and a new worker goes on with its
    question. Each thread waits on its own lock or event, so the cost of a question does not grow with the concurrency.
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
        self._running: dict[object, _Pending] = {}  # attempts, the oldest first
        self._workers: list[threading.Thread] = []
        self._size = 0  # workers that were not abandoned
        self._abandoned = 0
        self._outstanding = 0
        self._is_exhausted = False
        self._allowed = settings.concurrency
        self._next_start = 0.0
        self._paused_until = 0.0
        self._stopped = threading.Event()

    def answers(self) -> Iterator[Answered]:
        """Yield the answers as they are reported; an error that is no failure of the system is raised here."""
        self._start_worker()
        threading.Thread(target=self._watch, daemon=True).start()
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
        self._room.release(len(self._workers) + 1)
        self._system.close()

    def _start_worker(self, pending: _Pending | None = None, late: RetryableFailure | None = None) -> None:
        self._size += pending is None  # else it replaces an abandoned one
        worker = threading.Thread(target=self._work, args=(pending, late), daemon=True)
        self._workers.append(worker)
        worker.start()

    def _work(self, pending: _Pending | None, late: RetryableFailure | None) -> None:
        error = _outcome(self._ask_on, pending, late)
        if isinstance(error, BaseException):
            self._reports.put(error)

    def _ask_on(self, pending: _Pending | None, late: RetryableFailure | None) -> None:
        """Answer question after question; the first may be one whose attempt was late."""
        while (pending := pending or self._take()) is not None:
            answer = self._answer(pending, late)
            if answer is None:
                return
            self._report((pending.ask, answer))
            pending = late = None

    def _take(self) -> _Pending | None:
        """Return the next question when there is room for its answer; None at the end, or if the run was stopped."""
        self._room.acquire()
        with self._taking:
            ask = None if self._stopped.is_set() or self._is_exhausted else next(self._asks, None)
            with self._lock:
                self._is_exhausted = ask is None
                self._outstanding += ask is not None
                is_over = self._is_exhausted and not self._outstanding
            if is_over:
                self._reports.put(None)
            if ask is None:
                self._room.release()  # so that the next waiting worker ends too
                return None
            if self._size < self._settings.concurrency:
                self._start_worker()
        return _Pending(ask, time.monotonic())

    def _report(self, answer: Answered) -> None:
        self._reports.put(answer)
        with self._lock:
            self._outstanding -= 1
            is_over = self._is_exhausted and not self._outstanding
        if is_over:
            self._reports.put(None)

    def _answer(self, pending: _Pending, outcome: Reply | BaseException | None) -> Reply | Failure | None:
        """Ask until there is a reply or a final failure; None if the run was stopped or another worker took over."""
        while True:
            match outcome:
                case None:
                    pass
                case Reply():
                    return replace(outcome, seconds=outcome.seconds or time.monotonic() - pending.started)
                case RetryableFailure() if self._backs_off(outcome, pending.attempt):
                    pass
                case SystemFailure():
                    return self._failure(pending, outcome.problems[0])
                case Exception() if not isinstance(outcome, SteelyardError):
                    text = excerpt(str(outcome))
                    error = f"{type(outcome).__name__}{': ' if text else ''}{text}"
                    return self._failure(pending, Message("systems.asking_failed", error=error))
                case _:
                    raise outcome
            if not self._wait_for_turn() or (outcome := self._attempt(pending)) is None:
                return None

    def _failure(self, pending: _Pending, message: Localized) -> Failure:
        return Failure(message, time.monotonic() - pending.first, pending.attempt)

    def _attempt(self, pending: _Pending) -> Reply | BaseException | None:
        """Ask once; None if the run was stopped or the attempt was abandoned."""
        token = object()
        pending.attempt += 1
        pending.started = time.monotonic()
        with self._lock:
            self._running[token] = pending
        outcome: Reply | BaseException = _outcome(self._system.ask, pending.ask)
        with self._lock:
            if self._running.pop(token, None) is None:
                self._abandoned -= 1
                return None
            if isinstance(outcome, Reply) and self._allowed < self._settings.concurrency:
                self._allowed += 1
        return None if self._stopped.is_set() else outcome

    def _watch(self) -> None:
        """Abandon late attempts; all have the same timeout, so the oldest is late first."""
        allowed = self._settings.timeout + _GRACE
        wait = allowed
        while not self._stopped.wait(wait):
            with self._lock:
                now = time.monotonic()
                late = [item for item in self._running.items() if item[1].started + allowed <= now]
                for token, _ in late:
                    del self._running[token]
                self._abandoned += len(late)
                oldest = next(iter(self._running.values()), None)
                wait = max(_SOON, oldest.started + allowed - now) if oldest else allowed
            self._take_over([pending for _, pending in late])

    def _take_over(self, late: list[_Pending]) -> None:
        """Go on with the questions of abandoned workers; report an error if too many of them still run."""
        if late and self._abandoned > limits.LEFT_BEHIND.value:
            error = limits.LEFT_BEHIND.exceeded(Message("words.unfinished_attempts"), error=SystemFailure)
            self._reports.put(error)
            return
        for pending in late:
            self._start_worker(
                replace(pending), RetryableFailure(Message("core.no_answer_within", timeout=self._settings.timeout))
            )

    def _wait_for_turn(self) -> bool:
        """Wait until another attempt may start; False if the run was stopped."""
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            if self._settings.rate:
                self._next_start = start + 1 / self._settings.rate
        while not self._stopped.is_set():
            left = max(start, self._paused_until) - time.monotonic()
            if left <= 0 and len(self._running) < self._allowed:
                return True
            self._stopped.wait(left if left > 0 else _TURN)
        return False

    def _backs_off(self, failure: RetryableFailure, attempt: int) -> bool:
        """Wait before another attempt: all questions where the system asked for it, else this one; False to give up."""
        with self._lock:
            seconds = self._rule.wait(failure, attempt, self._random)
            if status_of(failure) == HTTPStatus.TOO_MANY_REQUESTS:
                self._allowed = max(1, self._allowed // 2)
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
