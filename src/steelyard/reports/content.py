"""What a report shows: the tables, their summaries, and how they compare."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard import __version__
from steelyard.errors import UnknownName, nearest
from steelyard.i18n import Message
from steelyard.io.results import items_of
from steelyard.legal.report import results as legal
from steelyard.legal.report import uncertain
from steelyard.reports.gate import findings_json
from steelyard.reports.grids import PageGrid
from steelyard.stats.compare import Comparison
from steelyard.stats.gate import Gate
from steelyard.stats.summary import Summary
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class Report:
    """Results of one kind, the first of them the one that the others are compared with; `by` is a tag to group by,
    `gate` what rules came to, where a run had some to meet, and `grids` are further tables for a page."""

    tables: Sequence[Table]
    comparisons: Sequence[Comparison] = ()
    per_item: bool = False
    by: str | None = None
    gate: Gate | None = None
    grids: Sequence[PageGrid] = ()
    summaries: list[Summary] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "summaries", [table.summary() for table in self.tables])

    @property
    def metrics(self) -> list[str]:
        """The metrics of all tables, each once, in order."""
        return list(dict.fromkeys(metric for table in self.tables for metric in table.metrics))

    def comparison(self, name: str, metric: str) -> Comparison | None:
        """How the result `name` compares on a metric, if it was compared."""
        return next((c for c in self.comparisons if c.a == name and c.metric == metric), None)


def groups(table: Table, tag: str) -> dict[str, Summary]:
    """For each value of a tag the summary of its items, in order of appearance."""
    if tag not in table.tags:
        hint = nearest(tag, table.tags) if table.tags else Message("reports.items_result_no_tags")
        raise UnknownName(Message("reports.no_tag_called", tag=tag), where=table.name, hint=hint)
    values = np.array(table.tags[tag])
    return {value: table.take(np.flatnonzero(values == value)).summary() for value in dict.fromkeys(table.tags[tag])}


def as_json(report: Report) -> dict[str, Any]:
    """The JSON of the command line."""
    return {
        "steelyard": __version__,
        "kind": report.tables[0].kind,
        "signature": str(report.tables[0].signature),
        "results": [
            {
                **summary.as_dict(),
                **({"legal": _legal_json(table)} if table.kind == legal.METRIC else {}),
                **({"by": {report.by: _groups_json(table, report.by)}} if report.by else {}),
                **({"per_item": [item.to_json() for item in items_of(table)]} if report.per_item else {}),
            }
            for summary, table in zip(report.summaries, report.tables, strict=True)
        ],
        "comparisons": [comparison.as_dict() for comparison in report.comparisons],
        **({} if report.gate is None else {"gate": findings_json(report.gate)}),
    }


def _legal_json(table: Table) -> dict[str, Any]:
    return {**legal.as_json(table), **uncertain.as_json(table)}


def _groups_json(table: Table, tag: str) -> dict[str, Any]:
    kept = ("items", "scored", "unscored", "errors", "metrics")
    return {
        value: {key: found for key, found in summary.as_dict().items() if key in kept}
        for value, summary in groups(table, tag).items()
    }


def unique_names(names: Sequence[str]) -> list[str]:
    """The same names, with a number behind each that was there before: run, run-2, run-3."""
    found: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in found:
            number += 1
            candidate = f"{name}-{number}"
        found.append(candidate)
    return found
