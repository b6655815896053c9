"""Invented values: whatever an answer asserts must be in the document, by value.

Relations between values that are both in the document (who paid whom) cannot be decided by rules; a known limit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from typing import Final

from steelyard.legal.proper_names import is_known_name, names, places
from steelyard.legal.quotes import key_of, quote_key
from steelyard.legal.reading import read_with_offsets
from steelyard.text.dates import Day
from steelyard.text.measures import is_measure, same_measure
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normal import normal
from steelyard.text.numerals import numerals

_QUOTE: Final = re.compile('“([^”]{1,400})”|「([^」]{1,400})」|『([^』]{1,400})』|"([^"]{1,400})"|‘([^’]{2,400})’')
# words of the answerer about the document, not values of it
_OWN_UNITS: Final = frozenset(("处", "点", "种", "项", "条", "页", "段", "方面", "款", "块", "笔"))
_CHECKED: Final = frozenset(("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count"))
_LIST_NUMBER: Final = re.compile(r"(?:^|[\n。;:,])\s*(?:\(?\d{1,2}[.、)](?!\d)|[①-⑳])")


@dataclass(frozen=True, slots=True)
class Invented:
    """A value of an answer that the document does not have; `start` and `end` are its place in the answer."""

    text: str
    kind: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Ground:
    """All that a document has, by value."""

    key: str
    text: str
    money: frozenset[Decimal]
    days: tuple[Day, ...]
    others: frozenset[tuple[str, str]]
    counts: frozenset[tuple[Decimal, str]]


def find_invented(answer: str, context: str, *, question: str = "") -> list[Invented]:
    """What the answer asserts and neither the document nor the question has; in the order of the answer."""
    folded = read_with_offsets(answer)
    grounds = (document_ground(context), ground_of(question))
    found = [*_quotations(folded.text, grounds), *_values(folded.text, grounds), *_proper_names(folded.text, grounds)]
    unique = sorted({(each.start, each.end): each for each in found}.values(), key=lambda each: each.start)
    return [Invented(each.text, each.kind, *folded.original_span(each.start, each.end)) for each in _outermost(unique)]


@lru_cache(maxsize=64)
def document_ground(text: str) -> Ground:
    """What a document has, found out once."""
    return ground_of(text)


def ground_of(context: str) -> Ground:
    """What a text has."""
    text = normal(context)
    values = mentions(text)
    return Ground(
        key=quote_key(context),
        text=text,
        money=frozenset(
            value.value for value in values if value.kind in ("money", "number") and value.value is not None
        ),
        days=tuple(_with_years(value for value in values if value.kind == "date")),
        others=frozenset(
            (value.kind, str(value.value))
            for value in values
            if value.kind in ("id", "phone", "card", "serial", "percent", "age")
        )
        | frozenset(("time", _clock(value.text)) for value in values if value.kind == "time"),
        counts=frozenset(
            (value.value, value.unit) for value in values if value.kind == "count" and value.value is not None
        ),
    )


def _with_years(values: Iterable[Mention]) -> Iterator[Day]:
    """Days of a document; one without a year has that of the day before it."""
    year = None
    for value in values:
        for day in (value.value, value.until):
            if day is not None:
                year = day.year or year
                yield Day(day.year or year, day.month, day.day)


def _quotations(text: str, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for quote in _QUOTE.finditer(text):
        inner = next(group for group in quote.groups() if group)
        start = quote.start() + quote[0].index(inner)
        if quote_key(inner) and not any(key_of(ground.text).holds(inner) for ground in grounds):
            yield Invented(inner, "quote", start, start + len(inner))


def _values(text: str, grounds: Sequence[Ground]) -> Iterator[Invented]:
    values = [value for value in mentions(text) if value.kind in _CHECKED]
    grounded = [value for value in values if value.kind == "money" and any(value.value in g.money for g in grounds)]
    for value in values:
        if _is_exempt(text, value) or any(_is_grounded(value, ground) for ground in grounds):
            continue
        if value.kind == "money" and _is_reckoned(value, grounded):
            continue
        yield Invented(value.text, value.kind, value.start, value.end)


def _is_exempt(text: str, value: Mention) -> bool:
    """Numbers of a list, single things, and how many statements the answerer counts."""
    if value.kind == "count":
        return value.value is None or value.value <= 1 or value.unit in _OWN_UNITS or not is_measure(value.unit)
    return any(mark.start() <= value.start < mark.end() for mark in _LIST_NUMBER.finditer(text))


def _is_grounded(value: Mention, ground: Ground) -> bool:
    match value.kind:
        case "money":
            return value.value in ground.money if value.value is not None else quote_key(value.text) in ground.key
        case "date":
            return _is_dated(value, ground)
        case "count":
            return any(value.value == number and same_measure(value.unit, unit) for number, unit in ground.counts)
        case "time":
            return ("time", _clock(value.text)) in ground.others
        case "phone" | "card":
            return any(
                kind in ("phone", "card", "id") and (known.endswith(value.value[-11:]) or value.value.endswith(known))
                for kind, known in ground.others
                if known
            )
    is_named = value.kind == "serial" and quote_key(value.text) in ground.key
    return (value.kind, str(value.value)) in ground.others or is_named


def _is_dated(value: Mention, ground: Ground) -> bool:
    if value.value is None:
        return quote_key(value.text) in ground.key
    ends = [day for day in (value.value, value.until) if day is not None]
    return all(any(day.agrees(known) for known in ground.days) for day in ends)


def _is_reckoned(value: Mention, grounded: Sequence[Mention]) -> bool:
    """Whether a sum is the sum or the difference of others that the answer states and the document has."""
    stated = [each.value for each in grounded]
    if value.value is None or len(stated) < 2:
        return False
    pairs = list(combinations(stated, 2))
    return value.value in {a + b for a, b in pairs} | {abs(a - b) for a, b in pairs} | {sum(stated)}


def _proper_names(text: str, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for name, start in names(text):
        if not any(is_known_name(name, ground.text) for ground in grounds):
            yield Invented(name, "name", start, start + len(name))
    for place, start, pieces in places(text):
        is_known = any(quote_key(place) in ground.key for ground in grounds)
        if not (is_known or all(any(quote_key(piece) in ground.key for ground in grounds) for piece in pieces)):
            yield Invented(place, "place", start, start + len(place))


def _clock(text: str) -> str:
    """A time by its hour and minute."""
    numbers = [str(int(numeral.value)) for numeral in numerals(text.replace(":", "时")) if numeral.value is not None]
    is_afternoon = re.search("下午|晚上|傍晚|p\\.?m", text, re.IGNORECASE) is not None
    if numbers and is_afternoon and int(numbers[0]) < 12:
        numbers[0] = str(int(numbers[0]) + 12)
    half = ["30"] if "半" in text and len(numbers) == 1 else ["0"] if len(numbers) == 1 else []
    return ":".join([*numbers[:2], *half])


def _outermost(found: Sequence[Invented]) -> list[Invented]:
    """Without those that lie inside another."""
    return [
        each
        for each in found
        if not any(other is not each and other.start <= each.start and each.end <= other.end for other in found)
    ]
