"""Tables in Markdown, aligned so that they read well in a terminal too."""

from collections.abc import Sequence

Row = Sequence[str]


def render_grid(header: Row, rows: Sequence[Row]) -> str:
    """A table whose first column is words and whose others are numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = [("-" * width) if place == 0 else "-" * (width - 1) + ":" for place, width in enumerate(widths)]
    return "\n".join(_line(row, widths) for row in (header, rule, *rows))


def _line(row: Row, widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(width) if place == 0 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return f"| {' | '.join([first, *others])} |"


def show_seconds(seconds: float) -> str:
    """Seconds with the digits that mean something."""
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def show_ratio(ratio: float) -> str:
    """How many times as fast."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"
