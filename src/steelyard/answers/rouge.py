"""ROUGE: shared words, bigrams, and the longest common subsequence of a prediction and a reference.

C.-Y. Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. The values equal those of rouge_score 0.1.2.
Functions of one pair are the reference; the compiled kernel counts many pairs at once. Where there is none, or texts
are very long, pairs are compared one by one with the same results.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from steelyard.native import kernel
from steelyard.table import Flags, FloatArray, IntArray
from steelyard.text.coding import Codes
from steelyard.text.stemming import stem

_ENGLISH_TOKEN: Final = re.compile(r"[a-z0-9]+")
_MARKED_TOKEN: Final = re.compile(r"[a-z0-9]+|\0")
# the ends of sentences in rouge_chinese, in its order: between the two groups
_SENTENCE_ENDS: Final = tuple(
    re.compile(rule)
    for rule in ("([。！？?])([^”’])", "([.]{6})([^”’])", "(…{2})([^”’])", "([。！？?][”’])([^，。！？?])")
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shared part as a share of the prediction, as a share of the reference, and the harmonic mean of the two."""

    precision: float
    recall: float
    f1: float


_NOTHING: Final = Overlap(0.0, 0.0, 0.0)
ADDEND: Final = 1e-8  # rouge_chinese adds it to the divisor of F1, so equal texts have 0.999999995


def english_tokens(text: str, *, stemmed: bool, marked: bool = False) -> list[str]:
    """Return runs of a-z and 0-9 in the lower-cased text; other characters separate, accented letters too.

    As in rouge_score, tokens of up to three characters are never stemmed. With `marked`, NUL characters are tokens too.

    >>> english_tokens("The U.S. generously agreed", stemmed=True)
    ['the', 'u', 's', 'gener', 'agre']
    """
    tokens = (_MARKED_TOKEN if marked else _ENGLISH_TOKEN).findall(text.lower())
    return [stem(token) if len(token) > 3 else token for token in tokens] if stemmed else tokens


def ngram_overlap(prediction: Sequence[str], reference: Sequence[str], *, n: int) -> Overlap:
    """ROUGE-N over clipped n-grams; 0 if a side has fewer than n tokens."""
    shared = shared_ngrams(prediction, reference, n=n)
    return _overlap(shared, max(len(prediction) - n + 1, 0), max(len(reference) - n + 1, 0))


def shared_ngrams(prediction: Sequence[Hashable], reference: Sequence[Hashable], *, n: int) -> int:
    """Return the number of common n-grams, clipped."""
    predicted, wanted = Counter(ngrams(prediction, n)), Counter(ngrams(reference, n))
    common = predicted.keys() & wanted.keys()
    return sum(map(min, map(predicted.__getitem__, common), map(wanted.__getitem__, common)))


def summary_overlap(
    prediction_sentences: Sequence[Sequence[str]], reference_sentences: Sequence[Sequence[str]]
) -> Overlap:
    """ROUGE-Lsum: tokens of a reference sentence in its longest common subsequence with any predicted sentence.

    A token is clipped to its count in the prediction. Of several longest subsequences that of rouge_score is used.
    """
    predicted = Counter(chain.from_iterable(prediction_sentences))
    masks = [(_masks(sentence), len(sentence)) for sentence in prediction_sentences]
    matched: Counter[str] = Counter()
    for sentence in reference_sentences:
        positions = {position for mask, width in masks for position in _matched(sentence, mask, width)}
        matched.update(sentence[position] for position in positions)
    return _overlap((matched & predicted).total(), predicted.total(), sum(map(len, reference_sentences)))


def chinese_words(tokens: Sequence[str]) -> list[str]:
    """Return the words that rouge_chinese counts in tokens joined by blanks.

    A sentence may end within a token, and a blank line is an empty word.
    """
    text = " ".join(tokens)
    for rule in _SENTENCE_ENDS:
        text = rule.sub(r"\1\n\2", text)
    sentences = [sentence for sentence in text.rstrip().split("\n") if sentence]
    return [word for sentence in sentences for word in sentence.split() or [""]]


def _overlap(shared: int, predicted: int, wanted: int) -> Overlap:
    if not shared:
        return _NOTHING
    precision, recall = shared / predicted, shared / wanted
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def ngrams(tokens: Sequence[Hashable], n: int) -> Iterable[Hashable]:
    """Return the n-grams of the tokens."""
    if n < 1:
        raise ValueError(f"an n-gram has at least one token, not {n}")
    return tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False)


def subsequence_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence."""
    last = deque(_rows(left, _masks(right), len(right)), maxlen=1).pop()
    return _length(last, len(right))


def _matched(sentence: Sequence[str], masks: Mapping[Hashable, int], width: int) -> list[int]:
    """Return the positions in the sentence of one longest common subsequence, found from the end as in rouge_score."""
    rows = list(_rows(sentence, masks, width))
    positions = []
    row, column = len(sentence), width
    while row and column:
        if (masks.get(sentence[row - 1], 0) >> (column - 1)) & 1:
            row, column = row - 1, column - 1
            positions.append(row)
        elif _length(rows[row], column - 1) > _length(rows[row - 1], column):
            column -= 1
        else:
            row -= 1
    return positions


def _rows(tokens: Sequence[Hashable], masks: Mapping[Hashable, int], width: int) -> Iterator[int]:
    """Yield the table of common subsequence lengths, a row for each prefix of the tokens, as bits: 0 for a rise.

    H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004. A row is an integer of any size.
    """
    full = (1 << width) - 1
    row = full
    yield row
    for token in tokens:
        common = row & masks.get(token, 0)
        row = ((row + common) | (row - common)) & full
        yield row


def _length(row: int, column: int) -> int:
    return column - (row & ((1 << column) - 1)).bit_count()


def _masks(tokens: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return the positions of each token, as bits."""
    masks: dict[Hashable, int] = {}
    for position, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | (1 << position)
    return masks


