"""The order of the documents of a query: by score, greatest first, then by id as bytes, greatest first (trec_eval's).

Only queries in which a score rises are sorted. Documents with equal scores are a group, which is sorted by id only if
the place of one of them is asked for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.retrieval.reading.spans import Spans, Words, grouped_order, ranges, stable_order, word_view
from steelyard.table import Flags, IntArray

Scores = NDArray[np.floating]
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreOrder:
    """The order of the lines of a block by score; places are counted from 0 in the block, query by query.

    `firsts` and `lengths` are the first line and the number of lines of each query. `sequence` is the line at each
    place, with equal scores in any order, or None if it is the line of the same number. `groups` are the places where
    a group begins, followed by the number of lines; empty if no scores are equal.
    """

    firsts: IntArray
    lengths: IntArray
    documents: Spans
    sequence: IntArray | None
    groups: IntArray
    tied: int
    """The number of queries with equal scores."""

    @classmethod
    def of(cls, firsts: IntArray, lengths: IntArray, scores: Scores, documents: Spans) -> "ScoreOrder":
        """Return the order of lines that are grouped by query."""
        rises = _within_queries(scores[1:] > scores[:-1], firsts)
        sequence = _sequence(firsts, lengths, scores, rises) if rises.any() else None
        ranked = scores if sequence is None else scores[sequence]
        equal = _within_queries(ranked[1:] == ranked[:-1], firsts)
        if not equal.any():
            return cls(firsts, lengths, documents, sequence, np.zeros(0, np.int64), 0)
        groups = np.append(np.flatnonzero(~equal), len(scores))
        tied = int(np.count_nonzero(np.logical_or.reduceat(equal, firsts)))
        return cls(firsts, lengths, documents, sequence, groups, tied)

    def ranks(self, lines: IntArray) -> IntArray:
        """Return the ranks of lines in their queries, counted from 1; the lines ascend."""
        places = self._exact(lines, self._places(lines))
        return places - self.firsts[self._query(lines)] + 1

    def first_lines(self, queries: IntArray, count: int) -> tuple[IntArray, IntArray]:
        """Return the first lines of queries in their exact order, query by query, and how many each has."""
        lengths = np.minimum(self.lengths[queries], count)
        places = ranges(self.firsts[queries], lengths)
        if not len(self.groups):
            return self._lines(places), lengths
        group = np.unique(self._group(places))
        members, lines = self._sorted(group[np.diff(self.groups)[group] > 1])
        sequence = self._lines(np.arange(self.groups[-1]))
        sequence[members] = lines
        return sequence[places], lengths

    def disordered(self, ranks: Spans) -> int:
        """Return the number of queries with a greater score at a greater rank; equal scores may be in any order."""
        rank = rank_numbers(ranks)
        if self.sequence is not None:
            rank = rank[self.sequence]
        wrong = np.flatnonzero(_within_queries(rank[1:] <= rank[:-1], self.firsts))
        if len(wrong) and len(self.groups):
            wrong = self._disordered_groups(rank)
        return int(np.count_nonzero(np.diff(self._query(wrong), prepend=-1)))

    def _disordered_groups(self, rank: Words) -> IntArray:
        """Return where groups begin that have a rank not above all those of the group before."""
        begins = self.groups[:-1]
        best, worst = (pick.reduceat(rank, begins) for pick in (np.minimum, np.maximum))
        query = self._query(begins)
        wrong = (best[1:] <= worst[:-1]) & (query[1:] == query[:-1])
        return begins[1:][np.flatnonzero(wrong)]

    def _exact(self, lines: IntArray, places: IntArray) -> IntArray:
        """Return the places of lines after those of equal scores with greater ids; only their groups are sorted."""
        if not len(self.groups):
            return places
        group = self._group(places)
        tied = np.flatnonzero(np.diff(self.groups)[group] > 1)
        members, ordered = self._sorted(np.unique(group[tied]))
        place_of = np.empty(self.groups[-1], np.int64)
        place_of[ordered] = members
        exact = places.copy()
        exact[tied] = place_of[lines[tied]]
        return exact

    def _sorted(self, group: IntArray) -> tuple[IntArray, IntArray]:
        """Return the places of groups, and the lines that belong there."""
        sizes = np.diff(self.groups)[group]
        places = ranges(self.groups[group], sizes)
        lines = self._lines(places)
        descending = [~key for key in self.documents.take(lines).sort_keys()]
        return places, lines[np.lexsort((*descending, np.repeat(group, sizes)))]

    def _group(self, places: IntArray) -> IntArray:
        return np.searchsorted(self.groups, places, side="right") - 1

    def _query(self, lines: IntArray) -> IntArray:
        return np.searchsorted(self.firsts, lines, side="right") - 1

    def _lines(self, places: IntArray) -> IntArray:
        return places if self.sequence is None else self.sequence[places]

    def _places(self, lines: IntArray) -> IntArray:
        if self.sequence is None:
            return lines
        place_of = np.empty_like(self.sequence)
        place_of[self.sequence] = np.arange(len(place_of))
        return place_of[lines]


def rank_numbers(ranks: Spans) -> Words:
    """Return numbers that compare as ranks of up to eight digits do; 0 for longer ones."""
    # digits as one big-endian word sort like numbers, and longer numbers are greater
    shift = 64 - ((ranks.ends - ranks.starts) << 3)
    return word_view(ranks.buffer)[ranks.starts].byteswap() >> shift.view(np.uint64)


def _within_queries(pairs: Flags, firsts: IntArray) -> Flags:
    """Return flags of neighbours as flags of the later line of each pair; False where a query begins."""
    flags = np.empty(len(pairs) + 1, np.bool_)
    flags[0], flags[1:] = False, pairs
    flags[firsts] = False
    return flags


def _sequence(firsts: IntArray, lengths: IntArray, scores: Scores, rises: Flags) -> IntArray:
    """Return the lines by score; only those of queries in which a score rises are moved."""
    rising = np.flatnonzero(np.logical_or.reduceat(rises, firsts))
    lines = ranges(firsts[rising], lengths[rising])
    query = np.repeat(np.arange(len(rising), dtype=np.uint64), lengths[rising])
    order = falling_order(query << _HALF, scores[lines])
    sequence = np.arange(len(scores))
    sequence[lines] = lines[order]
    return sequence


def as_compared(scores: Scores, single_precision: bool) -> Scores:
    """Return scores in the precision in which they are compared."""
    with np.errstate(over="ignore"):  # beyond 3.4e38 a 32-bit float is infinite, in trec_eval too
        return scores.astype(np.float32) if single_precision else scores


def falling_order(query: Words, scores: Scores) -> IntArray:
    """Return rows by the upper 32 bits of `query`, the lower ones being 0, and by score, greatest first."""
    keys = _falling_keys(scores)
    return stable_order(query | keys) if scores.itemsize == 4 else grouped_order(query, keys)


def _falling_keys(scores: Scores) -> Words:
    """Return integers that ascend as the scores fall, of as many bits as a score has; 0.0 and -0.0 are the same."""
    unsigned = np.dtype(f"u{scores.itemsize}")
    bits = (scores + scores.dtype.type(0)).view(unsigned)
    sign = unsigned.type(1 << (8 * scores.itemsize - 1))
    return np.where(bits & sign, bits, ~(bits | sign)).astype(np.uint64)
