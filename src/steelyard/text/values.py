"""Values in a text: numbers, measure words and units, and dates, in Chinese and English.

Numbers have digits with groups, Chinese numerals and capitals, mixtures by unit, or English words. 四万二 is 42000 and
四万零二 is 40002; 三四千 is a range, not a number. No library reads all of these correctly. Missing parts of a date are
never filled in from the current date.
"""

import re
from calendar import monthrange
from collections import deque
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple

from steelyard.lexicon import lexicon

_SETS: Final = ("零〇", "一壹弌", "二贰两弍貳", "三叁弎參叄", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
DIGITS: Final = {char: value for value, chars in enumerate(_SETS) for char in chars}
LARGE_UNITS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CHINESE_UNITS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, **LARGE_UNITS}
_TENS: Final = {"廿": 20, "卅": 30}
CHINESE: Final = "".join((*DIGITS, *_CHINESE_UNITS, *_TENS))
"""All Chinese numerals, for a class of characters."""

_PLAIN: Final = r"\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)|\d+(?:\.\d+)?"
_RUN: Final = re.compile(rf"(?:{_PLAIN}|[{CHINESE}]|(?<=[{CHINESE}])点(?=[{''.join(DIGITS)}]))+")
_PART: Final = re.compile(rf"0(?=\d)|{_PLAIN}|.")  # 1百01 is 101

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENFOLDS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES_AND_TENS: Final = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENFOLDS.split(), 2)
}
SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD: Final = f"(?:{'|'.join(sorted((*_ONES_AND_TENS, *SCALES), key=len, reverse=True))})"
NUMBER_WORDS: Final = (
    rf"\b(?:an? (?={'|'.join(SCALES)})|half an? (?=million|billion|dozen))?{_WORD}"
    rf"(?:(?:[ -]|,? and ){_WORD}){{0,24}}\b"
)
"""Pattern of a number in English words."""
_WORD_RUN: Final = re.compile(NUMBER_WORDS, re.IGNORECASE)
LONGEST: Final = 60
"""The longest run of numerals in characters that is read as a number."""


class Numeral(NamedTuple):
    """A number in a text; `value` is None if the words are a range (三四千) or not a number."""

    start: int
    end: int
    text: str
    value: Decimal | None

    @property
    def is_range(self) -> bool:
        """Whether two adjacent digits mean an approximate number."""
        return self.value is None


def numerals(text: str) -> list[Numeral]:
    """Return all numbers of a folded text, in order."""
    digits = [Numeral(run.start(), run.end(), run[0], value_of(run[0])) for run in _RUN.finditer(text)]
    words = [Numeral(run.start(), run.end(), run[0], _english(run[0])) for run in _WORD_RUN.finditer(text)]
    return sorted([*digits, *words], key=lambda numeral: numeral.start) if words else digits


def value_of(run: str) -> Decimal | None:
    """Return the value of a run of digits and numerals; None if it is a range, invalid or too long."""
    if len(run) > LONGEST:
        return None
    if run.isascii() and run.isdigit():
        return Decimal(run)
    parts = [Decimal(part.replace(",", "")) if part.isascii() else part for part in _PART.findall(run)]
    if len(parts) == 1 and isinstance(parts[0], Decimal):
        return parts[0]
    if all(part in DIGITS for part in parts):
        return _positional([DIGITS[str(part)] for part in parts])
    return _composed(_merged_points(parts))


def _positional(digits: list[int]) -> Decimal | None:
    """Read 二〇二〇 digit by digit; two digits without a zero (三四) are a range."""
    if len(digits) == 2 and 0 not in digits and digits[1] == digits[0] + 1:
        return None
    return Decimal(int("".join(map(str, digits))))


def _merged_points(parts: list[Decimal | str]) -> list[Decimal | str]:
    """Read 一点八 as 1.8."""
    if "点" not in parts:
        return parts
    point = parts.index("点")
    after = next((index for index in range(point + 1, len(parts)) if parts[index] not in DIGITS), len(parts))
    integer = DIGITS.get(str(parts[point - 1])) if point else None
    if integer is None:
        return parts
    fraction = "".join(str(DIGITS[str(part)]) for part in parts[point + 1 : after])
    return [*parts[: point - 1], Decimal(f"{integer}.{fraction}"), *parts[after:]]


