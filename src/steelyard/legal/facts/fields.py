"""Judging facts: every expected field by value, in typed fields and in free text."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from steelyard.errors import SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import record_of
from steelyard.legal.facts.amounts import (
    AmountRules,
    FieldVerdict,
    amount_of,
    amounts,
    items_of,
    judge_amount,
    judge_breakdown,
    same_amount,
    same_items,
)
from steelyard.legal.facts.clauses import doubt, is_bare_list, takes_itself_back, without_stated_bounds
from steelyard.legal.facts.counts import judge_count
from steelyard.legal.facts.days import date_values, day_of, judge_date, judge_range
from steelyard.legal.facts.names import judge_name
from steelyard.legal.facts.percents import judge_percent, whole_percent, with_plain_percents
from steelyard.legal.facts.polarity import judge_boolean, polarity
from steelyard.legal.model import FIELDS, FactRules
from steelyard.legal.reading import Reading, is_too_long, read
from steelyard.legal.stance import detect_abstention
from steelyard.legal.wording import FIELD_LABELS, SENSES, in_one_line, named
from steelyard.text.mentions import Mention, currency_code, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent

_RATE_ASKED: Final = re.compile(
    r"每|月租|月薪|日薪|年薪|时薪|单价|\bper\b|\b(?:daily|weekly|monthly|hourly|annual|yearly)\b|\beach\b",
    re.IGNORECASE,
)


_CURRENCY_ASKED: Final = re.compile(
    r"美元|美金|港币|港元|欧元|英镑|日元|新台币|\bdollars?\b|\bUSD\b|\bEUR\b|\bGBP\b|\beuros?\b|\bpounds\b|\byuan\b|\bRMB\b|[$€£]",
    re.IGNORECASE,
)
_SCALE_ASKED: Final = re.compile(
    r"\bin (?:[A-Za-z$]{1,4} )?(thousand|million|billion)s?\b|[单位以:](万|亿)元", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """Whether all fields are right, the share of right ones, and the reasons; `flags` do not change the score."""

    correct: bool
    share: float
    why: Localized
    fields: Mapping[str, FieldVerdict] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reasons, in English."""
        return str(self.why)

    @property
    def uncertain(self) -> bool:
        """Whether the rules cannot decide some field."""
        return any(verdict.uncertain for verdict in self.fields.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags in English: `approx_added`, `approx_dropped`."""
        return tuple(map(str, self.flags))

    @property
    def flags(self) -> tuple[Message, ...]:
        """What is reported beside the fields."""
        return tuple(flag for verdict in self.fields.values() for flag in verdict.flags)

    @property
    def undecided(self) -> Localized | None:
        """The fields that the rules cannot decide, with their reasons; None if there are none."""
        unsure = [(name, verdict.why) for name, verdict in self.fields.items() if verdict.uncertain]
        return in_one_line(unsure, FIELD_LABELS) if unsure else None


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
    answer = record.get("answer")
    reading = read(answer) if isinstance(answer, str) else Reading("")
    applied = _with_aliases(rules or FactRules(), expected)
    text, final = (without_stated_bounds(each, applied.source) for each in (reading.text, reading.final))
    case = _Case(normalise(question), text, applied, final, _named_currency(record))
    keys = [key for key in FIELDS if expected.get(key) is not None]
    if "boolean_answer" in keys and not case.rules.partial_credit:
        keys = [key for key in keys if key != "text_answer"]  # beside a boolean it only explains
    verdicts = {key: _judge_field(key, expected[key], record.get(key), case) for key in keys}
    right = sum(verdict.correct for verdict in verdicts.values())
    share = right / len(verdicts) if verdicts else 0.0
    return FactVerdict(share == 1.0, share, _reasons(verdicts), verdicts)


def _reasons(verdicts: Mapping[str, FieldVerdict]) -> Localized:
    """The reasons of all fields."""
    if not verdicts:
        return Message("legal.nothing_expected")
    return in_one_line(((key, verdict.why) for key, verdict in verdicts.items()), FIELD_LABELS)


def _with_aliases(rules: FactRules, expected: Mapping[str, Any]) -> FactRules:
    """The rules with the aliases that the expected fields contain."""
    named = [str(alias) for key in ("entity_aliases", "aliases") for alias in expected.get(key) or ()]
    return replace(rules, aliases=(*rules.aliases, *named)) if named else rules


def _record(output: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """The output as a record; an answer may be JSON that a model wrote."""
    if not isinstance(output, str):
        return output
    try:
        return record_of(output)
    except SystemFailure:
        return {"answer": output}


def spoken(answer: Any) -> str:
    """The text of an answer as the judges read it; "" if it is not a text."""
    return read(answer).text if isinstance(answer, str) else ""


class _Case(NamedTuple):
    question: str
    answer: str
    rules: FactRules
    final: str = ""
    currency: str = ""

    @property
    def amount_rules(self) -> AmountRules:
        return _amount_rules(self.question, self.rules)


@lru_cache(maxsize=1 << 10)
def _amount_rules(question: str, rules: FactRules) -> AmountRules:
    """How strictly sums are judged for a question; cached, because a question is judged many times."""
    source = normalise(rules.source)
    is_strict, rate = rules.approx_policy == "strict", _RATE_ASKED.search(question) is not None
    return AmountRules(_currency(question, source), rules.numeric_exact, is_strict, source, rate, _scale(question))


def _currency(question: str, source: str) -> str:
    """The expected currency: the one that question and evidence name, else 元, or any for an English question."""
    named = {mention.unit for text in (question, source) for mention in mentions(text) if mention.kind == "money"}
    if word := _CURRENCY_ASKED.search(question):
        named = {currency_code(word[0])}
    if len(named) == 1:
        return named.pop()
    return "" if question.isascii() and question else "CNY"


def _scale(question: str) -> int:
    """The unit in which a sum is asked for: "in USD millions"."""
    match = _SCALE_ASKED.search(question)
    word = next((group for group in match.groups() if group), "") if match else ""
    return {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}.get(word.lower(), 1)


def _named_currency(record: Mapping[str, Any]) -> str:
    """The currency that a record names."""
    named = [name for key in ("currency", "unit") if isinstance(name := record.get(key), str)]
    return next(
        (code for name in named if (code := currency_code(name.strip().removeprefix("万").removeprefix("亿")))), ""
    )


def _judge_field(key: str, expected: Any, given: Any, case: _Case) -> FieldVerdict:
    """Judge a given field, which the text must not contradict; without one, judge the text."""
    if given is None or given in ("", []):
        return _judge_text(key, expected, case)
    verdict = _judge_given(key, expected, given, case)
    if verdict.correct and (objection := _objection(key, expected, case)):
        return FieldVerdict(False, objection)
    return verdict


def _judge_text(key: str, expected: Any, case: _Case) -> FieldVerdict:
    """Judge the text, or only its announced final answer if that has a value of the kind."""
    values = _VALUES.get(key)
    text = case.final if values and case.final and values(case.final) else case.answer
    return _judge_words(key, expected, text, case)


def _judge_words(key: str, expected: Any, text: str, case: _Case) -> FieldVerdict:
    """Judge words; words that retract themselves, or only list many values, give no value."""
    if word := takes_itself_back(text):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if key != "amount_breakdown" and is_bare_list(text):
        return FieldVerdict(False, Message("legal.only_lists_values"))
    return _JUDGES[key](expected, text, case)


def _judge_given(key: str, expected: Any, given: Any, case: _Case) -> FieldVerdict:
    if isinstance(given, str):
        if is_too_long(given):
            return FieldVerdict(False, Message("legal.field_too_long"))
        return _judge_words(key, expected, normalise(given), case)
    match key:
        case "amount_total" | "count":
            number = amount_of(given)
            right = number is not None and same_amount(number, Decimal(str(expected)))
            return FieldVerdict(right, Message("legal.field_is", value=named(SENSES, given)))
        case "boolean_answer":
            return FieldVerdict(given is expected, Message("legal.field_is", value=named(SENSES, given)))
        case "amount_breakdown" if isinstance(given, Sequence):
            return FieldVerdict(
                same_items(items_of(given), items_of(expected)), Message("legal.field_lists", value=str(given))
            )
        case "date_range" if isinstance(given, Mapping):
            ends = [str(given.get(end, "")) for end in ("start", "end")]
            days = [day_of(_iso(end)) for end in ends]
            wanted = [day_of(str(expected.get(end, ""))) for end in ("start", "end")]
            why = Message("legal.field_is_range", start=ends[0], end=ends[1])
            return FieldVerdict(None not in days and days == wanted, why)
    return FieldVerdict(False, Message("legal.field_is", value=named(SENSES, given)))


def _iso(text: str) -> str:
    """A date in any notation as YYYY-MM-DD, or the text itself."""
    dates = [value for value in date_values(normalise(text)) if value.is_exact]
    return dates[0].value.isoformat() if len(dates) == 1 else text


def _objection(key: str, expected: Any, case: _Case) -> Localized | None:
    """What in the record contradicts a right field: another currency, value or name, several, or a refusal; or None."""
    currency = case.amount_rules.currency
    if key.startswith("amount") and case.currency and currency and case.currency != currency:
        return Message("legal.record_in_currency", currency=case.currency)
    if is_silent(case.answer):
        return None
    verdict = _judge_text(key, expected, case)
    if verdict.correct:
        return None
    if _says_something(key, expected, verdict, case):
        return verdict.why
    if word := doubt(case.answer):
        return Message("legal.text_disclaims_itself", word=word)
    abstention = detect_abstention(case.answer, question=case.question)
    return Message("legal.text_says_unknown", reason=abstention.why) if abstention.abstains else None


def _says_something(key: str, expected: Any, verdict: FieldVerdict, case: _Case) -> bool:
    """Whether the text says anything about the field."""
    if key == "boolean_answer":
        return polarity(case.question, case.answer) is not None or verdict.uncertain
    if key in ("entity", "text_answer"):
        return verdict.names_another or normalise(str(expected)).lower() in case.answer.lower()
    return bool(_VALUES[key](case.answer)) if key in _VALUES else False


def _numbers(text: str) -> list[Mention]:
    return [value for value in mentions(text) if value.kind in ("count", "number")]


def _judge_amount(expected: Any, text: str, case: _Case) -> FieldVerdict:
    wanted = amount_of(expected)
    if wanted is None:
        return FieldVerdict(False, Message("legal.expected_amount_no_number", value=repr(expected)))
    return judge_amount(wanted, case.question, text, case.amount_rules)


def _judge_breakdown(expected: Any, text: str, case: _Case) -> FieldVerdict:
    return judge_breakdown(items_of(expected), case.question, text, case.amount_rules)


def _judge_date(expected: Any, text: str, case: _Case) -> FieldVerdict:
    wanted = day_of(str(expected))
    if wanted is None:
        return FieldVerdict(False, Message("legal.expected_date_none", value=repr(expected)))
    return judge_date(wanted, case.question, text, exact=case.rules.date_exact)


def _judge_range(expected: Any, text: str, case: _Case) -> FieldVerdict:
    start, end = (day_of(str(expected.get(bound, ""))) for bound in ("start", "end"))
    if start is None or end is None:
        return FieldVerdict(False, Message("legal.expected_range_none", value=repr(expected)))
    return judge_range(start, end, case.question, text)


def _judge_count(expected: Any, text: str, case: _Case) -> FieldVerdict:
    return judge_count(int(expected), case.question, text)


def _judge_boolean(expected: Any, text: str, case: _Case) -> FieldVerdict:
    return judge_boolean(bool(expected), case.question, text)


def _judge_name(expected: Any, text: str, case: _Case) -> FieldVerdict:
    """Judge a name or a text; a percentage is judged by value, alone or within the text."""
    name, *aliases = (normalise(str(each)) for each in (expected, *case.rules.aliases))
    percent = whole_percent(name)
    if percent is not None and not aliases:
        return judge_percent(percent, case.question, text, case.rules)
    plain, *others = map(with_plain_percents, (name, *aliases))
    answer = text if [plain, *others] == [name, *aliases] and percent is None else with_plain_percents(text)
    verdict = judge_name(plain, others, case.question, answer)
    return verdict if verdict.correct or percent is None else judge_percent(percent, case.question, text, case.rules)


_VALUES: Final[Mapping[str, Callable[[str], Sequence[Mention]]]] = {
    "amount_total": amounts,
    "amount_breakdown": amounts,
    "date": date_values,
    "date_range": date_values,
    "count": _numbers,
}
_JUDGES: Final[Mapping[str, Callable[[Any, str, _Case], FieldVerdict]]] = {
    "amount_total": _judge_amount,
    "amount_breakdown": _judge_breakdown,
    "date": _judge_date,
    "date_range": _judge_range,
    "count": _judge_count,
    "boolean_answer": _judge_boolean,
    "entity": _judge_name,
    "text_answer": _judge_name,
}
