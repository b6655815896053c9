"""`command:ARGV`: a program that reads a question per line and writes a record per line, both JSON."""

import json
import shlex
import shutil
import threading
import time
from collections.abc import Mapping

from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.systems.decoding import check_size, decode_reply
from steelyard.systems.processes import LEAVE, Process
from steelyard.systems.records import Ask, Reply, reply_of
from steelyard.systems.secrets import hiding, masked_command, secrets_in_command

COMMAND_HINT = Message("systems.example_command_python_my_system")


class CommandSystem:
    """Runs the program as often as it is asked at a time; each process stays for the questions that follow."""

    def __init__(self, command: str, *, timeout: float) -> None:
        self._argv = _argv(command)
        self.name = masked_command(command)
        self._secrets = secrets_in_command(command)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._closed = False

    def ask(self, ask: Ask) -> Reply:
        """Ask once; a process that fails is ended, for what it says next could belong to this question still."""
        with hiding(self._secrets):
            return self._ask(ask)

    def _ask(self, ask: Ask) -> Reply:
        process = self._take()
        try:
            reply = _reply(process.converse(_request(ask), self._timeout), ask)
        except SystemFailure:
            self._busy.discard(process)
            process.kill()
            raise
        self._give_back(process)
        return reply

    def close(self) -> None:
        """End all processes: those at rest politely, those at work at once."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, self._busy
            self._idle, self._busy = [], set()
        for process in busy:
            process.kill()
        for process in idle:
            process.dismiss()
        end = time.monotonic() + LEAVE
        for process in idle:
            process.leave(end - time.monotonic())

    def _take(self) -> Process:
        with self._lock:
            if self._closed:
                raise SystemFailure(Message("systems.system_closed"))
            process = self._next_idle() or Process(self._argv)
            self._busy.add(process)
        return process

    def _next_idle(self) -> Process | None:
        while self._idle:
            process = self._idle.pop()
            if process.alive():
                return process
            process.kill()  # what it has started may run on
        return None

    def _give_back(self, process: Process) -> None:
        with self._lock:
            if not self._closed:
                self._busy.discard(process)
                self._idle.append(process)


def _argv(command: str) -> list[str]:
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise ConfigError(
            Message("systems.no_command", command=masked_command(command), error=error), hint=COMMAND_HINT
        ) from None
    if not argv:
        raise ConfigError(Message("systems.no_command_named"), hint=COMMAND_HINT)
    if shutil.which(argv[0]) is None:
        raise ConfigError(Message("systems.no_program_called", argv=masked_command(argv[0])), hint=COMMAND_HINT)
    return argv


def _request(ask: Ask) -> bytes:
    # in ASCII, so that no program can read it in the wrong encoding
    return json.dumps({"id": ask.id, "question": ask.question, "document": ask.document}).encode() + b"\n"


def _reply(line: bytes, ask: Ask) -> Reply:
    check_size(len(line))
    value = decode_reply(line)
    if isinstance(value, Mapping) and str(value.get("id", ask.id)) != ask.id:
        raise SystemFailure(Message("systems.program_replied_asked", reply=value["id"], id=ask.id))
    return reply_of(value)
