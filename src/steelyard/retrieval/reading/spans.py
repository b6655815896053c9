"""Columns of text as slices of one byte buffer, without a Python object per value.

A column is a buffer with the start and end of each value; values are compared, hashed and ordered eight bytes at a
time, by machine words.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.table import Flags, IntArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

PADDING = 32
"""Spare bytes on both sides of a buffer, so that a word can be loaded anywhere near a value."""

# masks that keep the first n bytes of a little-endian word, n = 0 … 8
_FIRST_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], np.uint64)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_PORTION = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Values `buffer[starts[i]:ends[i]]`; the buffer has PADDING spare bytes before the first and after the last."""

    buffer: Bytes
    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, values: Iterable[bytes]) -> "Spans":
        """Return a column of these values, copied into one buffer."""
        parts = list(values)
        lengths = np.fromiter((len(part) for part in parts), np.int64, len(parts))
        ends = np.cumsum(lengths) + PADDING
        return cls(padded(b"".join(parts)), ends - lengths, ends)

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, rows: IntArray | slice) -> "Spans":
        """Return the same column with only these rows, in this order."""
        return Spans(self.buffer, self.starts[rows], self.ends[rows])

    def bytes_at(self, row: int) -> bytes:
        """One value."""
        return self.buffer[self.starts[row] : self.ends[row]].tobytes()

    def text_at(self, row: int) -> str:
        """One value as text."""
        return self.bytes_at(row).decode("utf-8")

    def texts(self) -> list[str]:
        """Return all values as text; no value contains a zero byte."""
        portions = (self.take(slice(first, first + _PORTION)) for first in range(0, len(self), _PORTION))
        return [text for portion in portions for text in portion.joined().decode("utf-8").split("\0")[:-1]]

    def joined(self) -> bytes:
        """Return the values one after the other, each with a zero byte at its end."""
        sizes = self.ends - self.starts + 1
        joined = self.buffer[ranges(self.starts, sizes)]
        joined[np.cumsum(sizes) - 1] = 0
        return joined.tobytes()

    def words(self) -> Iterator[tuple[IntArray | slice, Words]]:
        """Yield the values as zero-padded little-endian words, eight bytes at a time: rows that reach so far, words.

        The first step has all rows; one very long value does not slow down the others.
        """
        lengths = self.ends - self.starts
        view = word_view(self.buffer)
        yield slice(None), view[self.starts] & _FIRST_BYTES.take(np.minimum(lengths, 8))
        rows = np.flatnonzero(lengths > 8)
        for first in range(8, int(lengths.max(initial=0)), 8):
            rows = rows[lengths[rows] > first]
            index = self.starts[rows] + first
            yield rows, view[index] & _FIRST_BYTES.take(np.minimum(lengths[rows] - first, 8))

    def order(self) -> IntArray:
        """Return rows in byte order, smallest first; equal values keep their order."""
        keys = self.sort_keys()
        return stable_order(keys[0]) if len(keys) == 1 else np.lexsort(keys)

    def sort_keys(self) -> list[Words]:
        """Return keys for `np.lexsort` that sort the rows in byte order, the most significant key last."""
        return [_spread(rows, words, len(self)).byteswap() for rows, words in self.words()][::-1]

    def hashes(self) -> Words:
        """Return 64-bit hashes; equal values have equal hashes, and values up to eight bytes never collide."""
        total = np.zeros(len(self), np.uint64)
        weight = 1
        for rows, words in self.words():
            weight = weight * int(_MULTIPLIER) % (1 << 64)
            mixed = words * _MULTIPLIER
            mixed ^= mixed >> _HALF
            total[rows] += mixed * np.uint64(weight)
        return total ^ (total >> _HALF)

    def equals(self, other: "Spans") -> Flags:
        """Row by row, whether both have the same bytes."""
        same: Flags = (self.ends - self.starts) == (other.ends - other.starts)
        both = np.flatnonzero(same)
        for (rows, ours), (_, theirs) in zip(self.take(both).words(), other.take(both).words(), strict=True):
            same[both[rows]] &= ours == theirs
        return same

    def changes(self) -> Flags:
        """Row by row, whether the value differs from the row before; the first row always does."""
        changed = np.ones(len(self), np.bool_)
        lengths = self.ends - self.starts
        changed[1:] = lengths[1:] != lengths[:-1]
        for rows, words in self.words():
            column = _spread(rows, words, len(self))
            changed[1:] |= column[1:] != column[:-1]
        return changed


def _spread(rows: IntArray | slice, words: Words, count: int) -> Words:
    """Return the words in a column of all rows, zero if a row has none."""
    if isinstance(rows, slice):
        return words
    column = np.zeros(count, np.uint64)
    column[rows] = words
    return column


def stable_order(keys: Words) -> IntArray:
    """Return the order of keys, smallest first; equal keys keep their order.

    The keys are sorted by sixteen bits at a time, the last ones first, which NumPy does in linear time.
    """
    order: IntArray | None = None
    for shift in range(0, 64, 16):
        digits = (keys >> np.uint64(shift)).astype(np.uint16)
        if len(keys) and digits.min() == digits.max():
            continue
        order = np.argsort(digits, kind="stable") if order is None else order[np.argsort(digits[order], kind="stable")]
    return np.arange(len(keys)) if order is None else order


def grouped_order(groups: Words, keys: Words) -> IntArray:
    """Return the order of rows by group, then by key, smallest first; equal rows keep their order."""
    order = stable_order(keys)
    return order[stable_order(groups[order])]


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return all of `start … start + length - 1`, one range after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())


def padded(text: bytes) -> Bytes:
    """Return the bytes as a buffer with spare bytes on both sides, none of them white; `text` begins at PADDING."""
    spare = b"~" * PADDING
    return np.frombuffer(b"".join((spare, text, spare)), np.uint8)


def word_view(buffer: Bytes) -> Words:
    """Return the buffer as the little-endian words that begin at each of its bytes."""
    return np.ndarray((len(buffer) - 7,), np.dtype("<u8"), buffer, 0, (1,))


def combine(hashes: Words, numbers: IntArray) -> Words:
    """Mix a number (such as that of a query) into each hash."""
    mixed = (hashes + numbers.view(np.uint64) * np.uint64(0xD6E8FEB86659FD93)) * _MULTIPLIER
    return mixed ^ (mixed >> _HALF)
