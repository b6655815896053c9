"""The sessions of a server over HTTP: their number, their idle time, and the memory that they keep.

An open session takes about 40 kB. The library ends a session that has been idle for `Limits.session_timeout` seconds.
This module ends sessions earlier that are probably abandoned: those that never got an answer to a call, or whose client
left during the last one. A client with an open connection (a GET of the protocol) is never idle.

Two loops of the library keep the last request and the last answer of a session in local variables until the next
message. After a large message, or one that its client did not wait for, a ping is sent to replace them.
"""

import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from steelyard import limits
from steelyard.pipelines.calls import CLIENT_LEFT
from steelyard.pipelines.http_limits import BODY_SIZE, SMALL_BODY, Application, Limits, Receive, Scope, Send

SESSION_HEADER = b"mcp-session-id"
PING = b'{"jsonrpc": "2.0", "id": "steelyard-%d", "method": "ping"}'
PING_SECONDS = 5.0


@dataclass(slots=True)
class _Session:
    """When a session was last used, the number of its open requests, and whether its last call was answered."""

    last_used: float = field(default_factory=time.monotonic)
    open_requests: int = 0
    answered: bool = False

    def expires(self, session_timeout: float) -> float:
        """The time at which the session is ended if it is not used before."""
        unused = min(session_timeout, limits.SERVE_UNUSED_SECONDS.value)
        return self.last_used + (session_timeout if self.answered else unused)


@dataclass(slots=True)
class _Response:
    """The response to one request: its status and size, and whether it was sent before the client left."""

    scope: Scope
    target: Send
    sessions: "Sessions"
    status: int = 0
    size: int = 0
    delivered: bool = False

    async def send(self, message: dict[str, Any]) -> None:
        """Pass a message on, and record its status and size."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.sessions.record(self.status, message["headers"])
        else:
            self.size += len(message.get("body", b""))
            left = self.scope.get(CLIENT_LEFT)  # it is also set later, when the response is complete
            self.delivered = not message.get("more_body", False) and (left is None or not left.is_set())
        await self.target(message)


@dataclass(slots=True)
class Sessions:
    """ASGI middleware that counts sessions and ends those beyond the limits."""

    application: Application
    limits: Limits
    _open: dict[bytes, _Session] = field(default_factory=dict)
    _ping_numbers: "Iterator[int]" = field(default_factory=count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and record the session that it used or opened."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        name, response = dict(scope["headers"]).get(SESSION_HEADER), _Response(scope, send, self)
        if name is not None and name in self._open:
            await self._use(name, scope, receive, response)
            return
        if name is None:
            await self._make_room(scope)
        await self.application(scope, receive, response.send)

    def record(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Record the session that a response opens."""
        opened = next((value for name, value in headers if name.lower() == SESSION_HEADER), None)
        if opened is not None and status < 400:
            self._open.setdefault(opened, _Session())

    async def _use(self, name: bytes, scope: Scope, receive: Receive, response: _Response) -> None:
        """Pass on a request of an open session."""
        session = self._open[name]
        session.open_requests += 1
        try:
            await self.application(scope, receive, response.send)
        finally:
            session.open_requests -= 1
            session.last_used = time.monotonic()
        if response.status == 404 or (scope["method"] == "DELETE" and response.status < 400):
            self._open.pop(name, None)
        elif scope["method"] == "POST" and response.status == 200:
            session.answered = response.delivered
            if not response.delivered or max(scope.get(BODY_SIZE, 0), response.size) > SMALL_BODY:
                await self._send_request(scope, name, "POST", PING % next(self._ping_numbers))
                gc.collect()  # the library leaves the message in a cycle of references

    async def _make_room(self, scope: Scope) -> None:
        """End expired sessions; while there are still too many, end the one that has been idle longest."""
        now = time.monotonic()
        for name in [name for name, session in self._idle() if session.expires(self.limits.session_timeout) <= now]:
            await self._end(scope, name)
        while len(self._open) >= self.limits.max_sessions:
            oldest = min(self._idle(), key=lambda entry: entry[1].last_used, default=None)
            if oldest is None:
                return  # the library refuses the new session
            await self._end(scope, oldest[0])

    def _idle(self) -> list[tuple[bytes, _Session]]:
        return [(name, session) for name, session in self._open.items() if not session.open_requests]

    async def _end(self, scope: Scope, name: bytes) -> None:
        """End a session by a DELETE request, unless it has been used in the meantime."""
        if name in self._open and not self._open[name].open_requests:
            del self._open[name]
            await self._send_request(scope, name, "DELETE", b"")

    async def _send_request(self, scope: Scope, name: bytes, method: str, body: bytes) -> None:
        """Send a request of a session to the library, and ignore the response."""
        import anyio

        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in messages:
                return message
            await anyio.sleep_forever()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            pass

        accepted = b"application/json, text/event-stream"
        headers = [(b"host", b"localhost"), (SESSION_HEADER, name), (b"accept", accepted)]
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        with anyio.move_on_after(PING_SECONDS):
            await self.application({**scope, "method": method, "headers": headers}, receive, send)
