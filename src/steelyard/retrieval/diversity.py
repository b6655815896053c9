"""alpha-nDCG, a metric of rankings whose judgments are by subtopic."""

import numpy as np

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.registry.metrics import metric
from steelyard.retrieval.matching import Aspects, Rankings
from steelyard.retrieval.sums import discounted, position_in_group, ratio, sums_by_query
from steelyard.table import Flags, FloatArray, IntArray


@metric("alpha_nDCG", subtopics=True)
def novelty_gain(rankings: Rankings, *, k: int | None = None, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """alpha-nDCG: a document gains by its subtopics, less by those that documents before it have too.

    Formula: DCG@k / DCG@k of the ideal ranking, gain = Σ over subtopics of the document of (1 - alpha)^n; n: documents
        before it that are relevant to the subtopic
    Convention: the second column of the judgments is the subtopic; the ideal ranking is built greedily, best gain
        first, then document id, greatest first, as in ndeval.
    Source: ndeval, ir_measures alpha_nDCG; Clarke et al., SIGIR 2008
    """
    aspects = rankings.aspects
    if aspects is None:
        raise ConfigError(Message("metrics.needs_subtopics"), hint=Message("metrics.subtopics_hint"))
    if not 0 <= alpha <= 1:
        raise ConfigError(Message("metrics.alpha_out_of_range", alpha=alpha), hint=Message("metrics.alpha_hint"))
    chosen = aspects.grade >= rel
    found = _gain(rankings, aspects, chosen, 1 - alpha, k)
    return ratio(found, _ideal_gain(rankings.queries, aspects, chosen, 1 - alpha, k))


def _gain(rankings: Rankings, aspects: Aspects, chosen: Flags, kept: float, k: int | None) -> FloatArray:
    """The discounted gain of each ranking; `kept` is the share of its gain that a subtopic keeps when repeated."""
    ranks = np.zeros(len(aspects.query), np.int64)
    ranks[aspects.hit] = rankings.rank
    rank = ranks[aspects.judgment]
    counted = np.flatnonzero(chosen & (rank > 0) & (rank <= (k or np.inf)))
    query, subtopic, rank = aspects.query[aspects.judgment[counted]], aspects.subtopic[counted], rank[counted]
    order = np.lexsort((rank, subtopic, query))
    group = query * (int(aspects.subtopic.max(initial=0)) + 1) + subtopic
    gain = np.power(kept, position_in_group(group[order]) - 1.0)
    return sums_by_query(query[order], discounted(gain, rank[order]), rankings.queries)


def _ideal_gain(queries: int, aspects: Aspects, chosen: Flags, kept: float, k: int | None) -> FloatArray:
    rows = np.flatnonzero(chosen)
    query = aspects.query[aspects.judgment[rows]]
    rows, query = rows[np.argsort(query, kind="stable")], np.sort(query)
    ideal = np.zeros(queries)
    for number in np.unique(query).tolist():
        mine = rows[np.searchsorted(query, number) : np.searchsorted(query, number, side="right")]
        ideal[number] = _greedy(aspects.place[aspects.judgment[mine]], aspects.subtopic[mine], kept, k)
    return ideal


def _greedy(document: IntArray, subtopic: IntArray, kept: float, k: int | None) -> float:
    """The discounted gain of one ideal ranking; documents are numbers in the order in which ties are resolved."""
    documents, row = np.unique(document, return_inverse=True)
    subtopics, column = np.unique(subtopic, return_inverse=True)
    has = np.zeros((len(documents), len(subtopics)))
    has[row, column] = 1.0
    weights = np.ones(len(subtopics))
    total = 0.0
    for rank in range(1, min(len(documents), k or len(documents)) + 1):
        gains = (has * weights).sum(axis=1)
        best = int(np.argmax(gains))
        total += float(gains[best]) / float(np.log2(rank + 1))
        weights = np.where(has[best] > 0, weights * kept, weights)
        has[best] = 0.0
    return total
