"""A scripted OpenAI-compatible server: real HTTP on loopback, whose replies a test decides."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

KEY = "sk-test-0123456789abcdef"


class Scripted(NamedTuple):
    """A reply: its status, headers and body, after a delay."""

    body: Any
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012
    delay: float = 0.0


def says(text: str | None, *, finish: str = "stop", delay: float = 0.0, **message: Any) -> Scripted:
    """Return a completion with this text."""
    content = {"choices": [{"message": {"content": text, **message}, "finish_reason": finish}]}
    return Scripted({**content, "usage": {"prompt_tokens": 10, "completion_tokens": 5}}, delay=delay)


def verdict(label: Any, **fields: Any) -> Scripted:
    """Return a completion with one verdict."""
    return says(json.dumps({"reason": "r", **fields, "verdict": label}, ensure_ascii=False))


Script = Callable[[dict[str, Any], int], Scripted]
"""What the server replies to a body that it has seen so often before."""


class JudgeServer(ThreadingHTTPServer):
    """Records the bodies and headers of requests, and how many were under way at a time."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.running = self.peak = 0
        self.lock = threading.Lock()

    @property
    def model(self) -> str:
        return f"openai:scripted@http://127.0.0.1:{self.server_port}/v1"

    def asked(self, text: str) -> list[dict[str, Any]]:
        """Return the requests whose judged texts have these words."""
        return [body for body in self.bodies if text in body["messages"][-1]["content"]]


class _Handler(BaseHTTPRequestHandler):
    server: JudgeServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            seen = self.server.bodies.count(body)
            self.server.bodies.append(body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            self.server.running += 1
            self.server.peak = max(self.server.peak, self.server.running)
        reply = self.server.script(body, seen)
        time.sleep(reply.delay)
        with self.server.lock:
            self.server.running -= 1
        self._send(reply)

    def _send(self, reply: Scripted) -> None:
        content = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
        try:
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # the client has gone
            pass

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(script: Script) -> Iterator[JudgeServer]:
    """Serve a script until the block ends."""
    with JudgeServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
