"""Answers beside their references, a batch at a time: every answer once with each of its references."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np

from steelyard.metrics.overlaps import Overlaps, Shared, shared_of
from steelyard.metrics.rouge import Overlap
from steelyard.table import Flags, FloatArray, IntArray
from steelyard.text.coding import Codes, Reading

Groups = Sequence[Sequence[str]]
"""References: groups of aliases; one group unless the question has several answers."""

Tokens = TypeVar("Tokens")
Cut = Callable[[str], Tokens]

_WORD: Final = np.dtype(np.int64).itemsize


class Pairs:
    """A batch of answers with their references, and what several metrics want to know of them, found out once.

    Pair by pair the arrays run through the references of the first answer, of the second, and so on; `row` is the
    place of each pair's answer.
    """

    def __init__(self, answers: Sequence[str], groups: Sequence[Groups], *, plain: bool = False) -> None:
        """Each answer has one reference or more; `plain` if all texts are, in the sense of `steelyard.text.coding`."""
        self.answers = answers
        self.groups = groups
        self._plain = plain
        self.references = [alias for row in groups for group in row for alias in group]
        self._counts = np.array([sum(map(len, row)) for row in groups], np.int64)
        self._codes: dict[Reading, Codes] = {}
        self._shared: dict[int, Shared] = {}
        self._standing: dict[Reading, Flags] = {}
        self._cuts: dict[Cut[Any], list[Any]] = {}

    @cached_property
    def row(self) -> IntArray:
        """For each pair the place of its answer."""
        return np.repeat(np.arange(len(self.answers)), self._counts)

    def shared(self, reading: Reading) -> Shared:
        """What the two sides of each pair share when they are read so."""
        codes = self._coded(reading)
        if id(codes) not in self._shared:  # readings may have codes in common
            references = np.arange(len(self.answers), len(codes.lengths))
            self._shared[id(codes)] = shared_of(codes.take(self.row), codes.take(references))
        return self._shared[id(codes)]

    def standing(self, reading: Reading) -> Flags:
        """Whether the reference of each pair stands in the answer without a gap; nothing stands nowhere."""
        shared, codes = self.shared(reading), self._coded(reading)
        if reading in self._standing:
            return self._standing[reading]
        found = shared.equal & (shared.wanted > 0)
        content, starts, ends = codes.values.tobytes(), codes.starts * _WORD, codes.ends * _WORD
        for pair in np.flatnonzero(shared.covered & ~found & (shared.wanted > 0)).tolist():
            row, reference = self.row[pair], len(self.answers) + pair
            part = content[starts[reference] : ends[reference]]
            found[pair] = _stands(part, content, int(starts[row]), int(ends[row]))
        self._standing[reading] = found
        return found

    def overlaps(self, cut: Cut[Tokens], compare: Callable[[Tokens, Tokens], Overlap]) -> Overlaps:
        """What each pair shares, from the tokens of its two texts; each text is cut once."""
        if cut not in self._cuts:
            self._cuts[cut] = [cut(text) for text in self._texts]
        answers, references = self._cuts[cut][: len(self.answers)], self._cuts[cut][len(self.answers) :]
        found = [compare(answers[row], reference) for row, reference in zip(self.row, references, strict=True)]
        columns = np.array([(each.precision, each.recall, each.f1) for each in found], np.float64).reshape(-1, 3)
        return Overlaps(*columns.T)

    def each(self, compare: Callable[[str, str], float]) -> FloatArray:
        """A value for every pair, from its two texts."""
        pairs = zip(self.row.tolist(), self.references, strict=True)
        return np.array([compare(self.answers[row], reference) for row, reference in pairs], np.float64)

    def rows(self) -> Iterator[tuple[str, Groups]]:
        """Each answer with all its references."""
        return zip(self.answers, self.groups, strict=True)

    def best(self, values: FloatArray | Flags) -> FloatArray:
        """For each answer the value of its best pair."""
        return np.maximum.reduceat(values.astype(np.float64), self._starts)

    def closest(self, overlaps: Overlaps) -> Overlaps:
        """For each answer the overlap with its closest reference by F1; the first of several."""
        if len(self.references) == len(self.answers):
            return overlaps
        is_best = overlaps.f1 == self.best(overlaps.f1)[self.row]
        places = np.where(is_best, np.arange(len(self.references)), len(self.references))
        return overlaps.take(np.minimum.reduceat(places, self._starts))

    def group_share(self, found: Flags) -> FloatArray:
        """For each answer the share of its groups in which some alias is found."""
        sizes = np.array([len(group) for row in self.groups for group in row], np.int64)
        by_group = np.logical_or.reduceat(found, np.cumsum(sizes) - sizes)
        counts = np.array([len(row) for row in self.groups], np.int64)
        return np.add.reduceat(by_group.astype(np.float64), np.cumsum(counts) - counts) / counts

    def share(self, found: Flags) -> FloatArray:
        """For each answer the share of its references that are found."""
        return np.add.reduceat(found.astype(np.float64), self._starts) / self._counts

    @cached_property
    def _starts(self) -> IntArray:
        return np.cumsum(self._counts) - self._counts

    @cached_property
    def _texts(self) -> list[str]:
        return [*self.answers, *self.references]

    def _coded(self, reading: Reading) -> Codes:
        """The codes of all answers, then of all references."""
        if reading not in self._codes:
            self._codes[reading] = reading.codes(self._texts, plain=self._plain)
        return self._codes[reading]


def _stands(part: bytes, whole: bytes, start: int, end: int) -> bool:
    """Whether the words of `part` are words of `whole` between start and end."""
    at = whole.find(part, start, end)
    while at >= 0 and (at - start) % _WORD:
        at = whole.find(part, at + 1, end)
    return at >= 0
