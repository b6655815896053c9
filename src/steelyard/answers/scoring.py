"""Scores of batches of answers, computed in this process or by the workers of an engine, which may read them too.

Ranges end where batches end, so every batch is scored as in one process. What depends on the whole file is resolved
where results are put together: ids are compared, columns that come late are made known to the ranges after them. If
anything is wrong with the file, it is read in order, so that messages are those of one process.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from os.path import getsize
from typing import Any, Final
from zlib import crc32

from steelyard import limits
from steelyard.answers.batch import CorpusFile
from steelyard.answers.columns import BatchColumn, PreparedRows, batch_column
from steelyard.answers.needs import met_by, needed
from steelyard.answers.profiles import Profile, profile_of
from steelyard.answers.rows import BATCH, CITED, NUMBERS, UNCLEAR, UNREADABLE, UNUSED, AnswerRow
from steelyard.answers.sources import Answers, AnswerStream, PlainLines, batch_counts
from steelyard.engines.base import Engine, Part, row_bytes
from steelyard.errors import InputError
from steelyard.io.foreign.items import AGAIN
from steelyard.io.layouts import Layout
from steelyard.io.ranges import FileChanged, LineRange, LineRanges, unchanged
from steelyard.io.records import LINES, stream_records
from steelyard.registry.metrics import Measure
from steelyard.text.tokens import TokenUnit


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """The metrics, the profile, the token unit, and whether citation marks count as words of an answer.

    With `is_default` nobody named the metrics. It can be sent to another process. `statutes` is the
    corpus of statutes, None without one.
    """

    measures: tuple[Measure, ...]
    profile: str
    tokens: TokenUnit
    strip_citations: bool = False
    is_default: bool = False
    statutes: CorpusFile | None = None


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The rows of a batch without their texts: ids, tags, and the column of each metric.

    `references` is a checksum of ids and references that does not depend on their order, `evidence` one of the
    reference contexts. `met` are the needs that some row meets, `failures` the rows on which the system failed.
    `stripped` says that citation marks of some row do not count as words.
    """

    ids: list[str]
    tags: dict[str, list[str]]
    columns: dict[str, BatchColumn]
    references: int
    evidence: int
    met: frozenset[str]
    failures: dict[int, str]
    stripped: bool = False


def score_batches(
    batches: Iterable[list[AnswerRow]], spec: ScoringSpec, engine: Engine | None = None, *, name: str = ""
) -> Iterator[ScoredBatch]:
    """Score the batches in order; workers of the engine are used only if there is more than one batch."""
    batches = iter(batches)
    first = list(islice(batches, 2))
    batches = chain(first, batches)
    task = BatchScoring(spec)
    if engine is not None and len(first) > 1:
        return engine.map_in_order(task, _batch_parts(batches, name))
    return map(task, batches)


def _batch_parts(batches: Iterable[list[AnswerRow]], name: str) -> Iterator[Part]:
    """Yield the batches as parts of a source, named by the numbers of their rows."""
    last = 0
    for rows in batches:
        first, last = last + 1, last + len(rows)
        yield Part(f"{name}#rows={first}-{last}", rows)


@dataclass(frozen=True, slots=True)
class BatchScoring:
    """The task that scores a batch."""

    spec: ScoringSpec

    def __call__(self, rows: Sequence[AnswerRow]) -> ScoredBatch:
        """Return the scores of these rows."""
        spec = self.spec
        profile = _PROFILES.of(spec.profile, spec.tokens)
        return score_batch(rows, spec.measures, profile, strip_citations=spec.strip_citations, statutes=spec.statutes)


class _Profiles(threading.local):
    """The last profile of each thread: it keeps what its encoders know from batch to batch."""

    def __init__(self) -> None:
        self.of = lru_cache(maxsize=1)(profile_of)


_PROFILES: Final = _Profiles()


def score_batch(
    rows: Sequence[AnswerRow],
    measures: Sequence[Measure],
    profile: Profile,
    *,
    strip_citations: bool = False,
    statutes: CorpusFile | None = None,
) -> ScoredBatch:
    """Return all metrics of some rows: a row that lacks a need is unscored, one without a prediction scores 0."""
    prepared = PreparedRows(rows, strip_citations=strip_citations, answer_in=profile.answer_in, statutes=statutes)
    columns = {str(measure): batch_column(measure, prepared, profile) for measure in measures}
    met = met_by(rows, needed(measures) | {"contexts"}, prepared.has)
    failures = {index: row.error for index, row in enumerate(rows) if row.error}
    sums = _reference_sum(rows), _evidence_sum(rows)
    stripped = strip_citations and any(row.contexts for row in rows)
    return ScoredBatch([row.id for row in rows], _tags(rows), columns, *sums, met, failures, stripped)


