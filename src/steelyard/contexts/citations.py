"""Inline citations: whether the contexts that a sentence cites have its values and quotations."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.contexts import Contexts
from steelyard.contexts.grounding import Memory, Span, joined
from steelyard.contexts.sentences import CitedSentence, cited_sentences
from steelyard.legal.grounding.inventions import find_invented
from steelyard.legal.reading import is_too_long, read
from steelyard.table import FloatArray

_MOST_JOINED: Final = 8
"""Contexts of one sentence that are tried together: a sum whose addends stand in several of them."""


class PrecisionRecall(NamedTuple):
    """Precision and recall of each answer; NaN where there is nothing to count."""

    precision: FloatArray
    recall: FloatArray


@dataclass(slots=True)
class _Tally:
    right: int = 0
    citations: int = 0
    supported: int = 0
    sentences: int = 0

    def scores(self) -> tuple[float, float]:
        return _share(self.right, self.citations), _share(self.supported, self.sentences)


def citation_scores(pairs: AnswerBatch) -> PrecisionRecall:
    """Citation precision and recall of a batch, counted once for both metrics."""
    return pairs.once("citations", lambda: _scores(pairs))


def _scores(pairs: AnswerBatch) -> PrecisionRecall:
    memory = Memory()
    scores = []
    for answer, question, contexts in zip(pairs.answers, pairs.questions, pairs.contexts, strict=True):
        memory.add(sum(len(each.text or "") for each in contexts))
        is_judged = not is_too_long(answer) and not read(answer).is_silent
        scores.append(_tally(answer, question, contexts).scores() if is_judged else (0.0, 0.0))
    columns = np.array(scores, np.float64).reshape(-1, 2).T
    return PrecisionRecall(columns[0], columns[1])


def _tally(answer: str, question: str, contexts: Contexts) -> _Tally:
    tally = _Tally()
    for sentence in cited_sentences(answer, [each.id for each in contexts]):
        claims = _spans(sentence.text, "", question)
        tally.citations += len(sentence.void)
        if claims:
            support = _Support(sentence, claims, question, [joined([contexts[index]]) for index in sentence.cited])
            tally.sentences += 1
            tally.supported += support.is_full
            tally.citations += len(sentence.cited)
            tally.right += support.right
    return tally


class _Support:
    """The support of one sentence by the contexts that it cites."""

    def __init__(self, sentence: CitedSentence, claims: Sequence[Span], question: str, texts: Sequence[str]) -> None:
        lacking = [_spans(sentence.text, text, question) for text in texts]
        held = [{claim for claim in claims if not _has_any(claim, spans)} for spans in lacking]
        self.is_full = bool(texts) and set[Span]().union(*held) == set(claims)
        times = Counter(claim for each in held for claim in each)
        self.right = sum(_is_right(each, times, len(claims)) for each in held) if self.is_full else 0
        if not self.is_full and 1 < len(texts) <= _MOST_JOINED:
            self.is_full = not _spans(sentence.text, "\n\n".join(texts), question)
            self.right = sum(
                self.is_full and self._is_wanted(sentence, at, texts, question) for at in range(len(texts))
            )

    @staticmethod
    def _is_wanted(sentence: CitedSentence, at: int, texts: Sequence[str], question: str) -> bool:
        """Whether the other contexts together do not support the sentence."""
        others = "\n\n".join(text for index, text in enumerate(texts) if index != at)
        return bool(_spans(sentence.text, others, question))


def _is_right(held: set[Span], times: Counter[Span], claims: int) -> bool:
    """Whether a context has all claims alone, or one that no other cited context has."""
    return len(held) == claims or any(times[claim] == 1 for claim in held)


def _spans(sentence: str, context: str, question: str) -> list[Span]:
    """The spans of the values of a sentence that neither the context nor the question has."""
    return [(value.start, value.end) for value in find_invented(sentence, context, question=question, full=True)]


def _has_any(claim: Span, spans: Iterable[Span]) -> bool:
    return any(start < claim[1] and claim[0] < end for start, end in spans)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else np.nan
