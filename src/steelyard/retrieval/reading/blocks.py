"""Qrels and runs from three columns (data frame, Arrow table, parquet file) or from `{query: {document: value}}`.

Both become blocks of complete queries as columns, without an object per row. Where the rows of a query are not
adjacent, they are grouped first. Sources that are not regular (`columns`) give None.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.native import kernel
from steelyard.retrieval.matching import MatchedBlock, Matcher, Piece, Run, match_columns
from steelyard.retrieval.reading.columns import (
    NUMBERS,
    RowDigest,
    ValueColumn,
    digest_of_rows,
    grades_of,
    joined_ids,
    split_ids,
    split_known_ids,
)
from steelyard.retrieval.reading.rankings import Qrels, RunBlock, grouped, qrels_from_columns
from steelyard.table import FloatArray, IntArray

_MAPPINGS: Final = frozenset((dict, defaultdict, OrderedDict, Counter))
_BLOCK_ROWS: Final = 1 << 15
Documents = dict[str, float]
Place = Callable[[int], str]


class Columns(NamedTuple):
    """The queries, documents and values of rows."""

    queries: ValueColumn
    documents: ValueColumn
    values: ValueColumn

    @classmethod
    def of(cls, columns: Sequence[Any]) -> "Columns | None":
        """Return columns that can be cut and have the same length, which is not 0; None of others."""
        cut = [column for column in map(ValueColumn.of, columns) if column is not None]
        is_regular = len(cut) == len(columns) and len({len(column) for column in cut}) == 1 and len(cut[0])
        return cls(*cut) if is_regular else None


class ColumnRows(NamedTuple):
    """Adjacent rows: their queries, each once, with the number of rows; their documents; their values.

    Queries and documents are one text each, with NUL after every id.
    """

    queries: bytes
    lengths: IntArray
    documents: bytes
    values: FloatArray

    def block(self, *, distinct: bool = False) -> RunBlock:
        """Return the rows as a block of a run; `distinct` says that no query can have a document twice."""
        count = len(self.values)
        query = np.repeat(np.arange(len(self.lengths)), self.lengths)
        queries = split_known_ids(self.queries, len(self.lengths)).take(query)
        documents, firsts = split_known_ids(self.documents, count), np.cumsum(self.lengths) - self.lengths
        line = np.arange(count)
        return RunBlock(queries, documents, self.values, None, line, count, firsts=firsts, distinct=distinct)

    def match(self, matcher: Matcher, *, distinct: bool = False) -> MatchedBlock:
        """Return the matches of the rows."""
        return match_columns(*self, matcher) or matcher.match(self.block(distinct=distinct))


def run_of_columns(columns: Columns, name: str, place: Place, digest: str | None = None) -> Run | None:
    """Return a run; None if the columns are not regular."""
    return _run(_cut(columns), name, place, digest)


def qrels_of_columns(columns: Columns, name: str, place: Place, digest: str | None = None) -> Qrels | None:
    """Return qrels; None if the columns are not regular."""
    blocks = list(_cut(columns))
    known = [rows for rows in blocks if rows is not None]
    return _qrels(_joined(known), name, place, digest) if len(known) == len(blocks) else None


def run_of_mapping(
    content: Mapping[Any, Any], name: str, digest: str | None = None, *, finite: bool = False
) -> Run | None:
    """Return a run; with `finite`, infinite scores are not regular. Queries without documents are left out."""
    if not _is_regular(content):
        return None
    blocks = (_mapped(chunk) for chunk in _chunks(content))
    checked = (None if rows is None or (finite and np.isinf(rows.values).any()) else rows for rows in blocks)
    return _run(checked, name, partial(_place, content, name), digest, distinct=True)


def qrels_of_mapping(content: Mapping[Any, Any], name: str, digest: str | None = None) -> Qrels | None:
    """Return qrels; every query must have a document, and grades must be whole numbers."""
    if not _is_regular(content) or not content or not all(content.values()):
        return None
    rows = _mapped(content)
    return None if rows is None else _qrels(rows, name, partial(_place, content, name), digest)


def _run(
    blocks: Iterable[ColumnRows | None], name: str, place: Place, digest: str | None, *, distinct: bool = False
) -> Run | None:
    """Return the run of blocks; None if there is none, or if one is not regular."""
    run = _ColumnRun(distinct)
    with RowDigest() as rows_digest:
        for rows in blocks:
            if rows is None:
                return None
            run.blocks.append(rows)
            if digest is None:
                rows_digest.add(*rows)
    digest_of = rows_digest.hexdigest if digest is None else lambda: digest
    return Run(name, run.pieces, run.read_all, place, digest_of) if run.blocks else None


def _qrels(rows: ColumnRows, name: str, place: Place, digest: str | None) -> Qrels | None:
    grades = grades_of(rows.values)
    if grades is None:
        return None
    block = rows.block()
    digest = digest or digest_of_rows(rows.queries, rows.lengths, rows.documents, grades)
    return qrels_from_columns(name, block.queries, block.documents, grades, digest=digest, place=place)


def _cut(columns: Columns) -> Iterator[ColumnRows | None]:
    """Yield the rows in blocks that end where the query changes; None where the columns are not regular."""
    start, count = 0, len(columns.values)
    while start < count:
        rows = _block(columns, start)
        yield rows
        start = count if rows is None else start + len(rows.values)


def _block(columns: Columns, start: int) -> ColumnRows | None:
    """Return the rows from `start` to the last change of the query in a block, which is larger if there is none."""
    count, size = len(columns.values), _BLOCK_ROWS
    while True:
        end = min(start + size, count)
        text = columns.queries.ids(start, end)
        queries = None if text is None else split_ids(text, end - start)
        if queries is None:
            return None
        firsts = np.flatnonzero(queries.changes())
        if end == count or len(firsts) > 1:
            break
        size *= 2
    if end < count:
        end, firsts = start + int(firsts[-1]), firsts[:-1]
    documents, values = columns.documents.ids(start, end), columns.values.numbers(start, end)
    if documents is None or values is None or split_ids(documents, len(values)) is None:
        return None
    return ColumnRows(queries.take(firsts).joined(), np.diff(firsts, append=end - start), documents, values)


def _joined(blocks: Sequence[ColumnRows]) -> ColumnRows:
    """Return the rows of all blocks."""
    queries, lengths, documents, values = zip(*blocks, strict=True)
    return ColumnRows(b"".join(queries), np.concatenate(lengths), b"".join(documents), np.concatenate(values))


class _ColumnRun:
    """The blocks of a run; `distinct` says that no query can have a document twice."""

    def __init__(self, distinct: bool) -> None:
        self.blocks: list[ColumnRows] = []
        self._distinct = distinct

    def pieces(self) -> Iterator[Piece]:
        """Return the blocks as they are, or one piece if the rows of a query are not adjacent."""
        if self._distinct:
            return (partial(rows.match, distinct=True) for rows in self.blocks)
        hashes = np.concatenate([split_known_ids(rows.queries, len(rows.lengths)).hashes() for rows in self.blocks])
        is_adjacent = len(np.unique(hashes)) == len(hashes)
        return (rows.match for rows in self.blocks) if is_adjacent else iter([self.read_all])

    def read_all(self, matcher: Matcher) -> MatchedBlock:
        """Return the matches of all rows as one block, grouped by query."""
        block = grouped(_joined(self.blocks).block())
        firsts = np.flatnonzero(block.queries.changes())
        lengths = np.diff(firsts, append=len(block.scores))
        queries = block.queries.take(firsts).joined()
        return match_columns(queries, lengths, block.documents.joined(), block.scores, matcher) or matcher.match(block)


def _is_regular(content: Mapping[Any, Any]) -> bool:
    return type(content) in _MAPPINGS and _MAPPINGS.issuperset(map(type, content.values()))


def _place(content: Mapping[Any, Mapping[Any, Any]], name: str, row: int) -> str:
    places = (f"{name}#/{query}/{document}" for query, documents in content.items() for document in documents)
    return next(islice(places, row, None))


def _chunks(content: Mapping[str, Documents]) -> Iterator[dict[str, Documents]]:
    """Yield the queries that have documents, a block of them at a time."""
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


def _mapped(content: Mapping[str, Documents]) -> ColumnRows | None:
    """Return the rows of a mapping; None if an id is no text or a value no number."""
    documents = list(content.values())
    lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    try:
        queries, (ids, values) = joined_ids(content), _mapped_columns(documents)
    except (TypeError, UnicodeError, OverflowError):
        return None
    ids_end = len(ids) - int(np.count_nonzero(np.frombuffer(ids, np.uint8)))
    if queries.count(0) != len(content) or ids_end != len(values) or np.isnan(values).any():
        return None
    has_empty = "" in content or any("" in ids_of_query for ids_of_query in documents)
    return None if has_empty else ColumnRows(queries, lengths, ids, values)


def _mapped_columns(documents: list[Documents]) -> tuple[bytes, FloatArray]:
    """Return the ids as one text, and the values; raise TypeError, UnicodeError or OverflowError if not regular."""
    native = kernel()
    columns = None if native is None else native.mapping_columns(documents)
    if columns is not None:
        return columns[0], np.frombuffer(columns[1])
    return b"".join(map(joined_ids, documents)), np.concatenate([_values(of_query) for of_query in documents])


def _values(documents: Documents) -> FloatArray:
    values = documents.values()
    try:
        return np.fromiter(map(float.conjugate, values), np.float64, len(values))  # refuses what is not a float
    except TypeError:
        if not NUMBERS.issuperset(map(type, values)):
            raise
    return np.fromiter(values, np.float64, len(values))
