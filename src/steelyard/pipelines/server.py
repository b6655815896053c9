"""Servers: tools and prompts with the names of their inputs and outputs, so that a pipeline can bind them.

    app = Server("sayhello", __file__)

    @app.tool(output="name->msg")
    def greet(name: Annotated[str, "whom to greet"]) -> dict[str, str]: ...

    if __name__ == "__main__":
        app.run()

The left side of the annotation names, by position, the variables that feed the arguments; the right side names the
outputs. A name that is listed in `parameter.yaml` of the server is a parameter and is written with a dollar sign.
"""

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from steelyard.errors import ConfigError
from steelyard.i18n import Joined, Localized, Message

Function = TypeVar("Function", bound=Callable[..., Any])
ToolKind = Literal["tool", "prompt"]
Notice = Localized | str
"""A message of a tool beside its result; a str is foreign text, the same in every language."""
ProgressCallback = Callable[[int, int | None], None]
"""Called with the number of finished items and, if it is known, the number of all items."""
NoticeCallback = Callable[[Notice], None]

_ON_PROGRESS: ContextVar[ProgressCallback] = ContextVar("_ON_PROGRESS", default=lambda done, total: None)
_ON_NOTICE: ContextVar[NoticeCallback] = ContextVar("_ON_NOTICE", default=lambda notice: None)


def progress(done: int, total: int | None = None) -> None:
    """Report the progress of a tool to its caller."""
    _ON_PROGRESS.get()(done, total)


def notify(notice: Notice) -> None:
    """Send a notice beside the result to the caller, such as the path of a saved file."""
    _ON_NOTICE.get()(notice)


@contextmanager
def callbacks(
    *, on_progress: ProgressCallback | None = None, on_notice: NoticeCallback | None = None
) -> Iterator[None]:
    """Set the functions that `progress` and `notify` call in this context; None leaves one unchanged."""
    tokens = _ON_PROGRESS.set(on_progress or _ON_PROGRESS.get()), _ON_NOTICE.set(on_notice or _ON_NOTICE.get())
    try:
        yield
    finally:
        _ON_PROGRESS.reset(tokens[0])
        _ON_NOTICE.reset(tokens[1])


