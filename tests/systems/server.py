"""A real server on the loopback, and what it was sent."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the server says: a status, a body, headers; a `slow` one waits until it is released.

    A `pause` is made after every byte.
    """

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    slow: bool = False
    pause: float = 0.0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body, ensure_ascii=False).encode()


class Server(ThreadingHTTPServer):
    """Answers as `reply` says, and keeps every request and the status of its answer."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, reply: Callable[[Any], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply = reply
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.statuses: list[tuple[Any, int]] = []
        self.released = threading.Event()

    def answer(self, path: str, body: Any) -> Answer:
        """Answer a request at a path."""
        return self.reply(body)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def bodies(self) -> list[Any]:
        return [body for _, _, body in self.requests]

    def handle_error(self, request, client_address):
        """A client that hangs up is no error here."""


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        answer = self.server.answer(self.path, body)
        if answer.slow:
            self.server.released.wait(10)
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.content)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        size = 1 if answer.pause else len(answer.content) or 1
        for start in range(0, len(answer.content), size):
            self.wfile.write(answer.content[start : start + size])
            self.server.released.wait(answer.pause)
        self.server.statuses.append((body, answer.status))

    def log_message(self, *arguments):
        """Say nothing."""
