"""A time limit for work in the main thread, effective also inside a regular expression.

The timer signal of the operating system interrupts the main thread. In other threads, and where there is no such
signal (Windows), nothing is interrupted: there only the limits on the length of answers bound the time.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_SOON: Final = 1e-3


class DeadlineExceeded(Exception):
    """The time limit was exceeded."""


class _Interrupt(BaseException):
    """Raised by the signal handler; a BaseException, so that `except Exception` in the body does not catch it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise DeadlineExceeded when the body takes longer; an earlier timer of the program is kept."""
    if sys.platform == "win32" or not _can_interrupt() or 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        yield
        return
    is_over = False

    def interrupt(*_: object) -> None:
        if not is_over:
            raise _Interrupt

    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, interrupt)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
        is_over = True
    except _Interrupt:
        raise DeadlineExceeded from None
    finally:
        is_over = True
        _restore(handler, delay and max(_SOON, delay - (time.monotonic() - started)), interval)


def _can_interrupt() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _restore(handler: Any, delay: float, interval: float) -> None:
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler if handler is not None else signal.SIG_DFL)
    if delay:
        signal.setitimer(signal.ITIMER_REAL, delay, interval)
