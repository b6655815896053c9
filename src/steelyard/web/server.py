"""HTTP around the viewer: GET and HEAD, one page a request, nothing kept by browsers."""

import ipaddress
import re
import socketserver
import sys
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from typing import Any
from urllib.parse import urlsplit

from steelyard.errors import ConfigError
from steelyard.reports.words import Language
from steelyard.web.access import Access
from steelyard.web.viewer import Page, Viewer

PORT_HINT = "another program may have it: --port 0 takes a free one"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
BUG = (
    b"HTTP/1.0 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\nsteelyard failed; its terminal says where\n"
)
LANGUAGE_COOKIE = "steelyard-language"
_SECONDS = 30  # a request that has not come by then is not waited for


class ViewServer(ThreadingHTTPServer):
    """The viewer on an address; `with` closes it."""

    daemon_threads = True

    def __init__(self, viewer: Viewer, access: Access, port: int) -> None:
        self.viewer = viewer
        self.access = access
        self.address_family = AF_INET6 if _is_version_6(access.host) else AF_INET
        try:
            super().__init__((access.host, port), _Handler)
        except (OSError, OverflowError) as error:
            told = getattr(error, "strerror", None) or error
            raise ConfigError(
                f"cannot listen on {access.host}, port {port}: {told}", where="--port", hint=PORT_HINT
            ) from None

    def server_bind(self) -> None:
        """Bind, without asking the network what this machine is called."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.access.host, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever went away is let go; anything else is a bug of ours, which the reader hears of and the owner sees."""
        if isinstance(sys.exception(), ConnectionError | TimeoutError):
            return
        with suppress(OSError):
            request.sendall(BUG)
        super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """Where a browser finds the list."""
        host = f"[{self.access.host}]" if self.address_family == AF_INET6 else self.access.host
        return f"http://{host}:{self.server_port}/"

    @property
    def session_cookie(self) -> str:
        """The name of the cookie; cookies of two viewers on one machine do not meet."""
        return f"steelyard-{self.server_port}"


def serve(viewer: Viewer, access: Access, port: int, started: Callable[[str], None]) -> None:
    """Answer until interrupted; `started` is told the address."""
    with ViewServer(viewer, access, port) as server:
        started(server.address)
        server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version = "steelyard"
    sys_version = ""
    timeout = _SECONDS

    def do_GET(self) -> None:
        """Answer with the page, or say why not."""
        url = urlsplit(self.path if self.path.startswith("/") else "/" + self.path)
        cookies = _cookies(self.headers.get("Cookie", ""))
        viewer, access, language = self.server.viewer, self.server.access, self._language(cookies)
        if not access.addressed(self.headers.get("Host")):
            self._send(viewer.refusal(HTTPStatus.FORBIDDEN, language))
        elif access.introduced(url.query):
            self._admit(url.path)
        elif not access.admitted(self._authorization(), cookies.get(self.server.session_cookie)):
            self._send(viewer.refusal(HTTPStatus.UNAUTHORIZED, language), **{"WWW-Authenticate": "Bearer"})
        else:
            self._send(viewer.page(url.path, language))

    do_HEAD = do_GET

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A request that is no request; methods that the library does not find are not allowed here."""
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        allowed = {"Allow": "GET, HEAD"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}
        self.close_connection = True
        self._send(self.server.viewer.refusal(status, self.server.viewer.language), **allowed)

    def end_headers(self) -> None:
        """Every answer says what browsers may do with it."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Libraries do not speak."""

    def _authorization(self) -> str:
        """The header as it was meant: clients send UTF-8, the library reads Latin-1."""
        return self.headers.get("Authorization", "").encode("latin-1", "replace").decode("utf-8", "replace")

    def _admit(self, path: str) -> None:
        """Give the cookie and lead to the same page, so that the token does not stay in the address."""
        cookie = f"{self.server.session_cookie}={self.server.access.session}; HttpOnly; SameSite=Strict; Path=/"
        # one slash at the head: two would lead to another machine
        self._send(Page(HTTPStatus.SEE_OTHER, ""), Location="/" + path.lstrip("/\\"), **{"Set-Cookie": cookie})

    def _send(self, page: Page, **headers: str) -> None:
        body = page.html.encode("utf-8", "replace")
        try:
            self.send_response(page.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except ConnectionError:  # whoever asked has gone
            self.close_connection = True

    def _language(self, cookies: dict[str, str]) -> Language:
        match cookies.get(LANGUAGE_COOKIE):
            case "en":
                return "en"
            case "zh":
                return "zh"
            case _:
                return self.server.viewer.language


def _cookies(header: str) -> dict[str, str]:
    return dict(re.findall(r"([^=;\s]+)=([^;\s]*)", header))


def _is_version_6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False
