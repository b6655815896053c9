"""A server over streamable HTTP: uvicorn with read timeouts, behind the checks of `http_limits`, and its sessions.

An open session takes about 40 kB. The library ends a session that has been idle for `Limits.session_timeout` seconds.
This module ends sessions earlier that are probably abandoned: those that never got an answer to a call, or whose client
left during the last one. A client with an open connection (a GET of the protocol) is never idle.

Two loops of the library keep the last request and the last answer of a session in local variables until the next
message. After a large message, or one that its client did not wait for, a ping is sent to replace them.
"""

import asyncio
import errno
import gc
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import anyio
import h11
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from steelyard import limits
from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import Message
from steelyard.pipelines.http_limits import (
    BODY_SIZE,
    CLIENT_LEFT,
    SMALL_BODY,
    Application,
    Guard,
    Limits,
    Receive,
    Scope,
    Send,
)
from steelyard.pipelines.protocol import http_manager
from steelyard.pipelines.serve import CallRunner

PATH = "/mcp"
GRACE_SECONDS = 2
KEEP_ALIVE_SECONDS = 5
BACKLOG = 1024
PORT_HINT = Message("pipelines.port_in_use")
MIN_READ = 64 << 10
"""Bytes that a client must read within the read timeout, if so many are waiting for it."""


def listen(  # noqa: PLR0917 - the server, its address, its token and its limits
    mcp_server: Any,
    host: str,
    port: int,
    token: str | None,
    on_start: Callable[[str], None],
    limits: Limits,
    calls: CallRunner,
) -> None:
    """Serve on http://host:port/mcp until a signal; SIGTERM ends the process with its usual status."""
    config = uvicorn.Config(
        Guard(application(mcp_server, limits), host, token, limits),
        http=_protocol_with_timeout(limits.read_timeout),
        ws="none",
        log_config=None,  # otherwise existing handlers are closed
        log_level="error",
        limit_concurrency=limits.max_connections,
        timeout_keep_alive=max(KEEP_ALIVE_SECONDS, int(limits.read_timeout)),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    with _open_socket(host, port) as opened:
        shown_host = f"[{host}]" if ":" in host else host
        on_start(f"http://{shown_host}:{opened.getsockname()[1]}{PATH}")
        _Server(config, calls).run(sockets=[opened])


def application(mcp_server: Any, limits: Limits) -> Any:
    """Return the ASGI application of a server, with MCP at one path."""
    manager = http_manager(
        mcp_server,
        max_body=limits.max_body,
        max_sessions=limits.max_sessions,
        session_timeout=limits.session_timeout,
    )

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Route(PATH, endpoint=Sessions(manager.handle_request, limits))], lifespan=lifespan)


class _Server(uvicorn.Server):
    """A uvicorn server that cancels its calls on shutdown instead of waiting for them."""

    def __init__(self, config: uvicorn.Config, calls: CallRunner) -> None:
        super().__init__(config)
        self._calls = calls

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Cancel the calls, then close the connections."""
        self._calls.end()
        await super().shutdown(sockets)


def _protocol_with_timeout(read_timeout: float) -> type[H11Protocol]:
    """Return the protocol class with this timeout; uvicorn creates an object per connection, without arguments."""
    return type("ProtocolWithTimeout", (_ProtocolWithTimeout,), {"read_timeout": read_timeout})


class _ProtocolWithTimeout(H11Protocol):
    """HTTP/1.1 with a timeout for the headers of a request, and for a client to read a response.

    uvicorn itself only limits the time between two requests.
    """

    read_timeout: float
    _header_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._header_timer = self.loop.call_later(self.read_timeout, transport.abort)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._header_timer)
            self._header_timer = None
        elif self._header_timer is None:  # further bytes do not restart it
            self._header_timer = self.loop.call_later(self.read_timeout, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reading(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._write_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._header_timer)
        _cancel(self._write_timer)
        super().connection_lost(exc)

    def _expect_reading(self, before: int) -> None:
        _cancel(self._write_timer)
        self._write_timer = self.loop.call_later(self.read_timeout, self._check_reading, before)

    def _check_reading(self, before: int) -> None:
        remaining = self.transport.get_write_buffer_size()
        if remaining > before - MIN_READ:
            self.transport.abort()
        else:
            self._expect_reading(remaining)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _open_socket(host: str, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(BACKLOG)
    except (
        OSError,
        ValueError,
        TypeError,
    ) as error:  # ValueError and TypeError: a host name that cannot be encoded, or with a NUL character
        opened.close()
        reason = os_reason(error)
        hint = PORT_HINT if getattr(error, "errno", None) == errno.EADDRINUSE else None
        message = Message("pipelines.cannot_listen", host=host, port=port, reason=reason)
        raise ConfigError(message, where="--http", hint=hint) from None
    return opened


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
        """Return the time at which the session is ended if it is not used before."""
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
