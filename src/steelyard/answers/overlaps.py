"""Overlaps of many pairs of texts at once: shared tokens, bigrams, and the longest common subsequence.

Pairs of similar size form a block. If token i of a prediction equals token j of its reference, bit j of row i is set;
the overlaps are counts of such bits. The values equal those of `steelyard.answers.rouge`, which compares one pair, and
those of the compiled kernel, which counts in their place where it is installed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard.answers.rouge import ngrams, shared_ngrams, subsequence_length
from steelyard.native import kernel
from steelyard.table import Flags, FloatArray, IntArray
from steelyard.text.coding import Codes

Tokens = NDArray[np.signedinteger[Any]]
Bits = NDArray[np.unsignedinteger[Any]]

_CELLS: Final = 1 << 19  # of a block of pairs: large enough to amortize numpy calls, small enough for the cache
_MOST_CELLS: Final = 1 << 22  # of one pair; longer texts are compared one by one
_FEW_WORDS: Final = 8  # of bits
_MOST_COMPILED: Final = 1 << 36  # of one pair in the kernel
_CALL_CELLS: Final = 1 << 34  # of the pairs of one call: Ctrl-C is heard after it
_NO_TOKEN, _NO_OTHER = -1, -2


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The shared part of each pair as a share of the prediction, of the reference, and the harmonic mean of the two."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray

    @classmethod
    def of(cls, shared: IntArray, predicted: IntArray, wanted: IntArray, addend: float = 0.0) -> "Overlaps":
        """From counts; 0 if nothing is shared. `addend` is added to the divisor of F1."""
        some = shared > 0
        precision = np.divide(shared, predicted, out=np.zeros(len(shared)), where=some)
        recall = np.divide(shared, wanted, out=np.zeros(len(shared)), where=some)
        return cls(
            precision,
            recall,
            np.divide(2 * precision * recall, precision + recall + addend, out=recall * 0, where=some),
        )

    def with_ones(self, where: Flags) -> "Overlaps":
        """The overlaps with 1 where the flag is set."""
        return Overlaps(*(np.where(where, 1.0, column) for column in (self.precision, self.recall, self.f1)))

    def take(self, indices: IntArray) -> "Overlaps":
        """The overlaps at these indices."""
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
        """Whether both have the same tokens in the same order."""
        return self.covered & np.equal(self.predicted, self.wanted)

    @property
    def covered(self) -> Flags:
        """Whether the reference is a subsequence of the prediction."""
        return np.equal(self.subsequence, self.wanted)


def shared_of(predictions: Codes, references: Codes) -> Shared:
    """The shared counts of each prediction and its reference."""
    compiled = count_shared(predictions, references)
    if compiled is not None:
        return Shared(predictions.lengths, references.lengths, *compiled)
    counts = np.zeros((4, len(predictions.lengths)), np.int64)
    kind = _kind(predictions, references)
    for block in _blocks(predictions.lengths, references.lengths):
        left, right = _padded(predictions, block, _NO_TOKEN, kind), _padded(references, block, _NO_OTHER, kind)
        if left.shape[1] * right.shape[1] > _MOST_CELLS:
            counts[:, block] = np.array([_one_pair(*pair) for pair in zip(left, right, strict=True)]).T
        elif left.size and right.size:
            counts[:, block] = _many_pairs(left, right)
    return Shared(predictions.lengths, references.lengths, *counts)


def distinct_of(predictions: Codes, references: Codes, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """The numbers of distinct n-grams (n is 1 or 2) of each pair: common, of the prediction, of the reference."""
    compiled = count_distinct(predictions, references, n)
    if compiled is not None:
        return compiled[0], compiled[1], compiled[2]
    counts = np.zeros((3, len(predictions.lengths)), np.int64)
    kind = _kind(predictions, references)
    for block in _blocks(predictions.lengths, references.lengths):
        left, right = _padded(predictions, block, _NO_TOKEN, kind), _padded(references, block, _NO_OTHER, kind)
        if max(left.shape[1], right.shape[1]) ** 2 > _MOST_CELLS:
            counts[:, block] = np.array([_distinct_of_one(*pair, n) for pair in zip(left, right, strict=True)]).T
        elif min(left.shape[1], right.shape[1]) >= n:
            equal = _bits(left, right)
            first, first_right = _is_first(left, n), _is_first(right, n)
            some = _count(equal if n == 1 else _with_next(equal)) > 0
            counts[:, block] = [np.count_nonzero(flags, axis=1) for flags in (first & some, first, first_right)]
    return counts[0], counts[1], counts[2]


def count_shared(predictions: Codes, references: Codes) -> IntArray | None:
    """Four rows of counts: shared tokens, bigrams, the longest common subsequence, present; None without a kernel."""
    native = _kernel_for(predictions, references)
    return None if native is None else _in_calls(native.count_shared, predictions, references, 4)


def count_distinct(predictions: Codes, references: Codes, n: int) -> IntArray | None:
    """Three rows of counts of distinct n-grams: common, of the prediction, of the reference; None without a kernel."""
    native = _kernel_for(predictions, references)
    return None if native is None else _in_calls(native.count_distinct, predictions, references, 3, n)


def _kernel_for(predictions: Codes, references: Codes) -> Any:
    cells = predictions.lengths * references.lengths
    return kernel() if cells.max(initial=0) <= _MOST_COMPILED else None


def _in_calls(count: Callable[..., bytes], predictions: Codes, references: Codes, rows: int, *n: int) -> IntArray:
    """The rows of counts of all pairs; a call has a part of them, unless there is little to do."""
    cells = predictions.lengths * references.lengths
    call = (np.cumsum(cells) - cells) // _CALL_CELLS
    edges = [0, *(np.flatnonzero(np.diff(call)) + 1).tolist(), len(cells)]
    sides = ((predictions.part(*pair), references.part(*pair)) for pair in pairwise(edges))
    return np.hstack([_rows(count(*_columns(left), *_columns(right), *n), rows) for left, right in sides])


def _columns(codes: Codes) -> tuple[IntArray, IntArray]:
    return np.ascontiguousarray(codes.values, np.int64), np.ascontiguousarray(codes.lengths, np.int64)


def _rows(counts: bytes, rows: int) -> IntArray:
    return np.frombuffer(counts, np.int64).reshape(rows, -1)


def _is_first(tokens: Tokens, n: int) -> Flags:
    """Whether the n-gram at each position exists and does not occur before."""
    own = _bits(tokens, tokens)
    own = own if n == 1 else _with_next(own)
    is_new = _count(own & _bits_before(tokens.shape[1])[: own.shape[1]]) == 0
    return np.asarray(is_new & (tokens[:, n - 1 :] >= 0))


def _distinct_of_one(left: Tokens, right: Tokens, n: int) -> tuple[int, int, int]:
    predicted, wanted = (set(ngrams(side[side >= 0].tolist(), n)) for side in (left, right))
    return len(predicted & wanted), len(predicted), len(wanted)


def _blocks(left: IntArray, right: IntArray) -> Iterator[IntArray]:
    """The indices of pairs of similar size, block by block."""
    order = np.lexsort((left, right))
    sizes = np.maximum(left * right, 1)[order]
    start = 0
    while start < len(order):
        end = start + max(1, int(_CELLS // sizes[start]))
        while end > start + 1 and _area(left, right, order[start:end]) * (end - start) > 2 * _CELLS:
            end = (start + end + 1) // 2
        yield order[start:end]
        start = min(end, len(order))


def _area(left: IntArray, right: IntArray, pairs: IntArray) -> int:
    return int(left[pairs].max() * right[pairs].max())


def _kind(*sides: Codes) -> type[np.signedinteger[Any]]:
    """The smallest type that holds all tokens: the comparison of smaller numbers is faster."""
    largest = max(int(side.values.max(initial=0)) for side in sides)
    return np.int16 if largest <= np.iinfo(np.int16).max else np.int32


def _padded(codes: Codes, texts: IntArray, filler: int, kind: type[np.signedinteger[Any]]) -> Tokens:
    """The codes of these texts as rows, padded at the right."""
    lengths = codes.lengths[texts]
    columns = np.arange(lengths.max(initial=0))
    is_token = columns < lengths[:, None]
    table = np.full(is_token.shape, filler, kind)
    table[is_token] = codes.take(texts).values
    return table


def _many_pairs(left: Tokens, right: Tokens) -> IntArray:
    equal, own = _bits(left, right), _bits(left, left)
    before = _bits_before(left.shape[1])
    return np.stack(
        (
            _clipped(equal, own & before),
            _clipped(_with_next(equal), _with_next(own) & before[:-1]),
            _subsequences(equal),
            _count(np.bitwise_or.reduce(equal, axis=1)),
        )
    )


def _bits(rows: Tokens, columns: Tokens) -> Bits:
    """For each pair and each token of one side, the positions of the same token in the other side."""
    word = _word(columns.shape[1])
    same = np.zeros((*rows.shape, -(-columns.shape[1] // word) * word), np.bool_)
    np.equal(rows[:, :, None], columns[:, None, :], out=same[:, :, : columns.shape[1]])
    return _packed(same, word)


def _bits_before(rows: int) -> Bits:
    """For each position, all positions before it."""
    word = _word(rows)
    return _packed(np.tri(rows, -(-rows // word) * word, -1, np.bool_), word)


def _word(bits: int) -> int:
    """The width of a machine word: the smallest that has all bits, at most 64."""
    return next((width for width in (8, 16, 32) if bits <= width), 64)


def _packed(flags: NDArray[np.bool_], word: int) -> Bits:
    packed: Bits = np.packbits(flags.reshape(-1), bitorder="little").view(f"<u{word // 8}")
    return packed.reshape(*flags.shape[:-1], -1)


def _with_next(equal: Bits) -> Bits:
    """The positions at which the token and the next one are equal."""
    following = equal[:, 1:] >> 1
    following[:, :, :-1] |= equal[:, 1:, 1:] << (8 * equal.itemsize - 1)
    return np.asarray(equal[:, :-1] & following)


def _clipped(equal: Bits, earlier: Bits) -> IntArray:
    """The number of clipped matches: the nth occurrence of a token matches if the other side has at least n."""
    matches: IntArray = np.count_nonzero(_count(earlier) < _count(equal), axis=1)
    return matches


def _count(bits: Bits) -> NDArray[np.unsignedinteger[Any]]:
    """The number of set bits, over the last axis; few words are added one by one, which is faster than a sum."""
    counts = np.bitwise_count(bits)
    if bits.shape[-1] == 1:
        return np.asarray(counts[..., 0])
    if bits.shape[-1] > _FEW_WORDS:
        return np.asarray(counts.sum(axis=-1, dtype=np.uint64))
    total = counts[..., 0].astype(np.uint16)
    for word in range(1, bits.shape[-1]):
        total += counts[..., word]
    return total


def _subsequences(equal: Bits) -> IntArray:
    """The length of the longest common subsequence: H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004."""
    words = equal.shape[2]
    state = [~np.zeros(len(equal), equal.dtype) for _ in range(words)]
    for row in np.ascontiguousarray(equal.transpose(1, 2, 0)):
        carry: NDArray[np.bool_] | None = None
        for word, (bits, old) in enumerate(zip(row, state, strict=True)):
            common = bits & old
            total = old + common
            over = total < old
            if carry is not None:
                total += carry
                over |= total < carry
            state[word] = total | (old - common)
            carry = over if words > 1 else None
    return np.asarray(8 * equal.itemsize * words - _count(np.stack(state, axis=1)).astype(np.int64))


def _one_pair(left: Tokens, right: Tokens) -> tuple[int, int, int, int]:
    predicted, wanted = left[left >= 0].tolist(), right[right >= 0].tolist()
    return (
        shared_ngrams(predicted, wanted, n=1),
        shared_ngrams(predicted, wanted, n=2),
        subsequence_length(predicted, wanted),
        sum(map(set(predicted).__contains__, wanted)),
    )
