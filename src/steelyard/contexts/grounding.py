"""Grounding of answers in their contexts: which values the contexts have, and which are not grounded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.needs import BLANK, TOO_LONG
from steelyard.answers.values import Context
from steelyard.i18n import Joined, Message
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import Invented, document_ground, find_invented
from steelyard.legal.model import invented_kind
from steelyard.legal.reading import is_too_long, read
from steelyard.registry.metrics import Scored
from steelyard.stats.review import UNCERTAIN
from steelyard.table import FloatArray

_MOST_NAMED: Final = 10  # values in a note
_NAMES: Final = frozenset(("name", "place", "serial"))  # kinds that are often paraphrased; figures and words are not
_MOST_CACHED: Final = 4_000_000  # characters of contexts after which the caches of the judges are cleared

Span = tuple[int, int]
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
        return bool(self.ungrounded) and all(value.kind in _NAMES for value in self.ungrounded)


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
        yield _judgment(answer, question, text)


def _judgment(answer: str, question: str, context: str) -> Judgment:
    if is_too_long(answer):
        return Judgment(why=TOO_LONG)
    if read(answer).is_silent:
        return Judgment(why=BLANK)
    checked = checked_values(answer, question, context)
    wrong = len(checked.ungrounded)
    return Judgment(checked.found, wrong + len(checked.grounded), len(checked.grounded))


class CheckedValues(NamedTuple):
    """The values of an answer: spans that the contexts have, that only the question gives, and that neither has."""

    grounded: list[Span]
    asked: list[Span]
    ungrounded: list[Span]
    found: list[Invented]


def checked_values(answer: str, question: str, context: str) -> CheckedValues:
    """Return the values of an answer, each in the longest span that has it; `found` are those not grounded."""
    found = find_invented(answer, context, question=question, full=True)
    bad = [(value.start, value.end) for value in found]
    own = [(value.start, value.end) for value in find_invented(answer, context, full=True)] if question else bad
    units = _outermost([*_claim_spans(answer), *own, *bad])
    wrong = [unit for unit in units if _has(unit, bad)]
    asked = [unit for unit in units if _has(unit, own) and not _has(unit, bad)]
    grounded = [unit for unit in units if not _has(unit, own) and not _has(unit, bad)]
    return CheckedValues(grounded, asked, wrong, found)


def _claim_spans(answer: str) -> list[Span]:
    """Return the spans of all values, quotations, names and places of an answer."""
    claims = claims_of(answer, full=True)
    spans = [(value.start, value.end) for value in claims.values]
    spans += [(start, start + len(text)) for text, start in (*claims.quotes, *claims.names)]
    spans += [(place.start, place.start + len(place.text)) for place in claims.places]
    spans += [(article.start, article.end) for article in claims.articles]
    return [*claims.addresses, *(claims.folded.original_span(*span) for span in spans)]


def _outermost(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not found or end > found[-1][1]:
            found.append((start, end))
    return found


def _has(unit: Span, spans: Sequence[Span]) -> bool:
    return any(unit[0] <= start and end <= unit[1] for start, end in spans)


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
