"""What is said to a model and what comes back of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.rag.prompts import text_of

Conversation = Sequence[Mapping[str, str]]
"""Messages, each with a role and its content."""

Told = Callable[[int, int], None]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or the reason why there is none; an answer that was cut off has a remark as its `error`."""

    answer: str | None
    error: Message | str | None


def single_turns(prompts: Any, system_prompt: str | None) -> list[Conversation]:
    """A conversation per prompt, after the system prompt if there is one; none for an empty or missing prompt."""
    if not isinstance(prompts, list):
        raise InputError(Message("rag.prompt_ls_list_prompts"))
    said = ["" if prompt is None else text_of(prompt) for prompt in prompts]
    return [_opened([{"role": "user", "content": text}], system_prompt) if text else [] for text in said]


def many_turns(messages: Any, system_prompt: str | None) -> list[Conversation]:
    """One conversation out of a list of messages, several out of a list of such lists, where None is an empty one."""
    if not isinstance(messages, list) or not messages:
        raise InputError(Message("rag.messages_list_messages_conversations"))
    several = messages if all(isinstance(each, list | None) for each in messages) else [messages]
    return [_opened([_message(message) for message in each], system_prompt) if each else [] for each in several]


def _opened(messages: Sequence[Mapping[str, str]], system_prompt: str | None) -> Conversation:
    said = (system_prompt or "").strip()
    return [{"role": "system", "content": said}, *messages] if said else messages


def _message(message: Any) -> dict[str, str]:
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    if role not in ("system", "user", "assistant"):
        raise InputError(Message("rag.role_message_system_user_assistant", role=role))
    return {"role": role, "content": text_of(message)}
