"""A batch of answers weighed: the work that threads of a process cannot share and processes can."""

import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from steelyard.answers.overlaps import Overlaps
from steelyard.answers.pairs import Pairs
from steelyard.answers.profiles import Profile, profile_of
from steelyard.answers.rows import BATCH, AnswerRow
from steelyard.errors import SteelyardError
from steelyard.i18n import Message
from steelyard.registry.metrics import Measure, column_of
from steelyard.table import Flags, FloatArray, IntArray, Missing
from steelyard.text.coding import is_plain
from steelyard.text.tokens import TokenUnit

LOST = Message("metrics.process_weighs_answers_killed_killed")
LOST_HINT = Message("metrics.enough_memory_fewer_processes_need")
NO_REFERENCE = Missing("unscored", "there is no reference")

Scores = Mapping[str, FloatArray]
"""The values of a metric under "score", and those of its parts under their names."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What to weigh with, in a form that travels to another process."""

    measures: tuple[Measure, ...]
    profile: str
    tokens: TokenUnit


@dataclass(frozen=True, slots=True)
class Weighed:
    """The rows of a batch without their texts, by metric their scores and why one is missing; a sum of references."""

    ids: list[str]
    tags: dict[str, list[str]]
    scores: dict[str, Scores]
    status: dict[str, NDArray[np.int8]]
    references: int


def weigh_batches(batches: Iterable[list[AnswerRow]], balance: Balance, processes: int = 1) -> Iterator[Weighed]:
    """Batch by batch, in order; more than one process is started only where there is more than one batch."""
    batches = iter(batches)
    first = list(islice(batches, 1))
    batches = chain(first, batches)
    if processes > 1 and first and len(first[0]) >= BATCH:
        return _in_processes(batches, balance, processes)
    profile = profile_of(balance.profile, balance.tokens)
    return (weigh_batch(rows, balance.measures, profile) for rows in batches)


def weigh_batch(rows: Sequence[AnswerRow], measures: Sequence[Measure], profile: Profile) -> Weighed:
    """All metrics of some rows: a missing reference is no number, silence is 0."""
    has_reference = np.array([bool(row.references) for row in rows], np.bool_)
    blank = np.where(has_reference, 0.0, np.nan)
    batches = list(_paired(rows))
    scores = {str(measure): _spread(measure, batches, profile, blank) for measure in measures}
    status = {str(measure): _status(scores[str(measure)], has_reference, measure) for measure in measures}
    return Weighed([row.id for row in rows], _tags(rows), scores, status, _reference_sum(rows))


def _reference_sum(rows: Sequence[AnswerRow]) -> int:
    """A number that ids and references make in any order, so that two files of one test set can be told from others."""
    return sum(crc32("\0".join(chain((row.id,), *row.references)).encode("utf-8", "surrogatepass")) for row in rows)


def reasons_of(measure: Measure) -> tuple[Missing, ...]:
    """Why cells of a metric may have no number, by the codes that `_status` gives them."""
    own = measure.metric.unscored
    return (NO_REFERENCE, Missing("unscored", own)) if own else (NO_REFERENCE,)


def _status(scores: Scores, has_reference: Flags, measure: Measure) -> NDArray[np.int8]:
    code = len(reasons_of(measure))  # a metric without a reason of its own gives no NaN
    return np.where(has_reference, np.where(np.isnan(scores["score"]), code, 0), 1).astype(np.int8)


def _paired(rows: Sequence[AnswerRow]) -> Iterator[tuple[IntArray, Pairs]]:
    """The rows that have an answer and a reference, with their places: the plain ones, and the others."""
    paired = [place for place, row in enumerate(rows) if row.prediction is not None and row.references]
    plain = paired if _are_plain(rows) else [place for place in paired if _are_plain(rows[place : place + 1])]
    other = [] if plain is paired else sorted(set(paired).difference(plain))
    for places in filter(None, (plain, other)):
        answers = [rows[place].prediction or "" for place in places]
        groups = [rows[place].references for place in places]
        yield np.array(places), Pairs(answers, groups, plain=places is plain)


