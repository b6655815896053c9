"""A system by its SPEC: `http://host/path`, `python:module:attribute` and so on."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from steelyard.errors import ConfigError, UnknownName
from steelyard.systems.records import System
from steelyard.systems.secrets import masked_command
from steelyard.systems.settings import SystemSettings

SPEC_HINT = (
    "a system is http://host/path, openai:MODEL@BASE_URL, python:module:attribute, command:ARGV, replay:FILE "
    "or builtin:baseline"
)
CHAT_HINT = "for example openai:qwen3@http://localhost:8000/v1"

_CHAT: Final = re.compile(r"(?P<model>.+?)@(?P<url>https?://.+)")  # a model may have an @ in its name


def open_system(spec: str, settings: SystemSettings | None = None) -> System:
    """The system that a SPEC names; whoever opens it closes it, or lets `ask_all` do so."""
    form, _, rest = spec.strip().partition(":")
    opener = _OPENERS.get(form.lower())
    if opener is None or not rest:
        raise ConfigError(f"no system can be opened by {masked_command(spec)!r}", hint=SPEC_HINT)
    return opener(rest, settings or SystemSettings())


def _http(rest: str, settings: SystemSettings, scheme: str = "http") -> System:
    from steelyard.systems.http import HttpSystem

    return HttpSystem(f"{scheme}:{rest}", settings)


def _https(rest: str, settings: SystemSettings) -> System:
    return _http(rest, settings, "https")


def _chat(rest: str, settings: SystemSettings) -> System:
    from steelyard.systems.chat import ChatSystem

    found = _CHAT.fullmatch(rest)
    if not found:
        raise ConfigError(
            f"a chat model is openai:MODEL@BASE_URL, not {'openai:' + masked_command(rest)!r}", hint=CHAT_HINT
        )
    return ChatSystem(found["model"], found["url"], settings)


def _python(rest: str, settings: SystemSettings) -> System:
    from steelyard.systems.python import open_python

    return open_python(rest, settings.folder)


def _command(rest: str, settings: SystemSettings) -> System:
    from steelyard.systems.command import CommandSystem

    return CommandSystem(rest, timeout=settings.timeout)


def _replay(rest: str, settings: SystemSettings) -> System:
    from steelyard.systems.replay import ReplaySystem

    return ReplaySystem(rest)


def _builtin(rest: str, settings: SystemSettings) -> System:
    from steelyard.systems.baseline import Baseline

    if rest != "baseline":
        raise UnknownName.of("system", rest, ["baseline"])
    return Baseline(settings.documents)


_OPENERS: Final[Mapping[str, Callable[[str, SystemSettings], System]]] = {
    "http": _http,
    "https": _https,
    "openai": _chat,
    "python": _python,
    "command": _command,
    "replay": _replay,
    "builtin": _builtin,
}
