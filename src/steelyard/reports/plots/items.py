"""Panels of items: how scores are distributed, what changed between two results, how a total is made up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

import numpy as np

from steelyard.i18n import Message, code_of
from steelyard.registry.kinds import gain
from steelyard.reports.plots.style import (
    BAD,
    BLUE,
    GOOD,
    INK,
    MUTED,
    ORANGE,
    TEXT,
    WIDTH,
    ZERO_LINE,
    Spec,
    labels,
    rows,
    series,
    short,
    width_beside,
)
from steelyard.stats.pairing import pair
from steelyard.table import FloatArray, IntArray, Table

BINS: Final = 20
MOST_BARS: Final = 300
MOST_ROWS: Final = 20

_QUANTITY: Final = {"type": "quantitative"}


@dataclass(frozen=True, slots=True)
class Paired:
    """Items that are scored in both of two results, by what changed: the greatest gain last."""

    ids: Sequence[str]
    old: FloatArray
    new: FloatArray
    difference: FloatArray

    @classmethod
    def of(cls, new: Table, old: Table, metric: str) -> Self:
        """Return the items of both tables that have a score of this metric in both; differences by rounding are 0."""
        if set(new.ids).isdisjoint(old.ids):
            return cls([], np.empty(0), np.empty(0), np.empty(0))
        both = pair(new, old)
        differences = both.differences(metric, ties=True)
        order = np.argsort(differences, kind="stable")[: int((~np.isnan(differences)).sum())]  # NaN sorts last
        before, after = both.old[order], both.new[order]
        ids = [new.ids[row] for row in after.tolist()]
        return cls(ids, old.column(metric)[before], new.column(metric)[after], differences[order])

    def largest(self, count: int) -> "Paired":
        """Return the items that changed most, in the same order; items that did not change are left out."""
        changed = int(np.count_nonzero(self.difference))
        chosen = np.sort(np.argsort(-np.abs(self.difference), kind="stable")[: min(count, changed)])
        ids = [self.ids[row] for row in chosen.tolist()]
        return Paired(ids, self.old[chosen], self.new[chosen], self.difference[chosen])


def histograms(tables: Sequence[Table], metric: str) -> list[Spec]:
    """Return a panel for each table: 20 bins between the bounds of the metric, or two bars if every score is 0 or 1."""
    scores = [column[np.isfinite(column)] for column in (table.column(metric) for table in tables)]
    edges = _edges(np.concatenate(scores), tables[0].bounds(metric))
    counts = [np.histogram(column, edges)[0] for column in scores]
    most = max(1, *(int(count.max()) for count in counts))
    titles = labels([table.name for table in tables]) if len(tables) > 1 else [None]
    return [
        {**_histogram(edges, count, most, _named(metric)), "title": title}
        for count, title in zip(counts, titles, strict=True)
    ]


def difference_bars(differences: FloatArray, metric: str) -> Spec:
    """Return a bar for each item, sorted; more than 300 items are averaged in 300 bins of equal size."""
    edges = np.linspace(0, len(differences), min(len(differences), MOST_BARS) + 1).round().astype(int).tolist()
    values = [
        {"start": start, "end": end, "value": value, "zero": 0, "colour": _colour(metric, value)}
        for start, end in pairwise(edges)
        if (value := float(differences[start:end].mean()))
    ]
    # the outline covers the seams between bars that are less than a pixel apart
    colour = {"field": "colour", "type": "nominal", "scale": None}
    count = {"scale": {"domain": [0, max(len(differences), 1)], "nice": False}, "axis": {"grid": False, "format": "d"}}
    height = {"scale": {"zero": True, "nice": True}, "axis": {"gridColor": ZERO_LINE}}
    titles = Message("plots.axis_sorted_items"), Message("plots.axis_change", metric=_named(metric))
    return {
        "width": WIDTH,
        "height": 200,
        "data": {"values": values},
        "mark": {"type": "rect", "strokeWidth": 0.5},
        "encoding": {
            "x": {**_QUANTITY, **count, "field": "start", "title": titles[0]},
            "x2": {"field": "end"},
            "y": {**_QUANTITY, **height, "field": "value", "title": titles[1]},
            "y2": {"field": "zero"},
            "fill": colour,
            "stroke": colour,
        },
    }


def _colour(metric: str, difference: float) -> str:
    return GOOD if gain(metric, difference) > 0 else BAD


def dumbbells(shown: Paired, names: Sequence[str], metric: str) -> Spec:
    """Return a row for each item: its score in the old and in the new result."""
    rowed = labels(shown.ids[::-1])
    before, after = labels(names)
    pairs = list(zip(rowed, shown.old[::-1].tolist(), shown.new[::-1].tolist(), strict=True))
    bars = [{"row": row, "from": old, "to": new, "colour": _colour(metric, new - old)} for row, old, new in pairs]
    points = [
        {"row": row, "result": name, "score": score}
        for row, old, new in pairs
        for name, score in ((before, old), (after, new))
    ]
    x = {**_QUANTITY, "scale": {"zero": False, "nice": True}, "title": short(metric)}
    stroke = {"stroke": {"field": "colour", "type": "nominal", "scale": None}}
    rule = {
        "data": {"values": bars},
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}, **stroke},
    }
    point = {
        "data": {"values": points},
        "mark": {"type": "point", "size": 60},
        "encoding": {"x": {**x, "field": "score"}, **series([before, after], (MUTED, BLUE), ("circle", "diamond"))},
    }
    y = rows(rowed, Message("plots.axis_item"))
    return {"width": width_beside(rowed), "height": {"step": 24}, "encoding": {"y": y}, "layer": [rule, point]}


def waterfall(total: tuple[str, int], losses: Sequence[tuple[str, float]], rest: str) -> list[Spec]:
    """Return the bars of a waterfall: a named total, what each named loss takes off it, and the named rest."""
    name, points = total
    bars = [_bar(name, 0.0, float(points), MUTED, f"{points:,}")]
    left = float(points)
    for stage, lost in losses:
        bars.append(_bar(stage, left - lost, left, ORANGE, f"−{lost:,.1f}"))
        left -= lost
    return [*bars, _bar(rest, 0.0, left, BLUE, f"{left:,.1f}")]


def waterfall_panel(bars: Sequence[Spec], *, room_for: Iterable[str] = ()) -> Spec:
    """Return the bars below one another, each with its number, joined where one ends and the next begins."""
    joints = [{"row": bar["row"], "next": after["row"], "at": after["end"]} for bar, after in pairwise(bars)]
    scale = {"domain": [0, bars[0]["end"]], "nice": False}
    x = {**_QUANTITY, "scale": scale, "axis": {"tickCount": 5}, "title": Message("plots.axis_points")}
    fill = {"field": "colour", "type": "nominal", "scale": None}
    joint = {
        "data": {"values": joints},
        "mark": {"type": "rule", "color": MUTED, "strokeDash": [2, 2]},
        "encoding": {"x": {**x, "field": "at"}, "y2": {"field": "next"}},
    }
    rectangle = {
        "mark": {"type": "bar", "height": 14},
        "encoding": {"x": {**x, "field": "start"}, "x2": {"field": "end"}, "fill": fill},
    }
    number = {
        "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": TEXT},
        "encoding": {
            "x": {**x, "field": "end"},
            "text": {"field": "number", "type": "nominal"},
            "fill": {"value": INK},
        },
    }
    named = [bar["row"] for bar in bars]
    width = width_beside([*named, *room_for]) - 4 * TEXT  # the number of the longest bar is beside the panel
    return {
        "width": width,
        "height": {"step": 28},
        "data": {"values": list(bars)},
        "encoding": {"y": rows(named, Message("plots.axis_stage"), room_for=room_for)},
        "layer": [joint, rectangle, number],
    }


def _bar(row: str, start: float, end: float, colour: str, number: str) -> Spec:
    return {"row": row, "start": start, "end": end, "colour": colour, "number": number}


def _edges(scores: FloatArray, bounds: tuple[float, float]) -> FloatArray:
    """Return the edges of two bins for 0 and 1, else of twenty that hold every score and reach to finite bounds."""
    if len(scores) and np.isin(scores, (0.0, 1.0)).all():
        return np.array([-0.5, 0.5, 1.5])
    reached = np.array([*(bound for bound in bounds if np.isfinite(bound)), *scores])
    low, high = (float(reached.min()), float(reached.max())) if len(reached) else (0.0, 1.0)
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


def _named(metric: str) -> Message | str:
    """Return the name of a metric on an axis; the score of a benchmark has a word in each language."""
    code = code_of("metric_names", metric)
    return short(metric) if code == metric else Message(code)


def _histogram(edges: FloatArray, counts: IntArray, most: int, title: Message | str) -> Spec:
    is_binary = len(counts) == 2
    gap = (edges[-1] - edges[0]) * (0.1 if is_binary else 0.002)
    values = [
        {"from": low + gap, "to": high - gap, "count": count, "zero": 0}
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        if count
    ]
    axis = {"grid": False, "values": [0, 1], "format": "d"} if is_binary else {"grid": False}
    scale = {"domain": [float(edges[0]), float(edges[-1])], "nice": False}
    height = {"scale": {"domain": [0, most], "nice": True}, "axis": {"tickMinStep": 1, "tickCount": 5, "format": ",d"}}
    return {
        "width": WIDTH,
        "height": 140,
        "data": {"values": values},
        "mark": {"type": "rect", "fill": BLUE},
        "encoding": {
            "x": {**_QUANTITY, "field": "from", "scale": scale, "axis": axis, "title": title},
            "x2": {"field": "to"},
            "y": {**_QUANTITY, **height, "field": "count", "title": Message("plots.axis_items")},
            "y2": {"field": "zero"},
        },
    }
