"""Counts: a number with a measure word that fits the question."""

import re
from decimal import Decimal
from typing import Final

from steelyard.legal.amounts import Judged
from steelyard.legal.clauses import doubt
from steelyard.legal.settling import settle
from steelyard.text.measures import is_measure, same_measure
from steelyard.text.mentions import Mention, mentions

_ASKED: Final = re.compile(
    r"(?:几|多少|\bhow many\b)\s*(人次|个月|个人|个小时|小时|分钟|[\u4e00-\u9fff]|[a-z]+)", re.IGNORECASE
)
_NEVER: Final = re.compile(
    r"一[次回个人份笔](?:都|也)?(?:没有?|未)|从未|从来没有?|没有(?:去|收|给|签|见|打|来|发生)?过?|未曾|"
    r"\bnever\b|\bnone\b|\bno one\b|\bnot once\b",
    re.IGNORECASE,
)
_NOT_ONE: Final = re.compile(r"一[次回个人份笔趟](?:都|也)?(?:没有?|未)|从未|从来没有?|\bnot once\b", re.IGNORECASE)
_WHOLE_ANSWER: Final = re.compile(r"[\s。,.!]*")


def judge_count(expected: int, question: str, answer: str) -> Judged:
    """Whether the answer gives this number of what was asked about."""
    if _NOT_ONE.search(answer) and not doubt(answer):
        return Judged(expected == 0, "the answer says that there was none")
    wanted = asked_measure(question)
    values = [value for value in mentions(answer) if _fits(wanted, value, answer)]
    if not values and expected == 0 and _NEVER.search(answer) and not doubt(answer):
        return Judged(True, "the answer says that there was none")
    settled = settle(question, answer, values)
    found = settled.mention
    if found is None:
        return Judged(False, settled.reason)
    if not found.is_exact or found.approx:
        return Judged(False, f"{found.text} is not exact ({found.loose or 'approximate'})")
    if found.value != Decimal(expected):
        return Judged(False, f"{found.text} is not {expected}")
    return Judged(True, f"the answer says {found.text}")


def asked_measure(question: str) -> str:
    """The measure word that a question asks by, or nothing."""
    found = _ASKED.search(question)
    return found[1].lower() if found else ""


def _fits(wanted: str, value: Mention, answer: str) -> bool:
    """Whether a number is a count of the asked class; numbers alone are, unless they are a part of a word (一共)."""
    if value.kind == "number":
        rest = answer[: value.start] + answer[value.end :]
        return (
            value.text[0].isdigit()
            or value.text.isascii()
            or (len(value.text) > 1 and not value.is_exact)
            or bool(_WHOLE_ANSWER.fullmatch(rest))
        )
    if value.kind != "count":
        return False
    return not wanted or same_measure(wanted, value.unit) or not (is_measure(wanted) or is_measure(value.unit))
