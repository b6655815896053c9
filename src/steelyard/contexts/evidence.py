"""Evidence in contexts: whether they have what they should, and whether those that a sentence cites have its values.

Contexts should have the reference contexts by id or span, or the sentences of the reference.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.needs import is_judged_by_ids
from steelyard.answers.rows import AnswerRow
from steelyard.answers.values import Context, Contexts
from steelyard.contexts.grounding import Memory, joined
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.grounding.checked import Span
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import find_invented
from steelyard.legal.reading import is_too_long, read
from steelyard.lexicon import lexicon
from steelyard.table import FloatArray
from steelyard.text.marks import Mark, blanked, find_marks
from steelyard.text.normalisation import has_han
from steelyard.text.reading import without_thinking
from steelyard.text.tokens import atoms

_END: Final = re.compile(r"[。！？!?；;\n]+|\.(?=\s|$)")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|No|Nos|Art|Sec|Fig|vs|v|Inc|Ltd|Co|Corp|St|Jr|Sr|al|cf|etc|pp?|e\.g|i\.e)|\b[A-Z])$"
)
_LONGEST_QUOTED: Final = 400  # characters of a quotation; a longer one is not closed


@dataclass(slots=True)
class CitedSentence:
    """A sentence without its citations; `cited` are indices of contexts, `void` citations that name none."""

    text: str
    cited: dict[int, None] = field(default_factory=dict)
    void: set[str] = field(default_factory=set)


class PrecisionRecall(NamedTuple):
    """Precision and recall of each answer; NaN where there is nothing to count."""

    precision: FloatArray
    recall: FloatArray


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a quotation is not divided."""
    return [piece for start, end in _bounds(text) if (piece := text[start:end].strip())]


def cited_sentences(answer: str, ids: Sequence[str | None]) -> list[CitedSentence]:
    """Return the sentences of an answer with the contexts that they cite; `ids` are those of the contexts.

    A citation after the end of a sentence belongs to it. One at the beginning of a line that goes on is an entry of a
    list of sources, and not a citation.
    """
    text = without_thinking(answer)
    bare = blanked(text, ids)
    bounds = [(start, end) for start, end in _bounds(bare) if bare[start:end].strip()]
    found = [CitedSentence(bare[start:end].strip()) for start, end in bounds]
    firsts = [end - len(bare[start:end].lstrip()) for start, end in bounds]
    for mark in find_marks(text, ids):
        at = _sentence_of(mark, bare, firsts)
        if at is None:
            continue
        if mark.context is None:
            found[at].void.add(mark.name)
        else:
            found[at].cited[mark.context] = None
    return found


def citations_in(answer: str, ids: Sequence[str | None]) -> Iterator[tuple[int, int, int | None]]:
    """Yield the citations of an answer: where each stands, and the index of its context, None if it names none.

    Of several names in one pair of brackets each is a citation of its own; a range is one, of its first context. In a
    list of sources only names of contexts are citations.
    """
    text = without_thinking(answer)
    before = len(answer) - len(text)
    cited: dict[Span, int | None] = {}
    for mark in find_marks(text, ids):
        if mark.context is None and _is_entry(text, mark.start, mark.end):
            continue
        if cited.get(mark.span) is None:
            cited[mark.span] = mark.context
    for (start, end), index in cited.items():
        yield before + start, before + end, index


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    start = at = opened = 0
    for end in _END.finditer(text):
        opened += text.count("“", at, end.start()) - text.count("”", at, end.start())
        at = end.end()
        is_quoted = opened > 0 and end.start() - start < _LONGEST_QUOTED
        if is_quoted or (end[0] == "." and _ABBREVIATION.search(text, max(start, end.start() - 8), end.start())):
            continue
        yield start, at
        start, opened = at, 0
    if start < len(text):
        yield start, len(text)


