"""Records of blocks as CSV."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.io.results import numbers
from steelyard.reports.blocks import Block, ItemScores, Records

_UNSEEN: Final = (
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\"]"
)
"""White space, control characters and other invisible ones; a spreadsheet may drop them, and quotation marks too."""
_FORMULA: Final = re.compile(rf"{_UNSEEN}*[=+\-@＝＋－＠]")
"""How a formula begins for some spreadsheet (OWASP, CSV injection)."""
_CELL_END: Final = re.compile(r"([;\t\r\n])")
"""Where some spreadsheet begins another cell: one that separates by these knows no quotation marks within a cell."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def render_csv(blocks: Sequence[Block]) -> str:
    """The scores of items, one line per result and item, where there are some; else the records."""
    scores = [line for block in blocks if isinstance(block, ItemScores) for line in _score_lines(block)]
    records = (line for block in blocks if isinstance(block, Records) for line in (block.columns, *block.rows))
    return "".join(map(_csv_line, scores or records))


def _score_lines(block: ItemScores) -> Iterator[Sequence[object]]:
    yield block.keys
    for scores in block.results:
        columns = [[None] * len(scores.ids) if column is None else numbers(column) for column in scores.columns]
        for row, identifier in enumerate(scores.ids):
            yield [scores.result, identifier, *(column[row] for column in columns)]


def _csv_line(row: Sequence[object]) -> str:
    """A line; a cell that holds an end of line of any kind is quoted, which csv does only of ends that it writes."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\r\n").writerow([*map(_csv_cell, row)])
    return output.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(value: object) -> object:
    """A cell that no spreadsheet reads as a formula: an apostrophe precedes whatever begins like one."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    pieces = _CELL_END.split(value)
    marked = "".join(f"'{piece}" if _FORMULA.match(piece) else piece for piece in pieces)
    return f"'{marked}" if marked.startswith(("\t", "\r", "\n")) else marked
