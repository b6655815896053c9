"""The values of a document, against which the claims of an answer are checked."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.grounding import derivations
from steelyard.legal.grounding.articles import Article, articles, items
from steelyard.legal.grounding.clocks import stated_minutes
from steelyard.legal.grounding.derivations import cents
from steelyard.text.dates import Day
from steelyard.text.measures import same_measure
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.numerals import numerals

_TAIL: Final = re.compile(
    r"(?:尾号|末尾|[后末尾][两二三四五六]位(?:数字?)?|ending (?:in|with)|ends (?:in|with)|last (?:\w+ )?digits?)"
    r"[^\d,。;\n]{0,8}(\d{2,8})",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+(?:[- ]\d+)*")
_TWO_HAN: Final = re.compile(r"[\u4e00-\u9fff]{2}")


class Ground:
    """The values of a text; each kind is read when it is first asked for."""

    def __init__(self, context: str) -> None:
        self._context = context
        self.text = normalise(context)

    @cached_property
    def key(self) -> str:
        """The characters that quotations and names are compared by."""
        return quote_key(self._context)

    def has_address(self, address: str) -> bool:
        """Whether the text has an address or one below it, with or without https://."""
        pattern = rf"(?<![\w.-]){re.escape(host_of(address))}(?![\w-]|\.\w)"
        return re.search(pattern, self._context, re.IGNORECASE) is not None

    @cached_property
    def values(self) -> tuple[Mention, ...]:
        """All values of the text, in order."""
        return values_of(self.text)

    @cached_property
    def _numbers(self) -> list[Mention]:
        return [value for value in self.values if value.kind in ("money", "number") and value.value is not None]

    @cached_property
    def numerals(self) -> frozenset[Decimal]:
        """Every number, whatever it is part of."""
        return frozenset(numeral.value for numeral in numerals(self.text) if numeral.value is not None)

    @cached_property
    def articles(self) -> tuple[Article, ...]:
        """Articles of statutes and contracts, and the numbers of clauses."""
        return (*articles(self.text), *items(self._context))

    @cached_property
    def money(self) -> frozenset[Decimal]:
        """Amounts and plain numbers."""
        return frozenset(value.value for value in self._numbers)

    @cached_property
    def currencies(self) -> Mapping[Decimal, frozenset[str]]:
        """The currencies of each amount, "" for none."""
        return _units_by_value(self._numbers)

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """Amounts, and plain numbers from 100 on, in hundredths, ascending."""
        return tuple(
            sorted({cents(value.value) for value in self._numbers if value.kind == "money" or value.value >= 100})
        )

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """Days, each with a year if the text has any."""
        return tuple(_with_years([value for value in self.values if value.kind == "date"]))

    @cached_property
    def dates(self) -> frozenset[tuple[int | None, int | None, int | None]]:
        """Days and birthdays with all their coarser forms."""
        return frozenset(_date_forms((*self.days, *_birthdays(self.values))))

    @cached_property
    def others(self) -> frozenset[tuple[str, str]]:
        """Personal, card, phone and serial numbers and ages, with their kind."""
        kinds = ("id", "serial", "age", "phone", "card")
        return frozenset((value.kind, str(value.value)) for value in self.values if value.kind in kinds)

    @cached_property
    def counts(self) -> Mapping[Decimal, frozenset[str]]:
        """Counts with their measure words."""
        return _units_by_value(value for value in self.values if value.kind == "count")

    @cached_property
    def counted(self) -> Mapping[str, frozenset[Decimal]]:
        """The numbers beside each noun."""
        return _numbers_by_noun(self.text, self.values)

    @cached_property
    def counts_times(self) -> bool:
        """Whether anything is counted in occurrences."""
        return any(value.kind == "count" and same_measure(value.unit, "次") for value in self.values)

    @cached_property
    def percents(self) -> frozenset[Decimal]:
        """Shares in per cent."""
        return frozenset(value.value for value in self.values if value.kind == "percent" and value.value is not None)

    @cached_property
    def minutes(self) -> frozenset[int]:
        """Clock times in minutes of the day."""
        return stated_minutes(self.text, self.values)

    @cached_property
    def ordinals(self) -> Mapping[str, Decimal]:
        """The highest ordinal of each unit."""
        return _highest_ordinals(self.values)

    @cached_property
    def digits(self) -> frozenset[str]:
        """Runs of digits, and the tails of long ones."""
        return frozenset(_digit_runs(self.text))

    @cached_property
    def tails(self) -> frozenset[str]:
        """The last digits that are named as such."""
        return frozenset(tail[1] for tail in _TAIL.finditer(self.text))

    @cached_property
    def periods(self) -> tuple[tuple[int, str], ...]:
        """Spans of time."""
        return tuple(_periods(self.values))

    @cached_property
    def ages(self) -> frozenset[int]:
        """Ages that follow from years of birth."""
        return frozenset(_ages(self.text, self.values, self.days))


