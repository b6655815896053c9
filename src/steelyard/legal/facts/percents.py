"""Judging percentages by value: 1.2% equals 百分之一点二 and 1.2 per cent; 3‰ equals 千分之三 and 0.3%."""

from decimal import Decimal
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.selection import select_value
from steelyard.legal.facts.verdict import FieldVerdict, inexact, right_value
from steelyard.legal.model import FactRules
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

_WORDS: Final = lexicon("facts")


def whole_percent(text: str) -> Decimal | None:
    """The percentage that a normalised text consists of; None if it is anything else."""
    values = mentions(text)
    is_whole = len(values) == 1 and values[0].kind == "percent" and values[0].text == text.strip(" 。.")
    return values[0].value if is_whole and values[0].is_exact else None


def with_plain_percents(text: str) -> str:
    """The text with every percentage written in figures: 年利率百分之三 as 年利率3%."""
    for value in reversed(_percents(text)):
        if value.value is not None:
            text = f"{text[: value.start]}{value.value.normalize():f}%{text[value.end :]}"
    return text


def judge_percent(expected: Decimal, question: str, answer: str, rules: FactRules) -> FieldVerdict:
    """Whether the answer to the question is this percentage and no other.

    If the question asks for the per cent, a number alone is one.
    """
    values = _percents(answer)
    if not values and _WORDS["percent_asked"].search(question):
        values = [value for value in mentions(answer) if value.kind == "number" and value.text[0].isdigit()]
    selection = select_value(question, answer, values)
    value = selection.mention
    if value is None:
        return FieldVerdict(False, selection.why, names_another=bool(values))
    if not value.is_exact:
        return FieldVerdict(False, inexact(value), names_another=True)
    if value.value != expected:
        wanted = f"{expected.normalize():f}%"
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=wanted), names_another=True)
    known = [each for each in _percents(normalise(rules.source)) if each.value == expected]
    return right_value(value, known, exact=rules.numeric_exact, strict=rules.approx_policy == "strict")


def _percents(text: str) -> list[Mention]:
    return [value for value in mentions(text) if value.kind == "percent"]
