"""Runs whose queries are interleaved, matched in bounded memory: their lines are grouped by query in a temporary file.

Blocks of lines are parsed, ordered by a hash of the query and written column by column. Then the lines of a range of
hashes, which are those of complete queries, are read from all blocks and matched. The file has no name, so that nothing
is left however the process ends; as long as it is small, it is in memory.

The compiled kernel does the same with lines as they are (`match_as_lines`). Where they are not regular, those that are
read together are parsed; all messages are those of `match_regrouped`.
"""

import heapq
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard import limits
from steelyard.errors import MOST_PROBLEMS, InputError, os_reason
from steelyard.i18n import Message
from steelyard.native import kernel
from steelyard.retrieval.matching import MatchedBlock, Matcher, Matches, Piece, interleaved, match_regular
from steelyard.retrieval.ordering import as_compared, falling_order, rank_numbers
from steelyard.retrieval.reading.columns import split_known_ids
from steelyard.retrieval.reading.rankings import RunBlock, grouped
from steelyard.retrieval.reading.spans import PADDING, Spans, padded
from steelyard.table import IntArray
from steelyard.threads import ordered_thread_map

Parse = Callable[[], RunBlock]
"""Parses a block of lines in any order, on any thread; the lines have ranks."""

Lines = Callable[[], bytes | memoryview]
"""Gives a block of complete lines in any order, on any thread."""
ParseLines = Callable[[bytes | memoryview], RunBlock]

IN_MEMORY: Final = 64_000_000
"""Bytes up to which the temporary file is held in memory."""
ROWS: Final = 1 << 18
"""Rows that are matched together, unless a query has more."""
BUCKET_BITS: Final = 12
"""Bits of the hash of a query that say in which part of a block its lines are."""

MOST_PARSED: Final = 1 << 26
"""Bytes of lines up to which they are parsed where the kernel does not take them."""
MOST_BESIDE_TEXT: Final = 42
"""Bytes that the columns of a row have at most beside those of its line."""

_UPPER_HALF: Final = np.uint64(0xFFFFFFFF00000000)
_ROWS, _QUERIES, _DOCUMENTS = 0, 1, 2
_COLUMNS: Final = (
    (np.dtype("u1"), _QUERIES),  # the queries, each with NUL at its end
    (np.dtype("u1"), _DOCUMENTS),  # the documents, likewise
    (np.dtype("f8"), _ROWS),  # the score
    (np.dtype("u8"), _ROWS),  # the rank
    (np.dtype("u4"), _ROWS),  # the line in its block
)
"""The type of each column, and the borders that say where its buckets begin."""


def match_regrouped(name: str, blocks: Iterator[Parse], matcher: Matcher) -> MatchedBlock:
    """Return the matches of all blocks of a run as of one block; only its problems, if a line cannot be read."""
    try:
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
            store = _Store(name, file)
            store.fill(blocks, matcher.threads)
            matched = ordered_thread_map(store.pieces(), lambda piece: piece(matcher), threads=matcher.threads)
            matches = _merged([] if store.problems else [found.matches for found in matched])
            return MatchedBlock(matches, store.lines, store.problems, store.anomalies, store.readable)
    except OSError as error:
        message = Message("formats.cannot_regroup", folder=tempfile.tempdir or "TMPDIR", strerror=os_reason(error))
        raise InputError(message, where=name, hint=Message("formats.regroup_hint")) from None


@dataclass(frozen=True, slots=True, eq=False)
class _Stored:
    """A block in the file: where each column is, and by `_ROWS`, `_QUERIES`, `_DOCUMENTS` where its buckets begin."""

    lines: int
    problems: list[tuple[int, Message]]
    anomalies: dict[str, int]
    readable: bool
    offsets: list[int] = field(default_factory=list)
    borders: tuple[IntArray, ...] = ()


