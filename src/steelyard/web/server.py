"""The HTTP server of the viewer: pages, and reviews to save; one request per connection, no caching by browsers.

One event loop reads requests and sends pages, so that a slow client occupies a socket for a limited time and never a
thread; pages are made in a few threads (`page_cache`). All sizes and times are limited (`limits`).
"""

import asyncio
import ipaddress
import logging
import re
import signal
import socket
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

from steelyard import limits
from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import LANGUAGES, Language, Message
from steelyard.signals import stop_signals
from steelyard.web.access import Access
from steelyard.web.page_cache import Body, Busy, PageCache, body_of, in_thread
from steelyard.web.requests import BadRequest, Request, read_request
from steelyard.web.viewer import Viewer

LAST_PORT: Final = 65_535
PORT_HINT = Message("web.port_hint")
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
"""Connections that the operating system queues until they are accepted."""

PIECE: Final = 1 << 18
LINGER_SECONDS: Final = 2.0
LINGER_BYTES: Final = 1 << 20
"""How much and how long a client is still read from before its connection is closed, so that it sees no reset."""

RETRY_SECONDS: Final = 2
_REVIEW: Final = re.compile("/review/([0-9a-f]{16})")
_EXPLAINED: Final = {
    HTTPStatus.METHOD_NOT_ALLOWED: {"Allow": "GET, HEAD"},
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": str(RETRY_SECONDS)},
}

Response = tuple[Body, Mapping[str, str]]
"""A page, and headers besides those of every response."""


