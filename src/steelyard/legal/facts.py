"""fact_exact: every expected field, judged by value in structured output and in free text alike."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from steelyard.errors import SystemFailure
from steelyard.formats.outputs import record_of
from steelyard.legal.amounts import (
    AmountRules,
    Judged,
    amount_of,
    amounts,
    items_of,
    judge_amount,
    judge_breakdown,
    same_amount,
    same_items,
)
from steelyard.legal.clauses import are_alternatives, doubt
from steelyard.legal.counts import judge_count
from steelyard.legal.days import date_values, day_of, judge_date, judge_range
from steelyard.legal.names import WRONG_ROLE, judge_name
from steelyard.legal.polarity import judge_boolean, polarity
from steelyard.legal.reading import read
from steelyard.legal.settling import settle
from steelyard.text.mentions import mentions
from steelyard.text.normal import normal

FIELDS: Final = (
    "amount_total",
    "amount_breakdown",
    "date",
    "date_range",
    "count",
    "boolean_answer",
    "entity",
    "text_answer",
)
_RATE_ASKED: Final = re.compile(
    r"每|月租|月薪|日薪|年薪|时薪|单价|\bper\b|\b(?:daily|weekly|monthly|hourly|annual|yearly)\b|\beach\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FactRules:
    """How strictly facts are judged; `source` are the words of the required evidence."""

    numeric_exact: bool = True
    date_exact: bool = True
    approx_policy: str = "credit"
    partial_credit: bool = False
    aliases: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """Whether all fields are right, the share that is, and why; `remarks` are reported and cost nothing."""

    correct: bool
    share: float
    reason: str
    fields: Mapping[str, Judged] = field(default_factory=dict)

    @property
    def uncertain(self) -> bool:
        """Whether rules cannot decide some field."""
        return any(judged.uncertain for judged in self.fields.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """`approx_added`, `approx_dropped`."""
        return tuple(remark for judged in self.fields.values() for remark in judged.remarks)


def judge_fact(
    expected: Mapping[str, Any],
    output: str | Mapping[str, Any],
    *,
    question: str = "",
    rules: FactRules | None = None,
) -> FactVerdict:
    """Judge an answer, free text or a record with typed fields, against the expected fields.

    >>> judge_fact({"amount_total": 42000}, "一共四万二千元", question="一共收了多少钱？").correct
    True
    """
    record = _record(output)
    case = _Case(normal(question), spoken(record.get("answer")), rules or FactRules())
    keys = [key for key in FIELDS if expected.get(key) is not None]
    if "boolean_answer" in keys and not case.rules.partial_credit:
        keys = [key for key in keys if key != "text_answer"]  # beside a boolean it only explains
    judged = {key: _judge_field(key, expected[key], record.get(key), case) for key in keys}
    right = sum(each.correct for each in judged.values())
    share = right / len(judged) if judged else 0.0
    reason = "; ".join(f"{key}: {each.reason}" for key, each in judged.items()) or "nothing is expected"
    return FactVerdict(share == 1.0, share, reason, judged)


def _record(output: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """The output record; JSON that a model wrote as its answer is one too."""
    if not isinstance(output, str):
        return output
    try:
        return record_of(output)
    except SystemFailure:
        return {"answer": output}


def spoken(answer: Any) -> str:
    """The text of an answer as the judges read it; nothing where it is no text."""
    return read(answer).text if isinstance(answer, str) else ""


@dataclass(frozen=True, slots=True)
class _Case:
    question: str
    answer: str
    rules: FactRules

    @property
    def amount_rules(self) -> AmountRules:
        source = normal(self.rules.source)
        currency = _currency(self.question, source)
        is_strict, rate = self.rules.approx_policy == "strict", _RATE_ASKED.search(self.question) is not None
        return AmountRules(currency, self.rules.numeric_exact, is_strict, source, rate)


def _currency(question: str, source: str) -> str:
    """The currency that is meant: the one that question and evidence name, else 元."""
    named = {each.unit for text in (question, source) for each in mentions(text) if each.kind == "money"}
    if re.search(r"美元|美金|\bdollars?\b|\$", question, re.IGNORECASE):
        named.add("USD")
    if len(named) == 1:
        return named.pop()
    return "CNY"


def _judge_field(key: str, expected: Any, given: Any, case: _Case) -> Judged:
    """A field that is given is judged, and the text must not say otherwise; else the text is judged."""
    if given is None or given in ("", []):
        return _JUDGES[key](expected, case.answer, case)
    judged = _judge_given(key, expected, given, case)
    if judged.correct and case.answer and (objection := _objection(key, expected, case)):
        return Judged(False, objection)
    return judged


def _judge_given(key: str, expected: Any, given: Any, case: _Case) -> Judged:
    if isinstance(given, str):
        return _JUDGES[key](expected, normal(given), case)
    match key:
        case "amount_total" | "count":
            number = amount_of(given)
            right = number is not None and same_amount(number, Decimal(str(expected)))
            return Judged(right, f"the field is {given}")
        case "boolean_answer":
            return Judged(given is expected, f"the field is {given}")
        case "amount_breakdown" if isinstance(given, Sequence):
            return Judged(same_items(items_of(given), items_of(expected)), f"the field lists {given}")
        case "date_range" if isinstance(given, Mapping):
            ends = [str(given.get(end, "")) for end in ("start", "end")]
            days = [day_of(_iso(end)) for end in ends]
            wanted = [day_of(str(expected.get(end, ""))) for end in ("start", "end")]
            return Judged(None not in days and days == wanted, f"the field is {' to '.join(ends)}")
    return Judged(False, f"the field is {given!r}")


def _iso(text: str) -> str:
    """A date in any notation as YYYY-MM-DD, or the text itself."""
    found = [value for value in date_values(normal(text)) if value.is_exact]
    return found[0].value.isoformat() if len(found) == 1 else text


def _objection(key: str, expected: Any, case: _Case) -> str:
    """What the text says against a right field: another value, alternatives, or a disclaimer."""
    if word := doubt(case.answer):
        return f"the text disclaims itself ({word!r})"
    if _JUDGES[key](expected, case.answer, case).correct:
        return ""
    values = {"amount_total": amounts, "date": date_values}.get(key)
    if values is not None:
        found = values(case.answer)
        if are_alternatives(case.answer, found):
            return "the text offers alternatives"
        settled = settle(case.question, case.answer, found)
        return f"the text says {settled.mention.text}" if settled.mention else ""
    if key == "boolean_answer":
        said = polarity(case.question, case.answer)
        return "" if said is None or said is expected else "the text says the opposite"
    if key in ("entity", "text_answer"):
        judged = _JUDGES[key](expected, case.answer, case)
        return judged.reason if judged.reason.startswith(WRONG_ROLE) else ""
    if key == "count":
        judged = judge_count(expected, case.question, case.answer)
        return judged.reason if " is not " in judged.reason else ""
    return ""


def _judge_amount(expected: Any, text: str, case: _Case) -> Judged:
    wanted = amount_of(expected)
    if wanted is None:
        return Judged(False, f"the expected amount {expected!r} is no number")
    return judge_amount(wanted, case.question, text, case.amount_rules)


def _judge_breakdown(expected: Any, text: str, case: _Case) -> Judged:
    return judge_breakdown(items_of(expected), case.question, text, case.amount_rules)


def _judge_date(expected: Any, text: str, case: _Case) -> Judged:
    wanted = day_of(str(expected))
    if wanted is None:
        return Judged(False, f"the expected date {expected!r} is none")
    return judge_date(wanted, case.question, text, exact=case.rules.date_exact)


def _judge_range(expected: Any, text: str, case: _Case) -> Judged:
    start, end = (day_of(str(expected.get(each, ""))) for each in ("start", "end"))
    if start is None or end is None:
        return Judged(False, f"the expected range {expected!r} is none")
    return judge_range(start, end, case.question, text)


def _judge_count(expected: Any, text: str, case: _Case) -> Judged:
    return judge_count(int(expected), case.question, text)


def _judge_boolean(expected: Any, text: str, case: _Case) -> Judged:
    return judge_boolean(bool(expected), case.question, text)


def _judge_name(expected: Any, text: str, case: _Case) -> Judged:
    return judge_name(normal(str(expected)), [normal(alias) for alias in case.rules.aliases], case.question, text)


_JUDGES: Final[Mapping[str, Callable[[Any, str, _Case], Judged]]] = {
    "amount_total": _judge_amount,
    "amount_breakdown": _judge_breakdown,
    "date": _judge_date,
    "date_range": _judge_range,
    "count": _judge_count,
    "boolean_answer": _judge_boolean,
    "entity": _judge_name,
    "text_answer": _judge_name,
}
