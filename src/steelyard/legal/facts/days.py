"""Judging dates and date ranges by value; coarser dates, bounds and lunar dates are wrong."""

import re
from collections.abc import Mapping
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal.facts.selection import asked_roles, select_value
from steelyard.legal.facts.statements import asserted_values, doubt
from steelyard.legal.facts.verdict import Case, FieldVerdict, inexact
from steelyard.lexicon import lexicon
from steelyard.text.dates import Day
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

_WORDS: Final = lexicon("facts")
_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def day_of(text: str) -> Day | None:
    """A date in a typed field: YYYY-MM-DD, or any notation of a day."""
    match = _ISO.fullmatch(text.strip()[:10])
    days = [value.value for value in date_values(normalise(text)) if value.is_exact] if not match else []
    day = Day(*map(int, match.groups())) if match else days[0] if len(days) == 1 else None
    return day if day is not None and day.is_possible else None


def date_values(text: str) -> list[Mention]:
    """The dates in a normalised text, without lunar dates if there is a Gregorian one."""
    dates = [mention for mention in mentions(text) if mention.kind == "date"]
    return [mention for mention in dates if mention.loose != "lunar"] or dates


def asserted_dates(text: str) -> list[Mention]:
    """The dates that a normalised text asserts."""
    return asserted_values(text, date_values(text))


def judge_date(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer to the question is this day."""
    wanted, question, exact = day_of(str(expected)), case.question, case.rules.date_exact
    if wanted is None:
        return FieldVerdict(False, Message("legal.expected_date_none", value=repr(expected)))
    values = [_with_year_of(question, _asked_end(question, value)) for value in date_values(answer)]
    full = [value for value in values if value.value is not None and value.value.is_whole and value.until is None]
    value, verdict = select_value(question, answer, full or values)
    if value is None:
        return verdict
    if value.until is not None:
        return FieldVerdict(False, Message("legal.is_range", text=value.text))
    if value.value is None or value.loose == "lunar":
        return FieldVerdict(False, Message("legal.not_day_of_calendar", text=value.text))
    if exact and value.loose:
        return FieldVerdict(False, inexact(value))
    if value.value != wanted and (exact or not value.value.agrees(wanted)):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=wanted.isoformat()))
    if exact and value.approx:
        return FieldVerdict(False, Message("legal.only_approximate", text=value.text))
    return verdict


def _asked_end(question: str, value: Mention) -> Mention:
    """A range reduced to the end that the question asks for; any other date as it is."""
    if value.until is not None and "ended" in asked_roles(question):
        return value._replace(value=value.until, until=None)
    return value._replace(until=None) if "begun" in asked_roles(question) else value


def _with_year_of(question: str, value: Mention) -> Mention:
    """The date with the year of the question, if it has none."""
    years = {date.value.year for date in date_values(question) if date.value is not None and date.value.year}
    day = value.value
    if day is None or day.year is not None or len(years) != 1 or day.month is None or day.day is None:
        return value
    loose = "" if value.loose == "coarse" else value.loose
    year = years.pop() + (1 if _WORDS["next_year"].match(value.text) else 0)
    return value._replace(value=Day(year, day.month, day.day), loose=loose)


def ends_of(given: Mapping[str, Any]) -> tuple[Day | None, Day | None]:
    """The start and the end of a range in a typed field, in any notation."""
    start, end = (str(given.get(bound, "")) for bound in ("start", "end"))
    return day_of(start), day_of(end)


def judge_range(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer gives this range; two days that are only listed are not a range."""
    start, end = ends_of(expected)
    if start is None or end is None:
        return FieldVerdict(False, Message("legal.expected_range_none", value=repr(expected)))
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    values = asserted_dates(answer)
    ranges = [value for value in values if value.until is not None] or _labelled(answer, values)
    if len({(value.value, value.until) for value in ranges}) != 1:
        return FieldVerdict(False, Message("legal.no_range") if not ranges else Message("legal.several_ranges"))
    value = ranges[0]
    if value.loose or value.value is None:
        return FieldVerdict(False, inexact(value, "impossible"))
    if (value.value, value.until) != (start, end):
        wanted = {"start": start.isoformat(), "end": end.isoformat()}
        return FieldVerdict(False, Message("legal.is_not_range", text=value.text, **wanted))
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def _labelled(text: str, values: list[Mention]) -> list[Mention]:
    """A range made of two dates, one labelled as the beginning and one as the end."""
    if len(values) != 2:
        return []
    first, second = values
    before, between = text[: first.start], text[first.end : second.start]
    from_day, to_day = _WORDS["from_day"], _WORDS["to_day"]
    is_labelled = (from_day.search(before) or from_day.search(between)) and to_day.search(between + text[second.end :])
    if not is_labelled or between.strip() in tuple("、和及,") or first.loose not in ("", "bound"):
        return []
    return [Mention("date", first.start, second.end, text[first.start : second.end], first.value, until=second.value)]
