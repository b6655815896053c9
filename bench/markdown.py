"""Paragraphs and tables in Markdown that read well in a terminal too."""

import textwrap
from collections.abc import Sequence
from typing import Final

Row = Sequence[str]

WIDTH: Final = 120
NOTHING: Final = "\N{EN DASH}"


def render_paragraph(text: str) -> str:
    """Return the words of a text, wrapped anew."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def render_grid(header: Row, rows: Sequence[Row]) -> str:
    """Return a table whose first column is words and whose others are numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in (header, rule, *rows))


def _line(row: Row, widths: Sequence[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
    return f"| {' | '.join([row[0].ljust(widths[0]), *numbers])} |"


def show_seconds(seconds: float) -> str:
    """Return seconds with the digits that mean something."""
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def show_ratio(ratio: float) -> str:
    """Return how many times as much."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"
