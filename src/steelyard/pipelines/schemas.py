"""Signatures as schemas: what a tool takes, for whoever calls it, and whether a parameter fits."""

import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from steelyard.i18n import Joined, Localized, Message
from steelyard.pipelines.server import Tool

KINDS: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
    "object": Mapping,
}
_NAMES: Mapping[str, Message] = {
    "string": Message("words.text"),
    "integer": Message("words.a_whole_number"),
    "number": Message("words.a_number"),
    "boolean": Message("words.true_or_false"),
    "null": Message("words.null"),
    "object": Message("words.a_mapping"),
    "anything": Message("words.anything"),
}
_PLURALS: Mapping[str, Message] = {
    "string": Message("words.texts"),
    "integer": Message("words.whole_numbers"),
    "number": Message("words.numbers"),
    "object": Message("words.mappings"),
    "array": Message("words.lists"),
    "null": Message("words.null"),
}
SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def input_schema(tool: Tool) -> dict[str, Any]:
    """The arguments of a tool as JSON Schema; `Annotated[type, "words"]` describes one."""
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


def fits(value: Any, tool: Tool, argument: str) -> bool:
    """Whether a value is of the type that an argument of a tool of ours has."""
    return _fits(value, _schema(get_type_hints(tool.function).get(argument, Any)))


def type_name(tool: Tool, argument: str) -> Localized:
    """The type of an argument, in words."""
    return _words(_schema(get_type_hints(tool.function).get(argument, Any)))


def takes_text(schema: Mapping[str, Any]) -> bool:
    """Whether an argument is text and nothing else, but for null."""
    kinds = [each.get("type") for each in schema.get("anyOf", [schema])]
    return set(kinds) <= {"string", "null"} and "string" in kinds


def takes_null(schema: Mapping[str, Any]) -> bool:
    """Whether an argument may be none; one of no stated type may be."""
    return any(each.get("type", "null") == "null" for each in schema.get("anyOf", [schema]))


def _described(annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is not Annotated:
        return _schema(annotation)
    kind, *notes = get_args(annotation)
    words = next((note for note in notes if isinstance(note, str)), None)
    return _schema(kind) | ({"description": words} if words else {})


def _schema(annotation: Any) -> dict[str, Any]:
    """A type of JSON: text, numbers, lists and mappings of them, or one of several."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in SIMPLE:
        return {"type": SIMPLE[annotation]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(each) for each in arguments]}
    if origin is list or annotation is list:
        items = _schema(arguments[0]) if arguments else {}
        return {"type": "array"} | ({"items": items} if items else {})
    if isinstance(origin or annotation, type) and issubclass(origin or annotation, Mapping):
        return {"type": "object"}
    return {}


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, each) for each in schema["anyOf"])
    kind = schema.get("type")
    if kind == "array":
        return isinstance(value, list) and all(_fits(each, schema.get("items", {})) for each in value)
    return kind is None or (isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)))


def _words(schema: Mapping[str, Any]) -> Localized:
    if "anyOf" in schema:
        return Joined("core.or", [_words(each) for each in schema["anyOf"]])
    if schema.get("type") == "array":
        return _list_of(schema["items"]) if "items" in schema else Message("words.a_list")
    return _NAMES[schema.get("type", "anything")]


def _list_of(schema: Mapping[str, Any]) -> Message:
    """A list and what it holds, in words."""
    kinds = [str(each.get("type")) for each in schema.get("anyOf", [schema])]
    items = Joined("core.or", [_PLURALS.get(kind, kind) for kind in kinds])
    return Message("words.a_list_of" if len(kinds) == 1 else "words.a_list_of_either", items=items)
