"""Judging sums of money, counts and dates by value.

42000 equals 四万二千元 and 4.2万, but not 42000日元 or 四万多. A count has a measure word that fits the question.
Coarser dates, bounds and lunar dates are wrong.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.facts.figures import judge_figure
from steelyard.legal.facts.selection import asked_roles, is_negative, own_words, select_value
from steelyard.legal.facts.statements import (
    Case,
    FieldVerdict,
    are_alternatives,
    asserted_values,
    doubt,
    inexact,
    right_value,
    totalled,
)
from steelyard.legal.model import SENSES, named
from steelyard.legal.reading import clause_of
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, currency_code, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import Day, is_measure, same_measure

_WORDS: Final = lexicon("facts")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}
Items = Sequence[tuple[Decimal, str]]
"""Sums with their descriptions."""


def expected_currency(question: str, source: str) -> str:
    """Return the currency that question and evidence name, else 元; "" for any, if an English question names none."""
    units = {value.unit for text in (question, source) for value in mentions(text) if value.kind == "money"}
    if word := _WORDS["currency_asked"].search(question):
        units = {currency_code(word[0])}
    if len(units) == 1:
        return units.pop()
    return "" if question.isascii() and question else "CNY"


def amounts(text: str) -> list[Mention]:
    """Return the sums in a normalised text; digits without a currency only if there are no others."""
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
    """Return the sums that a normalised text asserts."""
    return asserted_values(text, amounts(text))


def judge_amount(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer to the question is this sum and no other, in the unit that the question asks for."""
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
    source = amounts(case.rules.source)
    known = [each for each in source if each.value is not None and same_amount(each.value, wanted)]
    return right_value(value, known, case.rules)


def same_amount(one: Decimal, two: Decimal) -> bool:
    """Return equal to the cent."""
    return _cents(one) == _cents(two)


def _cents(amount: Decimal) -> int:
    return round(amount * 100)


def amount_of(value: Any) -> Decimal | None:
    """Return an expected sum as a Decimal; None if it is not a number."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else Decimal(str(value))


# ----- items


def judge_breakdown(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer lists exactly these sums; their total may be listed too."""
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
    """Return how often each sum is listed; 各6000元 stands for all items of that sum."""
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
    """Return a sum whose words, before it or else after it, belong to the description of another item."""
    for value, words in zip(values, own_words(text, values), strict=True):
        first, second = words if re.search("[一-鿿]", text) else reversed(words)  # 现金5000元; 5,000 in cash
        named = _labelled(first, expected) or _labelled(second, expected)
        if named and not any(same_amount(amount, value.value) for amount in named):
            return value
    return None


def _labelled(words: str, expected: Items) -> list[Decimal]:
    return [amount for amount, description in expected if _shares_label(words, description)]


def _shares_label(words: str, description: str) -> bool:
    if description.isascii():
        one, two = ({word for word in text.lower().split() if len(word) > 3} for text in (words, description))
        return bool(one & two)
    return any(description[at : at + 2] in words for at in range(len(description) - 1))


def items_of(value: Sequence[Any]) -> list[tuple[Decimal, str]]:
    """Return the items of a breakdown: numbers, texts, or objects with an amount and a description."""
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
    """Return whether two lists have the same sums, and no label belongs to an item of another sum."""
    if sorted(_cents(amount) for amount, _ in given) != sorted(_cents(amount) for amount, _ in expected):
        return False
    named = [(amount, _labelled(label, expected)) for amount, label in given]
    return all(not wanted or any(same_amount(each, amount) for each in wanted) for amount, wanted in named)


_NOTHING_ELSE: Final = re.compile(r"[\s。,.!]{0,8}")


