"""A run against judgments: from two sources to a Table."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal

import numpy as np

from steelyard import __version__
from steelyard.errors import MOST_PROBLEMS, ConfigError, InputError, Problem
from steelyard.i18n import Joined, Localized, Message
from steelyard.io.records import first_seen, result_name
from steelyard.io.streams import BINARY, NOT_UTF8, encoding_hint
from steelyard.registry.metrics import Measure, column_of
from steelyard.registry.names import parse_measures
from steelyard.retrieval.matching import JudgmentIndex, Matches, Rankings, interleaved, match, rankings
from steelyard.retrieval.reading.fields import TOO_FEW_COLUMNS
from steelyard.retrieval.reading.rankings import DUPLICATE_HINT, Judgments, Piece, Run, RunBlock
from steelyard.retrieval.reading.sources import QrelsSource, RunSource, qrels_from, run_from
from steelyard.retrieval.reading.trec import ORDER_HINT, QRELS_COLUMNS, RUN_HINT
from steelyard.retrieval.threads import work_in_order
from steelyard.table import Column, Flags, FloatArray, Missing, Signature, Table

MissingQueries = Literal["zero", "skip"]
AGAIN = "formats.appears_again"
NOT_IN_RUN = Missing("unscored", "the query is not in the run")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How rankings are read: as trec_eval does with -c (`missing`), -l (`relevance_level`) and -M (`depth`).

    `trec_eval` is the version whose order of documents is followed: 9 compares scores as 32-bit floats, 10 as doubles.
    """

    missing: MissingQueries = "zero"
    relevance_level: int = 1
    depth: int | None = None
    trec_eval: Literal[9, 10] = 9

    def __post_init__(self) -> None:
        if self.missing not in ("zero", "skip"):
            raise ConfigError(Message("metrics.missing_zero_skip_not", missing=self.missing))
        if self.trec_eval not in (9, 10):
            raise ConfigError(Message("metrics.trec_eval_9_10_not", trec_eval=self.trec_eval))
        if not isinstance(self.relevance_level, int) or self.relevance_level < 1:
            raise ConfigError(
                Message("metrics.relevance_level_whole_number_from", relevance_level=self.relevance_level)
            )
        if self.depth is not None and (not isinstance(self.depth, int) or self.depth < 1):
            raise ConfigError(Message("metrics.depth_whole_number_from_1", depth=self.depth))


def evaluate_retrieval(
    qrels: QrelsSource,
    run: RunSource,
    metrics: str | Sequence[str] | None = None,
    *,
    cutoffs: Sequence[int] | None = None,
    missing: MissingQueries = "zero",
    relevance_level: int = 1,
    depth: int | None = None,
    trec_eval: Literal[9, 10] = 9,
    name: str | None = None,
    threads: int | None = None,
) -> Table:
    """Weigh a run: one row per judged query, one column per metric.

    `qrels` and `run` are paths, mappings of mappings, columns or data frames. Judged queries that the run lacks count
    0, or are left unscored with `missing="skip"`; how many there are is in `counts` either way.
    """
    settings = RetrievalSettings(missing, relevance_level, depth, trec_eval)
    measures = parse_measures(metrics, cutoffs)
    return weigh(qrels_from(qrels), run_from(run), measures, settings, name=name, threads=threads)


def weigh(
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    settings: RetrievalSettings,
    *,
    name: str | None = None,
    threads: int | None = None,
) -> Table:
    """The Table of a run that is ready to be read."""
    matches, odd = _read(run, judgments, settings, threads or min(os.cpu_count() or 1, 8))
    _check_common(judgments, run, matches)
    found = rankings(judgments, matches, depth=settings.depth)
    present = None if settings.missing == "zero" else _present(judgments, matches)
    return Table(
        ids=judgments.ids,
        columns={str(measure): _column(measure, found, settings, present) for measure in measures},
        kind="retrieval",
        name=name if name is not None else result_name(run.name),
        signature=_signature(judgments, run, settings),
        counts={**_counts(judgments, matches, found, settings), **odd, **judgments.odd},
    )


def _present(judgments: Judgments, matches: list[Matches]) -> Flags:
    present = np.zeros(len(judgments.ids), np.bool_)
    for block in matches:
        present[block.query[block.query >= 0]] = True
    return present


def _column(measure: Measure, found: Rankings, settings: RetrievalSettings, present: Flags | None) -> Column:
    """The column of a metric; queries that are not `present` in the run are left unscored."""
    column = Column(_values(measure, found, settings), bounds=measure.metric.bounds, summed=measure.metric.summed)
    if present is None:
        return column
    values = np.where(present, column.values, np.nan)
    return replace(column, values=values, status=(~present).astype(np.int64), reasons=(NOT_IN_RUN,))


