"""Texts as rows of numbers, one for each token, so that many texts can be compared at once.

Most texts are plain: ASCII, in which a token never reaches across a blank. Those are cut at their blanks all together,
and each different piece is looked at once; what that gives equals what `tokens` gives text by text.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Cut = Callable[[str], Sequence[str]]
Numbers = NDArray[np.int64]

_END: Final = "\0"  # a piece of its own after every text
_MOST_PIECES: Final = 1 << 18


class Vocabulary(dict[str, int]):
    """A number for each token, given out as tokens come."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Codes:
    """The tokens of texts as numbers: those of text i are the `lengths[i]` values that end before `ends[i]`."""

    values: Numbers
    lengths: Numbers

    @property
    def ends(self) -> Numbers:
        return np.cumsum(self.lengths)

    @property
    def starts(self) -> Numbers:
        return self.ends - self.lengths

    def take(self, places: Numbers) -> "Codes":
        """The codes of these texts, in this order."""
        return Codes(self.values[_ranges(self.starts[places], self.lengths[places])], self.lengths[places])

    @staticmethod
    def joined(parts: Sequence["Codes"]) -> "Codes":
        """All texts of the parts, one part after the other."""
        return Codes(np.concatenate([part.values for part in parts]), np.concatenate([part.lengths for part in parts]))


def is_plain(text: str) -> bool:
    """Whether a text may be read piece by piece."""
    return text.isascii() and _END not in text


class Pieces(dict[str, int]):
    """Plain texts by their pieces: `cut` gives the tokens of a piece."""

    def __init__(self, cut: Cut) -> None:
        super().__init__()
        self.vocabulary = Vocabulary()
        self._cut = cut
        self._texts: list[str] | None = None
        self._read = Codes(np.empty(0, np.int64), np.empty(0, np.int64))
        self._forget()

    def __missing__(self, piece: str) -> int:
        tokens = self._cut(piece)
        self._codes.extend(map(self._code, tokens))
        self._counts.append(len(tokens))
        self[piece] = number = len(self)
        return number

    def codes(self, texts: list[str]) -> Codes:
        """The codes of these texts, none of which holds the mark of an end."""
        if texts is self._texts:  # two readings of one batch
            return self._read
        if len(self) > _MOST_PIECES:
            self._forget()
        self._texts, self._read = texts, self._finished(self._unfinished(texts))
        return self._read

    def _code(self, token: str) -> int:
        return self.vocabulary[token]

    def _unfinished(self, texts: list[str]) -> Codes:
        pieces = f" {_END} ".join((*texts, "")).split()
        numbers = np.fromiter(map(self.__getitem__, pieces), np.int64, len(pieces))
        counts = np.array(self._counts, np.int64)
        starts = np.cumsum(counts) - counts
        values = np.array(self._codes, np.int64)[_ranges(starts[numbers], counts[numbers])]
        ends = np.cumsum(counts[numbers])[numbers == 0]
        return Codes(values, np.diff(ends, prepend=0))

    def _finished(self, codes: Codes) -> Codes:
        """What depends on neighbours is for others to do."""
        return codes

    def _forget(self) -> None:
        """Begin anew; the numbers of a batch mean nothing in the next."""
        self.clear()
        self.vocabulary.clear()
        self._codes, self._counts = array("q"), array("q", [0])
        self[_END] = 0


class Reading:
    """One way to take tokens from texts: `tokens` says how; `plain`, if given, does so for many plain texts at once.

    Plain texts in `whole` mean something else as a whole than their pieces do, and so may texts that come to nothing.
    """

    def __init__(self, tokens: Cut, plain: Pieces | None = None, whole: frozenset[str] = frozenset()) -> None:
        self.tokens = tokens
        self._plain = plain
        self._vocabulary = Vocabulary() if plain is None else plain.vocabulary
        self._whole = whole

    def codes(self, texts: list[str], *, plain: bool) -> Codes:
        """The codes of texts, all of which are plain if `plain` says so."""
        if not plain or self._plain is None:
            return self._one_by_one(texts)
        read = self._plain.codes(texts)
        is_whole = [text in self._whole for text in texts] if self._whole else False
        again = np.flatnonzero(np.logical_or(read.lengths == 0, is_whole))
        if not len(again):
            return read
        places = np.arange(len(texts))
        places[again] = len(texts) + np.arange(len(again))
        return Codes.joined((read, self._one_by_one([texts[place] for place in again]))).take(places)

    def _one_by_one(self, texts: list[str]) -> Codes:
        found = [self.tokens(text) for text in texts]
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        numbers = map(self._vocabulary.__getitem__, chain.from_iterable(found))
        return Codes(np.fromiter(numbers, np.int64, int(lengths.sum())), lengths)


def _ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """All numbers from each start on, as many as its length, in one row."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
