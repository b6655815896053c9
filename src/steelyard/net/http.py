"""The HTTP client of the project: JSON by POST, one deadline over a request, no redirects, bounded replies.

Proxies of the environment are not used.
"""

import json
import math
import re
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from steelyard import __version__, limits
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.addresses import MASK, masked_url
from steelyard.net.replies import (
    ACCEPTED,
    BadEncoding,
    TooLarge,
    check_size,
    decode_bounded,
    decode_reply,
    error_text,
    too_large,
)
from steelyard.net.retry import ONCE, RetryableFailure, RetryRule, call_with_retries, is_retryable, retry_after_seconds
from steelyard.net.secrets import basic_credentials, mask_failures, public_address, secrets_in_request

if TYPE_CHECKING:
    import httpcore
    import httpx

ADDRESS_HINT: Final = Message("net.address_hint")
UNREACHABLE: Final = "net.unreachable"
STATUS: Final = "net.status"
"""Codes of the failures that callers have hints for."""

HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header, a token of RFC 9110."""

_LARGEST_PORT: Final = 65_535
_SHORTEST_KEY: Final = 8  # characters of a key that is masked in a reply
_LONGEST_ADDRESS: Final = 80  # characters of a Location that a message shows


class JsonClient:
    """Posts JSON to one address, from any number of threads.

    Every request has a connection of its own: one that is given up disturbs no other, and no request is lost because
    the server has closed a kept connection. `timeout` is for the whole request; None waits without limit. `party` is
    the name of the server in messages, `limit` that of the size of a reply, decoded, `rule` says how often a request
    is repeated. Secrets of the address, the headers and the proxy, and those in `secrets`, are masked in failures,
    keys in headers in replies too.
    """

    def __init__(
        self,
        url: str,
        *,
        party: Message,
        headers: Mapping[str, str],
        timeout: float | None,
        proxy: str | None = None,
        limit: limits.Limit = limits.REPLY_BYTES,
        secrets: Iterable[str] = (),
        rule: RetryRule = ONCE,
    ) -> None:
        self._target = _target(url)
        _check_headers(headers)
        self._tls = _tls(url, proxy)
        self._proxy = _proxy(proxy, self._tls)
        self._secrets = secrets_in_request(url, headers) | secrets_in_request(proxy or "", {}) | set(secrets)
        sent = [secret for secret in self._secrets if any(secret in value for value in headers.values())]
        # a word, or digits, may be in an answer by chance, and digits may be a number of JSON
        self._keys = [
            key.encode() for key in sent if len(key) >= _SHORTEST_KEY and not (key.isalpha() or key.isdigit())
        ]
        self._headers = _headers(url, headers)
        self._party = party
        self._timeout = timeout
        self._limit = limit
        self._rule = rule

    def post(self, body: Any, read: Callable[[bytes, Message], Any] = decode_reply) -> Any:
        """Return the JSON value of the reply; raise RetryableFailure where the same request may succeed later.

        `read` reads a reply that may be something else, from its bytes and the name of the server.
        """
        with mask_failures(self._secrets):
            sent = _encoded(body)
            return call_with_retries(lambda: read(self._post(sent), self._party), self._rule)

    def _post(self, sent: bytes) -> bytes:
        import httpcore
        import httpx

        try:
            with (
                self._connection() as connection,
                connection.stream("POST", self._target, headers=self._headers, content=sent) as response,
            ):
                content = _content(response, self._limit)
        except httpcore.TimeoutException:
            raise RetryableFailure(Message("core.no_answer_within", timeout=self._timeout)) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            raise RetryableFailure(self._unreachable(str(error) or type(error).__name__)) from None
        self._check_status(response.status, httpx.Headers(response.headers), content)
        for key in self._keys:
            content = content.replace(key, MASK.encode())
        return content

    def _connection(self) -> "httpcore.ConnectionPool":
        """Return a pool of one connection, which ends at the deadline."""
        import httpcore

        backend = _DeadlineBackend(time.monotonic() + (self._timeout or math.inf))
        return httpcore.ConnectionPool(
            ssl_context=self._tls,
            proxy=self._proxy,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=cast(httpcore.NetworkBackend, backend),
        )

    def _check_status(self, status: int, headers: "httpx.Headers", content: bytes) -> None:
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            return
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST and "location" in headers:
            address = public_address(headers["location"])[:_LONGEST_ADDRESS]
            raise SystemFailure(self._unreachable(Message("net.redirect", address=address)))
        message = Message(STATUS, party=self._party, status=status, body=error_text(content))
        if is_retryable(status):
            raise RetryableFailure(message, retry_after=retry_after_seconds(headers.get("retry-after")))
        raise SystemFailure(message)

    def _unreachable(self, reason: Message | str) -> Message:
        return Message(UNREACHABLE, party=self._party, reason=reason)


class _DeadlineBackend:
    """A backend of httpcore whose connections have one deadline for connecting, handshakes, writes and reads.

    The timeouts of HTTP libraries hold for each operation, so a server that sends a byte now and then never meets them.
    """

    def __init__(self, end: float) -> None:
        self._end = end

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *options: Any, **named: Any) -> Any:
        """Connect in the time that is left."""
        import httpcore

        stream = httpcore.SyncBackend().connect_tcp(host, port, _left(self._end), *options, **named)
        return _DeadlineStream(stream, self._end)


class _DeadlineStream:
    """A connection whose operations each have the time that is left."""

    def __init__(self, stream: "httpcore.NetworkStream", end: float) -> None:
        self._stream = stream
        self._end = end
        self.close = stream.close
        self.get_extra_info = stream.get_extra_info

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._end))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._end))

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        return _DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, _left(self._end)), self._end)


def _left(end: float) -> float | None:
    """Return the seconds until the deadline, None if there is none; raise an exception if it has passed."""
    import httpcore

    left = end - time.monotonic()
    if left <= 0:
        raise httpcore.TimeoutException
    return None if left == math.inf else left


def status_of(failure: SystemFailure) -> int | None:
    """Return the HTTP status that a failure is about."""
    message = failure.message
    return message.args["status"] if message.code == STATUS else None


def is_address(url: str) -> bool:
    """Return whether a text is an address that can be requested over HTTP."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def origin(url: str) -> tuple[bytes, bytes, int | None]:
    """Return the scheme, the host and the port to which a request of this address is sent."""
    target = _target(url)
    return target.scheme, target.host, target.port