def _is_entry(text: str, start: int, end: int) -> bool:
    """Return whether a mark begins a line that goes on, as in a list of sources."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return not text[line:start].strip() and bool(text[end : stop if stop >= 0 else len(text)].strip())


def _sentence_of(mark: Mark, bare: str, firsts: Sequence[int]) -> int | None:
    """Return the index of the sentence that a mark belongs to, whose first letter stands before it, or None."""
    if _is_entry(bare, mark.start, mark.end):
        return None
    at = bisect_left(firsts, mark.start) - 1
    return at if at >= 0 else None


_LONGEST_PHRASE: Final = 6  # three words, or six Chinese characters


def evidence_scores(pairs: AnswerBatch) -> PrecisionRecall:
    """Return context precision and recall of a batch, counted once for both metrics."""
    return pairs.once("evidence", lambda: _evidence_scores(pairs))


def _evidence_scores(pairs: AnswerBatch) -> PrecisionRecall:
    memory = Memory()
    scores = []
    for row in pairs.of:
        memory.add(sum(len(each.text or "") for each in row.contexts or ()))
        scores.append(_scores_of(row))
    columns = np.array(scores, np.float64).reshape(-1, 2).T
    return PrecisionRecall(columns[0], columns[1])


def recall_of(row: AnswerRow) -> float:
    """Return the context recall of a row; NaN where nothing can be looked for."""
    return _scores_of(row)[1]


def _scores_of(row: AnswerRow) -> tuple[float, float]:
    return _by_ids(row) if is_judged_by_ids(row) else _by_text(row)


def _by_ids(row: AnswerRow) -> tuple[float, float]:
    retrieved = set(row.retrieved_ids or ())
    wanted = {name for name, grade in (row.reference_ids or {}).items() if grade > 0}
    found = len(retrieved & wanted)
    return found / len(retrieved) if retrieved else 0.0, found / len(wanted) if wanted else 0.0


def _by_text(row: AnswerRow) -> tuple[float, float]:
    passages = [[each.text] for each in row.reference_contexts or () if each.text is not None]
    wanted_of = [[list(filter(_is_telling, sentences(text))) for text in group] for group in passages or row.references]
    if not passages:  # an answer in other words than the documents says nothing about them without a value
        wanted_of = [[[unit for unit in units if _is_anchored(unit)] for units in group] for group in wanted_of]
    groups = [units for group in wanted_of if (units := list(filter(None, group)))]
    if not groups:
        return np.nan, np.nan
    contexts = list(dict.fromkeys(each.text or "" for each in row.contexts or ()))
    wanted = dict.fromkeys(unit for group in groups for units in group for unit in units)
    right = sum(any(has_evidence(text, unit) for unit in wanted) for text in contexts)
    whole = joined(row.contexts or ())
    found = {unit for unit in wanted if has_evidence(whole, unit)}
    shares = [max(sum(unit in found for unit in units) / len(units) for units in group) for group in groups]
    return right / len(contexts) if contexts else 0.0, sum(shares) / len(shares)


def _is_telling(sentence: str) -> bool:
    """Return whether a sentence can be looked for."""
    key = quote_key(sentence)
    return _has_claims(sentence) or (len(key) > 1 and key not in lexicon("contexts").words("yes_no"))


def _is_anchored(sentence: str) -> bool:
    """Return whether a sentence has a value, or is a phrase so short that it would be copied from a document."""
    weight = sum(1 if has_han(each) else 2 for each in atoms(sentence))
    return weight <= _LONGEST_PHRASE or _has_claims(sentence)


def _has_claims(sentence: str) -> bool:
    return not claims_of(sentence, full=True).is_without_values


def has_evidence(text: str, sentence: str) -> bool:
    """Return whether a text has the words of a sentence, or all its values."""
    return key_of(text).holds(sentence) or (_has_claims(sentence) and not find_invented(sentence, text, full=True))


_MOST_JOINED: Final = 8
"""Contexts of one sentence that are tried together: a sum whose addends stand in several of them."""


@dataclass(slots=True)
class _Tally:
    right: int = 0
    citations: int = 0
    supported: int = 0
    sentences: int = 0

    def scores(self) -> tuple[float, float]:
        return _share(self.right, self.citations), _share(self.supported, self.sentences)


def citation_scores(pairs: AnswerBatch) -> PrecisionRecall:
    """Return citation precision and recall of a batch, counted once for both metrics."""
    return pairs.once("citations", lambda: _citation_scores(pairs))


def _citation_scores(pairs: AnswerBatch) -> PrecisionRecall:
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
        claims = _lacking_spans(sentence.text, "", question)
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
        lacking = [_lacking_spans(sentence.text, text, question) for text in texts]
        held = [
            {claim for claim in claims if not any(start < claim[1] and claim[0] < end for start, end in spans)}
            for spans in lacking
        ]
        self.is_full = bool(texts) and set[Span]().union(*held) == set(claims)
        times = Counter(claim for each in held for claim in each)
        self.right = sum(_is_right(each, times, len(claims)) for each in held) if self.is_full else 0
        if not self.is_full and 1 < len(texts) <= _MOST_JOINED:
            self.is_full = not _lacking_spans(sentence.text, "\n\n".join(texts), question)
            self.right = sum(
                self.is_full and self._is_wanted(sentence, at, texts, question) for at in range(len(texts))
            )

    @staticmethod
    def _is_wanted(sentence: CitedSentence, at: int, texts: Sequence[str], question: str) -> bool:
        """Return whether the other contexts together do not support the sentence."""
        others = "\n\n".join(text for index, text in enumerate(texts) if index != at)
        return bool(_lacking_spans(sentence.text, others, question))


def _is_right(held: set[Span], times: Counter[Span], claims: int) -> bool:
    """Return whether a context has all claims alone, or one that no other cited context has."""
    return len(held) == claims or any(times[claim] == 1 for claim in held)


def _lacking_spans(sentence: str, context: str, question: str) -> list[Span]:
    """Return the spans of the values of a sentence that neither the context nor the question has."""
    return [(value.start, value.end) for value in find_invented(sentence, context, question=question, full=True)]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else np.nan


Merged = dict[str, list[tuple[int, int]]]


class SpanScores(NamedTuple):
    """Precision, recall and intersection over union of the characters of each row."""

    precision: FloatArray
    recall: FloatArray
    union: FloatArray


def span_scores(pairs: AnswerBatch, k: int | None, chars: int | None) -> SpanScores:
    """Return the scores of the first k contexts, or of their first characters, counted once for all metrics."""
    return pairs.once(f"spans {k} {chars}", lambda: _span_scores(pairs, k, chars))


def _span_scores(pairs: AnswerBatch, k: int | None, chars: int | None) -> SpanScores:
    found = [merged(contexts[:k], chars) for contexts in pairs.contexts]
    wanted = [merged(contexts) for contexts in pairs.reference_contexts]
    shared = np.array([_shared_size(*both) for both in zip(found, wanted, strict=True)], np.float64)
    sizes = [np.array(list(map(_size, side)), np.float64) for side in (found, wanted)]
    ratios = [
        np.divide(shared, size, out=np.zeros(len(shared)), where=size > 0)
        for size in (*sizes, sizes[0] + sizes[1] - shared)
    ]
    return SpanScores(*ratios)


def merged(contexts: Iterable[Context], chars: int | None = None) -> Merged:
    """Return the spans by document, in order, with overlapping ones merged; with `chars`, the first so many of them.

    Characters come in the order of the contexts, and in a context in that of the document; one that an earlier context
    has takes nothing of `chars`.
    """
    spans: Merged = {}
    left = sys.maxsize if chars is None else chars
    for each in contexts:
        if each.span and left > 0:
            left -= _add(spans.setdefault(each.document or "", []), *each.span, left)
    return spans


def _add(known: list[tuple[int, int]], start: int, end: int, most: int) -> int:
    """Merge a span into sorted ones, up to `most` characters that these lack, and return how many were added."""
    first = bisect_left(known, start, key=itemgetter(1))
    last = bisect_right(known, end, lo=first, key=itemgetter(0))
    at, added = start, 0
    for begin, stop in (*known[first:last], (end, end)):
        gap = max(0, begin - at)
        if added + gap > most:
            end, added = at + most - added, most
            last = bisect_right(known, end, lo=first, key=itemgetter(0))
            break
        added, at = added + gap, max(at, stop)
    touched = known[first:last]
    known[first:last] = [(min([start, *(span[0] for span in touched)]), max([end, *(span[1] for span in touched)]))]
    return added


def _size(spans: Merged) -> int:
    return sum(end - start for start, end in chain(*spans.values()))


def _shared_size(found: Merged, wanted: Merged) -> int:
    return sum(
        max(0, min(end, last) - max(start, first))
        for document, spans in found.items()
        for start, end in spans
        for first, last in wanted.get(document, ())
    )
