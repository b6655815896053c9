"""The sections of a page before its items: headlines, tables, groups, and what was counted."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal
from urllib.parse import quote

import numpy as np

from steelyard.i18n import LANGUAGES, Message, translations
from steelyard.reports import cells
from steelyard.reports.content import Report, groups
from steelyard.reports.render.html.kind_page import KindPage
from steelyard.reports.sections.footnotes import CORRECTIONS, TESTS
from steelyard.stats.compare import Comparison
from steelyard.stats.direction import gain
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import FloatArray, Table

Outcome = Literal["report.better", "report.worse", "report.no_evidence", "gate.cannot_tell"]

TOO_FEW: Final = {True: "report.too_few_documents", False: "report.too_few_items"}
MOST_GROUPS: Final = 24
MOST_TAGS: Final = 8
WORST: Final = 8
BINS: Final = 10
OVERVIEW: Final = 7
LONGEST_NOTE: Final = 400


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of one result; `gauge` is low, mean and high where these are between 0 and 1."""

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
    def verdict(self) -> tuple[str, ...]:
        """The outcome in every language, with the number of units where these are too few."""
        if self.compared is None or self.outcome is None:
            return (cells.DASH,)
        message = Message(self.outcome)
        if self.outcome == "gate.cannot_tell":
            message = Message(TOO_FEW[self.compared.by_document], n=f"{self.compared.units:,}")
        return translations(message)

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
    """A row of a table: its name, then cells; `share` is drawn as a bar."""

    name: str
    cells: Sequence[str]
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """The means of the groups of one result by a tag."""

    result: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class LowItem:
    """An item with a low score: its id as it is and as part of an address, and its note in every language."""

    id: str
    link: str
    score: str
    question: str
    note: tuple[str, ...]


def headlines(report: Report, metric: str) -> list[Headline]:
    """Every result with the mean of one metric, and how it compares with the first."""
    return [_headline(summary, metric, report.comparison(summary.name, metric)) for summary in report.summaries]


def outcome_of(compared: Comparison) -> Outcome:
    """The code of the outcome of a comparison."""
    if compared.underpowered and not compared.test.resamples:
        return "gate.cannot_tell"
    if not compared.significant:
        return "report.no_evidence"
    return "report.better" if compared.gain > 0 else "report.worse"


def metric_rows(report: Report) -> Iterator[Row]:
    """A row per metric: for each result mean, interval, and how many items are scored, unscored and errors."""
    for metric in report.metrics:
        pairs = [(report.comparison(summary.name, metric), summary.metrics.get(metric)) for summary in report.summaries]
        yield Row(metric, [cell for pair in pairs for cell in _metric_cells(*pair)], _share(pairs[-1][1]))


def comparison_rows(report: Report) -> dict[str, list[Row]]:
    """For each result that was compared a row per metric."""
    names = dict.fromkeys(compared.a for compared in report.comparisons)
    return {
        name: [_compared(comparison) for comparison in report.comparisons if comparison.a == name] for name in names
    }


def groupings(report: Report, main: str) -> dict[str, list[Grouping]]:
    """The means by each tag with few values; the tag of `--by` comes first."""
    metrics = [main, *(metric for metric in report.metrics if metric != main)]
    return {
        tag: [Grouping(t.name, list(_group_rows(t, tag, metrics))) for t in report.tables if tag in t.tags]
        for tag in _tags(report)
    }


def overview(report: Report, groupings: Mapping[str, Sequence[Grouping]]) -> list[Row]:
    """The table beside the headline of a single result: its groups by the first tag, or its other metrics."""
    first = next(iter(groupings.values()), [])
    if first:
        return [Row(row.name, row.cells[1:3], row.share) for row in first[0].rows[:OVERVIEW]]
    means = [(metric, mean) for metric, mean in report.summaries[0].metrics.items() if mean.total is None]
    return [Row(metric, [cells.mean(mean), cells.spread(mean)], _share(mean)) for metric, mean in means[:OVERVIEW]]


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


def lowest(table: Table, metric: str, kind: KindPage) -> list[LowItem]:
    """The items with the worst scores, worst first; none of them as good as the best."""
    if metric not in table.columns:
        return []
    column = table.column(metric)
    merit = gain(metric, 1.0) * column
    best = np.nanmax(merit) if len(table.scored(metric)) else np.nan
    order = [row for row in np.argsort(merit, kind="stable").tolist() if merit[row] < best][:WORST]
    return [_low_item(table, row, float(column[row]), kind) for row in order]


def counted(report: Report) -> list[Row]:
    """How many items were scored or not, and the other counts: a row each, a column per result."""
    counts = [
        {
            "report.items": summary.items,
            "report.scored": summary.scored,
            "report.unscored": summary.unscored,
            "report.errors": summary.errors,
            **summary.counts,
        }
        for summary in report.summaries
    ]
    keys = dict.fromkeys(key for of_result in counts for key in of_result)
    return [Row(key, [f"{of[key]:,}" if key in of else cells.DASH for of in counts]) for key in keys]


