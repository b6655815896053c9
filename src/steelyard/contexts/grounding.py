"""Grounding of answers in their contexts: which values the contexts have, and which are not grounded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.needs import BLANK, TOO_LONG
from steelyard.answers.values import Context
from steelyard.i18n import Joined, Message
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.grounding.checked import PARAPHRASED, checked_values
from steelyard.legal.grounding.inventions import Invented, document_ground
from steelyard.legal.model import invented_kind
from steelyard.legal.reading import is_too_long, read
from steelyard.registry.metrics import Scored
from steelyard.stats.review import UNCERTAIN
from steelyard.table import FloatArray
from steelyard.text.marks import blanked

_MOST_NAMED: Final = 10  # values in a note
_MOST_CACHED: Final = 4_000_000  # characters of contexts after which the caches of the judges are cleared

GAP: Final = "\n\n"
"""What stands between contexts that are read as one text."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What is not grounded in an answer; of its `values`, those that the question does not give, `held` are grounded.

    `why` says why the answer was not judged.
    """

    ungrounded: Sequence[Invented] = ()
    values: int = 0
    held: int = 0
    why: Message | None = None

    @property
    def note(self) -> Message | None:
        """Return what is not grounded, None if everything is."""
        if not self.ungrounded:
            return None
        named = [
            Message("report.value_of_kind", value=each.text, kind=invented_kind(each.kind))
            for each in self.ungrounded[:_MOST_NAMED]
        ]
        more = ["…"] if len(self.ungrounded) > _MOST_NAMED else []
        return Message("report.not_in_contexts", values=Joined("core.clauses", [*named, *more]))

    @property
    def is_uncertain(self) -> bool:
        """Return whether nothing but names is not grounded, which the contexts may have in other words."""
        return bool(self.ungrounded) and all(value.kind in PARAPHRASED for value in self.ungrounded)


@dataclass(frozen=True, slots=True)
class Judgments:
    """The judgments of a batch."""

    each: Sequence[Judgment]

    def grounded(self) -> Scored:
        """1 for answers of which everything is grounded."""
        scored = self._scored(lambda judged: float(not judged.why and not judged.ungrounded))
        uncertain = np.array([judged.is_uncertain for judged in self.each], np.float64)
        return Scored(scored.values, {UNCERTAIN: uncertain}, scored.notes)

    def shares(self) -> Scored:
        """Return the share of values that the contexts have; NaN if there are none."""
        return self._scored(
            lambda judged: judged.held / judged.values if judged.values else 0.0 if judged.why else np.nan
        )

    def counts(self) -> Scored:
        """Return the number of values that are not grounded."""
        scored = self._scored(lambda judged: np.nan if judged.why else float(len(judged.ungrounded)))
        return Scored(
            scored.values, {}, scored.notes, {row: judged.why for row, judged in enumerate(self.each) if judged.why}
        )

    def _scored(self, score: Callable[[Judgment], float]) -> Scored:
        values: FloatArray = np.array([score(judged) for judged in self.each], np.float64)
        notes = {row: note for row, judged in enumerate(self.each) if (note := judged.why or judged.note)}
        return Scored(values, {}, notes)


def judge(pairs: AnswerBatch) -> Judgments:
    """Return the judgments of a batch, made once for all metrics."""
    return pairs.once("grounding", lambda: Judgments(list(_judgments(pairs))))


def _judgments(pairs: AnswerBatch) -> Iterable[Judgment]:
    memory = Memory()
    for answer, question, contexts in zip(pairs.answers, pairs.questions, pairs.contexts, strict=True):
        text = joined(contexts)
        memory.add(len(text))
        yield _judgment(blanked(answer, [each.id for each in contexts]), question, text)


def _judgment(answer: str, question: str, context: str) -> Judgment:
    if is_too_long(answer):
        return Judgment(why=TOO_LONG)
    if read(answer).is_silent:
        return Judgment(why=BLANK)
    checked = checked_values(answer, question, context)
    wrong = len(checked.ungrounded)
    return Judgment(checked.found, wrong + len(checked.grounded), len(checked.grounded))


def joined(contexts: Sequence[Context]) -> str:
    """Return the contexts as one text, with the ids that are addresses."""
    return with_addresses([each.text or "" for each in contexts], [each.id for each in contexts])


def with_addresses(texts: Iterable[str], ids: Iterable[str | None]) -> str:
    """Return the texts of contexts as one, and after them the ids that are addresses."""
    return GAP.join([*texts, *(name for name in ids if name and "://" in name)])


class Memory:
    """Keeps the caches of the judges small: they keep texts, which may be long."""

    def __init__(self) -> None:
        self._size = 0

    def add(self, characters: int) -> None:
        """Count the characters of a text that is about to be judged."""
        self._size += characters
        if self._size > _MOST_CACHED:
            for cached in (document_ground, key_of, quote_key):
                cached.cache_clear()
            self._size = characters
