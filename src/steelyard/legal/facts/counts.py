"""Judging counts: a number with a measure word that fits the question."""

import re
from decimal import Decimal
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.facts.selection import select_value
from steelyard.legal.facts.statements import doubt
from steelyard.legal.facts.verdict import Case, FieldVerdict, inexact
from steelyard.lexicon import lexicon
from steelyard.text.measures import is_measure, same_measure
from steelyard.text.mentions import Mention, mentions

_WORDS: Final = lexicon("facts")
_NOTHING_ELSE: Final = re.compile(r"[\s。,.!]{0,8}")


def judge_count(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer gives this number of what was asked about."""
    if _WORDS["not_one"].search(answer) and not doubt(answer):
        return FieldVerdict(expected == 0, Message("legal.says_none"))
    values = _asked_values(case.question, answer)
    if not values and expected == 0 and _WORDS["none"].search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_none"))
    value, verdict = select_value(case.question, answer, values, numbers(answer))
    if value is None:
        return verdict
    if not value.is_exact or value.approx:
        return FieldVerdict(False, inexact(value, "approximate"))
    if value.value != Decimal(int(expected)):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=int(expected)))
    return verdict


def numbers(text: str) -> list[Mention]:
    """The counts and bare numbers in a normalised text."""
    return [value for value in mentions(text) if value.kind in ("count", "number")]


def _asked_measure(question: str) -> str:
    """The measure word in a question, or ""."""
    match = _WORDS["asked_measure"].search(question) or _WORDS["number_of"].search(question)
    return match[1].lower() if match else ""


def _asked_values(question: str, answer: str) -> list[Mention]:
    """The numbers that can answer the question: counts of the asked thing, else other counts, else bare numbers."""
    wanted = _asked_measure(question)
    values = [value for value in numbers(answer) if _fits(wanted, value, answer)]
    named = [value for value in values if wanted and _is_asked(wanted, value, answer)]
    alike = [value for value in values if wanted and value.kind == "count" and same_measure(wanted, value.unit)]
    not_years = [
        value for value in values if value.unit or not thresholds.YEARS[0] <= (value.value or 0) <= thresholds.YEARS[1]
    ]
    return named or alike or not_years or values


def _is_asked(wanted: str, value: Mention, answer: str) -> bool:
    """Whether the counted thing is the asked one, by its measure word or the stem of its English noun."""
    if _WORDS["of_whom"].search(answer, max(0, value.start - 12), value.start):
        return True
    if not value.unit or not wanted.isascii():
        return value.unit == wanted
    behind = _WORDS["noun_end"].split(answer[value.end - len(value.unit) : value.end + 24].lower())[0]
    return any(word[:5] == wanted[:5] for word in (value.unit, *re.findall("[a-z]+", behind)[:3]))


def _fits(wanted: str, value: Mention, answer: str) -> bool:
    """Whether a number counts the asked class of things; a bare number does, unless it is part of a word (一共)."""
    if value.kind == "number":
        is_figure = value.text[0].isdigit() or value.text.isascii() or (len(value.text) > 1 and not value.is_exact)
        is_measured = bool(wanted) and answer.startswith(wanted, value.end)  # 一百零八具
        return (
            is_figure or is_measured or _NOTHING_ELSE.fullmatch(answer[: value.start] + answer[value.end :]) is not None
        )
    return not wanted or same_measure(wanted, value.unit) or not (is_measure(wanted) or is_measure(value.unit))
