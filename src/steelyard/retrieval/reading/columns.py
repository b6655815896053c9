"""Columns of ids and numbers given as Python, numpy or Arrow values: as bytes and arrays, without an object per row.

A column of ids becomes one text in which every id ends with a NUL byte. Only regular columns are taken: ids that are
text or whole numbers, and values that are numbers. For any other the functions return None; such a source is read row
by row (`tabular`), which finds what is wrong and where.
"""

import hashlib
import sys
import threading
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.retrieval.reading.decimals import LARGEST_WHOLE
from steelyard.retrieval.reading.spans import PADDING, Spans, padded
from steelyard.table import FloatArray, IntArray

NUMBERS: Final = frozenset((float, int, *(np.dtype(code).type for code in "bBhHiIlLqQefd")))
"""The types of regular values; bool is not among them."""
_LARGEST_DIGITS: Final = 10**18


class RowDigest:
    """SHA-256 of rows of query, document and value: the same for the same rows, whatever form they were given in.

    Used as a context, it hashes on a thread of its own, while the next rows are read and after its end.
    """

    def __init__(self) -> None:
        self._parts = [hashlib.sha256() for _ in range(4)]
        self._waiting: SimpleQueue[tuple[bytes, ...] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)

    def add(self, queries: bytes, counts: IntArray, documents: bytes, values: FloatArray | IntArray) -> None:
        """Add rows: `counts` says how many rows in succession are of each query; every id ends with NUL."""
        columns = (queries, counts.astype("<i8").tobytes(), documents, values.astype("<f8", copy=False).tobytes())
        if self._thread.is_alive():
            self._waiting.put(columns)
        else:
            self._update(columns)

    def hexdigest(self) -> str:
        """Return the digest of all rows; of a context, after its end."""
        if self._thread.is_alive():
            self._thread.join()
        return hashlib.sha256(b"".join(part.digest() for part in self._parts)).hexdigest()

    def _work(self) -> None:
        while columns := self._waiting.get():
            self._update(columns)

    def _update(self, columns: tuple[bytes, ...]) -> None:
        for part, column in zip(self._parts, columns, strict=True):
            part.update(column)


def digest_of_rows(queries: bytes, counts: IntArray, documents: bytes, values: FloatArray | IntArray) -> str:
    """Return the digest of rows that are there at once."""
    digest = RowDigest()
    digest.add(queries, counts, documents, values)
    return digest.hexdigest()


def joined_ids(ids: Iterable[str]) -> bytes:
    """Return the ids as one text, each with NUL at its end; TypeError or UnicodeError if one is no text."""
    return ("\0".join(ids) + "\0").encode()


def split_ids(text: bytes, count: int) -> Spans | None:
    """Return the column of `count` ids in one text; None if an id is empty or has a NUL byte in it."""
    buffer = padded(text)
    ends = np.flatnonzero(buffer[PADDING:-PADDING] == 0) + PADDING
    if len(ends) != count:
        return None
    starts = np.empty_like(ends)
    starts[:1] = PADDING
    starts[1:] = ends[:-1] + 1
    return None if (starts == ends).any() else Spans(buffer, starts, ends)


def split_known_ids(text: bytes, count: int) -> Spans:
    """Return the column of ids that are known to be regular."""
    spans = split_ids(text, count)
    if spans is None:
        raise ValueError("ids are not regular")
    return spans


def numbers_of(values: Iterable[Any], types: Iterable[type], count: int) -> FloatArray | None:
    """Return values of these types as doubles; None if one is not a number."""
    if not NUMBERS.issuperset(types):
        return None
    try:
        numbers = np.fromiter(values, np.float64, count)
    except OverflowError:
        return None
    return None if np.isnan(numbers).any() else numbers


def grades_of(numbers: FloatArray | None) -> IntArray | None:
    """Whole numbers as grades; None if one is not whole, or too large."""
    if numbers is None or not ((np.floor(numbers) == numbers) & (np.abs(numbers) < LARGEST_WHOLE)).all():
        return None
    return numbers.astype(np.int64)