class _Store:
    """The lines of a run in a file, block by block, each ordered by buckets of queries."""

    def __init__(self, name: str, file: "tempfile.SpooledTemporaryFile[bytes]") -> None:
        self.lines = 0
        self.problems: list[tuple[int, Message]] = []
        self.anomalies: dict[str, int] = {}
        self.readable = True
        self._name = name
        self._file = file
        self._lock = threading.Lock()
        self._blocks: list[_Stored] = []
        self._first_lines: list[int] = []

    def fill(self, blocks: Iterator[Parse], threads: int) -> None:
        """Write all blocks, as far as all lines can be read."""
        for block in ordered_thread_map(blocks, self._write, threads=threads):
            self.problems = [(self.lines + line, message) for line, message in block.problems]
            self.readable = block.readable
            if self.problems:
                return
            self._blocks.append(block)
            self._first_lines.append(self.lines)
            self.lines += block.lines
            for code, count in block.anomalies.items():
                self.anomalies[code] = self.anomalies.get(code, 0) + count

    def _write(self, parse: Parse) -> _Stored:
        """Parse a block and write its columns."""
        block = parse()
        about = block.lines, block.problems, block.anomalies, block.readable
        if block.problems or block.ranks is None:
            return _Stored(*about)
        ranks = rank_numbers(block.ranks)
        bucket = (block.queries.hashes() >> np.uint64(64 - BUCKET_BITS)).astype(np.uint16)
        order = np.argsort(bucket, kind="stable")
        moved = block.take(order)
        begins = np.append(0, np.cumsum(np.bincount(bucket, minlength=1 << BUCKET_BITS)))
        text_ends = (np.cumsum(ids.ends - ids.starts + 1) for ids in (moved.queries, moved.documents))
        borders = (begins, *(np.append(0, ends)[begins] for ends in text_ends))
        texts = moved.queries.joined(), moved.documents.joined()
        columns = (*texts, moved.scores.tobytes(), ranks[order].tobytes(), moved.line.astype(np.uint32).tobytes())
        with self._lock:
            offsets = [self._append(column) for column in columns]
        return _Stored(*about, offsets, tuple(border.astype(np.uint32) for border in borders))

    def _append(self, column: bytes) -> int:
        offset = self._file.tell()
        self._file.write(column)
        return offset

    def pieces(self) -> Iterator[Piece]:
        """Yield the run in pieces of complete queries, read one after the other."""
        ends = sum((block.borders[_ROWS][1:].astype(np.int64) for block in self._blocks), np.zeros(1, np.int64))
        for first, end in _ranges(ends):
            yield partial(_match_rows, self._read(first, end))

    def _read(self, first: int, end: int) -> RunBlock:
        """Return the rows of a range of buckets, in the order of the run."""
        bounds = [[(int(b[first]), int(b[end])) for b in block.borders] for block in self._blocks]
        counts = np.array([[end - start for start, end in block] for block in bounds])
        totals = counts.sum(axis=0).tolist()
        if sum(kind.itemsize * totals[which] for kind, which in _COLUMNS) > limits.RANKING_BYTES.value:
            raise limits.RANKING_BYTES.exceeded(
                Message("words.the_text_of_one_query"), error=InputError, where=self._name
            )
        queries, documents, scores, ranks, line = (self._column(number, bounds) for number in range(len(_COLUMNS)))
        rows = totals[_ROWS]
        starts = PADDING + 8 * np.arange(rows)
        return RunBlock(
            split_known_ids(queries.tobytes(), rows),
            split_known_ids(documents.tobytes(), rows),
            scores,
            Spans(padded(ranks.byteswap().tobytes()), starts, starts + 8),  # digits to the base 256: see rank_numbers
            line + np.repeat(np.array(self._first_lines), counts[:, _ROWS]),
            rows,
        )

    def _column(self, number: int, bounds: list[list[tuple[int, int]]]) -> NDArray[Any]:
        """Return a column of the rows within these bounds of each block."""
        kind, which = _COLUMNS[number]
        spans = (
            (block.offsets[number] + kind.itemsize * start, block.offsets[number] + kind.itemsize * stop)
            for block, (start, stop) in zip(self._blocks, (bound[which] for bound in bounds), strict=True)
        )
        return _read_spans(self._file, list(spans)).view(kind)


def _read_spans(file: "tempfile.SpooledTemporaryFile[bytes]", spans: Sequence[tuple[int, int]]) -> NDArray[np.uint8]:
    """Return the bytes from each start to each end, one after the other."""
    buffer, filled = np.empty(sum(end - start for start, end in spans), np.uint8), 0
    for start, end in spans:
        part = buffer[filled : filled + end - start]
        file.seek(start)
        if len(part) and file.readinto(part.data) != len(part):
            raise OSError("the temporary file is shorter than it was written")
        filled += end - start
    return buffer


