"""One value out of an answer: what it concludes, equals, totals, or says in the asked role; presence earns nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from steelyard.legal.clauses import (
    are_alternatives,
    asks_for_total,
    clause_of,
    concluded,
    doubt,
    equated,
    live,
    totalled,
)
from steelyard.legal.roles import asked_roles, contradicts, roles
from steelyard.text.mentions import Mention

_JOIN: Final = re.compile(r"、|并且?|同时|然后|\band\b|\bthen\b|\bwhile\b", re.IGNORECASE)
_QUESTION_WORDS: Final = frozenset("多少几何什么时候哪一天日个人次是的了在有吗呢共总一钱谁为")


@dataclass(frozen=True, slots=True)
class Settled:
    """The mention that an answer comes down to, or None and why."""

    mention: Mention | None
    reason: str


def settle(question: str, answer: str, values: Sequence[Mention]) -> Settled:
    """Take the one value that the answer gives to the question; both texts are normal."""
    if not values:
        return Settled(None, "the answer gives no such value")
    if word := doubt(answer):
        return Settled(None, f"the answer disclaims itself ({word!r})")
    if are_alternatives(answer, values):
        return Settled(None, "the answer offers alternatives")
    standing = live(answer, values)
    if not standing:
        return Settled(None, "the answer denies the value")
    chosen = standing if len(_distinct(standing)) == 1 else _chosen(question, answer, standing)
    if len(_distinct(chosen)) != 1:
        return Settled(None, f"the answer gives several values: {', '.join(value.text for value in standing)}")
    if _is_about_something_else(question, answer, chosen, standing):
        return Settled(None, f"{chosen[0].text} is said of something else than what was asked")
    return Settled(chosen[0], f"the answer says {chosen[0].text}")


def role_of(text: str, value: Mention, others: Sequence[Mention]) -> frozenset[str]:
    """What the value is said to be: by the words before it in its clause, else by those after it."""
    clause = clause_of(text, value.start)
    start = max([clause.start, *(other.end for other in others if clause.start <= other.end <= value.start)])
    end = min([clause.end, *(other.start for other in others if value.end <= other.start <= clause.end)])
    before = _JOIN.split(text[start : value.start])[-1]
    after = _JOIN.split(text[value.end : end])[0]
    return _role_names(before) or _role_names(after)


def _role_names(text: str) -> frozenset[str]:
    return frozenset(name for name, _, _ in roles(text))


def _chosen(question: str, answer: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """Of several values the concluded one, the right side of an equation, the total if asked for, the asked role's."""
    ways = [concluded(answer, values), equated(answer, values)]
    is_plain = asked_roles(question) <= {"collected", "loan"}
    if asks_for_total(question) or (is_plain and _adds_up(answer, values)):
        ways.append(totalled(answer, values))
    ways += [_in_role(question, answer, values), _by_words(question, answer, values)]
    return next((found for found in ways if len(_distinct(found)) == 1), values)


def _adds_up(answer: str, values: Sequence[Mention]) -> bool:
    """Whether one value is announced as a total and is the sum of all others."""
    announced = totalled(answer, values)
    rest = [value.value for value in values if value not in announced]
    is_sum = len(announced) == 1 and len(rest) > 1 and all(isinstance(each, Decimal) for each in rest)
    return is_sum and sum(rest) == announced[0].value


def _in_role(question: str, answer: str, values: Sequence[Mention]) -> list[Mention]:
    asked = asked_roles(question)
    return [value for value in values if asked & role_of(answer, value, values)] if asked else []


def _by_words(question: str, answer: str, values: Sequence[Mention]) -> list[Mention]:
    """The values whose clause has most words of the question, if the question names no role that is known."""
    if asked_roles(question) and any(role_of(answer, value, values) for value in values):
        return []
    wanted = _bigrams(question)
    shared = {id(value): len(wanted & _bigrams(_own_words(answer, value, values))) for value in values}
    most = max(shared.values())
    return [value for value in values if shared[id(value)] == most] if most else []


def _own_words(text: str, value: Mention, others: Sequence[Mention]) -> str:
    clause = clause_of(text, value.start)
    start = max([clause.start, *(other.end for other in others if clause.start <= other.end <= value.start)])
    return text[start : value.start]


def _bigrams(text: str) -> set[str]:
    if text.isascii():
        return {word for word in text.lower().split() if len(word) > 3}
    return {text[at : at + 2] for at in range(len(text) - 1) if not _QUESTION_WORDS & set(text[at : at + 2])}


def _is_about_something_else(question: str, answer: str, chosen: Sequence[Mention], values: Sequence[Mention]) -> bool:
    asked = asked_roles(question)
    return all(contradicts(asked, role_of(answer, value, values)) for value in chosen)


def _distinct(values: Sequence[Mention]) -> set[Any]:
    return {(value.kind, value.value, value.until, value.loose) for value in values}
