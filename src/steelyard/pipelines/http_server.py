"""A server over streamable HTTP: uvicorn with read timeouts, behind the checks of `http_limits`."""

import asyncio
import errno
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import Message
from steelyard.pipelines.calls import CallRunner
from steelyard.pipelines.http_limits import Guard, Limits, Receive, Scope, Send
from steelyard.pipelines.http_sessions import Sessions
from steelyard.pipelines.protocol import http_manager

PATH = "/mcp"
GRACE_SECONDS = 2
KEEP_ALIVE_SECONDS = 5
BACKLOG = 1024
MALLOC_OPTIONS = {"M_ARENA_MAX": (-8, 2), "M_MMAP_THRESHOLD": (-3, 256 << 10), "M_TRIM_THRESHOLD": (-1, 1 << 20)}
"""Options and values for `mallopt` of glibc, see `_limit_fragmentation`."""
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
    _limit_fragmentation()
    with _open_socket(host, port) as opened:
        shown_host = f"[{host}]" if ":" in host else host
        on_start(f"http://{shown_host}:{opened.getsockname()[1]}{PATH}")
        _Server(config, calls).run(sockets=[opened])


def _limit_fragmentation() -> None:
    """Make the allocator of glibc return freed memory to the system; other allocators are left alone.

    By default every thread that runs a call may get its own heap. After the first large body is freed, bodies of that
    size are allocated on these heaps, each of which keeps twice that size after everything is freed.
    """
    import ctypes

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            for number, value in MALLOC_OPTIONS.values():
                library.mallopt(number, value)


def application(mcp_server: Any, limits: Limits) -> Any:
    """The ASGI application of a server, with MCP at one path."""
    from starlette.applications import Starlette
    from starlette.routing import Route

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

    return Starlette(routes=[Route(PATH, endpoint=_Endpoint(manager, limits))], lifespan=lifespan)


class _Endpoint:
    """The handler of the library as an object, because Starlette treats a function differently."""

    def __init__(self, manager: Any, limits: Limits) -> None:
        self._sessions = Sessions(manager.handle_request, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions(scope, receive, send)


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
    """The protocol class with this timeout; uvicorn creates one object per connection, without further arguments."""
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
