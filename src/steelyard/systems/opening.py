"""A system by its SPEC: `http://host/path`, `python:module:attribute` and so on."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message
from steelyard.systems.records import System
from steelyard.systems.secrets import masked_command
from steelyard.systems.settings import SystemSettings

SPEC_HINT = Message("systems.system_http_host_path_openai")
CHAT_HINT = Message("systems.example_openai_qwen3_http_localhost")

_CHAT: Final = re.compile(r"(?P<model>.+?)@(?P<url>https?://.+)")  # a model may have an @ in its name


def open_system(spec: str, settings: SystemSettings | None = None) -> System:
    """The system that a SPEC names; whoever opens it closes it, or lets `ask_all` do so."""
    form, _, rest = spec.strip().partition(":")
    opener = _OPENERS.get(form.lower())
    if opener is None or not rest:
        raise ConfigError(Message("systems.no_system_can_opened", spec=masked_command(spec)), hint=SPEC_HINT)
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
            Message("systems.chat_model_openai_model_base", value="openai:" + masked_command(rest)), hint=CHAT_HINT
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
        raise UnknownName.of(Message("words.system"), rest, ["baseline"])
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
