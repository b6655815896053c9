"""The types of questions, each a module of this package, which is found by its being here.

A type is a subclass of `legal.model.Question`. To add one: write its module, and put its label and those of its parts
into the catalogues; `make docs` adds its fields to `benchmark/schema.json`. The judges are not imported here.
"""

import json
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from steelyard.errors import UnknownName
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.legal.model import Question


@cache
def types_by_name() -> "Mapping[str, type[Question]]":
    """Return the types by their names in question files, in the order of reports."""
    from steelyard.legal.model import Question

    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    classes = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Question) and value.__module__ == module.__name__
    ]
    return {kind.type: kind for kind in sorted(classes, key=lambda kind: kind.order)}


def question_types() -> "tuple[type[Question], ...]":
    """Return all types, in the order of reports."""
    return tuple(types_by_name().values())


def type_of_parts(parts: Collection[str]) -> "type[Question] | None":
    """Return the type whose items have these parts; None if there is none."""
    return next((kind for kind in question_types() if kind.key_parts.issubset(parts)), None)


def counted_parts(
    parts: Mapping[str, float], score: float, reached: Mapping[str, bool]
) -> dict[str, tuple[float, float]]:
    """Return the parts that count in a score, each with its weight and the value that counts; empty if of no type."""
    kind = type_of_parts(parts)
    if kind is None:
        return {}
    counted = kind.counted(parts, score, reached)
    return {part: (weight, counted[part]) for part, weight in kind.weights(parts).items()}


@cache
def part_labels() -> Mapping[str, Message]:
    """Return the parts of legal scores with their labels, in the order of reports."""
    from steelyard.legal.model import COMMON_PARTS

    names = [*(part for kind in question_types() for part in kind.parts), *COMMON_PARTS]
    return {name: Message(f"parts.{name}") for name in names}


@cache
def question_schema() -> Mapping[str, Any]:
    """Return the JSON schema of question files, of which `benchmark/schema.json` is a copy.

    `common.json` has what all types have in common; the types themselves add the rest.
    """
    schema: dict[str, Any] = json.loads(Path(__file__).with_name("common.json").read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    question = definitions["question"]
    definitions["type"]["enum"] = list(types_by_name())
    schema["allOf"], question["allOf"] = [], []
    for kind in question_types():
        definitions[kind.type] = kind.schema
        for field in kind.schema["properties"]:
            question["properties"].setdefault(field, {})
        rule = {"$ref": f"#/$defs/{kind.type}"}
        untyped = {"properties": {"questions": {"items": {"if": {"$ref": "#/$defs/untyped"}, "then": rule}}}}
        question["allOf"].append({"if": _has("type", kind.type), "then": rule})
        schema["allOf"].append({"if": _has("benchmark_type", kind.type), "then": untyped})
    return schema


def _has(field: str, value: str) -> dict[str, Any]:
    return {"required": [field], "properties": {field: {"const": value}}}


def question_of(
    fields: Mapping[str, Any], *, document: str = "", criteria: Mapping[str, Any] | None = None, where: str = ""
) -> "Question":
    """Return the question that the fields of a question file describe; `type` is among them."""
    from steelyard.legal.model import about_of

    name = fields.get("type", "")
    kind = types_by_name().get(name)
    if kind is None:
        raise UnknownName.of(Message("words.question_type"), str(name), types_by_name(), where=where or None)
    return kind.parse(fields, about_of(kind, fields, document, criteria or {}, where))
