"""Chinese and English dates in a text; missing parts are never filled in from the current date."""

import re
from collections import deque
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.numerals import CHINESE, value_of
from steelyard.text.values import Day, Mention, blanked

__all__ = ["Day", "find_dates"]

_WORDS: Final = lexicon("values")
_N: Final = f"[{CHINESE}]"
_YEAR: Final = rf"(?P<y>(?:1[5-9]|20)\d{{2}}|{_N}{{4}}|同|次|翌)年"
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
        rf"{_NAME}\s{{1,3}}{_ORDINAL}\b",
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
    """All dates of a normalised text, in order; the ends of a range are one entry."""
    found = [Mention("date", *day.span(), day[0], loose="lunar") for day in _WORDS["lunar_day"].finditer(text)]
    plain = blanked(text, found)
    dates: list[Mention] = []
    for match in _matches(plain):
        day = _day(match, dates[-1].value if dates else Day())
        first = match.groupdict().get("first")
        begun, until = (day._replace(day=int(first)), day) if first else (day, None)
        dates.append(_qualified(plain, Mention("date", *match.span(), match[0], begun, until=until)))
    for date in _joined(plain, dates):
        loose = date.loose or ("" if date.value.is_whole else "coarse")
        found.append(date._replace(value=date.value if date.value.is_possible else None, loose=loose))
    return found


def _matches(text: str) -> list[re.Match[str]]:
    """The matches of the forms, in order; of two that overlap the one of the earlier form."""
    taken = bytearray(len(text))
    found = []
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                found.append(match)
    return sorted(found, key=re.Match.start)


def _day(match: re.Match[str], last: Day) -> Day:
    """The date of a match; 同年 and 同月 are the year and month of the date before it, 次年 and 翌年 the year after."""
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
    """30/8/2020 and 8/30/2020 are unambiguous; 5/6/2020 is ambiguous and has no day."""
    if first > 12 >= second:
        return Day(year, second, first)
    return Day(year, first, second) if second > 12 >= first or first == second else Day(year)


def _whole(text: str | None) -> int | None:
    value = value_of(text) if text else None
    return None if value is None else int(value)


def _qualified(text: str, date: Mention) -> Mention:
    """Whether the words beside a date make it a bound, a part of a month, approximate or lunar."""
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
