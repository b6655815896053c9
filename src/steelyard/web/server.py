"""HTTP around the viewer: GET and HEAD, one page a connection, nothing kept by browsers.

One event loop reads requests and sends pages, so that clients who are slow to send or to read occupy a socket for a
limited time and never a thread; pages are made in a few threads (`pages`). All sizes and times are limited (`limits`).
"""

import asyncio
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

from steelyard import limits
from steelyard.errors import ConfigError
from steelyard.i18n import LANGUAGES, Language, Message
from steelyard.web.access import Access
from steelyard.web.pages import Body, Busy, Pages, body_of
from steelyard.web.requests import BadRequest, Request, read_request
from steelyard.web.viewer import Viewer

LAST_PORT: Final = 65_535
PORT_HINT = Message("web.another_program_may_port_0")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LANGUAGE_COOKIE = "steelyard-language"
BACKLOG: Final = 1024
"""So many connections wait in the system until they are accepted."""

PIECE: Final = 1 << 18
LINGER_SECONDS: Final = 2.0
LINGER_BYTES: Final = 1 << 20
"""What a client still sends is read for so long and so far before its connection is closed: else it sees a reset."""

RETRY_SECONDS: Final = 2
_EXPLAINED: Final = {
    HTTPStatus.METHOD_NOT_ALLOWED: {"Allow": "GET, HEAD"},
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": str(RETRY_SECONDS)},
}

Answer = tuple[Body, Mapping[str, str]]
"""A page, and headers besides those that every answer has."""


class ViewServer:
    """The viewer on an address, which is taken at once; `run` answers until `stop`; `with` lets the address go."""

    def __init__(self, viewer: Viewer, access: Access, port: int) -> None:
        self.viewer = viewer
        self.access = access
        self._listening = _listening(access.host, port)
        self.server_port: int = self._listening.getsockname()[1]
        self._connections: set[asyncio.Task[None]] = set()
        self._refusals: dict[tuple[HTTPStatus, Language], Body] = {}
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> str:
        """Where a browser finds the list."""
        host = f"[{self.access.host}]" if self._listening.family == socket.AF_INET6 else self.access.host
        return f"http://{host}:{self.server_port}/"

    @property
    def session_cookie(self) -> str:
        """The name of the cookie; cookies of two viewers on one machine do not meet."""
        return f"steelyard-{self.server_port}"

    def run(self, *, until_signal: bool = False) -> None:
        """Answer until `stop` is called, or until SIGTERM or SIGINT (in the main thread only)."""
        asyncio.run(self._run(until_signal))

    def stop(self) -> None:
        """End `run`, from any thread; connections are closed, and pages that are being made are given up."""
        self._stopped = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._ending.set)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()

    async def _run(self, until_signal: bool) -> None:
        self._ending = asyncio.Event()
        self._pages = Pages(self.viewer)
        self._loop = asyncio.get_running_loop()
        if self._stopped:
            return
        if until_signal:
            with suppress(NotImplementedError):  # Windows: Ctrl-C is a KeyboardInterrupt there
                for number in (signal.SIGTERM, signal.SIGINT):
                    self._loop.add_signal_handler(number, self._ending.set)
        server = await asyncio.start_server(
            self._connected, sock=self._listening, backlog=BACKLOG, limit=int(limits.VIEW_HEAD_BYTES.value)
        )
        await self._ending.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection; whoever goes away, or is too slow, is let go."""
        task = asyncio.current_task()
        if task is None or len(self._connections) >= 2 * limits.VIEW_CONNECTIONS.value:
            writer.transport.abort()
            return
        self._connections.add(task)
        try:
            if await self._served(reader, writer):
                await _linger(reader, writer)
        except (OSError, TimeoutError):
            pass
        except asyncio.CancelledError:  # the server ends
            pass
        finally:
            self._connections.discard(task)
            writer.transport.abort()  # nothing is left to send

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read the request and send the answer; False where there is none, because the client left."""
        writer.transport.set_write_buffer_limits(high=0)
        head_only = False
        try:
            request = await read_request(reader)
            if request is None:
                return False
            head_only = request.method == "HEAD"
            body, headers = await self._while_here(self._answer(request), reader)
        except BadRequest as refused:
            body, headers = self._refusal(refused.status, self.viewer.language), {}
        await _send(writer, body, headers, head_only=head_only)
        return True

    async def _while_here(self, answer: Coroutine[None, None, Answer], reader: asyncio.StreamReader) -> Answer:
        """An answer, given up when the client leaves before."""
        answering, leaving = asyncio.ensure_future(answer), asyncio.ensure_future(_left(reader))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise ConnectionAbortedError
            return answering.result()
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _answer(self, request: Request) -> Answer:
        """The page that is asked for, or why there is none, and further headers."""
        cookies = request.cookies()
        language = self._language(cookies)
        access, headers = self.access, request.headers
        if len(self._connections) > limits.VIEW_CONNECTIONS.value:
            return self._refusal(HTTPStatus.SERVICE_UNAVAILABLE, language), {}
        if not access.addressed(headers.get("host"), headers.get("origin")):
            return self._refusal(HTTPStatus.FORBIDDEN, language), {}
        if request.method not in ("GET", "HEAD"):
            return self._refusal(HTTPStatus.METHOD_NOT_ALLOWED, language), {}
        if access.introduced(request.query):
            return self._admission(request.path)
        if not access.admitted(_authorization(headers), cookies.get(self.session_cookie)):
            return self._refusal(HTTPStatus.UNAUTHORIZED, language), {}
        return await self._page(request.path, language), {}

    async def _page(self, path: str, language: Language) -> Body:
        try:
            return await self._pages.get(path, language)
        except Busy:
            return self._refusal(HTTPStatus.SERVICE_UNAVAILABLE, language)
        except Exception:  # a bug of ours, which the reader hears of and the owner sees
            logging.getLogger(__name__).exception("the page %s failed", path)
            return self._refusal(HTTPStatus.INTERNAL_SERVER_ERROR, language)

    def _admission(self, path: str) -> Answer:
        """Give the cookie and lead to the same page, so that the token does not stay in the address."""
        cookie = f"{self.session_cookie}={self.access.session}; HttpOnly; SameSite=Strict; Path=/"
        # one slash at the head: two would lead to another machine
        headers = {"Location": "/" + path.lstrip("/\\"), "Set-Cookie": cookie}
        return Body(HTTPStatus.SEE_OTHER, b""), headers

    def _refusal(self, status: HTTPStatus, language: Language) -> Body:
        key = (status, language)
        if key not in self._refusals:
            self._refusals[key] = body_of(self.viewer.refusal(status, language))
        return self._refusals[key]

    def _language(self, cookies: Mapping[str, str]) -> Language:
        language = cookies.get(LANGUAGE_COOKIE, "")
        return language if language in LANGUAGES else self.viewer.language


