"""Refusals, and with a tag `answerable` whether they are right."""

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.rows import is_answerable
from steelyard.i18n import Message
from steelyard.io.layouts import ANSWERABLE
from steelyard.legal.reading import answer_in, is_too_long, read
from steelyard.legal.stance import detect_abstention
from steelyard.registry.metrics import Scored
from steelyard.table import Flags, FloatArray

UNCLEAR = Message("missing.answerable_unclear")


def refusals(pairs: AnswerBatch) -> Scored:
    """1 for each answer that refuses; the parts are NaN for questions to which they do not apply."""
    spoken = np.array([_is_spoken(answer) for answer in pairs.answers], np.bool_)
    found = [
        bool(is_spoken) and detect_abstention(answer, question=question).abstains
        for answer, question, is_spoken in zip(pairs.answers, pairs.questions, spoken, strict=True)
    ]
    refused = np.array(found, np.float64)
    answerable = np.array([_value(tags.get(ANSWERABLE, "")) for tags in pairs.tags], np.float64)
    if np.isnan(answerable).all():
        return Scored(refused, notes=_notes(pairs))
    over = _where(spoken & (answerable == 1), refused)
    missed = _where(spoken & (answerable == 0), 1 - refused)
    return Scored(refused, {"over_refusal": over, "missed_refusal": missed}, _notes(pairs))


def _notes(pairs: AnswerBatch) -> dict[int, str]:
    """A note at each value of `answerable` that is neither yes nor no."""
    given = {row: tags.get(ANSWERABLE, "") for row, tags in enumerate(pairs.tags)}
    unclear = [row for row, text in given.items() if text and is_answerable(text) is None]
    return dict.fromkeys(unclear, str(UNCLEAR))


def _value(text: str) -> float:
    """1 for yes, 0 for no, NaN for anything else."""
    found = is_answerable(text)
    return np.nan if found is None else float(found)


def _is_spoken(answer: str) -> bool:
    return not is_too_long(answer) and not read(answer_in(answer)).is_silent


def _where(chosen: Flags, values: FloatArray) -> FloatArray:
    return np.where(chosen, values, np.nan)
