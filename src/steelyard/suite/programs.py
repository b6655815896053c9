"""A program under test: another process that answers lines of JSON."""

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Final, Self

from steelyard.errors import InputError, SystemFailure, os_reason
from steelyard.i18n import Message

PROTOCOL: Final = 1
START_SECONDS: Final = 120.0
"""How long a program may take to start: some load for a minute."""
ANSWER_SECONDS: Final = 60.0


class Ended(Exception):
    """The program has ended, or does not answer in time."""


@dataclass(frozen=True, slots=True)
class About:
    """What a program says of itself: its name, its version, and the names that it computes."""

    name: str
    version: str
    computes: frozenset[str]


@dataclass(slots=True)
class Program:
    """A program that is started when it is asked, and again when it has ended."""

    command: Sequence[str]
    seconds: float = ANSWER_SECONDS
    _process: subprocess.Popen[bytes] | None = None
    _lines: "queue.SimpleQueue[bytes]" = field(default_factory=queue.SimpleQueue)
    _errors: list[bytes] = field(default_factory=list)

    def start(self) -> About:
        """Start the program, and return what it says of itself."""
        self._spawn()
        try:
            reply = self._exchange({"start": PROTOCOL}, START_SECONDS)
            return About(str(reply["name"]), str(reply["version"]), frozenset(reply["computes"]))
        except (Ended, KeyError, TypeError) as error:
            hint = Message("suite.program_hint")
            why = self.last_error() or f"{type(error).__name__}: {error}"
            raise SystemFailure(Message("suite.no_start", why=why), where=" ".join(self.command), hint=hint) from None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request; a program that ends instead is started again for the next."""
        if self._process is None:
            self.start()
        try:
            return self._exchange(request, self.seconds)
        except Ended:
            self.close()
            raise

    def last_error(self) -> str:
        """Return the last line that the program has written to standard error."""
        lines = [text for line in self._errors if (text := line.decode("utf-8", "replace").strip())]
        return lines[-1] if lines else ""

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin
            with contextlib.suppress(OSError):  # what it did not read
                self._process.stdin.close()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _spawn(self) -> None:
        pipe = subprocess.PIPE
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
        except OSError as error:
            raise InputError(Message("suite.no_program", why=os_reason(error)), where=" ".join(self.command)) from None
        self._process, self._lines, self._errors = process, queue.SimpleQueue(), []
        assert process.stdout
        assert process.stderr
        threading.Thread(target=_collect, args=(process.stdout, self._lines.put), daemon=True).start()
        threading.Thread(target=_collect, args=(process.stderr, self._keep_error), daemon=True).start()

    def _keep_error(self, line: bytes) -> None:
        self._errors = [*self._errors[-20:], line] if line else self._errors

    def _exchange(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=seconds)
        except OSError:
            line = b""
        except queue.Empty:
            raise Ended("timeout") from None
        if not line:
            raise Ended("ended")
        return _parsed(line)


def _collect(stream: IO[bytes], put: Any) -> None:
    """Give each line of a stream to `put`, and an empty one at its end."""
    with stream:
        for line in stream:
            put(line)
    put(b"")


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        raise Ended("no JSON")
    return reply
