"""A server over streamable HTTP: uvicorn with patience that ends, and the checks of `http_limits` before it."""

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

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.pipelines.calls import Calls
from steelyard.pipelines.http_limits import Guard, Limits, Receive, Scope, Send
from steelyard.pipelines.http_sessions import Sessions
from steelyard.pipelines.protocol import http_manager

PATH = "/mcp"
GRACE_SECONDS = 2
KEEP_ALIVE_SECONDS = 5
BACKLOG = 1024
MALLOC_OPTIONS = {"M_ARENA_MAX": (-8, 2), "M_MMAP_THRESHOLD": (-3, 256 << 10), "M_TRIM_THRESHOLD": (-1, 1 << 20)}
"""Numbers and values of glibc's `mallopt`, see `_limit_fragmentation`."""
PORT_HINT = Message("pipelines.another_program_may_port_0")
LEAST_READ = 64 << 10
"""Bytes that a client must take within the patience of the server, where so many wait for it."""


def listen(  # noqa: PLR0917 - what is served, where, to whom, within what
    protocol: Any, host: str, port: int, token: str | None, started: Callable[[str], None], limits: Limits, calls: Calls
) -> None:
    """Answer on http://host:port/mcp until a signal comes; SIGTERM ends the process as it ends any other."""
    config = uvicorn.Config(
        Guard(application(protocol, limits), host, token, limits),
        http=_patient(limits.patience),
        ws="none",
        log_config=None,  # it would close the handlers of others
        log_level="error",
        limit_concurrency=limits.connections,
        timeout_keep_alive=max(KEEP_ALIVE_SECONDS, int(limits.patience)),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    _limit_fragmentation()
    with _listening(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        started(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        _Server(config, calls).run(sockets=[listening])


def _limit_fragmentation() -> None:
    """Have the allocator return freed memory to the system; it is that of glibc, or nothing is done.

    By default every thread that runs a call may take a heap of its own, and after the first large body is freed, bodies
    of that size come from these heaps, each of which keeps twice that size when all is free again.
    """
    import ctypes

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            for number, value in MALLOC_OPTIONS.values():
                library.mallopt(number, value)


def application(protocol: Any, limits: Limits) -> Any:
    """The ASGI application of a server: MCP at one path, nothing elsewhere."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    manager = http_manager(protocol, body=limits.body, sessions=limits.sessions, idle=limits.idle)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Route(PATH, endpoint=_Endpoint(manager, limits))], lifespan=lifespan)


class _Endpoint:
    """The library's handler as an object: Starlette takes a function for something else."""

    def __init__(self, manager: Any, limits: Limits) -> None:
        self._sessions = Sessions(manager.handle_request, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions(scope, receive, send)


class _Server(uvicorn.Server):
    """A server that stops its calls when it is told to end, and so need not wait for them."""

    def __init__(self, config: uvicorn.Config, calls: Calls) -> None:
        super().__init__(config)
        self._calls = calls

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: calls first, then connections."""
        self._calls.end()
        await super().shutdown(sockets)


def _patient(patience: float) -> type[H11Protocol]:
    """The protocol with this patience; uvicorn makes one object for each connection, without arguments of ours."""
    return type("Patient", (_Patient,), {"patience": patience})


class _Patient(H11Protocol):
    """HTTP/1.1 that waits `patience` seconds for the headers of a request, and for a client to read; then it hangs up.

    uvicorn itself has a time limit between two requests only.
    """

    patience: float
    _asking: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._asking = self.loop.call_later(self.patience, transport.abort)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._asking)
            self._asking = None
        elif self._asking is None:  # what drips in afterwards does not put it off
            self._asking = self.loop.call_later(self.patience, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_less(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._reading)

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._asking)
        _cancel(self._reading)
        super().connection_lost(exc)

    def _expect_less(self, before: int) -> None:
        _cancel(self._reading)
        self._reading = self.loop.call_later(self.patience, self._check_less, before)

    def _check_less(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left > before - LEAST_READ:
            self.transport.abort()
        else:
            self._expect_less(left)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _listening(host: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except (OSError, ValueError, TypeError) as error:  # a name that cannot be encoded, or holds a NUL
        made.close()
        told = getattr(error, "strerror", None) or error
        hint = PORT_HINT if getattr(error, "errno", None) == errno.EADDRINUSE else None
        raise ConfigError(
            Message("pipelines.cannot_listen", host=host, port=port, told=told), where="--http", hint=hint
        ) from None
    return made