def judge_count(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer gives this number of what was asked about."""
    if _WORDS["not_one"].search(answer) and not doubt(answer):
        return FieldVerdict(expected == 0, Message("legal.says_none"))
    values = _asked_values(case.question, answer)
    if not values and expected == 0 and _WORDS["none"].search(answer) and not doubt(answer):
        return FieldVerdict(True, Message("legal.says_none"))
    has_rate = any("/" in value.unit for value in values)
    is_unread = _asked_noun(case.question) and (has_rate or not values)  # 两年 to 几个月, 10 a second to "per minute"
    figure = judge_figure(str(int(expected)), case.question, answer) if is_unread else None
    if figure and (figure.correct or has_rate):
        return figure
    value, verdict = select_value(case.question, answer, values, numbers(answer))
    if value is None:
        return verdict
    if not value.is_exact or value.approx:
        return FieldVerdict(False, inexact(value, "approximate"))
    if value.value != Decimal(int(expected)):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=int(expected)))
    return verdict


def numbers(text: str) -> list[Mention]:
    """Return the counts and bare numbers in a normalised text."""
    return [value for value in mentions(text) if value.kind in ("count", "number")]


def _asked_noun(question: str) -> str:
    """Return the measure word or the noun that a question counts, or ""."""
    asked = _WORDS["asked_measure"].search(question) or _WORDS["number_of"].search(question)
    return asked[1].lower() if asked else ""


def _asked_values(question: str, answer: str) -> list[Mention]:
    """Return the numbers that can answer: counts of the asked thing, else other counts, else bare numbers."""
    wanted = _asked_noun(question)
    values = [value for value in numbers(answer) if _fits(wanted, value, answer)]
    named = [value for value in values if wanted and _is_asked(wanted, value, answer)]
    alike = [value for value in values if wanted and value.kind == "count" and same_measure(wanted, value.unit)]
    not_years = [
        value for value in values if value.unit or not thresholds.YEARS[0] <= (value.value or 0) <= thresholds.YEARS[1]
    ]
    things = [value for value in numbers(answer) if value.kind == "count" and not is_measure(value.unit)]
    return named or alike or not_years or (things if values else []) or values


def _is_asked(wanted: str, value: Mention, answer: str) -> bool:
    """Return whether the counted thing is the asked one, by its measure word or the stem of its English noun."""
    if _WORDS["of_whom"].search(answer, max(0, value.start - 12), value.start):
        return True
    if not value.unit or not wanted.isascii():
        return value.unit == wanted
    behind = _WORDS["noun_end"].split(answer[value.end - len(value.unit) : value.end + 24].lower())[0]
    return any(word[:5] == wanted[:5] for word in (value.unit, *re.findall("[a-z]+", behind)[:3]))


def _fits(wanted: str, value: Mention, answer: str) -> bool:
    """Whether a number counts the asked class of things; a bare number does, unless it is part of a word (一共)."""
    if value.kind == "number":
        is_figure = value.text[0].isdigit() or value.text.isascii() or (len(value.text) > 1 and not value.is_exact)
        is_measured = bool(wanted) and answer.startswith(wanted, value.end)  # 一百零八具
        return (
            is_figure or is_measured or _NOTHING_ELSE.fullmatch(answer[: value.start] + answer[value.end :]) is not None
        )
    if wanted and wanted.isascii() != value.unit.isascii() and value.unit.isascii():  # 82 boards are 82张
        return same_measure(wanted, value.unit) or not is_measure(value.unit)
    return not wanted or same_measure(wanted, value.unit) or not (is_measure(wanted) or is_measure(value.unit))


_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def day_of(text: str) -> Day | None:
    """Return a date in a typed field: YYYY-MM-DD, or any notation of a day."""
    match = _ISO.fullmatch(text.strip()[:10])
    days = [value.value for value in date_values(normalise(text)) if value.is_exact] if not match else []
    day = Day(*map(int, match.groups())) if match else days[0] if len(days) == 1 else None
    return day if day is not None and day.is_possible else None


def date_values(text: str) -> list[Mention]:
    """Return the dates in a normalised text, without lunar dates if there is a Gregorian one."""
    dates = [mention for mention in mentions(text) if mention.kind == "date"]
    return [mention for mention in dates if mention.loose != "lunar"] or dates


def asserted_dates(text: str) -> list[Mention]:
    """Return the dates that a normalised text asserts."""
    return asserted_values(text, date_values(text))


def judge_date(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer to the question is this day."""
    wanted, question, exact = day_of(str(expected)), case.question, case.rules.date_exact
    if wanted is None:
        return FieldVerdict(False, Message("legal.expected_date_none", value=repr(expected)))
    dates = date_values(answer)
    bare_years = [date for date in dates if date.value is not None and date.value.month is None]
    values = [_with_year_of(date_values(question), _asked_end(question, value)) for value in dates]
    values = [_with_year_of(bare_years, value) for value in values]
    full = [value for value in values if value.value is not None and value.value.is_whole and value.until is None]
    value, verdict = select_value(question, answer, full or values)
    if value is None:
        return verdict
    if value.until is not None:
        return FieldVerdict(False, Message("legal.is_range", text=value.text))
    if value.value is None or value.loose == "lunar":
        return FieldVerdict(False, Message("legal.not_day_of_calendar", text=value.text))
    if exact and value.loose:
        return FieldVerdict(False, inexact(value))
    if value.value != wanted and (exact or not value.value.agrees(wanted)):
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=wanted.isoformat()))
    if exact and value.approx:
        return FieldVerdict(False, Message("legal.only_approximate", text=value.text))
    return verdict


