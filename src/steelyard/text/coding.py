"""Texts encoded as token numbers, so that many texts can be compared at once.

No token spans a blank. All texts are split at blanks together, and each distinct piece is tokenized once; the result
equals that of `tokens` for each text. Runs of scripts without blanks are split further (`Runs`).
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from types import ModuleType
from typing import Final
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from steelyard.native import kernel
from steelyard.text.characters import END, are_runs, code_points, folded, have_kana
from steelyard.text.tokens import ARTICLES, TRUTH, marked_lexemes, segment, token_or_run

Cut = Callable[[str], Sequence[str]]
Numbers = NDArray[np.int64]

_SEPARATOR: Final = f" {END} "
_LINE_END: Final = "\n"  # between runs that are segmented together
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
        return Codes(*_take_lists(self.values, self.starts, self.lengths, texts))

    def part(self, start: int, end: int) -> "Codes":
        """The codes of the texts from `start` to `end`, as views."""
        first = int(self.lengths[:start].sum())
        lengths = self.lengths[start:end]
        return Codes(self.values[first : first + int(lengths.sum())], lengths)

    @staticmethod
    def joined(parts: Sequence["Codes"]) -> "Codes":
        """All texts of the parts, one part after the other."""
        return Codes(np.concatenate([part.values for part in parts]), np.concatenate([part.lengths for part in parts]))


class Pieces:
    """Numbers of the pieces of texts between blanks; several encoders may share them.

    `names` are the pieces by number. `spaced` says that the texts are in scripts with blanks between words.
    """

    def __init__(self, *, spaced: bool = True) -> None:
        self.generation = 0
        self.names: list[str] = []
        self._most_characters = _MOST_CHARACTERS if spaced else _FEW_CHARACTERS
        self._characters = 0
        self._texts: list[str] | None = None
        self._numbers = np.empty(0, np.int64)
        self._forget()

    def numbers(self, texts: list[str]) -> Numbers:
        """The numbers of the pieces of texts without NUL; 0 at the end of each text."""
        if texts is not self._texts:  # else encoded again for one batch
            if len(self.names) > _MOST_PIECES or self._characters > self._most_characters:
                self._forget()
            self._texts, self._numbers = texts, self._numbered(_SEPARATOR.join((*texts, "")))
        return self._numbers

    def _numbered(self, text: str) -> Numbers:
        numbers, new = self._table.numbers(text, len(self.names))
        self.names += new
        self._characters += sum(map(len, new))
        return numbers

    def _forget(self) -> None:
        """Forget all pieces; numbers are valid within one batch only."""
        self._table: _PieceTable | _CompiledTable = _CompiledTable(native) if (native := kernel()) else _PieceTable()
        self.names = []
        self.generation += 1
        self._characters = 0
        self._numbered(END)


class _PieceTable:
    """A number for each piece of texts, assigned on first use."""

    def __init__(self) -> None:
        self._numbers = Vocabulary()

    def numbers(self, text: str, known: int) -> tuple[Numbers, list[str]]:
        """The numbers of the pieces of a text, and all pieces from number `known` on."""
        pieces = text.split()
        numbers = np.fromiter(map(self._numbers.__getitem__, pieces), np.int64, len(pieces))
        return numbers, list(islice(self._numbers, known, None))


class _CompiledTable:
    """The same in the compiled kernel."""

    def __init__(self, native: ModuleType) -> None:
        self._native = native
        self._table = native.new_pieces(hash(END))

    def numbers(self, text: str, known: int) -> tuple[Numbers, list[str]]:
        numbers, new = self._native.number_pieces(self._table, text.encode("utf-8", "surrogatepass"), known)
        return np.frombuffer(numbers, np.int64), new.decode("utf-8", "surrogatepass").split()


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
        self._read = Codes(np.empty(0, np.int64), np.empty(0, np.int64))
        self._known: dict[str, int] = {}
        self._codes = self._counts = self._starts = np.empty(0, np.int64)
        self._forget()

    def codes(self, texts: list[str]) -> Codes:
        """The codes of texts without NUL."""
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
        if new := self.pieces.names[len(self._counts) :]:
            self._cut_new(new)
        values, counts = _take_lists(self._codes, self._starts, self._counts, numbers)
        ends = np.cumsum(counts)[numbers == 0]
        return Codes(values, np.diff(ends, prepend=0))

    def _cut_new(self, new: list[str]) -> None:
        """Tokenize new pieces: the ASCII ones together, which is faster, and the others together."""
        is_ascii = np.fromiter(map(str.isascii, new), np.bool_, len(new))
        counts = np.empty(len(new), np.int64)
        starts = np.empty(len(new), np.int64)
        for some in (is_ascii, ~is_ascii):
            joined = _SEPARATOR.join((*compress(new, some), ""))
            codes, counts[some] = _cut_at_ends(self._known_codes(self._cut(joined)), _NO_TOKEN)
            starts[some] = len(self._codes) + np.cumsum(counts[some]) - counts[some]
            self._codes = np.concatenate((self._codes, codes))
        self._counts, self._starts = np.concatenate((self._counts, counts)), np.concatenate((self._starts, starts))

    def _known_codes(self, tokens: Sequence[str]) -> Numbers:
        known = self._known
        for token in dict.fromkeys(tokens):
            if token not in known:
                known[token] = self._code(token)
        return np.fromiter(map(known.__getitem__, tokens), np.int64, len(tokens))

    def _finished(self, codes: Codes) -> Codes:
        """The final codes; a subclass applies rules that depend on neighbouring tokens."""
        return codes

    def _forget(self) -> None:
        """Forget what is known of pieces."""
        self._generation = self.pieces.generation
        self.vocabulary.clear()
        self._known.clear()
        self._known[END] = _NO_TOKEN
        self._codes, self._counts, self._starts = np.empty(0, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)


def _cut_at_ends(codes: Numbers, mark: int) -> tuple[Numbers, Numbers]:
    """The codes without the marks at the ends of pieces, and the number of codes of each piece."""
    is_end = codes == mark
    return codes[~is_end], np.diff(np.flatnonzero(is_end), prepend=-1) - 1


def _with_apart(
    read: Codes, texts: list[str], tokens: Cut, vocabulary: Vocabulary, apart: Sequence[bool] | bool = False
) -> Codes:
    """The codes, with those of texts without tokens, and of texts that are `apart`, from the text as a whole."""
    again = np.flatnonzero(np.logical_or(read.lengths == 0, apart))
    if not len(again):
        return read
    indices = np.arange(len(texts))
    indices[again] = len(texts) + np.arange(len(again))
    return Codes.joined((read, _one_by_one([texts[index] for index in again], tokens, vocabulary))).take(indices)


def _one_by_one(texts: list[str], tokens: Cut, vocabulary: Vocabulary) -> Codes:
    tokenized = [tokens(text) for text in texts]
    lengths = np.fromiter(map(len, tokenized), np.int64, len(tokenized))
    numbers = map(vocabulary.__getitem__, chain.from_iterable(tokenized))
    return Codes(np.fromiter(numbers, np.int64, int(lengths.sum())), lengths)


class Lexemes(PieceEncoder):
    """Encoder of texts as `atoms` tokenizes them, but for runs of scripts without blanks, which are one token.

    The rules about neighbours (articles, a single "true") are applied to all texts at once.
    """

    def __init__(self, pieces: Pieces, tokens: Cut | None = None) -> None:
        super().__init__(pieces, _folded_lexemes, tokens)

    def _code(self, lexeme: str) -> int:
        word = len(lexeme) > 1 and lexeme[0].isalpha()
        truth = lexeme.lower() in TRUTH
        flags = word * _WORD | (lexeme in ARTICLES) * _ARTICLE | (lexeme == "A") * _CAPITAL | truth * _TRUTH
        return self.vocabulary[token_or_run(lexeme)] << _BITS | flags

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


def _folded_lexemes(text: str) -> list[str]:
    return marked_lexemes(text if text.isascii() else folded(normalize("NFC", text)))


class _Split:
    """The tokens of each entry of a vocabulary: the parts of a run, or the entry itself."""

    def __init__(self, parts: Callable[[list[str]], tuple[Numbers, Numbers]], *, hangul: bool) -> None:
        """`parts` gives the codes of the parts of runs, and their numbers; `hangul` if it splits these runs too."""
        self._parts = parts
        self._hangul = hangul
        self.values = self.counts = self.starts = np.empty(0, np.int64)

    def extend(self, entries: Vocabulary, tokens: Vocabulary) -> None:
        """Split the entries that are new."""
        new = list(islice(entries, len(self.counts), None))
        if not new:
            return
        is_split = are_runs(new, hangul=self._hangul)
        counts = np.ones(len(new), np.int64)
        parts, counts[is_split] = self._parts(list(compress(new, is_split)))
        is_part = np.repeat(is_split, counts)
        values = np.empty(len(is_part), np.int64)
        values[is_part] = parts
        values[~is_part] = [tokens[entry] for entry in compress(new, ~is_split)]
        self.values, self.counts = np.concatenate((self.values, values)), np.concatenate((self.counts, counts))
        self.starts = np.cumsum(self.counts) - self.counts

    def tokens(self, entries: Numbers) -> tuple[Numbers, Numbers]:
        """The tokens of these entries, and their numbers."""
        return _take_lists(self.values, self.starts, self.counts, entries)


class Runs:
    """Encoder of texts in any script, as `tokens` has it: `atoms` or, with `segmented`, `words`."""

    def __init__(self, lexemes: Lexemes, tokens: Cut, *, segmented: bool) -> None:
        self.vocabulary = Vocabulary()
        self._lexemes = lexemes
        self._tokens = tokens
        self._segmented = segmented
        self._forget()

    def codes(self, texts: list[str]) -> Codes:
        """The codes of texts without NUL."""
        lexemes = self._lexemes.codes(texts)
        if self._generation != self._lexemes.pieces.generation:
            self._forget()
        return _with_apart(self._parted(lexemes, texts), texts, self._tokens, self.vocabulary)

    def _parted(self, lexemes: Codes, texts: list[str]) -> Codes:
        """The tokens in place of the lexemes; in texts with kana, runs are split into characters."""
        if not self._segmented:
            return self._split_by(self._characters, lexemes)
        has_kana = np.array(have_kana(texts), np.bool_)
        if not has_kana.any():
            return self._split_by(self._segments, lexemes)
        apart = [np.flatnonzero(~has_kana), np.flatnonzero(has_kana)]
        splits = (self._segments, self._characters)
        parts = [self._split_by(split, lexemes.take(some)) for split, some in zip(splits, apart, strict=True)]
        return Codes.joined(parts).take(np.argsort(np.concatenate(apart)))

    def _split_by(self, split: _Split, lexemes: Codes) -> Codes:
        split.extend(self._lexemes.vocabulary, self.vocabulary)
        values, counts = split.tokens(lexemes.values)
        ends = np.concatenate(([0], np.cumsum(counts)))
        return Codes(values, ends[lexemes.ends] - ends[lexemes.starts])

    def _to_characters(self, runs: list[str]) -> tuple[Numbers, Numbers]:
        points = code_points("".join(runs))
        for point in np.unique(points[self._numbers[points] == 0]).tolist():
            self._numbers[point] = self.vocabulary[chr(point)] + 1
        return self._numbers[points].astype(np.int64) - 1, np.fromiter(map(len, runs), np.int64, len(runs))

    def _to_segments(self, runs: list[str]) -> tuple[Numbers, Numbers]:
        words = segment(_LINE_END.join((*runs, ""))) if runs else []
        numbers = np.fromiter(map(self.vocabulary.__getitem__, words), np.int64, len(words))
        return _cut_at_ends(numbers, self.vocabulary[_LINE_END])

    def _forget(self) -> None:
        self.vocabulary.clear()
        self._generation = self._lexemes.pieces.generation
        self._numbers = np.zeros(sys.maxunicode + 1, np.int32)  # 1 + the number of each character
        self._characters = _Split(self._to_characters, hangul=not self._segmented)
        self._segments = _Split(self._to_segments, hangul=False)


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

    def codes(self, texts: list[str], *, spaced: bool) -> Codes:
        """The codes of texts; `spaced` promises that all of them are, in the sense of `are_spaced`."""
        many = self._spaced if spaced else self._others
        if many is None or (not spaced and any(END in text for text in texts)):
            return _one_by_one(texts, self.tokens, Vocabulary())
        return many.codes(texts)


def _take_lists(values: Numbers, starts: Numbers, lengths: Numbers, chosen: Numbers) -> tuple[Numbers, Numbers]:
    """The values of the chosen lists, one after the other, and their lengths; list i begins at `starts[i]`."""
    taken = lengths[chosen]
    ends = np.cumsum(taken)
    total = int(ends[-1]) if len(ends) else 0
    return values[np.repeat(starts[chosen] - (ends - taken), taken) + np.arange(total)], taken
