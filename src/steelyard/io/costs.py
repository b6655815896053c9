"""What a reply costs: seconds, tokens and price, among the fields of a row, and as columns of a table.

`costs.json` has the names that common tools give them; a number of milliseconds says so in its name. Fields of other
tools that have no place of their own are searched too.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard import limits
from steelyard.i18n import Message
from steelyard.io.foreign.rows import EXTRA
from steelyard.registry.kinds import COSTS
from steelyard.table import Bounds, Column, Missing, Table

BOUNDS: Final[Bounds] = (0.0, math.inf)
NO_COST: Final = Missing("unscored", Message("missing.no_cost"))
_FAILED: Final = Missing("error", Message("report.the_system_failed"))

_PLACES: Final[Mapping[str, Mapping[str, float]]] = json.loads(
    Path(__file__).with_name("costs.json").read_text(encoding="utf-8")
)
"""Metric → paths of fields, and what their numbers are multiplied by; `*` is every member, whose numbers are added."""
FIELDS: Final = frozenset(path.split("/")[0] for paths in _PLACES.values() for path in paths) | {EXTRA}
"""The fields of a row that may have a cost, or what has one."""


def costs_in(fields: Mapping[str, Any]) -> dict[str, float]:
    """Return what a reply cost by the name of the metric, as far as the fields of its row say."""
    extra = fields.get(EXTRA)
    others = extra.values() if isinstance(extra, Mapping) else ()
    places = [fields, *(each for each in others if isinstance(each, Mapping))]
    found = {metric: _first(places, paths) for metric, paths in _PLACES.items()}
    return {metric: value for metric, value in found.items() if value is not None}


def _first(places: Iterable[Mapping[str, Any]], paths: Mapping[str, float]) -> float | None:
    for place in places:
        for path, factor in paths.items():
            numbers = [number_of(value) for value in _at(place, path.split("/"))]
            known = [number for number in numbers if number is not None]
            if known:
                return factor * math.fsum(known)
    return None


def _at(value: Any, path: Sequence[str]) -> list[Any]:
    """Return the values at a path."""
    if not path:
        return [value]
    if not isinstance(value, Mapping):
        return []
    members = value.values() if path[0] == "*" else [value[path[0]]] if path[0] in value else []
    return [found for member in members for found in _at(member, path[1:])]


def number_of(value: Any) -> float | None:
    """Return a number from 0 on, also as a text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= limits.SCORE.value else None


def with_costs(table: Table) -> Table:
    """Return a table with what its replies cost as further columns, where its outputs say; of failures nothing."""
    of_rows = [costs_in(output or {}) for output in table.outputs]
    columns = {metric: _column(table, metric, of_rows) for metric in COSTS if metric not in table.columns}
    found = {metric: column for metric, column in columns.items() if len(column.scored)}
    return replace(table, columns={**table.columns, **found}) if found else table


def _column(table: Table, metric: str, of_rows: Sequence[Mapping[str, float]]) -> Column:
    values, status = np.full(len(table), np.nan), np.ones(len(table), np.int64)
    for row, costs in enumerate(of_rows):
        if row in table.failures:
            status[row] = 2
        elif metric in costs:
            values[row], status[row] = costs[metric], 0
    return Column(values, status, (NO_COST, _FAILED), bounds=BOUNDS)
