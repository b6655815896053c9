"""Selecting the one value that answers a question: by conclusion, equation, total, or the asked role."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from steelyard.i18n import Localized, Message
from steelyard.legal.clauses import outline
from steelyard.legal.facts.clauses import (
    CLAIMED,
    are_alternatives,
    asks_for_total,
    asserted_values,
    concluded,
    doubt_about,
    found_by_court,
    totalled,
)
from steelyard.legal.facts.equations import equated, is_wrong_result
from steelyard.legal.facts.roles import asked_roles, contradicts, roles, roles_for
from steelyard.text.mentions import Mention, mentions

_JOIN: Final = re.compile(r"、|并且?|同时|然后|\band\b|\bthen\b|\bwhile\b", re.IGNORECASE)
_QUESTION_WORDS: Final = frozenset("多少几何什么时候哪一天日个次是的了在有吗呢共总一钱谁为请问")
_COMMON_WORDS: Final = frozenset(
    "what when where which much many does have from with that this were will there their about".split()
)
_LONG_WORD: Final = re.compile("[a-z]{4,}")
_EACH: Final = re.compile(r"各|每|\beach\b|\bper\b", re.IGNORECASE)
_EACH_BEFORE: Final = re.compile(r"(?:各(?:自|执|持|得|分|付|收)?|每[人方次份笔个]?|\beach )\D{0,3}$", re.IGNORECASE)
_RESTATES: Final = re.compile(
    r"(?:.{0,40}即(?:为|是)?|(?:大写|小写|即|也就是|合计?|折合|人民币|RMB|i\.e\.|that is|in words|in figures"
    r"|[:：,\s]){0,6})[整正\s]?",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(
    r"其中|包括|分别|具体|\b(?:including|comprising|consisting|namely|i\.e\.|made up)\b|\A\s?[:：(（]", re.IGNORECASE
)

_BRACKET: Final = re.compile(r"\s?[(（]")
_LEADS_ON: Final = re.compile(r"(?:\bof|\bat|\bfor|\bis|\bwas|为|是|:)\s?[$¥€£]?$", re.IGNORECASE)
_REACH: Final = 80
"""The number of characters around a value that are searched for its role."""
_PLAIN_ROLES: Final = frozenset(("collected", "loan", "compensation"))
_SIDE_ROLES: Final = frozenset(("penalty", "fee", "price"))
"""Roles of sums that are named beside the asked sum."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected mention, or None and the reason."""

    mention: Mention | None
    why: Localized


def select_value(
    question: str, answer: str, values: Sequence[Mention], among: Sequence[Mention] | None = None
) -> Selection:
    """Select the one value that answers the question; both texts are normalised.

    `among` are all values that can be alternatives, if they are more than the candidates.
    """
    if not values:
        return Selection(None, Message("legal.no_such_value"))
    standing = asserted_values(answer, values)
    if not standing:
        return Selection(None, Message("legal.denies_value"))
    chosen = standing if len(_distinct(standing)) == 1 else _chosen(question, answer, standing)
    if word := doubt_about(answer, chosen):
        return Selection(None, Message("legal.disclaims_itself", word=word))
    rivals = among or values
    if are_alternatives(answer, rivals if len(_distinct(chosen)) > 1 else _beside(chosen, rivals)):
        return Selection(None, Message("legal.offers_alternatives"))
    if len(_distinct(chosen)) != 1:
        return Selection(None, Message("legal.several_values", values=", ".join(value.text for value in standing[:8])))
    if is_wrong_result(answer, chosen[-1]):
        return Selection(None, Message("legal.not_result_of_equation", text=chosen[-1].text))
    if other := _restated_otherwise(answer, chosen, values):
        return Selection(None, Message("legal.restated_as", text=chosen[0].text, other=other.text))
    if _is_about_something_else(question, answer, chosen, standing):
        return Selection(None, Message("legal.something_else_than_asked", text=chosen[0].text))
    return Selection(chosen[0], Message("legal.answer_says", value=chosen[0].text))


def _restated_otherwise(text: str, chosen: Sequence[Mention], values: Sequence[Mention]) -> Mention | None:
    """A different value in the brackets after a chosen one that restate it in words or in another unit; or None."""
    starts = [value.start for value in values]
    for value in chosen:
        opening = _BRACKET.match(text[value.end : value.end + 2])
        start = value.end + opening.end() if opening else 0
        close = text.find(")", start, start + 80) if opening else -1
        at = bisect_left(starts, start)
        other = values[at] if close >= 0 and at < len(values) and values[at].end <= close else None
        if other is None or other.unit != value.unit or other.value == value.value or not other.is_exact:
            continue
        if _RESTATES.fullmatch(text[start : other.start]) and _RESTATES.fullmatch(text[other.end : close]):
            return other
    return None


def _beside(chosen: Sequence[Mention], values: Sequence[Mention]) -> list[Mention]:
    """The chosen values and those next to them."""
    starts = {value.start for value in chosen}
    indexes = {index + step for index, value in enumerate(values) if value.start in starts for step in (-1, 0, 1)}
    return [value for index, value in enumerate(values) if index in indexes]


def _roles_of(answer: str, values: Sequence[Mention]) -> list[frozenset[str]]:
    """The roles of each value."""
    lasts = (0, *(value.end for value in values[:-1]))
    nexts = (*(value.start for value in values[1:]), len(answer))
    return [
        _roles_at(answer, value.kind, last, value.start, value.end, following)
        for value, last, following in zip(values, lasts, nexts, strict=True)
    ]


