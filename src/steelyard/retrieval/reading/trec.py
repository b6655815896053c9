"""TREC files: `query 0 document grade` and `query Q0 document rank score tag`.

Columns are separated by any run of spaces or tabs and are split with array operations; blank lines and lines that begin
with `#` are skipped.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path

import numpy as np

from steelyard import limits
from steelyard.errors import MOST_PROBLEMS, InputError, Problem
from steelyard.i18n import Joined, Message
from steelyard.io.addresses import file_name
from steelyard.io.streams import (
    CONTENT,
    Stream,
    check_encoding,
    encoding_problem,
    line_blocks,
    open_stream,
    read_once,
    source_name,
)
from steelyard.retrieval.matching import MatchedBlock, Matcher, Piece, Run, match_regular
from steelyard.retrieval.reading.decimals import means_infinity, parse_integers, parse_numbers
from steelyard.retrieval.reading.rankings import (
    QRELS_HINT,
    Qrels,
    RunBlock,
    qrels_by_subtopic,
    qrels_from_columns,
)
from steelyard.retrieval.reading.spans import PADDING, Bytes, Spans, padded
from steelyard.table import Flags, FloatArray, IntArray

RUN_HINT = Message("formats.run_line_hint")
PIPED = Message("words.a_piped_run")
QRELS_COLUMNS = 4
FIRST_BLOCK = 1 << 16
"""Bytes of the first block of a run: few, so that interleaved queries are noticed soon."""
UNORDERED_BLOCK = 1 << 23
"""Bytes of a block that is written to a temporary file: larger ones are written and read in fewer parts."""
ORDER_HINT = Message("formats.qrels_before_runs_hint")
TOO_FEW_COLUMNS = "formats.too_few_columns"
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH = 9, 10, 13, 32, 35


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """The wanted columns of each non-empty line; `line` is its number, counted from 0 in its block.

    `widths` is the number of columns of each line; `comments` counts the lines that begin with #. `problems` are lines
    that cannot be split or have too few columns (these are left out), by number, with the reason; only the first of
    each sort are kept.
    """

    columns: list[Spans]
    line: IntArray
    widths: IntArray
    lines: int
    comments: int = 0
    problems: list[tuple[int, Message]] = field(default_factory=list)


def read_qrels(path: str | Path, *, subtopics: bool = False) -> Qrels:
    """Return qrels from a TREC file; grades are integers, negative ones mean "in the pool, not judged".

    With `subtopics` the second column is the subtopic that a judgment is about.
    """
    stream = open_stream(path)
    content = _joined(stream)
    check_encoding(content, stream.name, 1)
    fields = split_fields(content or b"\n", QRELS_COLUMNS, wanted=(0, 1, 2, 3) if subtopics else (0, 2, 3))
    query, *subtopic, document, grade = fields.columns
    grades, bad = parse_integers(grade)
    _check_lines(stream.name, fields, bad)
    line = fields.line
    make = partial(qrels_by_subtopic, subtopics=subtopic[0]) if subtopics else qrels_from_columns
    qrels = make(
        stream.name,
        queries=query,
        documents=document,
        grades=grades,
        digest=stream.digest(),
        place=lambda row: f"{stream.name}:{line[row] + 1}",
    )
    qrels.anomalies["counts.judgment_comments"] = fields.comments
    return qrels


def _check_lines(name: str, fields: Fields, bad: IntArray) -> None:
    """Raise one error for all lines of qrels that are not `query 0 document grade`."""
    grade = fields.columns[-1]
    wide = np.flatnonzero(fields.widths > QRELS_COLUMNS)[:MOST_PROBLEMS]
    problems = fields.problems + [
        (int(fields.line[n]), Message("formats.qrels_columns", value=fields.widths[n])) for n in wide
    ]
    if not problems:
        problems = [
            (int(fields.line[n]), Message("formats.grade_not_integer", value=repr(grade.text_at(n))))
            for n in bad[:MOST_PROBLEMS]
        ]
    if problems:
        hint = Joined("core.clauses", [QRELS_HINT, ORDER_HINT]) if len(wide) else QRELS_HINT
        raise InputError.of(
            [Problem(f"{name}:{line + 1}", message) for line, message in sorted(problems, key=itemgetter(0))], hint=hint
        )


def read_run(path: str | Path) -> Run:
    """Return a run from a TREC file, read in blocks as it is evaluated; scores order documents, not the rank column."""
    return _TrecRun(path).run()


def looks_like_trec(path: str | Path) -> bool:
    """Return whether a `.tsv` file is a TREC file: no header, and a number in the fourth column."""
    if read_once(path) or not file_name(path).lower().removesuffix(".gz").removesuffix(".zst").endswith(".tsv"):
        return False
    first = _first_line(open_stream(path))
    numbers = parse_numbers(Spans.of(first))[0] if first else np.zeros(0)
    return len(first) >= 4 and not np.isnan(numbers[3])


def _first_line(stream: Stream) -> list[bytes]:
    """Return the columns of the first line that is no comment; the stream is closed."""
    lines = [line.split() for line in stream.read(1 << 16).split(b"\n") if line.strip()]
    stream.close()
    return next((line for line in lines if not line[0].startswith(b"#")), [])


class _TrecRun:
    """A run file, read once, or twice if its queries are interleaved."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.name = source_name(path)
        self.stream: Stream | None = None
        self.first_block: int | None = FIRST_BLOCK
        self.kept = open_stream(path).read_all(limits.RANKING_BYTES, PIPED) if read_once(path) else None

    def run(self) -> Run:
        return Run(self.name, self.pieces, self.read_all, self.place, self.digest, self.tag, self.path)

    def pieces(self) -> Iterator[Piece]:
        stream = self.opened()
        stream.put_off_hash()
        first, self.first_block = self.first_block, None  # problems are looked for in whole blocks
        return (_LinesOfStream(stream, block) for block in line_blocks(stream, first=first))

    def read_all(self, matcher: Matcher) -> MatchedBlock:
        from steelyard.retrieval.regrouping import match_as_lines, match_regrouped

        found = match_as_lines(self.unordered_lines(), matcher, parse_block)
        if found is not None:
            return found
        with closing(self.opened()) as stream:
            blocks = (partial(parse_block, block) for block in line_blocks(stream, UNORDERED_BLOCK))
            return match_regrouped(self.name, blocks, matcher)

    def unordered_lines(self) -> Iterator[Callable[[], bytes | memoryview]]:
        """Yield blocks of lines, after a part of what was read is hashed; nothing is opened before the first."""
        stream = self.opened()
        stream.put_off_hash()
        for block in line_blocks(stream, UNORDERED_BLOCK):
            yield _LinesOfStream(stream, block).hashed

    def place(self, line: int) -> str:
        return f"{self.name}:{line + 1}"

    def opened(self) -> Stream:
        self.stream = open_stream(self.path) if self.kept is None else Stream(str(self.path), io.BytesIO(self.kept))
        return self.stream

    def digest(self) -> str:
        return self.stream.digest() if self.stream else ""

    def tag(self) -> str:
        """Return the sixth column of the first line."""
        stream = open_stream(self.path) if self.kept is None else Stream(str(self.path), io.BytesIO(self.kept))
        first = _first_line(stream)
        return first[5].decode("utf-8", "replace") if len(first) > 5 else ""


