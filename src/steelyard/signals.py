"""Signals that stop the program: SIGTERM, and SIGHUP when the terminal is closed.

They are raised as an exception like Ctrl-C, so that started processes are ended, unfinished files are removed and the
saved work is reported before the exit.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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


def restore_defaults() -> None:
    """Let these signals end this process at once: for a worker, which has inherited the handlers of its parent."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
