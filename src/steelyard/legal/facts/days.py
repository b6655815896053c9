"""Judging dates and date ranges by value; coarser dates, bounds and lunar dates are wrong."""

import re
from functools import lru_cache
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.amounts import FieldVerdict
from steelyard.legal.facts.clauses import asserted_values, doubt
from steelyard.legal.facts.roles import asked_roles
from steelyard.legal.facts.selection import select_value
from steelyard.legal.wording import LOOSE, named
from steelyard.text.dates import Day
from steelyard.text.mentions import Mention, mentions

_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_LIST: Final = re.compile(r"^[、和及,]$")
_NEXT_YEAR: Final = re.compile("[次翌]年")
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MONTH_FIRST: Final = re.compile(r"MM/DD|月/日/年|month/day", re.IGNORECASE)
_DAY_FIRST: Final = re.compile(r"DD/MM|日/月/年|day/month", re.IGNORECASE)
_START: Final = re.compile(r"(?:起始|开始|起|自|从|开工|入职|\bfrom\b|\bstart\w*\b|\bbeg[ia]n\w*\b)", re.IGNORECASE)
_END: Final = re.compile(r"(?:结束|终止|截止|止|至|到|完工|离职|\bto\b|\bend\w*\b|\buntil\b)", re.IGNORECASE)


@lru_cache(maxsize=1 << 10)
def day_of(text: str) -> Day | None:
    """An expected date."""
    match = _ISO.fullmatch(text.strip()[:10])
    day = Day(*(int(part) for part in match.groups())) if match else None
    return day if day is not None and day.is_possible else None


def date_values(text: str) -> list[Mention]:
    """The dates in a normalised text, without lunar dates if there is a Gregorian one."""
    if not (found := mentions(text)):
        return []
    dates = [mention for mention in found if mention.kind == "date"]
    gregorian = [mention for mention in dates if mention.loose != "lunar"]
    return gregorian or dates


@lru_cache(maxsize=1 << 10)
def asserted_dates(text: str) -> tuple[Mention, ...]:
    """The dates that a normalised text asserts."""
    return tuple(asserted_values(text, date_values(text)))


def judge_date(expected: Day, question: str, answer: str, *, exact: bool = True) -> FieldVerdict:
    """Whether the answer to the question is this day."""
    values = _exact_first([_with_year_of(question, value) for value in _read_by(question, answer)])
    selection = select_value(question, answer, values)
    value = selection.mention
    if value is None:
        return FieldVerdict(False, selection.why)
    if value.until is not None:
        return FieldVerdict(False, Message("legal.is_range", text=value.text))
    if value.value is None or value.loose == "lunar":
        return FieldVerdict(False, Message("legal.not_day_of_calendar", text=value.text))
    if exact and value.loose:
        return FieldVerdict(False, Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose)))
    if value.value != expected and not (not exact and value.value.agrees(expected)):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=expected.isoformat()))
    if exact and value.approx:
        return FieldVerdict(False, Message("legal.only_approximate", text=value.text))
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def _exact_first(values: list[Mention]) -> list[Mention]:
    """The values that are full dates, if there are any; else all values."""
    full = [value for value in values if value.value is not None and value.value.is_whole and value.until is None]
    return full or values


def _read_by(question: str, answer: str) -> list[Mention]:
    """The dates of an answer: 3/5/1972 in the order that the question names, a range reduced to the end it asks for."""
    month_first, day_first = _MONTH_FIRST.search(question), _DAY_FIRST.search(question)
    asked = asked_roles(question)
    dates = []
    for value in date_values(answer):
        slashed = _SLASHED.fullmatch(value.text) if month_first or day_first else None
        if slashed:
            first, second, year = (int(part) for part in slashed.groups())
            day = Day(year, first, second) if month_first else Day(year, second, first)
            dates.append(value._replace(value=day, loose="") if day.is_possible else value)
        elif value.until is not None and "ended" in asked:
            dates.append(value._replace(value=value.until, until=None))
        elif value.until is not None and "begun" in asked:
            dates.append(value._replace(until=None))
        else:
            dates.append(value)
    return dates


def judge_range(start: Day, end: Day, question: str, answer: str) -> FieldVerdict:
    """Whether the answer gives this range; two days that are only listed are not a range."""
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    values = asserted_values(answer, date_values(answer))
    ranges = [value for value in values if value.until is not None] or _labelled(answer, values)
    if len({(value.value, value.until) for value in ranges}) != 1:
        return FieldVerdict(False, Message("legal.no_range") if not ranges else Message("legal.several_ranges"))
    value = ranges[0]
    if value.loose or value.value is None:
        return FieldVerdict(
            False, Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose or "impossible"))
        )
    if (value.value, value.until) != (start, end):
        return FieldVerdict(
            False, Message("legal.is_not_range", text=value.text, start=start.isoformat(), end=end.isoformat())
        )
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def _labelled(text: str, values: list[Mention]) -> list[Mention]:
    """A range made of two dates, one labelled as the beginning and one as the end."""
    if len(values) != 2:
        return []
    first, second = values
    before, between = text[: first.start], text[first.end : second.start]
    is_labelled = (_START.search(before) or _START.search(between)) and _END.search(between + text[second.end :])
    if not is_labelled or _LIST.match(between.strip()) or first.loose not in ("", "bound"):
        return []
    return [Mention("date", first.start, second.end, text[first.start : second.end], first.value, until=second.value)]


def _with_year_of(question: str, value: Mention) -> Mention:
    """The date with the year of the question, if it has none."""
    years = {date.value.year for date in date_values(question) if date.value is not None and date.value.year}
    day = value.value
    if day is None or day.year is not None or len(years) != 1 or day.month is None or day.day is None:
        return value
    loose = "" if value.loose == "coarse" else value.loose
    year = years.pop() + (1 if _NEXT_YEAR.match(value.text) else 0)
    return value._replace(value=Day(year, day.month, day.day), loose=loose)
