"""A chat interface on this machine that answers by a script and records its requests."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Stub(ThreadingHTTPServer):
    """A chat interface on this machine; `script` says by prompt what to answer: text, or (status, headers, body)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.script, self.busy, self.most = [], {}, 0, 0
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def reply(self, prompt):
        scripted = self.script.get(prompt, f"re: {prompt}")
        return scripted.pop(0) if isinstance(scripted, list) else scripted

    def log_message(self, *args):
        pass


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.requests.append((self.path, headers, body))
            self.server.busy += 1
            self.server.most = max(self.server.most, self.server.busy)
            reply = self.server.reply(body["messages"][-1]["content"])
        if callable(reply):
            reply = reply()
        with self.server.lock:
            self.server.busy -= 1
        self.send(*(reply if isinstance(reply, tuple) else (200, {}, completion(reply))))

    def send(self, status, headers, body):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": len(content), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


def completion(content, finish_reason="stop"):
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def failure(status, message="no", **headers):
    return status, headers, {"error": {"message": message}}


@contextmanager
def serving():
    """A stub that answers until the block ends."""
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
