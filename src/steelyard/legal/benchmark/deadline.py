"""A time limit for work in the main thread, effective also inside a regular expression.

The timer signal of the operating system interrupts the main thread. In other threads, and where there is no such
signal (Windows), nothing is interrupted: there only the limits on the length of answers bound the time.
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


class DeadlineExceeded(Exception):
    """The time limit was exceeded."""


class _Interrupt(BaseException):
    """Raised by the signal handler; no subclass of Exception, so that handlers in the body do not catch it."""


def deadline(seconds: float) -> AbstractContextManager[None]:
    """Raise DeadlineExceeded when the body takes longer; an earlier timer of the program is kept."""
    if sys.platform == "win32" or not _can_interrupt() or 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        return nullcontext()
    return _Deadline(seconds)


@contextmanager
def one_handler() -> Iterator[None]:
    """Set the signal handler once for all deadlines of the body; setting it takes as long as judging a short answer."""
    if sys.platform == "win32" or not _can_interrupt() or _handler.is_set or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGALRM, _handler)
    _handler.is_set, _handler.before = True, before
    try:
        yield
    finally:
        _handler.is_set = False
        _restore(before, 0, 0)


class _Handler:
    """The signal handler of all deadlines: it interrupts the innermost one that is not over."""

    def __init__(self) -> None:
        self.is_set = False
        self.before: Any = None
        self.current: _Deadline | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.current is not None and not self.current.is_over:
            raise _Interrupt
        if self.current is None and callable(self.before):
            self.before(number, frame)


_handler: Final = _Handler()


class _Deadline:
    """A deadline with its timer; `before` is the handler that it replaces, None if it is the one of all deadlines."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._outer: _Deadline | None = None
        self._before: Any = None
        self._started = self._delay = self._interval = 0.0
        self.is_over = False

    def __enter__(self) -> None:
        if sys.platform == "win32":
            return
        self._started = time.monotonic()
        self._outer, _handler.current = _handler.current, self
        if not _handler.is_set:
            self._before = signal.signal(signal.SIGALRM, _handler)
        self._delay, self._interval = signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.is_over = True
        _handler.current = self._outer
        delay = self._delay and max(_SOON, self._delay - (time.monotonic() - self._started))
        if _handler.is_set:
            _set_timer(delay, self._interval)
        else:
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


def _set_timer(delay: float, interval: float) -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, delay, interval if delay else 0)
