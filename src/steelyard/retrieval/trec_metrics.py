"""Ranking metrics that trec_eval has beside the usual ones: inferred precision, geometric means …; alpha-nDCG.

Conventions are those of module `metrics`. Where version 10 of trec_eval computes otherwise than version 9, the version
of the evaluation decides.
"""

import numpy as np

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.registry.metrics import metric
from steelyard.registry.names import FACTORS, RECALL_LEVELS
from steelyard.retrieval.matching import Aspects, Rankings
from steelyard.retrieval.metrics import average_precision, binary_preference, check_persistence
from steelyard.retrieval.sums import (
    discounted,
    position_in_group,
    ratio,
    relevant_in,
    running_count,
    running_sum,
    sums_by_query,
    within,
)
from steelyard.table import Flags, FloatArray, IntArray

_LEAST_SCORE = 1e-5
"""What a geometric mean takes for a lower score, as in trec_eval; one score of 0 would make it 0."""
_SMOOTHING = 1e-5
"""What infAP adds to counts, as in trec_eval."""


@metric("IPrec", at="recall", levels=RECALL_LEVELS)
def interpolated_precision(rankings: Rankings, *, recall: float, rel: int = 1) -> FloatArray:
    """Interpolated precision at a recall level: the greatest precision from the rank on at which the level is reached.

    Formula: max over ranks r with at least n relevant documents of P@r; n = recall · |relevant|
    Convention: n is rounded as in trec_eval: in version 9 up from a fraction of 0.1 on, in version 10 to the nearest
        integer. 0 if fewer than n are retrieved.
    Source: trec_eval iprec_at_recall; ir_measures IPrec
    """
    return _Interpolated(rankings, rel).at(recall)


@metric("IAP")
def interpolated_average_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """11-point average: the mean of interpolated precision at the recall levels 0, 0.1 … 1.

    Formula: (Σ over the 11 levels of IPrec) / 11
    Source: trec_eval 11pt_avg
    """
    interpolated = _Interpolated(rankings, rel)
    total = np.zeros(rankings.queries)
    for level in reversed(RECALL_LEVELS):
        total += interpolated.at(level)
    return total / len(RECALL_LEVELS)


def precision_at_levels(rankings: Rankings, rel: int) -> FloatArray:
    """Return the interpolated precision of each query (rows) at the 11 levels of recall (columns)."""
    interpolated = _Interpolated(rankings, rel)
    return np.column_stack([interpolated.at(level) for level in RECALL_LEVELS])


class _Interpolated:
    """Precision at the ranks of relevant documents, interpolated: the greatest from each rank on."""

    def __init__(self, rankings: Rankings, rel: int) -> None:
        chosen = rankings.grade >= rel
        query = rankings.query[chosen]
        found = rankings.per_query(chosen)
        self._rounds_up = rankings.trec_eval < 10
        self._relevant = rankings.relevant(rel)
        self._found = found.astype(np.int64)
        self._first = np.cumsum(self._found) - self._found
        self._greatest = _greatest_from(query, position_in_group(query) / rankings.rank[chosen])

    def at(self, recall: float) -> FloatArray:
        if not 0 <= recall <= 1:
            raise ConfigError(
                Message("metrics.recall_out_of_range", recall=recall), hint=Message("metrics.recall_hint")
            )
        wanted = recall * self._relevant
        needed = np.floor(wanted + (0.9 if self._rounds_up else 0.5)).astype(np.int64)
        reached = (self._found > 0) & (needed <= self._found)
        values = np.zeros(len(self._found))
        values[reached] = self._greatest[(self._first + np.maximum(needed, 1) - 1)[reached]]
        return values


def _greatest_from(group: IntArray, values: FloatArray) -> FloatArray:
    """Return for each value, the greatest of its group from it on; groups are adjacent and ascending."""
    distinct, code = np.unique(values, return_inverse=True)
    # a running maximum from the end: codes of earlier groups are above those of later ones
    codes = code - group * len(distinct)
    greatest = np.maximum.accumulate(codes[::-1])[::-1] + group * len(distinct)
    found: FloatArray = distinct[greatest]
    return found


