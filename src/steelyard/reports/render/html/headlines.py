"""What a page has of its own before its items: headlines, and the items with low scores."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from steelyard.i18n import LANGUAGES
from steelyard.reports import cells
from steelyard.reports.blocks import Cell
from steelyard.reports.content import Report, lowest_rows
from steelyard.reports.render.html.kind_page import KindPage, as_text
from steelyard.reports.render.html.tiles import Gauge, gauge_of
from steelyard.reports.sections.changes import is_question
from steelyard.reports.sections.means import mean_cell
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import Table

WORST: Final = 8
LONGEST_NOTE: Final = 400


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of one result; `gauge` is low, mean and high where these are between 0 and 1."""

    summary: Summary
    mean: Cell
    gauge: Gauge | None = None


@dataclass(frozen=True, slots=True)
class LowItem:
    """An item with a low score: its id as it is and as part of an address, and its note in every language.

    Without a note, the answer is in its place. `below` is the id where the question does not say it.
    """

    id: str
    link: str
    score: str
    question: str
    note: tuple[str, ...]
    below: str


def headlines(report: Report, metric: str) -> list[Headline]:
    """Every result with the mean of one metric."""
    return [
        Headline(summary, mean_cell(report, summary, metric), _gauge(summary.metrics.get(metric)))
        for summary in report.summaries
    ]


def lowest(table: Table, metric: str, kind: KindPage) -> list[LowItem]:
    """The items with the worst scores, worst first; none of them as good as the best."""
    if metric not in table.columns:
        return []
    column = table.column(metric)
    return [_low_item(table, row, float(column[row]), kind) for row in lowest_rows(table, metric, WORST)]


def _gauge(mean: MetricSummary | None) -> Gauge | None:
    return None if mean is None or mean.total is not None else gauge_of(mean.mean, mean.interval)


def _low_item(table: Table, row: int, score: float, kind: KindPage) -> LowItem:
    link = quote(table.ids[row].encode("utf-8", "replace"), safe="")
    metric = next(iter(table.notes(row)), "")
    output = (table.outputs[row] if table.outputs else None) or {}
    answer = as_text(output.get("answer"))
    notes = (kind.note(table, row, metric, language) or answer for language in LANGUAGES)
    note = tuple(text[:LONGEST_NOTE] for text in notes)
    question = str(output.get("question", ""))
    below = "" if not question or is_question(table.ids[row], question) else table.ids[row]
    return LowItem(table.ids[row], link, cells.score(score), question.partition("\n")[0], note, below)
