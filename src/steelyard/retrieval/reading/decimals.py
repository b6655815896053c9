"""Vectorized number parsing: each value becomes the same double that `float()` returns.

A value such as `-12.345678` is loaded as the three machine words that end where it ends, the point is removed, and
eight digits at a time become an integer. Up to 2^53 one correctly rounded division by a power of ten is exact;
up to 19 digits the quotient is refined with error-free arithmetic, and the few that fall too near a rounding border,
like everything in another notation (`1e-5`, `inf`), go to `float()` one by one.
"""

import numpy as np

from steelyard.retrieval.reading.spans import Spans, Words, word_view
from steelyard.table import Flags, FloatArray, IntArray

_BYTE = np.uint64(8)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # as digits are 0 to 9
_ABOVE_NINE = np.uint64(0x7676767676767676)
_NOTHING = np.zeros(1, np.uint64)
_WIDTH = 24
_NO_POINT, _SEVERAL_POINTS = -1, -2

_POWERS = np.array([10.0**n for n in range(_WIDTH)])
# masks of the bytes of a word before byte n, n = 0 … 8
_BEFORE = np.array([(1 << (8 * n)) - 1 for n in range(9)], np.uint64)
LARGEST_WHOLE = 1 << 53
"""From here on doubles do not represent all integers."""
_EXACT = np.uint64(LARGEST_WHOLE)
_SPLITTER = 134217729.0  # 2^27 + 1: halves a double for an exact product (Veltkamp)


def parse_numbers(column: Spans) -> tuple[FloatArray, IntArray]:
    """Return the values as doubles, and the rows that are not numbers; these are NaN, and so are written NaNs."""
    values = np.zeros(len(column))
    plain = _parse_plain(column, values)
    if plain.all():
        return values, np.zeros(0, np.int64)
    rest = np.flatnonzero(~plain)
    for row in rest.tolist():
        values[row] = _parse_one(column.bytes_at(row))
    return values, rest[np.isnan(values[rest])]


def parse_integers(column: Spans) -> tuple[IntArray, IntArray]:
    """Return the values as integers, and the rows that are not integers; `2.0` is the integer 2."""
    values, _ = parse_numbers(column)
    is_integer = np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < LARGEST_WHOLE)
    bad = np.flatnonzero(~is_integer)
    values[bad] = 0
    return values.astype(np.int64), bad


def means_infinity(text: str) -> bool:
    """Return whether an infinite number is written as infinity (`-inf`) and not too large for a double (`1e999`)."""
    return "inf" in text.lower()


def _parse_one(text: bytes) -> float:
    try:
        return float("nan") if b"_" in text else float(text)
    except ValueError:
        return float("nan")


def _parse_plain(column: Spans, values: FloatArray) -> Flags:
    """Fill in all plain decimals (`-?digits[.digits]`); the flags of their rows."""
    if not len(column):
        return np.zeros(0, np.bool_)
    negative = column.buffer[column.starts] == ord("-")
    lengths = column.ends - column.starts - negative
    words = _ending_words(column, lengths)
    fraction = _squeeze_point(words)
    has_digits = lengths > (fraction >= 0)
    plain: Flags = (lengths <= _WIDTH) & has_digits & _all_digits(words)
    mantissa, fits = _join([_eight_digits(word) for word in words])
    plain &= fits & (fraction != _SEVERAL_POINTS)
    powers = _POWERS.take(np.maximum(fraction, 0))
    np.divide(mantissa, powers, out=values)
    if mantissa.max() > _EXACT:
        large = np.flatnonzero(plain & (mantissa > _EXACT))
        values[large], certain = _divide_exactly(mantissa[large], powers[large])
        plain[large[~certain]] = False
    if negative.any():
        np.negative(values, out=values, where=negative)
    return plain


def _ending_words(column: Spans, lengths: IntArray) -> list[Words]:
    """Return the last 8, 16 or 24 bytes of each value as words, last word first: digits as 0 to 9, 0 before."""
    view = word_view(column.buffer)
    shortest, longest = int(lengths.min()), int(lengths.max())
    words = []
    for back in range(8, min(max(longest, 1), _WIDTH) + 8, 8):
        word = view[column.ends - back] ^ _ZEROS
        if shortest < back:
            word &= ~_BEFORE.take(np.clip(back - lengths, 0, 8))
        words.append(word)
    return words


