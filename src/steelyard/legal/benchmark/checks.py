"""Checks of question files: the JSON schema, contradictions between fields, and disagreements with the document."""

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from steelyard.documents.pages import Document
from steelyard.errors import Problem, cut, nearest
from steelyard.i18n import Joined, Localized, Message
from steelyard.io.located import pointer_to
from steelyard.legal.evidence.quotes import Source, quote_key, quote_pieces, source_of
from steelyard.legal.model import Fault, Fields, place_words, places_of, quotes_of
from steelyard.legal.question_types import question_schema, types_by_name
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import Day

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

    from steelyard.legal.benchmark.questions import QuestionFile

_WORDS: Final = {
    "string": Message("words.text"),
    "number": Message("words.a_number"),
    "integer": Message("words.an_integer"),
    "boolean": Message("words.true_or_false"),
    "array": Message("words.a_list"),
    "object": Message("words.an_object"),
}
_LONGEST: Final = 60
_RANGE: Final = re.compile(r"([0-9]+)(?:[-–—~]([0-9]+))?")


def faults(content: Any) -> list[Fault]:
    """Return everything that is wrong with the content of a question file."""
    # the schema reports a missing field several times
    all_faults = dict.fromkeys(fault for error in _validator().iter_errors(content) for fault in _schema_faults(error))
    broken = {fault.pointer.split("/")[2] for fault in all_faults if fault.pointer.startswith("/questions/")}
    for index, fields in questions_of(content):
        name = "" if str(index) in broken else str(fields.get("type", content.get("benchmark_type")))
        if name in types_by_name():
            own = (*_reversed_ranges(fields), *_empty_quotes(fields), *types_by_name()[name].faults(fields))
            all_faults |= dict.fromkeys(fault.below(pointer_to("questions", index)) for fault in own)
    return list(all_faults)


