"""What a page says before its items: headline, tables, groups, and what was counted."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal
from urllib.parse import quote

import numpy as np

from steelyard.i18n import LANGUAGES, Message
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.content import Report, groups
from steelyard.reports.remarks import CORRECTIONS, TESTS
from steelyard.stats.compare import Comparison
from steelyard.stats.direction import gain
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import FloatArray, Table

Outcome = Literal["report.better", "report.worse", "report.no_evidence", "gate.cannot_tell"]

MAIN: Final = ("legal", "nDCG@10", "F1", "AP")
"""The metric that a headline quotes: the first of these that there is, else the first of all."""
TOO_FEW: Final = {True: "report.too_few_documents", False: "report.too_few_items"}
MOST_GROUPS: Final = 24
MOST_TAGS: Final = 8
WORST: Final = 8
BINS: Final = 10
GLANCE: Final = 7
LONGEST_REASON: Final = 400


@dataclass(frozen=True, slots=True)
class Headline:
    """One result in large type: `gauge` is low, mean, high where these lie between 0 and 1."""

    name: str
    metric: str
    mean: str
    interval: str
    items: int
    scored: int
    unscored: int
    errors: int
    gauge: tuple[float, float, float] | None = None
    outcome: Outcome | None = None
    compared: Comparison | None = None

    @property
    def verdict(self) -> tuple[str, str]:
        """The outcome in English and Chinese, with the number of units where these are too few."""
        if self.compared is None or self.outcome is None:
            return cells.DASH, cells.DASH
        message = Message(self.outcome)
        if self.outcome == "gate.cannot_tell":
            message = Message(TOO_FEW[self.compared.by_document], n=f"{self.compared.units:,}")
        return message.text("en"), message.text("zh")

    @property
    def difference(self) -> str:
        """The difference from the first result."""
        return cells.signed(self.compared.difference) if self.compared else cells.DASH

    @property
    def difference_interval(self) -> str:
        """The interval of the difference."""
        return cells.interval(self.compared.interval) if self.compared else cells.DASH

    @property
    def p_adjusted(self) -> str:
        """The p-value after correction."""
        return cells.p_value(self.compared.p_adjusted) if self.compared else cells.DASH

    @property
    def detectable(self) -> str:
        """The smallest difference that so many items would show."""
        return cells.number(self.compared.smallest_detectable) if self.compared else cells.DASH


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: its name, then cells; `share` draws a bar where the number lies between 0 and 1."""

    name: str
    cells: Sequence[str]
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """The means of every group that a tag makes, for one result."""

    result: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Poor:
    """An item with a low score; `link` is its id as an address has it."""

    id: str
    link: str
    score: str
    question: str
    reason: str = ""
    chinese: str = ""


def main_metric(report: Report) -> str:
    """The metric of the headline, one that is compared if any is; a total is none."""
    totals = {metric for table in report.tables for metric in table.sums}
    compared = {each.metric for each in report.comparisons} or set(report.metrics)
    return main_of(
        [metric for metric in report.metrics if metric not in totals and metric in compared] or report.metrics
    )


def main_of(metrics: Sequence[str]) -> str:
    """Of several metrics the one that stands for a result."""
    return next((metric for metric in MAIN if metric in metrics), metrics[0])


def headlines(report: Report, metric: str) -> list[Headline]:
    """Every result with the mean of one metric, and how it compares with the first."""
    return [_headline(each, metric, report.comparison(each.name, metric)) for each in report.summaries]


def outcome_of(compared: Comparison) -> Outcome:
    """What a comparison comes to, in words."""
    if compared.underpowered and not compared.test.resamples:
        return "gate.cannot_tell"
    if not compared.significant:
        return "report.no_evidence"
    return "report.better" if compared.gain > 0 else "report.worse"


