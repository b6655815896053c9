"""The column that a rule is about, on the items that it is about."""

from dataclasses import replace

import numpy as np

from steelyard.errors import UnknownName, nearest
from steelyard.stats.rules import Target
from steelyard.table import FloatArray, Table

_ANYTHING = (-np.inf, np.inf)


def select(table: Table, target: Target) -> Table:
    """The rows that have the tags, with one column, called as the target is.

    A part of a score is such a column too, on the rows that have the part; its values lie between those of the metric
    unless they show otherwise.
    """
    chosen = table.take(_tagged_rows(table, target))
    if target.name in table.columns:
        return chosen.only([target.name])
    metric, part = _part(table, target.name)
    there = chosen.take(np.flatnonzero(~np.isnan(chosen.parts[metric][part])))
    values = there.parts[metric][part]
    bounds = {target.name: _bounds(values, table.bounds.get(metric, _ANYTHING))}
    return replace(there.only([]), columns={target.name: values}, bounds=bounds)


def _tagged_rows(table: Table, target: Target) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    kept = np.ones(len(table), np.bool_)
    for tag, value in target.tags:
        if tag not in table.tags:
            hint = nearest(tag, table.tags) if table.tags else "the items of this result have no tags"
            raise UnknownName(f"no tag is called {tag!r}", where=table.name, hint=hint)
        kept &= np.array([each == value for each in table.tags[tag]], np.bool_)
    return np.flatnonzero(kept)


def _part(table: Table, name: str) -> tuple[str, str]:
    """The metric and the part that a name with a dot speaks of."""
    known = {f"{metric}.{part}": (metric, part) for metric, of in table.parts.items() for part in of}
    if name not in known:
        raise UnknownName.of("metric", name, [*table.columns, *known], where=table.name)
    return known[name]


def _bounds(values: FloatArray, bounds: tuple[float, float]) -> tuple[float, float]:
    within = not len(values) or (bounds[0] <= values.min() and values.max() <= bounds[1])
    return bounds if within else _ANYTHING
