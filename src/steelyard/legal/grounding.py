"""Invented values: whatever an answer asserts must be in the document by value, or follow from what is in it.

Relations between values that are both in the document (who paid whom) cannot be decided by rules; a known limit.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from typing import Final

from steelyard.legal import derivations
from steelyard.legal.chinese_places import Place, chinese_places, is_known_place
from steelyard.legal.clocks import minutes_of, stated_minutes
from steelyard.legal.derivations import REST, TOTAL, Stated, cents
from steelyard.legal.proper_names import is_known_name, names
from steelyard.legal.quotes import quote_key, quote_pieces
from steelyard.legal.reading import read_with_offsets
from steelyard.text.dates import Day
from steelyard.text.folding import Folded
from steelyard.text.measures import is_measure, same_measure
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normal import normal
from steelyard.text.numerals import numerals

_QUOTE: Final = re.compile('“([^”]{1,400})”|「([^」]{1,400})」|『([^』]{1,400})』|"([^"]{1,400})"|‘([^’]{2,400})’')
# "the record does not mention “X”" does not assert X
_NOT_SAID: Final = re.compile(
    "(?:未|没有?|并无|无|不曾|不)(?:明确)?(?:见|有|出现|提到|提及|提供|记载|载明|显示|写明|说明?|使用|包含|涉及|找到|发现|体现)"
    r"[^,。;“”]{0,12}$"
    r"|\b(?:not|never|n't|no)\b (?:\w+ ){0,2}?(?:mention|say|state|contain|use|refer to|include|give|provide|specify|"
    r"information|reference|record)\w*(?: \w+){0,4} ?$",
    re.IGNORECASE,
)

# ----- numbers that are not claims

# words of the answerer about the document, not values of it
_OWN_UNITS: Final = frozenset(("处", "点", "种", "项", "条", "页", "段", "方面", "款", "块"))
_CHECKED: Final = frozenset(
    ("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count", "number")
)
_LIST_NUMBER: Final = re.compile(r"(?:^|[\n。;:,])\s*(?:\(?\d{1,2}[.、)](?!\d)|[①-⑳])")
_OWN_NOUN: Final = re.compile(
    "(?:主要|关键|核心|不同|独立|重要|基本|相关)?(?:的)?(?:方面|问题|部分|步骤|阶段|原因|理由|要点|条件|层面|情形|角度|因素|事项|"
    "环节|要素|说法|版本|结论|选项|问答|地方|内容|信息|要求|类型|类|原则|案例|事实|方案|途径|特点|争议)"
)
_DIGIT_PLACES: Final = re.compile("[前后末尾]$")  # 后四位 are digits, not persons
_LABEL: Final = re.compile(
    r"(?:q|a|p|pp|page|step|item|point|part|note|fig|figure|table|doc|document|source|chunk|ref|no|option|exhibit|"
    r"section|answer|question|evidence|id|line|[a-d])[-_ ]?\d{1,3}",
    re.IGNORECASE,
)
_STATUTE_BEFORE: Final = re.compile(
    r"(?:§+|\b(?:Act|Code|Law|Sections?|Secs?\.|Rules?|Arts?\.|Articles?|Chapter|Title|Regulations?|U\.S\.C\.|Nos?\.|"
    r"Order|Directive|Form|ISO|GB|Room|Suite|Unit|Box)|第|法释|法发|条例|规定)[\s(〔\[]*(?:of\s+)?(?:No\.?\s*)?$"
)
_STATUTE_AFTER: Final = re.compile(r"\s*(?:U\.?S\.?C?\.?\b|F\.\s?(?:2d|3d|4th|Supp)|S\.\s?Ct|条|号|年版|修正|Act\b)")
_LIST_SPLIT: Final = re.compile(r"[、,]|和|与|及|以及|\band\b")
_CLAUSE_EDGE: Final = re.compile(r"[。;!?\n(:]|是|有|为")
_MASKED: Final = re.compile(r"(\d*)[*xX×•·●]{2,}(\d*)")
_TAIL: Final = re.compile(
    r"(?:尾号|末尾|[后末尾][两二三四五六]位(?:数字?)?|ending (?:in|with)|ends (?:in|with)|last (?:\w+ )?digits?)[^\d,。;\n]{0,8}(\d{2,8})",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+(?:[- ]\d+)*")
_TWO_HAN: Final = re.compile(r"[\u4e00-\u9fff]{2}")
_JSON_KEY: Final = re.compile(r'(?<=[{,\[\s])"[^"\n]{0,80}"\s*:|^"[^"\n]{0,80}"\s*:')
_JSON_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Invented:
    """A value of an answer that the document does not have; `start` and `end` are its place in the answer."""

    text: str
    kind: str
    start: int = 0
    end: int = 0


# ----- what a document has


@dataclass(frozen=True, slots=True)
class Ground:
    """All that a document has, by value."""

    key: str
    text: str
    money: frozenset[Decimal]
    days: tuple[Day, ...]
    others: frozenset[tuple[str, str]]
    counts: Mapping[Decimal, frozenset[str]]
    currencies: Mapping[Decimal, frozenset[str]] = field(default_factory=dict)
    percents: frozenset[Decimal] = frozenset()
    dates: frozenset[tuple[int | None, int | None, int | None]] = frozenset()
    minutes: frozenset[int] = frozenset()
    ordinals: Mapping[str, Decimal] = field(default_factory=dict)
    digits: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    amounts: tuple[int, ...] = ()
    sums: frozenset[int] = frozenset()
    differences: frozenset[int] = frozenset()
    counted: Mapping[str, frozenset[Decimal]] = field(default_factory=dict)
    counts_times: bool = False
    periods: tuple[tuple[int, str], ...] = ()
    ages: frozenset[int] = frozenset()


@lru_cache(maxsize=64)
def document_ground(text: str) -> Ground:
    """What a document has, found out once."""
    return ground_of(text)


@lru_cache(maxsize=256)
def _question_ground(text: str) -> Ground:
    return ground_of(text)


def ground_of(context: str) -> Ground:
    """What a text has."""
    text = normal(context)
    values = tuple(_values_of(text))
    numbers = [value for value in values if value.kind in ("money", "number") and value.value is not None]
    days = tuple(_with_years([value for value in values if value.kind == "date"]))
    amounts = tuple(sorted({cents(value.value) for value in numbers if value.kind == "money" or value.value >= 100}))
    sums, differences = derivations.reckoned(amounts)
    return Ground(
        key=quote_key(context),
        text=text,
        money=frozenset(value.value for value in numbers),
        days=days,
        others=frozenset(
            (value.kind, str(value.value)) for value in values if value.kind in ("id", "serial", "age", "phone", "card")
        ),
        counts=_units_by_value(value for value in values if value.kind == "count"),
        currencies=_units_by_value(numbers),
        percents=frozenset(_percents(text, values)),
        dates=frozenset(_date_forms((*days, *_birthdays(values)))),
        minutes=stated_minutes(text, values),
        ordinals=_highest_ordinals(values),
        digits=frozenset(_digit_runs(text)),
        tails=frozenset(tail[1] for tail in _TAIL.finditer(text)),
        amounts=amounts,
        sums=sums,
        differences=differences,
        counted=_numbers_by_noun(text, values),
        counts_times=any(value.kind == "count" and same_measure(value.unit, "次") for value in values),
        periods=tuple(_periods(values)),
        ages=frozenset(_ages(text, values, days)),
    )


# numbers with a unit that `mentions` does not know: a period in days, a quantity
_UNIT_AFTER: Final = re.compile(
    r"(?:个?工作)?(日)(?![期常程记志报前后子])|(立方米|平方公里|平方千米|平方厘米|千克|毫升|毫米|毫克|千米|海里|公顷|千瓦时|升|度电)"
    r"|[ -](sq\.? ?m|kg|km|cubic metres?|square metres?|square feet|tons?|tonnes?|litres?|miles?|acres?|metres?|feet)\b"
)


def _values_of(text: str) -> Iterator[Mention]:
    """The values of a text; the tail of a number is digits of a card, a number with a unit is a count."""
    tails = {tail.start(1) for tail in _TAIL.finditer(text)}
    for value in mentions(text):
        if value.kind != "number":
            yield value
        elif value.start in tails:
            yield replace(value, kind="card")
        elif unit := _UNIT_AFTER.match(text, value.end):
            name = next(group for group in unit.groups() if group)
            yield replace(value, kind="count", unit=name, end=unit.end(), text=text[value.start : unit.end()])
        else:
            yield value


def _with_years(values: Sequence[Mention]) -> Iterator[Day]:
    """Days of a document; one without a year has that of the day before it, the first ones that of the next."""
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
    return {value: frozenset(found) for value, found in units.items()}


def _numbers_by_noun(text: str, values: Iterable[Mention]) -> dict[str, frozenset[Decimal]]:
    """How many of what: for nouns that stand beside a count."""
    numbers: dict[str, set[Decimal]] = {}
    for value in values:
        if value.kind in ("count", "number") and value.value is not None:
            for noun in _nouns(text, value):
                numbers.setdefault(noun, set()).add(value.value)
    return {noun: frozenset(found) for noun, found in numbers.items()}


_MORE_UNITS: Final = frozenset("段则篇道首幕具宗桩节")
_ENGLISH_NOUN: Final = re.compile(r" ?((?:[a-z][a-z'-]*[ ]){0,2}?)([a-z]+(?<!s)s|people|children|men|women)\b")
_NO_ADJECTIVE: Final = re.compile(r"\b(?:of|and|or|to|in|on|at|by|for|from|with|was|were|is|are|the|a|an|that|who|as|than)\b")


def _nouns(text: str, value: Mention) -> Iterator[str]:
    """What a count counts: 段录音 for 三段录音 and 录音三段; vessel for "five other vessels"."""
    if value.kind == "number" and text[value.end : value.end + 1] in _MORE_UNITS:
        value = replace(value, unit=text[value.end : value.end + 1], end=value.end + 1)
    if value.unit.isascii():
        found = _ENGLISH_NOUN.match(text.lower(), value.end - len(value.unit))
        if found and not _NO_ADJECTIVE.search(found[1]):
            yield found[2].removesuffix("s")
        return
    for noun in (text[max(0, value.start - 2) : value.start], text[value.end : value.end + 2]):
        if _TWO_HAN.fullmatch(noun):
            yield value.unit + noun


def _percents(text: str, values: Iterable[Mention]) -> Iterator[Decimal]:
    for value in values:
        if (value.kind == "percent" or value.unit == "percent") and (percent := _percent(text, value)) is not None:
            yield percent


_PARTS_OF: Final = re.compile(r"[百千万]分之")
_PER: Final = {"百": Decimal(1), "千": Decimal("0.1"), "万": Decimal("0.01")}


def _percent(text: str, value: Mention) -> Decimal | None:
    """A share in per cent: 千分之三 and 3‰ are 0.3."""
    if parts := _PARTS_OF.search(text, value.start, value.end + 3):
        found = numerals(text[parts.end() : parts.end() + 12])
        number = found[0].value if found and found[0].start == 0 else None
        return None if number is None else number * _PER[parts[0][0]]
    number = value.value
    return None if number is None else number * (Decimal("0.1") if value.text.endswith(("‰", "厘")) else 1)


def _date_forms(days: Iterable[Day]) -> Iterator[tuple[int | None, int | None, int | None]]:
    """Each day and all that says less of it."""
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
    """How far a document numbers its things: 第二次 says that there were two."""
    highest: dict[str, Decimal] = {}
    for value in values:
        if value.kind == "ordinal" and value.text.startswith("第"):
            number = next((found.value for found in numerals(value.text) if found.value is not None), None)
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


# ----- what an answer claims


@dataclass(frozen=True, slots=True)
class _Claims:
    """What an answer asserts, before any document is looked at."""

    original: str
    folded: Folded
    text: str
    values: tuple[Mention, ...]
    quotes: tuple[tuple[str, int], ...]
    names: tuple[tuple[str, int], ...]
    places: tuple[Place, ...]
    own_counts: tuple[tuple[Mention, tuple[str, ...]], ...] = ()


def find_invented(answer: str, context: str, *, question: str = "") -> list[Invented]:
    """What the answer asserts and neither the document nor the question has; in the order of the answer."""
    claims = _claims_of(answer)
    grounds = (document_ground(context), _question_ground(question)) if question else (document_ground(context),)
    found = [*_quotations(claims, grounds), *_values(claims, grounds), *_proper_names(claims, grounds)]
    if not found:
        return []
    unique = sorted({(each.start, each.end): each for each in found}.values(), key=lambda each: (each.start, -each.end))
    span = claims.folded.original_span
    return [Invented(each.text, each.kind, *span(each.start, each.end)) for each in _outermost(unique)]


@lru_cache(maxsize=1 << 10)
def _claims_of(answer: str) -> _Claims:
    folded = read_with_offsets(answer)
    text, is_record = _without_keys(folded.text)
    marks = _list_marks(text)
    values = [value for value in _values_of(text) if value.kind in _CHECKED]
    exempt = [value for value in values if _is_exempt(text, value, marks, is_record=is_record)]
    dropped = {value.start for value in exempt}
    quotes, unsaid = _quoted(text)
    return _Claims(
        original=answer,
        folded=folded,
        text=text,
        values=tuple(value for value in values if value.start not in dropped),
        quotes=tuple(quotes),
        names=tuple((name, at) for name, at in names(text) if at not in unsaid),
        places=() if text.isascii() else tuple(chinese_places(text)),
        own_counts=tuple(
            (value, tuple(_nouns(text, value)))
            for value in exempt
            if value.kind in ("count", "number") and (value.value or 0) > 1
        ),
    )


def _without_keys(text: str) -> tuple[str, bool]:
    """The text with the keys of a JSON record blanked out and its strings unquoted; and whether it has a record."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or not _JSON_KEY.search(text, start, end):
        return text, False
    record = _JSON_KEY.sub(lambda key: " " * (len(key[0]) - 1) + ":", text[start : end + 1])
    record = _JSON_STRING.sub(lambda string: f":{string[1]},", record)
    return text[:start] + record.translate(str.maketrans("{}[]", "    ")) + text[end + 1 :], True