def _composed(parts: list[Decimal | str]) -> Decimal | None:
    """Add up digits by their units: 一亿二千万, 4万2千; a last digit has the next lower unit, unless after a zero."""
    total = section = Decimal(0)  # of 亿 and 万, and below them
    pending: Decimal | None = None  # a digit whose unit has not been read yet
    last_unit, after_zero = 0, False
    for part in parts:
        if isinstance(part, Decimal) or part in DIGITS:
            if pending is not None:
                return None
            number = part if isinstance(part, Decimal) else Decimal(DIGITS[part])
            pending, after_zero = number or None, after_zero or number == 0
        elif part in _TENS:
            section, last_unit = section + _TENS[part], 10
        elif part in _CHINESE_UNITS:
            unit = _CHINESE_UNITS[part]
            if part in LARGE_UNITS:
                section = section + (pending or 0) or Decimal(0 if total else 1)
                total, section = (total + section) * unit if unit == 10**8 else total + section * unit, Decimal(0)
            else:
                section += (1 if pending is None else pending) * unit
            pending, last_unit, after_zero = None, unit, False
        else:
            return None
    if pending is None:
        return total + section
    is_short = last_unit > 10 and not after_zero and pending < 10 and pending % 1 == 0
    return total + section + pending * (last_unit // 10 if is_short else 1)


def _english(run: str) -> Decimal | None:
    """Read English words: forty-two thousand and five is 42005, half a million 500000, two dozen 24.

    Words that do not add up (one two three, twenty twenty-four) are no number.
    """
    total = section = Decimal(0)
    share = Decimal("0.5") if run.lower().startswith("half ") else Decimal(1)
    for word in re.findall("[a-z]+", run.lower()):
        if word in _ONES_AND_TENS:
            value = _ONES_AND_TENS[word]
            if section % 100 and not (section % 10 == 0 and section % 100 > 10 > value):
                return None
            section += value
        elif word in ("hundred", "dozen"):
            section = (section or Decimal(1)) * SCALES[word]
        elif word in SCALES:
            total, section = total + (section or Decimal(1)) * SCALES[word], Decimal(0)
    return (total + section) * share


Kind = Literal[
    "address", "id", "phone", "card", "serial", "date", "version", "time", "score", "percent", "age", "ordinal",
    "money", "count", "number",
]  # fmt: skip
"""An address is a URL, a host, an e-mail address, a file name or an option of a command."""

NEAR: Final = 12
"""Characters beside a value in which Chinese words qualify it, such as 约 or 以上."""
NEAR_WORDS: Final = 40
"""The same before it in English, whose words are longer."""
_TAKEN: Final = "\0"


class Day(NamedTuple):
    """A date; parts that the text does not give are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it specifies one day."""
        return None not in self

    @property
    def is_possible(self) -> bool:
        if self.month is not None and not 1 <= self.month <= 12:
            return False
        longest = monthrange(self.year or 2000, self.month)[1] if self.month else 31
        return self.day is None or 1 <= self.day <= longest

    def agrees(self, other: "Day") -> bool:
        """Return whether the common parts are equal, and this gives no part that the other lacks."""
        return all(one is None or one == two for one, two in zip(self, other, strict=True))

    def isoformat(self) -> str:
        """Return YYYY-MM-DD, with ?? for missing parts."""
        year = f"{self.year:04}" if self.year else "????"
        return "-".join((year, *(f"{part:02}" if part else "??" for part in (self.month, self.day))))


class Mention(NamedTuple):
    """A value in a normalised text. `value` is a text, a Decimal, or a Day; None if it is a range or impossible.

    `loose` says why it is no exact value ("" if it is one), `approx` that 约 or 左右 stands beside it, `unit` is the
    measure word (of a rate 次/秒) or the currency, `until` the end of a range of dates.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: Any = None
    unit: str = ""
    loose: str = ""
    approx: bool = False
    until: Day | None = None

    @property
    def is_exact(self) -> bool:
        """Whether it is a single value."""
        return not self.loose and self.value is not None


def blanked(text: str, mentions: Iterable[Mention]) -> str:
    """Return the text with a mark in place of each character of these mentions, so that no other kind takes them."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted((mention.start, mention.end) for mention in mentions):
        pieces += (text[at:start], _TAKEN * (end - max(at, start)))
        at = max(at, end)
    return "".join((*pieces, text[at:]))


_WORDS: Final = lexicon("values")
_CLASSES: Final = [entry["words"].split() for name, entry in _WORDS.entries() if name == "interchangeable"]
_CLASS_OF: Final = {unit: number for number, units in enumerate(_CLASSES) for unit in units}
_NOT_GENERAL: Final = {_CLASS_OF[unit] for unit in _WORDS.words("not_general")}
_GENERAL: Final = "个"
_KNOWN: Final = _WORDS.words("measure") | _CLASS_OF.keys()
MEASURES: Final = {unit for unit in _KNOWN if not unit.isascii()} - {"日", "月", "度"}
"""The measure words that make any number a count; 日 and 月 make it a date."""


def is_measure(unit: str) -> bool:
    """Return whether a word is a measure word, or a rate of one (次/秒)."""
    return unit.partition("/")[0] in _KNOWN


def same_measure(one: str, two: str) -> bool:
    """Return whether two measure words are interchangeable; 个 counts everything except occurrences and durations.

    Rates differ if both name a period and the periods differ: 次/秒 and 次/分钟.
    """
    (first, _, period), (second, _, other) = one.partition("/"), two.partition("/")
    if period and other and not _is_same(period, other):
        return False
    if _is_same(first, second):
        return True
    return _GENERAL in (first, second) and _CLASS_OF.get(second if first == _GENERAL else first) not in _NOT_GENERAL


def _is_same(one: str, two: str) -> bool:
    return one == two or _CLASS_OF.get(one, one) == _CLASS_OF.get(two, two)


_N: Final = f"[{CHINESE}]"
_YEAR: Final = (
    rf"(?P<y>(?:1[5-9]|20)\d{{2}}|(?<!{_N})(?:{_N}{{4}}|[一二]千{_N}{{1,6}}(?=年[\d{CHINESE}]{{1,3}}月))|同|次|翌)年"
)
_MONTH: Final = rf"(?P<m>\d{{1,2}}|{_N}{{1,3}})月"
_DAY: Final = rf"(?P<d>\d{{1,2}}|{_N}{{1,4}})(?:{_WORDS.source('day_mark')})"
_NAME: Final = rf"(?=[a-z])(?<![a-z])(?P<M>{_WORDS.source('month')})\.?"
_ORDINAL: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_AD: Final = r"(?P<y>(?:1[5-9]|20)\d{2})"
_UNTIL: Final = f"(?:{_WORDS.source('until')})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?:{_MONTH}(?:{_DAY})?)?",
        rf"(?<![\dA-Za-z]){_AD}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?!\d)(?:T\d{{2}}:\d{{2}}\S{{0,20}})?",
        r"(?<![\dA-Za-z])(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\dA-Za-z])",
        rf"{_NAME}\s{{1,3}}(?:the )?{_ORDINAL},?\s{{1,3}}{_AD}(?!\d)",
        rf"(?<![0-9A-Za-z])(?:(?<![/.-])(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s?{_UNTIL}\s?)?"  # 3 to 19 August 2022
        rf"{_ORDINAL}[\s-]{{1,3}}(?:day\s)?(?:of\s)?{_NAME},?[\s-]{{1,3}}{_AD}(?!\d)",
        r"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d{2})(?![\d/])",
        rf"{_NAME},?\s{{1,3}}(?:of )?{_AD}(?!\d)",
        rf"{_MONTH}{_DAY}",
        rf"(?<!(?<!\d)\d\s)(?<!(?<!\d)\d\d\s){_NAME}\s{{1,3}}{_ORDINAL}\b",  # not in 12 Dec 10
        rf"(?<![0-9A-Za-z]){_ORDINAL}\s{{1,3}}(?:of\s)?{_NAME}(?![a-z])",
        rf"(?P<r>同月){_DAY}",
        rf"(?<![\d{CHINESE}第]){_MONTH}",
    )
)
"""In order of precedence."""
_SHORT_END: Final = re.compile(rf"(?P<m>\d{{1,2}})[./](?P<d>\d{{1,2}})(?![\d./])|(?P<lone>\d{{1,2}}|{_N}{{1,3}})[日号]")
_JOIN: Final = re.compile(rf"\s*(?:起\s*)?(?:,\s*)?{_UNTIL}\s*(?:on\s+)?", re.IGNORECASE)
_BEFORE, _AFTER = 24, 8  # characters beside a date in which words qualify it
_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"
_YEARS_LATER: Final = {"同": 0, "次": 1, "翌": 1}


