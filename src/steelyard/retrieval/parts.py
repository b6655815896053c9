"""Runs matched by the workers of an engine: byte ranges of a file, or the pieces that this process reads."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from steelyard.engines.base import RUN_BYTES, Engine, Part
from steelyard.errors import InputError
from steelyard.io.ranges import ByteRange, FileChanged, Hashing, is_cuttable, query_ranges, unchanged
from steelyard.io.streams import line_blocks
from steelyard.retrieval.matching import MatchedBlock, Matcher
from steelyard.retrieval.reading.trec import match_lines
from steelyard.retrieval.runs import Piece, Run


@dataclass(frozen=True, slots=True)
class RangeMatching:
    """The task that matches the lines of a byte range of a run file."""

    matcher: Matcher

    @property
    def key(self) -> object:
        """What results that are kept depend on beside the settings of the command."""
        return self.matcher.keep

    def __call__(self, part: ByteRange) -> list[MatchedBlock]:
        """The matches of the blocks of the range."""
        np.empty(30 << 20, np.uint8)  # see evaluate._read
        return [match_lines(block, self.matcher) for block in line_blocks(part.stream())]


@dataclass(frozen=True, slots=True)
class PieceMatching:
    """The task that matches a piece."""

    matcher: Matcher

    @property
    def key(self) -> object:
        """What results that are kept depend on beside the settings of the command."""
        return self.matcher.keep

    def __call__(self, piece: Piece) -> MatchedBlock:
        """The matches of the piece."""
        return piece(self.matcher)


def match_by_ranges(run: Run, matcher: Matcher, engine: Engine) -> tuple[Run, list[MatchedBlock]] | None:
    """The run and its matched blocks, by byte ranges of its file; None if the run has to be read in order.

    That is so if it is no plain file, or has problems: which of them are reported depends on what is read together.
    """
    if run.path is None or not is_cuttable(run.path):
        return None
    ranges = query_ranges(run.path, engine.part_bytes or RUN_BYTES)
    parts = (Part(str(part), part) for part in ranges)
    try:
        with unchanged(run.path):
            results = engine.map_in_order(RangeMatching(matcher), parts)
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
    """The matched blocks of a run file that is read in this process, one piece for each task."""
    parts = (Part(f"{run.name}#block={number}", piece) for number, piece in enumerate(run.pieces(), 1))
    return engine.map_in_order(PieceMatching(matcher), parts)
