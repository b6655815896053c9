"""Texts encoded as token numbers, so that many texts can be compared at once.

No token spans a blank. All texts are split at blanks together, and each distinct piece is tokenized once; the result
equals that of `tokens` for each text. Runs of scripts without blanks are split further (`Runs`).
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from steelyard.text.characters import END, code_points, folded, have_kana
from steelyard.text.tokens import ARTICLES, TRUTH, is_hangul, is_run, marked_lexemes, segment, token_or_run

Cut = Callable[[str], Sequence[str]]
Numbers = NDArray[np.int64]

_SEPARATOR: Final = f" {END} "
_MOST_PIECES: Final = 1 << 18
_MOST_CHARACTERS: Final = 1 << 21  # of all pieces
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
        return Codes(self.values[_ranges(self.starts[texts], self.lengths[texts])], self.lengths[texts])

    @staticmethod
    def joined(parts: Sequence["Codes"]) -> "Codes":
        """All texts of the parts, one part after the other."""
        return Codes(np.concatenate([part.values for part in parts]), np.concatenate([part.lengths for part in parts]))


class Pieces(dict[str, int]):
    """Encoder of texts by their pieces between blanks.

    `cut` tokenizes pieces that are joined by " NUL "; each NUL must be a token of its own in what it returns. `tokens`
    tokenizes a text without tokens, and those in `exceptions`, as a whole.
    """

    def __init__(self, cut: Cut, tokens: Cut | None = None, exceptions: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.vocabulary = Vocabulary()
        self.generation = 0
        self._cut = cut
        self._tokens = tokens
        self._exceptions = exceptions
        self._texts: list[str] | None = None
        self._read = Codes(np.empty(0, np.int64), np.empty(0, np.int64))
        self._new: list[str] = []
        self._known: dict[str, int] = {}
        self._codes = self._counts = self._starts = np.empty(0, np.int64)
        self._characters = 0
        self._forget()

    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        self._new.append(piece)
        return number

    def codes(self, texts: list[str]) -> Codes:
        """The codes of texts without NUL."""
        if texts is self._texts:  # encoded twice for one batch
            return self._read
        if len(self) > _MOST_PIECES or self._characters > _MOST_CHARACTERS:
            self._forget()
        self._texts, self._read = texts, self._finished(self._unfinished(texts))
        if self._tokens is not None:
            apart = [text in self._exceptions for text in texts] if self._exceptions else False
            self._read = _with_apart(self._read, texts, self._tokens, self.vocabulary, apart)
        return self._read

    def _code(self, token: str) -> int:
        return self.vocabulary[token]

    def _unfinished(self, texts: list[str]) -> Codes:
        pieces = _SEPARATOR.join((*texts, "")).split()
        numbers = np.fromiter(map(self.__getitem__, pieces), np.int64, len(pieces))
        if self._new:
            self._cut_new()
        counts = self._counts[numbers]
        values = self._codes[_ranges(self._starts[numbers], counts)]
        ends = np.cumsum(counts)[numbers == 0]
        return Codes(values, np.diff(ends, prepend=0))

    def _cut_new(self) -> None:
        """Tokenize the new pieces, all together."""
        joined = _SEPARATOR.join((*self._new, ""))
        codes, counts = _cut_at_ends(self._known_codes(self._cut(joined)))
        self._codes = np.concatenate((self._codes, codes))
        self._counts = np.concatenate((self._counts, counts))
        self._starts = np.cumsum(self._counts) - self._counts
        self._characters += len(joined)
        self._new = []

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
        """Clear the caches; token numbers are valid within one batch only."""
        self.clear()
        self.vocabulary.clear()
        self._known.clear()
        self.generation += 1
        self._characters = 0
        self._codes, self._counts, self._starts = np.empty(0, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
        self[END] = 0
        self._known[END] = _NO_TOKEN


def _cut_at_ends(codes: Numbers) -> tuple[Numbers, Numbers]:
    """The codes without the marks at the ends of pieces, and the number of codes of each piece."""
    is_end = codes == _NO_TOKEN
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


class Lexemes(Pieces):
    """Encoder of texts as `atoms` tokenizes them, but for runs of scripts without blanks, which are one token.

    The rules about neighbours (articles, a single "true") are applied to all texts at once.
    """

    def __init__(self, tokens: Cut | None = None) -> None:
        super().__init__(_folded_lexemes, tokens)

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
        self.values = self.counts = np.empty(0, np.int64)

    def add(self, entries: list[str], vocabulary: Vocabulary) -> None:
        """Split further entries."""
        is_split = np.array([is_run(entry) and (self._hangul or not is_hangul(entry)) for entry in entries], np.bool_)
        runs = [entry for entry, is_one in zip(entries, is_split.tolist(), strict=True) if is_one]
        whole = [entry for entry, is_one in zip(entries, is_split.tolist(), strict=True) if not is_one]
        counts = np.ones(len(entries), np.int64)
        parts, counts[is_split] = self._parts(runs)
        values = np.empty(int(counts.sum()), np.int64)
        is_part = np.repeat(is_split, counts)
        values[is_part] = parts
        values[~is_part] = [vocabulary[entry] for entry in whole]
        self.values, self.counts = np.concatenate((self.values, values)), np.concatenate((self.counts, counts))


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
        if self._generation != self._lexemes.generation:
            self._forget()
        entries = list(islice(self._lexemes.vocabulary, len(self._splits[0].counts), None))
        for split in self._splits:
            split.add(entries, self.vocabulary)
        return _with_apart(self._parted(lexemes, texts), texts, self._tokens, self.vocabulary)

    def _parted(self, lexemes: Codes, texts: list[str]) -> Codes:
        """The tokens in place of the lexemes; in texts with kana, runs are split into characters."""
        rule = np.repeat(have_kana(texts) if self._segmented else np.zeros(len(texts), np.bool_), lexemes.lengths)
        starts, counts = self._places()
        entries = lexemes.values + rule * len(self._splits[0].counts)
        values = np.concatenate([split.values for split in self._splits])[_ranges(starts[entries], counts[entries])]
        ends = np.concatenate(([0], np.cumsum(counts[entries])))
        return Codes(values, ends[lexemes.ends] - ends[lexemes.starts])

    def _places(self) -> tuple[Numbers, Numbers]:
        counts = np.concatenate([split.counts for split in self._splits])
        return np.cumsum(counts) - counts, counts

    def _characters(self, runs: list[str]) -> tuple[Numbers, Numbers]:
        points = code_points("".join(runs))
        for point in np.unique(points[self._numbers[points] == 0]).tolist():
            self._numbers[point] = self.vocabulary[chr(point)] + 1
        return self._numbers[points].astype(np.int64) - 1, np.fromiter(map(len, runs), np.int64, len(runs))

    def _segments(self, runs: list[str]) -> tuple[Numbers, Numbers]:
        words = segment("\n".join((*runs, ""))) if runs else []
        numbers = {**dict.fromkeys(words, 0), "\n": _NO_TOKEN}
        for word in numbers.keys() - {"\n"}:
            numbers[word] = self.vocabulary[word]
        return _cut_at_ends(np.fromiter(map(numbers.__getitem__, words), np.int64, len(words)))

    def _forget(self) -> None:
        self.vocabulary.clear()
        self._generation = self._lexemes.generation
        self._numbers = np.zeros(sys.maxunicode + 1, np.int32)  # 1 + the number of each character
        by_characters = _Split(self._characters, hangul=not self._segmented)
        self._splits = (_Split(self._segments, hangul=False), by_characters) if self._segmented else (by_characters,)


class Encoder:
    """A tokenizer of texts: `tokens` for one text; the others, if given, for many texts at once.

    `spaced` is for texts in scripts with blanks between words, `others` for texts in any script.
    """

    def __init__(self, tokens: Cut, spaced: Pieces | None = None, others: Pieces | Runs | None = None) -> None:
        self.tokens = tokens
        self._spaced = spaced
        self._others = others

    def codes(self, texts: list[str], *, spaced: bool) -> Codes:
        """The codes of texts; `spaced` promises that all of them are, in the sense of `are_spaced`."""
        many = self._spaced if spaced else self._others
        if many is None or (not spaced and any(END in text for text in texts)):
            return _one_by_one(texts, self.tokens, Vocabulary())
        return many.codes(texts)


def _ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """The concatenated ranges that begin at each start and have the given lengths."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
