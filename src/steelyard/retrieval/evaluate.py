"""Evaluation of a run against qrels: from two sources to a Table."""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from steelyard import __version__
from steelyard.engines.base import RUN_BYTES, Engine, Part, check_at_least, engine_of
from steelyard.errors import MOST_PROBLEMS, ConfigError, InputError, Problem
from steelyard.i18n import Joined, Localized, Message
from steelyard.io.ranges import ByteRange, FileChanged, Hashing, is_cuttable, query_ranges, unchanged
from steelyard.io.records import first_seen, result_name
from steelyard.io.streams import BINARY, NOT_UTF8, encoding_hint, line_blocks
from steelyard.registry.metrics import Measure, column_of, computed
from steelyard.registry.names import parse_measures
from steelyard.retrieval.matching import (
    MatchedBlock,
    Matcher,
    Matches,
    Piece,
    QrelsIndex,
    Rankings,
    Run,
    interleaved,
    rankings,
)
from steelyard.retrieval.outputs import FIRST, kept_rankings
from steelyard.retrieval.reading.rankings import DUPLICATE_HINT, Qrels
from steelyard.retrieval.reading.sources import QrelsSource, RunSource, are_questions, qrels_from, run_from
from steelyard.retrieval.reading.trec import ORDER_HINT, QRELS_COLUMNS, RUN_HINT, TOO_FEW_COLUMNS, match_lines
from steelyard.table import Column, Flags, Missing, Signature, Table
from steelyard.threads import ordered_thread_map