def questions_of(content: Any) -> Iterator[tuple[int, Any]]:
    """Return the questions in unchecked content, numbered from 0."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return iter(enumerate(questions)) if isinstance(questions, list) else iter(())


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(question_schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)


def _schema_faults(error: Any) -> Iterator[Fault]:
    keys, value, schema = list(error.absolute_path), error.instance, error.schema
    match error.validator:
        case "additionalProperties":
            known = schema["properties"]
            for key in (key for key in value if key not in known):
                hint = nearest(key, known) if known else Message("formats.points_not_expected")
                yield Fault(pointer_to(*keys, key), Message("formats.no_field_with_hint", key=key, hint=hint))
        case "required":
            for key in (key for key in error.validator_value if key not in value):
                yield Fault(pointer_to(*keys), Message("formats.field_missing", key=key))
        case "enum" if not isinstance(value, str):
            return  # reported by its type
        case keyword:
            yield Fault(pointer_to(*keys), _message(keyword, value, schema))


def _message(keyword: str, value: Any, schema: Fields) -> Message:
    """Return what is wrong with a value that does not satisfy a keyword of its schema."""
    match keyword:
        case "type":
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            names = Joined("core.or", (_WORDS[name] for name in types))
            return Message("formats.wrong_type", names=names, value=_shown(value))
        case "enum" if schema["enum"] == list(types_by_name()):
            return Message("formats.no_question_type", value=value, hint=nearest(value, schema["enum"]))
        case "enum":
            return Message("formats.not_one_of", value=_shown(value), names=", ".join(schema["enum"]))
        case "minimum" | "maximum" if "maximum" in schema:
            bounds = {"least": schema["minimum"], "largest": schema["maximum"]}
            return Message("formats.outside_bounds", **bounds, plain=_shown(value))
        case "minimum":
            return Message("formats.below_minimum", schema=schema["minimum"], value=_shown(value))
        case "exclusiveMinimum":
            return Message("formats.wrong_type", names=Message("words.a_number_above_0"), value=_shown(value))
        case "format":
            return Message("formats.not_date", value=cut(value, _LONGEST))
        case "pattern" if value.strip():
            return Message("formats.wrong_form", value=_shown(value), example=schema["examples"][0])
        case "minItems" if value:
            return Message("formats.too_few_entries", schema=schema["minItems"], value=len(value))
    return Message("formats.not_empty")


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text, _LONGEST)


def _reversed_ranges(fields: Fields) -> Iterator[Fault]:
    """Yield ranges of days or lines that end before they begin."""
    days = fields.get("expected", {}).get("date_range")
    if days and days["start"] > days["end"]:
        yield Fault("/expected/date_range", Message("formats.range_reversed", start=days["start"], end=days["end"]))
    for pointer, location in places_of(fields).items():
        for first, last in _ranges(location.get("lines", "")):
            if first > last:
                yield Fault(f"{pointer}/lines", Message("formats.range_reversed", start=first, end=last))


def _ranges(lines: str) -> list[tuple[int, int]]:
    """Return the ranges of lines that a question names; one line is a range too."""
    return [(int(first), int(last or first)) for first, last in _RANGE.findall(lines)]


def _empty_quotes(fields: Fields) -> Iterator[Fault]:
    """Yield quotations that every answer has: of blanks, or of nothing but words of the question."""
    question = quote_key(fields["question"])
    for pointer, quote in quotes_of(fields).items():
        pieces = quote_pieces(quote)
        if all(piece in question for piece in pieces):
            yield Fault(pointer, Message("formats.quotation_of_question" if pieces else "formats.quotation_empty"))


class Misplaced(NamedTuple):
    """A place whose words stand on other pages than the one that a question names."""

    pointer: str
    page: int
    pages: Sequence[int]


def misplaced(file: "QuestionFile", source: Source) -> Iterator[Misplaced]:
    """Yield the places of a question file whose words are not on their page; `pages` is where they stand instead."""
    for index, question in enumerate(file.questions):
        for place in misplaced_of(question.fields, source):
            yield place._replace(pointer=f"/questions/{index}{place.pointer}")


def misplaced_of(fields: Fields, source: Source) -> Iterator[Misplaced]:
    """Yield the same for one question."""
    for pointer, place in places_of(fields).items():
        words = place_words(fields, pointer)
        pages = source.pages_with(words) if words else ()
        if pages and place["page"] not in pages:
            yield Misplaced(pointer, place["page"], pages)


LOCATION: Final = "/evidence_location"
"""The place whose lines may be named."""


def right_lines(fields: Fields, source: Source, page: int) -> list[str]:
    """Return where the words of the evidence location stand on this page, if it names other lines."""
    named = _ranges(fields["evidence_location"].get("lines", ""))
    found = source.lines_with(place_words(fields, LOCATION), page) if named else []
    for start, end in found:
        if any(first <= end and start <= last for first, last in named):
            return []
    return [str(start) if start == end else f"{start}-{end}" for start, end in dict.fromkeys(found)]


FEWEST: Final = 4
"""Shorter texts match by chance."""

_CHECKS = re.compile(r"must_not_(?:provide|invent)_\w+|must_report_conflict")
_NAMES: Final = ("entity", "text_answer")
_KINDS: Final = {"amount_total": ("money", "number"), "count": ("count",)}
"""Expected fields, and the kinds of values that they can be."""
_UNITS: Final = {
    "header": Message("words.the_header"),
    "question": Message("words.a_question"),
    "answer": Message("words.an_answer"),
    "line": Message("words.a_separate_line"),
}


def lint(file: "QuestionFile", document: Document) -> list[Problem]:
    """Return warnings about the questions of a file; they can be scored all the same."""
    source = source_of(document)
    faults = [
        fault.below(f"/questions/{index}")
        for index, question in enumerate(file.questions)
        for fault in _warnings(question.fields, source)
    ]
    return [fault.problem(file.source_map) for fault in (*faults, *_free_checks(file))]


def _free_checks(file: "QuestionFile") -> Iterator[Fault]:
    """Yield the first check in words of the author's own, with the number of them, and each unknown name."""
    free = {}
    for index, question in enumerate(file.questions):
        check = question.fields.get("scoring", {}).get("hallucination_check")
        if check is None or _CHECKS.fullmatch(check):
            continue
        pointer = f"/questions/{index}/scoring/hallucination_check"
        if check.startswith("must_not_"):
            free[pointer] = check
        else:
            yield Fault(pointer, Message("legal.unknown_check", check=check))
    for pointer, check in islice(free.items(), 1):
        yield Fault(pointer, Message("legal.free_checks", check=check, questions=Message("cli.questions", n=len(free))))


def _warnings(fields: Fields, source: Source) -> Iterator[Fault]:
    places, document = places_of(fields), source.document
    yield from _expected(fields)
    yield from types_by_name()[fields["type"]].warnings(fields)
    misplaced_at = {wrong.pointer: wrong for wrong in misplaced_of(fields, source)}
    for pointer, place in places.items():
        if document.is_paged and place["page"] not in source.pages and pointer not in misplaced_at:
            yield Fault(f"{pointer}/page", Message("legal.no_page", number=place["page"], name=document.name))
        elif "must_include" in place:
            yield from _passage(pointer, place, source)
    for pointer, quote in quotes_of(fields).items():
        yield from (Fault(pointer, message) for message in _quotation(quote, source))
    if LOCATION in places:
        yield from _lines(fields, source, misplaced_at.get(LOCATION))
    for wrong in misplaced_at.values():
        names = ", ".join(map(str, wrong.pages))
        yield Fault(f"{wrong.pointer}/page", Message("legal.not_page_but_page", number=wrong.page, names=names))


