"""Checks of question files: the JSON schema, and contradictions that a schema cannot express."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError, cut, nearest
from steelyard.i18n import Joined, Message
from steelyard.io.located import pointer_to
from steelyard.legal.model import Fault, Fields
from steelyard.legal.question_types import TYPES, question_type
from steelyard.resources import bundled

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_WORDS = {
    "string": Message("words.text"),
    "number": Message("words.a_number"),
    "integer": Message("words.an_integer"),
    "boolean": Message("words.true_or_false"),
    "array": Message("words.a_list"),
    "object": Message("words.an_object"),
}
_LONGEST = 60


def benchmark_folder() -> Path:
    """The folder of the bundled benchmark."""
    return bundled("benchmark")


def faults(content: Any) -> list[Fault]:
    """Everything that is wrong with the content of a question file."""
    # the schema reports a missing field several times
    schema_faults = dict.fromkeys(fault for error in _validator().iter_errors(content) for fault in _fault(error))
    broken = {fault.pointer.split("/")[2] for fault in schema_faults if fault.pointer.startswith("/questions/")}
    valid = {index: fields for index, fields in questions_of(content) if str(index) not in broken}
    return [
        *schema_faults,
        *(fault for index, fields in valid.items() for fault in _contradictions(index, fields, content)),
    ]


def questions_of(content: Any) -> Iterator[tuple[int, Any]]:
    """The questions in unchecked content, numbered from 0."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return iter(enumerate(questions)) if isinstance(questions, list) else iter(())


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    path = benchmark_folder() / "schema.json"
    if not path.is_file():
        raise SteelyardError(
            Message("formats.question_schema_missing"),
            where=str(path),
            hint=Message("formats.reinstall_hint"),
        )
    schema = json.loads(path.read_text(encoding="utf-8"))
    whole = _resolved(schema, schema["$defs"])
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _resolved(schema: Any, definitions: Fields) -> Any:
    """The schema with every definition where it is referred to: the validator would look it up for every value."""
    match schema:
        case {"$ref": str(name), **others}:
            return _resolved({**definitions[name.removeprefix("#/$defs/")], **others}, definitions)
        case dict():
            return {key: _resolved(value, definitions) for key, value in schema.items()}
        case list():
            return [_resolved(value, definitions) for value in schema]
    return schema


def _fault(error: Any) -> Iterator[Fault]:
    """The faults that an error of the schema validator describes."""
    keys = list(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        for key in error.instance:
            if key not in known:
                yield Fault(
                    pointer_to(*keys, key), Message("formats.no_field_with_hint", key=key, hint=nearest(key, known))
                )
    elif error.validator == "required":
        missing = (key for key in error.validator_value if key not in error.instance)
        yield from (Fault(pointer_to(*keys), Message("formats.field_missing", key=key)) for key in missing)
    elif error.validator != "enum" or isinstance(error.instance, str):  # other values are reported by their type
        yield Fault(pointer_to(*keys), _MESSAGES[error.validator](error.instance, error.schema))


def _message_type(value: Any, schema: Fields) -> Message:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return Message("formats.wrong_type", names=Joined("core.or", (_WORDS[name] for name in types)), value=_shown(value))


def _message_enum(value: Any, schema: Fields) -> Message:
    known = schema["enum"]
    if set(known) == set(TYPES):
        return Message("formats.no_question_type", value=value, hint=nearest(value, known))
    return Message("formats.not_one_of", value=_shown(value), names=", ".join(known))


def _message_bounds(value: Any, schema: Fields) -> Message:
    if "maximum" in schema:
        return Message(
            "formats.outside_bounds", least=schema["minimum"], largest=schema["maximum"], plain=_shown(value)
        )
    return Message("formats.below_minimum", schema=schema["minimum"], value=_shown(value))


def _message_pattern(value: Any, schema: Fields) -> Message:
    if not value.strip():
        return Message("formats.not_empty")
    return Message("formats.wrong_form", value=_shown(value), example=schema["examples"][0])


def _message_length(value: Any, schema: Fields) -> Message:
    if not value:
        return Message("formats.not_empty")
    return Message("formats.too_few_entries", schema=schema["minItems"], value=len(value))


def _message_date(value: Any, schema: Fields) -> Message:
    return Message("formats.not_date", value=cut(value, _LONGEST))


_MESSAGES: dict[str, Callable[[Any, Fields], Message]] = {
    "type": _message_type,
    "enum": _message_enum,
    "minimum": _message_bounds,
    "maximum": _message_bounds,
    "pattern": _message_pattern,
    "minItems": _message_length,
    "minProperties": _message_length,
    "format": _message_date,
}


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _contradictions(index: int, fields: Fields, content: Fields) -> Iterator[Fault]:
    """Contradictions in a question whose fields are valid one by one."""
    name = str(fields.get("type", content.get("benchmark_type")))
    if name in TYPES:
        for fault in question_type(name).faults(fields):
            yield fault.below(pointer_to("questions", index))