@dataclass(frozen=True, slots=True)
class Binding:
    """The variable or parameter that feeds each argument of a tool, and the names of its outputs.

    An `optional` argument is omitted if nothing feeds it. An `explicit` binding comes from a server file, which
    already marks the names that are parameters.
    """

    inputs: Mapping[str, str]
    outputs: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    explicit: bool = False

    def resolve(self, parameters: Mapping[str, Any]) -> "Binding":
        """Return the binding with a dollar sign before every name that is a parameter."""
        if self.explicit:
            return self
        inputs = {argument: _mark_parameter(name, parameters) for argument, name in self.inputs.items()}
        outputs = tuple(_mark_parameter(name, parameters) for name in self.outputs)
        return replace(self, inputs=inputs, outputs=outputs)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function of a server, registered as a tool or as a prompt; `annotation` is its annotation as written."""

    name: str
    function: Callable[..., Any]
    binding: Binding
    kind: ToolKind = "tool"
    annotation: str = ""
    publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    checks: Callable[[Mapping[str, Any]], None] | None = None

    def binding_for(self, parameters: Mapping[str, Any]) -> Binding:
        """Return the binding for these parameters, with the outputs that depend on them."""
        outputs = tuple(self.publishes(parameters)) if self.publishes else self.binding.outputs
        return replace(self.binding, outputs=outputs).resolve(parameters)

    def has_default(self, argument: str, value: Any) -> bool:
        """Return whether a value is the default of an argument."""
        return bool(inspect.signature(self.function).parameters[argument].default == value)

    @property
    def description(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True, slots=True)
class Server:
    """A named set of tools; `file` is the program that defines it, `about` describes it to an agent."""

    name: str
    file: str = ""
    about: str | None = None
    tools: dict[str, Tool] = field(default_factory=dict)

    def tool(
        self,
        output: str = "",
        *,
        publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        checks: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Callable[[Function], Function]:
        """Register a function as a tool; `publishes` returns its outputs if they depend on parameters.

        `output` is the annotation, which names inputs too; UltraRAG calls it so.
        `checks` is called with the arguments that are parameters before the first step of a run, and raises an error
        if one of them is invalid.
        """
        return self._register(output, "tool", publishes, checks)

    def prompt(self, output: str = "") -> Callable[[Function], Function]:
        """Register a function as a prompt; it returns a list of texts."""
        return self._register(output, "prompt")

    def run(self) -> None:
        """Serve MCP over standard input and output until the input ends."""
        from steelyard.pipelines.serve import serve_stdio

        serve_stdio(self)

    @property
    def folder(self) -> Path:
        """The folder of the server, servers/<name>."""
        return Path(self.file).resolve().parents[1]

    def _register(
        self,
        annotation: str,
        kind: ToolKind,
        publishes: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        checks: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            name, binding = function.__name__, _function_binding(annotation, function)
            self.tools[name] = Tool(name, function, binding, kind, annotation, publishes, checks)
            return function

        return register


def parse_annotation(annotation: str, tool: str, arguments: Sequence[str], optional: Iterable[str]) -> Binding:
    """Read an annotation `in1,in2->out1,out2`; without an arrow, each argument is fed by its own name."""
    left, arrow, right = annotation.partition("->")
    if "->" in right:
        raise ConfigError(Message("pipelines.annotation_arrows", annotation=annotation))
    names = _split_names(left) if arrow else list(arguments)
    if len(names) != len(arguments):
        message = Message("pipelines.annotation_arguments", tool=tool, arguments=len(arguments), names=len(names))
        raise ConfigError(message)
    outputs = _split_names(right if arrow else annotation)
    return Binding(dict(zip(arguments, names, strict=True)), tuple(outputs), frozenset(optional))


def _function_binding(annotation: str, function: Callable[..., Any]) -> Binding:
    parameters = inspect.signature(function).parameters
    optional = [name for name, parameter in parameters.items() if parameter.default is not inspect.Parameter.empty]
    return parse_annotation(annotation, function.__name__, list(parameters), optional)


def _split_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    return [] if names == [""] or [name.lower() for name in names] == ["none"] else names


def _mark_parameter(name: str, parameters: Mapping[str, Any]) -> str:
    return f"${name}" if name in parameters else name


_PYTHON_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
    "object": Mapping,
}
_NAMES: Mapping[str, Message] = {
    "string": Message("words.text"),
    "integer": Message("words.an_integer"),
    "number": Message("words.a_number"),
    "boolean": Message("words.true_or_false"),
    "null": Message("words.null"),
    "object": Message("words.a_mapping"),
    "anything": Message("words.anything"),
}
_PLURALS: Mapping[str, Message] = {
    "string": Message("words.texts"),
    "integer": Message("words.integers"),
    "number": Message("words.numbers"),
    "object": Message("words.mappings"),
    "array": Message("words.lists"),
    "null": Message("words.null"),
}
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON schema of the arguments of a tool; `Annotated[type, "text"]` gives one a description."""
    hints = get_type_hints(tool.function, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(tool.function).parameters.items():
        properties[name] = _described(hints.get(name, Any))
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        else:
            properties[name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def matches_type(value: Any, tool: Tool, argument: str) -> bool:
    """Return whether a value has the type of an argument of a tool."""
    return _matches(value, _schema(get_type_hints(tool.function).get(argument, Any)))


def type_name(tool: Tool, argument: str) -> Localized:
    """Return the type of an argument, in words."""
    return _words(_schema(get_type_hints(tool.function).get(argument, Any)))


def accepts_only_text(schema: Mapping[str, Any]) -> bool:
    """Return whether an argument is text, or text or null."""
    json_types = [option.get("type") for option in schema.get("anyOf", [schema])]
    return set(json_types) <= {"string", "null"} and "string" in json_types


def accepts_null(schema: Mapping[str, Any]) -> bool:
    """Return whether an argument may be null, as one without a type may."""
    return any(option.get("type", "null") == "null" for option in schema.get("anyOf", [schema]))


def _described(annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is not Annotated:
        return _schema(annotation)
    argument_type, *metadata = get_args(annotation)
    description = next((text for text in metadata if isinstance(text, str)), None)
    return _schema(argument_type) | ({"description": description} if description else {})


def _schema(annotation: Any) -> dict[str, Any]:
    """Return the JSON schema of a type: text, numbers, lists, mappings, or a union of them; empty for any other."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _JSON_TYPES:
        return {"type": _JSON_TYPES[annotation]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(option) for option in arguments]}
    if origin is list or annotation is list:
        items = _schema(arguments[0]) if arguments else {}
        return {"type": "array"} | ({"items": items} if items else {})
    if isinstance(origin or annotation, type) and issubclass(origin or annotation, Mapping):
        return {"type": "object"}
    return {}


def _matches(value: Any, schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_matches(value, option) for option in schema["anyOf"])
    json_type = schema.get("type")
    if json_type == "array":
        return isinstance(value, list) and all(_matches(item, schema.get("items", {})) for item in value)
    if json_type is None:
        return True
    return isinstance(value, _PYTHON_TYPES[json_type]) and (json_type == "boolean" or not isinstance(value, bool))


def _words(schema: Mapping[str, Any]) -> Localized:
    if "anyOf" in schema:
        return Joined("core.or", [_words(option) for option in schema["anyOf"]])
    if schema.get("type") == "array":
        return _list_of(schema["items"]) if "items" in schema else Message("words.a_list")
    return _NAMES[schema.get("type", "anything")]


def _list_of(schema: Mapping[str, Any]) -> Message:
    """Return a list and the types of its items, in words."""
    json_types = [str(option.get("type")) for option in schema.get("anyOf", [schema])]
    items = Joined("core.or", [_PLURALS.get(json_type, json_type) for json_type in json_types])
    return Message("words.a_list_of" if len(json_types) == 1 else "words.a_list_of_either", items=items)
