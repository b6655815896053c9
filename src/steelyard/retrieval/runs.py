"""Runs to be evaluated: read in blocks of complete queries, so that a file larger than memory can be evaluated.

Every reader of every format returns a `Run`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.retrieval.matching import MatchedBlock, Matcher
from steelyard.retrieval.reading.rankings import RunBlock, grouped
from steelyard.retrieval.reading.spans import Spans
from steelyard.table import FloatArray

Piece = Callable[[Matcher], MatchedBlock]
"""A part of a run that can be matched, on any thread."""


@dataclass(eq=False)
class Run:
    """A run to be read: `pieces` reads it from the start; calling a piece parses it and matches its documents.

    Reading is sequential; pieces may be called on any thread. `read_all` matches everything as one block, for runs with
    interleaved queries. `place` gives the location of a line, `digest` the hash of what was read, and `tag` the name
    that the run has in its own file, if any. `path` is that of a TREC file: its pieces can be sent to other processes.
    """

    name: str
    pieces: Callable[[], Iterator[Piece]]
    read_all: Piece
    place: Callable[[int], str]
    digest: Callable[[], str]
    tag: Callable[[], str] = str
    path: str | Path | None = None


def run_from_rows(
    name: str,
    queries: list[bytes],
    documents: list[bytes],
    scores: FloatArray,
    *,
    digest: str,
    place: Callable[[int], str],
) -> Run:
    """A run in memory; the rows of a query need not be adjacent."""
    block = grouped(RunBlock(Spans.of(queries), Spans.of(documents), scores, None, np.arange(len(scores)), len(scores)))

    def piece(matcher: Matcher) -> MatchedBlock:
        return matcher.match(block)

    return Run(name, lambda: iter((piece,)), piece, place, lambda: digest)