def settings(report: Report) -> list[Row]:
    """Every setting of every signature: a row per setting, a column per result."""
    signatures = [dict(table.signature.settings) for table in report.tables]
    keys = dict.fromkeys(key for signature in signatures for key in signature)
    return [Row(key, [signature.get(key, cells.DASH) for signature in signatures]) for key in keys]


def method(report: Report) -> Mapping[str, Any] | None:
    """How differences were tested, and what limits the comparison: unpaired items and settings that differ."""
    if not report.comparisons:
        return None
    compared = report.comparisons
    first = compared[0]
    return {
        "test": TESTS[first.test.name],
        "exact": sum(one.test.exact for one in compared),
        "resamples": next((one.test.resamples for one in compared if one.test.resamples), None),
        "seed": first.settings.seed,
        "correction": CORRECTIONS[first.settings.correction],
        "alpha": f"{first.settings.alpha:g}",
        "family": len(compared),
        "unpaired": max(one.unpaired for one in compared),
        "differ": list(dict.fromkeys(key for one in compared for key in one.settings_differ)),
    }


def _headline(summary: Summary, metric: str, compared: Comparison | None) -> Headline:
    mean = summary.metrics.get(metric)
    return Headline(
        summary.name,
        metric,
        cells.DASH if mean is None else cells.mean(mean),
        cells.DASH if mean is None else cells.spread(mean),
        summary.items,
        summary.scored,
        summary.unscored,
        summary.errors,
        _gauge(mean),
        None if compared is None else outcome_of(compared),
        compared,
    )


def _gauge(mean: MetricSummary | None) -> tuple[float, float, float] | None:
    if mean is None or mean.total is not None:
        return None
    numbers = (mean.interval.low, mean.mean, mean.interval.high)
    return numbers if all(math.isfinite(number) and 0 <= number <= 1 for number in numbers) else None


def _metric_cells(compared: Comparison | None, mean: MetricSummary | None) -> tuple[str, ...]:
    if mean is None:
        return (cells.DASH,) * 3
    counts = f"{mean.scored:,} / {mean.unscored:,} / {mean.errors:,}"
    return f"{cells.mean(mean)} {cells.mark(compared)}".strip(), cells.spread(mean), counts


def _compared(comparison: Comparison) -> Row:
    ties = comparison.n - comparison.wins - comparison.losses
    return Row(
        comparison.metric,
        (
            cells.number(comparison.b_mean),
            cells.number(comparison.a_mean),
            f"{cells.signed(comparison.difference)} {cells.mark(comparison)}".strip(),
            cells.interval(comparison.interval),
            cells.p_value(comparison.p_value),
            cells.p_value(comparison.p_adjusted),
            cells.number(comparison.effect_size, 2),
            f"{comparison.wins:,} / {ties:,} / {comparison.losses:,}",
            cells.number(comparison.smallest_detectable),
        ),
    )


def _tags(report: Report) -> list[str]:
    every = dict.fromkeys(tag for table in report.tables for tag in table.tags)
    few = [tag for tag in every if any(2 <= len(set(t.tags.get(tag, ()))) <= MOST_GROUPS for t in report.tables)]
    first = [tag for tag in (report.by, "type") if tag in every]
    return list(dict.fromkeys(tag for tag in (*first, *few) if tag))[:MOST_TAGS]


def _group_rows(table: Table, tag: str, metrics: Sequence[str]) -> Iterator[Row]:
    for value, summary in groups(table, tag).items():
        of_metrics = [summary.metrics.get(metric) for metric in metrics]
        means = [cells.DASH if mean is None else cells.mean(mean) for mean in of_metrics]
        spread = cells.DASH if of_metrics[0] is None else cells.spread(of_metrics[0])
        yield Row(value or cells.DASH, [f"{summary.items:,}", means[0], spread, *means[1:]], _share(of_metrics[0]))


def _share(mean: MetricSummary | None) -> float | None:
    """The mean where a bar can show it: between 0 and 1."""
    is_share = mean is not None and mean.total is None and math.isfinite(mean.mean) and 0 <= mean.mean <= 1
    return mean.mean if mean is not None and is_share else None


def _range(tables: Sequence[Table], metric: str, values: FloatArray) -> tuple[float, float]:
    low, high = tables[0].bounds(metric)
    low, high = (low if math.isfinite(low) else values.min(), high if math.isfinite(high) else values.max())
    return (float(low), float(high)) if low < high else (float(low), float(low) + 1)


def _low_item(table: Table, row: int, score: float, kind: KindPage) -> LowItem:
    link = quote(table.ids[row].encode("utf-8", "replace"), safe="")
    metric = next(iter(table.notes(row)), "")
    note = tuple(kind.note(table, row, metric, language)[:LONGEST_NOTE] for language in LANGUAGES)
    return LowItem(table.ids[row], link, cells.score(score), _question(table, row), note)


def _question(table: Table, row: int) -> str:
    output = table.outputs[row] if table.outputs else None
    return str((output or {}).get("question", ""))
