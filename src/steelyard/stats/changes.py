"""What got better and what got worse, item by item."""

from dataclasses import dataclass

import numpy as np

from steelyard.stats.direction import gain
from steelyard.stats.pairing import pair
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class Change:
    """An item whose score is not what it was."""

    id: str
    old: float
    new: float
    difference: float


@dataclass(frozen=True, slots=True)
class Changes:
    """The items on which `a` (the newer) and `b` differ in one metric, the largest changes first.

    `only_a` and `only_b` are the items that have a score on that side alone.
    """

    a: str
    b: str
    metric: str
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def changes(new: Table, old: Table, metric: str) -> Changes:
    """What changed from the old table to the new; a difference that is only rounding is none."""
    rows = pair(new, old)
    differences = rows.differences(metric, ties=True)
    found = [
        Change(new.ids[a], float(old.column(metric)[b]), float(new.column(metric)[a]), float(difference))
        for a, b, difference in zip(rows.new, rows.old, differences, strict=True)
        if difference and not np.isnan(difference)
    ]
    found.sort(key=lambda change: (-abs(change.difference), change.id))
    ours, theirs = _scored(new, metric), _scored(old, metric)
    return Changes(
        a=new.name,
        b=old.name,
        metric=metric,
        better=tuple(change for change in found if gain(metric, change.difference) > 0),
        worse=tuple(change for change in found if gain(metric, change.difference) < 0),
        only_a=tuple(item for item in ours if item not in theirs),
        only_b=tuple(item for item in theirs if item not in ours),
    )


def _scored(table: Table, metric: str) -> dict[str, None]:
    """The ids of scored rows, in order."""
    return dict.fromkeys(table.ids[row] for row in np.flatnonzero(~np.isnan(table.column(metric))).tolist())
