"""The values of a document, against which the claims of an answer are checked."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final, TypeVar

from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.values.cases import case_numbers
from steelyard.legal.values.keys import law_values
from steelyard.legal.values.statutes import Article, articles, items
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import CHINESE, NUMBER_WORDS, Day, is_measure, numerals, value_of

_WORDS: Final = lexicon("grounding")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def cents(value: Decimal) -> int:
    """Return an amount in hundredths, as an int: cheap to add and to look up."""
    return int((value * 100).to_integral_value())


_ORDINAL: Final = re.compile(rf"第(\d{{1,12}}|[{CHINESE}]{{1,12}})([\u4e00-\u9fff]?)")
_FEET: Final = re.compile(r"""(?<![\d.])(\d{1,2})(?:'| ?ft\.?| feet| foot) ?(\d{1,2})(?=["″]| ?in)""")


class Ground:
    """The values of a text; each kind is read when it is first asked for."""

    def __init__(self, context: str) -> None:
        self.context = context
        self.text = _with_tokens_joined(normalise(context))

    @cached_property
    def key(self) -> str:
        """The characters that quotations and names are compared by."""
        return quote_key(self.context)

    def has_address(self, address: str) -> bool:
        """Return whether the text has an address or one below it, with or without https://."""
        pattern = rf"(?<![\w.-]){re.escape(host_of(address))}(?![\w-]|\.\w)"
        return re.search(pattern, self.context, re.IGNORECASE) is not None

    @cached_property
    def values(self) -> tuple[Mention, ...]:
        return values_of(self.text)

    def _of(self, *kinds: str) -> Iterator[Mention]:
        """Return the values of these kinds that can be compared."""
        return (value for value in self.values if value.kind in kinds and value.value is not None)

    @cached_property
    def numerals(self) -> frozenset[Decimal]:
        """Every number, whatever it is part of."""
        return frozenset(numeral.value for numeral in numerals(self.text) if numeral.value is not None)

    @cached_property
    def articles(self) -> Mapping[str, set[Article]]:
        """Articles of statutes and contracts, and the numbers of clauses, by number."""
        return _grouped((each.number, each) for each in (*articles(self.text), *items(self.context)))

    @cached_property
    def cases(self) -> frozenset[str]:
        """The numbers of cases, in their one form."""
        return frozenset(case.value for case in case_numbers(self.text))

    @cached_property
    def law(self) -> frozenset[tuple[str, object]]:
        """Charges, terms and interest rates, in any spelling."""
        return frozenset((value.kind, value.key) for value in law_values(self.text))

    @cached_property
    def money(self) -> Mapping[Decimal, set[str]]:
        """Amounts and plain numbers with their currencies, "" for none; the number of a clause is no amount."""
        clauses = {item.number for item in items(self.context) if "." in item.number}
        values = (value for value in self._of("money", "number") if value.text not in clauses)
        return _grouped((value.value, value.unit) for value in values)

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """Amounts, and plain numbers from 100 on, in hundredths, ascending."""
        numbers = self._of("money", "number")
        return tuple(sorted({cents(each.value) for each in numbers if each.kind == "money" or each.value >= 100}))

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """Days; one without a year has the year of the preceding day, or else of the next."""
        dates = (value for value in self.values if value.kind == "date")
        days = [day for value in dates for day in (value.value, value.until) if day is not None]
        year = next((day.year for day in days if day.year), None)
        return tuple(Day(year := day.year or year, day.month, day.day) for day in days)

    @cached_property
    def dates(self) -> frozenset[tuple[int | None, int | None, int | None]]:
        """Days and birthdays with all their coarser forms."""
        births = (value.value for value in self._of("id") if len(value.value) == 18)
        birthdays = [Day(int(digits[6:10]), int(digits[10:12]), int(digits[12:14])) for digits in births]
        return frozenset(
            (year, month, number)
            for day in (*self.days, *birthdays)
            for year in (day.year, None)
            for month in (day.month, None)
            for number in (day.day, None)
        )

    @cached_property
    def others(self) -> frozenset[tuple[str, str]]:
        """Values that are compared as they are, with their kind."""
        kinds = ("id", "serial", "age", "phone", "card", "version", "score")
        return frozenset((each.kind, str(each.value)) for each in self._of(*kinds))

    @cached_property
    def measures(self) -> list[tuple[Decimal, str]]:
        """Counts with their measure words; 6'2" as inches, and pounds as money and as a weight."""
        pounds = ((value.value, "lbs") for value in self._of("money") if value.text.endswith("pounds"))
        inches = ((12 * Decimal(feet) + Decimal(rest), "inches") for feet, rest in _FEET.findall(self.text))
        return [*((value.value, value.unit) for value in self._of("count")), *pounds, *inches]

    @cached_property
    def counts(self) -> Mapping[Decimal, set[str]]:
        """The measure words of each count."""
        return _grouped(self.measures)

    @cached_property
    def counted(self) -> Mapping[str, set[Decimal]]:
        """The numbers beside each noun."""
        values = self._of("count", "number")
        return _grouped((noun, value.value) for value in values for noun in nouns_of(self.text, value))

    @cached_property
    def percents(self) -> frozenset[Decimal]:
        return frozenset(value.value for value in self._of("percent"))

    @cached_property
    def minutes(self) -> frozenset[int]:
        """Clock times in minutes of the day."""
        return _stated_minutes(self.text, self._of("time"))

    @cached_property
    def ordinals(self) -> Mapping[str, set[Decimal]]:
        return _grouped((value.unit, value.value) for value in self._of("ordinal"))

    @cached_property
    def digits(self) -> frozenset[str]:
        """Runs of digits, and the tails of long ones."""
        return frozenset(_digit_runs(self.text))

    @cached_property
    def tails(self) -> frozenset[str]:
        """The last digits that are named as such."""
        return frozenset(tail[1] for tail in _WORDS["tail"].finditer(self.text))


def _with_tokens_joined(text: str) -> str:
    """Undo a tokenizer: 6 , 1869 · 26, 000 · 16 - year - old; and read five (5) days as five days."""
    text = re.sub(rf"\b({NUMBER_WORDS}) ?\(\d[\d,.]*\)", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r" (?=[,;%](?:\s|$))|(?<=\d,) (?=\d{3}(?!\d))", "", text)
    return re.sub(r"(?<=\w) - (?=[a-z])", "-", text)


@lru_cache(maxsize=1 << 7)
def document_ground(text: str) -> Ground:
    """Return the values of a document or a question, cached."""
    return Ground(text)


@lru_cache(maxsize=1 << 5)
def values_of(text: str) -> tuple[Mention, ...]:
    """Return the mentions in a text; the tail of a number is a card number, a number with a unit is a count."""
    tails = frozenset(tail.start(1) for tail in _WORDS["tail"].finditer(text))
    return tuple(_with_kind(text, value, tails) for value in mentions(text))


def _with_kind(text: str, value: Mention, tails: frozenset[int]) -> Mention:
    """Return a number as what it is by the words beside it; 第17届 as 17 with its unit."""
    if value.kind == "ordinal" and (ordinal := _ORDINAL.match(text, value.start)):
        unit, end = (ordinal[2], ordinal.end()) if is_measure(ordinal[2]) else ("", ordinal.end(1))
        return value._replace(value=value_of(ordinal[1]), unit=unit, end=end, text=text[value.start : end])
    if value.kind == "number" and value.start in tails:
        return value._replace(kind="card")
    if value.kind == "number" and (after := _WORDS["unit_after"].match(text, value.end)):
        unit = next(group for group in after.groups() if group)
        return value._replace(kind="count", unit=unit, end=after.end(), text=text[value.start : after.end()])
    return value


def _grouped(pairs: Iterable[tuple[_Key, _Value]]) -> Mapping[_Key, set[_Value]]:
    groups = defaultdict[_Key, set[_Value]](set)
    for key, value in pairs:
        groups[key].add(value)
    return dict(groups)


_ENGLISH_NOUN: Final = re.compile(r" ?((?:[a-z][a-z'-]*[ ]){0,2}?)([a-z]+(?<!s)s|people|children|men|women)\b")


def nouns_of(text: str, value: Mention) -> Iterator[str]:
    """Yield the nouns that a count belongs to: 段录音 for 三段录音 and 录音三段; vessel for "five other vessels"."""
    if value.kind == "number" and text[value.end : value.end + 1] in _WORDS.words("counted_units"):
        value = value._replace(unit=text[value.end : value.end + 1], end=value.end + 1)
    if value.unit.isascii():
        match = _ENGLISH_NOUN.match(text[value.end - len(value.unit) : value.end + 40].lower())
        if match and not _WORDS["no_adjective"].search(match[1]):
            yield match[2].removesuffix("s")
        return
    for noun in (text[max(0, value.start - 2) : value.start], text[value.end : value.end + 2]):
        if re.fullmatch(r"[\u4e00-\u9fff]{2}", noun):
            yield value.unit + noun


def host_of(address: str) -> str:
    """Return host and path of an address."""
    return address.rpartition("://")[2].rstrip("/")


def _digit_runs(text: str) -> Iterator[str]:
    """Yield runs of digits, and the tails of long ones; blanks and hyphens inside are dropped."""
    for run in re.finditer(r"\d+(?:[- ]\d+)*", text):
        digits = re.sub(r"\D", "", run[0])
        yield digits
        yield from (part for part in re.split(r"\D", run[0]) if len(part) > 2)
        if 7 <= len(digits) <= 24:
            yield from (digits[at:] for at in range(1, len(digits) - 2))


# ----- clock times as minutes of the day: 下午2点10分, 14时10分 and 2:10 pm are one time


def _stated_minutes(text: str, values: Iterable[Mention]) -> frozenset[int]:
    """Return all times in a document; a 12-hour time without am or pm stands for both, 8:0 in a record is 8:00."""
    minutes = {60 * int(hour) + int(minute) for hour, minute in re.findall(r"(?<![\d:.])(\d{1,2}):(\d)(?![\d:])", text)}
    is_afternoon, end = False, 0
    for value in values:
        joined = is_afternoon and _WORDS["until"].fullmatch(text, end, value.start) is not None
        is_afternoon = _WORDS["afternoon"].search(value.text) is not None or joined
        end = value.end
        both = joined or (_is_open(value.text) and "点" in value.text)
        minutes |= _minutes(value.text, *_read(text, value), both=both)
    return frozenset(minutes)


def minutes_of(text: str, value: Mention) -> frozenset[int]:
    """Return the minutes of the day that a time in an answer can mean; “about” an hour is any minute of it."""
    hour, minute = _read(text, value)
    times = _minutes(value.text, hour, minute, both=_is_open(value.text))
    before = text[max(0, value.start - 8) : value.start]
    is_about = _WORDS["about_after_time"].match(text, value.end) or _WORDS["about_before_time"].search(before)
    if minute is None and (is_about or "许" in value.text):
        return frozenset(time // 60 * 60 + minute for time in times for minute in range(60))
    return times


def _is_open(text: str) -> bool:
    """Return whether a time does not say whether it is am or pm."""
    return _WORDS["afternoon"].search(text) is None and _WORDS["morning"].search(text) is None


def _read(text: str, value: Mention) -> tuple[int, int | None]:
    """Return hour and minute of a mention; for 10.30 am, the mention has only the second number."""
    figures = numerals(re.sub("[:点]", "时", value.text))
    hour, *rest = [int(numeral.value) for numeral in figures if numeral.value is not None] or [0]
    if rest:
        return hour, 15 * rest[0] if "刻" in value.text else rest[0]
    if "半" in value.text:
        return hour, 30
    point = re.search(r"(?<!\d)(\d{1,2})\.$", text[max(0, value.start - 3) : value.start])
    return (int(point[1]), hour) if point else (hour, None)


def _minutes(text: str, hour: int, minute: int | None, *, both: bool) -> frozenset[int]:
    if hour < 12 and _WORDS["afternoon"].search(text) and not ("夜里" in text and hour < 6):
        hour += 12
    elif hour == 12 and _WORDS["night"].search(text):
        hour = 0
    time = hour * 60 + (minute or 0)
    return frozenset((time, time + 12 * 60) if both and hour < 12 else (time,))
