"""How systems are reached."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import limits
from steelyard.errors import ConfigError
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.documents.pages import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSettings:
    """What systems need besides the question; each uses what concerns it.

    `key` goes to a chat model and nowhere else. `request` and `response` are templates for HTTP. `documents` are those
    that questions may name. `folder` is searched for Python modules.
    """

    timeout: float = 60.0
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str | None = field(default=None, repr=False)
    request: str | None = None
    response: str | None = None
    documents: Mapping[str, "Document"] = field(default_factory=dict)
    folder: Path | None = None
    proxy: str | None = None

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ConfigError(Message("systems.timeout_above_0_s_not", timeout=self.timeout))
        limits.TIMEOUT_SECONDS.check(self.timeout, Message("words.the_timeout_in_seconds"))
