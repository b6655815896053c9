"""A time limit for work in the main thread, effective also inside a regular expression.

The timer signal of the operating system interrupts the main thread. In other threads, and where there is no such
signal (Windows), nothing is interrupted: there other limits bound the time.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SOON: Final = 1e-3


class DeadlineExceeded(Exception):
    """The time limit was exceeded."""


class _Interrupt(BaseException):
    """Raised by the signal handler; no subclass of Exception, so that handlers in the body do not catch it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise DeadlineExceeded when the body takes longer; a timer of the program that ends earlier is left alone."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    if 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        yield
        return
    is_over = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal is_over
        if not is_over:
            is_over = True  # it is interrupted once
            raise _Interrupt

    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, interrupt)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _Interrupt:
        raise DeadlineExceeded from None
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if delay:
            signal.setitimer(signal.ITIMER_REAL, max(_SOON, delay - (time.monotonic() - started)), interval)
