"""Answers beside their references, a batch at a time: every answer once with each of its references."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np

from steelyard.answers.overlaps import Overlaps, Shared, distinct_of, shared_of
from steelyard.answers.rouge import Overlap
from steelyard.table import Flags, FloatArray, IntArray
from steelyard.text.coding import Codes, Encoder
from steelyard.text.tokens import covers

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
        self._codes: dict[Encoder, Codes] = {}
        self._shared: dict[int, Shared] = {}
        self._lists: dict[Encoder, list[list[int]]] = {}
        self._standing: dict[Encoder, Flags] = {}
        self._cuts: dict[Cut[Any], list[Any]] = {}

    @cached_property
    def row(self) -> IntArray:
        """For each pair the place of its answer."""
        return np.repeat(np.arange(len(self.answers)), self._counts)

    def shared(self, reading: Encoder) -> Shared:
        """What the two sides of each pair share when they are read so."""
        codes = self._coded(reading)
        if id(codes) not in self._shared:  # readings may have codes in common
            references = np.arange(len(self.answers), len(codes.lengths))
            self._shared[id(codes)] = shared_of(codes.take(self.row), codes.take(references))
        return self._shared[id(codes)]

    def distinct(self, reading: Encoder, n: int) -> tuple[IntArray, IntArray, IntArray]:
        """Different n-grams of each pair: those that both sides have, of the answer, of the reference."""
        codes = self._coded(reading)
        references = np.arange(len(self.answers), len(codes.lengths))
        return distinct_of(codes.take(self.row), codes.take(references), n)

    def is_something(self, reading: Encoder) -> Flags:
        """Whether the reference of each pair has any tokens."""
        return np.greater(self._coded(reading).lengths[len(self.answers) :], 0)

    def equal(self, reading: Encoder) -> Flags:
        """Whether the two sides of each pair are the same tokens in the same order."""
        if self._plain:
            return self.shared(reading).equal
        return self._each_code(reading, lambda answer, reference: answer == reference)

    def covered(self, reading: Encoder) -> Flags:
        """Whether all tokens of each reference occur in the answer, in order and as often."""
        if self._plain:
            return self.shared(reading).covered
        return self._each_code(reading, covers)

    def standing(self, reading: Encoder) -> Flags:
        """Whether the reference of each pair stands in the answer without a gap; nothing stands nowhere."""
        if reading not in self._standing:
            codes = self._coded(reading)
            wanted = codes.lengths[len(self.answers) :]
            maybe = (codes.lengths[self.row] >= wanted) & (wanted > 0)
            self._standing[reading] = self._found_in(codes, maybe & self.covered(reading) if self._plain else maybe)
        return self._standing[reading]

    def _found_in(self, codes: Codes, candidates: Flags) -> Flags:
        found = np.zeros(len(candidates), np.bool_)
        content, starts, ends = codes.values.tobytes(), (codes.starts * _WORD).tolist(), (codes.ends * _WORD).tolist()
        for pair in np.flatnonzero(candidates).tolist():
            row, reference = int(self.row[pair]), len(self.answers) + pair
            found[pair] = _stands(content[starts[reference] : ends[reference]], content, starts[row], ends[row])
        return found

    def _each_code(self, reading: Encoder, compare: Callable[[list[int], list[int]], bool]) -> Flags:
        """A flag for every pair, from the codes of its two texts."""
        texts = self._code_lists(reading)
        pairs = zip(self.row.tolist(), texts[len(self.answers) :], strict=True)
        return np.array([compare(texts[row], reference) for row, reference in pairs], np.bool_)

    def _code_lists(self, reading: Encoder) -> list[list[int]]:
        if reading not in self._lists:
            codes = self._coded(reading)
            values = codes.values.tolist()
            bounds = zip(codes.starts.tolist(), codes.ends.tolist(), strict=True)
            self._lists[reading] = [values[start:end] for start, end in bounds]
        return self._lists[reading]

    def overlaps(self, cut: Cut[Tokens], compare: Callable[[Tokens, Tokens], Overlap]) -> Overlaps:
        """What each pair shares, from the tokens of its two texts; each text is cut once."""
        if cut not in self._cuts:
            self._cuts[cut] = [cut(text) for text in self._texts]
        answers, references = self._cuts[cut][: len(self.answers)], self._cuts[cut][len(self.answers) :]
        found = [compare(answers[row], reference) for row, reference in zip(self.row, references, strict=True)]
        columns = np.array([(each.precision, each.recall, each.f1) for each in found], np.float64).reshape(-1, 3)
        return Overlaps(*columns.T)

    def each(self, compare: Callable[[str, str], float], where: Flags | None = None) -> FloatArray:
        """A value for every pair, from its two texts; 0 for the pairs that `where` leaves out."""
        places = np.arange(len(self.references)) if where is None else np.flatnonzero(where)
        values = np.zeros(len(self.references))
        values[places] = [
            compare(self.answers[row], self.references[place])
            for row, place in zip(self.row[places].tolist(), places.tolist(), strict=True)
        ]
        return values

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

    def _coded(self, reading: Encoder) -> Codes:
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