def metric_rows(report: Report) -> Iterator[Row]:
    """A line per metric: for each result mean, interval, and how many items are scored, unscored and errors."""
    for metric in report.metrics:
        found = [(report.comparison(summary.name, metric), summary.metrics.get(metric)) for summary in report.summaries]
        yield Row(metric, [cell for pair in found for cell in _metric_cells(*pair)], _share(found[-1][1]))


def comparison_rows(report: Report) -> dict[str, list[Row]]:
    """For each result that was compared a line per metric."""
    names = dict.fromkeys(compared.a for compared in report.comparisons)
    return {name: [_compared(each) for each in report.comparisons if each.a == name] for name in names}


def groupings(report: Report, main: str) -> dict[str, list[Grouping]]:
    """The means by each tag that makes a handful of groups; the tag that was asked for comes first."""
    metrics = [main, *(metric for metric in report.metrics if metric != main)]
    return {
        tag: [Grouping(t.name, list(_group_rows(t, tag, metrics))) for t in report.tables if tag in t.tags]
        for tag in _tags(report)
    }


def glance(report: Report, grouped: Mapping[str, Sequence[Grouping]]) -> list[Row]:
    """What stands beside the headline of a single result: its groups by the first tag, or its other metrics."""
    first = next(iter(grouped.values()), [])
    if first:
        return [Row(row.name, row.cells[1:3], row.share) for row in first[0].rows[:GLANCE]]
    rows = [(metric, found) for metric, found in report.summaries[0].metrics.items() if found.total is None]
    return [Row(metric, [cells.mean(found), cells.spread(found)], _share(found)) for metric, found in rows[:GLANCE]]


def distribution_rows(tables: Sequence[Table], metric: str) -> list[Row]:
    """How many items of each result lie in each tenth of the range of scores."""
    columns = [table.scored(metric) if metric in table.columns else np.empty(0) for table in tables]
    everything = np.concatenate(columns)
    if not len(everything):
        return []
    edges = np.linspace(*_range(tables, metric, everything), BINS + 1)
    counts = [np.histogram(column, edges)[0] for column in columns]
    names = [f"{low:.2g} – {high:.2g}" for low, high in pairwise(edges)]
    return [Row(name, [f"{count[place]:,}" for count in counts]) for place, name in enumerate(names)]


def worst(table: Table, metric: str) -> list[Poor]:
    """The items with the worst scores, worst first; none of them as good as the best."""
    if metric not in table.columns:
        return []
    column = table.column(metric)
    merit = gain(metric, 1.0) * column
    best = np.nanmax(merit) if len(table.scored(metric)) else np.nan
    order = [row for row in np.argsort(merit, kind="stable").tolist() if merit[row] < best][:WORST]
    return [_poor(table, row, float(column[row])) for row in order]


def counted(report: Report) -> list[Row]:
    """Items by fate and whatever else was counted: a line each, a column per result."""
    found = [
        {
            "report.items": each.items,
            "report.scored": each.scored,
            "report.unscored": each.unscored,
            "report.errors": each.errors,
            **each.counts,
        }
        for each in report.summaries
    ]
    keys = dict.fromkeys(key for each in found for key in each)
    return [Row(key, [f"{each[key]:,}" if key in each else cells.DASH for each in found]) for key in keys]


def settings(report: Report) -> list[Row]:
    """Every setting of every signature: a line per setting, a column per result."""
    found = [dict(table.signature.settings) for table in report.tables]
    keys = dict.fromkeys(key for each in found for key in each)
    return [Row(key, [each.get(key, cells.DASH) for each in found]) for key in keys]


def method(report: Report) -> Mapping[str, Any] | None:
    """How differences were tested, and what makes them doubtful."""
    if not report.comparisons:
        return None
    first = report.comparisons[0]
    return {
        "test": TESTS[first.test.name],
        "exact": sum(each.test.exact for each in report.comparisons),
        "resamples": next((each.test.resamples for each in report.comparisons if each.test.resamples), None),
        "seed": first.settings.seed,
        "correction": CORRECTIONS[first.settings.correction],
        "alpha": f"{first.settings.alpha:g}",
        "family": len(report.comparisons),
        "unpaired": max(each.unpaired for each in report.comparisons),
        "differ": list(dict.fromkeys(key for each in report.comparisons for key in each.settings_differ)),
    }


