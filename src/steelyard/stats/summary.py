"""What a Table says as a whole: means with intervals, and what was counted."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.counts import with_texts
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.table import Table

CLUSTER_TAG = "document"
"""Items that share this tag are not independent; intervals and tests then go by document."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One column: its mean over scored items, the interval, and how many items stand behind it.

    `total` is the sum for counts, which people quote instead of the mean, and None for everything else.
    """

    mean: float
    interval: Interval
    scored: int
    unscored: int
    errors: int
    total: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output; unknown numbers are None."""
        found: dict[str, Any] = {
            "mean": known(self.mean),
            "ci95": interval_list(self.interval),
            "scored": self.scored,
            "unscored": self.unscored,
            "errors": self.errors,
            "interval": self.interval.method,
        }
        return found if self.total is None else {**found, "sum": self.total}


@dataclass(frozen=True, slots=True)
class Summary:
    """All columns of a Table, and its items by fate: an item with an error anywhere is an error, one without any
    score is unscored, the rest are scored."""

    name: str
    kind: str
    signature: str
    items: int
    scored: int
    unscored: int
    errors: int
    metrics: dict[str, MetricSummary]
    counts: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """As one entry of `results` in JSON output."""
        return {
            "name": self.name,
            "items": self.items,
            "scored": self.scored,
            "unscored": self.unscored,
            "errors": self.errors,
            "counts": with_texts(self.counts),
            "signature": self.signature,
            "metrics": {name: metric.as_dict() for name, metric in self.metrics.items()},
        }


def summarise(table: Table) -> Summary:
    """Means, 95 % intervals and counts of every column."""
    errors, scored = _fates(table)
    return Summary(
        name=table.name,
        kind=table.kind,
        signature=str(table.signature),
        items=len(table),
        scored=scored,
        unscored=len(table) - scored - errors,
        errors=errors,
        metrics={metric: _summarise_column(table, metric) for metric in table.metrics},
        counts=dict(table.counts),
    )


def clusters_of(table: Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]] | None":
    """A number per item that items of one document share; None where no two do. Untagged items share nothing."""
    tags = table.tags.get(CLUSTER_TAG)
    if tags is None:
        return None
    labels = [f"={tag}" if tag else str(row) for row, tag in enumerate(tags)]
    return None if len(set(labels)) == len(labels) else np.unique(np.array(labels), return_inverse=True)[1]


def known(number: float) -> float | None:
    """The number, or None where it is not one: JSON knows no NaN."""
    return float(number) if np.isfinite(number) else None


def interval_list(interval: Interval) -> list[float | None]:
    """An interval as JSON has it."""
    return [known(interval.low), known(interval.high)]


def _summarise_column(table: Table, metric: str) -> MetricSummary:
    column = table.column(metric)
    there = ~np.isnan(column)
    clusters = clusters_of(table)
    return MetricSummary(
        mean=table.mean(metric),
        interval=_within(
            mean_interval(column[there], clusters=None if clusters is None else clusters[there]),
            table.bounds(metric),
        ),
        scored=int(there.sum()) - len(table.failures),
        unscored=table.count("unscored", metric),
        errors=table.count("error", metric) + len(table.failures),
        total=float(np.cumsum(column[there])[-1]) if table[metric].summed and there.any() else None,
    )


def _within(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """The part of the interval that the metric can take; a mean outside it is impossible anyway."""
    low, high = bounds
    return replace(interval, low=max(interval.low, low), high=min(interval.high, high))


def _fates(table: Table) -> tuple[int, int]:
    """How many items have an error, and how many of the others have a score."""
    failed = np.zeros(len(table), np.bool_)
    failed[list(table.failures)] = True
    scored = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        failed |= column.missing("error")
        scored |= ~np.isnan(column.values)
    return int(failed.sum()), int((scored & ~failed).sum())
