"""Signals: those that stop the program (SIGTERM, and SIGHUP when the terminal is closed), and the timer of a deadline.

The former are raised as an exception like Ctrl-C, so that started processes are ended, unfinished files are removed and
the saved work is reported before the exit. The timer interrupts the main thread, also inside a regular expression; in
other threads, and where there is no such signal (Windows), nothing is interrupted: there other limits bound the time.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Final

TERMINATED = 128 + 15


class Terminated(KeyboardInterrupt):
    """The program received SIGTERM, or the terminal was closed."""

    exit_code = TERMINATED


def stop_signals() -> list[signal.Signals]:
    """Return the signals that stop the program; one that is ignored (nohup) stays ignored."""
    signals = [signal.SIGTERM]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    return [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]


@contextmanager
def terminable() -> Iterator[None]:
    """Raise Terminated in the body on the first of these signals, in the main thread; further ones are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handled = stop_signals()

    def stop(*_: object) -> None:
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        raise Terminated

    before = {each: signal.signal(each, stop) for each in handled}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def starting_workers() -> Iterator[None]:
    """Let Ctrl-C and these signals wait for the end of the body, in which processes are started.

    What is started leaves Ctrl-C, and the end of the terminal, to the program: both reach all processes of a terminal.
    """
    with _postponed(), _blocked():
        yield


@contextmanager
def _postponed() -> Iterator[None]:
    """Handle the signals after the body, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        each: signal.signal(each, lambda number, _: received.append(number))
        for each in (signal.SIGINT, *stop_signals())
    }
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in received[:1]:
            signal.raise_signal(number)


@contextmanager
def _blocked() -> Iterator[None]:
    """Block SIGINT and SIGHUP in this thread: threads and processes that it starts in the body have them blocked."""
    if sys.platform == "win32":
        yield
        return
    blocked = (signal.SIGINT, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    resource_tracker.ensure_running()  # which unblocks SIGINT
    signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def restore_defaults() -> None:
    """Let these signals end this process at once: for a worker, which has inherited the handlers of its parent."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


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
