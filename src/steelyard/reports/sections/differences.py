"""How each result differs from the first, metric by metric."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, PageForm, PageTables, Place, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison

ORDER: Final = 20
_HEADINGS: Final = (
    *("report.metric", "report.before", "report.after", "report.difference", "report.interval"),
    *("report.p", "report.p_adjusted", "report.effect_size", "report.better_same_worse", "report.detectable"),
)
_PRINTED: Final = (0, 3, 4, 5, 6, 9)


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result that is compared with the first; of many results only where items are asked for too."""
    tables = partial(_tables, report, words)
    yield from [PageTables(tables)] if report.is_short else tables()
    yield Fields(lambda: {"comparisons": [comparison.as_dict() for comparison in report.comparisons]})


def _tables(report: Report, words: Words) -> Iterator[TableBlock]:
    place: Place = "results" if report.is_many else "metrics"
    for name in dict.fromkeys(comparison.a for comparison in report.comparisons):
        compared = [comparison for comparison in report.comparisons if comparison.a == name]
        yield replace(_table(compared, words), page=PageForm(place, folded=True, result=name))


def difference(comparison: Comparison) -> Cell:
    """The difference of the means, marked where it is significant."""
    return Cell(cells.signed(comparison.difference), cells.mark(comparison))


def effect(comparison: Comparison) -> tuple[str, str, str, str]:
    """The effect size, and how many items are better, equal and worse."""
    ties = comparison.n - comparison.wins - comparison.losses
    better, same, worse = (f"{count:,}" for count in (comparison.wins, ties, comparison.losses))
    return cells.number(comparison.effect_size, 2), better, same, worse


def _table(comparisons: Sequence[Comparison], words: Words) -> TableBlock:
    """A row per metric; means and effects are columns of pages, for text has them in other tables."""
    title = f"{comparisons[0].a} {words('report.against')} {comparisons[0].b}"
    return TableBlock(
        [words(heading) for heading in _HEADINGS],
        [_row(comparison, words) for comparison in comparisons],
        title,
        in_papers=False,
        printed=_PRINTED,
    )


def _row(comparison: Comparison, words: Words) -> Row:
    effect_size, *changed = effect(comparison)
    return [
        words.name("metric", comparison.metric),
        cells.number(comparison.b_mean),
        cells.number(comparison.a_mean),
        difference(comparison),
        cells.interval(comparison.interval),
        cells.p_value(comparison.p_value),
        cells.p_value(comparison.p_adjusted),
        effect_size,
        " / ".join(changed),
        cells.number(comparison.smallest_detectable),
    ]
