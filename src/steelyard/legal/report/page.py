"""What pages show of legal results: refusals, inventions, citations, uncertain verdicts, and where points were lost."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES, Language, Message, code_of, translations, words_of
from steelyard.legal.formulas import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.items import LegalItems
from steelyard.legal.report.losses import ALL_POINTS, EARNED, STAGES, Loss, losses
from steelyard.legal.report.results import Refusals
from steelyard.legal.report.uncertain import Uncertain, mean_range, uncertain, uncertain_table
from steelyard.legal.report.verdicts import labels, note_in
from steelyard.legal.wording import INVENTED
from steelyard.reports import cells
from steelyard.reports.blocks import TableBlock
from steelyard.reports.plots.items import waterfall, waterfall_panel
from steelyard.reports.plots.style import description, draw
from steelyard.reports.render.html.kind_page import Chart, KindPage, Section, Sections
from steelyard.stats.scopes import Units
from steelyard.table import Table

CITED: Final = ("citation_correctness", "citation_provided", "quote_included", "value_cited")


@dataclass(frozen=True, slots=True)
class Share:
    """A share by the code of its name, the number of items that it is of, and whether more of it is worse."""

    code: str
    share: float
    items: int
    bad: bool = False
    is_part: bool = False

    @property
    def shown(self) -> str:
        """The share in per cent."""
        return f"{self.share:.1%}" if math.isfinite(self.share) else cells.DASH


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of the score over the items of a type, by the code of its name; `whole` if it is the score itself."""

    type: str
    code: str
    whole: bool
    mean: str
    interval: str
    items: int


@dataclass(frozen=True, slots=True)
class UncertainTile:
    """The uncertain verdicts in large type, and by type; `range` is that of the mean, in every language."""

    name: str
    share: str
    counted: str
    interval: str
    gauge: tuple[float, float, float]
    range: tuple[str, ...]
    by_type: Mapping[Language, TableBlock]

    @property
    def headings(self) -> list[tuple[str, ...]]:
        """The headings of the table by type, each in every language."""
        return list(zip(*(block.headings for block in self.by_type.values()), strict=True))

    @property
    def first_cells(self) -> list[tuple[str, ...]]:
        """The first cell of each row of that table, in every language."""
        columns = ([str(row[0]) for row in block.rows] for block in self.by_type.values())
        return list(zip(*columns, strict=True))


@dataclass(frozen=True, slots=True)
class LegalPanel:
    """All of it for one result. `refusals` is None where no question is about a gap, `uncertain` where the result does
    not say which verdicts are uncertain."""

    name: str
    refusals: Refusals | None
    rates: Sequence[Share]
    parts: Sequence[PartRow]
    losses: Sequence[Loss]
    weighted: str | None
    seconds: str | None
    uncertain: UncertainTile | None


class LegalPage(KindPage):
    """The sections, charts and item details of legal results."""

    folders = (Path(__file__).parent / "templates",)
    codes = tuple(label.code for label in INVENTED.values())
    about_documents = True

    def sections(self, tables: Sequence[Table], units: Units = "auto") -> Sections:
        """The uncertain verdicts below the headlines, and a panel for each result."""
        panels = [legal_panel(table, units) for table in tables if table.kind == METRIC]
        tiles = [panel.uncertain for panel in panels if panel.uncertain]
        summary = [Section("legal_uncertain.html.j2", tiles)] if tiles else []
        return Sections(summary, [Section("legal_panels.html.j2", panels)])

    def charts(self, table: Table, language: Language) -> Iterator[Chart]:
        """Where points were lost."""
        svg = losses_chart(table, language)
        if svg:
            yield Chart("losses", "report.losses", svg)

    def details(self, documents: Mapping[str, Document]) -> LegalItems:
        """Expected values, quotations and passages, and what was found in an answer."""
        return LegalItems(documents)

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        """The reasons of a verdict in one line."""
        return note_in(language, table, row, metric)


def losses_chart(table: Table, language: Language = "en") -> str | None:
    """From all points of a result down to those it earned, by stage; None where no point was lost.

    The names of the stages are in a language and change with that of the page.
    """
    lost = losses(table)
    if not lost:
        return None
    words = words_of(language)
    steps = [(words(STAGES[loss.stage]), loss.points) for loss in lost]
    bars = waterfall((words(ALL_POINTS), len(table.scored(METRIC))), steps, words(EARNED))
    names = [translations(Message(code)) for code in (ALL_POINTS, *STAGES.values(), EARNED)]
    panel = waterfall_panel(bars, room_for=[text for texts in names for text in texts])
    about = description("plots.lost_by_stage", [stage for stage, _ in steps], language)
    return draw(panel, about=about, language=language, translated=names)


def legal_panel(table: Table, units: Units = "auto") -> LegalPanel:
    """What a page shows of one legal result."""
    refused = results.refusals(table) if results.has_gaps(table) else None
    weighted = results.weighted_mean(table)
    return LegalPanel(
        table.name,
        refused,
        [*_refusal_rates(refused), *_part_rates(table)],
        [_part_row(part) for part in results.part_means(table, units)],
        [replace(loss, stage=STAGES[loss.stage]) for loss in losses(table)],
        None if weighted is None else cells.number(weighted),
        _seconds(table),
        None if (doubts := uncertain(table, units=units)) is None else _tile(table, doubts),
    )


def _tile(table: Table, doubts: Uncertain) -> UncertainTile:
    return UncertainTile(
        table.name,
        doubts.percent,
        f"{doubts.count:,} / {doubts.items:,}",
        cells.interval(doubts.interval),
        (doubts.interval.low, doubts.share, doubts.interval.high),
        tuple(mean_range(doubts, words_of(language)) for language in LANGUAGES),
        _by_type(table),
    )


def _by_type(table: Table) -> dict[Language, TableBlock]:
    tables = {language: uncertain_table(table, words_of(language)) for language in LANGUAGES}
    return {language: block for language, block in tables.items() if block is not None}


def _refusal_rates(counts: Refusals | None) -> list[Share]:
    if counts is None:
        return []
    answerable = counts.answered_answerable + counts.refused_answerable
    others = counts.answered_unanswerable + counts.refused_unanswerable
    return [
        Share("report.refused_answerable", counts.over_refusal, answerable, bad=True),
        Share("report.answered_unanswerable", counts.false_answer, others, bad=True),
    ]


def _part_rates(table: Table) -> list[Share]:
    parts = table.parts.get(METRIC, {})
    counts = {part: int((~np.isnan(column)).sum()) for part, column in parts.items()}
    invented = Share(
        "report.hallucinating_answers", results.hallucination_rate(table), results.hallucinations(table)[1], bad=True
    )
    names = labels()
    cited = [
        Share(names[part].code, float(np.nanmean(parts[part])), counts[part], is_part=True)
        for part in CITED
        if counts.get(part)
    ]
    return [*([invented] if invented.items else []), *cited]


def _part_row(part: results.PartMean) -> PartRow:
    numbers = (cells.number(part.mean), cells.interval(part.interval))
    return PartRow(
        code_of("type_values", part.type), code_of("part_names", part.part), part.part == METRIC, *numbers, part.items
    )


def _seconds(table: Table) -> str | None:
    spent = results.spent(table)
    if "seconds_median" not in spent:
        return None
    return f"{spent['seconds_median']:.3g} s · p95 {spent['seconds_p95']:.3g} s"
