"""Runs, and the judged documents of their blocks with their ranks.

The rank of a document is one more than the number of documents of its query with a greater score, plus those with an
equal score and a greater id (trec_eval's rule). So no run is sorted as a whole: judged documents are found by a hash of
query and document and confirmed by their bytes, and `ordering` finds their places.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from steelyard.i18n import Message
from steelyard.native import kernel
from steelyard.retrieval.ordering import ScoreOrder, as_compared
from steelyard.retrieval.reading.rankings import Qrels, RunBlock, repeated
from steelyard.retrieval.reading.spans import Spans, Words, combine, grouped_order
from steelyard.table import Flags, FloatArray, IntArray


class QrelsIndex:
    """Qrels indexed by hash, when the first documents are looked up; the compiled kernel has an index of its own."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels

    @cached_property
    def _queries(self) -> "_HashIndex":
        return _HashIndex(self.qrels.queries.hashes())

    @cached_property
    def _documents(self) -> "_HashIndex":
        return _HashIndex(self.qrels.keys)

    def find_queries(self, queries: Spans) -> IntArray:
        """Return the number of each query among the judged ones, or -1."""
        rows, candidates = self._queries.find(queries.hashes())
        same = queries.take(rows).equals(self.qrels.queries.take(candidates))
        numbers = np.full(len(queries), -1, np.int64)
        numbers[rows[same]] = candidates[same]
        return numbers

    def find_documents(self, keys: Words, query: IntArray, documents: Spans) -> tuple[IntArray, IntArray]:
        """Return rows that are judged, and the number of their judgment; queries without judgments are negative."""
        rows, candidates = self._documents.find(keys)
        same = (query[rows] == self.qrels.query[candidates]) & documents.take(rows).equals(
            self.qrels.documents.take(candidates)
        )
        return rows[same], candidates[same]


