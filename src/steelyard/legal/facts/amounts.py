"""Sums of money, by value: 42000 is 四万二千元 and 4.2万, and never 42000日元 or 四万多."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from steelyard.i18n import Localized, Message
from steelyard.legal.facts.clauses import are_alternatives, clause_of, doubt, live, totalled
from steelyard.legal.facts.selection import settle
from steelyard.legal.wording import LOOSE, named
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

_AFTER_NUMBER: Final = re.compile(r"[\s,。;.!?()\]=+\-*/、和与或及]|左右|上下|[了的吧整正给]|$")
_NOTHING: Final = re.compile(
    r"(?:一分钱?|分文|一毛)(?:都|也)?(?:没有?|未|不曾)|(?<!有)(?:没有|没|未|从未|并未|未曾)(?:退|还|收|给|付|支付|归还|返还)(?:过|还|款|给|任何)?|"
    r"\bnothing\b|\bnone\b|\bnot (?:a|one) (?:cent|penny)\b|\bnever (?:paid|returned|refunded|repaid)\b",
    re.IGNORECASE,
)
_EACH: Final = re.compile(r"各|均|都是|每[笔次人份]|\beach\b|\bboth\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AmountRules:
    """How strictly sums are taken: in which `currency` (any if ""), and the words of the evidence as `source`.

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
        """Why, in English."""
        return str(self.why)


def amounts(text: str) -> list[Mention]:
    """The sums of a normal text; digits without a currency only where there are no others."""
    found = mentions(text)
    bare = [mention for mention in found if _may_be_money(text, mention)]
    if not any(mention.kind == "money" for mention in found):
        return bare
    spoken = [mention for mention in bare if not mention.text[0].isdigit()]  # 还了四万五 beside 15万元
    return sorted([*(m for m in found if m.kind == "money"), *spoken], key=lambda mention: mention.start)


@lru_cache(maxsize=1 << 10)
def asserted_amounts(text: str) -> tuple[Mention, ...]:
    """The sums that a normal text stands by."""
    return tuple(live(text, amounts(text)))


def judge_amount(expected: Decimal, question: str, answer: str, rules: AmountRules) -> FieldVerdict:
    """Whether the answer gives this sum, and no other, to the question."""
    values = amounts(answer)
    if not values and expected == 0 and _NOTHING.search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_nothing_paid"))
    settled = settle(question, answer, values)
    if settled.mention is None:
        return FieldVerdict(False, settled.why)
    return judge_one_amount(expected, settled.mention, rules)


def judge_one_amount(expected: Decimal, found: Mention, rules: AmountRules) -> FieldVerdict:
    """Whether one mention is this sum."""
    if found.kind == "money" and rules.currency and found.unit != rules.currency:
        return FieldVerdict(False, Message("legal.another_currency", text=found.text))
    if not found.is_exact and not (found.loose == "rate" and rules.rate_asked):
        return FieldVerdict(
            False, Message("legal.not_exact", text=found.text, why=named(LOOSE, found.loose or "no number"))
        )
    if not any(same_amount(found.value * scale, expected) for scale in (1, rules.scale, 1 / Decimal(rules.scale))):
        return FieldVerdict(False, Message("legal.is_not", text=found.text, expected=str(expected)))
    return _approximation(found, expected, rules)


def same_amount(one: Decimal, two: Decimal) -> bool:
    """Equal to the cent."""
    return cents(one) == cents(two)


def cents(amount: Decimal) -> int:
    """A sum in its smallest unit."""
    return round(amount * 100)


def _approximation(found: Mention, expected: Decimal, rules: AmountRules) -> FieldVerdict:
    """约 beside the right value: credited, and reported where the source does not say so."""
    source = [each for each in amounts(rules.source) if each.value is not None and same_amount(each.value, expected)]
    is_source_approximate = any(each.approx for each in source)
    if found.approx and not is_source_approximate and rules.exact:
        if rules.strict:
            return FieldVerdict(
                False, Message("legal.only_approximate", text=found.text), (Message("legal.approx_added"),)
            )
        return FieldVerdict(True, Message("legal.says_about", text=found.text), (Message("legal.approx_added"),))
    flags = (Message("legal.approx_dropped"),) if is_source_approximate and not found.approx else ()
    return FieldVerdict(True, Message("legal.answer_says", value=found.text), flags)


def judge_breakdown(
    expected: Sequence[tuple[Decimal, str]], question: str, answer: str, rules: AmountRules
) -> FieldVerdict:
    """Whether the answer gives these sums, all of them and no other; a total that they make may stand beside them."""
    values = amounts(answer)
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if are_alternatives(answer, values):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    standing = _without_total(answer, live(answer, values), expected)
    if loose := next((value for value in standing if not value.is_exact), None):
        return FieldVerdict(False, Message("legal.not_exact", text=loose.text, why=named(LOOSE, loose.loose)))
    wanted = Counter(cents(amount) for amount, _ in expected)
    found = _counted(answer, standing, wanted)
    if found != wanted:
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
    found: Counter[int] = Counter()
    for value in values:
        amount = cents(value.value)
        clause = clause_of(text, value.start)
        is_each = _EACH.search(text, clause.start, value.start) or _EACH.match(text[value.end : value.end + 8].lstrip())
        found[amount] += wanted[amount] or 1 if is_each else 1
    return found


def _swapped(text: str, values: Sequence[Mention], expected: Sequence[tuple[Decimal, str]]) -> Mention | None:
    """A sum whose own words, before it or else behind it, belong to the description of another item."""
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
    """A number without a currency: digits, or numerals with a unit, and no noun glued to it."""
    if mention.kind != "number" or not _AFTER_NUMBER.match(text, mention.end):
        return False
    return mention.text[0].isdigit() or any(unit in mention.text for unit in "百千万亿佰仟")


def amount_of(value: Any) -> Decimal | None:
    """An expected sum; a boolean is none."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else Decimal(str(value))


def items_of(value: Sequence[Any]) -> list[tuple[Decimal, str]]:
    """The items of a breakdown: numbers, texts, or objects with an amount and a description."""
    found = []
    for item in value:
        amount = _item_amount(item.get("amount") if isinstance(item, Mapping) else item)
        if amount is not None:
            found.append((amount, normalise(str(item.get("description", ""))) if isinstance(item, Mapping) else ""))
    return found


def _item_amount(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return amount_of(value)
    found = amounts(normalise(value))
    return found[0].value if len(found) == 1 and found[0].is_exact else None


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
