"""What a report is about: results, their summaries, and how they compare."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from steelyard.i18n import Audience, Language
from steelyard.registry.kinds import COSTS, gain, kind_of
from steelyard.registry.names import columns_called
from steelyard.reports.blocks import Block
from steelyard.reports.kinds import KindReport, PartGroup, kind_report
from steelyard.stats.attribution import Attribution, attribution
from steelyard.stats.belief import NO_CALIBRATIONS, Calibrations
from steelyard.stats.compare import Comparison, ComparisonSettings, compare_all, compare_by, compare_pairs
from steelyard.stats.pairing import Changes, changes, pair
from steelyard.stats.scopes import Scope, Units, scope_of
from steelyard.stats.selection import metrics_of, require_tag, with_directed_parts, with_parts
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import IntArray, Table

if TYPE_CHECKING:
    from steelyard.stats.gate import Gate

Layout = Literal["one", "two", "changes", "many", "brief"]
"""How results are shown: a single one; two side by side; what changed between two, first of all; or a leaderboard.

A brief leaderboard has the tables of each result as details; the scores of items call for all of them.
"""
LAYOUTS: Final[tuple[Layout, ...]] = get_args(Layout)
MANY: Final = 3
"""From so many results on, a report is a leaderboard."""
PAIR: Final[tuple[Layout, ...]] = ("two", "changes")
"""The layouts of two results of which the second is compared with the first."""
BOARD: Final[tuple[Layout, ...]] = ("many", "brief")
"""The layouts of a leaderboard."""
MAIN: Final = ("EvidenceRecall@10", "nDCG@10", "F1", "AP")
"""The metric of a headline: that of the kind, else the first of these that there is, else the first of all."""


@dataclass(frozen=True, eq=False)
class Report:
    """Results of one kind, the first of them the one that the others are compared with.

    `by` is a tag to group items by, `gate` the outcome of the rules that a run had to meet, if any, `pairs` comparisons
    of every two results. `run_tag` is the name that a run has in its own file. `units` says which scope decides
    (`scopes`); `scope` is that of the whole report, its groups included.

    A report of what `changed` names the metrics whose changed items it lists; it also has effect sizes, tests, letters,
    and the differences `within` each value of the tag. Of two results it begins with the changed items. `served` are
    data that only the page of a server has (`frame.SERVED`). `calibrations` say what may be believed of judged metrics.
    """

    tables: Sequence[Table]
    comparisons: Sequence[Comparison] = ()
    per_item: bool = False
    by: str | None = None
    gate: "Gate | None" = None
    pairs: Sequence[Comparison] = ()
    changed: Sequence[str] = ()
    run_tag: str = ""
    units: Units = "auto"
    within: Mapping[str, Sequence[Comparison]] = field(default_factory=dict)
    served: Mapping[str, Any] = field(default_factory=dict)
    calibrations: Calibrations = NO_CALIBRATIONS
    kind: KindReport = field(init=False)
    layout: Layout = field(init=False)
    scope: Scope = field(init=False)
    summaries: Sequence[Summary] = field(init=False)

    def __post_init__(self) -> None:
        compared = [comparison.metric for comparison in self.comparisons]
        tables = [with_parts(table, compared) for table in self.tables]
        own = kind_of(tables[0].kind).metric
        is_whole = own is None or all(own in table.columns for table in tables)  # else only other metrics are shown
        kind = kind_report(tables[0].kind) if is_whole else KindReport()
        made: dict[str, Any] = {"tables": tables, "kind": kind, "layout": self._layout()}
        scope = scope_of(self.units, *tables)
        made |= {"scope": scope, "summaries": [table.summary(units=scope) for table in tables]}
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def _layout(self) -> Layout:
        if len(self.tables) == 2 and self.comparisons:
            return "changes" if self.changed else "two"
        if len(self.tables) == 1:
            return "one"
        return "many" if self.per_item else "brief"

    @cached_property
    def built(self) -> dict[tuple[Language, Audience], Sequence[Block]]:
        """The blocks by language and audience (`sections`), each made once."""
        return {}

    @cached_property
    def shown(self) -> Sequence[Summary]:
        """The summaries whose means are shown: of two results that are compared, over the items that both score."""
        unpaired = [each.metric for each in self.comparisons if each.unpaired] if self.layout in PAIR else []
        return _over_shared(self, unpaired) if unpaired else self.summaries

    @cached_property
    def paired(self) -> tuple[Table, Table]:
        """Two results with the items that both have; the tables themselves where these are all."""
        old, new = self.tables
        rows = pair(new, old)
        is_whole = len(rows.old) == len(old) and len(rows.new) == len(new)
        return (old, new) if is_whole else (old.take(rows.old), new.take(rows.new))

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics of all tables, each once, in order."""
        return list(dict.fromkeys(metric for table in self.tables for metric in table.metrics))

    @cached_property
    def main(self) -> str:
        """The metric of the headline (`main_metric`)."""
        return main_metric(self.tables, self.comparisons)

    def comparison(self, name: str, metric: str) -> Comparison | None:
        """Return the comparison of the result `name` on a metric, if there is one."""
        return next((c for c in self.comparisons if c.a == name and c.metric == metric), None)

    @cached_property
    def groups(self) -> Callable[[int, str], Mapping[str, Summary]]:
        """For a result (by its index) and a tag, the summary of the items of each value, in order of appearance."""
        return cache(lambda index, tag: _groups(self.tables[index], tag, self.scope))

    @cached_property
    def changes(self) -> Callable[[str, str], Changes]:
        """For a result (by its name) and a metric, the items that changed from the first result."""
        by_name = {table.name: table for table in self.tables}
        return cache(lambda name, metric: changes(by_name[name], self.tables[0], metric))

    @cached_property
    def rows(self) -> list[dict[str, int]]:
        """The row of each item in each result."""
        return [{item: row for row, item in enumerate(table.ids)} for table in self.tables]

    @cached_property
    def attributions(self) -> dict[int, Attribution]:
        """The outcomes of answers and the causes of wrong ones, by the index of each result that has them."""
        columns = [self.kind.attribution(table) for table in self.tables]
        found = [attribution(*each, self.scope) for each in zip(self.tables, columns, strict=True)]
        return {index: each for index, each in enumerate(found) if each is not None}

    @cached_property
    def parts(self) -> Sequence[PartGroup]:
        """The comparisons of the parts of the scores of two results."""
        old, new = self.tables
        return self.kind.compared_parts(new, old, self.comparisons[0].settings)


