"""How each result differs from the first, metric by metric."""

from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison

ORDER: Final = 20
ON_PAGE: Final = False
_HEADINGS: Final = (
    *("report.metric", "report.difference", "report.interval"),
    *("report.p", "report.p_adjusted", "report.detectable"),
)


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result that is compared with the first."""
    for name in dict.fromkeys(comparison.a for comparison in report.comparisons):
        yield _table([comparison for comparison in report.comparisons if comparison.a == name], words)
    yield Fields(lambda: {"comparisons": [comparison.as_dict() for comparison in report.comparisons]})


def difference(comparison: Comparison) -> Cell:
    """The difference of the means, marked where it is significant."""
    return Cell(cells.signed(comparison.difference), cells.mark(comparison))


def _table(comparisons: Sequence[Comparison], words: Words) -> TableBlock:
    title = f"{comparisons[0].a} {words('report.against')} {comparisons[0].b}"
    rows: list[Row] = [
        [
            comparison.metric,
            difference(comparison),
            cells.interval(comparison.interval),
            cells.p_value(comparison.p_value),
            cells.p_value(comparison.p_adjusted),
            cells.number(comparison.smallest_detectable),
        ]
        for comparison in comparisons
    ]
    return TableBlock([words(heading) for heading in _HEADINGS], rows, title, in_papers=False)
