"""Judging sums of money by value: 42000 equals 四万二千元 and 4.2万, but not 42000日元 or 四万多."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from steelyard.i18n import Localized, Message
from steelyard.legal.clauses import clause_of
from steelyard.legal.facts.clauses import are_alternatives, asserted_values, doubt, totalled
from steelyard.legal.facts.selection import select_value
from steelyard.legal.wording import LOOSE, named
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

_AFTER_NUMBER: Final = re.compile(r"[\s,。;.!?()\]=+\-*/、和与或及]|左右|上下|[了的吧整正给]|$")
_NOTHING: Final = re.compile(
    r"(?:一分钱?|分文|一毛)(?:都|也)?(?:没有?|未|不曾)|(?<!有)(?:没有|没|未|从未|并未|未曾)(?:退|还|收|给|付|支付|归还|返还)(?:过|还|款|给|任何)?|"
    r"\bnothing\b|\bnone\b|\bnot (?:a|one) (?:cent|penny)\b|\bnever (?:paid|returned|refunded|repaid)\b",
    re.IGNORECASE,
)
_LONGEST_EACH: Final = 4  # characters
_EACH: Final = re.compile(r"各|均|都是|每[笔次人份]|\beach\b|\bboth\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AmountRules:
    """How strictly sums are judged: the `currency` (any if ""), and the text of the evidence as `source`.

    `scale` is the unit in which the question asks for the sum ("in USD millions").
    """

    currency: str = "CNY"
    exact: bool = True
    strict: bool = False
    source: str = ""
    rate_asked: bool = False
    scale: int = 1


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """Whether a field is right, the reason, and flags that do not change the score (`approx_added`, `approx_dropped`).

    `uncertain`: the rules cannot decide, and `correct` is the best guess. `names_another`: the answer gives the asked
    role to somebody else.
    """

    correct: bool
    why: Localized
    flags: tuple[Message, ...] = ()
    uncertain: bool = False
    names_another: bool = False

    @property
    def reason(self) -> str:
        """The reason, in English."""
        return str(self.why)


def amounts(text: str) -> list[Mention]:
    """The sums in a normalised text; digits without a currency only if there are no others."""
    if not (all_values := mentions(text)):
        return []
    bare = [mention for mention in all_values if mention.kind == "number" and _may_be_money(text, mention)]
    if not any(mention.kind == "money" for mention in all_values):
        return bare
    spoken = [mention for mention in bare if not mention.text[0].isdigit()]  # 还了四万五 beside 15万元
    return sorted([*(m for m in all_values if m.kind == "money"), *spoken], key=lambda mention: mention.start)


@lru_cache(maxsize=1 << 10)
def asserted_amounts(text: str) -> tuple[Mention, ...]:
    """The sums that a normalised text asserts."""
    return tuple(asserted_values(text, amounts(text)))


def judge_amount(expected: Decimal, question: str, answer: str, rules: AmountRules) -> FieldVerdict:
    """Whether the answer to the question is this sum and no other."""
    values = amounts(answer)
    if not values and expected == 0 and _NOTHING.search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_nothing_paid"))
    selection = select_value(question, answer, values)
    if selection.mention is None:
        return FieldVerdict(False, selection.why)
    return judge_one_amount(expected, selection.mention, rules)


def judge_one_amount(expected: Decimal, value: Mention, rules: AmountRules) -> FieldVerdict:
    """Whether one mention is this sum."""
    if value.kind == "money" and rules.currency and value.unit != rules.currency:
        return FieldVerdict(False, Message("legal.another_currency", text=value.text))
    if not value.is_exact and not (value.loose == "rate" and rules.rate_asked):
        return FieldVerdict(
            False, Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose or "no number"))
        )
    if not any(same_amount(value.value * scale, expected) for scale in (1, rules.scale, 1 / Decimal(rules.scale))):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=str(expected)))
    return _approximation(value, expected, rules)


def same_amount(one: Decimal, two: Decimal) -> bool:
    """Equal to the cent."""
    return cents(one) == cents(two)


def cents(amount: Decimal) -> int:
    """A sum in its smallest unit."""
    return round(amount * 100)


def _approximation(value: Mention, expected: Decimal, rules: AmountRules) -> FieldVerdict:
    """The verdict on a right value with 约: correct, with a flag if the source does not say so."""
    source = [
        amount for amount in amounts(rules.source) if amount.value is not None and same_amount(amount.value, expected)
    ]
    is_source_approximate = any(amount.approx for amount in source)
    if value.approx and not is_source_approximate and rules.exact:
        if rules.strict:
            return FieldVerdict(
                False, Message("legal.only_approximate", text=value.text), (Message("legal.approx_added"),)
            )
        return FieldVerdict(True, Message("legal.says_about", text=value.text), (Message("legal.approx_added"),))
    flags = (Message("legal.approx_dropped"),) if is_source_approximate and not value.approx else ()
    return FieldVerdict(True, Message("legal.answer_says", value=value.text), flags)


def judge_breakdown(
    expected: Sequence[tuple[Decimal, str]], question: str, answer: str, rules: AmountRules
) -> FieldVerdict:
    """Whether the answer lists exactly these sums; their total may be listed too."""
    values = amounts(answer)
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if are_alternatives(answer, values):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    standing = _without_total(answer, asserted_values(answer, values), expected)
    if loose := next((value for value in standing if not value.is_exact), None):
        return FieldVerdict(False, Message("legal.not_exact", text=loose.text, why=named(LOOSE, loose.loose)))
    wanted = Counter(cents(amount) for amount, _ in expected)
    counts = _counted(answer, standing, wanted)
    if counts != wanted:
        return FieldVerdict(False, _listed(standing))
    if swapped := _swapped(answer, standing, expected):
        return FieldVerdict(False, Message("legal.put_down_to_another_item", text=swapped.text))
    return FieldVerdict(True, Message("legal.lists_every_item"))


def _listed(values: Sequence[Mention]) -> Message:
    items = ", ".join(value.text for value in values)
    return Message("legal.lists", items=items) if items else Message("legal.lists_nothing")


def _without_total(text: str, values: Sequence[Mention], expected: Sequence[tuple[Decimal, str]]) -> list[Mention]:
    total = sum((amount for amount, _ in expected), Decimal(0))
    announced = {value.start for value in totalled(text, values)}
    is_one_of_them = any(same_amount(amount, total) for amount, _ in expected)
    return [
        value
        for value in values
        if is_one_of_them or value.start not in announced or value.value is None or not same_amount(value.value, total)
    ]


def _counted(text: str, values: Sequence[Mention], wanted: Counter[int]) -> Counter[int]:
    """How often each sum is listed; 各6000元 stands for all items of that sum."""
    counts: Counter[int] = Counter()
    ends = [each.end() for each in _EACH.finditer(text)]
    for value in values:
        amount = cents(value.value)
        is_each = _is_each_before(text, value, ends) or _EACH.match(text[value.end : value.end + 8].lstrip())
        counts[amount] += wanted[amount] or 1 if is_each else 1
    return counts


def _is_each_before(text: str, value: Mention, ends: Sequence[int]) -> bool:
    """Whether a word for each, of which `ends` are the ends, is before a sum in its clause."""
    start = clause_of(text, value.start).start
    at = bisect_right(ends, value.start) - 1
    if at >= 0 and ends[at] > start and _EACH.search(text, max(start, ends[at] - _LONGEST_EACH), value.start):
        return True
    return _EACH.search(text, max(start, value.start - _LONGEST_EACH), value.start) is not None  # each5


def _swapped(text: str, values: Sequence[Mention], expected: Sequence[tuple[Decimal, str]]) -> Mention | None:
    """A sum whose words, before it or else after it, belong to the description of another item."""
    last = 0
    for at, value in enumerate(values):
        clause = clause_of(text, value.start)
        following = values[at + 1].start if at + 1 < len(values) else len(text)
        before = text[max(clause.start, last) : value.start]
        behind = text[value.end : max(value.end, min(clause.end, following))]
        first, second = (behind, before) if text.isascii() else (before, behind)  # 5,000 in cash; 现金5000元
        named = _labelled(first, expected) or _labelled(second, expected)
        if named and not any(same_amount(amount, value.value) for amount in named):
            return value
        last = value.end
    return None


def _labelled(words: str, expected: Sequence[tuple[Decimal, str]]) -> list[Decimal]:
    """The items whose description these words share."""
    return [amount for amount, description in expected if description and _shares_label(words, description)]


def _shares_label(words: str, description: str) -> bool:
    if description.isascii():
        return bool(
            {w for w in words.lower().split() if len(w) > 3} & {w for w in description.lower().split() if len(w) > 3}
        )
    return any(description[at : at + 2] in words for at in range(len(description) - 1))


def _may_be_money(text: str, mention: Mention) -> bool:
    """Whether a number without a currency can be a sum: digits, or numerals with a unit, and no noun attached."""
    if not _AFTER_NUMBER.match(text, mention.end):
        return False
    return mention.text[0].isdigit() or any(unit in mention.text for unit in "百千万亿佰仟")


def amount_of(value: Any) -> Decimal | None:
    """An expected sum as a Decimal; None if it is not a number."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else Decimal(str(value))


def items_of(value: Sequence[Any]) -> list[tuple[Decimal, str]]:
    """The items of a breakdown: numbers, texts, or objects with an amount and a description."""
    items = []
    for item in value:
        amount = _item_amount(item.get("amount") if isinstance(item, Mapping) else item)
        if amount is not None:
            items.append((amount, normalise(str(item.get("description", ""))) if isinstance(item, Mapping) else ""))
    return items


def _item_amount(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return amount_of(value)
    values = amounts(normalise(value))
    return values[0].value if len(values) == 1 and values[0].is_exact else None


def same_items(given: Sequence[tuple[Decimal, str]], expected: Sequence[tuple[Decimal, str]]) -> bool:
    """Whether two lists have the same sums, and no label belongs to an item of another sum."""
    if sorted(cents(amount) for amount, _ in given) != sorted(cents(amount) for amount, _ in expected):
        return False
    for amount, label in given:
        named = [
            wanted for wanted, description in expected if label and description and _shares_label(label, description)
        ]
        if named and not any(same_amount(wanted, amount) for wanted in named):
            return False
    return True
