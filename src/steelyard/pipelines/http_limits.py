"""Access control and limits of a server over HTTP: hosts, token, size and time of requests.

Every limit has a name, a default and an option of `steelyard serve`. A request that exceeds one is refused with an
HTTP status and one line of text.
"""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import anyio


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_local_host(header: str | None) -> bool:
    """Return whether a Host header names this machine; any other name would be DNS rebinding."""
    return _is_local(f"//{header or ''}")


def is_local_origin(header: str | None) -> bool:
    """Return whether an Origin header is absent, or names this machine."""
    return header is None or (header.startswith(("http://", "https://")) and _is_local(header))


def _is_local(address: str) -> bool:
    try:
        return is_loopback(urlsplit(address).hostname or "")
    except ValueError:
        return False


MEGABYTE = 1 << 20
SMALL_BODY = 64 << 10
"""Bodies up to this size in bytes are accepted regardless of the size of all bodies in progress."""
CLIENT_LEFT = "steelyard.client_left"
"""The key in the ASGI scope of a request for the event that is set when its client has left."""
BODY_SIZE = "steelyard.body_size"
"""The key in the ASGI scope of a request for the number of bytes of its body."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits: bytes of a body, number of sessions, seconds until an idle one is ended, seconds to wait for a client."""

    max_body: int = 256 * MEGABYTE
    max_sessions: int = 256
    session_timeout: float = 600.0
    read_timeout: float = 30.0

    @property
    def max_bodies(self) -> int:
        """Bytes of all bodies that are being read or processed."""
        return 2 * self.max_body

    @property
    def max_connections(self) -> int:
        """Open connections: twice the two that a session uses, one for its calls and one to listen."""
        return 4 * self.max_sessions


class Refused(Exception):
    """A refused request, with its HTTP status and a message for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Guard:
    """ASGI middleware that refuses requests without access, or beyond the limits."""

    application: Application
    host: str
    token: str | None
    limits: Limits
    _bytes_in_progress: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, read its body, and pass it on."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        reader = _Body(receive, self)
        try:
            try:
                self._check(scope)
                await reader.read(scope)
            except Refused as refused:
                await _refuse(send, refused, reader.skip)
                return
            scope[CLIENT_LEFT], scope[BODY_SIZE] = reader.client_left, reader.size
            await self.application(scope, reader.receive, send)
        finally:
            self._bytes_in_progress -= reader.size

    def _check(self, scope: Scope) -> None:
        """Refuse a request with a foreign host or origin, or without the token."""
        headers = _headers(scope)
        if is_loopback(self.host) and not is_local_host(headers.get("host")):
            raise Refused(421, "the Host header must name this machine")
        if is_loopback(self.host) and not is_local_origin(headers.get("origin")):
            raise Refused(403, "requests from pages of other sites are not allowed")
        if self.token and not self._has_token(scope):
            raise Refused(401, "a bearer token is needed")

    def _has_token(self, scope: Scope) -> bool:
        values = [value.partition(b" ") for name, value in scope["headers"] if name == b"authorization"]
        given = [token for scheme, _, token in values if scheme.lower() == b"bearer"]
        return len(values) == len(given) == 1 and hmac.compare_digest(given[0], f"{self.token}".encode())

    def count(self, size: int, total: int) -> None:
        """Count the next bytes of a body, which has `total` bytes so far; refuse it if it exceeds a limit."""
        if total > self.limits.max_body:
            raise Refused(413, f"the body must not exceed {self.limits.max_body // MEGABYTE} MB (--max-body)")
        if total > SMALL_BODY and self._bytes_in_progress + size > self.limits.max_bodies:
            raise Refused(503, "too many large requests are in progress: try again later")
        self._bytes_in_progress += size


@dataclass(slots=True)
class _Body:
    """The body of one request: it is read completely before the request is passed on, then delivered once."""

    source: Receive
    guard: Guard
    size: int = 0
    client_left: Any = None
    _chunks: list[bytes] = field(default_factory=list)
    _complete: bool = False
    _delivered: bool = False

    async def read(self, scope: Scope) -> None:
        """Read the body in chunks, each within the read timeout."""
        self.client_left = anyio.Event()
        length = _headers(scope).get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > self.guard.limits.max_body):
            self.guard.count(0, self.guard.limits.max_body + 1)
        while not self._complete:
            chunk = await self._next()
            self.guard.count(len(chunk), self.size + len(chunk))
            self.size += len(chunk)
            self._chunks.append(chunk)

    async def skip(self) -> None:
        """Read and discard the rest of a refused body, so that the client gets the response and not a reset."""
        self._chunks.clear()
        discarded = 0
        try:
            while not self._complete and discarded <= self.guard.limits.max_body:
                discarded += len(await self._next())
        except Refused:
            return

    async def receive(self) -> dict[str, Any]:
        """Return the body, and afterwards the messages of the connection; sets the event when the client has left."""
        if not self._delivered:
            self._delivered = True
            body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
            self._chunks.clear()
            return {"type": "http.request", "body": body, "more_body": False}
        message = await self.source()
        if message["type"] == "http.disconnect":
            self.client_left.set()
        return message

    async def _next(self) -> bytes:
        try:
            with anyio.fail_after(self.guard.limits.read_timeout):
                message = await self.source()
        except TimeoutError:
            self._complete = True
            raise Refused(408, "the body was not received in time") from None
        if message["type"] == "http.disconnect":
            self._complete = True
            raise Refused(400, "the client has left")
        self._complete = not message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        return chunk


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _refuse(send: Send, refused: Refused, skip: Callable[[], Awaitable[None]]) -> None:
    """Send the refusal at once; the connection is closed when the rest of the body was skipped."""
    text = f"{refused}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    headers.append((b"content-length", str(len(text)).encode()))
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refused.status == 503:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": text, "more_body": True})
    await skip()
    await send({"type": "http.response.body", "body": b""})
