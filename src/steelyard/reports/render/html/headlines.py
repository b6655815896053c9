"""What a page has of its own before its items: headlines, the overview beside them, and the items with low scores."""

import math
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from steelyard.i18n import LANGUAGES, translations
from steelyard.reports import cells
from steelyard.reports.blocks import Cell, Row
from steelyard.reports.content import Report, lowest_rows
from steelyard.reports.render.html.kind_page import KindPage
from steelyard.reports.render.html.tables import PageBlocks
from steelyard.reports.sections.means import mean_cell
from steelyard.reports.verdicts import OutcomeCode, mean_sentences, outcome_of, sentences, verdict
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import Table

WORST: Final = 8
OVERVIEW: Final = 7
LONGEST_NOTE: Final = 400


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of one result; `gauge` is low, mean and high where these are between 0 and 1.

    `outcome` is the code of the outcome of the comparison with the first result.
    """

    summary: Summary
    metric: str
    mean: Cell
    gauge: tuple[float, float, float] | None = None
    outcome: OutcomeCode | None = None
    compared: Comparison | None = None

    @property
    def sentences(self) -> list[tuple[str, ...]]:
        """The outcome for these documents and for others, in every language; of a mean, if items share documents."""
        if self.compared is not None:
            return [translations(message) for message in sentences(self.compared)]
        mean = self.summary.metrics.get(self.metric)
        return [] if mean is None else [translations(message) for message in mean_sentences(mean)]

    @property
    def verdict(self) -> tuple[str, ...]:
        """The outcome in every language."""
        return (cells.DASH,) if self.compared is None else translations(verdict(self.compared))

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
class OverviewRow:
    """A row of the table beside the headline; `share` is drawn as a bar."""

    name: str
    mean: str
    interval: str
    share: float | None


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
    return [_headline(report, summary, metric) for summary in report.summaries]


def overview(report: Report, blocks: PageBlocks) -> list[OverviewRow]:
    """The table beside the headline of a single result: its groups by the first tag, or its metrics but for totals."""
    first = next(iter(blocks.choices.values()), None)
    if first:
        return [_overview_row(name, row) for row in first[0].block.rows[:OVERVIEW] if isinstance(name := row[0], str)]
    summary = report.summaries[0]
    metrics = [metric for metric, mean in summary.metrics.items() if mean.total is None][:OVERVIEW]
    return [_overview_row(metric, [mean_cell(report, summary, metric)]) for metric in metrics]


def _overview_row(name: str, row: Row) -> OverviewRow:
    """The number of a row that has an interval."""
    cell = next(cell for cell in row if isinstance(cell, Cell))
    return OverviewRow(name, cell.text, cell.detail or cell.extra, cell.share)


def lowest(table: Table, metric: str, kind: KindPage) -> list[LowItem]:
    """The items with the worst scores, worst first; none of them as good as the best."""
    if metric not in table.columns:
        return []
    column = table.column(metric)
    return [_low_item(table, row, float(column[row]), kind) for row in lowest_rows(table, metric, WORST)]


def _headline(report: Report, summary: Summary, metric: str) -> Headline:
    compared = report.comparison(summary.name, metric)
    return Headline(
        summary,
        metric,
        mean_cell(report, summary, metric),
        _gauge(summary.metrics.get(metric)),
        None if compared is None else outcome_of(compared),
        compared,
    )


def _gauge(mean: MetricSummary | None) -> tuple[float, float, float] | None:
    if mean is None or mean.total is not None:
        return None
    numbers = (mean.interval.low, mean.mean, mean.interval.high)
    return numbers if all(math.isfinite(number) and 0 <= number <= 1 for number in numbers) else None


def _low_item(table: Table, row: int, score: float, kind: KindPage) -> LowItem:
    link = quote(table.ids[row].encode("utf-8", "replace"), safe="")
    metric = next(iter(table.notes(row)), "")
    note = tuple(kind.note(table, row, metric, language)[:LONGEST_NOTE] for language in LANGUAGES)
    return LowItem(table.ids[row], link, cells.score(score), _question(table, row), note)


def _question(table: Table, row: int) -> str:
    output = table.outputs[row] if table.outputs else None
    return str((output or {}).get("question", ""))
