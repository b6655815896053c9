"""What a system is asked, and what it replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from steelyard.errors import SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import named_values, record_of


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as a system sees it: never what is expected of the answer."""

    id: str
    question: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The output record of a system; whoever holds the watch fills in the seconds."""

    record: dict[str, Any]
    seconds: float = 0.0
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply, after how long and how many attempts."""

    message: Localized | str
    seconds: float
    attempts: int


class System(Protocol):
    """Anything that replies to questions; several threads may ask at a time."""

    name: str

    def ask(self, ask: Ask) -> Reply:
        """The reply to one question; SystemFailure if there is none, TryAgain if there may be one yet."""

    def close(self) -> None:
        """End what is running, though somebody may wait for it; closing again does no harm."""


class TryAgain(SystemFailure):
    """A failure that may pass; `retry_after` is for how many seconds the system asks to be left alone."""

    def __init__(self, message: Message | str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def reply_of(value: Any, where: str = "") -> Reply:
    """The reply that a system's value stands for, with the tokens that it says it has used."""
    usage = (named_values(value) or {}).get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    return Reply(record_of(value, where), tokens=tokens if type(tokens) is int else None)
