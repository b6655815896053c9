"""SIGTERM as an exception, so that child processes are ended and the saved work is reported before the exit."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TERMINATED = 128 + 15


class Terminated(KeyboardInterrupt):
    """The program received SIGTERM, or the terminal was closed."""

    exit_code = TERMINATED


@contextmanager
def terminable() -> Iterator[None]:
    """Raise Terminated in the body on the first SIGTERM or SIGHUP; further signals are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGTERM]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    # a signal that is already ignored (nohup) stays ignored
    handled = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]

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
