"""Ranking metrics, each over all queries at once, from the judged documents that were retrieved.

Conventions are trec_eval's: a document is relevant from grade `rel` on (1 by default); a short ranking is
padded with documents that are not relevant; a query without relevant documents scores 0 and counts; a negative grade
means that the document was in the pool but not judged.
"""

import numpy as np

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.registry.metrics import metric
from steelyard.retrieval.matching import Rankings
from steelyard.retrieval.sums import (
    discounted,
    greatest_grade,
    number_judged,
    position_in_group,
    ratio,
    relevant_in,
    running_count,
    running_sum,
    within,
)
from steelyard.table import FloatArray, IntArray

_GREATEST_GRADE = 50
"""The greatest grade: beyond 2^50 a probability loses its digits."""
_MOST_DOCUMENTS = 1_000_000


@metric("P")
def precision(rankings: Rankings, *, k: int, rel: int = 1) -> FloatArray:
    """Precision: the share of the first k documents that are relevant.

    Formula: |relevant in the first k| / k
    Convention: a ranking shorter than k is still divided by k.
    Source: trec_eval P
    """
    return relevant_in(rankings, k, rel) / k


@metric("R")
def recall(rankings: Rankings, *, k: int, rel: int = 1) -> FloatArray:
    """Recall: the share of all relevant documents that are among the first k.

    Formula: |relevant in the first k| / |relevant|
    Convention: divided by all documents judged relevant, also if they are more than k.
    Source: trec_eval recall
    """
    return ratio(relevant_in(rankings, k, rel), rankings.relevant(rel))


@metric("AP", whole=True)
def average_precision(rankings: Rankings, *, k: int | None = None, rel: int = 1) -> FloatArray:
    """Average precision: precision at the rank of each relevant document, averaged over all relevant ones.

    Formula: (Σ over relevant documents at rank r ≤ k of P@r) / |relevant|
    Convention: relevant documents that were not retrieved add 0; its mean over queries is called MAP.
    Source: trec_eval map, map_cut; Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005
    """
    chosen = within(rankings, k) & (rankings.grade >= rel)
    precisions = running_count(rankings, chosen) / rankings.rank
    return ratio(rankings.per_query(chosen, precisions), rankings.relevant(rel))


@metric("RR", whole=True)
def reciprocal_rank(rankings: Rankings, *, k: int | None = None, rel: int = 1) -> FloatArray:
    """Reciprocal rank of the first relevant document.

    Formula: 1 / rank of the first relevant document; 0 if none is among the first k
    Convention: its mean over queries is called MRR.
    Source: trec_eval recip_rank; Voorhees, TREC-8 question answering track, 1999
    """
    chosen = within(rankings, k) & (rankings.grade >= rel)
    first = chosen & (running_count(rankings, chosen) == 1)
    return rankings.per_query(first, 1.0 / rankings.rank)


@metric("nDCG")
def normalised_gain(rankings: Rankings, *, k: int | None = None) -> FloatArray:
    """Normalised discounted cumulative gain: graded relevance, discounted by rank, relative to the ideal ranking.

    Formula: DCG@k / DCG@k of the ideal ranking, DCG = Σ grade / log2(rank + 1)
    Convention: the gain is the grade itself (linear); negative grades gain 0; the ideal ranking is over all judged
        documents; the relevance level is ignored.
    Source: trec_eval ndcg, ndcg_cut; Järvelin and Kekäläinen, ACM TOIS 20(4), 2002
    """
    return _gain_of_ideal(rankings, rankings.grade, rankings.judged_grade, k)


@metric("nDCGexp")
def exponential_gain(rankings: Rankings, *, k: int | None = None) -> FloatArray:
    """Normalised discounted cumulative gain with exponential gain: high grades count far more than low ones.

    Formula: DCG@k / DCG@k of the ideal ranking, DCG = Σ (2^grade - 1) / log2(rank + 1)
    Convention: as nDCG, apart from the gain; equal to nDCG where all grades are 0 and 1.
    Source: ir_measures nDCG(dcg='exp-log2'), ranx ndcg_burges; Burges et al., ICML 2005
    """
    greatest = int(rankings.judged_grade.max(initial=0))
    if greatest > _GREATEST_GRADE:
        raise ConfigError(
            Message("metrics.grade_too_high", name="nDCGexp", grade=greatest, greatest=_GREATEST_GRADE),
            hint=Message("metrics.linear_gain_hint"),
        )
    gain, ideal = (2.0 ** np.maximum(grades, 0) - 1 for grades in (rankings.grade, rankings.judged_grade))
    return _gain_of_ideal(rankings, gain, ideal, k)


