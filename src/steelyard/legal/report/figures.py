"""The figures of a legal result that a page shows first, each a share with its interval.

They are the questions passed, the answers with something invented, the refusals on both sides, and the citations that
are right.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from steelyard.i18n import Message, translations
from steelyard.legal.formulas import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.results import PartMean
from steelyard.legal.report.uncertain import Uncertain
from steelyard.reports import cells
from steelyard.reports.render.html.tiles import Tile, TileLine, gauge_of
from steelyard.stats.scopes import Units, clusters_of, scope_of
from steelyard.table import FloatArray, IntArray, Table

GAPS: Final = "report.of_gaps"
PASSED: Final = "passed"
WHOLE: Final = 1e-6
CITED: Final = "citation_correctness"


def legal_tiles(table: Table, units: Units = "auto") -> list[Tile]:
    """The tiles in their order; a figure that a result has no question for is left out."""
    clusters = clusters_of(table, scope_of(units, table))
    refusals = [
        *_lines(clusters, results.wrong_answers(table), "report.answered_unanswerable", bad=True),
        *_lines(clusters, results.wrong_refusals(table), "report.refused_answerable", bad=True),
    ]
    tiles = (
        Tile("report.passed_questions", list(_lines(clusters, _part(table, PASSED))), "report.of_all_questions"),
        Tile("report.hallucinating_answers", list(_lines(clusters, results.inventions(table), bad=True)), GAPS),
        Tile("report.abstention_errors", refusals),
        Tile("report.citations_correct", list(_lines(clusters, _part(table, CITED))), "report.of_cited_facts"),
    )
    return [tile for tile in tiles if tile.lines]


def share_line(mean: PartMean, label: str = "", *, bad: bool = False) -> TileLine:
    """A share in per cent, with the number of items that it is of; of shares within items only their number."""
    count = mean.mean * mean.items
    counted = f"{count:,.0f} / {mean.items:,}" if abs(count - round(count)) < WHOLE else f"n = {mean.items:,}"
    gauge = gauge_of(mean.mean, mean.interval)
    return TileLine(percent(mean.mean), counted, percent_range(mean), gauge, label, bad=bad and mean.mean > 0)


def uncertain_line(doubts: Uncertain) -> TileLine:
    """The share of uncertain verdicts."""
    mean = PartMean("", "", doubts.share, doubts.interval, doubts.items)
    return share_line(mean)


def percent(*shares: float) -> tuple[str, ...]:
    """A share in per cent, or a range of shares, in every language."""
    return translations(Message("core.percent", n=" – ".join(f"{100 * share:.1f}" for share in shares)))


def percent_range(mean: PartMean) -> tuple[str, ...]:
    """The interval of a share in per cent; a dash where there are too few items."""
    return percent(mean.interval.low, mean.interval.high) if np.isfinite(mean.interval.low) else (cells.DASH,)


def _lines(clusters: IntArray | None, column: FloatArray, label: str = "", *, bad: bool = False) -> Iterator[TileLine]:
    """The share of the items of a column that have 1; nothing if no item has a value."""
    if not np.isnan(column).all():
        yield share_line(results.part_mean("", "", column, clusters), label, bad=bad)


def _part(table: Table, part: str) -> FloatArray:
    return table.parts.get(METRIC, {}).get(part, np.full(len(table), np.nan))
