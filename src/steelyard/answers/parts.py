"""A JSONL file of answers that the workers of an engine read and score in byte ranges.

Ranges end where batches end, so every batch is scored as in one process. What depends on the whole file is resolved
where results are put together: ids are compared, columns that come late are made known to the ranges after them. If
anything is wrong with the file, it is read in order, so that messages are those of one process.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from os.path import getsize
from typing import Any

from steelyard import limits
from steelyard.answers.rows import BATCH, AnswerRow
from steelyard.answers.scoring import BatchScoring, ScoredBatch, ScoringSpec
from steelyard.answers.sources import (
    CITED,
    NUMBERS,
    UNCLEAR,
    UNREADABLE,
    UNUSED,
    Answers,
    AnswerStream,
    PlainLines,
    batch_counts,
    reading_counts,
)
from steelyard.engines.base import Engine, Part, row_bytes
from steelyard.errors import InputError
from steelyard.io.foreign.items import AGAIN
from steelyard.io.layouts import Layout
from steelyard.io.ranges import FileChanged, LineRange, LineRanges, unchanged
from steelyard.io.records import LINES, stream_records

Kept = Callable[[AnswerRow], dict[str, Any]]


class UnorderedAnswers(Exception):
    """The answers must be read in order."""


@dataclass(frozen=True, slots=True)
class ScoredRange:
    """The scored batches of a range with what else was found: counts, texts that are kept, columns and layout.

    `clear` is the number of values of `answerable` that could be read.
    """

    batches: list[ScoredBatch]
    counts: list[dict[str, int]]
    outputs: list[dict[str, Any]]
    read: Mapping[str, int]
    clear: int
    columns: tuple[str, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class RangeScoring:
    """The task that reads and scores the rows of a range; `kept` gives what is kept of each."""

    lines: PlainLines
    spec: ScoringSpec
    kept: Kept | None

    @property
    def key(self) -> object:
        """What results that are kept depend on beside the settings of the command."""
        return [self.lines.columns, None if self.kept is None else self.kept.__name__]

    def __call__(self, part: LineRange) -> ScoredRange:
        """The scores of the rows of this range."""
        reader, score = self.lines.reader(part.rows), BatchScoring(self.spec)
        batches: list[ScoredBatch] = []
        counts: list[dict[str, int]] = []
        outputs: list[dict[str, Any]] = []
        with closing(part.stream()) as stream:
            for rows in reader.batches(stream_records(stream, LINES[0]), is_part=True):
                batches.append(score(rows))
                counts.append(batch_counts(rows, self.lines.wanted.fields))
                outputs += map(self.kept, rows) if self.kept else ()
        columns = tuple(reader.columns.columns)
        return ScoredRange(batches, counts, outputs, reading_counts(reader), reader.clear, columns, reader.layout)


def ranged_answers(
    answers: Answers | AnswerStream, spec: ScoringSpec, engine: Engine, kept: Kept | None
) -> "RangedAnswers | None":
    """The answers in ranges; None if the source cannot be read so."""
    lines = answers.plain_lines() if isinstance(answers, AnswerStream) else None
    if lines is None or not isinstance(answers, AnswerStream):
        return None
    return RangedAnswers(answers, RangeScoring(lines, spec, kept), engine)


@dataclass(slots=True)
class RangedAnswers:
    """Answers that are read in ranges; counts, outputs and digest are complete after the last batch."""

    source: AnswerStream
    _task: RangeScoring
    _engine: Engine
    format: str = ""
    digest: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)
    _read: Counter[str] = field(default_factory=Counter)
    _clear: int = 0

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.name

    @property
    def _part_bytes(self) -> int:
        """Bytes of a range."""
        return self._engine.part_bytes or row_bytes(_size(self._task.lines.path))

    def scored(self) -> Iterator[ScoredBatch]:
        """The scored batches in order; raises UnorderedAnswers if the file has to be read in order."""
        path = self._task.lines.path
        try:
            with unchanged(path), closing(LineRanges(path, self._part_bytes, BATCH)) as ranges:
                for result in self._results(iter(ranges)):
                    yield from self._added(result)
                self.digest = ranges.digest()
        except FileChanged:
            raise
        except InputError:
            raise UnorderedAnswers from None
        if self._read[UNCLEAR] and not self._clear:
            raise UnorderedAnswers
        self._count_reading()

    def _results(self, ranges: Iterator[LineRange]) -> Iterator[ScoredRange]:
        """The results of all ranges; after one with columns that change the layout, the next are done with these."""
        taken: deque[LineRange] = deque()
        while True:
            left, taken = taken, deque()
            parts = _parts(chain(_popped(left), ranges), taken)
            with closing(self._engine.map_in_order(self._task, parts)) as results:
                for result in results:
                    taken.popleft()
                    yield result
                    if self._is_extended(result):
                        break
                else:
                    return
            taken.extend(left)

    def _is_extended(self, result: ScoredRange) -> bool:
        """Whether the ranges to come have to be read with further columns."""
        lines = self._task.lines
        columns = tuple(dict.fromkeys((*lines.columns, *result.columns)))
        before = lines.reader(0).layout
        lines = replace(lines, columns=columns)
        if len(columns) > limits.COLUMNS.value or lines.reader(0).layout != result.layout:
            raise UnorderedAnswers
        self._task = replace(self._task, lines=lines)
        return result.layout != before

    def _added(self, result: ScoredRange) -> Iterator[ScoredBatch]:
        """The batches of a range, after a check that their ids are new."""
        for batch in result.batches:
            known = len(self._ids)
            self._ids.update(batch.ids)
            if len(self._ids) != known + len(batch.ids):
                raise UnorderedAnswers
            yield batch
        for counts in result.counts:
            self.counts.update(counts)
        self.outputs += result.outputs
        self._read.update(result.read)
        self._clear += result.clear

    def _count_reading(self) -> None:
        self._read[UNUSED] = self._task.lines.reader(0).unused
        codes = (NUMBERS, UNREADABLE, UNUSED, CITED, UNCLEAR, AGAIN)
        self.counts.update({code: self._read[code] for code in codes if self._read[code]})


def _size(path: str) -> int:
    """The bytes of a file; 0 if it is gone, which is an error when it is opened."""
    try:
        return getsize(path)
    except OSError:
        return 0


def _popped(ranges: deque[LineRange]) -> Iterator[LineRange]:
    while ranges:
        yield ranges.popleft()


def _parts(ranges: Iterator[LineRange], taken: deque[LineRange]) -> Iterator[Part]:
    """The ranges as parts, which are also appended to `taken`."""
    for part in ranges:
        taken.append(part)
        yield Part(str(part), part)