def _asked_end(question: str, value: Mention) -> Mention:
    """Return a range reduced to the end that the question asks for; any other date as it is."""
    if value.until is not None and "ended" in asked_roles(question):
        return value._replace(value=value.until, until=None)
    return value._replace(until=None) if "begun" in asked_roles(question) else value


def _with_year_of(dates: Sequence[Mention], value: Mention) -> Mention:
    """Return a date without a year with the only one of these: of the question, or of another clause (均在2022年)."""
    years = {date.value.year for date in dates if date.value is not None and date.value.year}
    day = value.value
    if day is None or day.year is not None or len(years) != 1 or day.month is None or day.day is None:
        return value
    loose = "" if value.loose == "coarse" else value.loose
    year = years.pop() + (1 if _WORDS["next_year"].match(value.text) else 0)
    return value._replace(value=Day(year, day.month, day.day), loose=loose)


def ends_of(given: Mapping[str, Any]) -> tuple[Day | None, Day | None]:
    """Return the start and the end of a range in a typed field, in any notation."""
    start, end = (str(given.get(bound, "")) for bound in ("start", "end"))
    return day_of(start), day_of(end)


def judge_range(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer gives this range; two days that are only listed are not a range."""
    start, end = ends_of(expected)
    if start is None or end is None:
        return FieldVerdict(False, Message("legal.expected_range_none", value=repr(expected)))
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    values = asserted_dates(answer)
    ranges = [value for value in values if value.until is not None] or _labelled_range(answer, values)
    if len({(value.value, value.until) for value in ranges}) != 1:
        return FieldVerdict(False, Message("legal.no_range") if not ranges else Message("legal.several_ranges"))
    value = ranges[0]
    if value.loose or value.value is None:
        return FieldVerdict(False, inexact(value, "impossible"))
    if (value.value, value.until) != (start, end):
        wanted = {"start": start.isoformat(), "end": end.isoformat()}
        return FieldVerdict(False, Message("legal.is_not_range", text=value.text, **wanted))
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def _labelled_range(text: str, values: list[Mention]) -> list[Mention]:
    """Return a range made of two dates, one labelled as the beginning and one as the end."""
    if len(values) != 2:
        return []
    first, second = values
    before, between = text[: first.start], text[first.end : second.start]
    from_day, to_day = _WORDS["from_day"], _WORDS["to_day"]
    is_labelled = (from_day.search(before) or from_day.search(between)) and to_day.search(between + text[second.end :])
    if not is_labelled or between.strip() in tuple("、和及,") or first.loose not in ("", "bound"):
        return []
    return [Mention("date", first.start, second.end, text[first.start : second.end], first.value, until=second.value)]


# ----- typed fields


def judge_typed(key: str, expected: Any, given: Any) -> FieldVerdict:
    """Judge the value of a typed field that is no text."""
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
