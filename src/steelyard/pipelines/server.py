"""Servers: tools and prompts with the names of what they take and give, so that a pipeline can bind them.

    app = Server("sayhello", __file__)

    @app.tool("name->msg")
    def greet(name: str) -> dict[str, str]: ...

The left side names, by position, the variables that feed the arguments; the right side what comes back. A name that
`parameter.yaml` beside the server knows is a parameter and is written with a dollar sign.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from steelyard.errors import ConfigError

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = Literal["tool", "prompt"]


@dataclass(frozen=True, slots=True)
class Binding:
    """The variables that feed each argument of a tool, and the names of what it gives."""

    inputs: Mapping[str, str]
    outputs: tuple[str, ...]

    def against(self, parameters: Mapping[str, Any]) -> "Binding":
        """The same with a dollar sign before the names that are parameters."""
        marked = {argument: _marked(name, parameters) for argument, name in self.inputs.items()}
        return Binding(marked, tuple(_marked(name, parameters) for name in self.outputs))


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a server offers, as a tool or as a prompt; `note` is its annotation as it was written."""

    name: str
    function: Callable[..., Any]
    binding: Binding
    kind: Kind = "tool"
    note: str = ""
    publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None

    def binding_for(self, parameters: Mapping[str, Any]) -> Binding:
        """The binding with these parameters, and with what the tool publishes because of them."""
        more = self.publishes(parameters) if self.publishes else ()
        outputs = dict.fromkeys((*self.binding.outputs, *more))
        return Binding(self.binding.inputs, tuple(outputs)).against(parameters)

    @property
    def description(self) -> str:
        """What the tool is for."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True, slots=True)
class Server:
    """A named set of tools; `file` is the program that holds it."""

    name: str
    file: str = ""
    tools: dict[str, Tool] = field(default_factory=dict)

    def tool(
        self, note: str = "", *, publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    ) -> Callable[[Function], Function]:
        """Offer a function as a tool; `publishes` names further outputs that depend on parameters."""
        return self._offer(note, "tool", publishes)

    def prompt(self, note: str = "") -> Callable[[Function], Function]:
        """Offer a function as a prompt; it gives a list of texts."""
        return self._offer(note, "prompt", None)

    @property
    def folder(self) -> Path:
        """servers/<name>."""
        return Path(self.file).resolve().parents[1]

    def _offer(
        self, note: str, kind: Kind, publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None
    ) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            name = function.__name__
            self.tools[name] = Tool(name, function, binding_of(note, function), kind, note, publishes)
            return function

        return register


def binding_of(note: str, function: Callable[..., Any]) -> Binding:
    """What an annotation says: `in1,in2->out1,out2`; without an arrow the names of the arguments feed them."""
    arguments = list(inspect.signature(function).parameters)
    left, arrow, right = note.partition("->")
    if "->" in right:
        raise ConfigError(f"an annotation has one arrow, not {note!r}")
    names = _names(left) if arrow else arguments
    if len(names) != len(arguments):
        raise ConfigError(f"{function.__name__} has {len(arguments)} arguments, its annotation names {len(names)}")
    outputs = _names(right if arrow else note)
    return Binding(dict(zip(arguments, names, strict=True)), tuple(outputs))


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    return [] if names == [""] or [name.lower() for name in names] == ["none"] else names


def _marked(name: str, parameters: Mapping[str, Any]) -> str:
    return f"${name}" if name in parameters else name
