"""Whitespace-separated columns of a block of lines, found all at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.formats.spans import PADDING, Bytes, Spans, padded
from steelyard.table import Flags, IntArray

_NEWLINE, _RETURN, _HASH, _SPACE = 10, 13, 35, 32


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """The wanted columns of each line that has any; `line` is its number, counted from 0 in its block.

    `widths` is how many columns each line has, wanted or not. `problems` are lines that have too few (they are left
    out of the columns) by number, with the reason.
    """

    columns: list[Spans]
    line: IntArray
    widths: IntArray
    lines: int
    problems: list[tuple[int, str]]


def split_fields(block: bytes, columns: int, wanted: Sequence[int]) -> Fields:
    """Split whole lines on runs of spaces and tabs, `columns` of them at least, and keep the `wanted` ones.

    Blank lines and lines that begin with # are passed over.
    """
    buffer = padded(block)
    white = buffer <= _SPACE
    return _split_regular(buffer, white, columns, wanted) or _split_any(buffer, white, columns, wanted)


def _split_regular(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields | None:
    """The common case: every line has the same number of fields, one space or tab between them."""
    if white[PADDING] or (white[1:] & white[:-1]).any():
        return None
    separators = np.flatnonzero(white)
    lines = int(np.count_nonzero(buffer == _NEWLINE))
    width = len(separators) // lines
    if width < columns or len(separators) != width * lines:
        return None
    ends = separators.reshape(lines, width)
    heads = np.empty(lines, np.int64)
    heads[0], heads[1:] = PADDING, ends[:-1, -1] + 1
    if not (buffer[ends[:, -1]] == _NEWLINE).all() or (buffer[heads] == _HASH).any():
        return None
    spans = [Spans(buffer, ends[:, c - 1] + 1 if c else heads, ends[:, c].copy()) for c in wanted]
    return Fields(spans, np.arange(lines), np.full(lines, width), lines, [])


def _split_any(buffer: Bytes, white: Flags, columns: int, wanted: Sequence[int]) -> Fields:
    white[:PADDING] = white[-PADDING:] = True
    edges = np.flatnonzero(np.diff(white))
    starts, ends = edges[0::2] + 1, edges[1::2] + 1
    newlines = np.flatnonzero(buffer == _NEWLINE)
    widths = np.bincount(np.searchsorted(newlines, starts), minlength=len(newlines))
    firsts = np.cumsum(widths) - widths
    kept = np.flatnonzero(widths)
    kept = kept[buffer[starts[firsts[kept]]] != _HASH]
    problems = _bare_returns(buffer, newlines) + _too_short(widths, kept, columns)
    kept = kept[widths[kept] >= columns]
    index = firsts[kept]
    spans = [Spans(buffer, starts[index + c], ends[index + c]) for c in wanted]
    return Fields(spans, kept, widths[kept], len(newlines), sorted(problems))


def _too_short(widths: IntArray, kept: IntArray, columns: int) -> list[tuple[int, str]]:
    short = kept[widths[kept] < columns]
    return [(int(line), f"{_columns(widths[line])}, at least {columns} are needed") for line in short]


def _bare_returns(buffer: Bytes, newlines: IntArray) -> list[tuple[int, str]]:
    returns = np.flatnonzero(buffer == _RETURN)
    bare = returns[buffer[returns + 1] != _NEWLINE]
    message = "a carriage return inside a line; lines must end in LF or CRLF"
    return [(int(line), message) for line in np.unique(np.searchsorted(newlines, bare))]


def _columns(width: int) -> str:
    return "1 column" if width == 1 else f"{width} columns"
