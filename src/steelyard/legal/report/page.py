"""What a page says of a legal result: refusals, inventions, citations, what is uncertain, where points were lost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from steelyard.i18n import LANGUAGES, words_of
from steelyard.legal.report import results as legal
from steelyard.legal.report.losses import STAGES, Loss, losses
from steelyard.legal.report.results import Refusals
from steelyard.legal.report.uncertain import Uncertain, grid, mean_range, uncertain
from steelyard.reports import cells
from steelyard.reports.grids import PageGrid
from steelyard.table import Table

CITED: Final = ("citation_correctness", "citation_provided", "quote_included", "value_cited")


@dataclass(frozen=True, slots=True)
class Share:
    """A share in words, its number of items, and whether more of it is worse."""

    name: str
    share: float
    items: int
    bad: bool = False

    @property
    def shown(self) -> str:
        """The share in per cent."""
        return f"{self.share:.1%}" if math.isfinite(self.share) else cells.DASH


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of the score over the items of a type."""

    type: str
    part: str
    mean: str
    interval: str
    items: int
    share: float


@dataclass(frozen=True, slots=True)
class UncertainTile:
    """The uncertain verdicts in large type, and by type: `range` is that of the mean, in English and Chinese."""

    name: str
    share: str
    counted: str
    interval: str
    gauge: tuple[float, float, float]
    range: tuple[str, str]
    by_type: PageGrid | None


@dataclass(frozen=True, slots=True)
class LegalPanel:
    """All of it for one result; stages and rates by code. `refusals` is None where no question is about a gap,
    `uncertain` where the result does not say."""

    name: str
    refusals: Refusals | None
    rates: Sequence[Share]
    parts: Sequence[PartRow]
    losses: Sequence[Loss]
    weighted: str | None
    seconds: str | None
    uncertain: UncertainTile | None


def legal_panel(table: Table) -> LegalPanel:
    """What there is to say of a legal result."""
    refused = legal.refusals(table) if "conflict_gap" in table.tags.get("type", ()) else None
    weighted = legal.weighted_mean(table)
    return LegalPanel(
        table.name,
        refused,
        [*_refusal_rates(refused), *_part_rates(table)],
        [_part_row(found) for found in legal.part_means(table)],
        [replace(loss, stage=STAGES[loss.stage]) for loss in losses(table)],
        None if weighted is None else cells.number(weighted),
        _seconds(table),
        None if (found := uncertain(table)) is None else _tile(table, found),
    )


def _tile(table: Table, found: Uncertain) -> UncertainTile:
    return UncertainTile(
        table.name,
        found.percent,
        f"{found.count:,} / {found.items:,}",
        cells.interval(found.interval),
        (found.interval.low, found.share, found.interval.high),
        (mean_range(found, words_of("en")), mean_range(found, words_of("zh"))),
        _by_type(table),
    )


def _by_type(table: Table) -> PageGrid | None:
    found = {language: grid(table, words_of(language)) for language in LANGUAGES}
    there = {language: each for language, each in found.items() if each is not None}
    return PageGrid(there) if there else None


def _refusal_rates(found: Refusals | None) -> list[Share]:
    if found is None:
        return []
    answerable = found.answered_answerable + found.refused_answerable
    others = found.answered_unanswerable + found.refused_unanswerable
    return [
        Share("report.refused_answerable", found.over_refusal, answerable, bad=True),
        Share("report.answered_unanswerable", found.false_answer, others, bad=True),
    ]


def _part_rates(table: Table) -> list[Share]:
    parts = table.parts(legal.METRIC)
    counts = {part: int((~np.isnan(column)).sum()) for part, column in parts.items()}
    invented = Share(
        "report.hallucinating_answers", legal.hallucination_rate(table), legal.hallucinations(table)[1], bad=True
    )
    cited = [Share(part, float(np.nanmean(parts[part])), counts[part]) for part in CITED if counts.get(part)]
    return [*([invented] if invented.items else []), *cited]


def _part_row(found: legal.PartMean) -> PartRow:
    numbers = (cells.number(found.mean), cells.interval(found.interval))
    return PartRow(found.type, found.part, *numbers, found.items, found.mean)


def _seconds(table: Table) -> str | None:
    spent = legal.spent(table)
    if "seconds_median" not in spent:
        return None
    return f"{spent['seconds_median']:.3g} s · p95 {spent['seconds_p95']:.3g} s"
