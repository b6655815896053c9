"""Qrels and runs from `{query: {document: value}}`, the form of pytrec_eval and ranx, without an object per row.

Only the judged documents of a query are looked up, and its scores are one array: the rank of a document is one more
than the number of greater scores, plus those with an equal score and a greater id. Text in Python is in the order of
its code points, which is that of its bytes in UTF-8. Mappings that are not regular (`columns`) give None.
"""

from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.native import kernel
from steelyard.retrieval.matching import MatchedBlock, Matcher, Matches
from steelyard.retrieval.reading.columns import (
    NUMBERS,
    RowDigest,
    count_ids,
    digest_of_rows,
    grades_of,
    joined_ids,
    numbers_of,
    split_ids,
    split_known_ids,
)
from steelyard.retrieval.reading.rankings import Qrels, RunBlock, qrels_from_columns
from steelyard.retrieval.reading.spans import Spans
from steelyard.retrieval.runs import Run
from steelyard.table import FloatArray, IntArray

_MAPPINGS: Final = frozenset((dict, defaultdict, OrderedDict, Counter))
_BLOCK_ROWS: Final = 1 << 15
Documents = dict[str, float]


class _Block(NamedTuple):
    """Some queries of a run with their documents, and the scores of all of these."""

    queries: list[str]
    documents: list[Documents]
    lengths: IntArray
    scores: FloatArray


def nested_run(content: Mapping[Any, Any], name: str, digest: str | None = None, *, finite: bool = False) -> Run | None:
    """A run; with `finite`, scores that are infinite are not regular. Queries without documents are left out."""
    if not _is_regular(content):
        return None
    with RowDigest() as rows:
        blocks = list(_blocks(content, rows if digest is None else None))
    known = [block for block in blocks if block is not None]
    if not known or len(known) < len(blocks) or (finite and any(np.isinf(block.scores).any() for block in known)):
        return None
    found = rows.hexdigest() if digest is None else digest
    pieces = [partial(_match, block) for block in known]
    return Run(name, lambda: iter(pieces), partial(_match_all, known), partial(_place, content, name), lambda: found)


def _blocks(content: Mapping[Any, Any], digest: RowDigest | None) -> Iterator[_Block | None]:
    """The blocks of a run, up to one that is not regular."""
    for chunk in _chunks(content):
        block = _block(chunk, digest)
        yield block
        if block is None:
            return


def nested_qrels(content: Mapping[Any, Any], name: str, digest: str | None = None) -> Qrels | None:
    """Qrels; every query has a document, and grades are whole numbers. Infinite ones never are."""
    documents = list(content.values())
    if not _is_regular(content) or not documents or not all(documents):
        return None
    lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    try:
        queries, ids = joined_ids(content), joined_ids(chain.from_iterable(documents))
    except (TypeError, UnicodeError):
        return None
    values = list(chain.from_iterable(each.values() for each in documents))
    grades = grades_of(numbers_of(values, set(map(type, values)), len(values)))
    heads, column = split_ids(queries, len(lengths)), split_ids(ids, len(values))
    if grades is None or heads is None or column is None:
        return None
    digest = digest or digest_of_rows(queries, lengths, ids, grades)
    of_row = heads.take(np.repeat(np.arange(len(lengths)), lengths))
    return qrels_from_columns(name, of_row, column, grades, digest=digest, place=partial(_place, content, name))


def _is_regular(content: Mapping[Any, Any]) -> bool:
    return type(content) in _MAPPINGS and _MAPPINGS.issuperset(map(type, content.values()))


def _place(content: Mapping[Any, Mapping[Any, Any]], name: str, row: int) -> str:
    """The location of a row."""
    places = (f"{name}#/{query}/{document}" for query, documents in content.items() for document in documents)
    return next(islice(places, row, None))


def _chunks(content: Mapping[str, Documents]) -> Iterator[dict[str, Documents]]:
    """The queries that have documents, a block of them at a time."""
    chunk: dict[str, Documents] = {}
    rows = 0
    for query, documents in content.items():
        if documents:
            chunk[query] = documents
            rows += len(documents)
        if rows >= _BLOCK_ROWS:
            yield chunk
            chunk, rows = {}, 0
    if chunk:
        yield chunk


def _block(chunk: dict[str, Documents], digest: RowDigest | None) -> _Block | None:
    """Some queries with their scores, added to the digest; None if an id is no text or a score no number."""
    documents = list(chunk.values())
    lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    try:
        queries, (ids, scores) = joined_ids(chunk), _rows(documents)
    except (TypeError, UnicodeError, OverflowError):
        return None
    if queries.count(0) != len(chunk) or count_ids(ids) != len(scores) or np.isnan(scores).any():
        return None
    if "" in chunk or any("" in each for each in documents):
        return None
    if digest is not None:
        digest.add(queries, lengths, ids, scores)
    return _Block(list(chunk), documents, lengths, scores)


def _rows(documents: list[Documents]) -> tuple[bytes, FloatArray]:
    """The ids as one text, and the scores; TypeError, UnicodeError or OverflowError if one is not regular."""
    native = kernel()
    columns = None if native is None else native.mapping_columns(documents)
    if columns is not None:
        return columns[0], np.frombuffer(columns[1])
    return b"".join(map(joined_ids, documents)), np.concatenate([_scores(each) for each in documents])


def _scores(documents: Documents) -> FloatArray:
    """The scores of a query; TypeError if one is not a number."""
    values = documents.values()
    try:
        return np.fromiter(map(float.conjugate, values), np.float64, len(values))  # refuses what is not a float
    except TypeError:
        if not NUMBERS.issuperset(map(type, values)):
            raise
    return np.fromiter(values, np.float64, len(values))