@lru_cache(maxsize=64)
def document_ground(text: str) -> Ground:
    """The values of a document, cached."""
    return Ground(text)


@lru_cache(maxsize=256)
def question_ground(text: str) -> Ground:
    """The values of a question, cached."""
    return Ground(text)


# numbers with a unit that `mentions` does not know: a period in days, a quantity
UNIT_AFTER: Final = re.compile(
    r"(?:个?工作)?(日)(?![期常程记志报前后子])|(立方米|平方公里|平方千米|平方厘米|千克|毫升|毫米|毫克|千米|海里|公顷|千瓦时|升|度电)"
    r"|[ -](sq\.? ?m|kg|km|cubic metres?|square metres?|square feet|tons?|tonnes?|litres?|miles?|acres?|metres?|feet)\b"
)


@lru_cache(maxsize=1 << 5)
def values_of(text: str) -> tuple[Mention, ...]:
    """The mentions in a text; the tail of a number is a card number, a number with a unit is a count."""
    values = tuple(mentions(text))
    if all(value.kind != "number" for value in values):
        return values
    tails = frozenset(tail.start(1) for tail in _TAIL.finditer(text))
    return tuple(_with_kind(text, value, tails) if value.kind == "number" else value for value in values)


def _with_kind(text: str, value: Mention, tails: frozenset[int]) -> Mention:
    """A number as what it is by the words beside it."""
    if value.start in tails:
        return value._replace(kind="card")
    if unit := UNIT_AFTER.match(text, value.end):
        name = next(group for group in unit.groups() if group)
        return value._replace(kind="count", unit=name, end=unit.end(), text=text[value.start : unit.end()])
    return value


def _with_years(values: Sequence[Mention]) -> Iterator[Day]:
    """The days of a document; a day without a year has the year of the preceding day, or else of the next."""
    stated = (day.year for value in values for day in (value.value, value.until) if day is not None and day.year)
    year = next(stated, None)
    for value in values:
        for day in (value.value, value.until):
            if day is not None:
                year = day.year or year
                yield Day(day.year or year, day.month, day.day)


def _units_by_value(values: Iterable[Mention]) -> dict[Decimal, frozenset[str]]:
    units: dict[Decimal, set[str]] = {}
    for value in values:
        if value.value is not None:
            units.setdefault(value.value, set()).add(value.unit)
    return {value: frozenset(names) for value, names in units.items()}


def _numbers_by_noun(text: str, values: Iterable[Mention]) -> dict[str, frozenset[Decimal]]:
    """The numbers by noun, for nouns beside a count."""
    numbers: dict[str, set[Decimal]] = {}
    for value in values:
        if value.kind in ("count", "number") and value.value is not None:
            for noun in nouns_of(text, value):
                numbers.setdefault(noun, set()).add(value.value)
    return {noun: frozenset(values) for noun, values in numbers.items()}


