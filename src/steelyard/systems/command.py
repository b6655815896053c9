"""`command:ARGV`: a program that reads a question per line and writes a record per line, both as JSON."""

import json
import threading
import time
from collections.abc import Mapping

from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.net.replies import check_size, decode_reply
from steelyard.net.secrets import mask_failures, masked_command, secrets_in_command
from steelyard.systems.base import Ask, Reply, SystemSettings, reply_of
from steelyard.systems.process import GRACE, Process, parse_command

COMMAND_HINT = Message("systems.command_hint")


class CommandSystem:
    """Runs one process per concurrent question; a process is kept for the questions that follow."""

    def __init__(self, command: str, *, timeout: float) -> None:
        self._argv = parse_command(command, COMMAND_HINT)
        self.name = masked_command(command)
        self._secrets = secrets_in_command(command)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._closed = False

    def ask(self, ask: Ask) -> Reply:
        """Ask once; a process that fails is killed, because its next line could still be the reply to this question."""
        # as ASCII, which is the same in every usual encoding
        request = json.dumps({"id": ask.id, "question": ask.question, "document": ask.document}).encode() + b"\n"
        with mask_failures(self._secrets):
            process = self._take()
            try:
                reply = _reply(process.request(request, self._timeout), ask)
            except SystemFailure:
                self._busy.discard(process)
                process.kill()
                raise
        self._give_back(process)
        return reply

    def close(self) -> None:
        """End all processes: busy ones are killed, idle ones have a second to end by themselves."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, self._busy
            self._idle, self._busy = [], set()
        for process in busy:
            process.kill()
        for process in idle:
            process.close_input()
        end = time.monotonic() + GRACE
        for process in idle:
            process.wait(end - time.monotonic())

    def _take(self) -> Process:
        with self._lock:
            if self._closed:
                raise SystemFailure(Message("systems.closed"))
            process = self._next_idle() or Process(self._argv)
            self._busy.add(process)
        return process

    def _next_idle(self) -> Process | None:
        while self._idle:
            process = self._idle.pop()
            if not process.has_ended():
                return process
            process.kill()  # its children may still run
        return None

    def _give_back(self, process: Process) -> None:
        with self._lock:
            if not self._closed:
                self._busy.discard(process)
                self._idle.append(process)


def _reply(line: bytes, ask: Ask) -> Reply:
    check_size(len(line))
    value = decode_reply(line)
    if isinstance(value, Mapping) and str(value.get("id", ask.id)) != ask.id:
        raise SystemFailure(Message("systems.wrong_id", reply=value["id"], id=ask.id))
    return reply_of(value)


def open_command(rest: str, settings: SystemSettings) -> CommandSystem:
    """Open the system of a command line."""
    return CommandSystem(rest, timeout=settings.timeout)
