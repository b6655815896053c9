"""The types of questions: one module for each type, and the table of them.

A type is a subclass of `legal.model.Question`. To add one: write its module, add it to `TYPES`, and put the labels of
its parts into the catalogues; `make docs` adds its fields to `benchmark/schema.json`. The judges are not imported here.
"""

import json
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import UnknownName
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.legal.model import Question

TYPES: Final = {
    "fact_exact": "fact.FactQuestion",
    "evidence_set": "evidence.EvidenceQuestion",
    "conflict_gap": "gap.GapQuestion",
}
"""The module and class of each type, by its name in question files; in the order of reports."""


@cache
def question_types() -> "tuple[type[Question], ...]":
    """All types, in the order of the table."""
    return tuple(map(question_type, TYPES))


@cache
def question_type(name: str) -> "type[Question]":
    """The type of this name."""
    module, _, attribute = TYPES[name].partition(".")
    cls: type[Question] = getattr(import_module(f"{__name__}.{module}"), attribute)
    return cls


def type_of_parts(parts: Collection[str]) -> "type[Question] | None":
    """The type whose items have these parts; None if there is none."""
    return next((kind for kind in question_types() if kind.key_parts.issubset(parts)), None)


def counted_parts(
    parts: Mapping[str, float], score: float, reached: Mapping[str, bool]
) -> dict[str, tuple[float, float]]:
    """The parts that count in a score, each with its weight and the value that counts; empty if no type has them."""
    kind = type_of_parts(parts)
    if kind is None:
        return {}
    counted = kind.counted(parts, score, reached)
    return {part: (weight, counted[part]) for part, weight in kind.weights(parts).items()}


@cache
def part_labels() -> Mapping[str, Message]:
    """The parts of legal scores with their labels, in the order of reports."""
    from steelyard.legal.formulas import COMMON_PARTS

    names = [*(part for kind in question_types() for part in kind.parts), *COMMON_PARTS]
    return {name: Message(f"parts.{name}") for name in names}


@cache
def question_schema() -> Mapping[str, Any]:
    """The JSON schema of question files, of which `benchmark/schema.json` is a copy.

    `common.json` has what all types have in common; the types themselves add the rest.
    """
    schema: dict[str, Any] = json.loads(Path(__file__).with_name("common.json").read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    question = definitions["question"]
    definitions["type"]["enum"] = list(TYPES)
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
    """The question that the fields of a question file describe; `type` is among them."""
    from steelyard.legal.model import about_of

    name = fields.get("type", "")
    if name not in TYPES:
        raise UnknownName.of(Message("words.question_type"), str(name), TYPES, where=where or None)
    kind = question_type(name)
    return kind.parse(fields, about_of(kind, fields, document, criteria or {}, where))
