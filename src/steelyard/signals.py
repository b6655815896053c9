"""Signals that stop the program: SIGTERM, and SIGHUP when the terminal is closed.

They are raised as an exception like Ctrl-C, so that started processes are ended, unfinished files are removed and the
saved work is reported before the exit.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

TERMINATED = 128 + 15


class Terminated(KeyboardInterrupt):
    """The program received SIGTERM, or the terminal was closed."""

    exit_code = TERMINATED


def stop_signals() -> list[signal.Signals]:
    """The signals that stop the program; one that is ignored (nohup) stays ignored."""
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