def _ranges(ends: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of buckets with at most `ROWS` rows, or of a single bucket; `ends` are the rows up to each end."""
    first = done = 0
    while first < len(ends) and done < ends[-1]:
        end = max(int(np.searchsorted(ends, done + ROWS, side="right")), first + 1)
        if ends[end - 1] > done:
            yield first, end
        first, done = end, int(ends[end - 1])


def _match_rows(block: RunBlock, matcher: Matcher) -> MatchedBlock:
    """Return the matches of rows of complete queries.

    They are ordered by half of the query's hash and by score; if two queries share it or a document is repeated, by
    query and line.
    """
    scores = as_compared(block.scores, matcher.single_precision)
    order = falling_order(block.queries.hashes() & _UPPER_HALF, scores)
    found = matcher.match(block.take(order))
    is_exact = not found.matches.duplicates and not interleaved([found.matches])
    return found if is_exact else matcher.match(grouped(block))


def _merged(found: list[Matches]) -> Matches:
    """Return the matches of several blocks of complete queries as those of one; only the first duplicates are kept."""
    none = np.zeros(0, np.int64)
    return Matches(
        query=np.concatenate([none, *(block.query for block in found)]),
        query_hash=np.concatenate([none.astype(np.uint64), *(block.query_hash for block in found)]),
        length=np.concatenate([none, *(block.length for block in found)]),
        hit=np.concatenate([none, *(block.hit for block in found)]),
        rank=np.concatenate([none, *(block.rank for block in found)]),
        tied=sum(block.tied for block in found),
        disordered=sum(block.disordered for block in found),
        duplicates=heapq.nsmallest(
            MOST_PROBLEMS, chain.from_iterable(block.duplicates for block in found), key=lambda pair: pair[1]
        ),
        first={query: ids for block in found for query, ids in block.first.items()},
    )


def match_as_lines(blocks: Iterator[Lines], matcher: Matcher, parse: ParseLines) -> MatchedBlock | None:
    """Return the matches of all lines of a run by the compiled kernel; None without one, or if there is a problem."""
    native = kernel()
    if native is None:
        return None
    try:
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
            store = _LineStore(native, file)
            store.fill(blocks, matcher.threads)
            work = partial(_match_lines, matcher, parse, native)
            found = list(ordered_thread_map(store.pieces(), work, threads=matcher.threads))
    except (OSError, InputError, _LinesRefusedError):  # an error may come after the problems of lines
        return None
    lines, anomalies = sum(block.lines for block in found), Counter[str]()
    for block in found:
        anomalies.update(block.anomalies)
    return MatchedBlock(_merged([block.matches for block in found]), lines, [], dict(anomalies))


class _LinesRefusedError(Exception):
    """Lines that `match_regrouped` has to read: they have a problem, or are too many."""


class _LineStore:
    """The lines of a run in a file as they are, block by block, each ordered by buckets of queries."""

    def __init__(self, native: Any, file: "tempfile.SpooledTemporaryFile[bytes]") -> None:
        self._native = native
        self._file = file
        self._lock = threading.Lock()
        self._rows = np.zeros(1 << BUCKET_BITS, np.int64)
        self._borders: list[IntArray] = []  # for each block, where its buckets begin in the file

    def fill(self, blocks: Iterator[Lines], threads: int) -> None:
        """Write all blocks."""
        for borders, rows in ordered_thread_map(blocks, self._write, threads=threads):
            self._borders.append(borders)
            self._rows += rows

    def _write(self, block: Lines) -> tuple[IntArray, IntArray]:
        found = self._native.bucket_lines(block(), BUCKET_BITS)
        if found is None:
            raise _LinesRefusedError
        lines, *columns = found
        ends, rows = (np.frombuffer(column, np.int64) for column in columns)
        with self._lock:
            offset = self._file.tell()
            self._file.write(lines)
        return np.append(0, ends) + offset, rows

    def pieces(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the lines of complete queries, those of several queries at a time."""
        ends = np.cumsum(self._rows)
        for first, end in _ranges(ends):
            bounds = [(int(borders[first]), int(borders[end])) for borders in self._borders]
            size, rows = sum(stop - start for start, stop in bounds), int(self._rows[first:end].sum())
            if size + MOST_BESIDE_TEXT * rows > limits.RANKING_BYTES.value:
                raise _LinesRefusedError
            yield _read_spans(self._file, bounds)


def _match_lines(matcher: Matcher, parse: ParseLines, native: Any, lines: NDArray[np.uint8]) -> MatchedBlock:
    """Return the matches of lines of complete queries in any order."""
    text = native.group_lines(lines)
    found = None if text is None else match_regular(text, matcher)
    if found is not None and not interleaved([found.matches]):
        return found
    if len(lines) > MOST_PARSED:
        raise _LinesRefusedError
    found = matcher.match(grouped(parse(lines.data)))
    if found.problems or found.matches.duplicates:
        raise _LinesRefusedError
    return found
