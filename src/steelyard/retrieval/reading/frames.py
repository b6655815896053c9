"""Qrels and runs from three columns, such as those of a data frame, an Arrow table or a parquet file.

Rows are cut into blocks of complete queries. Where the rows of a query are not adjacent, they are grouped first.
Columns that are not regular (`columns`) give None.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.retrieval.matching import MatchedBlock, Matcher
from steelyard.retrieval.reading.columns import RowDigest, ValueColumn, grades_of, split_ids, split_known_ids
from steelyard.retrieval.reading.rankings import Qrels, RunBlock, grouped, qrels_from_columns
from steelyard.retrieval.reading.spans import Spans
from steelyard.retrieval.runs import Piece, Run
from steelyard.table import FloatArray, IntArray

_BLOCK_ROWS: Final = 1 << 16


class Columns(NamedTuple):
    """The queries, documents and values of rows."""

    queries: ValueColumn
    documents: ValueColumn
    values: ValueColumn

    @classmethod
    def of(cls, columns: Sequence[Any]) -> "Columns | None":
        """Columns that can be cut and have the same length, which is not 0."""
        found = [ValueColumn.of(column) for column in columns]
        known = [column for column in found if column is not None]
        is_regular = len(known) == len(found) and len({len(column) for column in known}) == 1 and len(known[0])
        return cls(*known) if is_regular else None


class _Rows(NamedTuple):
    """Adjacent rows: their queries, each once, with the number of rows; their documents as one text; their values."""

    queries: Spans
    lengths: IntArray
    documents: bytes
    values: FloatArray


def run_of_columns(columns: Columns, name: str, place: Callable[[int], str], digest: str | None = None) -> Run | None:
    """A run; None if the columns are not regular."""
    blocks: list[_Rows] = []
    for rows in _cut(columns):
        if rows is None:
            return None
        blocks.append(rows)
    run = _ColumnRun(blocks)
    found = _digest(blocks) if digest is None else digest
    return Run(name, run.pieces, run.read_all, place, lambda: found)


def qrels_of_columns(
    columns: Columns, name: str, place: Callable[[int], str], digest: str | None = None
) -> Qrels | None:
    """Qrels; None if the columns are not regular."""
    blocks = list(_cut(columns))
    known = [rows for rows in blocks if rows is not None]
    rows = _ColumnRun(known)._joined() if len(known) == len(blocks) else None
    grades = grades_of(None if rows is None else rows.values)
    if rows is None or grades is None:
        return None
    block = _run_block(rows)
    digest = digest or _digest([rows])
    return qrels_from_columns(name, block.queries, block.documents, grades, digest=digest, place=place)


def _cut(columns: Columns) -> Iterator[_Rows | None]:
    """The rows in blocks that end where the query changes; None where the columns are not regular."""
    start, count = 0, len(columns.values)
    while start < count:
        rows = _block(columns, start)
        yield rows
        start = count if rows is None else start + len(rows.values)


def _block(columns: Columns, start: int) -> _Rows | None:
    """The rows from `start` on to the last change of the query in a block, which is larger if there is none."""
    count, size = len(columns.values), _BLOCK_ROWS
    while True:
        end = min(start + size, count)
        heads = _heads(columns.queries, start, end)
        if heads is None:
            return None
        queries, lengths = heads
        if end == count:
            break
        if len(lengths) > 1:
            queries, lengths = queries.take(slice(-1)), lengths[:-1]
            break
        size *= 2
    end = start + int(lengths.sum())
    documents, values = columns.documents.ids(start, end), columns.values.numbers(start, end)
    if documents is None or values is None or split_ids(documents, len(values)) is None:
        return None
    return _Rows(queries, lengths, documents, values)


def _heads(column: ValueColumn, start: int, end: int) -> tuple[Spans, IntArray] | None:
    """The queries of some rows where they change, and the number of rows of each; None if not regular."""
    text = column.ids(start, end)
    queries = None if text is None else split_ids(text, end - start)
    if queries is None:
        return None
    firsts = np.flatnonzero(queries.changes())
    return queries.take(firsts), np.diff(firsts, append=end - start)


def _digest(blocks: Sequence[_Rows]) -> str:
    with RowDigest() as digest:
        for rows in blocks:
            digest.add(_text_of(rows.queries), rows.lengths, rows.documents, rows.values)
    return digest.hexdigest()


def _text_of(ids: Spans) -> bytes:
    """Ids that `split_ids` found as one text again, each with the NUL after it."""
    lengths = ids.ends - ids.starts + 1
    offset = ids.starts - np.cumsum(lengths) + lengths
    text: bytes = ids.buffer[np.repeat(offset, lengths) + np.arange(lengths.sum())].tobytes()
    return text


class _ColumnRun:
    """The blocks of a run."""

    def __init__(self, blocks: list[_Rows]) -> None:
        self.blocks = blocks

    def pieces(self) -> Iterator[Piece]:
        """The blocks as they are, or blocks of rows grouped by query if the rows of a query are not adjacent."""
        hashes = np.concatenate([rows.queries.hashes() for rows in self.blocks])
        if len(np.unique(hashes)) == len(hashes):
            return (partial(_match, rows) for rows in self.blocks)
        return self._grouped()

    def read_all(self, matcher: Matcher) -> MatchedBlock:
        """The matches of all rows as one block."""
        return matcher.match(grouped(_run_block(self._joined())))

    def _joined(self) -> _Rows:
        """All rows."""
        queries = b"".join(_text_of(rows.queries) for rows in self.blocks)
        lengths = np.concatenate([rows.lengths for rows in self.blocks])
        documents = b"".join(rows.documents for rows in self.blocks)
        return _Rows(
            split_known_ids(queries, len(lengths)), lengths, documents, np.concatenate([b.values for b in self.blocks])
        )

    def _grouped(self) -> Iterator[Piece]:
        """Blocks of complete queries, told apart by their hashes; if two share one, the run is still interleaved."""
        rows = self._joined()
        block = _run_block(rows)
        number = np.repeat(np.unique(rows.queries.hashes(), return_inverse=True)[1], rows.lengths)
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number))
        start = 0
        while start < len(order):
            end = int(ends[min(int(np.searchsorted(ends, start + _BLOCK_ROWS)), len(ends) - 1)])
            yield partial(self._match_some, block, order[start:end], start)
            start = end

    def _match_some(self, block: RunBlock, rows: IntArray, before: int, matcher: Matcher) -> MatchedBlock:
        """The matches of some rows; all duplicates of the run, in order of rows, if these rows have one."""
        found = matcher.match(_taken(block, rows, before))
        if not found.matches.duplicates:
            return found
        whole = self.read_all(matcher)
        again = [(early - before, late - before, document) for early, late, document in whole.matches.duplicates]
        return replace(whole, matches=replace(whole.matches, duplicates=again), readable=False)


def _match(rows: _Rows, matcher: Matcher) -> MatchedBlock:
    return matcher.match(_run_block(rows))


def _run_block(rows: _Rows) -> RunBlock:
    count = len(rows.values)
    queries = rows.queries.take(np.repeat(np.arange(len(rows.lengths)), rows.lengths))
    return RunBlock(queries, split_known_ids(rows.documents, count), rows.values, None, np.arange(count), count)


def _taken(block: RunBlock, rows: IntArray, before: int) -> RunBlock:
    """Some rows of a block; `before` rows are in the blocks before it."""
    return replace(
        block,
        queries=block.queries.take(rows),
        documents=block.documents.take(rows),
        scores=block.scores[rows],
        line=rows - before,
        lines=len(rows),
    )