class ViewServer:
    """The viewer on an address, which is bound at once; `run` serves until `stop`; `with` closes the socket."""

    def __init__(self, viewer: Viewer, access: Access, port: int) -> None:
        self.viewer = viewer
        self.access = access
        self._listening = _listening(access.host, port)
        self.server_port: int = self._listening.getsockname()[1]
        self._connections: set[asyncio.Task[None]] = set()
        self._errors: dict[tuple[HTTPStatus, Language], Body] = {}
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> str:
        """The address of the list."""
        host = f"[{self.access.host}]" if self._listening.family == socket.AF_INET6 else self.access.host
        return f"http://{host}:{self.server_port}/"

    @property
    def session_cookie(self) -> str:
        """The name of the session cookie, different for each port."""
        return f"steelyard-{self.server_port}"

    def run(self, *, until_signal: bool = False) -> None:
        """Serve until `stop` is called, or until a signal such as SIGTERM or SIGINT (in the main thread only)."""
        asyncio.run(self._run(until_signal))

    def stop(self) -> None:
        """End `run`, from any thread; connections are closed and pages that are being made are abandoned."""
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
        self._pages = PageCache(self.viewer)
        self._saving = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        if self._stopped:
            return
        if until_signal:
            with suppress(NotImplementedError):  # Windows: Ctrl-C is a KeyboardInterrupt there
                for number in (*stop_signals(), signal.SIGINT):
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
        """Serve one connection; one that the client closes, or that is too slow, is aborted."""
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
        """Read the request and send the response; False if the client closed the connection."""
        writer.transport.set_write_buffer_limits(high=0)
        head_only = False
        try:
            request = await read_request(reader)
            if request is None:
                return False
            head_only = request.method == "HEAD"
            body, headers = await self._unless_closed(self._respond(request), reader)
        except BadRequest as refused:
            body, headers = self._error(refused.status, self.viewer.language), {}
        await _send(writer, body, headers, head_only=head_only)
        return True

    async def _unless_closed(self, response: Coroutine[None, None, Response], reader: asyncio.StreamReader) -> Response:
        """Return the response, abandoned if the client closes the connection before."""
        responding, closing = asyncio.ensure_future(response), asyncio.ensure_future(_drained(reader))
        try:
            await asyncio.wait((responding, closing), return_when=asyncio.FIRST_COMPLETED)
            # it may have closed one side only, as `nc` does: a page that takes no time is sent
            if not responding.done() and not (await asyncio.wait((responding,), timeout=LINGER_SECONDS))[0]:
                raise ConnectionAbortedError
            return responding.result()
        finally:
            for task in (responding, closing):
                task.cancel()
            await asyncio.gather(responding, closing, return_exceptions=True)

    async def _respond(self, request: Request) -> Response:
        """Return the requested page, the review that was saved, or an error page, and further headers."""
        cookies = request.cookies()
        language = self._language(cookies)
        review = _REVIEW.fullmatch(request.path) if request.method == "POST" else None
        refused = self._refused(request, cookies.get(self.session_cookie), is_review=review is not None)
        if refused is not None:
            return self._error(refused, language), {}
        try:
            return await self._answered(request, language, review and review[1])
        except Busy:
            return self._error(HTTPStatus.SERVICE_UNAVAILABLE, language), {}
        except Exception:  # a bug: an error page for the client, a traceback in the log
            logging.getLogger(__name__).exception("the page %s failed", request.path)
            return self._error(HTTPStatus.INTERNAL_SERVER_ERROR, language), {}

    async def _answered(self, request: Request, language: Language, reviewed: str | None) -> Response:
        """Respond to a request that is not refused; `reviewed` is the id of the result that it reviews, if any."""
        if reviewed is not None:
            async with self._saving:
                page = await in_thread(self.viewer.review, reviewed, request.body)
            return body_of(page), {"Content-Type": "application/json"}
        if self.access.has_token(request.query):
            return self._set_session(request.path)
        shown = request.headers.get("if-none-match")
        if shown is not None and await self._pages.tag(request.path) == shown:
            return Body(HTTPStatus.NOT_MODIFIED, b""), {}
        return await self._pages.get(request.path, language), {}

    def _refused(self, request: Request, cookie: str | None, *, is_review: bool) -> HTTPStatus | None:
        """Why a request is refused, if it is."""
        access, headers = self.access, request.headers
        if len(self._connections) > limits.VIEW_CONNECTIONS.value:
            return HTTPStatus.SERVICE_UNAVAILABLE
        if not access.is_own_host(headers.get("host"), headers.get("origin")):
            return HTTPStatus.FORBIDDEN
        if not is_review and request.method not in ("GET", "HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED
        has_token = access.has_token(request.query) and not is_review
        if not has_token and not access.is_authorized(_authorization(headers), cookie):
            return HTTPStatus.UNAUTHORIZED
        if is_review and not access.is_from_own_page(headers, self.viewer.key):
            return HTTPStatus.FORBIDDEN
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if is_review and request.body is None else None

    def _set_session(self, path: str) -> Response:
        """Set the session cookie and redirect to the same page, so that the token does not stay in the address."""
        cookie = f"{self.session_cookie}={self.access.session}; HttpOnly; SameSite=Strict; Path=/"
        # one leading slash: two would redirect to another host
        headers = {"Location": "/" + path.lstrip("/\\"), "Set-Cookie": cookie}
        return Body(HTTPStatus.SEE_OTHER, b""), headers

    def _error(self, status: HTTPStatus, language: Language) -> Body:
        key = (status, language)
        if key not in self._errors:
            self._errors[key] = body_of(self.viewer.error_page(status, language))
        return self._errors[key]

    def _language(self, cookies: Mapping[str, str]) -> Language:
        language = cookies.get(LANGUAGE_COOKIE, "")
        return language if language in LANGUAGES else self.viewer.language


def serve(viewer: Viewer, access: Access, port: int, started: Callable[[str], None]) -> None:
    """Serve until a signal such as SIGTERM or SIGINT; `started` is called with the address."""
    with ViewServer(viewer, access, port) as server:
        started(server.address)
        server.run(until_signal=True)


async def _send(writer: asyncio.StreamWriter, body: Body, headers: Mapping[str, str], *, head_only: bool) -> None:
    """Send a response in pieces; a client that does not read a piece in time is disconnected."""
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
    """Wait a limited time until the client has closed its side too."""
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            await _drained(reader)


async def _drained(reader: asyncio.StreamReader) -> None:
    """Read and discard what a client sends until it closes; beyond a limit nothing more is read."""
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
            raise ValueError("not a valid host name")
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, ValueError) as error:
        reason = os_reason(error)
        raise ConfigError(
            Message("web.cannot_listen_port", host=host, port=port, reason=reason), where="--port", hint=PORT_HINT
        ) from None


def _authorization(headers: Mapping[str, str]) -> str:
    """Return the Authorization header as UTF-8: headers are read as Latin-1."""
    return headers.get("authorization", "").encode("latin-1", "replace").decode("utf-8", "replace")


def _is_version_6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False
