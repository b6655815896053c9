"""Checks of question files: the JSON schema, and contradictions that a schema cannot express."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import cut, nearest
from steelyard.i18n import Joined, Message
from steelyard.io.located import pointer_to
from steelyard.legal.evidence.quotes import quote_key, quote_pieces
from steelyard.legal.model import Fault, Fields, places_of, quotes_of
from steelyard.legal.question_types import TYPES, question_schema, question_type
from steelyard.resources import bundled

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_WORDS: Final = {
    "string": Message("words.text"),
    "number": Message("words.a_number"),
    "integer": Message("words.an_integer"),
    "boolean": Message("words.true_or_false"),
    "array": Message("words.a_list"),
    "object": Message("words.an_object"),
}
_LONGEST: Final = 60
_RANGE: Final = re.compile(r"([0-9]+)[-–—~]([0-9]+)")


def benchmark_folder() -> Path:
    """The folder of the bundled benchmark."""
    return bundled("benchmark")


def faults(content: Any) -> list[Fault]:
    """Everything that is wrong with the content of a question file."""
    # the schema reports a missing field several times
    found = dict.fromkeys(fault for error in _validator().iter_errors(content) for fault in _schema_faults(error))
    broken = {fault.pointer.split("/")[2] for fault in found if fault.pointer.startswith("/questions/")}
    for index, fields in questions_of(content):
        name = "" if str(index) in broken else str(fields.get("type", content.get("benchmark_type")))
        if name in TYPES:
            own = (*_reversed_ranges(fields), *_empty_quotes(fields), *question_type(name).faults(fields))
            found |= dict.fromkeys(fault.below(pointer_to("questions", index)) for fault in own)
    return list(found)


def questions_of(content: Any) -> Iterator[tuple[int, Any]]:
    """The questions in unchecked content, numbered from 0."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return iter(enumerate(questions)) if isinstance(questions, list) else iter(())


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    schema = question_schema()
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


def _schema_faults(error: Any) -> Iterator[Fault]:
    """The faults that an error of the schema validator describes."""
    keys, value, schema = list(error.absolute_path), error.instance, error.schema
    match error.validator:
        case "additionalProperties":
            known = schema["properties"]
            for key in (key for key in value if key not in known):
                message = Message("formats.no_field_with_hint", key=key, hint=nearest(key, known))
                yield Fault(pointer_to(*keys, key), message)
        case "required":
            for key in (key for key in error.validator_value if key not in value):
                yield Fault(pointer_to(*keys), Message("formats.field_missing", key=key))
        case "enum" if not isinstance(value, str):
            return  # reported by its type
        case keyword:
            yield Fault(pointer_to(*keys), _message(keyword, value, schema))


def _message(keyword: str, value: Any, schema: Fields) -> Message:
    """What is wrong with a value that does not satisfy a keyword of its schema."""
    match keyword:
        case "type":
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            names = Joined("core.or", (_WORDS[name] for name in types))
            return Message("formats.wrong_type", names=names, value=_shown(value))
        case "enum" if set(schema["enum"]) == set(TYPES):
            return Message("formats.no_question_type", value=value, hint=nearest(value, schema["enum"]))
        case "enum":
            return Message("formats.not_one_of", value=_shown(value), names=", ".join(schema["enum"]))
        case "minimum" | "maximum" if "maximum" in schema:
            bounds = {"least": schema["minimum"], "largest": schema["maximum"]}
            return Message("formats.outside_bounds", **bounds, plain=_shown(value))
        case "minimum":
            return Message("formats.below_minimum", schema=schema["minimum"], value=_shown(value))
        case "format":
            return Message("formats.not_date", value=cut(value, _LONGEST))
        case "pattern" if value.strip():
            return Message("formats.wrong_form", value=_shown(value), example=schema["examples"][0])
        case "minItems" if value:
            return Message("formats.too_few_entries", schema=schema["minItems"], value=len(value))
    return Message("formats.not_empty")


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _reversed_ranges(fields: Fields) -> Iterator[Fault]:
    """Ranges of days or lines that end before they begin."""
    days = fields.get("expected", {}).get("date_range")
    if days and days["start"] > days["end"]:
        yield Fault("/expected/date_range", Message("formats.range_reversed", start=days["start"], end=days["end"]))
    for pointer, location in places_of(fields).items():
        for first, last in _RANGE.findall(location.get("lines", "")):
            if int(first) > int(last):
                yield Fault(f"{pointer}/lines", Message("formats.range_reversed", start=first, end=last))


def _empty_quotes(fields: Fields) -> Iterator[Fault]:
    """Quotations that every answer has: of blanks, or of nothing but words of the question."""
    question = quote_key(fields["question"])
    for pointer, quote in quotes_of(fields).items():
        pieces = quote_pieces(quote)
        if all(piece in question for piece in pieces):
            yield Fault(pointer, Message("formats.quotation_of_question" if pieces else "formats.quotation_empty"))