def _joined(stream: Stream) -> bytes:
    """Return all lines of a stream."""
    blocks, size = [], 0
    for block in line_blocks(stream):
        blocks.append(block)
        size += len(block)
        if size > limits.RANKING_BYTES.value:
            stream.close()
            raise limits.RANKING_BYTES.exceeded(CONTENT, error=InputError, where=stream.name)
    return b"".join(blocks)


@dataclass(frozen=True, slots=True, eq=False)
class _LinesOfStream:
    """A piece of a stream that is hashed on the same threads; another process gets the lines alone."""

    stream: Stream
    block: bytes | memoryview

    def __call__(self, matcher: Matcher) -> MatchedBlock:
        """Return the matches of the lines."""
        return match_lines(self.hashed(), matcher)

    def hashed(self) -> bytes | memoryview:
        """Return the lines, after a part of what was read is hashed."""
        self.stream.catch_up()
        return self.block

    def __reduce__(self) -> tuple[type[partial[MatchedBlock]], tuple[object, bytes]]:
        return partial, (match_lines, bytes(self.hashed()))


def match_lines(block: bytes | memoryview, matcher: Matcher) -> MatchedBlock:
    """Return the matches of complete run lines."""
    return match_regular(block, matcher) or matcher.match(parse_block(block))


def parse_block(block: bytes | memoryview) -> RunBlock:
    """Return the columns of complete run lines."""
    text = bytes(block)
    unreadable = encoding_problem(text)
    if unreadable:
        return RunBlock.unreadable(unreadable)
    fields = split_fields(text, 5, wanted=(0, 2, 3, 4))
    query, document, rank, score = fields.columns
    scores, bad = parse_numbers(score)
    problems = fields.problems + _bad_scores(score, fields.line, bad) + _too_large(score, fields.line, scores)
    anomalies = {
        "counts.lines_without_tag": int(np.count_nonzero(fields.widths == 5)),
        "counts.lines_too_wide": int(np.count_nonzero(fields.widths > 6)),
        "counts.run_comments": fields.comments,
    }
    return RunBlock(
        query, document, scores, rank, fields.line, fields.lines, sorted(problems, key=itemgetter(0)), anomalies
    )


