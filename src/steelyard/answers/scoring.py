"""Scores of batches of answers, computed in this process or in several."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.overlaps import Overlaps
from steelyard.answers.profiles import Profile, profile_of
from steelyard.answers.rows import BATCH, AnswerRow
from steelyard.errors import SteelyardError
from steelyard.i18n import Message
from steelyard.registry.metrics import Measure, column_of
from steelyard.signals import restore_defaults
from steelyard.table import Flags, FloatArray, IntArray, Missing
from steelyard.text.coding import is_plain
from steelyard.text.tokens import TokenUnit

LOST = Message("metrics.process_killed")
LOST_HINT = Message("metrics.memory_hint")
NO_REFERENCE = Missing("unscored", Message("missing.no_reference"))

Scores = Mapping[str, FloatArray]
"""The values of a metric under "score", and those of its parts under their names."""


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """The metrics, the profile and the token unit; it can be sent to another process."""

    measures: tuple[Measure, ...]
    profile: str
    tokens: TokenUnit


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The rows of a batch without their texts: ids, tags, and by metric the scores and their status.

    `references` is a checksum of ids and references that does not depend on their order.
    """

    ids: list[str]
    tags: dict[str, list[str]]
    scores: dict[str, Scores]
    status: dict[str, NDArray[np.int8]]
    references: int


def score_batches(batches: Iterable[list[AnswerRow]], spec: ScoringSpec, processes: int = 1) -> Iterator[ScoredBatch]:
    """Score the batches in order; processes are started only if there is more than one batch."""
    batches = iter(batches)
    first = list(islice(batches, 1))
    batches = chain(first, batches)
    if processes > 1 and first and len(first[0]) >= BATCH:
        return _in_processes(batches, spec, processes)
    profile = profile_of(spec.profile, spec.tokens)
    return (score_batch(rows, spec.measures, profile) for rows in batches)


def score_batch(rows: Sequence[AnswerRow], measures: Sequence[Measure], profile: Profile) -> ScoredBatch:
    """All metrics of some rows: without a reference a row is unscored, without a prediction it scores 0."""
    has_reference = np.array([bool(row.references) for row in rows], np.bool_)
    blank = np.where(has_reference, 0.0, np.nan)
    batches = list(_paired(rows))
    scores = {str(measure): _spread(measure, batches, profile, blank) for measure in measures}
    status = {str(measure): _status(scores[str(measure)], has_reference, measure) for measure in measures}
    return ScoredBatch([row.id for row in rows], _tags(rows), scores, status, _reference_sum(rows))


def _reference_sum(rows: Sequence[AnswerRow]) -> int:
    """A checksum of ids and references in any order; files of one test set have the same."""
    return sum(crc32("\0".join(chain((row.id,), *row.references)).encode("utf-8", "surrogatepass")) for row in rows)


def reasons_of(measure: Measure) -> tuple[Missing, ...]:
    """Why cells of a metric may have no number, by the codes that `_status` gives them."""
    own = measure.metric.unscored
    return (NO_REFERENCE, Missing("unscored", own)) if own else (NO_REFERENCE,)


def _status(scores: Scores, has_reference: Flags, measure: Measure) -> NDArray[np.int8]:
    code = len(reasons_of(measure))  # a metric without a reason of its own gives no NaN
    return np.where(has_reference, np.where(np.isnan(scores["score"]), code, 0), 1).astype(np.int8)


def _paired(rows: Sequence[AnswerRow]) -> Iterator[tuple[IntArray, AnswerBatch]]:
    """The rows that have an answer and a reference, with their indices: the plain ones, and the others."""
    paired = [index for index, row in enumerate(rows) if row.prediction is not None and row.references]
    plain = paired if _are_plain(rows) else [index for index in paired if _are_plain(rows[index : index + 1])]
    other = [] if plain is paired else sorted(set(paired).difference(plain))
    for indices in filter(None, (plain, other)):
        answers = [rows[index].prediction or "" for index in indices]
        groups = [rows[index].references for index in indices]
        yield np.array(indices), AnswerBatch(answers, groups, plain=indices is plain)


def _are_plain(rows: Sequence[AnswerRow]) -> bool:
    answers = "".join([row.prediction or "" for row in rows])
    return is_plain(answers) and is_plain("".join(alias for row in rows for group in row.references for alias in group))


def _spread(
    measure: Measure, batches: Sequence[tuple[IntArray, AnswerBatch]], profile: Profile, blank: FloatArray
) -> Scores:
    """The scores of a metric in the order of the rows."""
    columns = {"score": blank.copy()}
    for indices, pairs in batches:
        for part, values in _computed(measure, pairs, profile).items():
            columns.setdefault(part, blank.copy())[indices] = values
    return columns


def _computed(measure: Measure, pairs: AnswerBatch, profile: Profile) -> Scores:
    result = measure.metric.compute(pairs, profile, **measure.settings())
    parts = (
        {"score": result.f1, "precision": result.precision, "recall": result.recall}
        if isinstance(result, Overlaps)
        else {"score": result}
    )
    return {part: column_of(values, measure, len(pairs.answers)) for part, values in parts.items()}


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


_PREPARED: list[tuple[Sequence[Measure], Profile]] = []  # of this process


def _prepare(spec: ScoringSpec) -> None:
    """Set up a worker. SIGTERM must end it, because a broken pool ends its workers this way."""
    restore_defaults()
    _PREPARED.append((spec.measures, profile_of(spec.profile, spec.tokens)))


def _score_prepared(rows: list[AnswerRow]) -> ScoredBatch:
    return score_batch(rows, *_PREPARED[-1])
