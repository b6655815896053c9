"""The columns of JuDGE as its script prints them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile
from steelyard.i18n import Message
from steelyard.registry.metrics import metric
from steelyard.table import FloatArray

if TYPE_CHECKING:
    from steelyard.legal.published.judge import PublishedReading

NO_PENALTY: Final = Message("missing.no_penalty")
_SPLIT: Final = 10_000  # above the months of every term, below those that stand for death


def _readings(pairs: AnswerBatch) -> "dict[str, PublishedReading]":
    from steelyard.legal.published.judge import published_reading

    texts = dict.fromkeys((*pairs.answers, *pairs.references))
    return pairs.once("judge", lambda: {text: published_reading(text) for text in texts})


def _compared(pairs: AnswerBatch, field: str, compare: Callable[[Any, Any], float]) -> FloatArray:
    """Return for each answer what comparing a field of its reading with the reference gives, at best."""
    readings = _readings(pairs)
    values = {text: getattr(reading, field) for text, reading in readings.items()}
    return pairs.best(pairs.compare_texts(lambda answer, reference: compare(values[answer], values[reference])))


def _ratio(one: int | None, other: int | None) -> float:
    """Return the smaller by the larger of two penalties; 0 if only one is there, or 10,000 is between them."""
    if one is None or other is None:
        return np.nan if one is other else 0.0
    if one == other:
        return 1.0
    return 0.0 if (one - _SPLIT) * (other - _SPLIT) < 0 else 1 - abs(one - other) / max(one, other)


def _precision(given: frozenset[Any], wanted: frozenset[Any]) -> float:
    """Return the share of the given values that are wanted; 0 for nothing."""
    return len(given & wanted) / len(given) if given else 0.0


def _recall(given: frozenset[Any], wanted: frozenset[Any]) -> float:
    return _precision(wanted, given)


@metric("PublishedTerm", kind="answers", unscored=NO_PENALTY)
def published_term(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's score of prison terms, with the faults of its script.

    Formula: 1 - |a - b| / max(a, b), a and b the months of all penalties together
    Convention: penalties that are written alike count once; 无期徒刑 is 240 months, 死刑 10,001, and a death penalty on
        one side alone scores 0. Without a penalty in the ruling those of the whole judgment count, with earlier ones.
    Source: JuDGE, MetricsCalculator
    """
    return _compared(pairs, "months", _ratio)


@metric("PublishedFine", kind="answers", unscored=NO_PENALTY)
def published_fine(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's score of fines, with the faults of its script.

    Formula: 1 - |a - b| / max(a, b), a and b the sum of all fines
    Convention: as PublishedTerm; what tells a death penalty from a term tells fines apart too: 9,000 and 11,000 yuan
        score 0.
    Source: JuDGE, MetricsCalculator
    """
    return _compared(pairs, "fine", _ratio)


@metric("PublishedChargeP", kind="answers")
def published_charge_precision(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's precision of charges, with the faults of its script.

    Formula: |charges of both| / |charges of the answer|; 0 without any
    Convention: a charge is what stands between 犯 and 罪, under the official name that is nearest.
    Source: JuDGE, MetricsCalculator, whose F1 is that of the mean precision and the mean recall
    """
    return _compared(pairs, "charges", _precision)


@metric("PublishedChargeR", kind="answers")
def published_charge_recall(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's recall of charges, with the faults of its script.

    Formula: |charges of both| / |charges of the reference|; 0 without any
    Convention: as PublishedChargeP.
    Source: JuDGE, MetricsCalculator
    """
    return _compared(pairs, "charges", _recall)


@metric("PublishedStatuteP", kind="answers")
def published_statute_precision(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's precision of articles of the Criminal Law, with the faults of its script.

    Formula: |articles of both| / |articles of the answer|; 0 without any
    Convention: 之一 is left out, and 第264条 is not read.
    Source: JuDGE, MetricsCalculator
    """
    return _compared(pairs, "articles", _precision)


@metric("PublishedStatuteR", kind="answers")
def published_statute_recall(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """JuDGE's recall of articles of the Criminal Law, with the faults of its script.

    Formula: |articles of both| / |articles of the reference|; 0 without any
    Convention: as PublishedStatuteP.
    Source: JuDGE, MetricsCalculator
    """
    return _compared(pairs, "articles", _recall)