@metric("infAP")
def inferred_average_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Inferred average precision: average precision estimated where only a sample of the pool was judged.

    Formula: 1/R · Σ over relevant documents at rank r of 1/r + (r - 1)/r · |pool|/(r - 1) · (|relevant| + ε) /
        (|relevant| + |not relevant| + 2ε); counts are of documents before it
    Convention: a negative grade means that the document was in the pool and not judged; ε is 0.00001. Equal to AP,
        but for ε, where the whole pool was judged.
    Source: trec_eval infAP; Yilmaz and Aslam, CIKM 2006
    """
    chosen = rankings.grade >= rel
    relevant = running_count(rankings, chosen)[chosen] - 1
    other = running_count(rankings, (rankings.grade >= 0) & ~chosen)[chosen]
    unjudged = running_count(rankings, rankings.grade < 0)[chosen]
    rank = rankings.rank[chosen]
    before = np.maximum(rank - 1.0, 1.0)
    share = (relevant + _SMOOTHING) / (relevant + other + 2 * _SMOOTHING)
    expected = 1.0 / rank + (rank - 1.0) / rank * ((relevant + other + unjudged) / before) * share
    sums = sums_by_query(rankings.query[chosen], expected, rankings.queries)
    return ratio(sums, rankings.relevant(rel))


@metric("GMAP", bounds=(_LEAST_SCORE, 1.0), geometric=True)
def geometric_average_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Geometric mean of average precision over the queries: the worst queries count most.

    Formula: exp(1/n · Σ over queries of ln max(AP, 0.00001))
    Convention: the value of a query is AP, at least 0.00001; interval and paired test are on the logarithmic scale.
    Source: trec_eval gm_map; Robertson, CIKM 2006
    """
    return np.maximum(average_precision(rankings, rel=rel), _LEAST_SCORE)


