"""Refusals, and with a tag `answerable` whether they are right."""

from typing import Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.io.layouts import ANSWERABLE
from steelyard.legal.reading import answer_in, is_too_long, read
from steelyard.legal.refusals.abstention import detect_abstention
from steelyard.registry.metrics import Scored
from steelyard.table import Flags, FloatArray

_YES: Final = frozenset(("true", "1", "yes", "y", "是", "可", "能", "对"))
_NO: Final = frozenset(("false", "0", "no", "n", "否", "不可", "不能", "不是"))


def refusals(pairs: AnswerBatch) -> Scored:
    """1 for each answer that refuses; the parts are NaN for questions to which they do not apply."""
    spoken = np.array([_is_spoken(answer) for answer in pairs.answers], np.bool_)
    found = [
        bool(is_spoken) and detect_abstention(answer, question=question).abstains
        for answer, question, is_spoken in zip(pairs.answers, pairs.questions, spoken, strict=True)
    ]
    refused = np.array(found, np.float64)
    answerable = np.array([is_answerable(tags.get(ANSWERABLE, "")) for tags in pairs.tags], np.float64)
    if np.isnan(answerable).all():
        return Scored(refused)
    over = _where(spoken & (answerable == 1), refused)
    missed = _where(spoken & (answerable == 0), 1 - refused)
    return Scored(refused, {"over_refusal": over, "missed_refusal": missed})


def is_answerable(text: str) -> float:
    """1 for yes, 0 for no, NaN for anything else."""
    word = text.strip().casefold()
    return 1.0 if word in _YES else 0.0 if word in _NO else np.nan


def _is_spoken(answer: str) -> bool:
    return not is_too_long(answer) and not read(answer_in(answer)).is_silent


def _where(chosen: Flags, values: FloatArray) -> FloatArray:
    return np.where(chosen, values, np.nan)
