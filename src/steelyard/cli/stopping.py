"""SIGTERM as an exception, so that what is running is ended and what was done is said before the program ends."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TERMINATED = 128 + 15


class Terminated(KeyboardInterrupt):
    """The program was asked to end (SIGTERM, or the terminal was closed)."""

    exit_code = TERMINATED


@contextmanager
def terminable() -> Iterator[None]:
    """Raise Terminated in the body on SIGTERM and SIGHUP; once is enough, further signals are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGTERM]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    # nohup and its like ignore a signal, and so do we
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