@metric("GMbpref", bounds=(_LEAST_SCORE, 1.0), geometric=True)
def geometric_binary_preference(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Geometric mean of bpref over the queries.

    Formula: exp(1/n · Σ over queries of ln max(bpref, 0.00001))
    Convention: as GMAP.
    Source: trec_eval gm_bpref
    """
    return np.maximum(binary_preference(rankings, rel=rel), _LEAST_SCORE)


@metric("RprecMult", at="factor", levels=FACTORS)
def r_precision_multiple(rankings: Rankings, *, factor: float, rel: int = 1) -> FloatArray:
    """Precision at a multiple of R, the number of relevant documents.

    Formula: P@n with n = factor · |relevant|, rounded up from a fraction of 0.1 on
    Source: trec_eval Rprec_mult
    """
    if factor <= 0:
        raise ConfigError(Message("metrics.factor_not_positive", factor=factor), hint=Message("metrics.factor_hint"))
    depth = np.floor(factor * rankings.relevant(rel) + 0.9)
    chosen = (rankings.grade >= rel) & (rankings.rank <= depth[rankings.query])
    return ratio(rankings.per_query(chosen), depth)


@metric("RelP")
def relative_precision(rankings: Rankings, *, k: int, rel: int = 1) -> FloatArray:
    """Relative precision: precision at k over the greatest that is possible.

    Formula: |relevant in the first k| / min(k, |relevant|)
    Source: trec_eval relative_P
    """
    return ratio(relevant_in(rankings, k, rel), np.minimum(rankings.relevant(rel), k))


@metric("SetRelP")
def set_relative_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Relative set precision: set precision over the greatest that is possible for this many documents.

    Formula: |relevant retrieved| / min(|retrieved|, |relevant|)
    Source: trec_eval set_relative_P
    """
    return ratio(relevant_in(rankings, None, rel), np.minimum(rankings.retrieved, rankings.relevant(rel)))


@metric("SetAP")
def set_average_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Set average precision: set precision times set recall.

    Formula: |relevant retrieved|² / (|retrieved| · |relevant|)
    Source: trec_eval set_map
    """
    found = relevant_in(rankings, None, rel)
    return ratio(found * found, rankings.retrieved * rankings.relevant(rel))


@metric("Utility", bounds=(-np.inf, np.inf))
def utility(
    rankings: Rankings, *, found: float = 1.0, wrong: float = -1.0, missed: float = 0.0, rel: int = 1
) -> FloatArray:
    """Utility of the retrieved set: a weight for each document that is relevant, not relevant, or missed.

    Formula: found · |relevant retrieved| + wrong · |others retrieved| + missed · |relevant not retrieved|
    Convention: trec_eval's fourth weight, for documents that are rightly not retrieved, is 0: the size of the
        collection is not known here.
    Source: trec_eval utility
    """
    hits = relevant_in(rankings, None, rel)
    return found * hits + wrong * (rankings.retrieved - hits) + missed * (rankings.relevant(rel) - hits)


@metric("binG")
def binary_gain(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Binary G: each relevant document counts less the more others were retrieved before it.

    Formula: 1/|relevant| · Σ over relevant documents of 1 / log2(2 + n); n: documents before it that are not relevant
    Source: trec_eval binG
    """
    chosen = rankings.grade >= rel
    others = rankings.rank - running_count(rankings, chosen)
    return ratio(rankings.per_query(chosen, 1.0 / np.log2(2.0 + others)), rankings.relevant(rel))


class _Ideal:
    """The ideal ranking of each query: its documents with a grade above 0, best first."""

    def __init__(self, rankings: Rankings) -> None:
        positive = rankings.judged_grade > 0
        self.query, self.grade = rankings.judged_query[positive], rankings.judged_grade[positive]
        self.length = np.bincount(self.query, minlength=rankings.queries)
        self.position = position_in_group(self.query)
        self._first = np.cumsum(self.length) - self.length

    def total(self, gain: FloatArray | IntArray, query: IntArray, rank: IntArray) -> FloatArray:
        """Return the sum of the gains of the ideal ranking of a query up to a rank; `gain` is that of each position."""
        sums = np.append(running_sum(self.query, gain.astype(np.float64)), 0.0)
        last = np.minimum(rank, self.length[query])
        place = np.where(last > 0, self._first[query] + last - 1, len(sums) - 1)
        found: FloatArray = sums[place]
        return found


@metric("G")
def graded_gain(rankings: Rankings) -> FloatArray:
    """G: graded gain of each document, discounted by how much of the ideal gain was missed so far.

    Formula: Σ grade / log2(2 + c - g) / Σ of all grades; g: grades retrieved up to the document, c: those of the ideal
        ranking up to its rank, at least 1 for each rank
    Source: trec_eval G
    """
    ideal = _Ideal(rankings)
    chosen = rankings.grade > 0
    query, rank = rankings.query[chosen], rankings.rank[chosen]
    gained = running_sum(query, rankings.grade[chosen].astype(np.float64))
    cost = ideal.total(ideal.grade, query, rank) + np.maximum(rank - ideal.length[query], 0)
    sums = sums_by_query(query, rankings.grade[chosen] / np.log2(2.0 + cost - gained), rankings.queries)
    return ratio(sums, sums_by_query(ideal.query, ideal.grade, rankings.queries))


@metric("nDCGrel")
def gain_at_relevant(rankings: Rankings) -> FloatArray:
    """nDCG averaged over the ranks of relevant documents.

    Formula: 1/n · (Σ over relevant documents retrieved at rank r of nDCG@r + m · nDCG); n: documents with a grade above
        0, m: those of them that were not retrieved
    Source: trec_eval ndcg_rel
    """
    ideal = _Ideal(rankings)
    chosen = rankings.grade > 0
    query, rank = rankings.query[chosen], rankings.rank[chosen]
    gained = running_sum(query, discounted(rankings.grade[chosen], rank))
    ideal_gain = discounted(ideal.grade, ideal.position)
    sums = sums_by_query(query, gained / ideal.total(ideal_gain, query, rank), rankings.queries)
    whole = ratio(_total_gain(rankings), sums_by_query(ideal.query, ideal_gain, rankings.queries))
    missed = ideal.length - np.bincount(query, minlength=rankings.queries)
    return ratio(sums + missed * whole, ideal.length)


@metric("Rndcg")
def gain_at_levels(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """nDCG averaged over the ranks at which the grade of the ideal ranking falls, and the end of the ranking.

    Formula: mean of nDCG@n over n = |documents of the best grade|, |those of the two best grades| …, and |retrieved|
    Convention: the end counts if it is at least two ranks beyond the ideal ranking; 0 for a query without relevant
        documents.
    Source: trec_eval Rndcg
    """
    ideal = _Ideal(rankings)
    last = np.append(np.diff(ideal.grade) != 0, True) | np.append(np.diff(ideal.query) != 0, True)
    query, rank = ideal.query[last[: len(ideal.query)]], ideal.position[last[: len(ideal.query)]]
    ideal_gain = discounted(ideal.grade, ideal.position)
    shares = _gain_up_to(rankings, query, rank) / ideal.total(ideal_gain, query, rank)
    sums = sums_by_query(query, shares, rankings.queries)
    terms = np.bincount(query, minlength=rankings.queries)
    ends = (rankings.retrieved > ideal.length + 1) & (terms > 0)
    whole = ratio(_total_gain(rankings), sums_by_query(ideal.query, ideal_gain, rankings.queries))
    means = ratio(sums + np.where(ends, whole, 0.0), terms + ends)
    return np.where(rankings.relevant(rel) > 0, means, 0.0)


def _total_gain(rankings: Rankings) -> FloatArray:
    """Return the discounted gain of the whole ranking of each query."""
    return rankings.per_query(rankings.grade > 0, discounted(rankings.grade, rankings.rank))


def _gain_up_to(rankings: Rankings, query: IntArray, rank: IntArray) -> FloatArray:
    """Return the discounted gain of the first `rank` documents of each `query`."""
    chosen = rankings.grade > 0
    sums = np.append(running_sum(rankings.query[chosen], discounted(rankings.grade, rankings.rank)[chosen]), 0.0)
    width = int(max(rankings.rank.max(initial=0), rank.max(initial=0))) + 1
    place = np.searchsorted(rankings.query[chosen] * width + rankings.rank[chosen], query * width + rank, side="right")
    first = np.searchsorted(rankings.query[chosen], query)
    found: FloatArray = np.where(place > first, sums[place - 1], 0.0)
    return found


@metric("RBPresid")
def rank_biased_residual(rankings: Rankings, *, p: float = 0.9) -> FloatArray:
    """Residual of RBP: how much greater RBP could be if all documents without a judgment had the greatest grade.

    Formula: 1 - (1 - p) · Σ over judged documents of p^(rank - 1); 0 if every retrieved document is judged
    Convention: what follows after the end of the ranking counts as not judged, as in trec_eval.
    Source: trec_eval 10 rbp_resid; Moffat and Zobel, ACM TOIS 27(1), 2008
    """
    check_persistence("RBPresid", p)
    judged = rankings.grade >= 0
    known = rankings.per_query(judged, (1.0 - p) * np.power(p, rankings.rank - 1.0))
    has_unjudged = rankings.retrieved > rankings.per_query(judged)
    return np.where(has_unjudged, np.maximum(1.0 - known, 0.0), 0.0)


@metric("Unjudged")
def unjudged(rankings: Rankings, *, k: int) -> FloatArray:
    """Unjudged: the share of the first k documents without a judgment; high values make other metrics unreliable.

    Formula: |documents without a judgment in the first k| / k
    Convention: a short ranking is still divided by k, as in trec_eval; `Judged` divides it by its own length.
    Source: trec_eval 10 unj
    """
    judged = rankings.per_query(within(rankings, k) & (rankings.grade >= 0))
    return (np.minimum(rankings.retrieved, k) - judged) / k


@metric("NumNonrelRet", bounds=(0.0, np.inf), summed=True)
def not_relevant_retrieved(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Number of retrieved documents judged not relevant; usually reported as the sum over queries.

    Formula: |judged not relevant and retrieved|
    Source: trec_eval num_nonrel_judged_ret
    """
    return rankings.per_query((rankings.grade >= 0) & (rankings.grade < rel))


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
    found = _subtopic_gain(rankings, aspects, chosen, 1 - alpha, k)
    return ratio(found, _ideal_subtopic_gain(rankings.queries, aspects, chosen, 1 - alpha, k))


def _subtopic_gain(rankings: Rankings, aspects: Aspects, chosen: Flags, kept: float, k: int | None) -> FloatArray:
    """Return the discounted gain of rankings; `kept` is the share of its gain that a repeated subtopic keeps."""
    ranks = np.zeros(len(aspects.query), np.int64)
    ranks[aspects.hit] = rankings.rank
    rank = ranks[aspects.judgment]
    counted = np.flatnonzero(chosen & (rank > 0) & (rank <= (k or np.inf)))
    query, subtopic, rank = aspects.query[aspects.judgment[counted]], aspects.subtopic[counted], rank[counted]
    order = np.lexsort((rank, subtopic, query))
    group = query * (int(aspects.subtopic.max(initial=0)) + 1) + subtopic
    gain = np.power(kept, position_in_group(group[order]) - 1.0)
    return sums_by_query(query[order], discounted(gain, rank[order]), rankings.queries)


def _ideal_subtopic_gain(queries: int, aspects: Aspects, chosen: Flags, kept: float, k: int | None) -> FloatArray:
    rows = np.flatnonzero(chosen)
    query = aspects.query[aspects.judgment[rows]]
    rows, query = rows[np.argsort(query, kind="stable")], np.sort(query)
    ideal = np.zeros(queries)
    for number in np.unique(query).tolist():
        mine = rows[np.searchsorted(query, number) : np.searchsorted(query, number, side="right")]
        ideal[number] = _greedy(aspects.place[aspects.judgment[mine]], aspects.subtopic[mine], kept, k)
    return ideal


def _greedy(document: IntArray, subtopic: IntArray, kept: float, k: int | None) -> float:
    """Return the discounted gain of one ideal ranking; documents are numbers in the order that resolves ties."""
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
