"""Signatures as schemas: what a tool takes, for whoever calls it, and whether a parameter fits."""

import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from steelyard.i18n import Message
from steelyard.pipelines.server import Tool

KINDS: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
    "object": Mapping,
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


def type_name(tool: Tool, argument: str) -> str:
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


def _words(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_words(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"a list of {_many(schema['items'])}" if "items" in schema else Message("words.a_list")
    names = {
        "string": "text",
        "integer": Message("words.a_whole_number"),
        "number": Message("words.a_number"),
        "object": "a mapping",
    }
    names |= {"boolean": Message("words.true_or_false")}
    kind = str(schema.get("type", "anything"))
    return names.get(kind, kind)


def _many(schema: Mapping[str, Any]) -> str:
    """What a list holds, in words."""
    kinds = [each.get("type") for each in schema.get("anyOf", [schema])]
    names = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "mappings", "array": "lists"}
    return " or ".join(names.get(str(kind), str(kind)) for kind in kinds)
