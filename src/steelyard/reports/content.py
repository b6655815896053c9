"""What a report is about: results, their summaries, and how they compare."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard.errors import UnknownName, nearest
from steelyard.i18n import Language, Message, Words
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.stats.direction import gain
from steelyard.stats.pairing import pair
from steelyard.stats.scopes import Scope, Units, scope_of
from steelyard.stats.selection import with_parts
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import IntArray, Table

if TYPE_CHECKING:
    from steelyard.stats.compare import Comparison
    from steelyard.stats.gate import Gate

MANY: Final = 3
"""From so many results on, a report is a leaderboard."""
MAIN: Final = ("nDCG@10", "F1", "AP")
"""The metric of a headline: that of the kind, else the first of these that there is, else the first of all."""


@dataclass(frozen=True, slots=True)
class Report:
    """Results of one kind, the first of them the one that the others are compared with.

    `by` is a tag to group items by, `gate` the outcome of the rules that a run had to meet, if any, `pairs` comparisons
    of every two results. `added` gives blocks that precede the footnotes. `run_tag` is the name that a run has in its
    own file. Text begins with the changed items of the metrics `changed`, if there are some, and else with the means.
    `units` says which scope decides (`scopes`); `scope` is that of the whole report, its groups included. `built` are
    its blocks by language (`build`), `grouped` the summaries of groups by the number of the result and the tag, `kept`
    what sections compute for all languages: each is made once.
    """

    tables: Sequence[Table]
    comparisons: "Sequence[Comparison]" = ()
    per_item: bool = False
    by: str | None = None
    gate: "Gate | None" = None
    pairs: "Sequence[Comparison]" = ()
    added: Callable[[Words], Iterable[Block]] | None = None
    changed: Sequence[str] = ()
    run_tag: str = ""
    units: Units = "auto"
    scope: Scope = field(init=False)
    built: dict[Language, Sequence[Block]] = field(init=False, repr=False, compare=False, default_factory=dict)
    grouped: dict[tuple[int, str], Mapping[str, Summary]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    kept: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        compared = [comparison.metric for comparison in self.comparisons]
        object.__setattr__(self, "tables", [with_parts(table, compared) for table in self.tables])
        object.__setattr__(self, "scope", scope_of(self.units, *self.tables))

    @property
    def summaries(self) -> list[Summary]:
        """The summary of each result."""
        if "summaries" not in self.kept:
            self.kept["summaries"] = [table.summary(units=self.scope) for table in self.tables]
        found: list[Summary] = self.kept["summaries"]
        return found

    @property
    def shown(self) -> list[Summary]:
        """The summaries whose means are shown: of two results that are compared, over the items that both score."""
        if "shown" not in self.kept:
            unpaired = [each.metric for each in self.comparisons if each.unpaired] if self.is_pair else []
            self.kept["shown"] = _over_shared(self, unpaired) if unpaired else self.summaries
        found: list[Summary] = self.kept["shown"]
        return found

    @property
    def is_many(self) -> bool:
        """Whether the results are shown as a leaderboard: several, and not a pair."""
        return len(self.tables) > 1 and not self.is_pair

    @property
    def is_short(self) -> bool:
        """Whether text leaves out what there is of each of many results; it is printed with the scores of items."""
        return self.is_many and not self.per_item

    @property
    def metrics(self) -> list[str]:
        """The metrics of all tables, each once, in order."""
        return list(dict.fromkeys(metric for table in self.tables for metric in table.metrics))

    @property
    def is_pair(self) -> bool:
        """Whether there are two results, and the second is compared with the first."""
        return len(self.tables) == 2 and bool(self.comparisons)

    def comparison(self, name: str, metric: str) -> "Comparison | None":
        """The comparison of the result `name` on a metric, if there is one."""
        return next((c for c in self.comparisons if c.a == name and c.metric == metric), None)

    def groups(self, index: int, tag: str) -> Mapping[str, Summary]:
        """For each value of a tag the summary of the items of a result, in order of appearance."""
        if (index, tag) not in self.grouped:
            self.grouped[index, tag] = _groups(self.tables[index], tag, self.scope)
        return self.grouped[index, tag]


def main_metric(report: Report) -> str:
    """The metric of the headline, one that is compared if any is; totals only if there is nothing else.

    Where the user named metrics (`Table.main`) it is the first of them.
    """
    totals = {metric for table in report.tables for metric in table.sums}
    compared = {comparison.metric for comparison in report.comparisons} or set(report.metrics)
    means = [metric for metric in report.metrics if metric not in totals and metric in compared]
    found = means or report.metrics
    return main_of(report.tables[0].kind, found, report.tables[0].main)


def main_of(kind: str, metrics: Sequence[str], named: str = "") -> str:
    """Of several metrics of a kind the one that a headline shows: the `named` one, if it is among them."""
    return next((metric for metric in (named, kind_of(kind).metric, *MAIN) if metric in metrics), None) or metrics[0]


def _over_shared(report: Report, metrics: Sequence[str]) -> list[Summary]:
    """The summaries of two results, with the means of these metrics over the items that both score."""
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
    """The mean of a metric over some rows, with the counts of all."""
    part = replace(table, outputs=()).only([metric]).take(rows).summary(units=scope).metrics[metric]
    return replace(whole.metrics[metric], mean=part.mean, interval=part.interval, scopes=part.scopes)


def _groups(table: Table, tag: str, scope: Scope) -> dict[str, Summary]:
    if tag not in table.tags:
        hint = nearest(tag, table.tags) if table.tags else Message("reports.no_tags")
        raise UnknownName(Message("reports.no_tag_called", tag=tag), where=table.name, hint=hint)
    values = np.array(table.tags[tag])
    rows = {value: np.flatnonzero(values == value) for value in dict.fromkeys(table.tags[tag])}
    return {value: table.take(those).summary(units=scope) for value, those in rows.items()}


def lowest_rows(table: Table, metric: str, count: int, *, best: float | None = None) -> list[int]:
    """The rows of at most `count` items with the worst scores, worst first; none as good as `best`, or the best of all.

    Items with equal scores are in the order of their ids, in which 2 comes before 10.
    """
    merit = gain(metric, 1.0) * table.column(metric)
    below = merit < (np.nanmax(merit, initial=-np.inf) if best is None else gain(metric, best))
    limit = np.sort(merit[below])[:count].max(initial=-np.inf)
    rows = np.flatnonzero(below & (merit <= limit)).tolist()
    return sorted(rows, key=lambda row: (merit[row], _natural(table.ids[row]), table.ids[row]))[:count]


def _natural(text: str) -> list[tuple[int, str]]:
    """A key that sorts texts as people do: runs of digits by their value, before other texts."""
    parts = enumerate(re.split("([0-9]+)", text))
    return [(len(value := part.lstrip("0")), value) if place % 2 else (-1, part) for place, part in parts]
