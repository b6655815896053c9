"""What only results of one kind have to show: the blocks of its report module."""

from collections.abc import Iterator
from typing import Final

from steelyard.i18n import Words
from steelyard.reports.blocks import Block, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.kinds import report_of

ORDER: Final = 40
ON_PAGE: Final = False


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The tables of every result, then its other blocks."""
    added = [block for table in report.tables if (kind := report_of(table.kind)) for block in kind.blocks(table, words)]
    yield from (block for block in added if isinstance(block, TableBlock))
    yield from (block for block in added if not isinstance(block, TableBlock))