def _values(measure: Measure, found: Rankings, settings: RetrievalSettings) -> FloatArray:
    arguments = measure.settings()
    if measure.metric.defaults.get("rel") == 1 and not measure.sets("rel"):
        arguments["rel"] = settings.relevance_level
    return column_of(measure.metric.compute(found, **arguments), measure, found.queries)


def _signature(judgments: Judgments, run: Run, settings: RetrievalSettings) -> Signature:
    return Signature.of(
        {
            "kind": "retrieval",
            "trec_eval": f"{settings.trec_eval} ({'float32' if settings.trec_eval == 9 else 'float64'} scores)",
            "ties": "document id descending",
            "missing": settings.missing,
            "rel": settings.relevance_level,
            "depth": settings.depth or "all",
            "qrels": f"sha256 {judgments.digest[:16]}",
            "run": f"sha256 {run.digest()[:16]}",
            "steelyard": __version__,
        }
    )


def _counts(
    judgments: Judgments, matches: list[Matches], found: Rankings, settings: RetrievalSettings
) -> dict[str, int]:
    missing = ~_present(judgments, matches)
    hits = np.bincount(found.query, minlength=found.queries)
    return {
        "counts.judged_queries": len(judgments.ids),
        "counts.queries_missing": int(np.count_nonzero(missing)),
        "counts.queries_without_relevant": int(np.count_nonzero(found.relevant(settings.relevance_level) == 0)),
        "counts.queries_without_hit": int(np.count_nonzero((hits == 0) & ~missing)),
        "counts.queries_unjudged": sum(int(np.count_nonzero(block.query < 0)) for block in matches),
        "counts.run_lines": sum(int(block.length.sum()) for block in matches),
        "counts.queries_tied": sum(block.tied for block in matches),
        "counts.queries_disordered": sum(block.disordered for block in matches),
    }


def _check_common(judgments: Judgments, run: Run, matches: list[Matches]) -> None:
    if not any(len(block.length) for block in matches):
        raise InputError(Message("metrics.no_lines"), where=run.name, hint=RUN_HINT)
    if not any((block.query >= 0).any() for block in matches):
        raise InputError(
            Message("metrics.no_query_run_judged", name=judgments.name),
            where=run.name,
            hint=Message("metrics.judgments_begin_query_both_files", value=judgments.ids[0]),
        )


def _read(
    run: Run, judgments: Judgments, settings: RetrievalSettings, threads: int
) -> tuple[list[Matches], dict[str, int]]:
    """All blocks of a run, matched, and its odd lines counted; a second pass if its queries are interleaved."""
    # One large array, given back at once, teaches the C allocator to keep freed memory instead of returning it to the
    # system after every block; without it a third of the time goes into page faults.
    np.empty(30 << 20, np.uint8)
    index = JudgmentIndex(judgments)

    def work(piece: Piece) -> tuple[RunBlock, Matches]:
        block = piece()
        return block, match(block, index, single_precision=settings.trec_eval == 9)

    reading = _Reading(run)
    for block, found in work_in_order(run.pieces(), work, threads=threads):
        reading.take(block, found)
    reading.complain()
    if interleaved(reading.matches):
        reading = _Reading(run)
        reading.take(*work(run.whole))
        reading.complain()
    return reading.matches, reading.odd


class _Reading:
    """What has been read of a run so far, and what was wrong with it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.matches: list[Matches] = []
        self.odd: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.lines = 0

    def take(self, block: RunBlock, found: Matches) -> None:
        """Add a block, in the order of the file; complain as soon as there are enough problems."""
        wrong = block.problems + [
            (late, Message(AGAIN, document=document, first=first_seen(self.run.place(self.lines + early))))
            for early, late, document in found.duplicates
        ]
        self.problems += [
            Problem(self.run.place(self.lines + line), message) for line, message in sorted(wrong, key=itemgetter(0))
        ]
        if len(self.problems) >= MOST_PROBLEMS or not block.readable:
            self.complain()
        self.lines += block.lines
        self.matches.append(found)
        for what, count in block.odd.items():
            self.odd[what] = self.odd.get(what, 0) + count

    def complain(self) -> None:
        """Raise one error for all problems so far, if there are any."""
        if self.problems:
            raise InputError.of(self.problems, hint=_hint(self.problems[0].message))


def _hint(message: Message) -> Localized:
    if message.code == AGAIN:
        return DUPLICATE_HINT
    if message.code in (BINARY, NOT_UTF8):
        return encoding_hint(message)
    # four columns where a run has six: the arguments may be the wrong way round
    is_qrels = message.code == TOO_FEW_COLUMNS and message.args["found"] == QRELS_COLUMNS
    return Joined("core.clauses", [RUN_HINT, ORDER_HINT]) if is_qrels else RUN_HINT
