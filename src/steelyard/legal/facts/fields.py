"""Judging facts: every expected field by value, in typed fields and in free text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from steelyard.errors import SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import record_of
from steelyard.legal.facts.amounts import (
    amount_of,
    amounts,
    expected_currency,
    items_of,
    judge_amount,
    judge_breakdown,
    same_amount,
    same_items,
)
from steelyard.legal.facts.counts import judge_count, numbers
from steelyard.legal.facts.days import date_values, ends_of, judge_date, judge_range
from steelyard.legal.facts.polarity import judge_boolean, polarity
from steelyard.legal.facts.statements import doubt, is_bare_list, retraction, without_stated_bounds
from steelyard.legal.facts.texts import judge_text
from steelyard.legal.facts.verdict import Case, FieldVerdict
from steelyard.legal.model import FIELDS, FactRules
from steelyard.legal.reading import Reading, is_too_long, read
from steelyard.legal.stance import detect_abstention
from steelyard.legal.wording import FIELD_LABELS, SENSES, in_one_line, named
from steelyard.text.mentions import Mention, currency_code
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent


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
    case = Case(normalise(question), applied, text, final, _named_currency(record))
    keys = [key for key in FIELDS if expected.get(key) is not None]
    if "boolean_answer" in keys and not case.rules.partial_credit:
        keys = [key for key in keys if key != "text_answer"]  # beside a boolean it only explains
    verdicts = {key: _judge_field(key, expected[key], record.get(key), case) for key in keys}
    right = sum(verdict.correct for verdict in verdicts.values())
    share = right / len(verdicts) if verdicts else 0.0
    reasons = in_one_line(((key, verdict.why) for key, verdict in verdicts.items()), FIELD_LABELS)
    return FactVerdict(share == 1.0, share, reasons if verdicts else Message("legal.nothing_expected"), verdicts)


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


def _named_currency(record: Mapping[str, Any]) -> str:
    """The currency that a record names."""
    named = [name for key in ("currency", "unit") if isinstance(name := record.get(key), str)]
    return next(
        (code for name in named if (code := currency_code(name.strip().removeprefix("万").removeprefix("亿")))), ""
    )


def _judge_field(key: str, expected: Any, given: Any, case: Case) -> FieldVerdict:
    """Judge a given field, which the text must not contradict; without one, judge the text.

    A denial that the text does not settle is uncertain, unless the text is silent or refuses to answer.
    """
    if given is None or given in ("", []):
        verdict = _judge_text(key, expected, case)
        is_open = verdict.unsettled and not verdict.correct and not is_silent(case.answer) and not _refusal(case)
        return replace(verdict, uncertain=True) if is_open else verdict
    verdict = _judge_given(key, expected, given, case)
    if verdict.correct and (objection := _objection(key, expected, case)):
        return FieldVerdict(False, objection)
    return verdict


def _judge_text(key: str, expected: Any, case: Case) -> FieldVerdict:
    """Judge the text, or only its announced final answer if that has a value of the kind."""
    values = _VALUES.get(key)
    text = case.final if values and case.final and values(case.final) else case.answer
    return _judge_words(key, expected, text, case)


def _judge_words(key: str, expected: Any, text: str, case: Case) -> FieldVerdict:
    """Judge words; words that retract themselves, or only list many values, give no value."""
    if word := retraction(text):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if key != "amount_breakdown" and is_bare_list(text):
        return FieldVerdict(False, Message("legal.only_lists_values"))
    return _JUDGES[key](expected, text, case)


def _judge_given(key: str, expected: Any, given: Any, case: Case) -> FieldVerdict:
    if isinstance(given, str):
        if is_too_long(given):
            return FieldVerdict(False, Message("legal.field_too_long"))
        return _judge_words(key, expected, normalise(given), case)
    match key:
        case "amount_total" | "count":
            number = amount_of(given)
            is_right = number is not None and same_amount(number, Decimal(str(expected)))
        case "boolean_answer":
            is_right = given is expected
        case "amount_breakdown" if isinstance(given, Sequence):
            is_right = same_items(items_of(given), items_of(expected))
            return FieldVerdict(is_right, Message("legal.field_lists", value=str(given)))
        case "date_range" if isinstance(given, Mapping):
            is_right = None not in ends_of(given) and ends_of(given) == ends_of(expected)
            ends = {end: str(given.get(end, "")) for end in ("start", "end")}
            return FieldVerdict(is_right, Message("legal.field_is_range", **ends))
        case _:
            is_right = False
    return FieldVerdict(is_right, Message("legal.field_is", value=named(SENSES, given)))


def _objection(key: str, expected: Any, case: Case) -> Localized | None:
    """What in the record contradicts a right field: another currency, value or name, several, or a refusal; or None."""
    currency = expected_currency(case.question, case.rules.source)
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
    refusal = _refusal(case)
    return Message("legal.text_says_unknown", reason=refusal) if refusal else None


def _refusal(case: Case) -> Localized | None:
    """Why the text of the answer is a refusal; None if it is none."""
    abstention = detect_abstention(case.answer, question=case.question)
    return abstention.why if abstention.abstains else None


def _says_something(key: str, expected: Any, verdict: FieldVerdict, case: Case) -> bool:
    """Whether the text says anything about the field."""
    if key == "boolean_answer":
        return polarity(case.question, case.answer) is not None
    if key in ("entity", "text_answer"):
        return verdict.names_another or normalise(str(expected)).lower() in case.answer.lower()
    return bool(_VALUES[key](case.answer)) if key in _VALUES else False


_VALUES: Final[Mapping[str, Callable[[str], Sequence[Mention]]]] = {
    "amount_total": amounts,
    "amount_breakdown": amounts,
    "date": date_values,
    "date_range": date_values,
    "count": numbers,
}
_JUDGES: Final[Mapping[str, Callable[[Any, str, Case], FieldVerdict]]] = {
    "amount_total": judge_amount,
    "amount_breakdown": judge_breakdown,
    "date": judge_date,
    "date_range": judge_range,
    "count": judge_count,
    "boolean_answer": lambda expected, text, case: judge_boolean(bool(expected), case.question, text),
    "entity": judge_text,
    "text_answer": judge_text,
}
