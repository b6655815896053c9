"""Judging counts: a number with a measure word that fits the question."""

import re
from decimal import Decimal
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.amounts import FieldVerdict
from steelyard.legal.facts.clauses import doubt
from steelyard.legal.facts.selection import select_value
from steelyard.legal.wording import LOOSE, named
from steelyard.text.measures import is_measure, same_measure
from steelyard.text.mentions import Mention, mentions

_ASKED: Final = re.compile(
    r"(?:几|多少|\bhow many\b)\s*(人次|个月|个人|个小时|小时|分钟|[\u4e00-\u9fff]|[a-z]+)", re.IGNORECASE
)
_NUMBER_OF: Final = re.compile(r"([人次户页份件])数")
_OF_WHOM: Final = re.compile(r"(?:\bof (?:whom|which|them|these)|其中)\s?$", re.IGNORECASE)
_NOUN_END: Final = re.compile(r"[,.;:(\d]|\b(?:and|or|in|of|from|with|by|at)\b")
_NEVER: Final = re.compile(
    r"一[次回个人份笔](?:都|也)?(?:没有?|未)|从未|从来没有?|没有(?:去|收|给|签|见|打|来|发生)?过?|未曾|"
    r"\bnever\b|\bnone\b|\bno one\b|\bnot once\b|\bzero\b|\bno [a-z-]+(?: [a-z-]+)? (?:were|was|are|is|have|has|had"
    r"|did|took)\b|\b(?:were|are|was|is) no\b",
    re.IGNORECASE,
)
_NOT_ONE: Final = re.compile(r"一[次回个人份笔趟](?:都|也)?(?:没有?|未)|从未|从来没有?|\bnot once\b", re.IGNORECASE)
_WHOLE_ANSWER: Final = re.compile(r"[\s。,.!]*")


def judge_count(expected: int, question: str, answer: str) -> FieldVerdict:
    """Whether the answer gives this number of what was asked about."""
    if _NOT_ONE.search(answer) and not doubt(answer):
        return FieldVerdict(expected == 0, Message("legal.says_none"))
    values = _asked_values(question, answer)
    if not values and expected == 0 and _NEVER.search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_none"))
    numbers = [value for value in mentions(answer) if value.kind in ("count", "number")]
    selection = select_value(question, answer, values, numbers)
    value = selection.mention
    if value is None:
        return FieldVerdict(False, selection.why)
    if not value.is_exact or value.approx:
        return FieldVerdict(
            False, Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose or "approximate"))
        )
    if value.value != Decimal(expected):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=expected))
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def asked_measure(question: str) -> str:
    """The measure word in a question, or ""."""
    match = _ASKED.search(question)
    if match:
        return match[1].lower()
    number = _NUMBER_OF.search(question)
    return number[1] if number else ""


def _asked_values(question: str, answer: str) -> list[Mention]:
    """The numbers that can answer the question: counts of the asked thing, else other counts, else bare numbers."""
    wanted = asked_measure(question)
    values = [value for value in mentions(answer) if _fits(wanted, value, answer)]
    if not wanted:
        return _without_years(values)
    named = [
        value
        for value in values
        if (value.unit and _names_asked(wanted, value, answer))
        or _OF_WHOM.search(answer, max(0, value.start - 12), value.start)
    ]
    alike = [value for value in values if value.kind == "count" and same_measure(wanted, value.unit)]
    return named or alike or _without_years(values)


def _names_asked(wanted: str, value: Mention, answer: str) -> bool:
    """Whether the counted thing is the asked one, by its measure word or the stem of its English noun."""
    if not wanted.isascii():
        return value.unit == wanted
    behind = _NOUN_END.split(answer[value.end - len(value.unit) : value.end + 24].lower())[0]
    words = re.findall("[a-z]+", behind)[:3]
    return any(word[:5] == wanted[:5] for word in (value.unit, *words))


def _without_years(values: list[Mention]) -> list[Mention]:
    """The values without bare numbers that look like years, if others remain."""
    return [value for value in values if value.unit or not 1500 <= (value.value or 0) <= 2100] or values


def _is_all(value: Mention, answer: str) -> bool:
    """Whether the answer consists of this number only."""
    around = len(answer) - len(value.text)
    return around <= 8 and _WHOLE_ANSWER.fullmatch(answer[: value.start] + answer[value.end :]) is not None


def _fits(wanted: str, value: Mention, answer: str) -> bool:
    """Whether a number counts the asked class of things; a bare number does, unless it is part of a word (一共)."""
    if value.kind == "number":
        is_figure = value.text[0].isdigit() or value.text.isascii() or (len(value.text) > 1 and not value.is_exact)
        return is_figure or _is_all(value, answer)
    if value.kind != "count":
        return False
    return not wanted or same_measure(wanted, value.unit) or not (is_measure(wanted) or is_measure(value.unit))