_MOST_COMPILED: Final = 1 << 36  # cells (tokens of one side times those of the other) of one pair in the kernel
_CALL_CELLS: Final = 1 << 34  # cells of the pairs of one call: Ctrl-C is heard after it


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The shared part of each pair as a share of the prediction, of the reference, and the harmonic mean of the two."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray

    @classmethod
    def of(cls, shared: IntArray, predicted: IntArray, wanted: IntArray, addend: float = 0.0) -> "Overlaps":
        """Return overlaps from counts; 0 if nothing is shared. `addend` is added to the divisor of F1."""
        some = shared > 0
        precision = np.divide(shared, predicted, out=np.zeros(len(shared)), where=some)
        recall = np.divide(shared, wanted, out=np.zeros(len(shared)), where=some)
        return cls(
            precision,
            recall,
            np.divide(2 * precision * recall, precision + recall + addend, out=recall * 0, where=some),
        )

    def with_ones(self, where: Flags) -> "Overlaps":
        """Return the overlaps with 1 where the flag is set."""
        return Overlaps(*(np.where(where, 1.0, column) for column in (self.precision, self.recall, self.f1)))

    def take(self, indices: IntArray) -> "Overlaps":
        """Return the overlaps at these indices."""
        return Overlaps(self.precision[indices], self.recall[indices], self.f1[indices])


@dataclass(frozen=True, slots=True)
class Shared:
    """Counts for each pair: tokens of each side, shared tokens and bigrams, and tokens of the reference that occur."""

    predicted: IntArray
    wanted: IntArray
    unigrams: IntArray
    bigrams: IntArray
    subsequence: IntArray
    present: IntArray

    @property
    def equal(self) -> Flags:
        """Return whether both have the same tokens in the same order."""
        return self.covered & np.equal(self.predicted, self.wanted)

    @property
    def covered(self) -> Flags:
        """Return whether the reference is a subsequence of the prediction."""
        return np.equal(self.subsequence, self.wanted)


def shared_of(predictions: Codes, references: Codes) -> Shared:
    """Return the shared counts of each prediction and its reference."""
    native = _kernel_for(predictions, references)
    if native is None:
        counts = _by_pair(_shared_of_one, predictions, references, 4)
    else:
        counts = _in_calls(native.count_shared, predictions, references, 4)
    return Shared(predictions.lengths, references.lengths, *counts)


def distinct_of(predictions: Codes, references: Codes, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the numbers of distinct n-grams (n is 1 or 2) of pairs: common, of the prediction, of the reference."""
    native = _kernel_for(predictions, references)
    if native is None:
        counts = _by_pair(_distinct_of_one, predictions, references, 3, n)
    else:
        counts = _in_calls(native.count_distinct, predictions, references, 3, n)
    return counts[0], counts[1], counts[2]


def _kernel_for(predictions: Codes, references: Codes) -> Any:
    cells = predictions.lengths * references.lengths
    return kernel() if cells.max(initial=0) <= _MOST_COMPILED else None


def _in_calls(count: Callable[..., bytes], predictions: Codes, references: Codes, rows: int, *n: int) -> IntArray:
    """Return the rows of counts of all pairs; a call has a part of them, unless there is little to do."""
    cells = predictions.lengths * references.lengths
    call = (np.cumsum(cells) - cells) // _CALL_CELLS
    edges = [0, *(np.flatnonzero(np.diff(call)) + 1).tolist(), len(cells)]
    counts = [
        count(*_columns(predictions.part(*edge)), *_columns(references.part(*edge)), *n) for edge in pairwise(edges)
    ]
    return np.hstack([np.frombuffer(part, np.int64).reshape(rows, -1) for part in counts])


def _columns(codes: Codes) -> tuple[IntArray, IntArray]:
    return np.ascontiguousarray(codes.values, np.int64), np.ascontiguousarray(codes.lengths, np.int64)


def _by_pair(
    count: Callable[..., tuple[int, ...]], predictions: Codes, references: Codes, rows: int, *n: int
) -> IntArray:
    pairs = zip(_texts(predictions), _texts(references), strict=True)
    counts = [count(predicted, wanted, *n) for predicted, wanted in pairs]
    return np.array(counts, np.int64).reshape(-1, rows).T


def _texts(codes: Codes) -> Iterator[list[int]]:
    return (codes.values[start:end].tolist() for start, end in zip(codes.starts, codes.ends, strict=True))


def _shared_of_one(predicted: list[int], wanted: list[int]) -> tuple[int, int, int, int]:
    return (
        shared_ngrams(predicted, wanted, n=1),
        shared_ngrams(predicted, wanted, n=2),
        subsequence_length(predicted, wanted),
        sum(map(set(predicted).__contains__, wanted)),
    )


def _distinct_of_one(predicted: list[int], wanted: list[int], n: int) -> tuple[int, int, int]:
    left, right = set(ngrams(predicted, n)), set(ngrams(wanted, n))
    return len(left & right), len(left), len(right)