def serve(viewer: Viewer, access: Access, port: int, started: Callable[[str], None]) -> None:
    """Answer until SIGTERM or SIGINT; `started` is told the address."""
    with ViewServer(viewer, access, port) as server:
        started(server.address)
        server.run(until_signal=True)


async def _send(writer: asyncio.StreamWriter, body: Body, headers: Mapping[str, str], *, head_only: bool) -> None:
    """Send an answer piece by piece; a client that does not take a piece in time is let go."""
    lines = {
        "Server": "steelyard",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(body.content)),
        "Connection": "close",
        **HEADERS,
        **_EXPLAINED.get(body.status, {}),
        **headers,
    }
    first = f"HTTP/1.1 {body.status.value} {body.status.phrase}"
    head = "\r\n".join([first, *(f"{name}: {value}" for name, value in lines.items()), "", ""])
    await _write(writer, head.encode("latin-1"))
    content = memoryview(b"" if head_only else body.content)
    for start in range(0, len(content), PIECE):
        await _write(writer, content[start : start + PIECE])


async def _write(writer: asyncio.StreamWriter, piece: bytes | memoryview) -> None:
    writer.write(piece)
    async with asyncio.timeout(limits.VIEW_SEND_SECONDS.value):
        await writer.drain()


async def _linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Wait until the client has closed its side too, for a while."""
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            await _left(reader)


async def _left(reader: asyncio.StreamReader) -> None:
    """Read and discard what a client sends until it ends; one that sends very much is not read on."""
    read = 0
    with suppress(OSError):  # it left with a reset
        while read < LINGER_BYTES and (piece := await reader.read(1 << 16)):
            read += len(piece)
    if read >= LINGER_BYTES:
        await asyncio.Event().wait()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if _is_version_6(host) else socket.AF_INET
    try:
        if not 0 <= port <= LAST_PORT:
            raise ValueError(f"ports end at {LAST_PORT}")
        if "\0" in host:
            raise ValueError("this is no name of a host")
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise ConfigError(
            Message("web.cannot_listen_port", host=host, port=port, told=told), where="--port", hint=PORT_HINT
        ) from None


def _authorization(headers: Mapping[str, str]) -> str:
    """The header as it was meant: clients send UTF-8, headers are read as Latin-1."""
    return headers.get("authorization", "").encode("latin-1", "replace").decode("utf-8", "replace")


def _is_version_6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False
