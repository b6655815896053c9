"""Texts encoded as token numbers, so that many texts can be compared at once.

No token spans a blank. All texts are split at blanks together, and each distinct piece is tokenized once; the result
equals that of `tokens` for each text. Runs of scripts without blanks are split further (`Runs`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from types import ModuleType
from typing import Final
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from steelyard.native import kernel
from steelyard.text.normalisation import fold, has_kana
from steelyard.text.tokens import ARTICLES, DENSE_RUN, END, RUN, TRUTH, marked_lexemes, segment, token_or_run

Cut = Callable[[str], Sequence[str]]
Numbers = NDArray[np.int64]

_SEPARATOR: Final = f" {END} "
_MOST_PIECES: Final = 1 << 18
_MOST_CHARACTERS: Final = 1 << 21  # of all pieces that are remembered
_FEW_CHARACTERS: Final = 1 << 18  # the same for texts in scripts without blanks, whose pieces seldom occur again
_NO_TOKEN: Final = -1
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
    """Lists of numbers, usually the tokens of texts: list i has the `lengths[i]` values that end before `ends[i]`."""

    values: Numbers
    lengths: Numbers

    @property
    def ends(self) -> Numbers:
        return np.cumsum(self.lengths)

    @property
    def starts(self) -> Numbers:
        return self.ends - self.lengths

    def take(self, chosen: Numbers) -> "Codes":
        """Return these lists, in this order."""
        lengths = self.lengths[chosen]
        ends = np.cumsum(lengths)
        total = int(ends[-1]) if len(ends) else 0
        return Codes(
            self.values[np.repeat(self.starts[chosen] - (ends - lengths), lengths) + np.arange(total)], lengths
        )

    def part(self, start: int, end: int) -> "Codes":
        """Return the lists from `start` to `end`, as views."""
        first = int(self.lengths[:start].sum())
        lengths = self.lengths[start:end]
        return Codes(self.values[first : first + int(lengths.sum())], lengths)

    def summed(self, lengths: Numbers) -> "Codes":
        """Return longer lists: the first `lengths[0]` lists become one, and so on."""
        ends = np.concatenate(([0], self.ends))
        return Codes(self.values, np.diff(ends[np.cumsum(lengths)], prepend=0))

    @staticmethod
    def joined(parts: Sequence["Codes"]) -> "Codes":
        return Codes(np.concatenate([part.values for part in parts]), np.concatenate([part.lengths for part in parts]))

    @staticmethod
    def cut(values: Numbers, mark: int) -> "Codes":
        """Return the lists that each end with the mark, without the marks."""
        is_end = values == mark
        return Codes(values[~is_end], np.diff(np.flatnonzero(is_end), prepend=-1) - 1)

    @staticmethod
    def of(tokens: Sequence[Sequence[str]], vocabulary: "Vocabulary") -> "Codes":
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        numbers = map(vocabulary.__getitem__, chain.from_iterable(tokens))
        return Codes(np.fromiter(numbers, np.int64, int(lengths.sum())), lengths)


_NONE: Final = Codes(np.empty(0, np.int64), np.empty(0, np.int64))


class Pieces:
    """Numbers of the pieces of texts between blanks; several encoders may share them.

    `names` are the pieces by number. `spaced` says that the texts are in scripts with blanks between words.
    """

    def __init__(self, *, spaced: bool = True) -> None:
        self.generation = 0
        self._most_characters = _MOST_CHARACTERS if spaced else _FEW_CHARACTERS
        self._texts: list[str] | None = None
        self._numbers = np.empty(0, np.int64)
        self._forget()

    def numbers(self, texts: list[str]) -> Numbers:
        """Return the numbers of the pieces of texts without NUL; 0 at the end of each text."""
        if texts is not self._texts:  # else encoded again for one batch
            if len(self.names) > _MOST_PIECES or self._characters > self._most_characters:
                self._forget()
            self._texts, self._numbers = texts, self._numbered(_SEPARATOR.join((*texts, "")))
        return self._numbers

    def _numbered(self, text: str) -> Numbers:
        numbers, new = self._number(text, len(self.names))
        self.names += new
        self._characters += sum(map(len, new))
        return numbers

    def _forget(self) -> None:
        native = kernel()
        self._number = _numbering() if native is None else _compiled_numbering(native)
        self.names: list[str] = []
        self.generation += 1
        self._characters = 0
        self._numbered(END)


_Numbering = Callable[[str, int], tuple[Numbers, list[str]]]
"""Gives the numbers of the pieces of a text, assigned on first use, and all pieces from a number on."""


def _numbering() -> _Numbering:
    vocabulary = Vocabulary()

    def number(text: str, known: int) -> tuple[Numbers, list[str]]:
        return Codes.of([text.split()], vocabulary).values, list(islice(vocabulary, known, None))

    return number


def _compiled_numbering(native: ModuleType) -> _Numbering:
    """Return the same in the compiled kernel."""
    table = native.new_pieces(hash(END))

    def number(text: str, known: int) -> tuple[Numbers, list[str]]:
        numbers, new = native.number_pieces(table, text.encode("utf-8", "surrogatepass"), known)
        return np.frombuffer(numbers, np.int64), new.decode("utf-8", "surrogatepass").split()

    return number


class PieceEncoder:
    """Encoder of texts by their pieces.

    `cut` tokenizes pieces that are joined by " NUL "; each NUL must be a token of its own in what it returns. `tokens`
    tokenizes a text without tokens, and those in `exceptions`, as a whole.
    """

    def __init__(
        self, pieces: Pieces, cut: Cut, tokens: Cut | None = None, exceptions: frozenset[str] = frozenset()
    ) -> None:
        self.vocabulary = Vocabulary()
        self.pieces = pieces
        self._cut = cut
        self._tokens = tokens
        self._exceptions = exceptions
        self._texts: list[str] | None = None
        self._read = self._pieces = _NONE
        self._forget()

    def codes(self, texts: list[str]) -> Codes:
        if texts is self._texts:  # encoded twice for one batch
            return self._read
        self._texts, self._read = texts, self._finished(self._unfinished(texts))
        if self._tokens is not None:
            apart = [text in self._exceptions for text in texts] if self._exceptions else False
            self._read = _with_apart(self._read, texts, self._tokens, self.vocabulary, apart)
        return self._read

    def _code(self, token: str) -> int:
        return self.vocabulary[token]

    def _unfinished(self, texts: list[str]) -> Codes:
        numbers = self.pieces.numbers(texts)
        if self._generation != self.pieces.generation:
            self._forget()
        if new := self.pieces.names[len(self._pieces.lengths) :]:
            self._cut_new(new)
        codes = self._pieces.take(numbers)
        return Codes(codes.values, np.diff(codes.ends[numbers == 0], prepend=0))

    def _cut_new(self, new: list[str]) -> None:
        tokens = self._cut(_SEPARATOR.join((*new, "")))
        for token in dict.fromkeys(tokens):
            if token not in self._known:
                self._known[token] = self._code(token)
        codes = np.fromiter(map(self._known.__getitem__, tokens), np.int64, len(tokens))
        self._pieces = Codes.joined((self._pieces, Codes.cut(codes, _NO_TOKEN)))

    def _finished(self, codes: Codes) -> Codes:
        """Return the final codes; a subclass applies rules that depend on neighbouring tokens."""
        return codes

    def _forget(self) -> None:
        self._generation = self.pieces.generation
        self.vocabulary.clear()
        self._known = {END: _NO_TOKEN}
        self._pieces = Codes(np.empty(0, np.int64), np.zeros(1, np.int64))  # of END, then of the pieces


def _with_apart(
    read: Codes, texts: list[str], tokens: Cut, vocabulary: Vocabulary, apart: Sequence[bool] | bool = False
) -> Codes:
    """Return the codes, with those of texts without tokens, and of texts that are `apart`, from the text as a whole."""
    again = np.flatnonzero(np.logical_or(read.lengths == 0, apart))
    if not len(again):
        return read
    indices = np.arange(len(texts))
    indices[again] = len(texts) + np.arange(len(again))
    return Codes.joined((read, Codes.of([tokens(texts[index]) for index in again], vocabulary))).take(indices)


class Lexemes(PieceEncoder):
    """Encoder of texts as `atoms` tokenizes them, but for runs of scripts without blanks, which are one token.

    The rules about neighbours (articles, a single "true") are applied to all texts at once.
    """

    def __init__(self, pieces: Pieces, tokens: Cut | None = None, *, articles: bool = False) -> None:
        super().__init__(pieces, _folded_lexemes, tokens)
        self._keeps_articles = articles

    def _code(self, lexeme: str) -> int:
        word = len(lexeme) > 1 and lexeme[0].isalpha()
        truth = lexeme.lower() in TRUTH
        flags = word * _WORD | (lexeme in ARTICLES) * _ARTICLE | (lexeme == "A") * _CAPITAL | truth * _TRUTH
        return self.vocabulary[token_or_run(lexeme)] << _BITS | flags

    def _finished(self, codes: Codes) -> Codes:
        values = self._alone(codes) >> _BITS
        if self._keeps_articles:
            return Codes(values, codes.lengths)
        is_token = ~self._articles(codes)
        dropped = np.concatenate(([0], np.cumsum(~is_token)))
        return Codes(values[is_token], codes.lengths - (dropped[codes.ends] - dropped[codes.starts]))

    def _alone(self, codes: Codes) -> Numbers:
        """Return the values, with "true" or "false" as the only token of a text replaced by yes or no."""
        values = codes.values.copy()
        alone = codes.starts[codes.lengths == 1]
        for truth, answer in TRUTH.items():
            matches = alone[values[alone] == (self.vocabulary[truth] << _BITS | _WORD | _TRUTH)]
            values[matches] = self.vocabulary[answer] << _BITS
        return values

    def _articles(self, codes: Codes) -> NDArray[np.bool_]:
        """Return which tokens are articles before another word of the same text; "A" only as the first token."""
        values = codes.values
        before_word = np.zeros(len(values), np.bool_)
        before_word[:-1] = values[1:] & _WORD != 0
        before_word[codes.ends[codes.lengths > 0] - 1] = False
        is_first = np.zeros(len(values), np.bool_)
        is_first[codes.starts[codes.lengths > 0]] = True
        is_article: NDArray[np.bool_] = (values & _ARTICLE != 0) & before_word
        return np.asarray(is_article & ((values & _CAPITAL == 0) | is_first))


def _folded_lexemes(text: str) -> list[str]:
    return marked_lexemes(text if text.isascii() else fold(normalize("NFC", text)))


class Runs:
    """Encoder of texts in any script, as `tokens` has it: `atoms` or, with `segmented`, `words`."""

    def __init__(self, lexemes: Lexemes, tokens: Cut, *, segmented: bool) -> None:
        self.vocabulary = Vocabulary()
        self._lexemes = lexemes
        self._tokens = tokens
        self._run = DENSE_RUN if segmented else RUN
        self._segmented = segmented
        self._forget()

    def codes(self, texts: list[str], rows: Numbers | None = None) -> Codes:
        lexemes = self._lexemes.codes(texts)
        if self._generation != self._lexemes.pieces.generation:
            self._forget()
        return _with_apart(self._parted(lexemes, texts, rows), texts, self._tokens, self.vocabulary)

    def _parted(self, lexemes: Codes, texts: list[str], rows: Numbers | None) -> Codes:
        """Return the tokens in place of the lexemes; in rows with kana, runs are split into characters."""
        if not self._segmented:
            return self._split(lexemes, str)
        is_kana = np.array([has_kana(text) for text in texts], np.bool_)
        if rows is not None:
            is_kana = np.bincount(rows, is_kana)[rows] > 0
        if not is_kana.any():
            return self._split(lexemes, segment)
        apart = [np.flatnonzero(~is_kana), np.flatnonzero(is_kana)]
        parts = (self._split(lexemes.take(apart[0]), segment), self._split(lexemes.take(apart[1]), str))
        return Codes.joined(parts).take(np.argsort(np.concatenate(apart)))

    def _split(self, lexemes: Codes, cut: Cut) -> Codes:
        """Return the tokens of texts whose runs are cut in this way; each distinct run is cut once."""
        known = self._known[cut]
        new = islice(self._lexemes.vocabulary, len(known.lengths), None)
        parts = [cut(entry) if self._run.match(entry) else (entry,) for entry in new]
        self._known[cut] = known = Codes.joined((known, Codes.of(parts, self.vocabulary)))
        return known.take(lexemes.values).summed(lexemes.lengths)

    def _forget(self) -> None:
        self.vocabulary.clear()
        self._generation = self._lexemes.pieces.generation
        self._known: dict[Cut, Codes] = {str: _NONE, segment: _NONE}  # of the entries of the lexemes' vocabulary


class Encoder:
    """A tokenizer of texts: `tokens` for one text; the others, if given, for many texts at once.

    `spaced` is for texts in scripts with blanks between words, `others` for texts in any script.
    """

    def __init__(
        self, tokens: Cut, spaced: PieceEncoder | None = None, others: PieceEncoder | Runs | None = None
    ) -> None:
        self.tokens = tokens
        self._spaced = spaced
        self._others = others

    def codes(self, texts: list[str], *, spaced: bool, rows: Numbers | None = None) -> Codes:
        """Return the codes of texts; those of a row, by its number, are compared, and read in the same way.

        A reference without kana is Japanese if the answer has kana.
        """
        many = self._spaced if spaced else self._others
        if many is None:
            return Codes.of([self.tokens(text) for text in texts], Vocabulary())
        apart = [] if spaced else [END in text for text in texts]
        plain = ["" if has_end else text for text, has_end in zip(texts, apart, strict=True)] if any(apart) else texts
        read = many.codes(plain, rows) if isinstance(many, Runs) else many.codes(plain)
        return _with_apart(read, texts, self.tokens, many.vocabulary, apart) if any(apart) else read
