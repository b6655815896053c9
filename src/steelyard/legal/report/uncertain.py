"""Verdicts of a legal result that the rules could not decide: how many, and between which bounds the mean lies.

An uncertain verdict leaves one part of the score open (`Question.open_part`): `exact_match` of a fact, or
`correct_abstention` of a gap. The lowest score has 0 for that part and the highest has 1; every other part stays as
judged. The bounds of the mean are the means of these. A result without the part, written before there was one, has
nothing to show.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.i18n import Words
from steelyard.legal.formulas import METRIC
from steelyard.legal.question_types import question_types
from steelyard.legal.report.results import by_type, part_mean
from steelyard.reports import cells
from steelyard.reports.blocks import TableBlock
from steelyard.stats.intervals import Interval
from steelyard.stats.review import UNCERTAIN, uncertain_flags
from steelyard.stats.scopes import Units, clusters_of, scope_of
from steelyard.stats.summary import interval_list, known
from steelyard.table import FloatArray, Table, mean


def score_range(scores: FloatArray, parts: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest score of each item; both are its score where the verdict is certain.

    An item belongs to the type whose open part it has; a type without an open part has no range.
    """
    low, high = scores.copy(), scores.copy()
    is_open = parts[UNCERTAIN] == 1 if UNCERTAIN in parts else np.zeros(len(scores), bool)
    for kind in question_types():
        column = parts.get(kind.open_part or "")
        if column is None:
            continue
        for row in np.flatnonzero(is_open & ~np.isnan(column)):
            present = [name for name, values in parts.items() if not np.isnan(values[row])]
            weight = kind.weights(present)[str(kind.open_part)]
            low[row] -= weight * column[row]
            high[row] += weight * (1 - column[row])
    return np.clip(low, 0, 1), np.clip(high, 0, 1)  # both are sums of rounded numbers


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The uncertain verdicts among the items of a type (all types where it is empty) that have the part.

    `interval` is that of the share. `low` and `high` bound the mean score, which as judged is `mean`.
    """

    type: str
    count: int
    items: int
    interval: Interval
    mean: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of verdicts that are uncertain."""
        return self.count / self.items

    def as_dict(self) -> dict[str, Any]:
        """As in JSON output."""
        return {
            "count": self.count,
            "items": self.items,
            "share": self.share,
            "ci95": interval_list(self.interval),
            "mean_range": [known(self.low), known(self.high)],
        }


def uncertain(table: Table, kind: str = "", units: Units = "auto") -> Uncertain | None:
    """What is uncertain in a result, or in its items of one type; None where the result does not say."""
    flags = uncertain_flags(table, METRIC)
    if flags is None:
        return None
    clusters = clusters_of(table, scope_of(units, table))
    share = part_mean(kind, UNCERTAIN, table.parts[METRIC][UNCERTAIN], clusters)
    means = [mean(ends[~np.isnan(ends)]) for ends in score_range(table.column(METRIC), table.parts.get(METRIC, {}))]
    return Uncertain(kind, int(flags.sum()), share.items, share.interval, table.mean(METRIC), *means)


def uncertain_by_type(table: Table, units: Units = "auto") -> list[Uncertain]:
    """The same for each type of question that says it, in order."""
    scope = scope_of(units, table)
    of_types = (uncertain(of_type, kind, scope) for kind, of_type in by_type(table).items())
    return [summary for summary in of_types if summary is not None]


def line(table: Table, words: Words) -> str:
    """How many are uncertain and, where any is, the range of the mean; empty where the result does not say."""
    summary = uncertain(table)
    if summary is None:
        return ""
    counts = {"n": f"{summary.count:,}", "items": f"{summary.items:,}", "share": cells.percent(summary.share, words)}
    bounds = [mean_range(summary, words)] if summary.count else []
    return words.labelled(table.name, words.joined("core.comma", [words("report.uncertain_share", **counts), *bounds]))


def mean_range(summary: Uncertain, words: Words) -> str:
    """The range of the mean."""
    return words("report.mean_range", low=cells.number(summary.low), high=cells.number(summary.high))


def uncertain_table(table: Table, words: Words) -> TableBlock | None:
    """A row for each type that has an uncertain verdict, and one for all types; None where no verdict is uncertain."""
    summary = uncertain(table)
    if summary is None or not summary.count:
        return None
    rows = [
        [
            words.value("type", each.type) if each.type else words("report.all"),
            f"{each.count:,} / {each.items:,} ({cells.percent(each.share, words)})",
            *map(cells.number, (each.mean, each.low, each.high)),
        ]
        for each in (*uncertain_by_type(table), summary)
        if each.count
    ]
    codes = ("report.type", "report.uncertain_items", "report.mean", "report.lowest_mean", "report.highest_mean")
    title = words.labelled(table.name, words("report.uncertain_items"))
    return TableBlock([*map(words, codes)], rows, title)


def as_json(table: Table, units: Units = "auto") -> dict[str, Any]:
    """All of it for the command line's JSON; nothing where the result does not say."""
    summary = uncertain(table, units=units)
    if summary is None:
        return {}
    by_type = {of_type.type: of_type.as_dict() for of_type in uncertain_by_type(table, units)}
    return {UNCERTAIN: {**summary.as_dict(), "by_type": by_type}}
