"""Whitespace-separated columns of a block of lines, split with array operations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from steelyard.errors import MOST_PROBLEMS
from steelyard.i18n import Message
from steelyard.retrieval.reading.spans import PADDING, Bytes, Spans, padded
from steelyard.table import Flags, IntArray

TOO_FEW_COLUMNS = "formats.too_few_columns"
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH = 9, 10, 13, 32, 35


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """The wanted columns of each non-empty line; `line` is its number, counted from 0 in its block.

    `widths` is the number of columns of each line; `comments` counts the lines that begin with #. `problems` are lines
    that cannot be split or have too few columns (these are left out), by number, with the reason; only the first of
    each sort are kept.
    """

    columns: list[Spans]
    line: IntArray
    widths: IntArray
    lines: int
    comments: int = 0
    problems: list[tuple[int, Message]] = field(default_factory=list)


def split_fields(block: bytes, columns: int, wanted: Sequence[int]) -> Fields:
    """Split complete lines at runs of spaces and tabs into at least `columns` columns, and keep the `wanted` ones.

    Blank lines and lines that begin with # are skipped.
    """
    buffer = padded(block)
    white = buffer <= _SPACE
    return _split_regular(buffer, white, columns, wanted) or _split_any(buffer, white, columns, wanted)


def _split_regular(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields | None:
    """The common case: every line has the same number of fields, one space or tab between them."""
    if white[PADDING] or (white[1:] & white[:-1]).any():
        return None
    separators = np.flatnonzero(white)
    width = int(np.argmax(buffer[separators[: columns + 8]] == _NEWLINE)) + 1
    lines, rest = divmod(len(separators), width)
    if width < columns or rest or not _one_newline_each(buffer, lines):
        return None
    ends = np.ascontiguousarray(separators.reshape(lines, width).T)
    heads = np.empty(lines, np.int64)
    heads[0] = PADDING
    np.add(ends[-1, :-1], 1, out=heads[1:])
    if not (buffer[ends[-1]] == _NEWLINE).all() or (buffer[heads] == _HASH).any():
        return None
    spans = [Spans(buffer, ends[c - 1] + 1 if c else heads, ends[c]) for c in wanted]
    return Fields(spans, np.arange(lines), np.broadcast_to(np.int64(width), lines), lines)


def _one_newline_each(buffer: Bytes, lines: int) -> bool:
    """Whether there are as many newlines as lines, and no control characters but these and tabs."""
    controls = np.count_nonzero(buffer < _SPACE)
    if controls == lines:  # the newlines at the ends of lines are among them
        return True
    newlines, tabs = (np.count_nonzero(buffer == char) for char in (_NEWLINE, _TAB))
    return bool(newlines == lines and controls == newlines + tabs)


def _split_any(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields:
    white[:PADDING] = white[-PADDING:] = True
    edges = np.flatnonzero(np.diff(white))
    starts, ends = edges[0::2] + 1, edges[1::2] + 1
    newlines = np.flatnonzero(buffer == _NEWLINE)
    widths = np.bincount(np.searchsorted(newlines, starts), minlength=len(newlines))
    firsts = np.cumsum(widths) - widths
    filled = np.flatnonzero(widths)
    kept = filled[buffer[starts[firsts[filled]]] != _HASH]
    comments = len(filled) - len(kept)
    problems = _bare_returns(buffer, newlines) + _controls(buffer, newlines) + _too_short(widths, kept, columns)
    kept = kept[widths[kept] >= columns]
    index = firsts[kept]
    spans = [Spans(buffer, starts[index + c], ends[index + c]) for c in wanted]
    return Fields(spans, kept, widths[kept], len(newlines), comments, sorted(problems, key=itemgetter(0)))


def _too_short(widths: IntArray, kept: IntArray, columns: int) -> list[tuple[int, Message]]:
    short = kept[widths[kept] < columns][:MOST_PROBLEMS]
    return [(int(line), _narrow(int(widths[line]), columns)) for line in short]


def _bare_returns(buffer: Bytes, newlines: IntArray) -> list[tuple[int, Message]]:
    returns = np.flatnonzero(buffer == _RETURN)
    bare = returns[buffer[returns + 1] != _NEWLINE]
    message = Message("formats.carriage_return")
    return [(int(line), message) for line in np.unique(np.searchsorted(newlines, bare))[:MOST_PROBLEMS]]


def _controls(buffer: Bytes, newlines: IntArray) -> list[tuple[int, Message]]:
    """Control characters that are not white space: no id contains one, and trec_eval does not split there."""
    positions = np.flatnonzero((buffer < _SPACE) & ((buffer < _TAB) | (buffer > _RETURN)))[:MOST_PROBLEMS]
    lines = np.searchsorted(newlines, positions)
    return [
        (int(line), Message("formats.control_character", byte=f"0x{buffer[position]:02x}"))
        for line, position in zip(lines, positions, strict=True)
    ]


def _narrow(width: int, needed: int) -> Message:
    if width == 1:
        return Message("formats.one_column", needed=needed)
    return Message(TOO_FEW_COLUMNS, found=width, needed=needed)
