"""Lint of question files: warnings about questions that do not agree with their document."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.errors import Problem
from steelyard.i18n import Joined, Localized, Message
from steelyard.legal.benchmark.questions import QuestionFile
from steelyard.legal.evidence.quotes import quote_key, quote_pieces
from steelyard.legal.evidence.sources import Source, source_of
from steelyard.legal.model import Fault, Fields, places_of, quotes_of
from steelyard.legal.question_types import question_type
from steelyard.text.dates import Day
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

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


def lint(file: QuestionFile, document: Document) -> list[Problem]:
    """Warnings about the questions of a file; they can be scored all the same."""
    source = source_of(document)
    return [
        fault.below(f"/questions/{index}").problem(file.source_map)
        for index, question in enumerate(file.questions)
        for fault in _warnings(question.fields, source)
    ]


def _warnings(fields: Fields, source: Source) -> Iterator[Fault]:
    places = places_of(fields)
    yield from _expected(fields)
    yield from question_type(fields["type"]).warnings(fields)
    for pointer, place in places.items():
        if place["page"] not in source.pages:
            message = Message("legal.no_page", number=place["page"], name=source.document.name)
            yield Fault(f"{pointer}/page", message)
        elif "must_include" in place:
            yield from _passage(pointer, place, source)
    for pointer, quote in quotes_of(fields).items():
        yield from (Fault(pointer, message) for message in _quotation(quote, source))
    required, number = fields.get("required_quote"), fields.get("evidence_location", {}).get("page")
    if required is not None and number in source.pages:
        pages = source.pages_with(required)
        if pages and number not in pages:
            yield Fault("/required_quote", _missing(number, pages, source.document.name))
    check = fields.get("scoring", {}).get("hallucination_check")
    if check is not None and not _CHECKS.fullmatch(check):
        yield Fault("/scoring/hallucination_check", Message("legal.unknown_check", check=check))


def _passage(pointer: str, item: Fields, source: Source) -> Iterator[Fault]:
    """Check one required passage: on its page, only once, long enough, and with the right speaker."""
    number, words = item["page"], item["must_include"]
    key, page = quote_key(words), source.pages[number]
    if len(key) < FEWEST:
        yield Fault(f"{pointer}/must_include", Message("legal.passage_too_short", key=len(key), fewest=FEWEST))
    elif not page.key.holds(words):
        yield Fault(f"{pointer}/must_include", _missing(number, source.pages_with(words), source.document.name))
    else:
        if (times := page.key.count(key)) > 1:
            yield Fault(f"{pointer}/must_include", Message("legal.stands_times_page", times=times, number=number))
        yield from _misplaced(pointer, item, page.kinds(words))


def _missing(number: int, others: Sequence[int], name: str) -> Message:
    if others:
        return Message("legal.not_page_but_page", number=number, names=", ".join(map(str, others)))
    return Message("legal.on_no_page", number=number, name=name)


def _misplaced(pointer: str, item: Fields, kinds: Sequence[str]) -> Iterator[Fault]:
    """A speaker or section that differs from the document; words that span several units have no kind."""
    found = Joined("core.and", [_UNITS[kind] for kind in kinds]) if kinds else Message("words.several_units")
    speaker, section = item.get("speaker"), item.get("section")
    wrong: dict[str, Localized] = {}
    if speaker is not None and speaker not in kinds:
        wrong["speaker"] = _UNITS[speaker]
    if section == "header" and "header" not in kinds:
        wrong["section"] = _UNITS["header"]
    if section == "qa_pair" and kinds and not {"question", "answer"} & set(kinds):
        wrong["section"] = Message("words.a_question_or_an_answer")
    for field, units in wrong.items():
        yield Fault(f"{pointer}/{field}", Message("legal.stands_not", found=found, units=units))


def _quotation(quote: str, source: Source) -> Iterator[Message]:
    """Check a quotation: each of its pieces, and their order."""
    pieces = quote_pieces(quote)
    missing = [piece for piece in pieces if source.key.find([piece]) < 0]
    if missing:
        yield from (Message("legal.not", piece=piece, name=source.document.name) for piece in missing)
    elif not source.key.holds(quote):
        yield Message("legal.pieces_in_other_order", name=source.document.name)


def _expected(fields: Fields) -> Iterator[Fault]:
    """Expected answers that the question already contains, or that are not in the listed evidence."""
    evidence = [item["must_include"] for item in fields.get("required_evidence", ())]
    aliases = [*fields.get("aliases", ()), *fields.get("entity_aliases", ())]
    for name, value in fields.get("expected", {}).items():
        if _states(name, value, fields["question"]):
            yield Fault(f"/expected/{name}", Message("legal.question_says_already"))
            continue
        # a number or a day may follow from several passages
        forms = [value, *aliases] if name in _NAMES else [value] if len(evidence) == 1 else []
        listed = "\n".join([*evidence, *quotes_of(fields).values()])
        if evidence and forms and all(_states(name, form, listed, loosely=True) is False for form in forms):
            yield Fault(f"/expected/{name}", Message("legal.expected_not_in_evidence"))


def _states(name: str, value: Any, text: str, *, loosely: bool = False) -> bool | None:
    """Whether a text has the value of a field, loosely also without a unit or a year; None for other fields."""
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