_MORE_UNITS: Final = frozenset("段则篇道首幕具宗桩节")
_ENGLISH_NOUN: Final = re.compile(r" ?((?:[a-z][a-z'-]*[ ]){0,2}?)([a-z]+(?<!s)s|people|children|men|women)\b")
_NO_ADJECTIVE: Final = re.compile(
    r"\b(?:of|and|or|to|in|on|at|by|for|from|with|was|were|is|are|the|a|an|that|who|as|than)\b"
)


def nouns_of(text: str, value: Mention) -> Iterator[str]:
    """The nouns that a count belongs to: 段录音 for 三段录音 and 录音三段; vessel for "five other vessels"."""
    if value.kind == "number" and text[value.end : value.end + 1] in _MORE_UNITS:
        value = value._replace(unit=text[value.end : value.end + 1], end=value.end + 1)
    if value.unit.isascii():
        match = _ENGLISH_NOUN.match(text[value.end - len(value.unit) : value.end + 40].lower())
        if match and not _NO_ADJECTIVE.search(match[1]):
            yield match[2].removesuffix("s")
        return
    for noun in (text[max(0, value.start - 2) : value.start], text[value.end : value.end + 2]):
        if _TWO_HAN.fullmatch(noun):
            yield value.unit + noun


def _date_forms(days: Iterable[Day]) -> Iterator[tuple[int | None, int | None, int | None]]:
    """Each day with its coarser forms."""
    for day in days:
        for year in {day.year, None}:
            for month in {day.month, None}:
                for number in {day.day, None}:
                    yield year, month, number


def _birthdays(values: Iterable[Mention]) -> Iterator[Day]:
    """The days of birth in identity numbers."""
    for value in values:
        if value.kind == "id" and len(value.value) == 18:
            digits = value.value[6:14]
            yield Day(int(digits[:4]), int(digits[4:6]), int(digits[6:]))


def _periods(values: Iterable[Mention]) -> Iterator[tuple[int, str]]:
    """Spans of time in days, months or years, of one and more."""
    for value in values:
        if value.kind == "count" and value.value is not None and value.unit in derivations.CALENDAR_UNITS:
            yield int(value.value), value.unit


def host_of(address: str) -> str:
    """Host and path of an address."""
    return address.partition("://")[2].rstrip("/")


def _ages(text: str, values: Sequence[Mention], days: Sequence[Day]) -> Iterator[int]:
    """Ages that follow from a year of birth and the years that the document names."""
    if any(value.kind == "age" for value in values):
        return
    born = {day.year for day in _birthdays(values) if day.year}
    for value in values:
        if value.kind == "date" and value.value is not None and _BORN.search(text[value.start - 12 : value.end + 6]):
            born |= {value.value.year} - {None}
    for day in days:
        for year in born:
            if day.year and 0 < day.year - year < 120:
                yield from (day.year - year, day.year - year - 1)


_BORN: Final = re.compile(r"出生|生于|\d日生|月生|\bborn\b|birth")


def _highest_ordinals(values: Iterable[Mention]) -> dict[str, Decimal]:
    """The highest ordinal by unit: 第二次 means that there were two."""
    highest: dict[str, Decimal] = {}
    for value in values:
        if value.kind == "ordinal" and value.text.startswith("第"):
            number = next((numeral.value for numeral in numerals(value.text) if numeral.value is not None), None)
            if number is not None:
                highest[value.text[-1]] = max(number, highest.get(value.text[-1], number))
    return highest


def _digit_runs(text: str) -> Iterator[str]:
    """Runs of digits, and the tails of long ones; blanks and hyphens inside are dropped."""
    for run in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", run[0])
        yield digits
        yield from (part for part in re.split(r"\D", run[0]) if len(part) > 2)
        if 7 <= len(digits) <= 24:
            yield from (digits[at:] for at in range(1, len(digits) - 2))
