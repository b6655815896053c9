"""Scores of batches of answers, computed in this process or in several."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from zlib import crc32

from steelyard.answers.columns import BatchColumn, PreparedRows, batch_column
from steelyard.answers.needs import met_by, needed
from steelyard.answers.profiles import Profile, profile_of
from steelyard.answers.rows import BATCH, AnswerRow
from steelyard.errors import SteelyardError
from steelyard.i18n import Message
from steelyard.registry.metrics import Measure
from steelyard.signals import restore_defaults
from steelyard.text.tokens import TokenUnit

LOST = Message("metrics.process_killed")
LOST_HINT = Message("metrics.memory_hint")


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """The metrics, the profile, the token unit, and whether citation marks count as words of an answer.

    It can be sent to another process.
    """

    measures: tuple[Measure, ...]
    profile: str
    tokens: TokenUnit
    strip_citations: bool = False


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The rows of a batch without their texts: ids, tags, and the column of each metric.

    `references` is a checksum of ids and references that does not depend on their order, `evidence` one of the
    reference contexts. `met` are the needs that some row meets, `failures` the rows on which the system failed.
    """

    ids: list[str]
    tags: dict[str, list[str]]
    columns: dict[str, BatchColumn]
    references: int
    evidence: int
    met: frozenset[str]
    failures: dict[int, str]


def score_batches(batches: Iterable[list[AnswerRow]], spec: ScoringSpec, processes: int = 1) -> Iterator[ScoredBatch]:
    """Score the batches in order; processes are started only if there is more than one batch."""
    batches = iter(batches)
    first = list(islice(batches, 1))
    batches = chain(first, batches)
    if processes > 1 and first and len(first[0]) >= BATCH:
        return _in_processes(batches, spec, processes)
    profile = profile_of(spec.profile, spec.tokens)
    return (score_batch(rows, spec.measures, profile, strip_citations=spec.strip_citations) for rows in batches)


def score_batch(
    rows: Sequence[AnswerRow], measures: Sequence[Measure], profile: Profile, *, strip_citations: bool = False
) -> ScoredBatch:
    """All metrics of some rows: without what a metric needs a row is unscored, without a prediction it scores 0."""
    prepared = PreparedRows(rows, strip_citations=strip_citations)
    columns = {str(measure): batch_column(measure, prepared, profile) for measure in measures}
    met = met_by(rows, needed(measures), prepared.has)
    failures = {index: row.error for index, row in enumerate(rows) if row.error}
    sums = _reference_sum(rows), _evidence_sum(rows)
    return ScoredBatch([row.id for row in rows], _tags(rows), columns, *sums, met, failures)


def _reference_sum(rows: Sequence[AnswerRow]) -> int:
    """A checksum of ids and references in any order; files of one test set have the same."""
    return sum(crc32("\0".join(chain((row.id,), *row.references)).encode("utf-8", "surrogatepass")) for row in rows)


def _evidence_sum(rows: Sequence[AnswerRow]) -> int:
    """A checksum of ids and reference contexts in any order; 0 if they are not read."""
    known = [row for row in rows if row.reference_ids is not None or row.reference_contexts is not None]
    texts = (f"{row.id}\0{sorted((row.reference_ids or {}).items())}\0{row.reference_contexts}" for row in known)
    return sum(crc32(text.encode("utf-8", "surrogatepass")) for text in texts)


def _tags(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row.tags)
    return {name: [row.tags.get(name, "") for row in rows] for name in names}


def _in_processes(batches: Iterable[list[AnswerRow]], spec: ScoringSpec, processes: int) -> Iterator[ScoredBatch]:
    """The scored batches by several processes, in order; few batches are submitted ahead."""
    workers = _Workers(spec, processes)
    try:
        for rows in batches:
            workers.submit(rows)
            if len(workers) > 2 * processes:
                yield workers.first()
        while len(workers):
            yield workers.first()
    finally:
        workers.close()


@dataclass(slots=True)
class _Batch:
    """Rows that were submitted to a worker; `lost` counts how often their worker died."""

    rows: list[AnswerRow]
    future: "Future[ScoredBatch]"
    lost: int = 0


class _Workers:
    """Processes that score batches; if one is killed, the unfinished batches are submitted to a new pool."""

    def __init__(self, spec: ScoringSpec, processes: int) -> None:
        self._spec = spec
        self._processes = processes
        self._waiting: deque[_Batch] = deque()
        self._pool = self._new_pool()

    def __len__(self) -> int:
        return len(self._waiting)

    def submit(self, rows: list[AnswerRow]) -> None:
        """Submit a batch."""
        try:
            self._waiting.append(_Batch(rows, self._pool.submit(_score_prepared, rows)))
        except BrokenProcessPool:
            self._start_again()
            self._waiting.append(_Batch(rows, self._pool.submit(_score_prepared, rows)))

    def first(self) -> ScoredBatch:
        """The result of the batch that was submitted first."""
        while True:
            try:
                scored = self._waiting[0].future.result()
                self._waiting.popleft()
                return scored
            except BrokenProcessPool:
                self._start_again()

    def close(self) -> None:
        """Shut down the processes."""
        self._pool.shutdown(cancel_futures=True)

    def _start_again(self) -> None:
        """Start new processes for the unfinished batches; a batch that is lost twice is an error."""
        _kill(self._pool)
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._new_pool()
        for batch in self._waiting:
            if not _is_done(batch.future):
                batch.lost += 1
                if batch.lost > 1:
                    raise SteelyardError(LOST, hint=LOST_HINT)
                batch.future = self._pool.submit(_score_prepared, batch.rows)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, initializer=_prepare, initargs=(self._spec,))


def _kill(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a broken pool, which waits for them in `shutdown`.

    The pool sends SIGTERM, which a starting process ignores if the program ignores that signal.
    """
    for process in list((pool._processes or {}).values()):
        process.kill()


def _is_done(future: "Future[ScoredBatch]") -> bool:
    """Whether a batch was scored, or failed by itself, so that another attempt would fail too."""
    return future.done() and not future.cancelled() and not isinstance(future.exception(), BrokenProcessPool)


_PREPARED: list[tuple[ScoringSpec, Profile]] = []  # of this process


def _prepare(spec: ScoringSpec) -> None:
    """Set up a worker. SIGTERM must end it, because a broken pool ends its workers this way."""
    restore_defaults()
    _PREPARED.append((spec, profile_of(spec.profile, spec.tokens)))


def _score_prepared(rows: list[AnswerRow]) -> ScoredBatch:
    spec, profile = _PREPARED[-1]
    return score_batch(rows, spec.measures, profile, strip_citations=spec.strip_citations)
