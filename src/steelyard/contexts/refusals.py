"""Refusals, and with a tag `answerable` whether they are right."""

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.values import is_answerable
from steelyard.i18n import Message
from steelyard.io.layouts import ANSWERABLE
from steelyard.legal import Stance, detect_abstention
from steelyard.legal.reading import answer_in, is_too_long, read
from steelyard.registry.metrics import Scored
from steelyard.stats.review import UNCERTAIN
from steelyard.table import Flags, FloatArray

UNCLEAR = Message("missing.answerable_unclear")


def refusal_of(answer: str, question: str) -> Stance | None:
    """Return whether an answer refuses, with the words that say so; None if it is blank or too long to be judged."""
    is_spoken = not is_too_long(answer) and not read(answer_in(answer)).is_silent
    return detect_abstention(answer, question=question) if is_spoken else None


def refusals(pairs: AnswerBatch) -> Scored:
    """1 for each answer that refuses; the two errors are parts, NaN for questions to which they do not apply."""
    found = [refusal_of(*row) for row in zip(pairs.answers, pairs.questions, strict=True)]
    spoken = np.array([each is not None for each in found], np.bool_)
    refused = np.array([each is not None and each.abstains for each in found], np.float64)
    parts = {UNCERTAIN: np.array([each is not None and each.uncertain for each in found], np.float64)}
    answerable = np.array([_value(tags.get(ANSWERABLE, "")) for tags in pairs.tags], np.float64)
    if not np.isnan(answerable).all():
        parts["over_refusal"] = _where(spoken & (answerable == 1), refused)
        parts["missed_refusal"] = _where(spoken & (answerable == 0), 1 - refused)
    return Scored(refused, parts, _notes(pairs))


def _notes(pairs: AnswerBatch) -> dict[int, Message]:
    """Return a note at each value of `answerable` that is neither yes nor no."""
    given = {row: tags.get(ANSWERABLE, "") for row, tags in enumerate(pairs.tags)}
    unclear = [row for row, text in given.items() if text and is_answerable(text) is None]
    return dict.fromkeys(unclear, UNCLEAR)


def _value(text: str) -> float:
    """1 for yes, 0 for no, NaN for anything else."""
    found = is_answerable(text)
    return np.nan if found is None else float(found)


def _where(chosen: Flags, values: FloatArray) -> FloatArray:
    return np.where(chosen, values, np.nan)
