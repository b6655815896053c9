"""Tiles: figures of one result in large type, each with its interval and the number of items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.stats.intervals import Interval
from steelyard.stats.summary import MetricSummary

FURTHER: Final = ("AP", "RR", "R@100", "EM", "Grounded", "CitationR", "ContextR", "CoverEM", "ROUGE-L")
"""Metrics that have a tile where a result has them; then the others in their order."""
MOST_METRICS: Final = 3

Gauge = tuple[float, float, float]
"""The low end of an interval, the value and the high end, all between 0 and 1."""


@dataclass(frozen=True, slots=True)
class TileLine:
    """A figure with what was counted and its interval; `label` is a code, "" where the title of the tile is enough.

    Figure and interval are one text, or the text in every language. A figure that is `bad` is one of mistakes.
    """

    value: tuple[str, ...]
    counted: str
    interval: tuple[str, ...]
    gauge: Gauge | None = None
    label: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """Figures under a title, which is a code or, if `is_name`, the name of a metric.

    `of` is the code of what they are shares of, "" where the title says it.
    """

    title: str
    lines: Sequence[TileLine]
    of: str = ""
    is_name: bool = False


def metric_tiles(report: Report, main: str) -> list[Tile]:
    """The tiles of a few metrics of the first result, besides that of the headline; totals have none."""
    means = {name: mean for name, mean in report.summaries[0].metrics.items() if name != main and mean.total is None}
    order = dict.fromkeys((*(name for name in FURTHER if name in means), *means))
    return [Tile(name, [_line(means[name])], is_name=True) for name in list(order)[:MOST_METRICS]]


def gauge_of(mean: float, interval: Interval) -> Gauge | None:
    """The numbers of a gauge; None where one of them is unknown or not between 0 and 1."""
    numbers = (interval.low, mean, interval.high)
    return numbers if all(math.isfinite(number) and 0 <= number <= 1 for number in numbers) else None


def _line(mean: MetricSummary) -> TileLine:
    interval = cells.interval(mean.interval)
    return TileLine((cells.mean(mean),), f"n = {mean.scored:,}", (interval,), gauge_of(mean.mean, mean.interval))
