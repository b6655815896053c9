"""Judging sums of money by value: 42000 equals 四万二千元 and 4.2万, but not 42000日元 or 四万多."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.clauses import clause_of
from steelyard.legal.facts.equations import is_negative
from steelyard.legal.facts.selection import own_words, select_value
from steelyard.legal.facts.statements import are_alternatives, asserted_values, doubt, totalled
from steelyard.legal.facts.verdict import Case, FieldVerdict, inexact, right_value
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, currency_code, mentions
from steelyard.text.normalisation import normalise

_WORDS: Final = lexicon("facts")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}
Items = Sequence[tuple[Decimal, str]]
"""Sums with their descriptions."""


@lru_cache(maxsize=1 << 10)
def expected_currency(question: str, source: str) -> str:
    """The currency that question and evidence name, else 元; "" for any, if an English question names none."""
    units = {value.unit for text in (question, normalise(source)) for value in mentions(text) if value.kind == "money"}
    if word := _WORDS["currency_asked"].search(question):
        units = {currency_code(word[0])}
    if len(units) == 1:
        return units.pop()
    return "" if question.isascii() and question else "CNY"


def amounts(text: str) -> list[Mention]:
    """The sums in a normalised text; digits without a currency only if there are no others."""
    values = mentions(text)
    has_money = any(value.kind == "money" for value in values)
    return [
        value
        for value in values
        if value.kind == "money"
        or (value.kind == "number" and _may_be_money(text, value) and not (has_money and value.text[0].isdigit()))
    ]  # 还了四万五 beside 15万元


def _may_be_money(text: str, mention: Mention) -> bool:
    """Whether a number without a currency can be a sum: digits, or numerals with a unit, and no noun attached."""
    if not _WORDS["after_bare_sum"].match(text[mention.end : mention.end + 2]):
        return False
    return mention.text[0].isdigit() or any(unit in mention.text for unit in "百千万亿佰仟")


def asserted_amounts(text: str) -> list[Mention]:
    """The sums that a normalised text asserts."""
    return asserted_values(text, amounts(text))


def judge_amount(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer to the question is this sum and no other, in the unit that the question asks for."""
    wanted = amount_of(expected)
    if wanted is None:
        return FieldVerdict(False, Message("legal.expected_amount_no_number", value=repr(expected)))
    values = amounts(answer)
    if not values and wanted == 0 and _WORDS["nothing_paid"].search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_nothing_paid"))
    value, verdict = select_value(case.question, answer, values)
    if value is None:
        return verdict
    if value.kind == "money" and value.unit != (expected_currency(case.question, case.rules.source) or value.unit):
        return FieldVerdict(False, Message("legal.another_currency", text=value.text))
    if not value.is_exact and not (value.loose == "rate" and _WORDS["rate_asked"].search(case.question)):
        return FieldVerdict(False, inexact(value))
    asked = _WORDS["scale_asked"].search(case.question)
    scale = Decimal(_SCALES[(asked[1] or asked[2]).lower()] if asked else 1)
    stated = -value.value if wanted < 0 and is_negative(answer, value) else value.value
    if not any(same_amount(stated * factor, wanted) for factor in (1, scale, 1 / scale)):
        parts = (each for each in values if _WORDS["of_which"].match(clause_of(answer, each.start).text))
        is_part = any(each.is_exact and same_amount(each.value, wanted) for each in parts)  # perhaps the asked part
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=str(wanted)), uncertain=is_part)
    source = amounts(normalise(case.rules.source))
    known = [each for each in source if each.value is not None and same_amount(each.value, wanted)]
    return right_value(value, known, case.rules)


def same_amount(one: Decimal, two: Decimal) -> bool:
    """Equal to the cent."""
    return _cents(one) == _cents(two)


def _cents(amount: Decimal) -> int:
    return round(amount * 100)


def amount_of(value: Any) -> Decimal | None:
    """An expected sum as a Decimal; None if it is not a number."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else Decimal(str(value))


# ----- items


def judge_breakdown(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer lists exactly these sums; their total may be listed too."""
    items, values = items_of(expected), amounts(answer)
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if are_alternatives(answer, values):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    standing = _without_total(answer, asserted_values(answer, values), items)
    if loose := next((value for value in standing if not value.is_exact), None):
        return FieldVerdict(False, inexact(loose))
    wanted = Counter(_cents(amount) for amount, _ in items)
    if _counted(answer, standing, wanted) != wanted:
        listed = ", ".join(value.text for value in standing)
        return FieldVerdict(False, Message("legal.lists", items=listed) if listed else Message("legal.lists_nothing"))
    if swapped := _swapped(answer, standing, items):
        return FieldVerdict(False, Message("legal.put_down_to_another_item", text=swapped.text))
    return FieldVerdict(True, Message("legal.lists_every_item"))


def _without_total(text: str, values: Sequence[Mention], expected: Items) -> Sequence[Mention]:
    total = sum((amount for amount, _ in expected), Decimal(0))
    if any(same_amount(amount, total) for amount, _ in expected):
        return values
    sums = [value for value in totalled(text, values) if value.value is not None and same_amount(value.value, total)]
    return [value for value in values if value not in sums]


def _counted(text: str, values: Sequence[Mention], wanted: Counter[int]) -> Counter[int]:
    """How often each sum is listed; 各6000元 stands for all items of that sum."""
    counts: Counter[int] = Counter()
    for value in values:
        amount = _cents(value.value)
        start = max(clause_of(text, value.start).start, value.start - thresholds.ROLE_REACH)
        each = _WORDS["each"].search(text, start, value.start) or _WORDS["each"].match(
            text[value.end : value.end + 8].lstrip()
        )
        counts[amount] += wanted[amount] or 1 if each else 1
    return counts


def _swapped(text: str, values: Sequence[Mention], expected: Items) -> Mention | None:
    """A sum whose words, before it or else after it, belong to the description of another item."""
    for value, words in zip(values, own_words(text, values), strict=True):
        first, second = words if re.search("[一-鿿]", text) else reversed(words)  # 现金5000元; 5,000 in cash
        named = _labelled(first, expected) or _labelled(second, expected)
        if named and not any(same_amount(amount, value.value) for amount in named):
            return value
    return None


def _labelled(words: str, expected: Items) -> list[Decimal]:
    """The items whose description these words share."""
    return [amount for amount, description in expected if _shares_label(words, description)]


def _shares_label(words: str, description: str) -> bool:
    if description.isascii():
        one, two = ({word for word in text.lower().split() if len(word) > 3} for text in (words, description))
        return bool(one & two)
    return any(description[at : at + 2] in words for at in range(len(description) - 1))


def items_of(value: Sequence[Any]) -> list[tuple[Decimal, str]]:
    """The items of a breakdown: numbers, texts, or objects with an amount and a description."""
    items = []
    for item in value:
        given, description = (
            (item.get("amount"), item.get("description", "")) if isinstance(item, Mapping) else (item, "")
        )
        if (amount := _item_amount(given)) is not None:
            items.append((amount, normalise(str(description))))
    return items


def _item_amount(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return amount_of(value)
    values = amounts(normalise(value))
    return values[0].value if len(values) == 1 and values[0].is_exact else None


def same_items(given: Items, expected: Items) -> bool:
    """Whether two lists have the same sums, and no label belongs to an item of another sum."""
    if sorted(_cents(amount) for amount, _ in given) != sorted(_cents(amount) for amount, _ in expected):
        return False
    named = [(amount, _labelled(label, expected)) for amount, label in given]
    return all(not wanted or any(same_amount(each, amount) for each in wanted) for amount, wanted in named)