MissingQueries = Literal["zero", "skip"]
AGAIN = "formats.duplicate_document"
NOT_IN_RUN = Missing("unscored", Message("missing.not_in_run"))


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How rankings are evaluated: trec_eval's -c (`missing`), -l (`relevance_level`) and -M (`depth`).

    `trec_eval` is the version whose document order is used: 9 compares scores as 32-bit floats, 10 as doubles.
    """

    missing: MissingQueries = "zero"
    relevance_level: int = 1
    depth: int | None = None
    trec_eval: Literal[9, 10] = 9

    def __post_init__(self) -> None:
        if self.missing not in ("zero", "skip"):
            raise ConfigError(Message("metrics.invalid_missing", missing=self.missing))
        if self.trec_eval not in (9, 10):
            raise ConfigError(Message("metrics.invalid_trec_eval", trec_eval=self.trec_eval))
        if not isinstance(self.relevance_level, int) or self.relevance_level < 1:
            raise ConfigError(Message("metrics.invalid_relevance_level", relevance_level=self.relevance_level))
        if self.depth is not None and (not isinstance(self.depth, int) or self.depth < 1):
            raise ConfigError(Message("metrics.invalid_depth", depth=self.depth))


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
    engine: str | Engine | None = None,
    keep: bool = False,
    queries: Any = None,
    docs: Any = None,
) -> Table:
    """Evaluate a run: one row per judged query, one column per metric.

    `qrels` and `run` are paths, nested mappings, columns or data frames; if `qrels` is a folder of legal questions,
    `run` is a path, or lists of retrieved texts by id. Judged queries that are missing from the run score 0, or are
    unscored with `missing="skip"`; their number is in `counts` either way. With `keep`, the table has the first 20
    documents of each query as `outputs`, for pages; so it has with `queries` and `docs`, which are their texts: a
    file, or a mapping by id. With `docs`, judged documents that are not there are counted, and queries of which no
    relevant document is."""
    how: dict[str, Any] = {"name": name, "keep": keep or queries is not None or docs is not None}
    if are_questions(qrels):
        from steelyard.contexts.chunks import evaluate_chunks

        return evaluate_chunks(qrels, run, metrics, cutoffs=cutoffs, missing=missing, depth=depth, **how)
    settings = RetrievalSettings(missing, relevance_level, depth, trec_eval)
    measures = parse_measures(metrics, cutoffs, trec_eval=trec_eval)
    judgments = qrels_from(qrels, subtopics=need_subtopics(measures))
    with engine_of(engine, workers=threads) as opened:
        table = evaluate_run(judgments, run_from(run), measures, settings, threads=threads, engine=opened, **how)
    if queries is None and docs is None:
        return table
    from steelyard.retrieval.reading.texts import with_texts

    return with_texts([table], queries, docs, qrels=judgments, relevance_level=relevance_level)[0]


def need_subtopics(measures: Sequence[Measure]) -> bool:
    """Return whether judgments must be read by subtopic."""
    return any(measure.metric.subtopics for measure in measures)


def evaluate_run(
    qrels: Qrels,
    run: Run,
    measures: Sequence[Measure],
    settings: RetrievalSettings,
    *,
    name: str | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    keep: bool = False,
) -> Table:
    """Return the Table of a run, which is read in blocks; with `keep`, `outputs` are its rankings (`outputs`)."""
    check_at_least("threads", threads, 1)
    workers = threads or min(os.cpu_count() or 1, 8)
    matcher = Matcher(QrelsIndex(qrels), settings.trec_eval == 9, FIRST if keep else 0, workers)
    run, matches, anomalies = _read(run, matcher, engine)
    _check_common(qrels, run, matches)
    ranked = rankings(qrels, matches, depth=settings.depth, trec_eval=settings.trec_eval)
    present = None if settings.missing == "zero" else _present(qrels, matches)
    level = settings.relevance_level
    return Table(
        ids=qrels.ids,
        columns={str(measure): _column(measure, ranked, settings, present) for measure in measures},
        kind="retrieval",
        name=name if name is not None else result_name(run.name),
        signature=_signature(qrels, run, settings),
        counts={**_counts(qrels, matches, ranked, settings), **anomalies, **qrels.anomalies},
        outputs=kept_rankings(qrels, matches, ranked, rel=level, depth=settings.depth, present=present) if keep else (),
    )


def _present(qrels: Qrels, matches: list[Matches]) -> Flags:
    present = np.zeros(len(qrels.ids), np.bool_)
    for block in matches:
        present[block.query[block.query >= 0]] = True
    return present


def _column(measure: Measure, ranked: Rankings, settings: RetrievalSettings, present: Flags | None) -> Column:
    """Return the column of a metric; queries that are not `present` in the run are unscored."""
    metric, arguments = measure.metric, measure.settings()
    if metric.defaults.get("rel") == 1 and not measure.sets("rel"):
        arguments["rel"] = settings.relevance_level
    values = column_of(computed(metric, ranked, **arguments), measure, ranked.queries)
    column = Column(values, bounds=metric.bounds, summed=metric.summed, geometric=metric.geometric)
    if present is None:
        return column
    values = np.where(present, values, np.nan)
    return replace(column, values=values, status=(~present).astype(np.int64), reasons=(NOT_IN_RUN,))


def _signature(qrels: Qrels, run: Run, settings: RetrievalSettings) -> Signature:
    return Signature.of(
        {
            "kind": "retrieval",
            "trec_eval": f"{settings.trec_eval} ({'float32' if settings.trec_eval == 9 else 'float64'} scores)",
            "ties": "document id descending",
            "missing": settings.missing,
            "rel": settings.relevance_level,
            "depth": settings.depth or "all",
            **({} if qrels.subtopics is None else {"judgments": "by subtopic"}),
            "qrels": f"sha256 {qrels.digest[:16]}",
            "run": f"sha256 {run.digest()[:16]}",
            "steelyard": __version__,
        }
    )


def _counts(qrels: Qrels, matches: list[Matches], ranked: Rankings, settings: RetrievalSettings) -> dict[str, int]:
    missing = ~_present(qrels, matches)
    hits = np.bincount(ranked.query, minlength=ranked.queries)
    return {
        "counts.judged_queries": len(qrels.ids),
        "counts.queries_missing": int(np.count_nonzero(missing)),
        "counts.queries_without_relevant": int(np.count_nonzero(ranked.relevant(settings.relevance_level) == 0)),
        "counts.queries_without_hit": int(np.count_nonzero((hits == 0) & ~missing)),
        "counts.queries_unjudged": sum(int(np.count_nonzero(block.query < 0)) for block in matches),
        "counts.run_lines": sum(int(block.length.sum()) for block in matches),
        "counts.queries_tied": sum(block.tied for block in matches),
        "counts.queries_disordered": sum(block.disordered for block in matches),
    }


def _check_common(qrels: Qrels, run: Run, matches: list[Matches]) -> None:
    if not any(len(block.length) for block in matches):
        raise InputError(Message("metrics.no_lines"), where=run.name, hint=RUN_HINT)
    if not any((block.query >= 0).any() for block in matches):
        raise InputError(
            Message("metrics.no_query_judged", name=qrels.name),
            where=run.name,
            hint=Message("metrics.same_collection_hint", value=qrels.ids[0]),
        )


def _read(run: Run, matcher: Matcher, engine: Engine | None) -> tuple[Run, list[Matches], dict[str, int]]:
    """Return the run as read, the matches of all blocks, and counts; read it again if queries interleave."""
    # Allocating and freeing one large array makes the C allocator keep freed memory instead of returning it to the
    # system after every block; without it a third of the time is spent on page faults.
    np.empty(30 << 20, np.uint8)
    run, matched = _matched(run, matcher, engine)
    reader = _RunReader(run)
    with closing(matched) as blocks:
        for block in blocks:
            reader.add(block)
            if reader.repeats_query():
                break
        else:
            reader.raise_problems()
            if not interleaved(reader.matches):
                return run, reader.matches, reader.anomalies
    return run, *_read_interleaved(run, matcher)


def _matched(run: Run, matcher: Matcher, engine: Engine | None) -> tuple[Run, Generator[MatchedBlock, None, None]]:
    """Return the run as read, and its matched blocks, by the workers of an engine or on threads."""
    if engine is None or run.path is None:
        return run, _on_threads(run, matcher)
    read, blocks = match_by_ranges(run, matcher, engine) or (run, match_by_pieces(run, matcher, engine))
    return read, (block for block in blocks)


def _on_threads(run: Run, matcher: Matcher) -> Generator[MatchedBlock, None, None]:
    """Yield the pieces of a run, matched on several threads."""
    yield from ordered_thread_map(run.pieces(), lambda piece: piece(matcher), threads=matcher.threads)


def _read_interleaved(run: Run, matcher: Matcher) -> tuple[list[Matches], dict[str, int]]:
    """Return the matches of a run whose queries are interleaved, and the counts of anomalies."""
    whole = run.read_all(matcher)
    if whole.problems or whole.matches.duplicates:  # first come the problems of lines as they follow each other
        reader = _RunReader(run)
        for block in _on_threads(run, matcher):
            reader.add(block)
            reader.matches.clear()
        reader.raise_problems()
    reader = _RunReader(run)
    reader.add(whole)
    reader.raise_problems()
    return reader.matches, reader.anomalies


class _RunReader:
    """The matches of the blocks of a run read so far, and their problems."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.matches: list[Matches] = []
        self.anomalies: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.lines = 0
        self._queries = self._compared = 0

    def add(self, block: MatchedBlock) -> None:
        """Add a block, in file order; raise the problems as soon as there are enough."""
        problems = block.problems + [
            (late, Message(AGAIN, document=document, first=first_seen(self.run.place(self.lines + early))))
            for early, late, document in block.matches.duplicates
        ]
        self.problems += [
            Problem(self.run.place(self.lines + line), message) for line, message in sorted(problems, key=itemgetter(0))
        ]
        if len(self.problems) >= MOST_PROBLEMS or not block.readable:
            self.raise_problems()
        self.lines += block.lines
        self.matches.append(block.matches)
        for code, count in block.anomalies.items():
            self.anomalies[code] = self.anomalies.get(code, 0) + count

    def repeats_query(self) -> bool:
        """Return whether a query is seen again after another; all blocks are compared whenever they have doubled."""
        self._queries += len(self.matches[-1].query)
        if self._queries < 2 * self._compared:
            return interleaved(self.matches[-1:])
        self._compared = self._queries
        return interleaved(self.matches)

    def raise_problems(self) -> None:
        """Raise one error for all problems so far, if any."""
        if self.problems:
            raise InputError.of(self.problems, hint=_hint(self.problems[0].message))