def _headline(summary: Summary, metric: str, compared: Comparison | None) -> Headline:
    found = summary.metrics.get(metric)
    return Headline(
        summary.name,
        metric,
        cells.DASH if found is None else cells.mean(found),
        cells.DASH if found is None else cells.spread(found),
        summary.items,
        summary.scored,
        summary.unscored,
        summary.errors,
        _gauge(found),
        None if compared is None else outcome_of(compared),
        compared,
    )


def _gauge(found: MetricSummary | None) -> tuple[float, float, float] | None:
    if found is None or found.total is not None:
        return None
    numbers = (found.interval.low, found.mean, found.interval.high)
    return numbers if all(math.isfinite(number) and 0 <= number <= 1 for number in numbers) else None


def _metric_cells(compared: Comparison | None, found: MetricSummary | None) -> tuple[str, ...]:
    if found is None:
        return (cells.DASH,) * 3
    counted = f"{found.scored:,} / {found.unscored:,} / {found.errors:,}"
    return f"{cells.mean(found)} {cells.mark(compared)}".strip(), cells.spread(found), counted


def _compared(found: Comparison) -> Row:
    ties = found.n - found.wins - found.losses
    return Row(
        found.metric,
        (
            cells.number(found.b_mean),
            cells.number(found.a_mean),
            f"{cells.signed(found.difference)} {cells.mark(found)}".strip(),
            cells.interval(found.interval),
            cells.p_value(found.p_value),
            cells.p_value(found.p_adjusted),
            cells.number(found.effect_size, 2),
            f"{found.wins:,} / {ties:,} / {found.losses:,}",
            cells.number(found.smallest_detectable),
        ),
    )


def _tags(report: Report) -> list[str]:
    every = dict.fromkeys(tag for table in report.tables for tag in table.tags)
    few = [tag for tag in every if any(2 <= len(set(t.tags.get(tag, ()))) <= MOST_GROUPS for t in report.tables)]
    first = [tag for tag in (report.by, "type") if tag in every]
    return list(dict.fromkeys(tag for tag in (*first, *few) if tag))[:MOST_TAGS]


def _group_rows(table: Table, tag: str, metrics: Sequence[str]) -> Iterator[Row]:
    for value, summary in groups(table, tag).items():
        found = [summary.metrics.get(metric) for metric in metrics]
        means = [cells.DASH if each is None else cells.mean(each) for each in found]
        spread = cells.DASH if found[0] is None else cells.spread(found[0])
        yield Row(value or cells.DASH, [f"{summary.items:,}", means[0], spread, *means[1:]], _share(found[0]))


def _share(found: MetricSummary | None) -> float | None:
    """The mean where a bar can show it."""
    there = found is not None and found.total is None and math.isfinite(found.mean) and 0 <= found.mean <= 1
    return found.mean if found is not None and there else None


def _range(tables: Sequence[Table], metric: str, values: FloatArray) -> tuple[float, float]:
    low, high = tables[0].bounds(metric)
    low, high = (low if math.isfinite(low) else values.min(), high if math.isfinite(high) else values.max())
    return (float(low), float(high)) if low < high else (float(low), float(low) + 1)


def _poor(table: Table, row: int, score: float) -> Poor:
    link = quote(table.ids[row].encode("utf-8", "replace"), safe="")
    noted = next(iter(table.notes(row)), "")
    english, chinese = (note_in(language, table, row, noted)[:LONGEST_REASON] for language in LANGUAGES)
    return Poor(table.ids[row], link, cells.score(score), _question(table, row), english, chinese)


def _question(table: Table, row: int) -> str:
    output = table.outputs[row] if table.outputs else None
    return str((output or {}).get("question", ""))
