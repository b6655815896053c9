"""Reports of rankings: what pages show of each query, and the precision-recall curve (`reports.kinds`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.reports.kinds import KindReport
from steelyard.table import FloatArray, Table

if TYPE_CHECKING:
    from steelyard.reports.plots.style import Spec
    from steelyard.retrieval.page import RankingPage


class RankingReport(KindReport):
    """What reports show of rankings."""

    def page(self) -> "RankingPage":
        from steelyard.retrieval.page import RankingPage

        return RankingPage()

    def panels(self, tables: Sequence[Table]) -> Mapping[str, "Spec"]:
        """Return the interpolated precision of each result at 11 levels of recall, where rankings were kept."""
        curves = {table.name: curve for table in tables if (curve := precision_curve(table)) is not None}
        if not curves:
            return {}
        from steelyard.registry.names import RECALL_LEVELS
        from steelyard.reports.plots.means import precision_recall_panel

        return {"report.precision_recall": precision_recall_panel(curves, RECALL_LEVELS)}


def precision_curve(table: Table) -> FloatArray | None:
    """Return the mean interpolated precision at each level of recall; None where no ranking was kept."""
    rows = list(_precisions(table.outputs))
    return np.mean(rows, axis=0) if rows else None


def _precisions(outputs: Sequence[Mapping[str, Any] | None]) -> Iterator[Sequence[float]]:
    """Yield the precision of every query that has it; a results file may hold anything."""
    from steelyard.registry.names import RECALL_LEVELS

    for output in outputs:
        found: Any = (output or {}).get("precision")
        is_curve = isinstance(found, list) and len(found) == len(RECALL_LEVELS)
        if is_curve and all(isinstance(value, int | float) for value in found):
            yield found