def _encoded(body: Any) -> bytes:
    """Return a value as JSON in UTF-8; as ASCII if it contains half of a surrogate pair."""
    write = partial(json.dumps, body, separators=(",", ":"), allow_nan=False)
    try:
        return write(ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return write().encode()
    except ValueError as error:
        raise SystemFailure(Message("net.request_not_json", error=error)) from None


def _content(response: "httpcore.Response", limit: limits.Limit) -> bytes:
    """Return the body, decoded; reading stops at the limit."""
    import httpx

    encodings = httpx.Headers(response.headers).get("content-encoding", "")
    sent = bytearray()
    for piece in response.iter_stream():
        sent += piece
        check_size(len(sent), limit)
    try:
        return decode_bounded(bytes(sent), encodings, int(limit.value))
    except TooLarge:
        raise too_large(limit) from None
    except BadEncoding as error:
        raise SystemFailure(Message("net.cannot_decompress", error=error.message)) from None


def _headers(url: str, given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return the headers of every request; given ones replace the defaults of the same name."""
    import httpx

    headers = httpx.Headers({"Accept": "application/json, */*", "Accept-Encoding": ACCEPTED, "Connection": "close"})
    headers.update({"Content-Type": "application/json", "User-Agent": f"steelyard/{__version__}"})
    if urlsplit(url).username is not None:
        headers["Authorization"] = f"Basic {basic_credentials(url)}"
    headers.update(given)
    return headers.raw


def _proxy(url: str | None, tls: ssl.SSLContext | None) -> "httpcore.Proxy | None":
    import httpcore
    import httpx

    if url is None:
        return None
    try:
        proxy = httpx.Proxy(url)
        is_valid = bool(proxy.url.host) and urlsplit(url).port != 0
    except (httpx.InvalidURL, ValueError):  # the scheme, the host or the port is malformed
        is_valid = False
    if not is_valid or (proxy.url.scheme.startswith("socks") and not find_spec("socksio")):
        raise ConfigError(Message("net.bad_proxy", url=masked_url(url)), hint=Message("net.proxy_hint"))
    return httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth, ssl_context=tls if proxy.url.scheme == "https" else None)


def _target(url: str) -> "httpcore.URL":
    """Return the address as it is sent; an error about it shows no secrets of it."""
    import httpcore
    import httpx

    try:
        parsed, _ = httpx.URL(url), urlsplit(url)
        host = parsed.host
        parsed.raw_host.decode("ascii").encode("idna")  # the resolver needs labels that are neither empty nor too long
    except (httpx.InvalidURL, ValueError) as error:
        reason = Message("words.bad_host") if isinstance(error, UnicodeError) else error
        message = Message("net.bad_address", url=masked_url(url), reason=reason)
        is_safe = "@" not in url  # else the reason may repeat a password
        raise ConfigError(message if is_safe else _no_address(url), hint=ADDRESS_HINT) from None
    if parsed.scheme not in ("http", "https") or not host:
        raise ConfigError(_no_address(url), hint=ADDRESS_HINT)
    if parsed.port is not None and not 0 < parsed.port <= _LARGEST_PORT:
        raise ConfigError(Message("net.port_range", largest_port=_LARGEST_PORT, port=parsed.port))
    return httpcore.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path)


def _no_address(url: str) -> Message:
    return Message("core.no_address", url=masked_url(url))


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not HEADER_NAME.fullmatch(name):
            raise ConfigError(Message("net.header_name", name=name[:60]))
        if not (name.isascii() and value.isascii() and (name + value).isprintable()):
            raise ConfigError(Message("net.header_characters", name=name))


def _tls(url: str, proxy: str | None) -> ssl.SSLContext | None:
    """Return a context that trusts the certificates of this machine and of certifi; None for plain HTTP."""
    if not url.lower().startswith("https:") and not (proxy or "").lower().startswith("https:"):
        return None
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
