"""What pages show of legal results: the figures to look at first, where points were lost, and the parts by type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES, Language, Message, translations, words_of
from steelyard.legal.formulas import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.figures import legal_tiles, uncertain_line
from steelyard.legal.report.items import LegalItems
from steelyard.legal.report.losses import ALL_POINTS, EARNED, STAGES, Loss, losses
from steelyard.legal.report.parts import TypeGroup, type_groups
from steelyard.legal.report.results import Refusals
from steelyard.legal.report.uncertain import Uncertain, mean_range, uncertain
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.plots.items import waterfall, waterfall_panel
from steelyard.reports.plots.style import description, draw
from steelyard.reports.render.html.kind_page import Chart, Json, KindPage, Rows, Section, Sections
from steelyard.reports.render.html.tiles import Tile, TileLine
from steelyard.stats.scopes import Units
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class UncertainFigure:
    """The share of uncertain verdicts, and the range of the mean in every language."""

    line: TileLine
    range: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LegalPanel:
    """All of it for one result. `refusals` is None where no question is about a gap, `uncertain` where the result does
    not say which verdicts are uncertain."""

    name: str
    tiles: Sequence[Tile]
    refusals: Refusals | None
    groups: Sequence[TypeGroup]
    losses: Sequence[Loss]
    weighted: str | None
    seconds: str | None
    uncertain: UncertainFigure | None


class LegalPage(KindPage):
    """The sections, charts and item details of legal results."""

    folders = (Path(__file__).parent / "templates",)
    part_names = "part_names"
    about_documents = True
    tags_shown = frozenset(("type",))

    def __init__(self) -> None:
        self._lost: dict[Table, list[Loss]] = {}

    def _losses(self, table: Table) -> list[Loss]:
        """The losses of a result, which its panel and its chart have."""
        if table not in self._lost:
            self._lost[table] = losses(table)
        return self._lost[table]

    def sections(self, tables: Sequence[Table], units: Units = "auto") -> Sections:
        """A panel for each result; of a single one, the figures are below the headline."""
        panels = [legal_panel(table, self._losses(table), units) for table in tables if table.kind == METRIC]
        details = [Section("legal_panels.html.j2", panels)]
        return Sections([Section("legal_figures.html.j2", panels)] if len(panels) == 1 else [], details)

    def tiles(self, table: Table, units: Units = "auto") -> Sequence[Tile]:
        """What was passed, hallucinated, answered or refused wrongly, and cited."""
        return legal_tiles(table, units)

    def charts(self, table: Table, language: Language) -> Iterator[Chart]:
        """Where points were lost."""
        svg = losses_chart(table, self._losses(table), language)
        if svg:
            yield Chart("losses", "report.losses", svg)

    def details(self, documents: Mapping[str, Document]) -> LegalItems:
        """Expected values, quotations and passages, and what was found in an answer."""
        return LegalItems(documents)

    def item_columns(self, tables: Sequence[Table], rows: Sequence[Rows], order: Sequence[int]) -> Json:
        """The weights of the parts of every score: part, weight and the value that counts."""
        return {"weights": [_weights(*each) for each in zip(tables, rows, strict=True)]}

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        """The reasons of a verdict in one line."""
        return note_in(language, table, row, metric)


def losses_chart(table: Table, lost: Sequence[Loss], language: Language = "en") -> str | None:
    """From all points of a result down to those it earned, by stage; None where no point was lost.

    The names of the stages are in a language and change with that of the page.
    """
    if not lost:
        return None
    words = words_of(language)
    steps = [(words(STAGES[loss.stage]), loss.points) for loss in lost]
    bars = waterfall((words(ALL_POINTS), len(table.scored(METRIC))), steps, words(EARNED))
    names = [translations(Message(code)) for code in (ALL_POINTS, *STAGES.values(), EARNED)]
    panel = waterfall_panel(bars, room_for=[text for texts in names for text in texts])
    about = description("plots.lost_by_stage", [stage for stage, _ in steps], language)
    return draw(panel, about=about, language=language, translated=names)


def legal_panel(table: Table, lost: Sequence[Loss], units: Units = "auto") -> LegalPanel:
    """What a page shows of one legal result, with its losses."""
    weighted = results.weighted_mean(table)
    return LegalPanel(
        table.name,
        legal_tiles(table, units),
        results.refusals(table) if results.has_gaps(table) else None,
        type_groups(table, units),
        [replace(loss, stage=STAGES[loss.stage]) for loss in lost],
        None if weighted is None else cells.number(weighted),
        _seconds(table),
        None if (doubts := uncertain(table, units=units)) is None else _uncertain_figure(doubts),
    )


def _uncertain_figure(doubts: Uncertain) -> UncertainFigure:
    ranges = tuple(mean_range(doubts, words_of(language)) for language in LANGUAGES) if doubts.count else ()
    return UncertainFigure(uncertain_line(doubts), ranges)


def _weights(table: Table, rows: Rows) -> list[list[list[str | float]]]:
    """The parts that count in the score of each item, in order."""
    if table.kind != METRIC:
        return [[] for _ in rows]
    weighted = results.weighted_parts(table)
    parts = [{} if row is None else weighted[row] for row in rows]
    return [[[part, weight, counted] for part, (weight, counted) in of_item.items()] for of_item in parts]


def _seconds(table: Table) -> str | None:
    spent = results.spent(table)
    if "seconds_median" not in spent:
        return None
    return f"{_duration(spent['seconds_median'])} · p95 {_duration(spent['seconds_p95'])}"


def _duration(seconds: float) -> str:
    """A time of three figures, below a second in milliseconds."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