def _list_marks(text: str) -> frozenset[int]:
    """The places of digits that number a list."""
    return frozenset(at for mark in _LIST_NUMBER.finditer(text) for at in range(mark.start(), mark.end()))


def _is_exempt(text: str, value: Mention, marks: frozenset[int], *, is_record: bool) -> bool:
    """Numbers of a list, single things, labels, statutes, and how many statements the answerer counts."""
    match value.kind:
        case "count":
            return _is_own_count(text, value)
        case "number":
            return _is_plain_number(text, value, is_record=is_record)
        case "serial":
            return _LABEL.fullmatch(value.text) is not None
    return value.start in marks or (value.kind == "money" and value.value == 0)


def _is_own_count(text: str, value: Mention) -> bool:
    if value.unit == "percent":
        return False
    if value.value is None or value.value <= 1 or value.unit in _OWN_UNITS or not _is_unit(value.unit):
        return True
    if value.unit == "位" and _DIGIT_PLACES.search(text, max(0, value.start - 2), value.start):
        return True
    return _OWN_NOUN.match(text, value.end) is not None or _counts_a_list(text, value)


def _is_unit(unit: str) -> bool:
    return is_measure(unit) or _UNIT_AFTER.fullmatch(unit if not unit.isascii() else f" {unit}") is not None