def compare_results(
    tables: Sequence[Table],
    settings: ComparisonSettings,
    *,
    metrics: Sequence[str] | None = None,
    by: str | None = None,
    per_item: bool = False,
    calibrations: Calibrations = NO_CALIBRATIONS,
) -> Report:
    """Compare the first table with each of the others on these metrics or parts of metrics, by default on all.

    Of two results, the items that changed are listed in the metrics that were asked for, else in the main one.
    """
    metrics = columns_called(metrics, tables[0].columns)
    old, *new = tables = with_directed_parts([with_parts(table, metrics or ()) for table in tables])
    comparisons = compare_all(new, old, settings, metrics=metrics)  # raises an error for an unknown metric
    if metrics is not None:
        shown = [table.only(metrics_of(table, metrics)).headed(metrics) for table in tables]
    else:
        shown = tables
    every = list(dict.fromkeys(comparison.metric for comparison in comparisons))
    return Report(
        shown,
        comparisons,
        per_item,
        by,
        pairs=compare_pairs(tables, settings, metrics=metrics) if len(tables) >= MANY else (),
        changed=every if metrics is not None or per_item else [main_metric(shown, comparisons)],
        units=settings.units,
        within=compare_by(new, old, by, settings, metrics=metrics) if by else {},
        calibrations=calibrations,
    )


def main_metric(tables: Sequence[Table], comparisons: Sequence[Comparison]) -> str:
    """Return the metric of the headline, one that is compared if any is; totals only if there is nothing else.

    Where the user named metrics (`Table.main`) it is the first of them.
    """
    metrics = list(dict.fromkeys(metric for table in tables for metric in table.metrics))
    totals = {metric for table in tables for metric in table.sums}
    compared = {comparison.metric for comparison in comparisons} or set(metrics)
    means = [metric for metric in metrics if metric not in totals and metric in compared]
    return main_of(tables[0].kind, means or metrics, tables[0].main)


def main_of(kind: str, metrics: Sequence[str], named: str = "") -> str:
    """Pick the headline metric of a kind: the `named` one, if it is among the metrics."""
    main = next((metric for metric in (named, kind_of(kind).metric, *MAIN) if metric in metrics), None)
    return main or next((metric for metric in metrics if metric not in COSTS), metrics[0])


def _over_shared(report: Report, metrics: Sequence[str]) -> list[Summary]:
    """Return the summaries of two results, with the means of these metrics over the items that both score."""
    old, new = report.tables
    rows = pair(new, old)
    both = {metric: ~np.isnan(rows.differences(metric, ties=False)) for metric in metrics}
    return [
        replace(
            summary,
            metrics=summary.metrics
            | {name: _over(report.scope, table, summary, name, of[both[name]]) for name in both},
        )
        for summary, table, of in zip(report.summaries, report.tables, (rows.old, rows.new), strict=True)
    ]


def _over(scope: Scope, table: Table, whole: Summary, metric: str, rows: IntArray) -> MetricSummary:
    """Return the mean of a metric over some rows, with the counts of all."""
    part = replace(table, outputs=()).only([metric]).take(rows).summary(units=scope).metrics[metric]
    return replace(whole.metrics[metric], mean=part.mean, interval=part.interval, scopes=part.scopes)


def _groups(table: Table, tag: str, scope: Scope) -> dict[str, Summary]:
    require_tag(tag, table.tags, table.name)
    values = np.array(table.tags[tag])
    rows = {value: np.flatnonzero(values == value) for value in dict.fromkeys(table.tags[tag])}
    return {value: table.take(those).summary(units=scope) for value, those in rows.items()}


def lowest_rows(table: Table, metric: str, count: int, *, best: float | None = None) -> list[int]:
    """Return the rows of at most `count` items with the worst scores, worst first.

    None as good as `best`, or the best of all.

    Items with equal scores are in the order of their ids, in which 2 comes before 10.
    """
    merit = gain(metric, 1.0) * table.column(metric)
    below = merit < (np.nanmax(merit, initial=-np.inf) if best is None else gain(metric, best))
    limit = np.sort(merit[below])[:count].max(initial=-np.inf)
    rows = np.flatnonzero(below & (merit <= limit)).tolist()
    return sorted(rows, key=lambda row: (merit[row], _natural(table.ids[row]), table.ids[row]))[:count]


def _natural(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts texts as people do: runs of digits by their value, before other texts."""
    parts = enumerate(re.split("([0-9]+)", text))
    return [(len(value := part.lstrip("0")), value) if place % 2 else (-1, part) for place, part in parts]
