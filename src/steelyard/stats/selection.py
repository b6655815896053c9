"""Selection of columns and rows by name and tags; parts of scores as columns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import UnknownName, nearest
from steelyard.i18n import Message
from steelyard.registry.kinds import directed_parts, is_directed
from steelyard.registry.names import callable_names
from steelyard.stats.rules import Target
from steelyard.table import UNBOUNDED, Bounds, Column, FloatArray, Missing, Table

AGAIN_HINT = Message("stats.judge_again_hint")
_NEWER_PARTS = frozenset(("legal.uncertain",))
"""Parts that are missing from results of earlier versions."""
NO_PART = Missing("unscored", Message("missing.no_part"))


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value of a tag that no item has, and the hint that offers those that some item has."""

    tag: str
    value: str
    hint: Message | None


def select(table: Table, target: Target) -> Table:
    """Return the rows that have the tags of the target, with the one column that it names.

    A part of a score is a column too, on the rows that have the part; its bounds are those of the metric unless its
    values exceed them.
    """
    chosen = table.take(tagged_rows(table, target))
    if target.name in table.columns:
        return chosen.only([target.name])
    metric, part = _part(table, target.name)
    present = chosen.take(np.flatnonzero(~np.isnan(chosen.parts[metric][part])))
    return replace(present, columns={target.name: _part_column(present[metric], part)})


def unknown_value(table: Table, target: Target) -> UnknownValue | None:
    """Return the first tag value of a target that no item has; None if each value occurs, even if never together."""
    for tag, value in target.tags:
        if value not in table.tags.get(tag, ()):
            known = [value for value in dict.fromkeys(table.tags.get(tag, ())) if value]
            return UnknownValue(tag, value, nearest(value, known) if known else None)
    return None


def with_parts(table: Table, names: Sequence[str]) -> Table:
    """Return the table with the named parts as columns after those of their metrics; a row without one is unscored."""
    known = {name: known for name, known in _parts(table).items() if name in names and name not in table.columns}
    columns = dict(table.columns)
    for metric in table.columns if known else ():
        columns[metric] = columns.pop(metric)
        columns |= {name: _part_column(table[metric], part) for name, (of, part) in known.items() if of == metric}
    return replace(table, columns=columns) if known else table


def without_parts(table: Table) -> Table:
    """Return the table without columns that are parts of scores."""
    known = _parts(table)
    return table.only([metric for metric in table.metrics if metric not in known])


def with_directed_parts(tables: Sequence[Table]) -> list[Table]:
    """Return the tables with the directed parts of an undirected metric as columns, where all tables have them."""
    undirected = [metric for metric in tables[0].columns if not is_directed(metric)]
    parts = [part for metric in undirected for part in directed_parts(metric)]
    return [
        with_parts(table, [part for part in parts if all(part in _parts(each) for each in tables)]) for table in tables
    ]


def part_names(table: Table) -> list[str]:
    """Return the names of the parts of all scores, as `metric.part`."""
    return list(_parts(table))


def metrics_of(table: Table, names: Sequence[str]) -> list[str]:
    """Return the names, followed by the metrics whose parts they are."""
    known = _parts(table)
    return list(dict.fromkeys([*names, *(known[name][0] for name in names if name in known)]))


def tagged_rows(table: Table, target: Target) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rows that have the tags of the target."""
    kept = np.ones(len(table), np.bool_)
    for tag, value in target.tags:
        require_tag(tag, table.tags, table.name)
        kept &= np.array([label == value for label in table.tags[tag]], np.bool_)
    return np.flatnonzero(kept)


def _part(table: Table, name: str) -> tuple[str, str]:
    """Return the metric and the part of a dotted name."""
    known = _parts(table)
    if name in _NEWER_PARTS - known.keys():
        raise UnknownName(Message("stats.part_not_recorded", name=name), where=table.name, hint=AGAIN_HINT)
    if name not in known:
        raise UnknownName.of(Message("words.metric"), name, [*callable_names(table.columns), *known], where=table.name)
    return known[name]


def _parts(table: Table) -> dict[str, tuple[str, str]]:
    """Return the metric and the part by dotted name, for all metrics."""
    return {f"{metric}.{part}": (metric, part) for metric, parts in table.parts.items() for part in parts}


def _part_column(column: Column, part: str) -> Column:
    """Return a part of a score as a column."""
    values = column.parts[part]
    status = np.isnan(values).astype(np.int64)
    return Column(values, status, (NO_PART,), bounds=_bounds(values, column.bounds or UNBOUNDED))


def _bounds(values: FloatArray, bounds: Bounds) -> Bounds:
    present = values[~np.isnan(values)]
    within = not len(present) or (bounds[0] <= present.min() and present.max() <= bounds[1])
    return bounds if within else UNBOUNDED


def require_tag(tag: str, known: Collection[str], where: str) -> None:
    """Raise an error unless the tag is a known one; the hint offers the nearest."""
    if tag not in known:
        hint = nearest(tag, known) if known else Message("reports.no_tags")
        raise UnknownName(Message("reports.no_tag_called", tag=tag), where=where, hint=hint)


def items_by_value(tables: Sequence[Table], tag: str) -> dict[str, set[str]]:
    """Return the items by value of the tag, in order of appearance."""
    known = dict.fromkeys(name for table in tables for name in table.tags)
    require_tag(tag, known, tables[0].name)
    value_of: dict[str, str] = {}
    for table in tables:
        for item, value in zip(table.ids, table.tags.get(tag, [""] * len(table)), strict=True):
            value_of[item] = value_of.get(item) or value
    groups: dict[str, set[str]] = {}
    for item, value in value_of.items():
        groups.setdefault(value, set()).add(item)
    return groups


def share_items(new: Table, old: Table, items: set[str]) -> bool:
    """Return whether some of the items are in both tables."""
    return not items.isdisjoint(set(new.ids) & set(old.ids))


def rows_of(items: set[str], table: Table) -> Table:
    """Return the table with these items only."""
    return table.take(np.array([row for row, item in enumerate(table.ids) if item in items]))