def _are_plain(rows: Sequence[AnswerRow]) -> bool:
    answers = "".join([row.prediction or "" for row in rows])
    return is_plain(answers) and is_plain("".join(alias for row in rows for group in row.references for alias in group))


def _spread(measure: Measure, batches: Sequence[tuple[IntArray, Pairs]], profile: Profile, blank: FloatArray) -> Scores:
    """The scores of a metric at the places of their rows."""
    columns = {"score": blank.copy()}
    for places, pairs in batches:
        for part, values in _computed(measure, pairs, profile).items():
            columns.setdefault(part, blank.copy())[places] = values
    return columns


def _computed(measure: Measure, pairs: Pairs, profile: Profile) -> Scores:
    found = measure.metric.compute(pairs, profile, **measure.settings())
    parts = (
        {"score": found.f1, "precision": found.precision, "recall": found.recall}
        if isinstance(found, Overlaps)
        else {"score": found}
    )
    return {part: column_of(values, measure, len(pairs.answers)) for part, values in parts.items()}


def _tags(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row.tags)
    return {name: [row.tags.get(name, "") for row in rows] for name in names}


def _in_processes(batches: Iterable[list[AnswerRow]], balance: Balance, processes: int) -> Iterator[Weighed]:
    """The same by several processes; only a few batches wait at a time."""
    workers = _Workers(balance, processes)
    try:
        for rows in batches:
            workers.take(rows)
            if len(workers) > 2 * processes:
                yield workers.first()
        while len(workers):
            yield workers.first()
    finally:
        workers.close()


@dataclass(slots=True)
class _Batch:
    """Rows that are with a worker; `lost` counts the times that their worker died."""

    rows: list[AnswerRow]
    future: "Future[Weighed]"
    lost: int = 0


class _Workers:
    """Processes that weigh batches. Where one is killed, its pool is broken: what waits is done again by a new one."""

    def __init__(self, balance: Balance, processes: int) -> None:
        self._balance = balance
        self._processes = processes
        self._waiting: deque[_Batch] = deque()
        self._pool = self._new_pool()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, rows: list[AnswerRow]) -> None:
        """Hand out a batch."""
        try:
            self._waiting.append(_Batch(rows, self._pool.submit(_weigh_prepared, rows)))
        except BrokenProcessPool:
            self._start_again()
            self._waiting.append(_Batch(rows, self._pool.submit(_weigh_prepared, rows)))

    def first(self) -> Weighed:
        """What came of the batch that was handed out first."""
        while True:
            try:
                found = self._waiting[0].future.result()
                self._waiting.popleft()
                return found
            except BrokenProcessPool:
                self._start_again()

    def close(self) -> None:
        """Let the processes end; nothing more is handed out."""
        self._pool.shutdown(cancel_futures=True)

    def _start_again(self) -> None:
        """New processes for what is not done; the same batch lost twice ends it."""
        _kill(self._pool)
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._new_pool()
        for batch in self._waiting:
            if not _is_done(batch.future):
                batch.lost += 1
                if batch.lost > 1:
                    raise SteelyardError(LOST, hint=LOST_HINT)
                batch.future = self._pool.submit(_weigh_prepared, batch.rows)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, initializer=_prepare, initargs=(self._balance,))


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the processes of a broken pool, which waits for them in `shutdown`.

    The pool sends SIGTERM, which a process does not obey while it starts in a program that ignores that signal.
    """
    for process in list((pool._processes or {}).values()):
        process.kill()


def _is_done(future: "Future[Weighed]") -> bool:
    """Whether a batch was weighed, or is wrong in itself; then another attempt would end alike."""
    return future.done() and not future.cancelled() and not isinstance(future.exception(), BrokenProcessPool)


_PREPARED: list[tuple[Sequence[Measure], Profile]] = []  # of this process


def _prepare(balance: Balance) -> None:
    """Set up a worker. SIGTERM must end it, whatever the program does on it: a broken pool ends its workers so."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _PREPARED.append((balance.measures, profile_of(balance.profile, balance.tokens)))


def _weigh_prepared(rows: list[AnswerRow]) -> Weighed:
    return weigh_batch(rows, *_PREPARED[-1])