class _HashIndex:
    """Sorted hashes behind a Bloom-style filter that rejects most unjudged documents before the lookup."""

    def __init__(self, hashes: Words) -> None:
        self._order = np.argsort(hashes)
        self._sorted = hashes[self._order]
        self._repeats = bool((self._sorted[1:] == self._sorted[:-1]).any())
        bits = min(max(16, len(hashes).bit_length() + 6), 21)
        self._shift = np.uint64(64 - bits)
        self._filter = np.zeros(1 << bits, np.bool_)
        self._filter[self._slot(hashes)] = True

    def find(self, hashes: Words) -> tuple[IntArray, IntArray]:
        """Return rows whose hash is in the index, and its position; equal hashes need not mean equal values."""
        rows = np.flatnonzero(self._filter[self._slot(hashes)])
        wanted = hashes[rows]
        first = np.searchsorted(self._sorted, wanted)
        if self._repeats:  # two values share a hash: both are candidates
            count = np.searchsorted(self._sorted, wanted, side="right") - first
        else:
            count = (self._sorted[np.minimum(first, len(self._sorted) - 1)] == wanted).astype(np.int64)
        positions = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
        return np.repeat(rows, count), self._order[positions]

    def _slot(self, hashes: Words) -> IntArray:
        return (hashes >> self._shift).view(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The matches of one block: number (-1: not judged), hash and length of each query; rank of each hit.

    `tied` counts queries with equal scores, `disordered` those whose rank column contradicts their scores;
    `duplicates` are pairs of lines. `first` are the ids of the first documents of each judged query, if they are kept.
    """

    query: IntArray
    query_hash: Words
    length: IntArray
    hit: IntArray
    rank: IntArray
    tied: int
    disordered: int
    duplicates: list[tuple[int, int, str]]
    first: dict[int, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class MatchedBlock:
    """The matches of a block of a run with what else was found in it.

    `lines` is the number of its lines; `problems`, `anomalies` and `readable` are those of `RunBlock`.
    """

    matches: Matches
    lines: int
    problems: list[tuple[int, Message]] = field(default_factory=list)
    anomalies: dict[str, int] = field(default_factory=dict)
    readable: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Matcher:
    """Finds the judged documents of blocks: the qrels, the precision of scores, and how many first documents to keep.

    It can be sent to another process. `threads` is for pieces that are the whole run.
    """

    index: QrelsIndex
    single_precision: bool
    keep: int = 0
    threads: int = 1

    def match(self, block: RunBlock) -> MatchedBlock:
        """Return the matches of a block of columns."""
        found = match(block, self.index, single_precision=self.single_precision, keep=self.keep)
        return MatchedBlock(found, block.lines, block.problems, block.anomalies, block.readable)


def match(block: RunBlock, index: QrelsIndex, *, single_precision: bool, keep: int = 0) -> Matches:
    """Find the judged documents of a block and their ranks, and the ids of the first `keep` documents of a query."""
    firsts = np.flatnonzero(block.queries.changes()) if block.firsts is None else block.firsts
    lengths = np.diff(firsts, append=len(block.scores))
    heads = block.queries.take(firsts)
    numbers = index.find_queries(heads)
    # queries without judgments get distinct negative numbers, so that their documents never compare equal
    distinct = np.where(numbers < 0, -1 - np.arange(len(numbers)), numbers)
    query = np.repeat(distinct, lengths)
    keys = combine(block.documents.hashes(), query)
    rows, hits = index.find_documents(keys, query, block.documents)
    pairs = [] if block.distinct else repeated(keys, query, block.documents)
    order = ScoreOrder.of(firsts, lengths, as_compared(block.scores, single_precision), block.documents)
    return Matches(
        query=numbers,
        query_hash=heads.hashes(),
        length=lengths,
        hit=hits,
        rank=order.ranks(rows),
        tied=order.tied,
        disordered=0 if block.ranks is None else order.disordered(block.ranks),
        duplicates=[
            (int(block.line[early]), int(block.line[late]), block.documents.text_at(late)) for early, late in pairs
        ],
        first=_first_documents(numbers, order, keep) if keep else {},
    )


def _first_documents(numbers: IntArray, order: ScoreOrder, count: int) -> dict[int, list[str]]:
    """Return the ids of the first documents of each judged query of a block."""
    judged = np.flatnonzero(numbers >= 0)
    lines, lengths = order.first_lines(judged, count)
    ids = order.documents.take(lines).texts()
    ends = np.cumsum(lengths)
    bounds = zip(numbers[judged].tolist(), (ends - lengths).tolist(), ends.tolist(), strict=True)
    return {number: ids[start:end] for number, start, end in bounds}


@dataclass(frozen=True, slots=True, eq=False)
class Aspects:
    """Judgments by subtopic, for metrics that need them.

    `judgment`, `subtopic` and `grade` are those of `Subtopics`; `query` is that of each judgment, `place` the place of
    its document by id, greatest first; `hit` is the judgment of each hit of the rankings.
    """

    judgment: IntArray
    subtopic: IntArray
    grade: IntArray
    query: IntArray
    place: IntArray
    hit: IntArray

    @classmethod
    def of(cls, qrels: Qrels, hit: IntArray) -> "Aspects | None":
        """Return the aspects of qrels that were read by subtopic; None of others."""
        if qrels.subtopics is None:
            return None
        place = np.empty(len(qrels.query), np.int64)
        place[qrels.documents.order()[::-1]] = np.arange(len(place))
        known = qrels.subtopics
        return cls(known.judgment, known.subtopic, known.grade, qrels.query, place, hit)


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """The judged documents of every judged query, in rank order: the input of the metrics.

    `query`, `rank` and `grade` describe the judged documents that the run retrieved, by query and rank;
    `retrieved` counts all that it retrieved for each query; `judged_query` and `judged_grade` are all judgments,
    by query, best grade first; `aspects` are those by subtopic, if they were read. `trec_eval` is the version whose
    rounding of recall levels is used.
    """

    queries: int
    query: IntArray
    rank: IntArray
    grade: IntArray
    retrieved: IntArray
    judged_query: IntArray
    judged_grade: IntArray
    trec_eval: int = 9
    aspects: Aspects | None = None

    def per_query(self, chosen: Flags, weights: FloatArray | None = None) -> FloatArray:
        """Return the number of chosen hits of each query, or the sum of their weights."""
        picked = None if weights is None else weights[chosen]
        return np.bincount(self.query[chosen], picked, self.queries).astype(np.float64)

    def relevant(self, rel: int) -> FloatArray:
        """Return the number of documents judged relevant for each query."""
        return np.bincount(self.judged_query[self.judged_grade >= rel], minlength=self.queries).astype(np.float64)


def rankings(qrels: Qrels, matches: Iterable[Matches], *, depth: int | None, trec_eval: int = 9) -> Rankings:
    """Combine the blocks of a run; only the first `depth` documents of each query count."""
    blocks = list(matches)
    hits = np.concatenate([m.hit for m in blocks]) if blocks else np.zeros(0, np.int64)
    rank = np.concatenate([m.rank for m in blocks]) if blocks else np.zeros(0, np.int64)
    if depth is not None:
        hits, rank = hits[rank <= depth], rank[rank <= depth]
    query = qrels.query[hits]
    order = grouped_order(query.view(np.uint64), rank.view(np.uint64))
    worse = qrels.grades.max(initial=0) - qrels.grades
    ideal = grouped_order(qrels.query.view(np.uint64), worse.view(np.uint64))
    return Rankings(
        queries=len(qrels.ids),
        query=query[order],
        rank=rank[order],
        grade=qrels.grades[hits][order],
        retrieved=_retrieved(len(qrels.ids), blocks, depth),
        judged_query=qrels.query[ideal],
        judged_grade=qrels.grades[ideal],
        trec_eval=trec_eval,
        aspects=Aspects.of(qrels, hits[order]),
    )


def _retrieved(queries: int, matches: list[Matches], depth: int | None) -> IntArray:
    counts = np.zeros(queries, np.int64)
    for number, length in ((m.query, m.length) for m in matches):
        counts[number[number >= 0]] = length[number >= 0]
    return counts if depth is None else np.minimum(counts, depth)


def interleaved(matches: Iterable[Matches]) -> bool:
    """Return whether the lines of some query are not adjacent."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *(m.query_hash for m in matches)])
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


Piece = Callable[[Matcher], MatchedBlock]
"""A part of a run that can be matched, on any thread."""


@dataclass(eq=False)
class Run:
    """A run to be read: `pieces` reads it from the start; calling a piece parses it and matches its documents.

    Reading is sequential; pieces may be called on any thread. `read_all` matches everything as one block, for runs with
    interleaved queries. `place` gives the location of a line, `digest` the hash of what was read, and `tag` the name
    that the run has in its own file, if any. `path` is that of a TREC file: its pieces can be sent to other processes.
    """

    name: str
    pieces: Callable[[], Iterator[Piece]]
    read_all: Piece
    place: Callable[[int], str]
    digest: Callable[[], str]
    tag: Callable[[], str] = str
    path: str | Path | None = None


_indexes: WeakKeyDictionary[QrelsIndex, Any] = WeakKeyDictionary()
_lock = threading.Lock()


def match_regular(block: bytes | memoryview, matcher: Matcher) -> MatchedBlock | None:
    """Return the matches of complete run lines; None if they are not regular, or if there is no kernel."""
    native = kernel()
    if native is None:
        return None
    index = _kernel_index(native, matcher.index)
    if index is None:
        return None
    found = native.match_rows(block, index, matcher.single_precision, matcher.keep)
    return None if found is None else _matched(block, matcher.keep, *found)


def match_columns(
    queries: bytes, lengths: IntArray, documents: bytes, scores: FloatArray, matcher: Matcher
) -> MatchedBlock | None:
    """Return the matches of rows by query; None if they are not regular, or if there is no kernel.

    `queries` and `documents` have NUL after every id; `lengths` is the number of rows of each query.
    """
    native = kernel()
    index = None if native is None else _kernel_index(native, matcher.index)
    if native is None or index is None:
        return None
    text, columns = queries + documents, (len(queries), _integers(lengths), np.ascontiguousarray(scores))
    found = native.match_rows(text, index, matcher.single_precision, matcher.keep, *columns)
    return None if found is None else replace(_matched(text, matcher.keep, *found), anomalies={})


def _kernel_index(native: Any, index: QrelsIndex) -> Any:
    """Return the kernel's index of the judgments, made once; None if there are too many, or an id is too long."""
    with _lock:
        if index not in _indexes:
            qrels = index.qrels
            columns = (*_span_columns(qrels.queries), *_span_columns(qrels.documents), _integers(qrels.query))
            try:
                _indexes[index] = native.index_judgments(*columns)
            except ValueError:
                _indexes[index] = None
        return _indexes[index]


def _span_columns(spans: Spans) -> tuple[Any, IntArray, IntArray]:
    return np.ascontiguousarray(spans.buffer), _integers(spans.starts), _integers(spans.ends)


def _integers(values: IntArray) -> IntArray:
    return np.ascontiguousarray(values, np.int64)


def _matched(block: bytes | memoryview, keep: int, *found: Any) -> MatchedBlock:
    query, query_hash, length, hit, rank, first = (np.frombuffer(column, np.int64) for column in found[:6])
    lines, tied, disordered, without_tag, too_wide = found[6:]
    return MatchedBlock(
        Matches(
            query=query,
            query_hash=query_hash.view(np.uint64),
            length=length,
            hit=hit,
            rank=rank,
            tied=tied,
            disordered=disordered,
            duplicates=[],
            first=_first_ids(block, query, length, first, keep) if keep else {},
        ),
        lines,
        anomalies={
            "counts.lines_without_tag": without_tag,
            "counts.lines_too_wide": too_wide,
            "counts.run_comments": 0,
        },
    )


def _first_ids(
    block: bytes | memoryview, query: IntArray, length: IntArray, bounds: IntArray, keep: int
) -> dict[int, list[str]]:
    """Return the ids of the first documents of each judged query, by the bounds of all of them in the block."""
    ids = [str(block[start:end], "utf-8") for start, end in bounds.reshape(-1, 2).tolist()]
    judged = np.flatnonzero(query >= 0)
    ends = np.cumsum(np.minimum(length[judged], keep)).tolist()
    return {
        number: ids[start:end] for number, start, end in zip(query[judged].tolist(), [0, *ends], ends, strict=False)
    }
