"""Scores of batches of answers, computed in this process or by the workers of an engine."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Final
from zlib import crc32

from steelyard.answers.columns import BatchColumn, PreparedRows, batch_column
from steelyard.answers.needs import met_by, needed
from steelyard.answers.profiles import Profile, profile_of
from steelyard.answers.rows import AnswerRow
from steelyard.engines.base import Engine, Part
from steelyard.registry.metrics import Measure
from steelyard.text.tokens import TokenUnit


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """The metrics, the profile, the token unit, and whether citation marks count as words of an answer.

    With `is_default` nobody named the metrics. It can be sent to another process.
    """

    measures: tuple[Measure, ...]
    profile: str
    tokens: TokenUnit
    strip_citations: bool = False
    is_default: bool = False


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
        return engine.map_in_order(task, _parts(batches, name))
    return map(task, batches)


def _parts(batches: Iterable[list[AnswerRow]], name: str) -> Iterator[Part]:
    """The batches as parts of a source, named by the numbers of their rows."""
    last = 0
    for rows in batches:
        first, last = last + 1, last + len(rows)
        yield Part(f"{name}#rows={first}-{last}", rows)


@dataclass(frozen=True, slots=True)
class BatchScoring:
    """The task that scores a batch."""

    spec: ScoringSpec

    def __call__(self, rows: Sequence[AnswerRow]) -> ScoredBatch:
        """The scores of these rows."""
        spec = self.spec
        profile = _PROFILES.of(spec.profile, spec.tokens)
        return score_batch(rows, spec.measures, profile, strip_citations=spec.strip_citations)


class _Profiles(threading.local):
    """The last profile of each thread: it keeps what its encoders know from batch to batch."""

    def __init__(self) -> None:
        self.of = lru_cache(maxsize=1)(profile_of)


_PROFILES: Final = _Profiles()


def score_batch(
    rows: Sequence[AnswerRow], measures: Sequence[Measure], profile: Profile, *, strip_citations: bool = False
) -> ScoredBatch:
    """All metrics of some rows: without what a metric needs a row is unscored, without a prediction it scores 0."""
    prepared = PreparedRows(rows, strip_citations=strip_citations)
    columns = {str(measure): batch_column(measure, prepared, profile) for measure in measures}
    met = met_by(rows, needed(measures) | {"contexts"}, prepared.has)
    failures = {index: row.error for index, row in enumerate(rows) if row.error}
    sums = _reference_sum(rows), _evidence_sum(rows)
    stripped = strip_citations and any(row.contexts for row in rows)
    return ScoredBatch([row.id for row in rows], _tags(rows), columns, *sums, met, failures, stripped)


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
