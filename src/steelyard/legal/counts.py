"""Counts: a number with a measure word that fits the question."""

import re
from decimal import Decimal
from typing import Final

from steelyard.legal.amounts import Judged
from steelyard.legal.clauses import doubt
from steelyard.legal.settling import settle
from steelyard.text.mentions import Mention, mentions

# measure words of one class may stand for each other
# fmt: off
_CLASSES: Final = (
    frozenset((
        "次", "回", "趟", "遍", "笔", "起", "顿", "轮", "场", "人次", "times", "time", "occasions", "occasion",
        "payments",
        "payment", "instalments", "installments", "meetings", "visits", "trips", "calls",
    )),
    frozenset((
        "人", "个", "名", "位", "口", "people", "persons", "person", "men", "women", "witnesses", "witness",
        "employees",
        "workers", "guests",
    )),
    frozenset(("份", "张", "本", "页", "封", "copies", "copy", "documents", "document", "pages", "letters",
    "contracts")),
    frozenset(("台", "辆", "部", "架", "艘", "vehicles", "vehicle", "cars", "car", "machines", "trucks", "vessels")),
    frozenset((
        "天", "日", "个月", "年", "小时", "分钟", "days", "day", "months", "month", "years", "year", "hours", "hour",
        "weeks",
        "minutes",
    )),
    frozenset(("件", "套", "只", "把", "根", "条", "瓶", "箱", "盒", "包", "项", "种", "批", "块", "枚", "items",
    "item", "boxes")),
    frozenset(("家", "间", "处", "户", "栋", "幢", "层", "shops", "rooms", "houses", "companies")),
)
# fmt: on
_GENERAL: Final = frozenset(("个", ""))
_ASKED: Final = re.compile(r"(?:几|多少|\bhow many\b)\s*(人次|个月|小时|分钟|[\u4e00-\u9fff]|[a-z]+)", re.IGNORECASE)
_NEVER: Final = re.compile(
    r"一[次回个人份笔](?:都|也)?(?:没有?|未)|从未|从来没有?|没有(?:去|收|给|签|见|打|来|发生)?过?|未曾|"
    r"\bnever\b|\bnone\b|\bno one\b|\bnot once\b",
    re.IGNORECASE,
)
_WHOLE_ANSWER: Final = re.compile(r"[\s。,.!]*")


def judge_count(expected: int, question: str, answer: str) -> Judged:
    """Whether the answer gives this number of what was asked about."""
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
            or (len(value.text) > 1 and not value.is_exact)
            or bool(_WHOLE_ANSWER.fullmatch(rest))
        )
    if value.kind != "count":
        return False
    unit = value.unit.lower()
    asked = next((each for each in _CLASSES if wanted in each), None)
    given = next((each for each in _CLASSES if unit in each or unit.split(" ")[0] in each), None)
    if asked is None or given is None:
        return asked is given or wanted == unit or unit in _GENERAL or not wanted
    return asked is given or unit in _GENERAL or wanted in _GENERAL
