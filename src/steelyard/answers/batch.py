"""A batch of answers, each paired with every one of its references."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from steelyard.answers.rouge import Overlap, Overlaps, Shared, distinct_of, shared_of
from steelyard.answers.rows import AnswerRow
from steelyard.answers.values import Contexts
from steelyard.table import Flags, FloatArray, IntArray
from steelyard.text.coding import Codes, Encoder
from steelyard.text.tokens import covers

Groups = Sequence[Sequence[str]]
"""References: groups of aliases; one group unless the question has several answers."""

Tokens = TypeVar("Tokens")
Kept = TypeVar("Kept")
Cut = Callable[[str], Tokens]

_WORD: Final = np.dtype(np.int64).itemsize


class CorpusFile(NamedTuple):
    """A file of a corpus of statutes and the SHA-256 of its content: a file that was changed is another corpus."""

    path: str
    digest: str


class AnswerBatch:
    """A batch of answers with their references; what several metrics need is computed once.

    The pairs are in order of answers, and within an answer in order of its references; `row` is the index of the answer
    of each pair. `questions`, `contexts`, `reference_contexts` and `tags` are those of each answer; contexts are read
    only for metrics that need them.
    """

    def __init__(
        self,
        answers: Sequence[str],
        groups: Sequence[Groups],
        *,
        spaced: bool = False,
        of: Sequence[AnswerRow] = (),
        statutes: CorpusFile | None = None,
    ) -> None:
        """`spaced` if all texts are, in the sense of `steelyard.text.tokens`; `of` are the rows of the answers, with
        the outputs that these are part of.

        `statutes` is the corpus of statutes, None if none is given.

        Each answer has one reference or more, unless the metric does not need references.
        """
        self.of = of
        self.statutes = statutes
        self._once: dict[str, Any] = {}
        self.answers = answers
        self.groups = groups
        self._spaced = spaced
        self.references = [alias for row in groups for group in row for alias in group]
        self._counts = np.array([sum(map(len, row)) for row in groups], np.int64)
        self._codes: dict[Encoder, Codes] = {}
        self._shared: dict[int, Shared] = {}
        self._contained: dict[Encoder, Flags] = {}
        self._cuts: dict[Cut[Any], list[Any]] = {}

    def once(self, key: str, compute: Callable[[], Kept]) -> Kept:
        """Return what `compute` gives, computed once for this batch, for metrics that share work; `key` is its name."""
        if key not in self._once:
            self._once[key] = compute()
        kept: Kept = self._once[key]
        return kept

    @property
    def questions(self) -> list[str]:
        """Return the question of each answer; "" if there is none."""
        return [row.question for row in self.of]

    @property
    def contexts(self) -> list[Contexts]:
        """Return the contexts of each answer, best first."""
        return [row.contexts or () for row in self.of]

    @property
    def reference_contexts(self) -> list[Contexts]:
        """Return the contexts that each answer should have had."""
        return [row.reference_contexts or () for row in self.of]

    @property
    def tags(self) -> list[Mapping[str, str]]:
        """Return the tags of each answer."""
        return [row.tags for row in self.of]

    @cached_property
    def row(self) -> IntArray:
        """Return the index of the answer of each pair."""
        return np.repeat(np.arange(len(self.answers)), self._counts)

    def shared(self, encoder: Encoder) -> Shared:
        """Return the tokens that the two sides of each pair share."""
        codes = self._coded(encoder)
        if id(codes) not in self._shared:  # encoders may share codes
            self._shared[id(codes)] = shared_of(*self._sides(codes))
        return self._shared[id(codes)]

    def distinct(self, encoder: Encoder, n: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return the numbers of distinct n-grams of each pair: common, of the answer, of the reference."""
        return distinct_of(*self._sides(self._coded(encoder)), n)

    def _sides(self, codes: Codes) -> tuple[Codes, Codes]:
        """Return the codes of the answer and of the reference of each pair."""
        answers = codes.part(0, len(self.answers))
        if (self._counts != 1).any():
            answers = answers.take(self.row)
        return answers, codes.part(len(self.answers), len(codes.lengths))

    def has_tokens(self, encoder: Encoder) -> Flags:
        """Return whether the reference of each pair has any tokens."""
        return np.greater(self._coded(encoder).lengths[len(self.answers) :], 0)

    def equal(self, encoder: Encoder) -> Flags:
        """Return whether the two sides of each pair have the same tokens in the same order."""
        if self._spaced:
            return self.shared(encoder).equal
        predicted, wanted = self._lengths(encoder)
        return self._compare_codes(encoder, np.array_equal, where=predicted == wanted)

    def covered(self, encoder: Encoder) -> Flags:
        """Return whether the reference of each pair is a subsequence of the answer."""
        if self._spaced:
            return self.shared(encoder).covered
        predicted, wanted = self._lengths(encoder)
        return self._compare_codes(
            encoder, lambda whole, part: covers(whole.tolist(), part.tolist()), where=predicted >= wanted
        )

    def contained(self, encoder: Encoder, *, counted: bool = True) -> Flags:
        """Return whether the answer of each pair contains the reference contiguously; an empty one is not contained.

        `counted` says that other metrics need the shared tokens of this encoder too, which rule most pairs out.
        """
        if encoder not in self._contained:
            predicted, wanted = self._lengths(encoder)
            possible = (predicted >= wanted) & (wanted > 0)
            if counted and self._spaced:
                possible = possible & self.covered(encoder)
            self._contained[encoder] = self._found_in(self._coded(encoder), possible)
        return self._contained[encoder]

    def _found_in(self, codes: Codes, candidates: Flags) -> Flags:
        contained = np.zeros(len(candidates), np.bool_)
        content, starts, ends = codes.values.tobytes(), (codes.starts * _WORD).tolist(), (codes.ends * _WORD).tolist()
        for pair in np.flatnonzero(candidates).tolist():
            row, reference = int(self.row[pair]), len(self.answers) + pair
            contained[pair] = _contains(content, content[starts[reference] : ends[reference]], starts[row], ends[row])
        return contained

    def _lengths(self, encoder: Encoder) -> tuple[IntArray, IntArray]:
        """Return the numbers of tokens of the answer and of the reference of each pair."""
        lengths = self._coded(encoder).lengths
        return lengths[self.row], lengths[len(self.answers) :]

    def _compare_codes(self, encoder: Encoder, compare: Callable[[IntArray, IntArray], bool], *, where: Flags) -> Flags:
        """Return a flag for each pair, from the codes of its two texts; False for the pairs that `where` excludes."""
        codes = self._coded(encoder)
        starts, ends = codes.starts.tolist(), codes.ends.tolist()
        flags = np.zeros(len(where), np.bool_)
        indices = np.flatnonzero(where)
        for pair, row in zip(indices.tolist(), self.row[indices].tolist(), strict=True):
            other = len(self.answers) + pair
            flags[pair] = compare(codes.values[starts[row] : ends[row]], codes.values[starts[other] : ends[other]])
        return flags

    def overlaps(self, cut: Cut[Tokens], compare: Callable[[Tokens, Tokens], Overlap]) -> Overlaps:
        """Return the overlap of each pair, from the tokens of its two texts; each text is tokenized once."""
        if cut not in self._cuts:
            self._cuts[cut] = [cut(text) for text in self._texts]
        answers, references = self._cuts[cut][: len(self.answers)], self._cuts[cut][len(self.answers) :]
        overlaps = [compare(answers[row], reference) for row, reference in zip(self.row, references, strict=True)]
        columns = np.array([(one.precision, one.recall, one.f1) for one in overlaps], np.float64).reshape(-1, 3)
        return Overlaps(*columns.T)

    def compare_texts(self, compare: Callable[[str, str], float], where: Flags | None = None) -> FloatArray:
        """Return a value for each pair, from its two texts; 0 for the pairs that `where` excludes."""
        indices = np.arange(len(self.references)) if where is None else np.flatnonzero(where)
        values = np.zeros(len(self.references))
        values[indices] = [
            compare(self.answers[row], self.references[index])
            for row, index in zip(self.row[indices].tolist(), indices.tolist(), strict=True)
        ]
        return values

    def cut(self, part: Callable[[str], str]) -> "AnswerBatch":
        """Return the batch with a part of each text in its place."""
        groups = [[[part(alias) for alias in group] for group in row] for row in self.groups]
        answers = [part(answer) for answer in self.answers]
        return AnswerBatch(answers, groups, spaced=self._spaced, of=self.of, statutes=self.statutes)

    def single(self) -> Iterator["AnswerBatch"]:
        """Yield each answer as a batch of its own."""
        for row in range(len(self.answers)):
            one = slice(row, row + 1)
            spaced, of = self._spaced, self.of[one]
            yield AnswerBatch(self.answers[one], self.groups[one], spaced=spaced, of=of, statutes=self.statutes)

    def rows(self) -> Iterator[tuple[str, Groups]]:
        """Return each answer with all its references."""
        return zip(self.answers, self.groups, strict=True)

    def best(self, values: FloatArray | Flags) -> FloatArray:
        """Return the value of the best pair of each answer; NaN only where no pair has a value."""
        return np.fmax.reduceat(values.astype(np.float64), self._starts)

    def closest(self, overlaps: Overlaps) -> Overlaps:
        """Return the overlap of each answer with its closest reference by F1; the first of several."""
        if len(self.references) == len(self.answers):
            return overlaps
        is_best = overlaps.f1 == self.best(overlaps.f1)[self.row]
        indices = np.where(is_best, np.arange(len(self.references)), len(self.references))
        return overlaps.take(np.minimum.reduceat(indices, self._starts))

    def group_share(self, found: Flags) -> FloatArray:
        """Return the share of the groups of each answer in which some alias is found."""
        sizes = np.array([len(group) for row in self.groups for group in row], np.int64)
        by_group = np.logical_or.reduceat(found, np.cumsum(sizes) - sizes)
        counts = np.array([len(row) for row in self.groups], np.int64)
        return np.add.reduceat(by_group.astype(np.float64), np.cumsum(counts) - counts) / counts

    def share(self, found: Flags) -> FloatArray:
        """Return the share of the references of each answer that are found."""
        return np.add.reduceat(found.astype(np.float64), self._starts) / self._counts

    @cached_property
    def _starts(self) -> IntArray:
        return np.cumsum(self._counts) - self._counts

    @cached_property
    def _texts(self) -> list[str]:
        return [*self.answers, *self.references]

    def _coded(self, encoder: Encoder) -> Codes:
        """Return the codes of all answers, then of all references."""
        if encoder not in self._codes:
            rows = np.concatenate((np.arange(len(self.answers)), self.row))
            self._codes[encoder] = encoder.codes(self._texts, spaced=self._spaced, rows=rows)
        return self._codes[encoder]


def _contains(content: bytes, part: bytes, start: int, end: int) -> bool:
    """Return whether `content` has the machine words of `part` between start and end, aligned."""
    offset = content.find(part, start, end)
    while offset >= 0 and (offset - start) % _WORD:
        offset = content.find(part, offset + 1, end)
    return offset >= 0
