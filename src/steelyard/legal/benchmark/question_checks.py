"""What is wrong with a file of questions: what its schema says, and what a schema cannot say."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from steelyard.errors import Problem, SteelyardError, nearest
from steelyard.i18n import Joined, Message
from steelyard.io.located import Places, pointer_to
from steelyard.resources import bundled

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Fields = Mapping[str, Any]

_WORDS = {
    "string": Message("words.text"),
    "number": Message("words.a_number"),
    "integer": Message("words.an_integer"),
    "boolean": Message("words.true_or_false"),
    "array": Message("words.a_list"),
    "object": Message("words.an_object"),
}
_RANGE = re.compile(r"([0-9]+)[-–—~]([0-9]+)")
_LONGEST = 60


class Fault(NamedTuple):
    """A bad value: the JSON pointer to it, and what is wrong."""

    pointer: str
    message: Message

    def below(self, pointer: str) -> "Fault":
        """The same fault in a value that is part of another."""
        return Fault(pointer + self.pointer, self.message)

    def problem(self, places: Places) -> Problem:
        """The fault with its place in the file."""
        named = Message("formats.field_fault", pointer=self.pointer, message=self.message)
        return Problem(places.place(self.pointer), named if self.pointer else self.message)


def benchmark_folder() -> Path:
    """The benchmark that comes with the package."""
    return bundled("benchmark")


def faults(content: Any) -> list[Fault]:
    """All that is wrong with the content of a question file."""
    # a field that is missing is told as often as others are
    found = dict.fromkeys(fault for error in _validator().iter_errors(content) for fault in _fault(error))
    broken = {fault.pointer.split("/")[2] for fault in found if fault.pointer.startswith("/questions/")}
    whole = {index: fields for index, fields in questions_of(content) if str(index) not in broken}
    return [*found, *(fault for index, fields in whole.items() for fault in _contradictions(index, fields, content))]


def questions_of(content: Any) -> Iterator[tuple[int, Any]]:
    """The questions in content that may be anything, numbered from 0."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return iter(enumerate(questions)) if isinstance(questions, list) else iter(())


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    path = benchmark_folder() / "schema.json"
    if not path.is_file():
        raise SteelyardError(
            Message("formats.schema_questions_missing"),
            where=str(path),
            hint=Message("formats.install_steelyard_again"),
        )
    schema = json.loads(path.read_text(encoding="utf-8"))
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _fault(error: Any) -> Iterator[Fault]:
    """An error of the schema in our words."""
    keys = list(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        for key in error.instance:
            if key not in known:
                yield Fault(pointer_to(*keys, key), Message("formats.no_field", key=key, hint=nearest(key, known)))
    elif error.validator == "required":
        missing = (key for key in error.validator_value if key not in error.instance)
        yield from (Fault(pointer_to(*keys), Message("formats.field_missing", key=key)) for key in missing)
    elif error.validator != "enum" or isinstance(error.instance, str):  # what is no text is told by its type
        yield Fault(pointer_to(*keys), _SAYINGS[error.validator](error.instance, error.schema))


def _say_type(value: Any, schema: Fields) -> Message:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return Message("formats.not", names=Joined("core.or", (_WORDS[name] for name in types)), value=_shown(value))


def _say_enum(value: Any, schema: Fields) -> Message:
    known = schema["enum"]
    if "fact_exact" in known:
        return Message("formats.no_question_type", value=value, hint=nearest(value, known))
    return Message("formats.not_one", value=_shown(value), names=", ".join(known))


def _say_bounds(value: Any, schema: Fields) -> Message:
    if "maximum" in schema:
        return Message(
            "formats.outside_bounds", least=schema["minimum"], largest=schema["maximum"], plain=_shown(value)
        )
    return Message("formats.least_not", schema=schema["minimum"], value=_shown(value))


def _say_pattern(value: Any, schema: Fields) -> Message:
    if not value.strip():
        return Message("formats.not_empty")
    return Message("formats.not_form", value=_shown(value), value_2=schema["examples"][0])


def _say_length(value: Any, schema: Fields) -> Message:
    if not value:
        return Message("formats.not_empty")
    return Message("formats.least_entries_needed_not", schema=schema["minItems"], value=len(value))


def _say_date(value: Any, schema: Fields) -> Message:
    return Message("formats.not_date", value=_shown(value))


_SAYINGS: dict[str, Callable[[Any, Fields], Message]] = {
    "type": _say_type,
    "enum": _say_enum,
    "minimum": _say_bounds,
    "maximum": _say_bounds,
    "pattern": _say_pattern,
    "minItems": _say_length,
    "minProperties": _say_length,
    "format": _say_date,
}


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _contradictions(index: int, fields: Fields, content: Fields) -> Iterator[Fault]:
    """What no schema can say of a question whose fields are right one by one."""
    checks = _CHECKS.get(str(fields.get("type", content.get("benchmark_type"))), ())
    for check in checks:
        for fault in check(fields, fields.get("expected", {}), fields.get("scoring", {})):
            yield fault.below(pointer_to("questions", index))


def _check_dates(fields: Fields, expected: Fields, scoring: Fields) -> Iterator[Fault]:
    dates = expected.get("date_range")
    if dates and dates["start"] > dates["end"]:
        yield Fault(
            "/expected/date_range",
            Message("formats.range_ends_before_begins", dates=dates["start"], dates_2=dates["end"]),
        )


def _check_citation(fields: Fields, expected: Fields, scoring: Fields) -> Iterator[Fault]:
    if scoring.get("citation_required") and not fields.get("required_evidence"):
        yield Fault("/scoring/citation_required", Message("formats.citation_required_no_required_evidence"))


def _check_quote(fields: Fields, expected: Fields, scoring: Fields) -> Iterator[Fault]:
    if "required_quote" not in fields:
        if scoring.get("quote_required"):
            yield Fault("/scoring/quote_required", Message("formats.quotation_required_no_required_quote"))
        if fields.get("additional_quotes"):
            yield Fault("/additional_quotes", Message("formats.no_required_quote_whose_place"))


def _check_lines(fields: Fields, expected: Fields, scoring: Fields) -> Iterator[Fault]:
    located = {"/evidence_location": fields.get("evidence_location", {})}
    located |= {f"/additional_evidence/{n}": place for n, place in enumerate(fields.get("additional_evidence", ()))}
    for pointer, place in located.items():
        for first, last in _RANGE.findall(place.get("lines", "")):
            if int(first) > int(last):
                yield Fault(f"{pointer}/lines", Message("formats.range_ends_before_begins", dates=first, dates_2=last))


def _check_abstention(fields: Fields, expected: Fields, scoring: Fields) -> Iterator[Fault]:
    """Whether to abstain is said once, or the same wherever it is said."""
    inside = expected.get("should_abstain")
    should = fields.get("should_abstain", inside)
    if should is None:
        yield Fault("", Message("formats.field_missing", key="should_abstain"))
    elif inside not in (None, should):
        yield Fault("/expected/should_abstain", Message("formats.contradicts_should_abstain_question"))
    elif scoring.get("abstention_required", should) != should:
        yield Fault("/scoring/abstention_required", Message("formats.contradicts_should_abstain_question"))


_CHECKS: dict[str, tuple[Callable[[Fields, Fields, Fields], Iterator[Fault]], ...]] = {
    "fact_exact": (_check_dates, _check_citation, _check_lines),
    "evidence_set": (_check_lines,),
    "conflict_gap": (_check_dates, _check_quote, _check_lines, _check_abstention),
}
