"""The sessions of a server over HTTP: so many of them, each for so long, and none that keeps large messages.

A session costs some 40 kB while it is open. The library ends one that has been idle for `Limits.idle` seconds; here
sessions are ended earlier when nobody seems to wait for them: those that never had an answer to a call, or whose client
left during its last one. A client that holds a connection (a GET of the protocol) is never idle.

Two loops of the library keep the last request and the last answer of a session in a local variable until the next
message comes. After a large one, or one that its client did not wait for, a ping takes their place.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from steelyard import limits
from steelyard.pipelines.calls import LEFT
from steelyard.pipelines.http_limits import SIZE, SMALL_BODY, Application, Limits, Receive, Scope, Send

SESSION_HEADER = b"mcp-session-id"
PING = b'{"jsonrpc": "2.0", "id": "steelyard-%d", "method": "ping"}'
PING_SECONDS = 5.0


@dataclass(slots=True)
class _Session:
    """When a session was last used, by how many requests it is in use, and whether its last call was answered."""

    used: float = field(default_factory=time.monotonic)
    busy: int = 0
    answered: bool = False

    def expires(self, idle: float) -> float:
        """When it is to be ended if nothing comes before."""
        return self.used + (idle if self.answered else min(idle, limits.SERVE_UNUSED_SECONDS.value))


@dataclass(slots=True)
class _Answer:
    """What is sent in answer to one request, and whether all of it was sent while the client was there."""

    scope: Scope
    target: Send
    sessions: "Sessions"
    status: int = 0
    size: int = 0
    reached: bool = False

    async def send(self, message: dict[str, Any]) -> None:
        """Pass a message on, and note what it says."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.sessions.note(self.status, message["headers"])
        else:
            self.size += len(message.get("body", b""))
            left = self.scope.get(LEFT)  # it is set later too, when the answer is complete
            self.reached = not message.get("more_body", False) and (left is None or not left.is_set())
        await self.target(message)


@dataclass(slots=True)
class Sessions:
    """An ASGI application around another that counts its sessions and ends those that are over a limit."""

    application: Application
    limits: Limits
    _open: dict[bytes, _Session] = field(default_factory=dict)
    _numbers: "Iterator[int]" = field(default_factory=count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note which session it used or opened."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        name, answer = dict(scope["headers"]).get(SESSION_HEADER), _Answer(scope, send, self)
        if name is not None and name in self._open:
            await self._use(name, scope, receive, answer)
            return
        if name is None:
            await self._make_room(scope)
        await self.application(scope, receive, answer.send)

    def note(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Remember the session that an answer opens."""
        opened = next((value for name, value in headers if name.lower() == SESSION_HEADER), None)
        if opened is not None and status < 400:
            self._open.setdefault(opened, _Session())

    async def _use(self, name: bytes, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Pass on a request of a session that is open."""
        session = self._open[name]
        session.busy += 1
        try:
            await self.application(scope, receive, answer.send)
        finally:
            session.busy -= 1
            session.used = time.monotonic()
        if answer.status == 404 or (scope["method"] == "DELETE" and answer.status < 400):
            self._open.pop(name, None)
        elif scope["method"] == "POST" and answer.status == 200:
            session.answered = answer.reached
            if not answer.reached or max(scope.get(SIZE, 0), answer.size) > SMALL_BODY:
                await self._ask(scope, name, "POST", PING % next(self._numbers))

    async def _make_room(self, scope: Scope) -> None:
        """End the sessions whose time is over, and the longest idle where there are still as many as there may be."""
        now = time.monotonic()
        for name in [name for name, session in self._idle() if session.expires(self.limits.idle) <= now]:
            await self._end(scope, name)
        while len(self._open) >= self.limits.sessions:
            longest = min(self._idle(), key=lambda found: found[1].used, default=None)
            if longest is None:
                return  # the library refuses the new one
            await self._end(scope, longest[0])

    def _idle(self) -> list[tuple[bytes, _Session]]:
        return [(name, session) for name, session in self._open.items() if not session.busy]

    async def _end(self, scope: Scope, name: bytes) -> None:
        """Ask the library to end a session, as its client would; one that was used meanwhile is left."""
        if name in self._open and not self._open[name].busy:
            del self._open[name]
            await self._ask(scope, name, "DELETE", b"")

    async def _ask(self, scope: Scope, name: bytes, method: str, body: bytes) -> None:
        """Send a request to the library in the name of a session, and read nothing of the answer."""
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