def find_dates(text: str) -> list[Mention]:
    """Return all dates of a normalised text, in order; the ends of a range are one entry."""
    all_dates = [Mention("date", *day.span(), day[0], loose="lunar") for day in _WORDS["lunar_day"].finditer(text)]
    plain = blanked(text, all_dates)
    dates: list[Mention] = []
    for match in _matches(plain):
        day = _day(match, dates[-1].value if dates else Day())
        first = match.groupdict().get("first")
        begun, until = (day._replace(day=int(first)), day) if first else (day, None)
        dates.append(_qualified(plain, Mention("date", *match.span(), match[0], begun, until=until)))
    for date in _joined(plain, dates):
        loose = date.loose or ("" if date.value.is_whole else "coarse")
        all_dates.append(date._replace(value=date.value if date.value.is_possible else None, loose=loose))
    return all_dates


def _matches(text: str) -> list[re.Match[str]]:
    """Return the matches of the forms, in order; of two that overlap the one of the earlier form."""
    taken = bytearray(len(text))
    matches = []
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                matches.append(match)
    return sorted(matches, key=re.Match.start)


def _day(match: re.Match[str], last: Day) -> Day:
    """Return the date of a match; 同年 and 同月 refer to the date before it, 次年 and 翌年 to the year after."""
    parts = match.groupdict()
    if "a" in parts:
        return _slashed(int(parts["a"]), int(parts["b"]), int(parts["y"]))
    year, day = parts.get("y"), _whole(parts.get("d"))
    if parts.get("r"):
        return Day(last.year, last.month, day)
    month = _MONTHS.find(parts["M"][:3].lower()) // 3 + 1 if parts.get("M") else _whole(parts.get("m"))
    if year in _YEARS_LATER:
        return Day(None if last.year is None else last.year + _YEARS_LATER[year], month, day)
    return Day(_whole(year), month, day)