@lru_cache(maxsize=1 << 10)
def _roles_at(text: str, kind: str, last: int, start: int, end: int, following: int) -> frozenset[str]:
    """The roles of a value at a span, after the last value and before the following one.

    They are named by the words before it in its clause, else by those after it.
    """
    clause = outline(text).clauses.at(start)
    before = text[max(clause.start, start - _REACH, last) : start]
    behind = text[end : max(end, min(clause.end, end + _REACH, following))]
    names = _role_names(_JOIN.split(before)[-1], kind)
    if names or _LEADS_ON.search(behind):
        return names
    return _role_names(_JOIN.split(behind)[0], kind)


def _role_names(text: str, kind: str) -> frozenset[str]:
    return frozenset(name for name, _, _ in roles(text)) - roles_for(kind)


def _asked(question: str, values: Sequence[Mention]) -> frozenset[str]:
    """The roles that a question asks about and that values of this kind can have."""
    return asked_roles(question) - roles_for(values[0].kind)


def _chosen(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The one of several values that answers the question; all of them if nothing decides."""
    for narrow in (_not_asked, _not_beside, _not_each, _found_by_court):
        values = narrow(question, answer, values)
        if len(_distinct(values)) == 1:
            return values
    rules: list[Callable[[], Sequence[Mention]]] = [
        lambda: concluded(answer, values),
        lambda: equated(answer, values),
        lambda: _adding_up(question, answer, values),
        lambda: totalled(answer, values) if asks_for_total(question) else (),
        lambda: _in_role(question, answer, values),
        lambda: _by_words(question, answer, values),
    ]
    return next((chosen for rule in rules if len(_distinct(chosen := rule())) == 1), values)


def _not_asked(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The values without those in the question."""
    asked = {
        (value.value, value.until) for value in mentions(question) if value.kind != "number" or value.text[0].isdigit()
    }
    return [value for value in values if (value.value, value.until) not in asked] or values


def _not_beside(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The values without fines and fees, unless they are asked for."""
    if values[0].kind == "date":
        return values
    side = _SIDE_ROLES - asked_roles(question)
    return [
        value for value, value_roles in zip(values, _roles_of(answer, values), strict=True) if not value_roles & side
    ] or values


def _not_each(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The values without shares (各执两份), unless the question asks for them."""
    if _EACH.search(question):
        return values
    return [
        value for value in values if not _EACH_BEFORE.search(answer, max(0, value.start - 8), value.start)
    ] or values


def _found_by_court(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    return found_by_court(answer, values) if not CLAIMED.search(question) else values


def _adding_up(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The total, or the first value before its parts, if the parts add up to it and no part is asked for."""
    if not _asked(question, values) <= _PLAIN_ROLES or not all(isinstance(value.value, Decimal) for value in values):
        return ()
    announced = totalled(answer, values)[:1]
    if not announced and _PARTS.search(answer[values[0].end : values[1].start]):
        announced = [values[0]]
    for total in announced:
        rest = [value.value for value in values if value is not total]
        if (len(rest) > 1 and sum(rest) == total.value) or sum({*rest} - {total.value}) == total.value:
            return [total]
    return ()


def _in_role(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    asked = _asked(question, values)
    if not asked:
        return ()
    return [value for value, value_roles in zip(values, _roles_of(answer, values), strict=True) if asked & value_roles]


def _by_words(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """The values whose clause shares most words with the question, if the question names no known role."""
    if _asked(question, values) and any(_roles_of(answer, values)):
        return ()
    wanted = _bigrams(question)
    shared = [
        2 * len(wanted & _bigrams(before)) + len(wanted & _bigrams(behind))
        for before, behind in _own_words(answer, values)
    ]
    most = max(shared)
    return [value for value, count in zip(values, shared, strict=True) if count == most] if most else ()


def _own_words(text: str, values: Sequence[Mention]) -> list[tuple[str, str]]:
    """The words before and after each value in its clause, up to the neighbouring values."""
    clauses = outline(text).clauses
    words, last = [], 0
    for at, value in enumerate(values):
        clause = clauses.at(value.start)
        following = values[at + 1].start if at + 1 < len(values) else len(text)
        end = max(value.end, min(clause.end, following, value.end + _REACH))
        behind = _JOIN.split(text[value.end : end])[0]
        words.append((text[max(clause.start, last, value.start - _REACH) : value.start], behind))
        last = value.end
    return words


def _bigrams(text: str) -> set[str]:
    if text.isascii():
        return {word[:4] for word in set(_LONG_WORD.findall(text.lower())) - _COMMON_WORDS}
    pairs = set(map("".join, pairwise(text)))
    return {pair for pair in pairs if pair[0] not in _QUESTION_WORDS and pair[1] not in _QUESTION_WORDS}


def _is_about_something_else(question: str, answer: str, chosen: Sequence[Mention], values: Sequence[Mention]) -> bool:
    asked = _asked(question, values)
    if not asked:
        return False
    stated = dict(zip((value.start for value in values), _roles_of(answer, values), strict=True))
    return all(contradicts(asked, stated.get(value.start, frozenset())) for value in chosen)


def _distinct(values: Sequence[Mention]) -> set[Any]:
    return {(value.kind, value.value, value.until, value.loose) for value in values}
