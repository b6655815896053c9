"""Who may look: on this machine anybody who asks for this machine by name, elsewhere who brings the token."""

import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from steelyard.errors import ConfigError
from steelyard.pipelines.serving import is_loopback

TOKEN_HINT = (
    "set STEELYARD_TOKEN to a long random text, or give --token; "
    "it is brought once as ?token=TOKEN, or as: Authorization: Bearer TOKEN"
)


@dataclass(frozen=True, slots=True)
class Access:
    """The rule of a server that listens on `host`; `session` is what the cookie of an admitted browser says.

    The cookie does not hold the token: browsers send cookies to every port of a host, whoever listens there.
    """

    host: str
    token: str | None = field(default=None, repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            message = f"{self.host} can be reached from elsewhere: a token is needed"
            raise ConfigError(message, where="--host", hint=TOKEN_HINT)

    def addressed(self, header: str | None) -> bool:
        """Whether the Host header names this machine; a foreign name that leads here is DNS rebinding.

        Beyond loopback the names of a server are its owner's affair, and the token guards it.
        """
        if not is_loopback(self.host):
            return True
        try:
            return is_loopback(urlsplit(f"//{header or ''}").hostname or "")
        except ValueError:
            return False

    def admitted(self, authorization: str, cookie: str | None) -> bool:
        """Whether a request brings the token, or the cookie that was given for it."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and _same(token, self.token):
            return True
        return not self.token or _same(cookie, self.session)

    def introduced(self, query: str) -> bool:
        """Whether the query of an address brings the token."""
        given = parse_qs(query).get("token", [])
        return bool(self.token) and len(given) == 1 and _same(given[0], self.token)


def _same(given: str | None, wanted: str | None) -> bool:
    """Equality that takes the same time wherever the two differ."""
    return hmac.compare_digest((given or "").encode("utf-8", "replace"), (wanted or "").encode("utf-8", "replace"))
