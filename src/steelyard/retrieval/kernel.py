"""Blocks of run lines matched by the compiled kernel.

It takes regular lines only. What it refuses (comments, control characters, numbers in other notations, a document
twice) is read by `parse_block` and matched by `match`, which have all messages; both give the same matches.
"""

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from steelyard.native import kernel
from steelyard.retrieval.matching import MatchedBlock, Matcher, Matches, QrelsIndex
from steelyard.retrieval.reading.spans import Spans
from steelyard.table import IntArray

_indexes: WeakKeyDictionary[QrelsIndex, Any] = WeakKeyDictionary()
_lock = threading.Lock()


def match_regular(block: bytes | memoryview, matcher: Matcher) -> MatchedBlock | None:
    """The matches of complete run lines; None if they are not regular, or if there is no kernel."""
    native = kernel()
    if native is None:
        return None
    index = _index(native, matcher.index)
    if index is None:
        return None
    found = native.match_lines(block, index, matcher.single_precision, matcher.keep)
    return None if found is None else _matched(block, matcher.keep, *found)


def _index(native: Any, index: QrelsIndex) -> Any:
    """The kernel's own index of the judgments, made once; None if they are more than it takes, or an id is longer."""
    with _lock:
        if index not in _indexes:
            qrels = index.qrels
            columns = (*_columns(qrels.queries), *_columns(qrels.documents), _integers(qrels.query))
            try:
                _indexes[index] = native.index_judgments(*columns)
            except ValueError:
                _indexes[index] = None
        return _indexes[index]


def _columns(spans: Spans) -> tuple[Any, IntArray, IntArray]:
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
            first=_first_documents(block, query, length, first, keep) if keep else {},
        ),
        lines,
        anomalies={
            "counts.lines_without_tag": without_tag,
            "counts.lines_too_wide": too_wide,
            "counts.run_comments": 0,
        },
    )


def _first_documents(
    block: bytes | memoryview, query: IntArray, length: IntArray, bounds: IntArray, keep: int
) -> dict[int, list[str]]:
    """The ids of the first documents of each judged query, by the bounds of all of them in the block."""
    ids = [str(block[start:end], "utf-8") for start, end in bounds.reshape(-1, 2).tolist()]
    judged = np.flatnonzero(query >= 0)
    ends = np.cumsum(np.minimum(length[judged], keep)).tolist()
    return {
        number: ids[start:end] for number, start, end in zip(query[judged].tolist(), [0, *ends], ends, strict=False)
    }