def _counts_a_list(text: str, value: Mention) -> bool:
    """Whether the things counted are listed beside the count: 甲、乙两人 · 两人:甲、乙."""
    if not 2 <= value.value <= 20:
        return False
    before = _CLAUSE_EDGE.split(text[max(0, value.start - 80) : value.start])[-1]
    if len([part for part in _LIST_SPLIT.split(before) if part.strip()]) == value.value:
        return True
    after = re.match(
        r"[^,。;:(]{0,10}(?:,?(?:分别)?(?:是|为|即|包括)|[:(]|, namely)([^。;)\n]{2,200})",
        text[value.end : value.end + 220],
    )
    return after is not None and len([part for part in _LIST_SPLIT.split(after[1]) if part.strip()]) == value.value


def _is_plain_number(text: str, value: Mention, *, is_record: bool) -> bool:
    """A number without a unit is a claim if it is long; not in the name of a law."""
    if value.value is None or value.value < (100 if is_record else 1000):
        return True
    before = text[max(0, value.start - 24) : value.start]
    return _STATUTE_BEFORE.search(before) is not None or _STATUTE_AFTER.match(text, value.end) is not None


# ----- quotations


def _quoted(text: str) -> tuple[list[tuple[str, int]], frozenset[int]]:
    """Quotations with their places, and the places inside those that are said not to be in the document."""
    quotes: list[tuple[str, int]] = []
    unsaid: list[int] = []
    for quote in _QUOTE.finditer(text):
        if _NOT_SAID.search(text[max(0, quote.start() - 40) : quote.start()]):
            unsaid += range(quote.start(), quote.end())
            continue
        inner = next(group for group in quote.groups() if group)
        if quote_key(inner):
            quotes.append((inner, quote.start() + quote[0].index(inner)))
    return quotes, frozenset(unsaid)


