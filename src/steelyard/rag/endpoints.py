"""What all models behind an interface like OpenAI's have in common: their settings, and what is said of a failure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from steelyard import limits
from steelyard.errors import ConfigError, MissingExtra, UnknownName

OPENAI_URL: Final = "https://api.openai.com/v1"

NOT_JSON: Final = (ValueError, RecursionError)
"""What the library lets through where a reply of status 200 cannot be read."""

_PASSING: Final = frozenset(
    (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
)  # besides all from 500 on
_DENIED: Final = ("the model answered with status 401", "the model answered with status 403")
_LONGEST_REASON: Final = 200  # characters
_LONGEST_ADDRESS: Final = 80
_NUMBERS: Final = {  # and the least and the largest of each
    "concurrency": (1, limits.CONCURRENCY),
    "retries": (0, limits.RETRIES),
    "base_delay": (0, limits.INTERVAL_SECONDS),
    "timeout": (0, limits.TIMEOUT_SECONDS),
}


class RefusedReply(Exception):
    """A reply that is not read to its end; asking again would not help."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where the model is, what it is called, and how patiently it is asked.

    `key` is secret and never shown; a `timeout` of 0 waits for ever.
    """

    model_name: str
    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    concurrency: int = 8
    retries: int = 3
    timeout: float = 120.0


Settings = TypeVar("Settings", bound=EndpointSettings)


def endpoint_settings(kind: type[Settings], config: Mapping[str, Any], *, key: str, where: str) -> Settings:
    """The settings that a section of `backend_configs` says; its `api_key` counts before `key`."""
    given = {name: value for name, value in config.items() if value not in (None, "")}
    known = [*(each.name for each in fields(kind) if each.name != "key"), "api_key"]
    for name in given:
        if name not in known:
            raise UnknownName.of("setting", str(name), known, where=where)
    for name in ("model_name", "base_url", "api_key", "proxy"):
        if not isinstance(given.get(name, ""), str):
            raise ConfigError(f"{name} must be text, not {type(given[name]).__name__}", where=where)
    if "model_name" not in given:
        raise ConfigError("model_name must say which model is asked", where=where)
    for name, (least, largest) in _NUMBERS.items():
        _check_number(name, given.get(name, 1), least, where)
        largest.check(given.get(name, 1), name, where=where)
    _check_url(given.get("base_url", OPENAI_URL), where)
    return kind(key=_checked_key(given.pop("api_key", key), where), **given)


def openai_library(*, purpose: str) -> Any:
    """The library that speaks to such interfaces."""
    try:
        import openai
    except ImportError:
        raise MissingExtra.of("openai", "rag", purpose=purpose) from None
    return openai


def reason(error: Exception, settings: EndpointSettings) -> str:
    """What went wrong, in short and without the key, which some servers send back."""
    said = _told(error, settings)
    masked = said.replace(settings.key, "***") if settings.key else said
    return " ".join(masked.split())[:_LONGEST_REASON]


def hint_for(said: str, settings: EndpointSettings, variable: str) -> str | None:
    """What to do about a failure that `reason` has told; `variable` of the environment may hold the key."""
    if said.startswith("the model cannot be reached"):
        return f"base_url is {shown_address(settings.base_url)}: does a server listen there?"
    if said.startswith(_DENIED):
        return f"the key is api_key in backend_configs or, where that is empty, the environment variable {variable}"
    return None


def passes(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def is_refused(error: Exception) -> bool:
    """Whether the reply was refused: it is too large, or encoded in a way that was not asked for.

    Some versions of the library let our error through, others put it into one of theirs.
    """
    return isinstance(error, RefusedReply) or isinstance(error.__cause__, RefusedReply)


def redirect(location: str | None) -> str:
    """What is said where a reply sends the request elsewhere: prompts and keys go to the named address only."""
    where = shown_address(location)[:_LONGEST_ADDRESS] if location else "nowhere"
    return f"it redirects to {where}, which is not followed: name that address, if you trust it"


def shown_address(url: str) -> str:
    """An address without the name and password that may stand in it; of one that is none, what is behind the last @."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def is_address(url: str) -> bool:
    """Whether a text is an address that can be asked over HTTP."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _told(error: Exception, settings: EndpointSettings) -> str:
    import openai

    if is_refused(error):
        return str(error if isinstance(error, RefusedReply) else error.__cause__)
    match error:
        case openai.APITimeoutError():
            return f"no answer within {settings.timeout:g} s"
        case openai.APIConnectionError():
            return f"the model cannot be reached: {error.__cause__ or error}"
        case openai.APIStatusError() if error.response.is_redirect:
            return f"the model cannot be reached: {redirect(error.response.headers.get('location'))}"
        case openai.APIError():
            return f"the model answered with status {getattr(error, 'status_code', None)}: {_message(error.body)}"
    return "the reply of the model is not JSON"


def _message(body: object) -> str:
    match body:
        case {"message": str(message)} if message:
            return message
        case str(text) if text:
            return text
    return "nothing more"


def _check_number(name: str, value: Any, least: int, where: str) -> None:
    kinds = int if name in ("concurrency", "retries") else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < math.inf:
        what = "a whole number" if kinds is int else "a number"
        raise ConfigError(f"{name} must be {what} from {least} on, not {value!r}", where=where)


def _check_url(url: str, where: str) -> None:
    if not is_address(url):
        raise ConfigError(
            f"this is no address: {shown_address(url)}", where=where, hint="for example http://localhost:8000/v1"
        )


def _checked_key(key: str, where: str) -> str:
    """The key without blanks around it; it is checked here because an error further down would show it."""
    plain = key.strip()
    if not (plain.isascii() and plain.isprintable()):
        raise ConfigError("the key holds characters that HTTP does not allow", where=where)
    return plain
