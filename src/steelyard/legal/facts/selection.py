"""Selecting the one value that answers a question: by its role, period or item, by conclusion, equation or total.

A role is what a value is said of: collected, owed, interest; signed, born. A rate by the day, the month or the year has
a period; 第三年, "the third year" and 2021年 are items.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.facts.statements import (
    FieldVerdict,
    after_last,
    are_alternatives,
    asserted_values,
    doubt_about,
    found_by_court,
    terms_of,
    totalled,
)
from steelyard.legal.reading import clause_of
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.values import value_of

_WORDS: Final = lexicon("facts")
_OPERATOR: Final = re.compile(
    r"[^+\-×*÷/=\n]{0,16}?(?:"
    + "|".join(f"(?P<{name}>{_WORDS.source(name)})" for name in ("plus", "minus", "times", "divided"))
    + r")[^+\-×*÷=\n]{0,16}",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(r"(?:\s?/\s?[A-Za-z\u4e00-\u9fff]{1,10}|[^+\-×*÷/=\n]){0,24}")
_SIGN: Final = re.compile(r"[\W约负]*")
_MINUS: Final = re.compile(r"(?<![\w%)])\s?[-负]\s?$")
_REMARK: Final = re.compile(r"\([^()]{0,40}\)")
_VARIABLE: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]\s?$")
_NUMERIC: Final = frozenset(("money", "number", "count", "percent"))


def equated(text: str, values: Sequence[Mention]) -> list[Mention]:
    """Return the value on the right of the last equation."""
    return after_last(_WORDS["equals"], text, values)[:1]


def is_wrong_result(text: str, value: Mention) -> bool:
    """Return whether the value is the result of an equation of figures that does not hold."""
    window = text[max(0, value.start - thresholds.EQUATION_REACH) : value.start]
    marks = list(_WORDS["equals"].finditer(window))
    between = window[marks[-1].end() :] if marks else ""
    if not marks or not _SIGN.fullmatch(between):
        return False
    if _VARIABLE.search(window[: marks[-1].start()]):
        return False
    left = _operation(window[: marks[-1].start()])
    if left is None or not isinstance(value.value, Decimal):
        return False
    result = -value.value if is_negative(text, value) else value.value
    is_rounded = marks[-1][0] == "≈" or value.approx
    slack = max(Decimal(thresholds.CENT), abs(left) / thresholds.ROUNDED if is_rounded else Decimal(0))
    return all(abs(result / scale - left) > slack for scale in (1, 10**4, 10**6))


def is_negative(text: str, value: Mention) -> bool:
    """Return whether a minus sign stands before the value that is no dash between two values."""
    return _MINUS.search(text, max(0, value.start - 3), value.start) is not None


def _operation(text: str) -> Decimal | None:
    """Return the value of the operation at the end of a text; None if there is no readable one."""
    numbers = [mention for mention in mentions(text) if mention.kind in _NUMERIC and isinstance(mention.value, Decimal)]
    if not numbers or not _BEHIND.fullmatch(text[numbers[-1].end :]):
        return None
    terms, signs = [_plain_value(numbers[-1])], []
    for left, right in list(pairwise(numbers))[: -thresholds.OPERANDS - 1 : -1]:
        between = _REMARK.sub("", text[left.end : right.start])
        if "(" in between or ")" in between:
            return None
        sign = _OPERATOR.fullmatch(between)
        if sign is None:
            break
        signs.append(str(sign.lastgroup))
        terms.append(_plain_value(left))
    return _evaluated(terms[::-1], signs[::-1]) if signs else None


def _plain_value(mention: Mention) -> Decimal:
    value: Decimal = mention.value
    return value / 100 if mention.kind == "percent" else value


def _evaluated(terms: list[Decimal], signs: list[str]) -> Decimal | None:
    """Return the value of the expression, products before sums; None for a division by zero."""
    products = [terms[0]]
    try:
        for sign, term in zip(signs, terms[1:], strict=True):
            match sign:
                case "times":
                    products[-1] *= term
                case "divided":
                    products[-1] /= term
                case _:
                    products.append(term if sign == "plus" else -term)
        return sum(products, Decimal(0))
    except (DivisionByZero, InvalidOperation):
        return None


_SHARED: Final = lexicon("shared")
_SIDE_ROLES: Final = frozenset(("penalty", "fee", "price"))
"""Roles of sums that are named beside the asked sum."""
_SUM_ROLES: Final = ("owed", "interest", "principal", "deposit", "penalty", "wage", "rent", "fee", "price")
"""Roles that only sums have."""
_DATE_ROLES: Final = (
    "signed", "effective", "born", "begun", "ended", "reported", "delivered", "arrested", "registered"
)  # fmt: skip
"""Roles that only days have; all others may be said of both."""
_ROLES: Final = (
    "owed",
    "returned",
    *_SUM_ROLES[1:7],
    "compensation",
    "fee",
    "price",
    "loan",
    *_DATE_ROLES,
    "collected",
)
_ROLE: Final = re.compile("|".join(f"(?P<{name}>{_WORDS.source(name)})" for name in _ROLES), re.IGNORECASE)
_ALIKE: Final = ({"loan", "collected"}, {"delivered", "collected"})
"""Roles of which one is said of the other: who lends or hands over gives."""
_ENDS: Final = frozenset(("begun", "ended"))
"""Roles that anything can have: a beginning and an end."""
_FIRST: Final = (frozenset(("interest", "principal")), frozenset(("owed", "returned")))
"""Roles that are asked for even if others are named: 还欠多少工资 asks what is owed."""
_GENERIC: Final = frozenset(("collected", "loan", "compensation"))
"""Roles that every part of a sum and the whole have; who pays a deposit pays."""
_DIVISIBLE: Final = _GENERIC | {"returned"}
"""Roles that a sum and its parts can have."""
_NUMERAL: Final = re.compile("[一二三四五六七八九十]{1,3}")
_Values = Sequence[Mention]


def select_value(
    question: str, answer: str, values: _Values, among: _Values | None = None
) -> tuple[Mention | None, FieldVerdict]:
    """Select the one value that answers the question, or None, with the verdict that holds then.

    Both texts are normalised. `among` are all values that can be alternatives, if they are more than the candidates.
    """
    standing = asserted_values(answer, values)
    chosen = standing if len(_distinct(standing)) < 2 else _chosen(question, answer, standing)
    why = _objection(question, answer, values, standing, chosen, among or values)
    if why is None:
        is_bound = _WORDS["bound_before"].search(
            answer, max(0, chosen[0].start - thresholds.ALTERNATIVE_REACH), chosen[0].start
        )
        value = chosen[0]._replace(loose="bound") if is_bound and not chosen[0].loose else chosen[0]
        return value, FieldVerdict(True, Message("legal.answer_says", value=value.text))
    is_open = not values or (len(_distinct(chosen)) > 1 and not _SHARED["conclusion"].search(answer))
    return None, FieldVerdict(
        False, why, names_another=bool(values), unsettled=is_open and len(answer) > thresholds.WORKING
    )


def _objection(
    question: str, answer: str, values: _Values, standing: _Values, chosen: _Values, rivals: _Values
) -> Message | None:
    """Return why no value answers the question; None if one of the chosen ones does."""
    if not chosen:
        return Message("legal.denies_value" if values else "legal.no_such_value")
    if word := doubt_about(answer, chosen):
        return Message("legal.disclaims_itself", word=word)
    is_one = len(_distinct(chosen)) == 1
    if are_alternatives(answer, rivals):
        return Message("legal.offers_alternatives")
    if not is_one:
        return Message("legal.several_values", values=", ".join(value.text for value in standing[:8]))
    if is_wrong_result(answer, chosen[-1]):
        return Message("legal.not_result_of_equation", text=chosen[-1].text)
    if other := _restated_otherwise(answer, chosen, values):
        return Message("legal.restated_as", text=chosen[0].text, other=other.text)
    if _is_about_something_else(question, answer, chosen, standing):
        return Message("legal.something_else_than_asked", text=chosen[0].text)
    return None


def _distinct(values: _Values) -> set[Any]:
    return {(value.kind, value.value, value.until, value.loose) for value in values}


def _restated_otherwise(text: str, chosen: _Values, values: _Values) -> Mention | None:
    """Return a different value in brackets that restate a chosen one in words or in another unit; or None."""
    starts = {value.start for value in chosen}
    for value, other in pairwise(values):
        before, after = text[value.end : other.start].lstrip(), text[other.end : other.end + thresholds.RESTATEMENT]
        if value.start in starts and before.startswith("(") and ")" in after:
            is_same = other.unit != value.unit or other.value == value.value or not other.is_exact
            around = before[1:], after[: after.index(")")]
            if not is_same and all(_WORDS["restated"].fullmatch(words) for words in around):
                return other
    return None


# ----- which of several values


def _chosen(question: str, answer: str, values: _Values) -> _Values:
    """Return the one of several values that answers the question; all of them if nothing decides."""
    if not _items(question) and (total := _adding_up(question, answer, values)):
        return total
    for narrow in (_not_asked, _asked_about, _not_each, found_by_court):
        values = narrow(question, answer, values)
        if len(_distinct(values)) == 1:
            return values
    is_total = _SHARED["total"].search(question)
    is_specific = not is_total and not asked_roles(question, values[0].kind) <= _GENERIC
    rules: list[Callable[[], _Values]] = [
        lambda: _in_role(question, answer, values) if is_specific else (),
        lambda: after_last(_SHARED["conclusion"], answer, values),
        lambda: equated(answer, values),
        lambda: _adding_up(question, answer, values),
        lambda: totalled(answer, values) if is_total else (),
        lambda: _in_role(question, answer, values, or_words=True),
    ]
    return next((chosen for rule in rules if len(_distinct(chosen := rule())) == 1), values)


def _not_asked(question: str, answer: str, values: _Values) -> _Values:
    asked = {
        (value.value, value.until) for value in mentions(question) if value.kind != "number" or value.text[0].isdigit()
    }
    return [value for value in values if (value.value, value.until) not in asked] or values


def _asked_about(question: str, answer: str, values: _Values) -> _Values:
    """Return the values without fees, caps, conversions, and those of another role, item or period."""
    kind = values[0].kind
    asked, side = asked_roles(question, kind), _SIDE_ROLES - asked_roles(question)
    with_names = list(_stated(answer, values, partial(roles, kind=kind)))
    values = [value for value, names in with_names if not _contradicts(asked, names)] or values
    if kind != "date":
        values = [
            value for value, names in with_names if value in values and (names & asked or not names & side)
        ] or values
    values = _same_aspect(question, answer, values, _items)
    values = _same_aspect(question, answer, values, partial(_named, classes=("daily", "monthly", "yearly")), only=False)
    if not _WORDS["cap"].search(question):
        with_names = list(_stated(answer, values, partial(_named, classes=("cap",))))
        values = [value for value, is_cap in with_names if not is_cap] or values
    return _not_converted(answer, values)


def _same_aspect(
    question: str, answer: str, values: _Values, aspect: Callable[[str], frozenset[str]], *, only: bool = True
) -> _Values:
    """Return the values of the asked item, if any (`only`); else those of no other item."""
    wanted, with_aspects = aspect(question), list(_stated(answer, values, aspect))
    own = [value for value, stated in with_aspects if wanted & stated]
    others = [value for value, stated in with_aspects if stated and not wanted & stated and wanted]
    return (own if only else []) or [value for value in values if value not in others] or values


def _not_converted(answer: str, values: _Values) -> _Values:
    """Return the values without those that convert the value before them to another period, and rightly so."""
    converted = [
        value
        for last, value, (before, _) in zip(values, values[1:], list(own_words(answer, values))[1:], strict=False)
        if _WORDS["converted"].search(before) and _is_multiple(last, value)
    ]
    return [value for value in values if value not in converted]


def _is_multiple(one: Mention, two: Mention) -> bool:
    """Return whether one value is the other for a day, a month or a year."""
    if not (isinstance(one.value, Decimal) and isinstance(two.value, Decimal) and one.value and two.value):
        return False
    ratio = max(one.value, two.value) / min(one.value, two.value)
    return any(abs(ratio / factor - 1) <= Decimal(thresholds.CONVERSION) for factor in thresholds.PERIODS_IN_PERIOD)


def _not_each(question: str, answer: str, values: _Values) -> _Values:
    """Return the values without shares (各执两份), unless the question asks for them."""
    befores = (answer[max(0, value.start - thresholds.ALTERNATIVE_REACH) : value.start] for value in values)
    shares = [_WORDS["each_before"].search(before) is not None for before in befores]
    wholes = [value for value, is_share in zip(values, shares, strict=True) if not is_share]
    return values if _WORDS["each"].search(question) else wholes or values


def _adding_up(question: str, answer: str, values: _Values) -> _Values:
    """Return the total, or the first value before its parts, if the parts add up to it and no part is asked for.

    That something was returned, if it is stated at all, must be stated of the total or of every part.
    """
    asked = asked_roles(question, values[0].kind)
    if not asked <= _DIVISIBLE or not all(isinstance(value.value, Decimal) for value in values):
        return ()
    announced = totalled(answer, values)[:1]
    if not announced and _WORDS["parts"].search(answer[values[0].end : values[1].start]):
        announced = [values[0]]
    in_role = [value for value, names in _stated(answer, values, roles) if asked <= _GENERIC or asked & names]
    for total in announced:
        parts = [value for value in values if value is not total]
        sums = [value.value for value in parts]
        adds_up = (len(sums) > 1 and sum(sums) == total.value) or sum({*sums} - {total.value}) == total.value
        if adds_up and (not in_role or total in in_role or all(part in in_role for part in parts)):
            return [total]
    return ()


def _in_role(question: str, answer: str, values: _Values, *, or_words: bool = False) -> _Values:
    """Return the value in the asked role, of several the one whose words are most like the question.

    With `or_words`, if the question names no role or the answer none, the value whose words are most like it.
    """
    asked = asked_roles(question, values[0].kind)
    with_roles = list(_stated(answer, values, partial(roles, kind=values[0].kind)))
    in_role = [value for value, stated in with_roles if asked & stated]
    if or_words and not in_role and not (asked and any(stated for _, stated in with_roles)):
        return _most_like(question, answer, values)
    return _most_like(question, answer, in_role) if len(_distinct(in_role)) > 1 else in_role


def _most_like(question: str, answer: str, values: _Values) -> _Values:
    wanted = terms_of(question)
    shared = [
        2 * len(wanted & terms_of(before)) + len(wanted & terms_of(_WORDS["join"].split(behind)[0]))
        for before, behind in own_words(answer, values)
    ]
    most = max(shared)
    return [value for value, count in zip(values, shared, strict=True) if count == most] if most else ()


def _is_about_something_else(question: str, answer: str, chosen: _Values, values: _Values) -> bool:
    asked = asked_roles(question, values[0].kind)
    with_roles = _stated(answer, values, partial(roles, kind=values[0].kind)) if asked else ()
    stated = {value.start: names for value, names in with_roles}
    others = [value for value in chosen if _contradicts(asked, stated.get(value.start, frozenset()))]
    matching = [value for value in others if asked & roles(clause_of(answer, value.start).text, kind=value.kind)]
    return bool(asked) and len(others) == len(chosen) and not matching


# ----- the words of a value


def _stated(
    answer: str, values: _Values, aspect: Callable[[str], frozenset[str]]
) -> Iterator[tuple[Mention, frozenset[str]]]:
    """Yield each value with what is said of it by the words before it in its clause, else by those after it."""
    for value, (before, behind) in zip(values, own_words(answer, values), strict=True):
        names = aspect(_WORDS["join"].split(before)[-1])
        if not names and not _WORDS["leads_on"].search(behind):
            names = aspect(_WORDS["join"].split(behind)[0])
        yield value, names


def own_words(text: str, values: _Values) -> Iterator[tuple[str, str]]:
    """Yield the words before and after each value in its clause, up to the neighbouring values."""
    last = 0
    for at, value in enumerate(values):
        clause = clause_of(text, value.start)
        following = values[at + 1].start if at + 1 < len(values) else len(text)
        end = max(value.end, min(clause.end, following, value.end + thresholds.ROLE_REACH))
        yield text[max(clause.start, last, value.start - thresholds.ROLE_REACH) : value.start], text[value.end : end]
        last = value.end


# ----- roles, periods and items


@lru_cache(maxsize=1 << 12)
def roles(text: str, kind: str = "") -> frozenset[str]:
    """Return the roles that words of a text name, without those that a value of this kind cannot have."""
    impossible = () if not kind else _SUM_ROLES if kind == "date" else _DATE_ROLES
    return frozenset(str(match.lastgroup) for match in _ROLE.finditer(text)).difference(impossible)


def asked_roles(question: str, kind: str = "") -> frozenset[str]:
    """Return the roles that a question asks about; payment only if no other is named."""
    names = roles(question)
    first = next((names & first for first in _FIRST if names & first), None)
    return (first or names - {"collected"} or names) & roles(question, kind)


def _contradicts(asked: frozenset[str], stated: frozenset[str]) -> bool:
    if not asked or not stated or (asked <= _ENDS and not stated & _ENDS):
        return False
    if stated == {"collected"} and not asked & _FIRST[1]:
        return False
    return not (asked & stated or any(asked & alike and stated & alike for alike in _ALIKE))


def _items(text: str) -> frozenset[str]:
    """Return the years, instalments and other numbered items that a text names, with numerals in figures."""
    items = (match[0].lower() for match in _WORDS["item"].finditer(text))
    return frozenset(_NUMERAL.sub(lambda numeral: str(value_of(numeral[0]) or numeral[0]), item) for item in items)


def _named(text: str, classes: Sequence[str]) -> frozenset[str]:
    return frozenset(name for name in classes if _WORDS[name].search(text))