def _quotations(claims: _Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for inner, start in claims.quotes:
        if not any(_is_quoted(inner, ground) for ground in grounds):
            yield Invented(inner, "quote", start, start + len(inner))


def _is_quoted(words: str, ground: Ground) -> bool:
    at = 0
    for piece in quote_pieces(words):
        found = _find_whole(ground.key, piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _find_whole(key: str, piece: str, start: int = 0) -> int:
    """Where the piece stands without cutting a number in two; -1 if nowhere."""
    at = key.find(piece, start)
    while at >= 0 and _cuts_a_number(key, at, at + len(piece)):
        at = key.find(piece, at + 1)
    return at


def _cuts_a_number(key: str, start: int, end: int) -> bool:
    is_cut_before = key[start].isdigit() and key[start - 1 : start].isdigit()
    return is_cut_before or (key[end - 1].isdigit() and key[end : end + 1].isdigit())


# ----- values


def _values(claims: _Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for value, nouns in claims.own_counts:
        known = [numbers for ground in grounds for noun in nouns if (numbers := ground.counted.get(noun))]
        if known and not any(value.value in numbers for numbers in known):
            yield Invented(value.text, value.kind, value.start, value.end)
    if not claims.values:
        return
    unknown = [value for value in claims.values if not any(_is_grounded(value, claims, ground) for ground in grounds)]
    if not unknown:
        return
    reckoning = _Reckoning(claims, unknown, grounds)
    for value in unknown:
        if reckoning.follows(value):
            reckoning.add(value)
        else:
            yield Invented(value.text, value.kind, value.start, value.end)


def _is_grounded(value: Mention, claims: _Claims, ground: Ground) -> bool:
    match value.kind:
        case "money" | "number":
            return _is_known_amount(value, claims, ground)
        case "date":
            return _is_dated(value, ground)
        case "count":
            return _is_counted(value, claims.text, ground)
        case "time":
            return not ground.minutes.isdisjoint(minutes_of(claims.text, value))
        case "percent":
            return _is_known_percent(value, claims.text, ground)
        case "phone" | "card":
            return _is_known_digits(_digits_of(value), ground)
        case "age" if value.value in ground.ages:
            return True
    if value.kind == "serial" and (masked := _MASKED.fullmatch(value.text)):
        return _is_masked(masked, ground)
    is_named = value.kind == "serial" and _find_whole(ground.key, quote_key(value.text)) >= 0
    return (value.kind, str(value.value)) in ground.others or is_named


def _is_known_amount(value: Mention, claims: _Claims, ground: Ground) -> bool:
    if value.value is None:
        return quote_key(value.text) in ground.key
    if value.value in ground.money:
        return value.kind == "number" or _is_same_currency(value, ground.currencies[value.value])
    if value.kind == "number":
        return _is_known_number(value, claims, ground)
    return (value.approx or bool(value.loose)) and any(
        _is_rounded(value, Decimal(each) / 100) for each in ground.amounts
    )


def _is_same_currency(value: Mention, units: frozenset[str]) -> bool:
    """A figure without a currency in the document may be of any; a bare $ is any dollar."""
    is_dollar = "$" in value.text and value.text[:1] == "$"
    return value.unit in units or "" in units or (is_dollar and any(unit.endswith("D") for unit in units))


def _is_rounded(value: Mention, known: Decimal) -> bool:
    """约4万, 4万多 and 近5万 stand for 42000 or 48000: a number with fewer digits, close by."""
    said = value.value
    if known <= 0 or len(said.normalize().as_tuple().digits) >= len(known.normalize().as_tuple().digits):
        return False
    unit = Decimal(10) ** said.normalize().as_tuple().exponent
    if value.loose == "inexact":
        return bool(said < known < said + unit)
    return abs(said - known) <= unit / 2 or (value.loose == "bound" and abs(said - known) < unit)


def _is_known_number(value: Mention, claims: _Claims, ground: Ground) -> bool:
    start, end = claims.folded.original_span(value.start, value.end)
    if masked := _MASKED.search(claims.original, start, end):
        return _is_masked(masked, ground)
    factors = claims.original[start:end].split("*")
    if len(factors) > 1:  # 250*20, whose sign was taken for emphasis
        return all(len(factor) < 4 or factor.strip() in ground.digits for factor in factors)
    digits = re.sub(r"\D", "", value.text)
    is_year = value.value % 1 == 0 and (int(value.value), None, None) in ground.dates
    rounded = (value.approx or bool(value.loose)) and any(
        _is_rounded(value, Decimal(each) / 100) for each in ground.amounts
    )
    return digits in ground.digits or value.value in ground.counts or is_year or rounded


def _is_masked(masked: re.Match[str], ground: Ground) -> bool:
    """130****0045: some number of the document begins and ends so, or only its tail is known."""
    head, tail = masked[1], masked[2]
    if tail in ground.tails:
        return True
    return any(
        len(run) > len(head) + len(tail) and run.startswith(head) and run.endswith(tail) for run in ground.digits
    )


def _digits_of(value: Mention) -> str:
    return re.sub(
        r"[^\dX*]", "", value.text.upper().rpartition(" ")[2] if value.text[:1].isalpha() else value.text.upper()
    )


def _is_known_digits(digits: str, ground: Ground) -> bool:
    """A phone, a card or the tail of one; a document that has only the tail grounds the whole."""
    if "*" in digits and (masked := _MASKED.fullmatch(digits)):
        return _is_masked(masked, ground)
    if digits in ground.digits or digits[-11:] in ground.digits or digits in ground.tails:
        return True
    return any(digits[at:] in ground.tails for at in range(1, max(1, len(digits) - 1)))


def _is_dated(value: Mention, ground: Ground) -> bool:
    if value.value is None:
        return quote_key(value.text) in ground.key
    ends = [day for day in (value.value, value.until) if day is not None]
    return all((day.year, day.month, day.day) in ground.dates for day in ends)


def _is_counted(value: Mention, text: str, ground: Ground) -> bool:
    if value.unit == "percent":
        return _is_known_percent(value, text, ground)
    if any(same_measure(value.unit, unit) for unit in ground.counts.get(value.value, ())):
        return True
    if value.unit == "笔" and value.value <= len(ground.amounts):
        return True
    highest = [number for unit, number in ground.ordinals.items() if same_measure(value.unit, unit)]
    if same_measure(value.unit, "次") and not highest and not ground.counts_times:
        return bool(value.value <= min(4, len(ground.amounts)))
    return value.value in highest


def _is_known_percent(value: Mention, text: str, ground: Ground) -> bool:
    percent = _percent(text, value)
    if percent is None:
        return quote_key(value.text) in ground.key
    if percent in ground.percents:
        return True
    return _is_about(text, value) and any(abs(each - percent) <= Decimal("0.5") for each in ground.percents)


def _is_about(text: str, value: Mention) -> bool:
    before = text[max(0, value.start - 8) : value.start]
    return re.search(r"约|大概|近|(?:about|around|roughly|nearly) $", before) is not None


# ----- values that follow from others


def _numbers_of(ground: Ground, unit: str) -> Iterator[Decimal]:
    """The counts of a document in units of the same class."""
    for number, units in ground.counts.items():
        if any(same_measure(unit, each) for each in units):
            yield number


_HOURS: Final = re.compile(r"(\d+|[一二两三四五六七八九十]+|\w+)(?:个?小时| hours?(?: and)? )(?:零|又)?$")
_MINUTES: Final = re.compile(r"(?:零|又| and | )?(\d+|[一二三四五六七八九十]+)(?:分| minutes?)")


class _Reckoning:
    """The grounded operands that an answer states, and whether a value follows from them."""

    def __init__(self, claims: _Claims, unknown: Sequence[Mention], grounds: Sequence[Ground]) -> None:
        self.text = claims.text
        self.grounds = grounds
        self.amounts, self.counts, self.minutes = Stated(), Stated(), Stated()
        self.days: list[Day] = []
        self.day_places = Stated()
        self.percents: list[Decimal] = []
        self.is_chinese = not claims.text.isascii()
        missing = {value.start for value in unknown}
        for value in claims.values:
            if value.start not in missing:
                self.add(value)
        for value in _values_of(claims.text):
            if value.kind in ("count", "number") and value.value is not None and 1 < value.value <= 1000:
                self.counts.add(value.start, int(value.value))

    def add(self, value: Mention) -> None:
        """Take a grounded value as an operand."""
        match value.kind:
            case "money" | "number" if value.value is not None:
                self.amounts.add(value.start, cents(value.value))
            case "date":
                for day in (value.value, value.until):
                    if day is not None:
                        self.days.append(self._with_year(day))
                        self.day_places.add(value.start, len(self.days) - 1)
            case "time":
                self.minutes.add(value.start, min(minutes_of(self.text, value)))
            case "percent" if (percent := _percent(self.text, value)) is not None and len(self.percents) < 8:
                self.percents.append(percent)

    def _with_year(self, day: Day) -> Day:
        """A day of the answer without a year has that of the document's day."""
        if day.year or day.month is None:
            return day
        known = (each for ground in self.grounds for each in ground.days)
        years = {each.year for each in known if (each.month, each.day) == (day.month, day.day)}
        return Day(years.pop(), day.month, day.day) if len(years) == 1 else day

    def follows(self, value: Mention) -> bool:
        """Whether the value can be reckoned from grounded ones."""
        match value.kind:
            case "money" | "number" if value.value is not None:
                return self._is_amount(value)
            case "percent":
                return self._is_percent(value)
            case "date":
                return self._is_later(value)
            case "count":
                return self._is_percent(value) if value.unit == "percent" else self._is_count(value)
        return False

    def _is_later(self, value: Mention) -> bool:
        """A date that is a period of the document after one of its days."""
        day = value.value
        if day is None or value.until is not None or not day.is_whole:
            return False
        if not derivations.names_a_deadline(self._around(value)):
            return False
        grounds = [ground for ground in self.grounds if len(ground.days) <= 24]
        return any(
            derivations.is_after(day, known, count, unit)
            for ground in grounds
            for known in ground.days
            for count, unit in ground.periods[:12]
        )

    def _around(self, value: Mention) -> str:
        """The words of the clause around a value."""
        reach = 14 if self.is_chinese else 40
        before = re.split(r"[。;\n]", self.text[max(0, value.start - reach) : value.start])[-1]
        return before + "\0" + re.split(r"[,。;\n]", self.text[value.end : value.end + reach])[0]

    def _is_amount(self, value: Mention) -> bool:
        amount = cents(value.value)
        near = self.amounts.near(value.start)
        if derivations.is_sum(amount, value.start, self.amounts):
            return True
        counts = self.counts.near(value.start, 3)
        if derivations.is_product(amount, near, counts) or derivations.is_part(amount, near, self.percents, counts):
            return True
        return self._follows_from_document(value, amount, counts)

    def _follows_from_document(self, value: Mention, amount: int, counts: Sequence[int]) -> bool:
        """Operands that the answer only names ("in total", "still owed"), or a figure too precise for chance."""
        digits = len(value.value.normalize().as_tuple().digits)
        for ground in self.grounds:
            is_total = amount in ground.sums or derivations.is_product(amount, ground.amounts[:12], counts)
            if is_total and (amount in ground.sums and digits >= 3 or TOTAL.search(self._around(value))):
                return True
            if amount in ground.differences and (digits >= 4 or REST.search(self._around(value))):
                return True
        return False

    def _is_percent(self, value: Mention) -> bool:
        percent = _percent(self.text, value)
        if percent is None:
            return False
        around = self._around(value)
        of_rest = REST.search(around) is not None
        stated = [*self.amounts.near(value.start)]
        if derivations.is_share(percent, stated, of_rest=of_rest):
            return True
        if derivations.is_share(percent, self.counts.near(value.start, 3), of_rest=of_rest):
            return True
        known = [amount for ground in self.grounds for amount in ground.amounts[:13]]
        known += [cents(number) for ground in self.grounds for number in ground.counts if number > 1][:6]
        if len(known) > 18:
            return False
        figures = [*stated, *(100 * count for count in self.counts.near(value.start, 3))]
        if derivations.names_a_share(around) and derivations.is_share_of(percent, figures, known, of_rest=of_rest):
            return True
        return derivations.may_be_share(percent, around) and derivations.is_share(percent, known, of_rest=of_rest)

    def _whole_span(self, value: Mention) -> tuple[Decimal, str]:
        """1小时25分钟 is 85 minutes, whichever part is looked at."""
        if value.unit in ("分钟", "分", "minutes") and (hours := _HOURS.search(self.text[: value.start][-20:])):
            return value.value + 60 * (numerals(hours[1])[0].value or 0), "分钟"
        if value.unit in ("小时", "个小时", "hours") and (minutes := _MINUTES.match(self.text, value.end)):
            return value.value * 60 + (numerals(minutes[1])[0].value or 0), "分钟"
        return value.value, value.unit

    def _is_reckoned_count(self, value: Mention) -> bool:
        """The total of the counts that the sentence states, or the sum or the rest of two counts of the document."""
        around = self._around(value)
        is_total, is_rest = TOTAL.search(around) is not None, REST.search(around) is not None
        if is_total and self._is_total_of_counts(value):
            return True
        if not is_total and not is_rest:
            return False
        known = [number for ground in self.grounds for number in _numbers_of(ground, value.unit)]
        pairs = list(combinations(known, 2)) if len(known) <= 12 else []
        is_sum = is_total and any(one + two == value.value for one, two in pairs)
        return is_sum or (is_rest and any(abs(one - two) == value.value for one, two in pairs))

    def _is_total_of_counts(self, value: Mention) -> bool:
        """Whether the counts of the sentence before it add up to this one."""
        start = max(self.text.rfind(mark, 0, value.start) for mark in "。;\n")
        parts = [
            each.value
            for each in mentions(self.text)
            if start < each.start < value.start and each.kind in ("count", "number") and each.value is not None
        ]
        return len(parts) > 1 and sum(parts) == value.value

    def _is_count(self, value: Mention) -> bool:
        """A span of time between two moments, or as many payments as the answer lists."""
        days = [self.days[at] for at in self.day_places.near(value.start, 4)]
        clocks = self.minutes.near(value.start, 4)
        number, unit = self._whole_span(value)
        if derivations.is_span(number, unit, days, clocks):
            return True
        if self._is_reckoned_count(value):
            return True
        amounts = self.amounts.near(value.start, 4)
        if any(one == two * value.value for one in amounts for two in amounts):
            return True
        if same_measure(value.unit, "次") and value.value in (len(self.amounts.values), len(self.days)):
            return True
        if not derivations.names_a_span(self._around(value)):
            return False
        return any(
            len(ground.days) <= 12
            and derivations.is_span(number, unit, ground.days, sorted(ground.minutes)[:8])
            for ground in self.grounds
        )


# ----- names and places


def _proper_names(claims: _Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for name, start in claims.names:
        if not any(is_known_name(name, ground.text) for ground in grounds):
            yield Invented(name, "name", start, start + len(name))
    for place in claims.places:
        if not any(is_known_place(place, ground.key) for ground in grounds):
            yield Invented(place.text, "place", place.start, place.start + len(place.text))


def _outermost(found: Sequence[Invented]) -> Iterator[Invented]:
    """Without those that lie inside another; `found` is in order, the longer first."""
    end = -1
    for each in found:
        if each.end > end:
            end = each.end
            yield each
