"""Texts encoded as token numbers, so that many texts can be compared at once.

Most texts are plain: ASCII, in which a token never spans a blank. These are split at blanks all together, and each
distinct piece is tokenized once; the result equals that of `tokens` for each text.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.text.tokens import ARTICLES, TRUTH, plain_lexemes, plain_token

Cut = Callable[[str], Sequence[str]]
Numbers = NDArray[np.int64]

_END: Final = "\0"  # a separate piece after every text
_MOST_PIECES: Final = 1 << 18
# flags in the low bits of the code of a lexeme; its token is in the bits above
_WORD, _ARTICLE, _CAPITAL, _TRUTH = 1, 2, 4, 8
_BITS: Final = 4


class Vocabulary(dict[str, int]):
    """A number for each token, assigned on first use."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Codes:
    """The tokens of texts as numbers: text i has the `lengths[i]` values that end before `ends[i]`."""

    values: Numbers
    lengths: Numbers

    @property
    def ends(self) -> Numbers:
        return np.cumsum(self.lengths)

    @property
    def starts(self) -> Numbers:
        return self.ends - self.lengths

    def take(self, texts: Numbers) -> "Codes":
        """The codes of these texts, in this order."""
        return Codes(self.values[_ranges(self.starts[texts], self.lengths[texts])], self.lengths[texts])

    @staticmethod
    def joined(parts: Sequence["Codes"]) -> "Codes":
        """All texts of the parts, one part after the other."""
        return Codes(np.concatenate([part.values for part in parts]), np.concatenate([part.lengths for part in parts]))


def is_plain(text: str) -> bool:
    """Whether a text can be encoded piece by piece."""
    return text.isascii() and _END not in text


class Pieces(dict[str, int]):
    """Encoder of plain texts by their pieces; `cut` tokenizes a piece."""

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
        """The codes of plain texts."""
        if texts is self._texts:  # encoded twice for one batch
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
        """The final codes; a subclass applies rules that depend on neighbouring tokens."""
        return codes

    def _forget(self) -> None:
        """Clear the caches; token numbers are valid within one batch only."""
        self.clear()
        self.vocabulary.clear()
        self._codes, self._counts = array("q"), array("q", [0])
        self[_END] = 0


class Encoder:
    """A tokenizer of texts: `tokens` for one text; `plain`, if given, for many plain texts at once.

    Plain texts in `exceptions` are tokenized as one text, not by their pieces, and so are texts without tokens.
    """

    def __init__(self, tokens: Cut, plain: Pieces | None = None, exceptions: frozenset[str] = frozenset()) -> None:
        self.tokens = tokens
        self._plain = plain
        self._vocabulary = Vocabulary() if plain is None else plain.vocabulary
        self._exceptions = exceptions

    def codes(self, texts: list[str], *, plain: bool) -> Codes:
        """The codes of texts; `plain` promises that all of them are plain."""
        if not plain or self._plain is None:
            return self._one_by_one(texts)
        read = self._plain.codes(texts)
        is_exception = [text in self._exceptions for text in texts] if self._exceptions else False
        again = np.flatnonzero(np.logical_or(read.lengths == 0, is_exception))
        if not len(again):
            return read
        indices = np.arange(len(texts))
        indices[again] = len(texts) + np.arange(len(again))
        return Codes.joined((read, self._one_by_one([texts[index] for index in again]))).take(indices)

    def _one_by_one(self, texts: list[str]) -> Codes:
        tokenized = [self.tokens(text) for text in texts]
        lengths = np.fromiter(map(len, tokenized), np.int64, len(tokenized))
        numbers = map(self._vocabulary.__getitem__, chain.from_iterable(tokenized))
        return Codes(np.fromiter(numbers, np.int64, int(lengths.sum())), lengths)


class PlainAtoms(Pieces):
    """Encoder of plain texts as `atoms` tokenizes them.

    The rules about neighbours (articles, a single "true") are applied to all texts at once.
    """

    def __init__(self) -> None:
        super().__init__(plain_lexemes)

    def _code(self, lexeme: str) -> int:
        word = len(lexeme) > 1 and lexeme[0].isalpha()
        truth = lexeme.lower() in TRUTH
        flags = word * _WORD | (lexeme in ARTICLES) * _ARTICLE | (lexeme == "A") * _CAPITAL | truth * _TRUTH
        return self.vocabulary[plain_token(lexeme)] << _BITS | flags

    def _finished(self, codes: Codes) -> Codes:
        values = self._alone(codes) >> _BITS
        kept = ~self._articles(codes)
        dropped = np.concatenate(([0], np.cumsum(~kept)))
        return Codes(values[kept], codes.lengths - (dropped[codes.ends] - dropped[codes.starts]))

    def _alone(self, codes: Codes) -> Numbers:
        """The values, with "true" or "false" as the only token of a text replaced by yes or no."""
        values = codes.values.copy()
        alone = codes.starts[codes.lengths == 1]
        for truth, answer in TRUTH.items():
            matches = alone[values[alone] == (self.vocabulary[truth] << _BITS | _WORD | _TRUTH)]
            values[matches] = self.vocabulary[answer] << _BITS
        return values

    def _articles(self, codes: Codes) -> NDArray[np.bool_]:
        """Which tokens are articles before another word of the same text; "A" only as the first token."""
        values = codes.values
        before_word = np.zeros(len(values), np.bool_)
        before_word[:-1] = values[1:] & _WORD != 0
        before_word[codes.ends[codes.lengths > 0] - 1] = False
        is_first = np.zeros(len(values), np.bool_)
        is_first[codes.starts[codes.lengths > 0]] = True
        is_article: NDArray[np.bool_] = (values & _ARTICLE != 0) & before_word
        return np.asarray(is_article & ((values & _CAPITAL == 0) | is_first))


def _ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """The concatenated ranges that begin at each start and have the given lengths."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