def _too_large(score: Spans, line: IntArray, scores: FloatArray) -> list[tuple[int, Message]]:
    """Return the lines whose score is infinite but not written as infinity: 1e999 is too large for a double."""
    rows = np.flatnonzero(np.isinf(scores)).tolist()
    bad = [row for row in rows if not means_infinity(score.text_at(row))][:MOST_PROBLEMS]
    return [(int(line[row]), Message("formats.number_too_large")) for row in bad]


def _bad_scores(score: Spans, line: IntArray, bad: IntArray) -> list[tuple[int, Message]]:
    return [
        (int(line[row]), Message("formats.score_not_a_number", value=repr(score.text_at(int(row)))))
        for row in bad[:MOST_PROBLEMS]
    ]


def split_fields(block: bytes, columns: int, wanted: Sequence[int]) -> Fields:
    """Split complete lines at runs of spaces and tabs into at least `columns` columns, and keep the `wanted` ones.

    Blank lines and lines that begin with # are skipped.
    """
    buffer = padded(block)
    white = buffer <= _SPACE
    return _split_regular(buffer, white, columns, wanted) or _split_any(buffer, white, columns, wanted)


def _split_regular(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields | None:
    """Return the common case: every line has the same number of fields, one space or tab between them."""
    if white[PADDING] or (white[1:] & white[:-1]).any():
        return None
    separators = np.flatnonzero(white)
    width = int(np.argmax(buffer[separators[: columns + 8]] == _NEWLINE)) + 1
    lines, rest = divmod(len(separators), width)
    if width < columns or rest or not _one_newline_each(buffer, lines):
        return None
    ends = np.ascontiguousarray(separators.reshape(lines, width).T)
    heads = np.empty(lines, np.int64)
    heads[0] = PADDING
    np.add(ends[-1, :-1], 1, out=heads[1:])
    if not (buffer[ends[-1]] == _NEWLINE).all() or (buffer[heads] == _HASH).any():
        return None
    spans = [Spans(buffer, ends[c - 1] + 1 if c else heads, ends[c]) for c in wanted]
    return Fields(spans, np.arange(lines), np.broadcast_to(np.int64(width), lines), lines)


def _one_newline_each(buffer: Bytes, lines: int) -> bool:
    """Return whether there are as many newlines as lines, and no control characters but these and tabs."""
    controls = np.count_nonzero(buffer < _SPACE)
    if controls == lines:  # the newlines at the ends of lines are among them
        return True
    newlines, tabs = (np.count_nonzero(buffer == char) for char in (_NEWLINE, _TAB))
    return bool(newlines == lines and controls == newlines + tabs)


def _split_any(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields:
    white[:PADDING] = white[-PADDING:] = True
    edges = np.flatnonzero(np.diff(white))
    starts, ends = edges[0::2] + 1, edges[1::2] + 1
    newlines = np.flatnonzero(buffer == _NEWLINE)
    widths = np.bincount(np.searchsorted(newlines, starts), minlength=len(newlines))
    firsts = np.cumsum(widths) - widths
    filled = np.flatnonzero(widths)
    kept = filled[buffer[starts[firsts[filled]]] != _HASH]
    comments = len(filled) - len(kept)
    problems = _bare_returns(buffer, newlines) + _controls(buffer, newlines) + _too_short(widths, kept, columns)
    kept = kept[widths[kept] >= columns]
    index = firsts[kept]
    spans = [Spans(buffer, starts[index + c], ends[index + c]) for c in wanted]
    return Fields(spans, kept, widths[kept], len(newlines), comments, sorted(problems, key=itemgetter(0)))


def _too_short(widths: IntArray, kept: IntArray, columns: int) -> list[tuple[int, Message]]:
    one = Message("formats.one_column", needed=columns)
    short = [(int(line), int(widths[line])) for line in kept[widths[kept] < columns][:MOST_PROBLEMS]]
    return [(line, one if n == 1 else Message(TOO_FEW_COLUMNS, found=n, needed=columns)) for line, n in short]


def _bare_returns(buffer: Bytes, newlines: IntArray) -> list[tuple[int, Message]]:
    returns = np.flatnonzero(buffer == _RETURN)
    bare = returns[buffer[returns + 1] != _NEWLINE]
    message = Message("formats.carriage_return")
    return [(int(line), message) for line in np.unique(np.searchsorted(newlines, bare))[:MOST_PROBLEMS]]


def _controls(buffer: Bytes, newlines: IntArray) -> list[tuple[int, Message]]:
    """Control characters that are not white space: no id contains one, and trec_eval does not split there."""
    positions = np.flatnonzero((buffer < _SPACE) & ((buffer < _TAB) | (buffer > _RETURN)))[:MOST_PROBLEMS]
    lines = np.searchsorted(newlines, positions)
    return [
        (int(line), Message("formats.control_character", byte=f"0x{buffer[position]:02x}"))
        for line, position in zip(lines, positions, strict=True)
    ]
