"""What a page has of its own before its items: headlines, and the items with low scores."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from steelyard.i18n import LANGUAGES, translations
from steelyard.reports import cells
from steelyard.reports.blocks import Cell
from steelyard.reports.content import Report, lowest_rows
from steelyard.reports.render.html.kind_page import KindPage, as_text
from steelyard.reports.render.html.tiles import Gauge, gauge_of
from steelyard.reports.sections.means import mean_cell
from steelyard.reports.verdicts import OutcomeCode, mean_sentences, outcome_of, sentences, verdict
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import Table

WORST: Final = 8
LONGEST_NOTE: Final = 400


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of one result; `gauge` is low, mean and high where these are between 0 and 1.

    `outcome` is the code of the outcome of the comparison with the first result.
    """

    summary: Summary
    metric: str
    mean: Cell
    gauge: Gauge | None = None
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

    @property
    def needed(self) -> str:
        """How many items or documents would show the difference."""
        return cells.needed(self.compared) if self.compared else cells.DASH


@dataclass(frozen=True, slots=True)
class LowItem:
    """An item with a low score: its id as it is and as part of an address, and its note in every language.

    Without a note, the answer is in its place.
    """

    id: str
    link: str
    score: str
    question: str
    note: tuple[str, ...]


def headlines(report: Report, metric: str) -> list[Headline]:
    """Every result with the mean of one metric, and how it compares with the first."""
    return [_headline(report, summary, metric) for summary in report.shown]


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


def _gauge(mean: MetricSummary | None) -> Gauge | None:
    return None if mean is None or mean.total is not None else gauge_of(mean.mean, mean.interval)


def _low_item(table: Table, row: int, score: float, kind: KindPage) -> LowItem:
    link = quote(table.ids[row].encode("utf-8", "replace"), safe="")
    metric = next(iter(table.notes(row)), "")
    output = (table.outputs[row] if table.outputs else None) or {}
    answer = as_text(output.get("answer"))
    notes = (kind.note(table, row, metric, language) or answer for language in LANGUAGES)
    note = tuple(text[:LONGEST_NOTE] for text in notes)
    return LowItem(table.ids[row], link, cells.score(score), str(output.get("question", "")), note)