def _gain_of_ideal(
    rankings: Rankings, gain: FloatArray | IntArray, judged_gain: FloatArray | IntArray, k: int | None
) -> FloatArray:
    """DCG over that of the ideal ranking; `gain` is that of the hits, `judged_gain` that of all judgments."""
    gained = rankings.per_query(within(rankings, k) & (rankings.grade > 0), discounted(gain, rankings.rank))
    position = position_in_group(rankings.judged_query)
    counted = (rankings.judged_grade > 0) & (position <= (k or np.inf))
    ideal = np.bincount(rankings.judged_query[counted], discounted(judged_gain, position)[counted], rankings.queries)
    return ratio(gained, ideal)


@metric("Rprec")
def r_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """R-precision: precision at R, the number of relevant documents.

    Formula: P@R with R = |relevant|
    Source: trec_eval Rprec
    """
    relevant = rankings.relevant(rel)
    chosen = (rankings.grade >= rel) & (rankings.rank <= relevant[rankings.query])
    return ratio(rankings.per_query(chosen), relevant)


@metric("bpref")
def binary_preference(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Binary preference: how rarely documents judged not relevant rank above relevant ones.

    Formula: 1/R · Σ over retrieved relevant documents of 1 - min(n, R) / min(N, R); n: documents judged not relevant
        before it, N: all judged not relevant, R: all relevant
    Convention: documents without a judgment are ignored.
    Source: trec_eval bpref; Buckley and Voorhees, SIGIR 2004
    """
    relevant = rankings.relevant(rel)
    not_relevant = number_judged(rankings) - relevant
    chosen = rankings.grade >= rel
    before = running_count(rankings, (rankings.grade >= 0) & ~chosen)
    most = relevant[rankings.query]
    preferred = 1.0 - ratio(np.minimum(before, most), np.minimum(not_relevant[rankings.query], most))
    return ratio(rankings.per_query(chosen, preferred), relevant)


@metric("Success")
def success(rankings: Rankings, *, k: int, rel: int = 1) -> FloatArray:
    """Success: 1 if any of the first k documents is relevant, else 0.

    Formula: [|relevant in the first k| > 0]
    Convention: called hit rate elsewhere; it is not recall.
    Source: trec_eval success
    """
    return (relevant_in(rankings, k, rel) > 0).astype(np.float64)


@metric("RBP", whole=True)
def rank_biased_precision(
    rankings: Rankings, *, k: int | None = None, p: float = 0.9, rel: int | None = None
) -> FloatArray:
    """Rank-biased precision: the gain of a reader who continues to the next document with probability p.

    Formula: (1 - p) · Σ gain · p^(rank - 1)
    Convention: the gain is the grade divided by the greatest grade judged for the query, as in trec_eval 10;
        with `rel` it is 1 from that grade on and 0 below. A perfect ranking is below 1.
    Source: trec_eval 10 rbp; Moffat and Zobel, ACM TOIS 27(1), 2008
    """
    check_persistence("RBP", p)
    discount: FloatArray = (1.0 - p) * np.power(p, rankings.rank - 1.0)
    return rankings.per_query(within(rankings, k), discount * _gain(rankings, rel))


def _gain(rankings: Rankings, rel: int | None) -> FloatArray:
    """Return the gain of hits from 0 to 1: the grade over the greatest of the query, or whether it is at least rel."""
    greatest = np.maximum(greatest_grade(rankings), 1)[rankings.query]
    return (np.maximum(rankings.grade, 0) / greatest if rel is None else rankings.grade >= rel).astype(np.float64)


@metric("SDCG")
def scaled_gain(rankings: Rankings, *, k: int, rel: int | None = None) -> FloatArray:
    """Scaled discounted cumulative gain: DCG over that of k documents of the greatest grade, however many there are.

    Formula: (Σ over ranks ≤ k of gain / log2(rank + 1)) / (Σ over ranks ≤ k of 1 / log2(rank + 1))
    Convention: the gain is that of RBP.
    Source: cwl_eval NDCG-k, ir_measures SDCG; Moffat, Bailey, Scholer and Thomas, ACM TOIS 35(3), 2017
    """
    _check_size("SDCG", "k", k)
    gained = rankings.per_query(within(rankings, k), discounted(_gain(rankings, rel), rankings.rank))
    return gained / float(discounted(np.ones(k), np.arange(1, k + 1)).sum())


@metric("INST")
def inst(rankings: Rankings, *, t: float = 1.0, rel: int | None = None) -> FloatArray:
    """INST: the gain per document of a reader who wants to gain t, and goes on the more, the more is missing.

    Formula: Σ W(rank) · gain; W falls with Π over earlier ranks i of ((i + 2t - g - 1) / (i + 2t - g))², g: gained at i
    Convention: the gain is that of RBP; t is above 0, in documents of the greatest grade; the first 1,000 ranks, whose
        weights W add up to 1.
    Source: cwl_eval INST; Moffat, Bailey, Scholer and Thomas, ADCS 2015
    """
    _check_size("INST", "t", t)
    gain, scores = _gain(rankings, rel), np.zeros(rankings.queries)
    ranks = np.arange(1.0, 1001.0)
    for query in np.unique(rankings.query[(gain > 0) & (rankings.rank <= len(ranks))]).tolist():
        hits = slice(*np.searchsorted(rankings.query, (query, query + 1)))
        at_rank = np.bincount(rankings.rank[hits] - 1, gain[hits], len(ranks))[: len(ranks)]
        wanted = ranks + 2 * t - np.cumsum(at_rank)
        reached = np.cumprod([1.0, *(((wanted - 1) / wanted) ** 2)[:-1]])
        scores[query] = reached @ at_rank / reached.sum()
    return scores


@metric("Compat")
def compatibility(rankings: Rankings, *, p: float = 0.95) -> FloatArray:
    """Compatibility: rank-biased overlap with the ideal ranking that is nearest to this one.

    Formula: RBO(ranking, ideal) / RBO(ideal, ideal), RBO = Σ over d ≤ 1000 of p^(d-1) · |common in the first d| / d
    Convention: the ideal ranking has all documents with a grade above 0, best grade first, those of one grade in the
        order of the ranking, and those that it lacks last.
    Source: the program of Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021; ir_measures has another depth
    """
    check_persistence("Compat", p)
    depths = np.arange(1.0, 1001.0)
    shares = np.append(np.cumsum((p ** (depths - 1) / depths)[::-1])[::-1], 0.0)  # of a document common from d on
    span = int(rankings.judged_grade.max(initial=0)) + 1
    judged, grade = (np.maximum(grades, 0) for grades in (rankings.judged_grade, rankings.grade))
    levels, level = (rankings.judged_query + 1) * span - judged, (rankings.query + 1) * span - grade
    order = np.lexsort((rankings.rank, level))
    place = np.searchsorted(levels, level) - np.searchsorted(rankings.judged_query, rankings.query)
    place[order] += position_in_group(level[order])
    common = rankings.per_query(grade > 0, shares[np.minimum(np.maximum(place, rankings.rank) - 1, len(depths))])
    ideal = shares[np.minimum(position_in_group(rankings.judged_query) - 1, len(depths))] * (judged > 0)
    return ratio(common, np.bincount(rankings.judged_query, ideal, rankings.queries))


def check_persistence(name: str, p: float) -> None:
    """Refuse a probability of 0 or 1."""
    if not 0 < p < 1:
        raise ConfigError(Message("metrics.p_out_of_range", name=name, p=p), hint=Message("metrics.p_hint", name=name))


def _check_size(name: str, parameter: str, value: float) -> None:
    """Refuse a number of documents that is not above 0, or that no reader would see."""
    if not 0 < value <= _MOST_DOCUMENTS:
        given = {"parameter": parameter, "most": f"{_MOST_DOCUMENTS:,}", "value": value}
        raise ConfigError(Message("metrics.size_out_of_range", name=name, **given))


@metric("ERR", whole=True)
def expected_reciprocal_rank(rankings: Rankings, *, k: int | None = None, max: int = 4) -> FloatArray:
    """Expected reciprocal rank: expected 1 / rank at which a reader stops at a satisfying document.

    Formula: Σ over ranks r ≤ k of s(r) / r · Π over earlier ranks of (1 - s), s = (2^grade - 1) / 2^max
    Convention: `max` is the greatest grade of the scale, 4 as in TREC's gdeval; a perfect ranking is below 1.
    Source: gdeval; Chapelle, Metzler, Zhang and Grinspan, CIKM 2009
    """
    if max > _GREATEST_GRADE:
        raise ConfigError(
            Message("metrics.err_max_too_large", greatest_grade=_GREATEST_GRADE, max=max),
            hint=Message("metrics.err_hint"),
        )
    if rankings.judged_grade.max(initial=0) > max:
        grade = int(rankings.judged_grade.max())
        hint = (
            Message("metrics.err_max_hint", grade=grade)
            if grade <= _GREATEST_GRADE
            else Message("metrics.err_grades_too_high")
        )
        raise ConfigError(Message("metrics.err_grade_above_max", grade=grade, max=max), hint=hint)
    stops = (2.0 ** np.maximum(rankings.grade, 0) - 1) / 2.0**max
    going_on = np.log1p(-stops)
    reached = np.exp(running_sum(rankings.query, going_on) - going_on)
    return rankings.per_query(within(rankings, k), stops * reached / rankings.rank)


@metric("Judged")
def judged(rankings: Rankings, *, k: int) -> FloatArray:
    """Judged: the share of the first k documents that have a judgment; low values make other metrics unreliable.

    Formula: |judged in the first k| / min(k, |retrieved|)
    Convention: a short ranking is divided by its own length; 0 if nothing is retrieved.
    Source: ir_measures Judged
    """
    judged = rankings.per_query(within(rankings, k) & (rankings.grade >= 0))
    return ratio(judged, np.minimum(rankings.retrieved, k))


@metric("SetP")
def set_precision(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Set precision: the share of all retrieved documents that are relevant.

    Formula: |relevant retrieved| / |retrieved|
    Source: trec_eval set_P
    """
    return ratio(relevant_in(rankings, None, rel), rankings.retrieved)


@metric("SetR")
def set_recall(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Set recall: the share of relevant documents that were retrieved at any rank.

    Formula: |relevant retrieved| / |relevant|
    Source: trec_eval set_recall
    """
    return ratio(relevant_in(rankings, None, rel), rankings.relevant(rel))


@metric("SetF")
def set_f(rankings: Rankings, *, beta: float = 1.0, rel: int = 1) -> FloatArray:
    """Set F: weighted harmonic mean of set precision and set recall.

    Formula: (β + 1) · P · R / (β · P + R)
    Convention: as in trec_eval, β is not squared.
    Source: trec_eval set_F
    """
    precision, recall = set_precision(rankings, rel=rel), set_recall(rankings, rel=rel)
    return ratio((beta + 1) * precision * recall, beta * precision + recall)


@metric("NumRet", bounds=(0.0, np.inf), summed=True)
def retrieved(rankings: Rankings) -> FloatArray:
    """Number of retrieved documents; usually reported as the sum over queries.

    Formula: |retrieved|
    Source: trec_eval num_ret
    """
    return rankings.retrieved.astype(np.float64)


@metric("NumRel", bounds=(0.0, np.inf), summed=True)
def relevant(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Number of documents judged relevant; usually reported as the sum over queries.

    Formula: |relevant|
    Convention: counts at the relevance level; trec_eval's own sum under -c ignores the level (each query agrees).
    Source: trec_eval num_rel
    """
    return rankings.relevant(rel)


@metric("NumRelRet", bounds=(0.0, np.inf), summed=True)
def relevant_retrieved(rankings: Rankings, *, rel: int = 1) -> FloatArray:
    """Number of relevant retrieved documents; usually reported as the sum over queries.

    Formula: |relevant retrieved|
    Source: trec_eval num_rel_ret
    """
    return relevant_in(rankings, None, rel)
