"""Settings of models behind OpenAI-compatible interfaces: chat, embeddings and rerankers; hints for their failures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeVar

from steelyard import limits
from steelyard.errors import ConfigError, SteelyardError, UnknownName
from steelyard.i18n import Message
from steelyard.net.http import STATUS, UNREACHABLE, is_address
from steelyard.net.secrets import public_address

OPENAI_URL: Final = "https://api.openai.com/v1"

_DENIED: Final = (401, 403)
_NUMBERS: Final = {  # with the least and the largest value of each
    "concurrency": (1, limits.CONCURRENCY),
    "retries": (0, limits.RETRIES),
    "base_delay": (0, limits.INTERVAL_SECONDS),
    "timeout": (0, limits.TIMEOUT_SECONDS),
}


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The address and the name of a model, its secret key, and how it is called; a `timeout` of 0 means none."""

    model_name: str
    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    concurrency: int = 8
    retries: int = 3
    timeout: float = 120.0


Settings = TypeVar("Settings", bound=EndpointSettings)


def endpoint_settings(kind: type[Settings], config: Mapping[str, Any], *, where: str) -> Settings:
    """The settings in a section of `backend_configs`."""
    given = {name: value for name, value in config.items() if value not in (None, "")}
    known = [*(known.name for known in fields(kind) if known.name != "key"), "api_key"]
    for name in given:
        if name not in known:
            raise UnknownName.of(Message("words.setting"), str(name), known, where=where, parameter=f"{where}.{name}")
    for name in ("model_name", "base_url", "api_key", "proxy"):
        if not isinstance(given.get(name, ""), str):
            message = Message("rag.must_be_text", name=name, kind=type(given[name]).__name__)
            raise ConfigError(message, where=where, parameter=f"{where}.{name}")
    if "model_name" not in given:
        raise ConfigError(Message("rag.model_name_missing"), where=where, parameter=f"{where}.model_name")
    for name, (least, largest) in _NUMBERS.items():
        _check_number(name, given.get(name, 1), least, where)
        largest.check(given.get(name, 1), name, where=where, parameter=f"{where}.{name}")
    _check_url(given.get("base_url", OPENAI_URL), where)
    return kind(key=_checked_key(given.pop("api_key", ""), where), **given)


def hint_for(message: Message | str | None, settings: EndpointSettings, variable: str) -> Message | None:
    """What to do about a failure of the client; `variable` is the environment variable of the key."""
    match message:
        case Message(code=code) if code == UNREACHABLE:
            return Message("rag.base_url_hint", base_url=public_address(settings.base_url))
        case Message(code=code) if code == STATUS and message.args["status"] in _DENIED:
            return Message("rag.key_hint", variable=variable)
    return None


def reason(failure: SteelyardError) -> Message:
    """The message of a failure with its hint, for a place that has no room for hints."""
    if failure.hint is None:
        return failure.message
    return Message("net.reason_and_hint", message=failure.message, hint=failure.hint)


def _check_number(name: str, value: Any, least: int, where: str) -> None:
    types = int if name in ("concurrency", "retries") else (int, float)
    if isinstance(value, bool) or not isinstance(value, types) or not least <= value < math.inf:
        what = Message("words.an_integer") if types is int else Message("words.a_number")
        message = Message("rag.number_from", name=name, what=what, least=least, value=value)
        raise ConfigError(message, where=where, parameter=f"{where}.{name}")


def _check_url(url: str, where: str) -> None:
    if not is_address(url):
        message, hint = Message("core.no_address", url=public_address(url)), Message("rag.endpoint_address_hint")
        raise ConfigError(message, where=where, hint=hint, parameter=f"{where}.base_url")


def _checked_key(key: str, where: str) -> str:
    """The key without blanks around it; it is checked here because a later error would show it."""
    plain = key.strip()
    if not (plain.isascii() and plain.isprintable()):
        raise ConfigError(Message("rag.key_characters"), where=where, parameter=f"{where}.api_key")
    return plain