def _squeeze_point(words: list[Words]) -> IntArray:
    """Remove a decimal point from each row, in place; how many digits followed it, -1 for none, -2 for several."""
    fraction = np.full(len(words[0]), _NO_POINT, np.int64)
    for index, word in enumerate(words):
        different = word ^ _POINTS
        marks = (different - _ONES) & ~different & _HIGH
        if marks[0] and (marks == marks[0]).all():  # %.6f and similar: the point is at the same position in all rows
            fraction[:] = 8 * index + 7 - _marked_byte(marks[:1])
            _shift_over(words, index, slice(None), _marked_byte(marks[:1]))
            return fraction
        rows = np.flatnonzero(marks)
        byte = _marked_byte(marks[rows])
        fraction[rows] = np.where(fraction[rows] == _NO_POINT, 8 * index + 7 - byte, _SEVERAL_POINTS)
        _shift_over(words, index, rows, byte)
    return fraction


def _marked_byte(marks: Words) -> IntArray:
    """Return the first byte of each word that is marked by its highest bit."""
    lowest = marks & (~marks + np.uint64(1))
    return np.bitwise_count(lowest - np.uint64(1)).astype(np.int64) // 8


def _shift_over(words: list[Words], index: int, rows: IntArray | slice, byte: IntArray) -> None:
    """Move the bytes before byte `byte` of word `index` one byte on, over the point."""
    word = words[index][rows]
    kept = word & ~_BEFORE[byte + 1]
    carried = (word & _BEFORE[byte]) << _BYTE
    for before in range(index + 1, len(words)):
        earlier = words[before][rows]
        words[before - 1][rows] = kept | carried | (earlier >> np.uint64(56))
        kept, carried = _NOTHING, earlier << _BYTE
    words[-1][rows] = kept | carried


def _all_digits(words: list[Words]) -> Flags:
    excess = np.zeros_like(words[0])
    for word in words:
        excess |= (word + _ABOVE_NINE) | word
    digits: Flags = (excess & _HIGH) == 0
    return digits


def _eight_digits(word: Words) -> Words:
    """Eight digits, the first in the lowest byte, as an integer."""
    pairs = (word * np.uint64(2561)) >> _BYTE
    fours = ((pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    return ((fours & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)


def _join(eights: list[Words]) -> tuple[Words, Flags]:
    """One integer per row, and whether it fits: at most 19 digits."""
    total = eights[0]
    if len(eights) > 1:
        total = total + eights[1] * np.uint64(10**8)
    if len(eights) > 2:
        return total + eights[2] * np.uint64(10**16), eights[2] < np.uint64(1000)
    return total, np.ones(len(total), np.bool_)


def _divide_exactly(mantissa: Words, power: FloatArray) -> tuple[FloatArray, Flags]:
    """`mantissa / power`, correctly rounded, and whether that is certain.

    The quotient is refined by its exact remainder; it is certain unless the correction lies within a hair of half a
    unit in the last place.
    """
    high = mantissa.astype(np.float64)
    low = (mantissa - high.astype(np.uint64)).astype(np.int64).astype(np.float64)
    quotient = high / power
    product, error = _exact_product(quotient, power)
    correction = ((high - product) - error + low) / power
    result = quotient + correction
    missed = np.abs((quotient - result) + correction)
    half = np.spacing(result) / 2
    return result, (np.abs(missed - half) > half * 1e-9) & (np.abs(missed - half / 2) > half * 1e-9)


def _exact_product(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded product and its rounding error (Dekker)."""
    product = left * right
    left_high, left_low = _halves(left)
    right_high, right_low = _halves(right)
    error = ((left_high * right_high - product) + left_high * right_low + left_low * right_high) + left_low * right_low
    return product, error


def _halves(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = _SPLITTER * value
    high = scaled - (scaled - value)
    return high, value - high
