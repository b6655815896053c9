"""Summary of a Table: means with intervals, and counts of scored, unscored and failed items."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from steelyard import __version__
from steelyard.registry.kinds import COSTS
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.outcomes import has_no_point
from steelyard.stats.scopes import Clusters, Scope, Units, clusters_in, scope_of, units_in
from steelyard.table import FloatArray, Table, counts_with_texts, exponential

NO_INTERVAL: Final = Interval(math.nan, math.nan, "none")
"""Of a mean that has no value (`stats.outcomes.has_no_point`)."""


@dataclass(frozen=True, slots=True)
class ScopeInterval:
    """The interval of a mean in one scope, over so many units."""

    scope: Scope
    units: int
    interval: Interval

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        return {"scope": self.scope, "units": self.units, "ci95": interval_list(self.interval)}


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One column: its mean over scored items, the interval, and the numbers of items.

    `interval` is that of the `scope` that decides; `scopes` has it for items, and for documents where items share
    them. `total` is the sum of a count, which is reported instead of the mean; None for other metrics. Mean and
    interval of a `geometric` metric are those of the logarithms, taken back. What replies cost has a median and a 95th
    percentile beside the mean.
    """

    mean: float
    interval: Interval
    scored: int
    unscored: int
    errors: int
    total: float | None = None
    geometric: bool = False
    scope: Scope = "items"
    scopes: tuple[ScopeInterval, ...] = ()
    median: float | None = None
    p95: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output; unknown numbers are None."""
        summary: dict[str, Any] = {
            "mean": known(self.mean),
            "ci95": interval_list(self.interval),
            "scored": self.scored,
            "unscored": self.unscored,
            "errors": self.errors,
            "interval": self.interval.method,
            "scope": self.scope,
            "scopes": [each.as_dict() for each in self.scopes],
        }
        geometric = {"average": "geometric"} if self.geometric else {}
        quantiles = {} if self.median is None else {"median": self.median, "p95": self.p95}
        return {**summary, **geometric, **quantiles, **({} if self.total is None else {"sum": self.total})}


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
        """Return the means with their intervals, as a table."""
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
            "counts": counts_with_texts(self.counts),
            "signature": self.signature,
            "metrics": {name: metric.as_dict() for name, metric in self.metrics.items()},
        }


def head_fields(table: Table, units: Units, scope: Scope) -> dict[str, Any]:
    """Return the first fields of JSON output, from the first of its results."""
    head = {"steelyard": __version__, "kind": table.kind, "signature": str(table.signature)}
    return {**head, "units": units, "scope": scope}


def summarise(table: Table, units: Units = "auto") -> Summary:
    """Means, 95 % intervals and counts of every column; `units` says which scope decides, for a group that of all."""
    errors, scored = _status_counts(table)
    scope = scope_of(units, table)
    clusters = clusters_in(scope, table)
    return Summary(
        name=table.name,
        kind=table.kind,
        signature=str(table.signature),
        items=len(table),
        scored=scored,
        unscored=len(table) - scored - errors,
        errors=errors,
        metrics={metric: _summarise_column(table, metric, scope, clusters) for metric in table.metrics},
        counts=dict(table.counts),
    )


def known(number: float) -> float | None:
    """Return the number, or None if it is not finite: JSON has no NaN."""
    return float(number) if np.isfinite(number) else None


def interval_list(interval: Interval) -> list[float | None]:
    """Return an interval as in JSON output."""
    return [known(interval.low), known(interval.high)]


def scope_intervals(column: FloatArray, clusters: Clusters) -> tuple[ScopeInterval, ...]:
    """Return the interval of the mean of a column, without its NaN, in every scope that there are numbers for."""
    present = ~np.isnan(column)
    members = {scope: None if of_rows is None else of_rows[present] for scope, of_rows in clusters.items()}
    return tuple(
        ScopeInterval(scope, units_in(of_scope, int(present.sum())), mean_interval(column[present], clusters=of_scope))
        for scope, of_scope in members.items()
    )


def deciding(intervals: tuple[ScopeInterval, ...], scope: Scope) -> Interval:
    """Return the interval of the scope that decides."""
    return next(each.interval for each in intervals if each.scope == scope)


def _summarise_column(table: Table, metric: str, scope: Scope, clusters: Clusters) -> MetricSummary:
    if table[metric].geometric:
        logs = _summarise_column(table.only([metric]).on_log_scale(), metric, scope, clusters)
        scopes = tuple(replace(each, interval=taken_back(each.interval)) for each in logs.scopes)
        interval = taken_back(logs.interval)
        return replace(logs, mean=table.mean(metric), interval=interval, scopes=scopes, geometric=True)
    column = table.column(metric)
    present = ~np.isnan(column)
    failed = int(present[list(table.failures)].sum())
    found = scope_intervals(column, clusters)
    scopes = tuple(replace(each, interval=each.interval.within(table.bounds(metric))) for each in found)
    is_open = has_no_point(table, metric)
    if is_open:
        scopes = tuple(replace(each, interval=NO_INTERVAL) for each in scopes)
    quantiles = np.percentile(column[present], (50, 95)).tolist() if metric in COSTS and present.any() else (None, None)
    return MetricSummary(
        mean=math.nan if is_open else table.mean(metric),
        interval=deciding(scopes, scope),
        scored=int(present.sum()) - failed,
        unscored=table.count("unscored", metric),
        errors=table.count("error", metric) + failed,
        total=float(np.cumsum(column[present])[-1]) if table[metric].summed and present.any() else None,
        scope=scope,
        scopes=scopes,
        median=quantiles[0],
        p95=quantiles[1],
    )


def taken_back(interval: Interval) -> Interval:
    """Return the interval of a geometric mean, from that of the mean of the logarithms."""
    return Interval(exponential(interval.low), exponential(interval.high), f"geometric {interval.method}")


def _status_counts(table: Table) -> tuple[int, int]:
    """Return the number of items with an error, and the number of the others that have a score; a cost is none."""
    failed = np.zeros(len(table), np.bool_)
    failed[list(table.failures)] = True
    scored = np.zeros(len(table), np.bool_)
    is_cost = set(table.columns) <= set(COSTS)
    for metric, column in table.columns.items():
        failed |= column.missing("error")
        scored |= ~np.isnan(column.values) & (is_cost == (metric in COSTS))
    return int(failed.sum()), int((scored & ~failed).sum())