class ValueColumn:
    """A column that can be cut: a list, a tuple, an array of one dimension, or an Arrow array."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self._is_arrow = is_arrow(values)

    @classmethod
    def of(cls, column: Any) -> "ValueColumn | None":
        """Return a column of any kind; None if it cannot be cut, such as an iterator."""
        if isinstance(column, list | tuple) or is_arrow(column):
            return cls(column)
        if isinstance(column, np.ndarray):  # not subclasses, such as those with masked values
            return cls(column) if type(column) is np.ndarray and column.ndim == 1 else None
        if hasattr(column, "dtype") and getattr(column, "ndim", 1) == 1 and hasattr(column, "to_numpy"):
            return cls(_series_values(column))
        return None

    def __len__(self) -> int:
        return len(self._values)

    def ids(self, start: int, end: int) -> bytes | None:
        """Return the ids of some rows, each with NUL at its end; None if one is neither text nor whole number."""
        part = self._values[start:end]
        try:
            if self._is_arrow:
                return _arrow_ids(part)
            if isinstance(part, np.ndarray) and part.dtype.kind != "O":
                return _array_ids(part)
            return joined_ids(part)
        except TypeError:
            return joined_ids(map(str, part)) if set(map(type, part)) == {int} else None
        except ValueError:  # UnicodeError is one
            return None

    def numbers(self, start: int, end: int) -> FloatArray | None:
        """Return the numbers of some rows as doubles; None if a value is not a number."""
        part = self._values[start:end]
        if self._is_arrow:
            part = _arrow_numbers(part)
        if isinstance(part, np.ndarray) and part.dtype.kind != "O":
            if part.dtype.kind not in "fiu" or part.dtype.itemsize > 8:
                return None
            numbers = part.astype(np.float64)
            return None if np.isnan(numbers).any() else numbers
        return None if part is None else numbers_of(part, set(map(type, part)), len(part))


def is_arrow(column: Any) -> bool:
    """Return whether a column is an array of pyarrow."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(column, pyarrow.Array | pyarrow.ChunkedArray)


def _series_values(series: Any) -> Any:
    """Return the values of a series of a data frame: as Arrow if they are stored so, else as a numpy array."""
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        if hasattr(series, "to_arrow"):
            return series.to_arrow()
        try:
            return pyarrow.array(series)
        except (pyarrow.ArrowException, ArithmeticError, TypeError, ValueError):
            return series.to_numpy()
    return series.to_numpy()


def _array_ids(part: NDArray[Any]) -> bytes | None:
    if part.dtype.kind in "iu":
        return _whole_ids(part)
    return joined_ids(part.tolist()) if part.dtype.kind == "U" else None


def _whole_ids(numbers: NDArray[Any]) -> bytes:
    """Whole numbers in decimal digits."""
    largest = int(numbers.max(initial=0))
    if numbers.min(initial=0) < 0 or largest > _LARGEST_DIGITS:
        return joined_ids(map(str, numbers.tolist()))
    width = len(str(largest))
    rest = numbers.astype(np.int64)
    digits, used = np.empty((len(rest), width), np.uint8), np.empty((len(rest), width), np.bool_)
    for place in range(width - 1, -1, -1):
        used[:, place] = rest > 0
        shorter = rest // 10
        digits[:, place] = rest - shorter * 10
        rest = shorter
    used[:, -1] = True  # of 0
    cells = np.zeros((len(used), width + 1), np.uint8)  # with NUL after the digits
    cells[:, :-1] = digits + ord("0")
    text: bytes = cells[np.column_stack((used, np.ones(len(used), np.bool_)))].tobytes()
    return text


def _arrow_ids(part: Any) -> bytes | None:
    import pyarrow
    import pyarrow.compute

    types = pyarrow.types
    values = part.combine_chunks() if isinstance(part, pyarrow.ChunkedArray) else part
    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    is_text = any(test(values.type) for test in (types.is_string, types.is_large_string, types.is_string_view))
    if values.null_count or not (is_text or types.is_integer(values.type)):
        return None
    kind = pyarrow.large_string()
    rows = pyarrow.ListArray.from_arrays([0, len(values)], values.cast(kind))
    text: bytes = bytes(pyarrow.compute.binary_join(rows, pyarrow.scalar("\0", kind))[0].as_buffer()) + b"\0"
    if not text.isascii():
        text.decode()  # Arrow does not check the encoding of what it reads
    return text


def _arrow_numbers(part: Any) -> NDArray[Any] | None:
    import pyarrow

    types = pyarrow.types
    if part.null_count or not (types.is_floating(part.type) or types.is_integer(part.type)):
        return None
    values: NDArray[Any] = part.to_numpy() if isinstance(part, pyarrow.ChunkedArray) else part.to_numpy(False)
    return values
