"""JSON over HTTP: one request, one reply, and in words what went wrong."""

import json
import re
import ssl
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit, urlunsplit

from steelyard import __version__, limits
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.bounded import ACCEPTED, BadEncoding, TooLarge, decode_bounded
from steelyard.systems.decoding import beginning, check_size, decode_reply, too_large
from steelyard.systems.records import TryAgain
from steelyard.systems.secrets import basic_credentials, hiding, masked_url, secrets_in_request

if TYPE_CHECKING:
    import httpcore


_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a name of a header, as HTTP has it
_LARGEST_PORT: Final = 65_535
ADDRESS_HINT = Message("systems.example_http_localhost_8000_ask")


class Poster:
    """Posts JSON to one address, from any number of threads.

    Each request has a connection of its own: one that is given up disturbs no other, and no request is lost because
    a server has closed a connection that was kept. All of a request, from the connection to the last byte of the
    reply, has `timeout` seconds; no redirect is followed.
    """

    def __init__(self, url: str, *, headers: Mapping[str, str], timeout: float, proxy: str | None = None) -> None:
        self._target = _target(url)
        _check_headers(headers)
        self._secrets = secrets_in_request(url, headers) | secrets_in_request(proxy or "", {})
        self._headers = _headers(url, headers)
        self._timeout = timeout
        self._proxy = proxy
        self._trust = _trust(url, proxy)

    def post(self, body: Any) -> Any:
        """The JSON value that comes back; a failure does not repeat the keys that were sent."""
        with hiding(self._secrets):
            return self._post(body)

    def _post(self, body: Any) -> Any:
        import httpcore

        sent = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        try:
            with (
                self._connection(time.monotonic() + self._timeout) as connection,
                connection.stream("POST", self._target, headers=self._headers, content=sent) as response,
            ):
                content = _content(response)
        except httpcore.TimeoutException:
            raise TryAgain(Message("core.no_answer_within", timeout=self._timeout)) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            raise TryAgain(Message("systems.system_cannot_reached", value=error or type(error).__name__)) from None
        _check_status(response.status, _named(response.headers), content)
        return decode_reply(content)

    def _connection(self, end: float) -> "httpcore.ConnectionPool":
        """What sends one request, and is closed at `end` at the latest."""
        import httpcore

        from steelyard.systems.connecting import DeadlineBackend

        return httpcore.ConnectionPool(
            ssl_context=self._trust,
            proxy=_proxy(self._proxy, self._trust),
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=DeadlineBackend(end),
        )


def _content(response: "httpcore.Response") -> bytes:
    """All that was sent, decoded, as long as it is not too much."""
    largest = int(limits.REPLY_BYTES.value)
    sent = bytearray()
    for piece in response.iter_stream():
        sent += piece
        check_size(len(sent))
    try:
        return decode_bounded(bytes(sent), _named(response.headers).get("content-encoding", ""), largest)
    except TooLarge:
        raise too_large() from None
    except BadEncoding as error:
        raise SystemFailure(Message("systems.reply_cannot_decompressed", error=error)) from None


def _named(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a reply by lower-case name; those that are sent several times are joined."""
    found: dict[str, str] = {}
    for name, value in headers:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _headers(url: str, given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The headers of every request; those that are given come before ours of the same name."""
    parts = urlsplit(url)
    ours = {"accept": "application/json, */*", "accept-encoding": ACCEPTED, "connection": "close"}
    ours |= {"content-type": "application/json", "user-agent": f"steelyard/{__version__}"}
    if parts.username is not None:
        ours["authorization"] = f"Basic {basic_credentials(url)}"
    named = {name.lower() for name in given}
    chosen = {**{name.title(): value for name, value in ours.items() if name not in named}, **given}
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in chosen.items()]


def _proxy(url: str | None, trust: ssl.SSLContext | None) -> "httpcore.Proxy | None":
    import httpcore

    if url is None:
        return None
    parts = urlsplit(url)
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username is not None else None
    plain = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return httpcore.Proxy(plain, auth=auth, ssl_context=trust if parts.scheme == "https" else None)


def _check_status(status: int, headers: Mapping[str, str], content: bytes) -> None:
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    said = beginning(content.decode("utf-8", "replace")) or Message("words.an_empty_body")
    message = Message("systems.system_answered_status", status=status, said=said)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        wish = _seconds(headers.get("retry-after"))
        raise TryAgain(message, retry_after=wish)
    raise SystemFailure(message)


def _seconds(retry_after: str | None) -> float | None:
    """What Retry-After says, in seconds from now; None if it says nothing."""
    said = (retry_after or "").strip()
    if said.isdecimal():
        return float(said[:20])
    try:
        moment = parsedate_to_datetime(said)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


def _target(url: str) -> "httpcore.URL":
    """The address as it is sent; one that cannot be is refused, and shown without what may be secret in it."""
    import httpcore
    import httpx

    try:
        parsed, _ = httpx.URL(url), urlsplit(url)
        host = parsed.host
        parsed.raw_host.decode("ascii").encode("idna")  # as it is looked up: no part is empty or too long
    except (httpx.InvalidURL, ValueError) as error:
        reason = Message("words.its_host_is_no_name") if isinstance(error, UnicodeError) else error
        told = Message("systems.no_address_because", url=masked_url(url), reason=reason)
        is_safe = "@" not in url  # else the reason may repeat a password
        raise ConfigError(told if is_safe else _no_address(url), hint=ADDRESS_HINT) from None
    if parsed.scheme not in ("http", "https") or not host:
        raise ConfigError(_no_address(url), hint=ADDRESS_HINT)
    if parsed.port is not None and not 0 < parsed.port <= _LARGEST_PORT:
        raise ConfigError(Message("systems.port_lies_between_1_not", largest_port=_LARGEST_PORT, port=parsed.port))
    return httpcore.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path)


def _no_address(url: str) -> Message:
    return Message("core.no_address", url=masked_url(url))


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ConfigError(Message("systems.no_name_header", name=name[:60]))
        if not (name.isascii() and value.isascii() and (name + value).isprintable()):
            raise ConfigError(Message("systems.header_not_http", name=name))


def _trust(url: str, proxy: str | None) -> ssl.SSLContext | None:
    """Whom to believe: the certificates of this machine, and those that come with the HTTP library."""
    if "https" not in (urlsplit(url).scheme, urlsplit(proxy or "").scheme):
        return None  # nobody shows a certificate
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
