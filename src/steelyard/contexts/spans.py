"""Character spans: the characters that contexts and reference contexts share, none counted twice."""

from collections.abc import Iterable

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.contexts import Context
from steelyard.contexts.citations import PrecisionRecall

Merged = dict[str, list[tuple[int, int]]]


def span_scores(pairs: AnswerBatch, k: int | None) -> PrecisionRecall:
    """The precision and recall of the characters of the first k contexts."""
    return pairs.once(f"spans {k}", lambda: _scores(pairs, k))


def _scores(pairs: AnswerBatch, k: int | None) -> PrecisionRecall:
    found = [merged(contexts[:k]) for contexts in pairs.contexts]
    wanted = [merged(contexts) for contexts in pairs.reference_contexts]
    shared = np.array([_shared(*both) for both in zip(found, wanted, strict=True)], np.float64)
    sizes = [np.array([_size(each) for each in side], np.float64) for side in (found, wanted)]
    ratios = [np.divide(shared, size, out=np.zeros(len(shared)), where=size > 0) for size in sizes]
    return PrecisionRecall(*ratios)


def merged(contexts: Iterable[Context]) -> Merged:
    """The spans by document, in order, with overlapping ones merged."""
    spans: Merged = {}
    for document, span in sorted((each.document or "", each.span) for each in contexts if each.span):
        known = spans.setdefault(document, [])
        if known and span[0] <= known[-1][1]:
            known[-1] = known[-1][0], max(known[-1][1], span[1])
        else:
            known.append(span)
    return spans


def _shared(found: Merged, wanted: Merged) -> int:
    return sum(
        max(0, min(end, last) - max(start, first))
        for document, spans in found.items()
        for start, end in spans
        for first, last in wanted.get(document, ())
    )


def _size(spans: Merged) -> int:
    return sum(end - start for each in spans.values() for start, end in each)
