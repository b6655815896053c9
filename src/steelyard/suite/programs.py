"""A program under test: another process that answers lines of JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, cast

from steelyard.errors import InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.net.replies import excerpt
from steelyard.systems.process import Process

PROTOCOL: Final = 1
PROGRAM_HINT: Final = Message("suite.program_hint")
START_SECONDS: Final = 300.0
"""How long a program may take to start: some compile for minutes."""
ANSWER_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class About:
    """What a program says of itself: its name, its version, and the names that it computes."""

    name: str
    version: str
    computes: frozenset[str]


@dataclass(slots=True)
class Program:
    """A program that is started when it is asked, and again when it has failed."""

    command: Sequence[str]
    seconds: float = ANSWER_SECONDS
    _process: Process | None = None

    def start(self) -> About:
        """Start the program, and return what it says of itself."""
        where = " ".join(self.command)
        try:
            process = Process([*self.command])
        except SystemFailure as error:
            raise InputError(error.message, where=where) from None
        self._process = process
        try:
            reply = _exchange(process, {"start": PROTOCOL}, START_SECONDS)
            return About(str(reply["name"]), str(reply["version"]), _names(reply["computes"]))
        except (SystemFailure, KeyError, TypeError) as error:
            why = error.message if isinstance(error, SystemFailure) else Message("suite.bad_handshake")
            raise SystemFailure(Message("suite.no_start", why=why), where=where, hint=PROGRAM_HINT) from None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request; a program that fails is ended, and started again for the next."""
        if self._process is None:
            self.start()
        try:
            reply = _exchange(cast(Process, self._process), request, self.seconds)
            if reply.get("id") != request["id"]:
                raise SystemFailure(Message("suite.other_id", id=reply.get("id")))
            return reply
        except SystemFailure:
            self.close()
            raise

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _names(value: Any) -> frozenset[str]:
    if not isinstance(value, list):
        raise TypeError(value)
    return frozenset(map(str, value))


def _exchange(process: Process, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    line = process.request(json.dumps(request, ensure_ascii=False).encode() + b"\n", seconds)
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise SystemFailure(Message("suite.no_json", text=excerpt(line.decode("utf-8", "replace"))))
    return reply
