"""CAIL 2025, 法律数值计算: the numbers and the articles of an answer, by its rule as it is written and by value."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile
from steelyard.i18n import Message
from steelyard.io.foreign.cail2025 import ANSWERS
from steelyard.registry.metrics import Scored, metric
from steelyard.table import FloatArray
from steelyard.text.normalisation import normalise
from steelyard.text.values import numerals

NO_ANSWERS: Final = Message("missing.no_numerical_answer")
_INCOMPLETE: Final = 0.3
_WHOLE: Final = Decimal(10) ** 24  # from here on a decimal of 28 digits has no place for cents

_Lists = Sequence[Sequence[Any]]
_Compare = Callable[[Sequence[Any], Sequence[Any]], float]


@metric("PublishedCAIL", kind="answers", unscored=NO_ANSWERS)
def published_cail(pairs: AnswerBatch, profile: Profile) -> Scored:
    """CAIL 2025's score of a numerical answer, by its rule taken literally.

    Formula: 0.5 · [the lists of numbers are equal at two decimals] + 0.5 · articles, which are 1 if all are right, 0.3
        if some are left out, 0 if one is wrong
    Convention: numbers in their order; an article is its text as it is written; no article is 0. The two halves are
        parts.
    Source: CAIL 2025, flszjs, README; it has no script
    """
    return _scored(pairs, _equal_lists, lambda answer, reference: _articles(_texts(answer), _texts(reference)))


@metric("CAIL", kind="answers", unscored=NO_ANSWERS)
def cail(pairs: AnswerBatch, profile: Profile) -> Scored:
    """CAIL 2025's score of a numerical answer, with numbers and articles by value.

    Formula: 0.5 · [the numbers are the same at two decimals] + 0.5 · articles, which are 1 if all are right, 0.3 if
        some are left out, 0 if one is wrong
    Convention: numbers in any order, in digits or words, with a unit or without; 民法典1179条 is
        《中华人民共和国民法典》第一千一百七十九条. The two halves are parts.
    Source: CAIL 2025, flszjs, README
    """
    return _scored(pairs, _same_values, lambda answer, reference: _articles(_statutes(answer), _statutes(reference)))


def _scored(pairs: AnswerBatch, numbers: _Compare, articles: _Compare) -> Scored:
    """Return the mean of both halves for each answer, at its best reference."""
    read = {text: _lists(text) for text in (*pairs.answers, *pairs.references)}

    def compared(half: int, compare: _Compare) -> FloatArray:
        def score(answer: str, reference: str) -> float:
            one, other = read[answer], read[reference]
            return np.nan if other is None else 0.0 if one is None else compare(one[half], other[half])

        return pairs.compare_texts(score)

    halves = compared(0, numbers), compared(1, articles)
    parts = {name: pairs.best(half) for name, half in zip(("numbers", "articles"), halves, strict=True)}
    return Scored(pairs.best((halves[0] + halves[1]) / 2), parts)


def _lists(text: str) -> _Lists | None:
    """Return the numbers and the articles of an answer; None if it is not the JSON of both."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or lists in lists by the thousand
        return None
    found = [value.get(name) for name in ANSWERS] if isinstance(value, dict) else [None]
    return [each for each in found if isinstance(each, list)] if all(isinstance(each, list) for each in found) else None


def _equal_lists(answer: Sequence[Any], reference: Sequence[Any]) -> float:
    return float(list(map(_rounded, answer)) == list(map(_rounded, reference)))


def _rounded(value: Any) -> Any:
    return round(value, 2) if isinstance(value, int | float) else value


def _same_values(answer: Sequence[Any], reference: Sequence[Any]) -> float:
    return float(Counter(map(_cents, answer)) == Counter(map(_cents, reference)))


def _cents(value: Any) -> Decimal | str:
    """Return the only number of a value at two decimals; a text that has none or several stays text."""
    text = normalise(str(value))
    found = [each.value for each in numerals(text) if each.value is not None]
    if len(found) != 1:
        return text
    return found[0] if abs(found[0]) >= _WHOLE else round(found[0], 2)


def _texts(articles: Sequence[Any]) -> frozenset[Any]:
    return frozenset(map(str, articles))


def _statutes(articles: Sequence[Any]) -> frozenset[Any]:
    """Return the statutes with their articles; what is none stays text."""
    from steelyard.legal.values.statutes import statutes

    found = set[Any]()
    for text in (normalise(str(each)) for each in articles):
        found.update([(each.statute, each.number) for each in statutes(text)] or [text])
    return frozenset(found)


def _articles(answer: frozenset[Any], reference: frozenset[Any]) -> float:
    if answer == reference:
        return 1.0
    return _INCOMPLETE if answer and answer < reference else 0.0
