"""What all models behind an interface like OpenAI's have in common: their settings, and what is said of a failure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from steelyard import limits
from steelyard.errors import ConfigError, MissingExtra, UnknownName
from steelyard.i18n import Message
from steelyard.i18n.masking import masked, with_texts

OPENAI_URL: Final = "https://api.openai.com/v1"

NOT_JSON: Final = (ValueError, RecursionError)
"""What the library lets through where a reply of status 200 cannot be read."""

UNREACHABLE: Final = "rag.model_cannot_reached"
STATUS: Final = "rag.model_answered_status"
"""Codes of reasons for which there are hints."""

_PASSING: Final = frozenset(
    (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
)  # besides all from 500 on
_DENIED: Final = (401, 403)
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

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


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
            raise UnknownName.of(Message("words.setting"), str(name), known, where=where, parameter=f"{where}.{name}")
    for name in ("model_name", "base_url", "api_key", "proxy"):
        if not isinstance(given.get(name, ""), str):
            message = Message("rag.text_not_type", name=name, kind=type(given[name]).__name__)
            raise ConfigError(message, where=where, parameter=f"{where}.{name}")
    if "model_name" not in given:
        raise ConfigError(Message("rag.model_name_say_which_model"), where=where, parameter=f"{where}.model_name")
    for name, (least, largest) in _NUMBERS.items():
        _check_number(name, given.get(name, 1), least, where)
        largest.check(given.get(name, 1), name, where=where, parameter=f"{where}.{name}")
    _check_url(given.get("base_url", OPENAI_URL), where)
    return kind(key=_checked_key(given.pop("api_key", key), where), **given)


def openai_library(*, purpose: Message) -> Any:
    """The library that speaks to such interfaces."""
    try:
        import openai
    except ImportError:
        raise MissingExtra.of("openai", "rag", purpose=purpose) from None
    return openai


def reason(error: Exception, settings: EndpointSettings) -> Message:
    """What went wrong, in short and without the key, which some servers send back."""
    told = with_texts(without_key(_told(error, settings), settings), lambda text: " ".join(text.split()))
    beyond = len(str(told)) - _LONGEST_REASON
    return with_texts(told, lambda text: text[:-beyond]) if beyond > 0 else told


def without_key(message: Message, settings: EndpointSettings) -> Message:
    """The message with the key masked."""
    return masked(message, lambda text: text.replace(settings.key, "***")) if settings.key else message


def hint_for(error: Message | str | None, settings: EndpointSettings, variable: str) -> Message | None:
    """What to do about a failure that `reason` has told; `variable` of the environment may hold the key."""
    match error:
        case Message(code=code) if code == UNREACHABLE:
            return Message("rag.base_url_does_server_listen", base_url=shown_address(settings.base_url))
        case Message(code=code) if code == STATUS and error.args["status"] in _DENIED:
            return Message("rag.key_hint_variable", variable=variable)
    return None


def passes(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def is_refused(error: Exception) -> bool:
    """Whether the reply was refused: it is too large, or encoded in a way that was not asked for.

    Some versions of the library let our error through, others put it into one of theirs.
    """
    return _refused(error) is not None


def _refused(error: Exception) -> RefusedReply | None:
    return next((each for each in (error, error.__cause__) if isinstance(each, RefusedReply)), None)


def redirect(location: str | None) -> Message:
    """What is said where a reply sends the request elsewhere: prompts and keys go to the named address only."""
    address = shown_address(location)[:_LONGEST_ADDRESS] if location else Message("words.nowhere")
    return Message("rag.redirects", address=address)


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


def _told(error: Exception, settings: EndpointSettings) -> Message:
    import openai

    refused = _refused(error)
    if refused is not None:
        return refused.message
    match error:
        case openai.APITimeoutError():
            return Message("core.no_answer_within", timeout=settings.timeout)
        case openai.APIConnectionError():
            return Message(UNREACHABLE, why=str(error.__cause__ or error))
        case openai.APIStatusError() if error.response.is_redirect:
            return Message(UNREACHABLE, why=redirect(error.response.headers.get("location")))
        case openai.APIError():
            return Message(STATUS, status=getattr(error, "status_code", None), body=_message(error.body))
    return Message("rag.reply_model_not_json")


def _message(body: object) -> Message | str:
    match body:
        case {"message": str(message)} if message:
            return message
        case str(text) if text:
            return text
    return Message("words.nothing_more")


def _check_number(name: str, value: Any, least: int, where: str) -> None:
    kinds = int if name in ("concurrency", "retries") else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < math.inf:
        what = Message("words.a_whole_number") if kinds is int else Message("words.a_number")
        message = Message("rag.number_from_least", name=name, what=what, least=least, value=value)
        raise ConfigError(message, where=where, parameter=f"{where}.{name}")


def _check_url(url: str, where: str) -> None:
    if not is_address(url):
        raise ConfigError(
            Message("core.no_address", url=shown_address(url)),
            where=where,
            hint=Message("rag.example_http_localhost_8000_v1"),
            parameter=f"{where}.base_url",
        )


def _checked_key(key: str, where: str) -> str:
    """The key without blanks around it; it is checked here because an error further down would show it."""
    plain = key.strip()
    if not (plain.isascii() and plain.isprintable()):
        raise ConfigError(Message("rag.key_holds_characters_http_does"), where=where, parameter=f"{where}.api_key")
    return plain
