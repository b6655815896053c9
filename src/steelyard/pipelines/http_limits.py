"""What stands between the network and a server of ours: who may ask, how much, and for how long.

Every limit has a name, a default and an option of `steelyard serve`. A request that is over one of them is refused
with a status and one line that says which.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from steelyard.pipelines.calls import LEFT
from steelyard.pipelines.hosts import is_local_host, is_local_origin, is_loopback

MEGABYTE = 1 << 20
SMALL_BODY = 64 << 10
"""Bodies up to this size are always taken, however many large ones are being worked on."""
SIZE = "steelyard.size"
"""Where the ASGI scope of a request keeps the number of bytes of its body."""

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
