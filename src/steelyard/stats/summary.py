"""Summary of a Table: means with intervals, and counts of scored, unscored and failed items."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.counts import with_texts
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.table import REPEAT_TAG, Table, exponential

CLUSTER_TAG = "document"
"""Items with the same value of this tag are not independent; intervals and tests then use documents as units."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One column: its mean over scored items, the interval, and the numbers of items.

    `total` is the sum of a count, which is reported instead of the mean; None for other metrics. Mean and interval of a
    `geometric` metric are those of the logarithms, taken back.
    """

    mean: float
    interval: Interval
    scored: int
    unscored: int
    errors: int
    total: float | None = None
    geometric: bool = False

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output; unknown numbers are None."""
        summary: dict[str, Any] = {
            "mean": known(self.mean),
            "ci95": interval_list(self.interval),
            "scored": self.scored,
            "unscored": self.unscored,
            "errors": self.errors,
            "interval": self.interval.method,
        }
        geometric = {"average": "geometric"} if self.geometric else {}
        return {**summary, **geometric, **({} if self.total is None else {"sum": self.total})}


@dataclass(frozen=True, slots=True)
class Summary:
    """All columns of a Table, and its items by status.

    An item with any error is an error, an item without any score is unscored, the rest are scored.
    """

    name: str
    kind: str
    signature: str
    items: int
    scored: int
    unscored: int
    errors: int
    metrics: dict[str, MetricSummary]
    counts: dict[str, int]

    @property
    def uniform(self) -> bool:
        """Whether every metric is scored on the same number of items."""
        return all(metric.scored == self.scored for metric in self.metrics.values())

    @property
    def incomplete(self) -> dict[int, list[str]]:
        """If metrics are scored on different numbers of items, those without some score, by the number of scores."""
        found: dict[int, list[str]] = {}
        for name, metric in self.metrics.items():
            if not self.uniform and metric.scored < self.items:
                found.setdefault(metric.scored, []).append(name)
        return found

    def __str__(self) -> str:
        """The means with their intervals, as a table."""
        from steelyard.api import SummaryView

        return str(SummaryView(self))

    def _repr_html_(self) -> str:
        from steelyard.api import SummaryView

        return SummaryView(self)._repr_html_()

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
    errors, scored = _status_counts(table)
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


def cluster_tag(table: Table) -> str | None:
    """The tag of the units that vary where items share them: documents, or items that were run several times."""
    return next((tag for tag in (CLUSTER_TAG, REPEAT_TAG) if tag in table.tags), None)


def by_document(table: Table) -> bool:
    """Whether documents are the units that vary."""
    return cluster_tag(table) == CLUSTER_TAG


def clusters_of(table: Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]] | None":
    """The cluster number of each row; None if no two rows share a cluster. Untagged rows are on their own."""
    tag = cluster_tag(table)
    if tag is None:
        return None
    tags = table.tags[tag]
    labels = [f"={tag}" if tag else str(row) for row, tag in enumerate(tags)]
    return None if len(set(labels)) == len(labels) else np.unique(np.array(labels), return_inverse=True)[1]


def known(number: float) -> float | None:
    """The number, or None if it is not finite: JSON has no NaN."""
    return float(number) if np.isfinite(number) else None


def interval_list(interval: Interval) -> list[float | None]:
    """An interval as in JSON output."""
    return [known(interval.low), known(interval.high)]


def _summarise_column(table: Table, metric: str) -> MetricSummary:
    if table[metric].geometric:
        logs = _summarise_column(table.only([metric]).on_log_scale(), metric)
        return replace(logs, mean=table.mean(metric), interval=taken_back(logs.interval), geometric=True)
    column = table.column(metric)
    present = ~np.isnan(column)
    failed = int(present[list(table.failures)].sum())
    clusters = clusters_of(table)
    return MetricSummary(
        mean=table.mean(metric),
        interval=_within(
            mean_interval(column[present], clusters=None if clusters is None else clusters[present]),
            table.bounds(metric),
        ),
        scored=int(present.sum()) - failed,
        unscored=table.count("unscored", metric),
        errors=table.count("error", metric) + failed,
        total=float(np.cumsum(column[present])[-1]) if table[metric].summed and present.any() else None,
    )


def taken_back(interval: Interval) -> Interval:
    """The interval of a geometric mean, from that of the mean of the logarithms."""
    return Interval(exponential(interval.low), exponential(interval.high), f"geometric {interval.method}")


def _within(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """The interval, limited to the bounds of the metric."""
    low, high = bounds
    return replace(interval, low=max(interval.low, low), high=min(interval.high, high))


def _status_counts(table: Table) -> tuple[int, int]:
    """The number of items with an error, and the number of the others that have a score."""
    failed = np.zeros(len(table), np.bool_)
    failed[list(table.failures)] = True
    scored = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        failed |= column.missing("error")
        scored |= ~np.isnan(column.values)
    return int(failed.sum()), int((scored & ~failed).sum())
