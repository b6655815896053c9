"""What a report shows: the tables, their summaries, and how they compare."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard import __version__
from steelyard.formats.results import items
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import Summary
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class Report:
    """Results of one kind, the first of them the one that the others are compared with."""

    tables: Sequence[Table]
    comparisons: Sequence[Comparison] = ()
    per_item: bool = False
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


def as_json(report: Report) -> dict[str, Any]:
    """The JSON of the command line."""
    return {
        "steelyard": __version__,
        "kind": report.tables[0].kind,
        "signature": str(report.tables[0].signature),
        "results": [
            {**summary.as_dict(), **({"per_item": list(items(table))} if report.per_item else {})}
            for summary, table in zip(report.summaries, report.tables, strict=True)
        ],
        "comparisons": [comparison.as_dict() for comparison in report.comparisons],
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
