"""A child process that is asked by lines: of a system that answers questions, or of a program that is checked."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Final, cast

from steelyard import limits
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.net.replies import excerpt
from steelyard.net.retry import RetryableFailure
from steelyard.net.secrets import masked_command

GRACE: Final = 1.0
"""Seconds that a process has to end by itself after its standard input is closed."""

OUTPUT_HINT = Message("systems.output_hint")
_MOST_LINES: Final = 8  # that were not requested
_LONGEST_ERROR_LINE: Final = 1 << 16  # bytes of a line on the standard error
_PAUSE: Final = 0.005  # seconds
_END: Final = b""
_NODE: Final = b"Node.js v"
"""How the last line begins that Node writes about an error, whose text stands further up."""
_ERROR: Final = re.compile(rb"\w*Error\b.*: ")


class Process:
    """A child process; two threads read its output, so that it never blocks on a full pipe."""

    def __init__(self, argv: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            # in a session of its own: its children are ended with it, and Ctrl-C does not reach it
            self._child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise SystemFailure(Message("systems.program_cannot_start", error=error)) from None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._last_error = b""
        self._ending = threading.Lock()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_lines, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def has_ended(self) -> bool:
        """Return whether it has ended; it is not reaped, so that its process id stays that of its group."""
        if sys.platform == "win32" or self._child.returncode is not None:
            return self._child.poll() is not None
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def request(self, line: bytes, timeout: float) -> bytes:
        """Send a line and return the line that the program writes in reply."""
        if not self._lines.empty():
            raise self._interruption(self._lines.get())
        stdin = cast(IO[bytes], self._child.stdin)
        with suppress(OSError, ValueError):  # if it has ended, the reader notices
            stdin.write(line)
            stdin.flush()
        try:
            reply = self._lines.get(timeout=timeout)
        except Empty:
            raise RetryableFailure(Message("core.no_answer_within", timeout=timeout)) from None
        if reply == _END:
            raise self._interruption(reply)
        return reply

    def close_input(self) -> None:
        """Close its standard input."""
        with suppress(OSError):
            cast(IO[bytes], self._child.stdin).close()

    def wait(self, seconds: float = GRACE) -> None:
        """Wait some seconds for it to end, then kill it."""
        end = time.monotonic() + seconds
        while not self.has_ended() and time.monotonic() < end:
            time.sleep(_PAUSE)
        self.kill()

    def kill(self) -> None:
        """Kill it and all processes that it has started."""
        with self._ending:
            if self._child.returncode is None:  # not reaped yet, so the process id is still its own
                with suppress(ProcessLookupError, PermissionError):
                    if sys.platform == "win32":
                        self._child.kill()
                    else:
                        os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()
        self.close_input()

    def _interruption(self, line: bytes) -> SystemFailure:
        if line != _END:
            line_text = excerpt(line.decode("utf-8", "replace"))
            return SystemFailure(Message("systems.unrequested_line", text=line_text), hint=OUTPUT_HINT)
        self.wait()
        self._readers[1].join(GRACE)
        text = excerpt(self._last_error.decode("utf-8", "replace")) or Message("words.none")
        return SystemFailure(Message("systems.program_ended", code=self._child.returncode, text=text))

    def _read_lines(self) -> None:
        longest = int(limits.REPLY_BYTES.value)
        with cast(IO[bytes], self._child.stdout) as output:
            for line in iter(lambda: output.readline(longest + 2), _END):
                self._lines.put(line)
                if len(line) > longest or self._lines.qsize() > _MOST_LINES:
                    break
        self._lines.put(_END)

    def _read_errors(self) -> None:
        error = b""
        with cast(IO[bytes], self._child.stderr) as errors:
            for line in iter(lambda: errors.readline(_LONGEST_ERROR_LINE), _END):
                error = line if _ERROR.match(line) else error
                last = error or line if line.startswith(_NODE) else line
                self._last_error = last if line.strip() else self._last_error


def parse_command(command: str, hint: Message) -> list[str]:
    """Return the words of a command, the first of which is a program that can be found."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        message = Message("systems.bad_command", command=masked_command(command), error=error)
        raise ConfigError(message, hint=hint) from None
    if not argv:
        raise ConfigError(Message("systems.empty_command"), hint=hint)
    if shutil.which(argv[0]) is None:
        raise ConfigError(Message("systems.unknown_program", argv=masked_command(argv[0])), hint=hint)
    return argv
