"""Counts and sums over the judged documents of each query, from which the formulas of metrics are made."""

import numpy as np

from steelyard.retrieval.matching import Rankings
from steelyard.table import Flags, FloatArray, IntArray


def within(rankings: Rankings, k: int | None) -> Flags:
    """Return which hits are among the first k documents; all of them without a k."""
    return np.ones(len(rankings.rank), np.bool_) if k is None else rankings.rank <= k


def relevant_in(rankings: Rankings, k: int | None, rel: int) -> FloatArray:
    """Return the number of relevant documents among the first k of each query."""
    return rankings.per_query(within(rankings, k) & (rankings.grade >= rel))


def ratio(above: FloatArray, below: FloatArray | IntArray) -> FloatArray:
    """Return the ratio; 0 if the divisor is 0."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def sums_by_query(query: IntArray, values: FloatArray | IntArray, queries: int) -> FloatArray:
    """Return the sum of the values of each query."""
    return np.bincount(query, values, queries).astype(np.float64)


def discounted(gain: FloatArray | IntArray, rank: IntArray) -> FloatArray:
    """Return the gain over the logarithm of the rank."""
    found: FloatArray = gain / np.log2(rank + 1.0)
    return found


def number_judged(rankings: Rankings) -> FloatArray:
    """Return the number of documents with a judgment for each query."""
    return rankings.relevant(0)


def greatest_grade(rankings: Rankings) -> IntArray:
    """Return the greatest grade judged for each query; 0 if there is no greater one."""
    greatest = np.zeros(rankings.queries, np.int64)
    np.maximum.at(greatest, rankings.judged_query, rankings.judged_grade)
    return greatest


def position_in_group(group: IntArray) -> IntArray:
    """1, 2, 3 … within each run of equal adjacent values."""
    firsts = np.flatnonzero(np.diff(group, prepend=-1))
    return np.arange(1, len(group) + 1) - np.repeat(firsts, np.diff(firsts, append=len(group)))


def running_count(rankings: Rankings, chosen: Flags) -> FloatArray:
    """Return for each hit, the number of chosen hits of its query up to and including it."""
    return running_sum(rankings.query, chosen.astype(np.float64))


def running_sum(group: IntArray, values: FloatArray) -> FloatArray:
    """Return for each value, the sum of the values of its group up to and including it; groups are adjacent."""
    total = np.cumsum(values)
    firsts = np.flatnonzero(np.diff(group, prepend=-1))
    sums: FloatArray = total - np.repeat(total[firsts] - values[firsts], np.diff(firsts, append=len(values)))
    return sums
