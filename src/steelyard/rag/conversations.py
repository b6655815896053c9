"""What is said to a model and what comes back of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import InputError
from steelyard.rag.prompts import text_of

Conversation = Sequence[Mapping[str, str]]
"""Messages, each with a role and its content."""

Told = Callable[[int, int], None]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or the reason why there is none."""

    answer: str | None
    error: str | None


def single_turns(prompts: Any, system_prompt: str | None) -> list[Conversation]:
    """A conversation per prompt; the system prompt goes before it unless it is empty, and so does an empty prompt."""
    if not isinstance(prompts, list):
        raise InputError("prompt_ls must be a list of prompts")
    return [
        _opened([{"role": "user", "content": text}], system_prompt) if text else [] for text in map(text_of, prompts)
    ]


def many_turns(messages: Any, system_prompt: str | None) -> list[Conversation]:
    """One conversation out of a list of messages, several out of a list of such lists."""
    if not isinstance(messages, list) or not messages:
        raise InputError("messages must be a list of messages, or of conversations")
    several = messages if all(isinstance(each, list) for each in messages) else [messages]
    return [_opened([_message(message) for message in each], system_prompt) for each in several]


def _opened(messages: Sequence[Mapping[str, str]], system_prompt: str | None) -> Conversation:
    said = (system_prompt or "").strip()
    return [{"role": "system", "content": said}, *messages] if said else messages


def _message(message: Any) -> dict[str, str]:
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    if role not in ("system", "user", "assistant"):
        raise InputError(f"the role of a message must be system, user or assistant, not {role!r}")
    return {"role": role, "content": text_of(message)}