def _match_all(blocks: list[_Block], matcher: Matcher) -> MatchedBlock:
    """The matches of the run as one block."""
    queries, documents = (list(chain.from_iterable(block[column] for block in blocks)) for column in (0, 1))
    lengths, scores = (np.concatenate([block[column] for block in blocks]) for column in (2, 3))
    return _match(_Block(queries, documents, lengths, scores), matcher)


def _match(block: _Block, matcher: Matcher) -> MatchedBlock:
    """The ranks of judged documents; where first documents are kept, the block is matched as columns."""
    queries = Spans.of(query.encode() for query in block.queries)
    if matcher.keep:
        return matcher.match(_columns(block, queries))
    judged = matcher.index.qrels.by_text
    numbers = [judged[query][0] if query in judged else -1 for query in block.queries]
    with np.errstate(over="ignore"):  # beyond 3.4e38 a 32-bit float is infinite, in trec_eval too
        scores = block.scores.astype(np.float32) if matcher.single_precision else block.scores
    segments = _Segments(np.cumsum(block.lengths) - block.lengths, block.lengths)
    ranked, tied = _ranked(scores, segments)
    hits = _hits(block, judged)
    rank = _ranks(block, hits, scores, ranked, segments)
    found = Matches(np.array(numbers), queries.hashes(), block.lengths, np.array(hits.row, np.int64), rank, tied, 0, [])
    return MatchedBlock(found, len(scores))


def _columns(block: _Block, queries: Spans) -> RunBlock:
    rows = len(block.scores)
    documents = split_known_ids(joined_ids(chain.from_iterable(block.documents)), rows)
    of_row = queries.take(np.repeat(np.arange(len(queries)), block.lengths))
    return RunBlock(of_row, documents, block.scores, None, np.arange(rows), rows)


class _Segments(NamedTuple):
    """The first row and the number of rows of each query."""

    firsts: IntArray
    lengths: IntArray


class _Hits(NamedTuple):
    """The judged documents of a block: number of the judgment, place of the query, id, score."""

    row: list[int]
    place: list[int]
    document: list[str]
    score: list[float]


def _hits(block: _Block, judged: Mapping[str, tuple[int, Mapping[str, int]]]) -> _Hits:
    hits = _Hits([], [], [], [])
    for place, (query, documents) in enumerate(zip(block.queries, block.documents, strict=True)):
        if query in judged:
            rows = judged[query][1]
            found = list(rows.keys() & documents.keys())
            hits.row.extend(map(rows.__getitem__, found))
            hits.place.extend([place] * len(found))
            hits.document.extend(found)
            hits.score.extend(map(documents.__getitem__, found))
    return hits


def _ranked(scores: NDArray[np.floating], segments: _Segments) -> tuple[NDArray[np.floating], int]:
    """The scores of each query, greatest first, and the number of queries with equal scores."""
    falls = np.ones(len(scores), np.bool_)
    np.less(scores[1:], scores[:-1], out=falls[1:])
    falls[segments.firsts] = True
    if falls.all():
        return scores, 0
    unordered = np.flatnonzero(~np.logical_and.reduceat(falls, segments.firsts))
    ranked, tied = scores.copy(), 0
    for first, length in zip(segments.firsts[unordered].tolist(), segments.lengths[unordered].tolist(), strict=True):
        ascending = np.sort(scores[first : first + length])
        ranked[first : first + length] = ascending[::-1]
        tied += bool((ascending[1:] == ascending[:-1]).any())
    return ranked, tied


def _ranks(
    block: _Block, hits: _Hits, scores: NDArray[np.floating], ranked: NDArray[np.floating], segments: _Segments
) -> IntArray:
    """The rank of each hit: by the number of greater scores, and among equal ones by id, greatest first."""
    place = np.array(hits.place, np.int64)
    with np.errstate(over="ignore"):
        score = np.array(hits.score, np.float64).astype(scores.dtype)
    first, end = segments.firsts[place], segments.firsts[place] + segments.lengths[place]
    found = _first_not_greater(ranked, first, end, score)
    rank = found - first + 1
    after = np.minimum(found + 1, len(ranked) - 1)
    tied = np.flatnonzero((found + 1 < end) & (ranked[after] == score))
    for hit, same in _tied_ids(block, place[tied], score[tied], scores, segments):
        number = int(tied[hit])
        rank[number] += len(same) - bisect_right(same, hits.document[number])
    return rank


def _first_not_greater(
    ranked: NDArray[np.floating], low: IntArray, high: IntArray, score: NDArray[np.floating]
) -> IntArray:
    """For each score the first row from `low` to `high` that is not greater; rows fall. All are searched at once."""
    longest = int((high - low).max(initial=0))
    for _ in range(longest.bit_length()):
        middle = (low + high) >> 1
        greater = ranked[np.minimum(middle, len(ranked) - 1)] > score
        low, high = np.where((low < high) & greater, middle + 1, low), np.where(greater, high, middle)
    return low


def _tied_ids(
    block: _Block, place: IntArray, score: NDArray[np.floating], scores: NDArray[np.floating], segments: _Segments
) -> Iterator[tuple[int, list[str]]]:
    """For each tied hit the ids of the documents of its query with its score, in order."""
    known: dict[tuple[int, float], list[str]] = {}
    ids: list[str] = []
    before = -1
    for hit, (query, value) in enumerate(zip(place.tolist(), score.tolist(), strict=True)):
        if query != before:
            ids, known, before = list(block.documents[query]), {}, query
        if (query, value) not in known:
            first = int(segments.firsts[query])
            equal = np.flatnonzero(scores[first : first + len(ids)] == score[hit])
            known[query, value] = sorted([ids[row] for row in equal.tolist()])
        yield hit, known[query, value]
