"""Access control: on a loopback address the Host header must name this machine, elsewhere a token is required."""

import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.pipelines.http_limits import is_loopback

TOKEN_HINT = Message("web.token_hint")

KEY_HEADER: Final = "x-steelyard-key"
_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of a server that listens on `host`; `session` is the value of the cookie of an authorized browser.

    The cookie does not hold the token: browsers send cookies to every port of a host, whichever program listens there.
    """

    host: str
    token: str | None = field(default=None, repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            message = Message("pipelines.token_needed", host=self.host)
            raise ConfigError(message, where="--host", hint=TOKEN_HINT)

    def is_own_host(self, host: str | None, origin: str | None = None) -> bool:
        """Whether a request is meant for this server: its Host names this machine, its Origin (if any) this server.

        Another name that resolves to a loopback address is DNS rebinding; all loopback addresses are checked alike.
        On other addresses the server may have any name, and the token protects it.
        """
        named = _HOST.fullmatch(host or "")
        if is_loopback(self.host) and not (named and is_loopback(named["name"].strip("[]"))):
            return False
        return origin is None or _authority(origin) == (host or "").lower()

    def is_authorized(self, authorization: str, cookie: str | None) -> bool:
        """Whether a request has the token, or the session cookie that was set for it."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and _same(token, self.token):
            return True
        return not self.token or _same(cookie, self.session)

    def is_from_own_page(self, headers: Mapping[str, str], key: str) -> bool:
        """Whether a request that writes comes from a page of this viewer, which alone has its key.

        Pages of other sites cannot read it, nor send this header or JSON without asking, which is not answered.
        """
        is_json = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
        is_same_site = headers.get("sec-fetch-site", "same-origin") == "same-origin"
        return is_json and is_same_site and "origin" in headers and _same(headers.get(KEY_HEADER), key)

    def has_token(self, query: str) -> bool:
        """Whether the query of an address has the token."""
        given = parse_qs(query).get("token", [])
        return bool(self.token) and len(given) == 1 and _same(given[0], self.token)


def _authority(origin: str) -> str | None:
    """Host and port of an origin; None for origins without a host."""
    scheme, _, authority = origin.lower().partition("://")
    return authority if scheme in ("http", "https") else None


def _same(given: str | None, wanted: str | None) -> bool:
    """Equality in constant time."""
    return hmac.compare_digest((given or "").encode("utf-8", "replace"), (wanted or "").encode("utf-8", "replace"))
