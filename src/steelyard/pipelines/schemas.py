"""JSON schemas of tools, from the signatures of their functions, and checks of values against them."""

import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from steelyard.i18n import Joined, Localized, Message
from steelyard.pipelines.server import Tool

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
    """The JSON schema of the arguments of a tool; `Annotated[type, "text"]` gives one a description."""
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
    """Whether a value has the type of an argument of a tool."""
    return _matches(value, _schema(get_type_hints(tool.function).get(argument, Any)))


def type_name(tool: Tool, argument: str) -> Localized:
    """The type of an argument, in words."""
    return _words(_schema(get_type_hints(tool.function).get(argument, Any)))


def accepts_only_text(schema: Mapping[str, Any]) -> bool:
    """Whether an argument is text, or text or null."""
    json_types = [option.get("type") for option in schema.get("anyOf", [schema])]
    return set(json_types) <= {"string", "null"} and "string" in json_types


def accepts_null(schema: Mapping[str, Any]) -> bool:
    """Whether an argument may be null, as one without a type may."""
    return any(option.get("type", "null") == "null" for option in schema.get("anyOf", [schema]))


def _described(annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is not Annotated:
        return _schema(annotation)
    argument_type, *metadata = get_args(annotation)
    description = next((text for text in metadata if isinstance(text, str)), None)
    return _schema(argument_type) | ({"description": description} if description else {})


def _schema(annotation: Any) -> dict[str, Any]:
    """The JSON schema of a type: text, numbers, lists, mappings, or a union of them; empty for any other."""
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
    """A list and the types of its items, in words."""
    json_types = [str(option.get("type")) for option in schema.get("anyOf", [schema])]
    items = Joined("core.or", [_PLURALS.get(json_type, json_type) for json_type in json_types])
    return Message("words.a_list_of" if len(json_types) == 1 else "words.a_list_of_either", items=items)
