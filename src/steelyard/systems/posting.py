"""JSON over HTTP: one request, one reply, and in words what went wrong."""

import ssl
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from steelyard.errors import ConfigError, SystemFailure
from steelyard.systems.decoding import beginning, check_size, decode_reply
from steelyard.systems.records import TryAgain

if TYPE_CHECKING:
    import httpx


class Poster:
    """Posts JSON to one address, from any number of threads.

    Each request has a connection of its own: one that is given up disturbs no other, and no request is lost because
    a server has closed a connection that was kept.
    """

    def __init__(self, url: str, *, headers: Mapping[str, str], timeout: float, proxy: str | None = None) -> None:
        _check_url(url)
        _check_headers(headers)
        self._url = url
        self._headers = headers
        self._timeout = timeout
        self._proxy = proxy
        self._trust = _trust(url, proxy)

    def post(self, body: Any) -> Any:
        """The JSON value that comes back."""
        import httpx

        # the environment is for the doors to read: no proxies and no keys out of it
        settings: dict[str, Any] = {"timeout": self._timeout, "trust_env": False, "proxy": self._proxy}
        try:
            with (
                httpx.Client(verify=self._trust, headers=dict(self._headers), **settings) as client,
                client.stream("POST", self._url, json=body) as response,
            ):
                content = self._content(response)
        except httpx.TimeoutException:
            raise self._late() from None
        except httpx.TransportError as error:
            raise TryAgain(f"the system cannot be reached: {error or type(error).__name__}") from None
        except httpx.DecodingError as error:
            raise SystemFailure(f"the reply cannot be decompressed: {error}") from None
        _check_status(response.status_code, response.headers, content)
        return decode_reply(content)

    def _content(self, response: "httpx.Response") -> bytes:
        """All that was sent, as long as it is neither too much nor too slow."""
        limit = time.monotonic() + self._timeout
        content = bytearray()
        for piece in response.iter_bytes():
            content += piece
            check_size(len(content))
            if time.monotonic() > limit:
                raise self._late()
        return bytes(content)

    def _late(self) -> TryAgain:
        return TryAgain(f"no answer within {self._timeout:g} s")


def address(url: str) -> str:
    """The address without what may be secret in it: user, password, query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _check_status(status: int, headers: Mapping[str, str], content: bytes) -> None:
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    said = beginning(content.decode("utf-8", "replace")) or "an empty body"
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        wish = _seconds(headers.get("retry-after"))
        raise TryAgain(f"the system answered with status {status}: {said}", retry_after=wish)
    raise SystemFailure(f"the system answered with status {status}: {said}")


def _seconds(retry_after: str | None) -> float | None:
    """What Retry-After says, in seconds from now; None if it says nothing."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _check_url(url: str) -> None:
    import httpx

    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ConfigError(f"this is no address: {url} ({error})") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigError(f"this is no address: {url}", hint="for example http://localhost:8000/ask")


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not (name.isascii() and value.isascii() and (name + value).isprintable()):
            raise ConfigError(f"the header {name!r} holds characters that HTTP does not allow")


def _trust(url: str, proxy: str | None) -> ssl.SSLContext | bool:
    """Whom to believe: the certificates of this machine, and those that come with the HTTP library."""
    if "https" not in (urlsplit(url).scheme, urlsplit(proxy or "").scheme):
        return False  # nobody shows a certificate
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