def _reference_sum(rows: Sequence[AnswerRow]) -> int:
    """Return a checksum of ids and references in any order; files of one test set have the same."""
    return sum(crc32("\0".join(chain((row.id,), *row.references)).encode("utf-8", "surrogatepass")) for row in rows)


def _evidence_sum(rows: Sequence[AnswerRow]) -> int:
    """Return a checksum of ids and reference contexts in any order; 0 if they are not read."""
    known = [row for row in rows if row.reference_ids is not None or row.reference_contexts is not None]
    texts = (f"{row.id}\0{sorted((row.reference_ids or {}).items())}\0{row.reference_contexts}" for row in known)
    return sum(crc32(text.encode("utf-8", "surrogatepass")) for text in texts)


def _tags(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row.tags)
    return {name: [row.tags.get(name, "") for row in rows] for name in names}


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
        """Return what results that are kept depend on beside the settings of the command."""
        return [self.lines.columns, None if self.kept is None else self.kept.__name__]

    def __call__(self, part: LineRange) -> ScoredRange:
        """Return the scores of the rows of this range."""
        reader, score = self.lines.reader(part.rows), BatchScoring(self.spec)
        batches: list[ScoredBatch] = []
        counts: list[dict[str, int]] = []
        outputs: list[dict[str, Any]] = []
        with closing(part.stream()) as stream:
            for rows in reader.batches(stream_records(stream, LINES[0]), is_part=True):
                batches.append(score(rows))
                counts.append(batch_counts(rows, self.lines.wanted.fields))
                outputs += map(self.kept, rows) if self.kept else ()
        columns = tuple(reader.columns.names)
        return ScoredRange(
            batches, counts, outputs, reader.counts(), reader.answerable.clear, columns, reader.columns.layout
        )


def ranged_answers(
    answers: Answers | AnswerStream, spec: ScoringSpec, engine: Engine, kept: Kept | None
) -> "RangedAnswers | None":
    """Return the answers in ranges; None if the source cannot be read so."""
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
        """Return the name of the file."""
        return self.source.name

    def scored(self) -> Iterator[ScoredBatch]:
        """Yield the scored batches in order; raises UnorderedAnswers if the file has to be read in order."""
        path = self._task.lines.path
        try:
            with unchanged(path):
                part_bytes = self._engine.part_bytes or row_bytes(_size(path))
                with closing(LineRanges(path, part_bytes, BATCH)) as ranges:
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
        """Yield the results of all ranges; after one whose columns change the layout, the next are done with these."""
        taken: deque[LineRange] = deque()
        while True:
            left, taken = taken, deque()
            parts = _range_parts(left, ranges, taken)
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
        """Return whether the ranges to come have to be read with further columns."""
        lines = self._task.lines
        columns = tuple(dict.fromkeys((*lines.columns, *result.columns)))
        before = lines.reader(0).columns.layout
        lines = replace(lines, columns=columns)
        if len(columns) > limits.COLUMNS.value or lines.reader(0).columns.layout != result.layout:
            raise UnorderedAnswers
        self._task = replace(self._task, lines=lines)
        return result.layout != before

    def _added(self, result: ScoredRange) -> Iterator[ScoredBatch]:
        """Yield the batches of a range, after a check that their ids are new."""
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
        self._read[UNUSED] = self._task.lines.reader(0).columns.unused
        codes = (NUMBERS, UNREADABLE, UNUSED, CITED, UNCLEAR, AGAIN)
        self.counts.update({code: self._read[code] for code in codes if self._read[code]})


def _size(path: str) -> int:
    """Return the bytes of a file; 0 if it is gone, which is an error when it is opened."""
    try:
        return getsize(path)
    except OSError:
        return 0


def _range_parts(left: deque[LineRange], ranges: Iterator[LineRange], taken: deque[LineRange]) -> Iterator[Part]:
    """Yield the ranges as parts, first those that are `left`; each is moved to `taken`."""
    while part := left.popleft() if left else next(ranges, None):
        taken.append(part)
        yield Part(str(part), part)