def _slashed(first: int, second: int, year: int) -> Day:
    """Read 30/8/2020 and 8/30/2020, which are unambiguous; 5/6/2020 is ambiguous and has no day."""
    if first > 12 >= second:
        return Day(year, second, first)
    return Day(year, first, second) if second > 12 or first == second else Day(year)


def _whole(text: str | None) -> int | None:
    value = value_of(text) if text else None
    return None if value is None else int(value)


def _qualified(text: str, date: Mention) -> Mention:
    """Return whether the words beside a date make it a bound, a part of a month, approximate or lunar."""
    before, after = text[max(0, date.start - _BEFORE) : date.start], text[date.end : date.end + _AFTER]
    part = _WORDS["part_of_month"].match(after) if date.value.day is None else None
    loose = "vague" if part else ""
    if _WORDS["lunar"].search(before):
        loose = "lunar"
    elif _WORDS["date_bound_before"].search(before) or _WORDS["date_bound_after"].match(
        after, part.end() if part else 0
    ):
        loose = "bound"
    approx = bool(_WORDS["approx_after"].match(after) or _WORDS["approx_before"].search(before))
    return date._replace(loose=loose, approx=approx)


def _joined(text: str, dates: list[Mention]) -> list[Mention]:
    """Join a date to the next if only a word for "to" is between them; the end inherits year and month."""
    joined: list[Mention] = []
    rest = deque(dates)
    while rest:
        begun = rest.popleft()
        until = None if begun.until else _end_of_range(text, begun, rest[0] if rest else None)
        if until is not None:
            if rest and until.start == rest[0].start:
                rest.popleft()
            loose = "" if begun.loose == "bound" and not until.loose else begun.loose or until.loose
            day = begun.value._replace(year=begun.value.year or until.value.year)
            words = text[begun.start : until.end]
            begun = begun._replace(end=until.end, text=words, value=day, until=until.value, loose=loose)
        joined.append(begun)
    return joined


def _end_of_range(text: str, begun: Mention, following: Mention | None) -> Mention | None:
    join = _JOIN.match(text, begun.end)
    if join is None:
        return None
    if following is not None and following.start == join.end():
        end = following
    elif short := _SHORT_END.match(text, join.end()):  # 2020.7.8-7.26, 8月3日至5日
        day = Day(None, _whole(short["m"]), _whole(short["d"] or short["lone"]))
        end = Mention("date", *short.span(), short[0], day)
    else:
        return None
    day = end.value._replace(year=end.value.year or begun.value.year, month=end.value.month or begun.value.month)
    return end._replace(value=day, end=end.end + text.startswith("止", end.end))
