"""Scores by the definitions of published benchmarks, and the same answers as read."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile, profile_of
from steelyard.i18n import Message
from steelyard.io.foreign.lawbench import bare_reference
from steelyard.legal.published import lawbench
from steelyard.registry.metrics import Scored
from steelyard.table import FloatArray

ABSTAINED: Final = "abstained"
_UNKNOWN: Final = "missing.task_unknown"


def published(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Return the score of each answer by the script of its task; a row that the script leaves out has a reason."""
    scores, abstained = np.zeros(len(pairs.answers)), np.zeros(len(pairs.answers))
    reasons: dict[int, Message | str] = {}
    for row, (task, answer, reference) in enumerate(zip(_tasks(pairs), _outputs(pairs), _firsts(pairs), strict=True)):
        if profile.name != "lawbench" or task not in (lawbench.ROUGE | lawbench.TASKS.keys()):
            reasons[row] = Message(_UNKNOWN, task=task)
        elif task in lawbench.TASKS:
            found = lawbench.TASKS[task](answer, reference)
            if isinstance(found, Message):
                reasons[row] = found
            else:
                scores[row], abstained[row] = found
    rouge = [row for row, task in enumerate(_tasks(pairs)) if task in lawbench.ROUGE and row not in reasons]
    scores[rouge] = _rouge(pairs, rouge)
    scores[list(reasons)] = np.nan
    return Scored(scores, {ABSTAINED: abstained}, reasons=reasons)


def _rouge(pairs: AnswerBatch, rows: list[int]) -> FloatArray:
    """Return ROUGE-L of rows by rouge_chinese; a blank answer, a single word of its own in the script, has nothing."""
    outputs, references, profile = _outputs(pairs), _firsts(pairs), _rouge_chinese()
    batch = AnswerBatch([outputs[row] for row in rows], [((references[row],),) for row in rows])
    return profile.subsequence(batch, profile).f1


_rouge_chinese: Final = lru_cache(maxsize=1)(lambda: profile_of("rouge-chinese"))


def label_scores(pairs: AnswerBatch, compare: Callable[[frozenset[str], frozenset[str]], float]) -> Scored:
    """Compare the labels that each answer names with those of its reference."""
    scores = np.zeros(len(pairs.answers))
    reasons: dict[int, Message | str] = {}
    for row, (task, answer, reference) in enumerate(zip(_tasks(pairs), pairs.answers, _firsts(pairs), strict=True)):
        wanted = lawbench.labels_in(reference, task) if task in ("2-2", "2-3", "2-4", "3-3") else None
        if wanted:
            scores[row] = compare(lawbench.labels_in(answer, task), wanted)
        else:
            reasons[row] = Message(_UNKNOWN, task=task) if wanted is None else lawbench.unreadable(reference)
    scores[list(reasons)] = np.nan
    return Scored(scores, reasons=reasons)


def _tasks(pairs: AnswerBatch) -> list[str]:
    return [tags["task"] for tags in pairs.tags]


def _outputs(pairs: AnswerBatch) -> list[str]:
    """Return the outputs as they are in the file."""
    return [row.prediction or "" for row in pairs.of]


def _firsts(pairs: AnswerBatch) -> list[str]:
    return [bare_reference(groups[0][0], task) for groups, task in zip(pairs.groups, _tasks(pairs), strict=True)]
