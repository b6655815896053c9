"""A time limit for work in the main thread, effective also inside a regular expression.

The timer signal of the operating system interrupts the main thread. In other threads, and where there is no such
signal (Windows), nothing is interrupted: there other limits bound the time.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any, Final

_SOON: Final = 1e-3
_TICKS: Final = 10
"""The number of signals in the time of a deadline, where they come at regular intervals."""


class DeadlineExceeded(Exception):
    """The time limit was exceeded."""


class _Interrupt(BaseException):
    """Raised by the signal handler; no subclass of Exception, so that handlers in the body do not catch it."""


def deadline(seconds: float) -> AbstractContextManager[None]:
    """Raise DeadlineExceeded when the body takes longer; an earlier timer of the program is kept."""
    if sys.platform == "win32" or not _can_interrupt():
        return nullcontext()
    if not _handler.is_set and 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        return nullcontext()
    return _Deadline(seconds)


@contextmanager
def one_handler() -> Iterator[None]:
    """Set the signal handler and a timer once for all deadlines of the body; these take as long as a short answer.

    The timer gives a signal at regular intervals, so a deadline may be exceeded by a tenth before it is noticed.
    """
    if sys.platform == "win32" or not _can_interrupt() or _handler.is_set or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGALRM, _handler)
    _handler.is_set, _handler.before = True, before
    try:
        yield
    finally:
        _restore(before, 0, 0)
        _handler.is_set, _handler.interval = False, 0.0


class _Handler:
    """The signal handler of all deadlines: it interrupts the innermost one that is not over."""

    def __init__(self) -> None:
        self.is_set = False
        self.interval = 0.0
        self.before: Any = None
        self.current: _Deadline | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.current is not None and not self.current.is_over and (not self.is_set or self.current.is_exceeded):
            self.current.is_over = True  # it is interrupted once
            raise _Interrupt
        if self.current is None and not self.interval and callable(self.before):
            self.before(number, frame)

    def signal_within(self, seconds: float) -> None:
        """Have a signal several times within so many seconds; a forked process has no timer yet."""
        if sys.platform == "win32":
            return
        if not 0 < self.interval * _TICKS <= seconds or not signal.getitimer(signal.ITIMER_REAL)[0]:
            self.interval = max(_SOON, seconds / _TICKS)
            signal.setitimer(signal.ITIMER_REAL, self.interval, self.interval)


_handler: Final = _Handler()


class _Deadline:
    """A deadline with its timer; `before` is the handler that it replaces, None if it is the one of all deadlines."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._outer: _Deadline | None = None
        self._before: Any = None
        self._started = self._delay = self._interval = 0.0
        self.is_over = False

    @property
    def is_exceeded(self) -> bool:
        """Whether the time of this deadline, or of one around it, is over."""
        is_late = time.monotonic() - self._started >= self._seconds
        return is_late or (self._outer is not None and self._outer.is_exceeded)

    def __enter__(self) -> None:
        if sys.platform == "win32":
            return
        self._started = time.monotonic()
        self._outer, _handler.current = _handler.current, self
        if _handler.is_set:
            _handler.signal_within(self._seconds)
            return
        self._before = signal.signal(signal.SIGALRM, _handler)
        self._delay, self._interval = signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.is_over = True
        _handler.current = self._outer
        if not _handler.is_set:
            delay = self._delay and max(_SOON, self._delay - (time.monotonic() - self._started))
            _restore(self._before, delay, self._interval)
        if isinstance(error, _Interrupt):
            raise DeadlineExceeded from None


def _can_interrupt() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _restore(handler: Any, delay: float, interval: float) -> None:
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler if handler is not None else signal.SIG_DFL)
    if delay:
        signal.setitimer(signal.ITIMER_REAL, delay, interval)
