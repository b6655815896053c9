"""Dates and ranges of dates, by value; coarser is wrong, and so are bounds and lunar dates."""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.amounts import FieldVerdict
from steelyard.legal.facts.clauses import doubt, live
from steelyard.legal.facts.roles import asked_roles
from steelyard.legal.facts.selection import settle
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


def day_of(text: str) -> Day | None:
    """An expected date."""
    found = _ISO.fullmatch(text.strip()[:10])
    day = Day(*(int(part) for part in found.groups())) if found else None
    return day if day is not None and day.is_possible else None


def date_values(text: str) -> list[Mention]:
    """The dates of a normal text, without lunar ones that stand beside a Gregorian one."""
    found = [mention for mention in mentions(text) if mention.kind == "date"]
    gregorian = [mention for mention in found if mention.loose != "lunar"]
    return gregorian or found


@lru_cache(maxsize=1 << 10)
def asserted_dates(text: str) -> tuple[Mention, ...]:
    """The dates that a normal text stands by."""
    return tuple(live(text, date_values(text)))


def judge_date(expected: Day, question: str, answer: str, *, exact: bool = True) -> FieldVerdict:
    """Whether the answer gives this day to the question."""
    values = _exact_first([_with_year_of(question, value) for value in _read_by(question, answer)])
    settled = settle(question, answer, values)
    found = settled.mention
    if found is None:
        return FieldVerdict(False, settled.why)
    if found.until is not None:
        return FieldVerdict(False, Message("legal.is_range", text=found.text))
    if found.value is None or found.loose == "lunar":
        return FieldVerdict(False, Message("legal.not_day_of_calendar", text=found.text))
    if exact and found.loose:
        return FieldVerdict(False, Message("legal.not_exact", text=found.text, why=named(LOOSE, found.loose)))
    if found.value != expected and not (not exact and found.value.agrees(expected)):
        return FieldVerdict(False, Message("legal.is_not", text=found.text, expected=expected.isoformat()))
    if exact and found.approx:
        return FieldVerdict(False, Message("legal.only_approximate", text=found.text))
    return FieldVerdict(True, Message("legal.answer_says", value=found.text))


def _exact_first(values: list[Mention]) -> list[Mention]:
    """Whole days where there are any: years and months beside them are of something else, or say less."""
    whole = [value for value in values if value.value is not None and value.value.is_whole and value.until is None]
    return whole or values


def _read_by(question: str, answer: str) -> list[Mention]:
    """The dates of an answer; 3/5/1972 by the order that the question asks for, a range by the end that it asks for."""
    month_first, day_first = _MONTH_FIRST.search(question), _DAY_FIRST.search(question)
    asked = asked_roles(question)
    found = []
    for value in date_values(answer):
        slashed = _SLASHED.fullmatch(value.text) if month_first or day_first else None
        if slashed:
            first, second, year = (int(part) for part in slashed.groups())
            day = Day(year, first, second) if month_first else Day(year, second, first)
            found.append(replace(value, value=day, loose="") if day.is_possible else value)
        elif value.until is not None and "ended" in asked:
            found.append(replace(value, value=value.until, until=None))
        elif value.until is not None and "begun" in asked:
            found.append(replace(value, until=None))
        else:
            found.append(value)
    return found


def judge_range(start: Day, end: Day, question: str, answer: str) -> FieldVerdict:
    """Whether the answer gives both ends; two days that are merely listed are no range."""
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    values = live(answer, date_values(answer))
    ranges = [value for value in values if value.until is not None] or _labelled(answer, values)
    if len({(value.value, value.until) for value in ranges}) != 1:
        return FieldVerdict(False, Message("legal.no_range") if not ranges else Message("legal.several_ranges"))
    found = ranges[0]
    if found.loose or found.value is None:
        return FieldVerdict(
            False, Message("legal.not_exact", text=found.text, why=named(LOOSE, found.loose or "impossible"))
        )
    if (found.value, found.until) != (start, end):
        return FieldVerdict(
            False, Message("legal.is_not_range", text=found.text, start=start.isoformat(), end=end.isoformat())
        )
    return FieldVerdict(True, Message("legal.answer_says", value=found.text))


def _labelled(text: str, values: list[Mention]) -> list[Mention]:
    """Two dates of which one is called the beginning and the other the end."""
    if len(values) != 2:
        return []
    first, second = values
    before, between = text[: first.start], text[first.end : second.start]
    is_labelled = (_START.search(before) or _START.search(between)) and _END.search(between + text[second.end :])
    if not is_labelled or _LIST.match(between.strip()) or first.loose not in ("", "bound"):
        return []
    return [Mention("date", first.start, second.end, text[first.start : second.end], first.value, until=second.value)]


def _with_year_of(question: str, value: Mention) -> Mention:
    """A date without a year takes the year that the question fixes."""
    years = {each.value.year for each in date_values(question) if each.value is not None and each.value.year}
    day = value.value
    if day is None or day.year is not None or len(years) != 1 or day.month is None or day.day is None:
        return value
    loose = "" if value.loose == "coarse" else value.loose
    year = years.pop() + (1 if _NEXT_YEAR.match(value.text) else 0)
    return replace(value, value=Day(year, day.month, day.day), loose=loose)
