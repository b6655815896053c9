"""What pages show of legal results: the figures to look at first, where points were lost, and the parts by type.

The first figures are shares with their intervals: the questions passed, the hallucinated answers, the refusals
on both sides, and the citations that are right.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES, Language, Message, code_of, translations, words_of
from steelyard.legal.model import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.attribution import hallucinated
from steelyard.legal.report.items import LegalItems
from steelyard.legal.report.losses import ALL_POINTS, EARNED, STAGES, Loss, losses
from steelyard.legal.report.results import PartMean, Refusals, Uncertain, uncertain
from steelyard.legal.report.sections import mean_range
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.kinds import Chart, Json, KindPage, Rows, Section, Sections, Tile, TileLine, gauge_of
from steelyard.reports.plots.items import waterfall, waterfall_panel
from steelyard.reports.plots.style import draw
from steelyard.stats.review import UNCERTAIN
from steelyard.stats.scopes import Units, clusters_of, scope_of
from steelyard.table import FloatArray, IntArray, Table

_WHOLE: Final = 1e-6


class PartRow(NamedTuple):
    """The score or a part of it over the items of a type, by the code of its name; `remark` is in every language.

    `form` says whether it is the score, counts in it ("part"), or does not ("extra").
    """

    code: str
    form: str
    weight: str
    mean: str
    interval: str
    items: int
    share: float
    remark: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LegalPanel:
    """All of it for one result. `refusals` is None where no question is about a gap, `uncertain` where the result does
    not say which verdicts are uncertain; `range` is that of the mean in every language."""

    name: str
    tiles: Sequence[Tile]
    refusals: Refusals | None
    groups: Mapping[str, Sequence[PartRow]]
    losses: Sequence[Loss]
    weighted: str | None
    uncertain: TileLine | None
    range: tuple[str, ...]


class LegalPage(KindPage):
    """The sections, charts and item details of legal results."""

    folders = (Path(__file__).parent / "templates",)
    part_names = "part_names"
    about_documents = True
    tags_shown = frozenset(("type",))

    def __init__(self) -> None:
        self._losses = cache(losses)  # its panel and its chart have them

    def sections(self, tables: Sequence[Table], units: Units = "auto") -> Sections:
        """Return a panel for each result; of a single one, the figures are below the headline."""
        panels = [self._panel(table, units) for table in tables if table.kind == METRIC]
        details = [Section("legal_panels.html.j2", panels)]
        return Sections([Section("legal_figures.html.j2", panels)] if len(panels) == 1 else [], details)

    def _panel(self, table: Table, units: Units) -> LegalPanel:
        weighted, doubts = results.weighted_mean(table), uncertain(table, units=units)
        return LegalPanel(
            table.name,
            self.tiles(table, units),
            results.refusals(table) if results.has_gaps(table) else None,
            type_groups(table, units),
            self._losses(table),
            None if weighted is None else cells.number(weighted),
            _line(doubts.share) if doubts else None,
            _range(doubts),
        )

    def tiles(self, table: Table, units: Units = "auto") -> list[Tile]:
        """Return what was passed, hallucinated, answered or refused wrongly, and cited.

        A tile is left out where there are no questions for it.
        """
        clusters = clusters_of(table, scope_of(units, table))
        parts, nothing = table.parts.get(METRIC, {}), np.full(len(table), np.nan)
        passed, cited = (_lines(clusters, parts.get(part, nothing)) for part in ("passed", "citation_correctness"))
        refusals = [
            *_lines(clusters, results.wrong_answers(table), "report.answered_unanswerable", bad=True),
            *_lines(clusters, results.wrong_refusals(table), "report.refused_answerable", bad=True),
        ]
        tiles = (
            Tile("report.passed_questions", passed, "report.of_all_questions"),
            Tile(
                "answer_part_names.hallucinated",
                _lines(clusters, hallucinated(table), bad=True),
                "report.of_hallucinated",
            ),
            Tile("report.abstention_errors", refusals),
            Tile("report.citations_correct", cited, "report.of_cited_facts"),
        )
        return [tile for tile in tiles if tile.lines]

    def charts(self, table: Table, language: Language) -> Iterator[Chart]:
        svg = losses_chart(table, self._losses(table), language)
        if svg:
            yield Chart("losses", "report.losses", svg)

    def details(self, documents: Mapping[str, Document]) -> LegalItems:
        return LegalItems(documents)

    def item_columns(self, tables: Sequence[Table], rows: Sequence[Rows], order: Sequence[int]) -> Json:
        return {"weights": [_item_weights(*each) for each in zip(tables, rows, strict=True)]}

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        return note_in(language, table, row, metric)


def losses_chart(table: Table, lost: Sequence[Loss], language: Language = "en") -> str | None:
    """From all points of a result down to those it earned, by stage; None where no point was lost.

    The names of the stages are in a language and change with that of the page.
    """
    if not lost:
        return None
    words = words_of(language)
    steps = [(words(loss.stage), loss.points) for loss in lost]
    bars = waterfall((words(ALL_POINTS), len(table.scored(METRIC))), steps, words(EARNED))
    names = [translations(Message(code)) for code in (ALL_POINTS, *STAGES, EARNED)]
    panel = waterfall_panel(bars, room_for=[text for texts in names for text in texts])
    return draw(panel, "plots.lost_by_stage", [stage for stage, _ in steps], language, translated=names)


def _range(doubts: Uncertain | None) -> tuple[str, ...]:
    """Between which bounds the uncertain verdicts leave the mean, in every language; empty where none is uncertain."""
    return tuple(mean_range(doubts, words_of(each)) for each in LANGUAGES) if doubts and doubts.count else ()


def _item_weights(table: Table, rows: Rows) -> list[list[list[str | float]]]:
    if table.kind != METRIC:
        return [[] for _ in rows]
    weighted = results.weighted_parts(table)
    parts = [{} if row is None else weighted[row] for row in rows]
    return [[[part, weight, counted] for part, (weight, counted) in of_item.items()] for of_item in parts]


def _lines(clusters: IntArray | None, column: FloatArray, label: str = "", *, bad: bool = False) -> list[TileLine]:
    """Return the share of the items of a column that have 1; nothing if no item has a value."""
    is_empty = bool(np.isnan(column).all())
    return [] if is_empty else [_line(results.part_mean("", "", column, clusters), label, bad=bad)]


def _line(mean: PartMean, label: str = "", *, bad: bool = False) -> TileLine:
    """Return a share in per cent, with the number of items that it is of; of shares within items only their number."""
    count, interval = mean.mean * mean.items, mean.interval
    counted = f"{count:,.0f} / {mean.items:,}" if abs(count - round(count)) < _WHOLE else f"n = {mean.items:,}"
    bounds = _percent(interval.low, interval.high) if np.isfinite(interval.low) else (cells.DASH,)
    gauge = gauge_of(mean.mean, interval)
    return TileLine(_percent(mean.mean), counted, bounds, gauge, label, bad=bad and mean.mean > 0)


def _percent(*shares: float) -> tuple[str, ...]:
    """Return a share in per cent, or a range of shares, in every language."""
    return translations(Message("core.percent", n=" – ".join(f"{100 * share:.1f}" for share in shares)))


def type_groups(table: Table, units: Units = "auto") -> dict[str, list[PartRow]]:
    """Return the score and its parts, with their weights, by the code of the type of questions."""
    tables = results.by_type(table)
    grouped = groupby(results.part_means(table, units), key=lambda part: part.type)
    return {code_of("type_values", kind): _rows(tables[kind], parts) for kind, parts in grouped}


def _rows(table: Table, parts: Iterable[PartMean]) -> list[PartRow]:
    found: dict[str, set[float]] = {}
    for of_item in results.weighted_parts(table):
        for part, (weight, _) in of_item.items():
            found.setdefault(part, set()).add(weight)
    weights = {part: "–".join(f"{each:g}" for each in sorted({min(of), max(of)})) for part, of in found.items()}
    return [
        PartRow(
            code_of("part_names", part.part),
            "score" if part.part == METRIC else "part" if part.part in weights else "extra",
            weights.get(part.part, ""),
            *(cells.number(part.mean), cells.interval(part.interval), part.items, part.mean),
            _range(uncertain(table)) if part.part == UNCERTAIN else (),
        )
        for part in parts
    ]
