"""What a system is: questions, replies, the protocol, its settings, and `open_system` for the kinds of systems.

A kind is a function `open(rest, settings) -> System` under the prefix of its SPEC. Installed packages add kinds by the
entry point group `steelyard.systems`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Protocol

from steelyard import limits
from steelyard.errors import ConfigError
from steelyard.i18n import Localized, Message
from steelyard.io.costs import costs_in
from steelyard.io.outputs import named_values, record_of
from steelyard.net.secrets import masked_command
from steelyard.registry.entry_points import EntryPointGroup

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

SPEC_HINT: Final = Message("systems.spec_hint")

BUILT_IN: Final[Mapping[str, str]] = {
    "http": "steelyard.systems.http:open_http",
    "https": "steelyard.systems.http:open_https",
    "openai": "steelyard.systems.http:open_chat",
    "python": "steelyard.systems.python:open_python",
    "command": "steelyard.systems.command:open_command",
    "product": "steelyard.systems.product:open_product",
    "replay": "steelyard.systems.replay:open_replay",
    "builtin": "steelyard.systems.baseline:open_builtin",
}
"""Where the kinds of this package are defined; a module is imported when its kind is opened."""

PRODUCTS: Final = ("ragflow", "ragflow-retrieval", "dify", "fastgpt", "openwebui")
"""Products of this package, each a kind of its own: `ragflow:CHAT@URL` is `product:ragflow#CHAT@URL`."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as a system gets it: without the expected answer."""

    id: str
    question: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The output record of a system; the caller that measures the time fills in the seconds, unless they are given.

    They are NaN where nobody measured them. `tokens` are those of request and reply, `cost` is the price that the
    system names, in its own currency.
    """

    record: dict[str, Any]
    seconds: float = 0.0
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply, after how many seconds and attempts."""

    message: Localized | str
    seconds: float
    attempts: int


class System(Protocol):
    """Anything that replies to questions; several threads may ask at the same time.

    A system may have `notices() -> list[Message]`: what the user should know after a run.
    """

    name: str

    def ask(self, ask: Ask) -> Reply:
        """Return the reply; raise SystemFailure if there is none, RetryableFailure if asking again may help."""

    def close(self) -> None:
        """Stop what is running, even while a thread waits for it; closing twice is allowed."""


class NothingOpen:
    """A system that holds no connection, process or file between questions."""

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSettings:
    """What systems need besides the question; each kind uses its part.

    `key` is sent to a chat model only, `environment` has the keys of products, each sent to its product only.
    `request` and `response` are templates for HTTP. `documents` are those that questions may name; `send` is
    "question" where a chat model gets the question alone. `folder` is searched for Python modules.
    """

    timeout: float = 60.0
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    request: str | None = None
    response: str | None = None
    documents: Mapping[str, "Document"] = field(default_factory=dict)
    send: str = "document"
    folder: Path | None = None
    proxy: str | None = None

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ConfigError(Message("systems.timeout_above_0", timeout=self.timeout))
        limits.TIMEOUT_SECONDS.check(self.timeout, Message("words.the_timeout_in_seconds"))


Opener = Callable[[str, SystemSettings], System]
"""Opens a system by the part of its SPEC after the prefix and the colon."""

INSTALLED: Final = EntryPointGroup[Opener]("steelyard.systems", Message("plugins.opener"), callable)
"""Kinds of installed packages; the name of an entry point is the prefix of the SPEC."""


def open_system(spec: str, settings: SystemSettings | None = None) -> System:
    """Open the system of a SPEC such as `http://host/path`; the caller closes it, or `ask_all` does."""
    prefix, _, rest = spec.strip().partition(":")
    kind, opener = prefix.lower(), None
    if kind in PRODUCTS:
        kind, rest = "product", f"{kind}#{rest}"
    if rest:  # kinds of this package cannot be replaced
        opener = resolve_name(BUILT_IN[kind]) if kind in BUILT_IN else INSTALLED.load(kind)
    if opener is None:
        raise ConfigError(Message("systems.unknown_spec", spec=masked_command(spec)), hint=SPEC_HINT)
    return opener(rest, settings or SystemSettings())


def reply_of(value: Any, where: str = "") -> Reply:
    """Return the reply that the value of a system stands for, with the tokens and the cost that it reports."""
    costs = costs_in(named_values(value) or {})
    tokens = costs.get("Tokens")
    return Reply(record_of(value, where), tokens=None if tokens is None else int(tokens), cost=costs.get("Cost"))


def path_lost(field: str, path: str) -> Message:
    """Return the notice that a path has led nowhere in a whole run."""
    return Message("systems.path_never_led", field=field, path=path)
