"""A child process that is spoken with line by line, and that never outlives its use."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Final, cast

from steelyard import limits
from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.systems.decoding import beginning
from steelyard.systems.records import TryAgain

LEAVE: Final = 1.0
"""Seconds that a process has to end by itself once nobody speaks to it."""

OUTPUT_HINT = Message("systems.each_line_standard_output_reply")
_MOST_LINES: Final = 8  # of those that nobody asked for
_LONGEST_COMPLAINT: Final = 1 << 16  # bytes of a line on the standard error
_PAUSE: Final = 0.005  # seconds
_END: Final = b""


class Process:
    """A running program; two threads read what it writes, so that it never waits for us."""

    def __init__(self, argv: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            # in a session of its own: whatever it starts ends with it, and Ctrl-C is ours to pass on
            self._child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise SystemFailure(Message("systems.program_cannot_started", error=error)) from None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._last_words = b""
        self._ending = threading.Lock()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_lines, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def alive(self) -> bool:
        """Whether it still runs."""
        return not self._has_ended()

    def converse(self, request: bytes, timeout: float) -> bytes:
        """The line that it writes in reply to this one."""
        if not self._lines.empty():
            raise self._interruption(self._lines.get())
        stdin = cast(IO[bytes], self._child.stdin)
        with suppress(OSError, ValueError):  # if it is gone, the reader knows
            stdin.write(request)
            stdin.flush()
        try:
            line = self._lines.get(timeout=timeout)
        except Empty:
            raise TryAgain(Message("core.no_answer_within", timeout=timeout)) from None
        if line == _END:
            raise self._interruption(line)
        return line

    def dismiss(self) -> None:
        """Tell it that nothing more will come."""
        with suppress(OSError):
            cast(IO[bytes], self._child.stdin).close()

    def leave(self, seconds: float = LEAVE) -> None:
        """Wait for it to end, but not for long."""
        end = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(_PAUSE)
        self.kill()

    def kill(self) -> None:
        """End it, and all that it has started."""
        with self._ending:
            if self._child.returncode is None:  # it was not waited for yet, so its number is still its own
                with suppress(ProcessLookupError, PermissionError):
                    self._kill_group()
            self._child.wait()
        self.dismiss()

    def _kill_group(self) -> None:
        if sys.platform == "win32":
            self._child.kill()
        else:
            os.killpg(self._child.pid, signal.SIGKILL)

    def _has_ended(self) -> bool:
        """Whether it has ended; it is not waited for, so that its number stays that of its group."""
        if sys.platform == "win32" or self._child.returncode is not None:
            return self._child.poll() is not None
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def _interruption(self, line: bytes) -> SystemFailure:
        if line != _END:
            said = beginning(line.decode("utf-8", "replace"))
            return SystemFailure(Message("systems.program_wrote_line_nobody_asked", said=said), hint=OUTPUT_HINT)
        self.leave()
        self._readers[1].join(LEAVE)
        said = beginning(self._last_words.decode("utf-8", "replace"))
        last, code = said or Message("words.none"), self._child.returncode
        return SystemFailure(Message("systems.program_ended_code_last_words", code=code, said=last))

    def _read_lines(self) -> None:
        longest = int(limits.REPLY_BYTES.value)
        with cast(IO[bytes], self._child.stdout) as output:
            for line in iter(lambda: output.readline(longest + 2), _END):
                self._lines.put(line)
                if len(line) > longest or self._lines.qsize() > _MOST_LINES:
                    break
        self._lines.put(_END)

    def _read_errors(self) -> None:
        with cast(IO[bytes], self._child.stderr) as errors:
            for line in iter(lambda: errors.readline(_LONGEST_COMPLAINT), _END):
                self._last_words = line if line.strip() else self._last_words
