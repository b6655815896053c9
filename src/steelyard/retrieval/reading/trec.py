"""TREC files: `query 0 document grade` and `query Q0 document rank score tag`.

Columns are separated by any run of spaces or tabs; blank lines and lines that begin with `#` are skipped.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
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
from steelyard.retrieval.kernel import match_regular
from steelyard.retrieval.matching import MatchedBlock, Matcher
from steelyard.retrieval.reading.decimals import means_infinity, parse_integers, parse_numbers
from steelyard.retrieval.reading.fields import Fields, split_fields
from steelyard.retrieval.reading.rankings import (
    QRELS_HINT,
    Qrels,
    RunBlock,
    qrels_by_subtopic,
    qrels_from_columns,
)
from steelyard.retrieval.reading.spans import Spans
from steelyard.retrieval.runs import Piece, Run
from steelyard.table import FloatArray, IntArray

RUN_HINT = Message("formats.run_line_hint")
PIPED = Message("words.a_piped_run")
QRELS_COLUMNS = 4
FIRST_BLOCK = 1 << 16
"""Bytes of the first block of a run: few, so that interleaved queries are noticed soon."""
UNORDERED_BLOCK = 1 << 23
"""Bytes of a block that is written to a temporary file: larger ones are written and read in fewer parts."""
ORDER_HINT = Message("formats.qrels_before_runs_hint")


def read_qrels(path: str | Path, *, subtopics: bool = False) -> Qrels:
    """Qrels from a TREC file; grades are integers, negative ones mean "in the pool, not judged".

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
    """A run from a TREC file, read in blocks as it is evaluated; scores order documents, not the rank column."""
    return _TrecRun(path).run()


def looks_like_trec(path: str | Path) -> bool:
    """Whether a `.tsv` file is a TREC file: no header, and a number in the fourth column."""
    if read_once(path) or not file_name(path).lower().removesuffix(".gz").removesuffix(".zst").endswith(".tsv"):
        return False
    first = _first_line(open_stream(path))
    numbers = parse_numbers(Spans.of(first))[0] if first else np.zeros(0)
    return len(first) >= 4 and not np.isnan(numbers[3])


def _first_line(stream: Stream) -> list[bytes]:
    """The columns of the first line that is no comment; the stream is closed."""
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
        """Blocks of lines, each given after a part of what was read is hashed; nothing is opened before the first."""
        stream = self.opened()
        stream.put_off_hash()
        for block in line_blocks(stream, UNORDERED_BLOCK):
            yield partial(_hashed, stream, block)

    def place(self, line: int) -> str:
        return f"{self.name}:{line + 1}"

    def opened(self) -> Stream:
        self.stream = open_stream(self.path) if self.kept is None else Stream(str(self.path), io.BytesIO(self.kept))
        return self.stream

    def digest(self) -> str:
        return self.stream.digest() if self.stream else ""

    def tag(self) -> str:
        """The sixth column of the first line."""
        stream = open_stream(self.path) if self.kept is None else Stream(str(self.path), io.BytesIO(self.kept))
        first = _first_line(stream)
        return first[5].decode("utf-8", "replace") if len(first) > 5 else ""


def _joined(stream: Stream) -> bytes:
    """All lines of a stream."""
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
        """The matches of the lines."""
        self.stream.catch_up()
        return match_lines(self.block, matcher)

    def __reduce__(self) -> tuple[type[partial[MatchedBlock]], tuple[object, bytes]]:
        self.stream.catch_up()
        return partial, (match_lines, bytes(self.block))


def _hashed(stream: Stream, block: bytes | memoryview) -> bytes | memoryview:
    """A block of a stream that is hashed on the same threads."""
    stream.catch_up()
    return block


def match_lines(block: bytes | memoryview, matcher: Matcher) -> MatchedBlock:
    """The matches of complete run lines."""
    return match_regular(block, matcher) or matcher.match(parse_block(block))


def parse_block(block: bytes | memoryview) -> RunBlock:
    """The columns of complete run lines."""
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
    """The lines whose score is infinite but not written as infinity: 1e999 is too large for a double."""
    rows = np.flatnonzero(np.isinf(scores)).tolist()
    bad = [row for row in rows if not means_infinity(score.text_at(row))][:MOST_PROBLEMS]
    return [(int(line[row]), Message("formats.number_too_large")) for row in bad]


def _bad_scores(score: Spans, line: IntArray, bad: IntArray) -> list[tuple[int, Message]]:
    return [
        (int(line[row]), Message("formats.score_not_a_number", value=repr(score.text_at(int(row)))))
        for row in bad[:MOST_PROBLEMS]
    ]
