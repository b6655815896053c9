"""Servers: tools and prompts with the names of what they take and give, so that a pipeline can bind them.

    app = Server("sayhello", __file__)

    @app.tool("name->msg")
    def greet(name: Annotated[str, "whom to greet"]) -> dict[str, str]: ...

    if __name__ == "__main__":
        app.run()

The left side names, by position, the variables that feed the arguments; the right side what comes back. A name that
`parameter.yaml` beside the server knows is a parameter and is written with a dollar sign.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from steelyard.errors import ConfigError
from steelyard.i18n import Localized, Message

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = Literal["tool", "prompt"]
Told = Callable[[int, int | None], None]
Notice = Localized | str
"""What a tool says beside its result; a str is foreign text, the same in every language."""

NOTICES = "steelyard/notices"
"""Under this name in `_meta` of its answer, a server elsewhere says what it has to say beside the result."""

_TOLD: ContextVar[Told] = ContextVar("_TOLD", default=lambda done, total: None)
_SAID: ContextVar[Callable[[Notice], None]] = ContextVar("_SAID", default=lambda notice: None)


def progress(done: int, total: int | None = None) -> None:
    """Say how far a tool has come, to whoever called it."""
    _TOLD.get()(done, total)


def say(notice: Notice) -> None:
    """Say something beside the result, such as where it was saved."""
    _SAID.get()(notice)


@contextmanager
def hearing(*, told: Told | None = None, said: Callable[[Notice], None] | None = None) -> Iterator[None]:
    """Hear how far tools are, and what else they say."""
    before = _TOLD.set(told or _TOLD.get()), _SAID.set(said or _SAID.get())
    try:
        yield
    finally:
        _TOLD.reset(before[0])
        _SAID.reset(before[1])


@dataclass(frozen=True, slots=True)
class Binding:
    """The variables that feed each argument of a tool, and the names of what it gives.

    An `optional` argument is left out where nothing feeds it. A `settled` binding comes from a server file, which says
    already which names are parameters.
    """

    inputs: Mapping[str, str]
    outputs: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    settled: bool = False

    def against(self, parameters: Mapping[str, Any]) -> "Binding":
        """The same with a dollar sign before the names that are parameters."""
        if self.settled:
            return self
        marked = {argument: _marked(name, parameters) for argument, name in self.inputs.items()}
        outputs = tuple(_marked(name, parameters) for name in self.outputs)
        return replace(self, inputs=marked, outputs=outputs)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a server offers, as a tool or as a prompt; `note` is its annotation as it was written."""

    name: str
    function: Callable[..., Any]
    binding: Binding
    kind: Kind = "tool"
    note: str = ""
    publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    checks: Callable[[Mapping[str, Any]], None] | None = None

    def binding_for(self, parameters: Mapping[str, Any]) -> Binding:
        """The binding with these parameters, and with what the tool publishes because of them."""
        outputs = tuple(self.publishes(parameters)) if self.publishes else self.binding.outputs
        return replace(self.binding, outputs=outputs).against(parameters)

    @property
    def description(self) -> str:
        """What the tool is for."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True, slots=True)
class Server:
    """A named set of tools; `file` is the program that holds it, `about` tells an agent what it is for."""

    name: str
    file: str = ""
    about: str | None = None
    tools: dict[str, Tool] = field(default_factory=dict)

    def tool(
        self,
        note: str = "",
        *,
        publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        checks: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Callable[[Function], Function]:
        """Offer a function as a tool; `publishes` names its outputs where they depend on parameters.

        `checks` raises what is wrong with those arguments that are parameters, before the first step of a run.
        """
        return self._offer(note, "tool", publishes, checks)

    def prompt(self, note: str = "") -> Callable[[Function], Function]:
        """Offer a function as a prompt; it gives a list of texts."""
        return self._offer(note, "prompt")

    def run(self) -> None:
        """Speak MCP over standard input and output until the input ends; what a server's program does."""
        from steelyard.pipelines.serving import serve_stdio

        serve_stdio(self)

    @property
    def folder(self) -> Path:
        """servers/<name>."""
        return Path(self.file).resolve().parents[1]

    def _offer(
        self,
        note: str,
        kind: Kind,
        publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        checks: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            name = function.__name__
            self.tools[name] = Tool(name, function, _signed(note, function), kind, note, publishes, checks)
            return function

        return register


def binding_of(note: str, tool: str, arguments: Sequence[str], optional: Iterable[str]) -> Binding:
    """What an annotation says: `in1,in2->out1,out2`; without an arrow the names of the arguments feed them."""
    left, arrow, right = note.partition("->")
    if "->" in right:
        raise ConfigError(Message("pipelines.annotation_one_arrow_not", note=note))
    names = _names(left) if arrow else list(arguments)
    if len(names) != len(arguments):
        raise ConfigError(
            Message("pipelines.arguments_annotation_names", tool=tool, arguments=len(arguments), names=len(names))
        )
    outputs = _names(right if arrow else note)
    return Binding(dict(zip(arguments, names, strict=True)), tuple(outputs), frozenset(optional))


def _signed(note: str, function: Callable[..., Any]) -> Binding:
    """The binding of a function of this process."""
    parameters = inspect.signature(function).parameters
    optional = [name for name, each in parameters.items() if each.default is not inspect.Parameter.empty]
    return binding_of(note, function.__name__, list(parameters), optional)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    return [] if names == [""] or [name.lower() for name in names] == ["none"] else names


def _marked(name: str, parameters: Mapping[str, Any]) -> str:
    return f"${name}" if name in parameters else name
