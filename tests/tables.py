"""Tables for tests: one metric or several, with the fields that a test is about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.io.results.lines import Footer, Header, Item, dump, items_of
from steelyard.table import Bounds, Column, FloatArray, Missing, Note, Table

Values = Sequence[float] | FloatArray


def table_of(
    ids: Sequence[str],
    columns: Mapping[str, Any],
    *,
    status: Mapping[str, Any] | None = None,
    reasons: Sequence[Missing] = (),
    parts: Mapping[str, Mapping[str, Any]] | None = None,
    notes: Mapping[str, Mapping[int, Note]] | None = None,
    bounds: Mapping[str, Bounds] | None = None,
    sums: Sequence[str] = (),
    **fields: Any,
) -> Table:
    """A table of arrays, with what belongs to each column given by metric."""
    named = {
        metric: Column(
            values,
            (status or {}).get(metric),
            reasons,
            (parts or {}).get(metric, {}),
            (notes or {}).get(metric, {}),
            (bounds or {}).get(metric),
            metric in sums,
        )
        for metric, values in columns.items()
    }
    return Table(ids, named, **fields)


def make_table(
    name: str,
    values: Values | Mapping[str, Values],
    ids: Sequence[str] | None = None,
    *,
    metric: str = "F1",
    **fields: Any,
) -> Table:
    """A result of these values of `metric`, or of the values of each metric; ids are q0, q1, … unless they are given.

    Values are bounded by 0 and 1 unless `bounds` is given (None for no bounds).
    """
    named = values if isinstance(values, Mapping) else {metric: values}
    columns = {each: np.array(column, float) for each, column in named.items()}
    size = len(next(iter(columns.values())))
    bounds = fields.pop("bounds", dict.fromkeys(columns, (0.0, 1.0)))
    return table_of(ids or [f"q{row}" for row in range(size)], columns, name=name, bounds=bounds or {}, **fields)


def shown(table) -> str:
    """What a results file has of a table, but for the time."""
    header: Header = replace(Header.of(table), created="")
    lines: tuple[Header | Item | Footer, ...] = (header, *items_of(table), Footer.of(table))
    return "\n".join(dump(line.to_line()) for line in lines)
