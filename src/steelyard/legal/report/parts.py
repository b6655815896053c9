"""The parts of a legal score by type of question, with their weights, for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from steelyard.i18n import LANGUAGES, code_of, words_of
from steelyard.legal.formulas import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.results import PartMean
from steelyard.legal.report.uncertain import mean_range, uncertain
from steelyard.reports import cells
from steelyard.stats.review import UNCERTAIN
from steelyard.stats.scopes import Units
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class PartRow:
    """The score or a part of it over the items of a type, by the code of its name.

    `weight` is "" for what does not count in the score; `remark` is a text in every language, if there is one.
    """

    code: str
    weight: str
    mean: str
    interval: str
    items: int
    share: float
    remark: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeGroup:
    """A type of questions by the code of its name: the score, its parts, and what does not count in the score."""

    type: str
    score: PartRow
    parts: Sequence[PartRow]
    others: Sequence[PartRow]


def type_groups(table: Table, units: Units = "auto") -> list[TypeGroup]:
    """The types in the order of their questions."""
    grouped = groupby(results.part_means(table, units), key=lambda part: part.type)
    return [_group(_of_type(table, kind), kind, list(parts)) for kind, parts in grouped]


def _of_type(table: Table, kind: str) -> Table:
    return table.take(np.flatnonzero(np.array(table.tags["type"]) == kind))


def _group(table: Table, kind: str, parts: Sequence[PartMean]) -> TypeGroup:
    weights = _weights(table)
    rows = [(part.part, _row(table, part, weights.get(part.part, ""))) for part in parts]
    return TypeGroup(
        code_of("type_values", kind),
        next(row for part, row in rows if part == METRIC),
        [row for part, row in rows if part != METRIC and row.weight],
        [row for part, row in rows if part != METRIC and not row.weight],
    )


def _row(table: Table, part: PartMean, weight: str) -> PartRow:
    return PartRow(
        code_of("part_names", part.part),
        weight,
        cells.number(part.mean),
        cells.interval(part.interval),
        part.items,
        part.mean,
        _range(table) if part.part == UNCERTAIN and part.mean > 0 else (),
    )


def _range(table: Table) -> tuple[str, ...]:
    """Between which bounds the uncertain verdicts leave the mean."""
    doubts = uncertain(table)
    return () if doubts is None else tuple(mean_range(doubts, words_of(language)) for language in LANGUAGES)


def _weights(table: Table) -> dict[str, str]:
    """The weight of each part; a range where it differs between questions."""
    found: dict[str, set[float]] = {}
    for parts in results.weighted_parts(table):
        for part, (weight, _) in parts.items():
            found.setdefault(part, set()).add(weight)
    return {part: "–".join(f"{weight:g}" for weight in sorted({min(of), max(of)})) for part, of in found.items()}
