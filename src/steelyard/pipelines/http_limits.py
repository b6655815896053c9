"""What stands between the network and a server of ours: who may ask, how much, and for how long.

Every limit has a name, a default and an option of `steelyard serve`. A request that is over one of them is refused
with a status and one line that says which.
"""

import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from steelyard.pipelines.calls import LEFT
from steelyard.pipelines.hosts import is_local_host, is_local_origin, is_loopback

MEGABYTE = 1 << 20
SMALL_BODY = 64 << 10
"""Bodies up to this size are always taken, however many large ones are being worked on."""
SESSION_HEADER = b"mcp-session-id"
SIZE = "steelyard.size"
"""Where the ASGI scope of a request keeps the number of bytes of its body."""
NOTHING = b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}}'
"""A message that does nothing: it takes back a request that was never sent."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of one body (twice that for all that are worked on), sessions, their idle seconds, and patience."""

    body: int = 256 * MEGABYTE
    sessions: int = 256
    idle: float = 600.0
    patience: float = 30.0

    @property
    def bodies(self) -> int:
        """Bytes of all bodies that are being read or worked on."""
        return 2 * self.body

    @property
    def connections(self) -> int:
        """Connections that are open at a time: a session has one for its calls and one to listen."""
        return 4 * self.sessions


class Refused(Exception):
    """A request that is not let in: the status, and what the client is told."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Guard:
    """An ASGI application around another that lets in what is within the limits."""

    application: Application
    host: str
    token: str | None
    limits: Limits
    _taken: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, read its body, and pass both on."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        reader = _Body(receive, self)
        try:
            try:
                self._check(scope)
                await reader.read(scope)
            except Refused as refused:
                await reader.skip()
                await _refuse(send, refused)
                return
            scope[LEFT], scope[SIZE] = reader.left, reader.counted
            await self.application(scope, reader.receive, send)
        finally:
            self._taken -= reader.counted

    def _check(self, scope: Scope) -> None:
        """Whether a request names this machine where it must, and brings the token."""
        headers = _headers(scope)
        if is_loopback(self.host) and not is_local_host(headers.get("host")):
            raise Refused(421, "this server answers to the names of this machine alone")
        if is_loopback(self.host) and not is_local_origin(headers.get("origin")):
            raise Refused(403, "a page of another site may not ask this server")
        if self.token and not self._knows(scope):
            raise Refused(401, "a bearer token is needed")

    def _knows(self, scope: Scope) -> bool:
        brought = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(brought) == 1 and hmac.compare_digest(brought[0], f"Bearer {self.token}".encode())

    def take(self, size: int, total: int) -> None:
        """Count bytes of a body of so many until now."""
        if total > self.limits.body:
            raise Refused(413, f"a body is at most {self.limits.body // MEGABYTE} MB: --max-body")
        if total > SMALL_BODY and self._taken + size > self.limits.bodies:
            raise Refused(503, "too many large requests are being worked on: ask again later")
        self._taken += size


@dataclass(slots=True)
class _Body:
    """The body of one request: read as a whole before the request is passed on, then handed over once."""

    source: Receive
    guard: Guard
    counted: int = 0
    left: Any = None
    _pieces: list[bytes] = field(default_factory=list)
    _whole: bool = False
    _handed: bool = False

    async def read(self, scope: Scope) -> None:
        """Take the body, piece by piece, each within the patience of the server."""
        import anyio

        self.left = anyio.Event()
        length = _headers(scope).get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > self.guard.limits.body):
            self.guard.take(0, self.guard.limits.body + 1)
        while not self._whole:
            piece = await self._next()
            self.guard.take(len(piece), self.counted + len(piece))
            self.counted += len(piece)
            self._pieces.append(piece)

    async def skip(self) -> None:
        """Read the rest of a refused body and drop it, so that the client hears why instead of a reset."""
        self._pieces.clear()
        dropped = 0
        try:
            while not self._whole and dropped <= self.guard.limits.body:
                dropped += len(await self._next())
        except Refused:
            return

    async def receive(self) -> dict[str, Any]:
        """The body, and afterwards whatever the connection tells; that the client has left is remembered."""
        if not self._handed:
            self._handed = True
            body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
            self._pieces.clear()
            return {"type": "http.request", "body": body, "more_body": False}
        message = await self.source()
        if message["type"] == "http.disconnect":
            self.left.set()
        return message

    async def _next(self) -> bytes:
        import anyio

        try:
            with anyio.fail_after(self.guard.limits.patience):
                message = await self.source()
        except TimeoutError:
            self._whole = True
            raise Refused(408, "the rest of the body did not come in time") from None
        if message["type"] == "http.disconnect":
            self._whole = True
            raise Refused(400, "the client has left")
        self._whole = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece


@dataclass(slots=True)
class Sessions:
    """An ASGI application around another that keeps so many sessions: for a new one, the longest idle is ended."""

    application: Application
    most: int
    _used: dict[bytes, float] = field(default_factory=dict)
    _busy: dict[bytes, int] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note which session it used or opened."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        session = dict(scope["headers"]).get(SESSION_HEADER)
        if session is None:
            await self._make_room(scope)
            await self.application(scope, receive, self._noting(send))
            return
        self._busy[session] = self._busy.get(session, 0) + 1
        try:
            await self.application(scope, receive, self._noting(send, scope["method"], session))
        finally:
            self._busy[session] -= 1
            if not self._busy[session]:
                del self._busy[session]
            if session in self._used:
                self._used[session] = time.monotonic()
                await self._forget(scope, session)

    async def _make_room(self, scope: Scope) -> None:
        """End the session that has been idle longest, where there are as many as there may be."""
        while len(self._used) >= self.most:
            idle = [session for session in self._used if session not in self._busy]
            if not idle:
                return  # the library refuses the new one
            oldest = min(idle, key=self._used.__getitem__)
            del self._used[oldest]
            await self._delete(scope, oldest)

    async def _forget(self, scope: Scope, session: bytes) -> None:
        """Send nothing after a large request: the library holds the last message of a session until the next."""
        if scope.get(SIZE, 0) > SMALL_BODY:
            await self._ask(scope, session, "POST", NOTHING)

    async def _delete(self, scope: Scope, session: bytes) -> None:
        """Ask the library to end a session, as its client would."""
        await self._ask(scope, session, "DELETE", b"")

    async def _ask(self, scope: Scope, session: bytes, method: str, body: bytes) -> None:
        """Send a request to the library in the name of a session, and read nothing of the answer."""

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            pass

        accepted = b"application/json, text/event-stream"
        headers = [(b"host", b"localhost"), (SESSION_HEADER, session), (b"accept", accepted)]
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await self.application({**scope, "method": method, "headers": headers}, receive, send)

    def _noting(self, send: Send, method: str = "", session: bytes | None = None) -> Send:
        async def noted(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                opened = next((value for name, value in message["headers"] if name.lower() == SESSION_HEADER), None)
                if session is not None and (method == "DELETE" or message["status"] == 404):
                    self._used.pop(session, None)
                elif opened is not None and message["status"] < 400:
                    self._used[opened] = time.monotonic()
            await send(message)

        return noted


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _refuse(send: Send, refused: Refused) -> None:
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    if refused.status == 401:
        head.append((b"www-authenticate", b"Bearer"))
    if refused.status == 503:
        head.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": refused.status, "headers": head})
    await send({"type": "http.response.body", "body": f"{refused}\n".encode()})