def _lines(fields: Fields, source: Source, wrong: Misplaced | None) -> Iterator[Fault]:
    """Yield the right lines, unless the words stand on several other pages."""
    location = fields["evidence_location"]
    pages = wrong.pages if wrong else [location["page"]]
    lines = right_lines(fields, source, pages[0])
    if lines and len(pages) == 1:
        message = Message("legal.not_line_but_line", lines=location["lines"], names=", ".join(lines))
        yield Fault(f"{LOCATION}/lines", message)


def _passage(pointer: str, item: Fields, source: Source) -> Iterator[Fault]:
    """Check one required passage: in the document, only once on its page, long enough, and with the right speaker."""
    words = item["must_include"]
    key, pages = quote_key(words), source.pages_with(words)
    if len(key) < FEWEST:
        yield Fault(f"{pointer}/must_include", Message("legal.passage_too_short", key=len(key), fewest=FEWEST))
        return
    if not source.key.holds(words):
        yield Fault(f"{pointer}/must_include", _nowhere(item["page"], source.document))
        return
    where = [source.pages[number] for number in pages if number == item["page"]]
    where = where or [source.pages[number] for number in pages] or list(source.pages.values())
    times = max(page.key.count(key) for page in where)
    if times > 1 and source.document.is_paged:
        yield Fault(
            f"{pointer}/must_include", Message("legal.stands_times_page", times=times, number=where[0].page.number)
        )
    kinds = list(dict.fromkeys(kind for page in where for kind in page.kinds(words)))
    yield from _other_unit(pointer, item, kinds)


def _nowhere(number: int, document: Document) -> Message:
    if document.is_paged:
        return Message("legal.on_no_page", number=number, name=document.name)
    return Message("legal.nowhere_in", name=document.name)


def _other_unit(pointer: str, item: Fields, kinds: Sequence[str]) -> Iterator[Fault]:
    """Yield a speaker or section that differs from the document; words that span several units have no kind."""
    actual = Joined("core.and", [_UNITS[kind] for kind in kinds]) if kinds else Message("words.several_units")
    speaker, section = item.get("speaker"), item.get("section")
    wrong: dict[str, Localized] = {}
    if speaker is not None and speaker not in kinds:
        wrong["speaker"] = _UNITS[speaker]
    if section == "header" and "header" not in kinds:
        wrong["section"] = _UNITS["header"]
    if section == "qa_pair" and kinds and not {"question", "answer"} & set(kinds):
        wrong["section"] = Message("words.a_question_or_an_answer")
    for field, units in wrong.items():
        yield Fault(f"{pointer}/{field}", Message("legal.stands_not", found=actual, units=units))


def _quotation(quote: str, source: Source) -> Iterator[Message]:
    pieces = quote_pieces(quote)
    missing = [piece for piece in pieces if source.key.find([piece]) < 0]
    if missing:
        yield from (Message("legal.not", piece=piece, name=source.document.name) for piece in missing)
    elif not source.key.holds(quote):
        yield Message("legal.pieces_in_other_order", name=source.document.name)


def _expected(fields: Fields) -> Iterator[Fault]:
    """Yield expected answers that the question already contains, or that are not in the listed evidence."""
    evidence = [item["must_include"] for item in fields.get("required_evidence", ())]
    aliases = [*fields.get("aliases", ()), *fields.get("entity_aliases", ())]
    for name, value in fields.get("expected", {}).items():
        if name == "text_answer" and "boolean_answer" in fields["expected"]:
            continue  # it only explains
        if _states(name, value, fields["question"]):
            yield Fault(f"/expected/{name}", Message("legal.question_says_already"))
            continue
        # a number or a day may follow from several passages
        forms = [value, *aliases] if name in _NAMES else [value] if len(evidence) == 1 else []
        listed = "\n".join([*evidence, *quotes_of(fields).values()])
        if evidence and forms and all(_states(name, form, listed, loosely=True) is False for form in forms):
            yield Fault(f"/expected/{name}", Message("legal.expected_not_in_evidence"))


def _states(name: str, value: Any, text: str, *, loosely: bool = False) -> bool | None:
    """Return whether a text has the value of a field, loosely also without a unit or a year; None for other fields."""
    values = mentions(normalise(text))
    if name in _NAMES:
        return len(quote_key(value)) > 1 and quote_key(value) in quote_key(text)
    if name == "date":
        days = [each.value for each in values if isinstance(each.value, Day)]
        return any(day.agrees(Day(*map(int, value.split("-")))) for day in days if loosely or day.is_whole)
    if name not in _KINDS:
        return None
    kinds = (*_KINDS[name], "number") if loosely else _KINDS[name]
    return any(each.kind in kinds and each.value == Decimal(str(value)) for each in values)
