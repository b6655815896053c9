"""What is known of answers with contexts and references: from it, their outcomes and the causes of wrong ones."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.rows import AnswerRow
from steelyard.contexts.correctness import verdict
from steelyard.contexts.evidence import has_evidence, recall_of, sentences
from steelyard.contexts.grounding import GAP, Judgment, joined, judge
from steelyard.contexts.refusals import refusal_of
from steelyard.i18n import Joined, Message
from steelyard.legal.evidence.quotes import key_of
from steelyard.legal.grounding.checked import draws_on
from steelyard.legal.reading import read
from steelyard.registry.metrics import Scored
from steelyard.stats.outcomes import OUTCOMES, Answered, parts_of

_MOST_SENTENCES: Final = 2  # of an answer that is no prose


def accuracy(pairs: AnswerBatch) -> Scored:
    """1 for each answer that is right and invents nothing, with its outcome and its cause as a note."""
    rows = zip(pairs.of, pairs.answers, judge(pairs).each, strict=True)
    answers = [_answered(*each) for each in rows]
    parts = parts_of(answers)
    notes = {row: _note(answer) for row, answer in enumerate(answers)}
    return Scored(parts.pop(OUTCOMES[0]), parts, notes)


def _note(answer: Answered) -> Message | Joined:
    named = [Message(f"answer_part_names.{name}") for name in (answer.outcome, answer.cause) if name]
    return Joined("core.clauses", dict.fromkeys(named)) if len(named) > 1 else named[0]


def _answered(row: AnswerRow, answer: str, judgment: Judgment) -> Answered:
    """Return what is known of an answer; where the evidence is, is looked for only if it is wrong."""
    found, stance = verdict(answer, row.question, row.references), refusal_of(answer, row.question)
    texts = [each.text or "" for each in row.contexts or ()]
    states = stance is not None and not stance.abstains and not _copies(answer, texts)
    is_denied = not found.is_right and not found.is_uncertain
    doubts = {
        "correct": found.is_uncertain,
        "invents": bool(judgment.ungrounded) and not is_denied and (judgment.is_uncertain or _is_prose(answer)),
        "states": stance is not None and stance.uncertain,
    }
    known = Answered(
        float(found.is_right),
        invents=bool(judgment.ungrounded),
        states=states,
        doubts=frozenset(name for name, is_open in doubts.items() if is_open),
    )
    if not known.cause:
        return known
    return known.with_evidence(_is_retrieved(row), states and draws_on(answer, _evidence(row), row.question))


def _is_prose(answer: str) -> bool:
    """Return whether an answer is so long that a figure in it that the contexts lack says little of the whole."""
    return len(sentences(read(answer).text)) > _MOST_SENTENCES


def _copies(answer: str, texts: Sequence[str]) -> bool:
    """Return whether an answer quotes several contexts whole, and most of them: it says nothing of its own."""
    texts = list(dict.fromkeys(filter(None, texts)))
    copied = sum(map(key_of(answer).holds, texts))
    return copied > 1 and 2 * copied > len(texts)


def _is_retrieved(row: AnswerRow) -> bool | None:
    """Return whether the contexts have the evidence; None if nothing says what that is.

    Where they have only some of what is wanted, or nothing can be looked for, a reference that they have decides.
    """
    recall = recall_of(row)
    if recall in (0, 1):
        return recall == 1
    has_reference = any(_has_reference(joined(row.contexts or ()), row))
    return has_reference or (None if math.isnan(recall) else False)


def _has_reference(text: str, row: AnswerRow) -> Iterable[bool]:
    return (has_evidence(text, alias) for group in row.references for alias in group)


def _evidence(row: AnswerRow) -> str:
    """Return the text of the evidence: reference contexts, else the contexts that are these or have a reference."""
    if passages := [each.text for each in row.reference_contexts or () if each.text]:
        return GAP.join(passages)
    wanted = {name for name, grade in (row.reference_ids or {}).items() if grade > 0}
    contexts = row.contexts or ()
    found = [each for each in contexts if each.id in wanted] or [
        each for each in contexts if any(_has_reference(each.text or "", row))
    ]
    return GAP.join(each.text or "" for each in found or contexts)
