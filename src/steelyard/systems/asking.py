"""Many questions to one system: several at a time, at a pace, again where that may help, and stopped at once.

Each attempt runs on a thread of its own, so that one that takes too long, or is no longer wanted, can be left behind.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, SteelyardError, SystemFailure
from steelyard.systems.decoding import beginning
from steelyard.systems.records import Ask, Failure, Reply, System, TryAgain

LONGEST_BACKOFF: Final = 30.0
"""Seconds beyond which the wait before another attempt does not grow."""

LONGEST_PATIENCE: Final = 120.0
"""Seconds that a system may ask to be left alone; if it asks for more, the question is given up."""

_GLANCE: Final = 0.5  # seconds; Windows does not see Ctrl-C while it waits

Answered = tuple[Ask, Reply | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """How questions are asked.

    `concurrency` is how many at a time, `timeout` the seconds of each attempt, `retries` the attempts beyond the first,
    `rate` the most attempts per second over all threads, `backoff` the most seconds before the second attempt.
    """

    concurrency: int = 4
    timeout: float = 60.0
    retries: int = 2
    rate: float | None = None
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0:
            raise ConfigError("concurrency must be at least 1 and retries at least 0")
        if not (self.timeout > 0 and self.backoff >= 0 and (self.rate is None or 0 < self.rate < math.inf)):
            raise ConfigError("timeout and rate must be above 0")
        limits.CONCURRENCY.check(self.concurrency, "concurrency")
        limits.RETRIES.check(self.retries, "the number of retries")
        limits.TIMEOUT_SECONDS.check(self.timeout, "the timeout in seconds")
        limits.INTERVAL_SECONDS.check(1 / self.rate if self.rate else 0, "the time between two attempts in seconds")


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


class _Inquiry:
    """All that the threads share; everything that changes is guarded by `_changed`, which tells of it."""

    def __init__(self, system: System, asks: Iterator[Ask], settings: AskSettings, random: Random) -> None:
        self._system = system
        self._asks = asks
        self._settings = settings
        self._random = random
        self._turn_to_take = threading.Lock()
        self._changed = threading.Condition()
        self._unread: deque[Answered | BaseException | None] = deque()
        self._next_start = 0.0
        self._stopped = False
        self._members = [threading.Thread(target=self._work, daemon=True) for _ in range(settings.concurrency)]

    def answers(self) -> Iterator[Answered]:
        """What the threads find out, as they do; an error that is nobody's failure is raised here."""
        for member in self._members:
            member.start()
        working = len(self._members)
        while working:
            found = self._read()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                working -= 1
            else:
                yield found

    def stop(self) -> None:
        """Ask nothing more, and wait for nothing that was asked."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._system.close()
        for member in self._members:
            if member.ident is not None:  # it was started
                member.join()

    def _work(self) -> None:
        self._report(_outcome(self._ask_on))

    def _ask_on(self) -> None:
        while (ask := self._take()) is not None:
            answer = self._settle(ask)
            if answer is None:
                return
            self._report((ask, answer))

    def _take(self) -> Ask | None:
        """The next question, once those before it have been read; None if there is none, or nobody wants to know."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or len(self._unread) < self._settings.concurrency)
        with self._turn_to_take:
            return None if self._stopped else next(self._asks, None)

    def _settle(self, ask: Ask) -> Reply | Failure | None:
        """Ask until there is a reply or no hope; None if all was stopped before."""
        begun = time.monotonic()
        attempt = 0
        while self._wait_for_turn():
            attempt += 1
            started = time.monotonic()
            outcome = self._attempt(ask)
            match outcome:
                case None:
                    return None
                case Reply():
                    return replace(outcome, seconds=time.monotonic() - started)
                case TryAgain(retry_after=wish) if (
                    attempt <= self._settings.retries and (wish or 0) <= LONGEST_PATIENCE
                ):
                    self._back_off(attempt, wish)
                case SystemFailure():
                    return Failure(str(outcome.problems[0]), time.monotonic() - begun, attempt)
                case Exception() if not isinstance(outcome, SteelyardError):
                    return Failure(_described(outcome), time.monotonic() - begun, attempt)
                case _:
                    raise outcome
        return None

    def _attempt(self, ask: Ask) -> Reply | BaseException | None:
        """Ask once, and no longer than is allowed; None if all was stopped."""
        outcomes: list[Any] = []

        def attempt() -> None:
            outcomes.append(_outcome(self._system.ask, ask))
            with self._changed:
                self._changed.notify_all()

        threading.Thread(target=attempt, daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: outcomes or self._stopped, self._settings.timeout)
            if self._stopped:
                return None
        late = TryAgain(f"no answer within {self._settings.timeout:g} s")
        return next(iter(outcomes), late)

    def _wait_for_turn(self) -> bool:
        """Wait until another attempt may start; False if none may any more."""
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                if now >= self._next_start:
                    self._next_start = now + (1 / self._settings.rate if self._settings.rate else 0)
                    return True
                self._changed.wait(self._next_start - now)
        return False

    def _back_off(self, attempt: int, wish: float | None) -> None:
        """Leave the system alone: altogether as long as it wishes, or with this question for a random while."""
        with self._changed:
            if wish is not None:
                self._next_start = max(self._next_start, time.monotonic() + wish)
                return
            most = min(LONGEST_BACKOFF, self._settings.backoff * 2 ** (attempt - 1))
            self._changed.wait_for(lambda: self._stopped, self._random.uniform(0, most))

    def _report(self, found: Answered | BaseException | None) -> None:
        with self._changed:
            self._unread.append(found)
            self._changed.notify_all()

    def _read(self) -> Answered | BaseException | None:
        with self._changed:
            while not self._unread:
                self._changed.wait(_GLANCE)
            self._changed.notify_all()
            return self._unread.popleft()


def _described(error: Exception) -> str:
    """The type of an exception that nobody expected, and what it says: it is a failure of one question."""
    text = beginning(str(error))
    return f"asking failed: {type(error).__name__}{': ' if text else ''}{text}"


def _outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns or raises, for the thread that waits for it and raises it again."""
    try:
        return function(*arguments)
    except BaseException as error:
        return error
