"""Many questions to one system: several at a time, at a pace, again where that may help, and stopped at once.

An attempt that takes too long, or is no longer wanted, is left behind with its thread.
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
from steelyard.systems.decoding import beginning
from steelyard.systems.records import Ask, Failure, Reply, System, TryAgain

LONGEST_BACKOFF: Final = 30.0
"""Seconds beyond which the wait before another attempt does not grow."""

LONGEST_PATIENCE: Final = 120.0
"""Seconds that a system may ask to be left alone; if it asks for more, the question is given up."""

_GLANCE: Final = 0.5  # seconds; Windows does not see Ctrl-C while it waits
_GRACE: Final = 0.25  # seconds in which a system that knows its timeout ends an attempt by itself
_SOON: Final = 0.001
_FEW: Final = 32  # threads that are always worth their cost
_SLOW: Final = 0.02  # seconds of an attempt from which more threads are worth it
_BEAT: Final = 0.25  # seconds between two looks at whether more are worth it
_BUSY: Final = 0.4  # share of a processor that this process uses, from which more threads only wait for each other

Answered = tuple[Ask, Reply | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """How questions are asked.

    `concurrency` is the most at a time (beyond 32 only while most of the time is spent waiting for the system: more
    would cost time and save none), `timeout` the seconds of each attempt, `retries` the attempts beyond the first,
    `rate` the most attempts per second over all threads, `backoff` the most seconds before the second attempt.
    """

    concurrency: int = 4
    timeout: float = 60.0
    retries: int = 2
    rate: float | None = None
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0:
            raise ConfigError(Message("systems.concurrency_least_1_retries_least"))
        if not (self.timeout > 0 and self.backoff >= 0 and (self.rate is None or 0 < self.rate < math.inf)):
            raise ConfigError(Message("systems.timeout_rate_above_0"))
        limits.CONCURRENCY.check(self.concurrency, Message("words.concurrency"))
        limits.RETRIES.check(self.retries, Message("words.the_number_of_retries"))
        limits.TIMEOUT_SECONDS.check(self.timeout, Message("words.the_timeout_in_seconds"))
        limits.INTERVAL_SECONDS.check(
            1 / self.rate if self.rate else 0, Message("words.the_time_between_two_attempts_in_seconds")
        )


def ask_all(
    system: System, asks: Iterable[Ask], settings: AskSettings | None = None, *, random: Random | None = None
) -> Generator[Answered, None, None]:
    """Every question with its reply or failure, as soon as there is one; at the end the system is closed.

    The end comes early where the iterator is closed (`contextlib.closing`) or Ctrl-C is pressed: nothing more is asked
    then, and what is running is left behind. How long to wait before another attempt is drawn from `random`.
    """
    inquiry = _Inquiry(system, iter(asks), settings or AskSettings(), random or Random(0))
    try:
        yield from inquiry.answers()
    finally:
        inquiry.stop()


@dataclass(slots=True)
class _Pending:
    """A question under way: since when, and how often it was asked."""

    ask: Ask
    begun: float
    attempt: int = 0
    started: float = 0.0


class _Inquiry:
    """All that the threads share; what changes is guarded by `_lock`.

    A member thread takes a question, asks until it is settled, reports, and takes the next. One more thread watches:
    a member whose attempt is late is left behind, and a new one goes on with its question. Threads wait for what
    concerns them alone, so that a question costs the same however many are asked at a time.
    """

    def __init__(self, system: System, asks: Iterator[Ask], settings: AskSettings, random: Random) -> None:
        self._system = system
        self._asks = asks
        self._settings = settings
        self._random = random
        self._lock = threading.Lock()
        self._turn_to_take = threading.Lock()
        self._room = threading.Semaphore(2 * settings.concurrency)  # questions that are taken and not read
        self._reports: SimpleQueue[Answered | BaseException | None] = SimpleQueue()
        self._running: dict[object, _Pending] = {}  # attempts, the oldest first
        self._members: list[threading.Thread] = []
        self._size = 0  # members that were not left behind
        self._left_behind = 0
        self._outstanding = 0
        self._is_exhausted = False
        self._next_start = 0.0
        self._quiet_until = 0.0
        self._stopped = threading.Event()
        self._beat = (time.monotonic(), time.process_time())

    def answers(self) -> Iterator[Answered]:
        """What the threads find out, as they do; an error that is nobody's failure is raised here."""
        self._start_member()
        threading.Thread(target=self._watch, daemon=True).start()
        while (found := self._read()) is not None:
            if isinstance(found, BaseException):
                raise found
            self._room.release()
            yield found

    def stop(self) -> None:
        """Ask nothing more, and wait for nothing that was asked."""
        self._stopped.set()
        self._room.release(len(self._members) + 1)
        self._system.close()

    def _start_member(self, pending: _Pending | None = None, late: TryAgain | None = None) -> None:
        self._size += pending is None  # else it stands in for one that was left behind
        member = threading.Thread(target=self._work, args=(pending, late), daemon=True)
        self._members.append(member)
        member.start()

    def _work(self, pending: _Pending | None, late: TryAgain | None) -> None:
        error = _outcome(self._ask_on, pending, late)
        if isinstance(error, BaseException):
            self._reports.put(error)

    def _ask_on(self, pending: _Pending | None, late: TryAgain | None) -> None:
        while (pending := pending or self._take()) is not None:
            answer = self._settle(pending, late)
            if answer is None:
                return
            self._report((pending.ask, answer))
            pending = late = None

    def _take(self) -> _Pending | None:
        """The next question, once those before it have been read; None if there is none, or nobody wants to know."""
        self._room.acquire()
        with self._turn_to_take:
            ask = None if self._stopped.is_set() or self._is_exhausted else next(self._asks, None)
            with self._lock:
                self._is_exhausted = ask is None
                self._outstanding += ask is not None
                is_over = self._is_exhausted and not self._outstanding
            if is_over:
                self._reports.put(None)
            if ask is None:
                self._room.release()  # for the next member that finds nothing more to do
                return None
            if self._size < min(_FEW, self._settings.concurrency):
                self._start_member()
        return _Pending(ask, time.monotonic())

    def _report(self, found: Answered) -> None:
        self._reports.put(found)
        with self._lock:
            self._outstanding -= 1
            is_over = self._is_exhausted and not self._outstanding
        if is_over:
            self._reports.put(None)

    def _settle(self, pending: _Pending, outcome: Reply | BaseException | None) -> Reply | Failure | None:
        """Ask until there is a reply or no hope; None if all was stopped, or the question was taken over."""
        while True:
            match outcome:
                case None:
                    pass
                case Reply():
                    return replace(outcome, seconds=time.monotonic() - pending.started)
                case TryAgain(retry_after=wish) if (
                    pending.attempt <= self._settings.retries and (wish or 0) <= LONGEST_PATIENCE
                ):
                    self._back_off(pending.attempt, wish)
                case SystemFailure():
                    return self._failure(pending, outcome.problems[0])
                case Exception() if not isinstance(outcome, SteelyardError):
                    return self._failure(pending, _described(outcome))
                case _:
                    raise outcome
            if not self._wait_for_turn() or (outcome := self._attempt(pending)) is None:
                return None

    def _failure(self, pending: _Pending, message: Localized) -> Failure:
        return Failure(message, time.monotonic() - pending.begun, pending.attempt)

    def _attempt(self, pending: _Pending) -> Reply | BaseException | None:
        """Ask once; None if all was stopped, or the attempt was left behind."""
        token = object()
        pending.attempt += 1
        pending.started = time.monotonic()
        with self._lock:
            self._running[token] = pending
        outcome: Reply | BaseException = _outcome(self._system.ask, pending.ask)
        with self._lock:
            if self._running.pop(token, None) is None:
                self._left_behind -= 1
                return None
        return None if self._stopped.is_set() else outcome

    def _watch(self) -> None:
        """Leave attempts behind that are late; all have the same time, so the oldest is the first to be late."""
        allowed = self._settings.timeout + _GRACE
        wait = min(allowed, _BEAT)
        while not self._stopped.wait(wait):
            with self._lock:
                now = time.monotonic()
                late = [each for each in self._running.items() if each[1].started + allowed <= now]
                for token, _ in late:
                    del self._running[token]
                self._left_behind += len(late)
                oldest = next(iter(self._running.values()), None)
                wait = max(_SOON, oldest.started + allowed - now) if oldest else allowed
            self._take_over([pending for _, pending in late])
            if not self._is_exhausted and self._size < self._settings.concurrency:
                self._grow()
                wait = min(wait, _BEAT)

    def _grow(self) -> None:
        """Start more members where most of them wait for the system, and not for each other."""
        (wall, used), self._beat = self._beat, (time.monotonic(), time.process_time())
        is_busy = self._beat[1] - used > _BUSY * (self._beat[0] - wall)
        with self._lock:
            since = self._beat[0] - _SLOW
            waiting = sum(pending.started <= since for pending in self._running.values())
        if self._size >= _FEW and 2 * waiting > self._size and not is_busy:
            for _ in range(min(self._size, self._settings.concurrency - self._size)):
                self._start_member()

    def _take_over(self, late: list[_Pending]) -> None:
        """Go on with the questions of members that were left behind, unless there are too many of these."""
        if late and self._left_behind > limits.LEFT_BEHIND.value:
            error = limits.LEFT_BEHIND.exceeded(
                Message("words.the_number_of_attempts_that_never_ended"), error=SystemFailure
            )
            self._reports.put(error)
            return
        for pending in late:
            self._start_member(
                replace(pending), TryAgain(Message("core.no_answer_within", timeout=self._settings.timeout))
            )

    def _wait_for_turn(self) -> bool:
        """Wait until another attempt may start; False if none may any more."""
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            if self._settings.rate:
                self._next_start = start + 1 / self._settings.rate
        while not self._stopped.is_set():
            left = max(start, self._quiet_until) - time.monotonic()
            if left <= 0:
                return True
            self._stopped.wait(left)
        return False

    def _back_off(self, attempt: int, wish: float | None) -> None:
        """Leave the system alone: altogether as long as it wishes, or with this question for a random while."""
        if wish is not None:
            with self._lock:
                self._quiet_until = max(self._quiet_until, time.monotonic() + wish)
            return
        most = min(LONGEST_BACKOFF, self._settings.backoff * 2 ** (attempt - 1))
        with self._lock:
            wait = self._random.uniform(0, most)
        self._stopped.wait(wait)

    def _read(self) -> Answered | BaseException | None:
        while True:
            with suppress(Empty):
                return self._reports.get(timeout=_GLANCE)


def _described(error: Exception) -> Message:
    """The type of an exception that nobody expected, and what it says: it is a failure of one question."""
    text = beginning(str(error))
    return Message("systems.asking_failed", error=f"{type(error).__name__}{': ' if text else ''}{text}")


def _outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns or raises, for the thread that waits for it and raises it again."""
    try:
        return function(*arguments)
    except BaseException as error:
        return error