def _hint(message: Message) -> Localized:
    if message.code == AGAIN:
        return DUPLICATE_HINT
    if message.code in (BINARY, NOT_UTF8):
        return encoding_hint(message)
    # four columns instead of six: the arguments may be swapped
    is_qrels = message.code == TOO_FEW_COLUMNS and message.args["found"] == QRELS_COLUMNS
    return Joined("core.clauses", [RUN_HINT, ORDER_HINT]) if is_qrels else RUN_HINT


@dataclass(frozen=True, slots=True)
class RunMatching:
    """The task that matches a part of a run file: the lines of a byte range, or a piece that this process has read."""

    matcher: Matcher

    @property
    def key(self) -> object:
        """Return what results that are kept depend on beside the settings of the command."""
        return self.matcher.keep

    def __call__(self, part: ByteRange | Piece) -> list[MatchedBlock]:
        """Return the matches of the blocks of the part."""
        if not isinstance(part, ByteRange):
            return [part(self.matcher)]
        np.empty(30 << 20, np.uint8)  # see _read
        return [match_lines(block, self.matcher) for block in line_blocks(part.stream())]


def match_by_ranges(run: Run, matcher: Matcher, engine: Engine) -> tuple[Run, list[MatchedBlock]] | None:
    """Return the run and its matched blocks, by byte ranges of its file; None if the run has to be read in order.

    That is so if it is no plain file, or has problems: which of them are reported depends on what is read together.
    """
    if run.path is None or not is_cuttable(run.path):
        return None
    ranges = query_ranges(run.path, engine.part_bytes or RUN_BYTES)
    parts = (Part(str(part), part) for part in ranges)
    try:
        with unchanged(run.path):
            results = engine.map_in_order(RunMatching(matcher), parts)
            first = next(results, [])
            hashing = Hashing(run.path)  # a thread, after processes were started
            blocks = list(chain(first, *results))
            digest = hashing.digest()
    except FileChanged:
        raise
    except InputError:
        return None
    if any(block.problems or block.matches.duplicates or not block.readable for block in blocks):
        return None
    return replace(run, digest=lambda: digest), blocks


def match_by_pieces(run: Run, matcher: Matcher, engine: Engine) -> Iterator[MatchedBlock]:
    """Return the matched blocks of a run file that is read in this process, one piece for each task."""
    parts = (Part(f"{run.name}#block={number}", piece) for number, piece in enumerate(run.pieces(), 1))
    return chain.from_iterable(engine.map_in_order(RunMatching(matcher), parts))
