"""Panels of means and differences with their intervals: by metric, by cut-off, by run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.registry.kinds import COSTS
from steelyard.reports.content import Report
from steelyard.reports.plots.style import (
    BAD,
    DASHES,
    GOOD,
    MUTED,
    SERIES,
    WIDTH,
    ZERO_LINE,
    Spec,
    in_turn,
    labels,
    rows,
    series,
    short,
    width_beside,
)
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import known
from steelyard.table import UNBOUNDED, Bounds

MOST_METRICS: Final = 40
"""The most metrics, or families of metrics, that are drawn; each costs about 50 ms."""
MOST_RUNS: Final = 100
"""So many runs of a trend are drawn, the latest."""

_UNIT: Final = (0.0, 1.0)
_CUT_OFF: Final = re.compile(r"(.+)@(\d+)")
_POINT: Final = {"type": "point", "size": 70}
_CURVE: Final = {"width": WIDTH, "height": 260}
_TICKS: Final = 5
_BESIDE: Final = 1.12
_TREND: Final = {"width": WIDTH, "height": 180}


def forest_panels(report: Report) -> list[Spec]:
    """Panels with a row for each metric; metrics from 0 to 1 share one, every other has its own axis."""
    names = labels([table.name for table in report.tables])
    totals = {metric for table in report.tables for metric in table.sums}
    metrics = ([metric for metric in report.metrics if metric not in totals] or report.metrics)[:MOST_METRICS]
    unit = [metric for metric in metrics if _bounds(report, metric) == _UNIT]
    groups = [unit, *([metric] for metric in metrics if metric not in unit)]
    width = width_beside(labels(metrics))
    return [_forest_panel(report, names, group, width) for group in groups if group]


def difference_panel(comparisons: Sequence[Comparison]) -> Spec:
    """Return a row for each metric, its difference around 0, filled if it is significant.

    With one new result, up and down triangles are significant gains and losses; several results differ by colour
    and shape.
    """
    metrics = list(dict.fromkeys(comparison.metric for comparison in comparisons))[:MOST_METRICS]
    comparisons = [comparison for comparison in comparisons if comparison.metric in metrics]
    rowed = dict(zip(metrics, labels(metrics), strict=True))
    # the results in the order of the report, so that each has the same colour and shape
    results = list(dict.fromkeys([*(one.b for one in comparisons), *(one.a for one in comparisons)]))
    named = dict(zip(results, labels(results), strict=True))
    compared = list(dict.fromkeys(named[one.a] for one in comparisons))
    values = [
        {
            "row": rowed[one.metric],
            "result": named[one.a],
            **_numbers(one.difference, one.interval.low, one.interval.high),
            **_significance(one),
        }
        for one in comparisons
    ]
    channels = series(list(named.values()), shown=compared) if len(compared) > 1 else _BY_SIGNIFICANCE
    filled = {"fillOpacity": {"field": "filled", "type": "quantitative", "scale": None}}
    axis = {"gridColor": ZERO_LINE, "tickCount": _TICKS}
    x = {"scale": {"zero": True, "nice": True}, "title": Message("plots.axis_difference"), "axis": axis}
    panel = _interval_rows(values, list(rowed.values()), compared, {**channels, **filled}, x)
    return {"width": width_beside(rowed.values()), **panel}


def curve_panels(report: Report) -> dict[str, Spec]:
    """For each family of metrics with several cut-offs (nDCG@5, nDCG@10 …) a panel over them."""
    families: dict[str, dict[int, str]] = {}
    totals = {metric for table in report.tables for metric in table.sums}
    for metric in report.metrics:
        if metric not in totals and (parsed := _CUT_OFF.fullmatch(metric)):
            families.setdefault(parsed[1], {})[int(parsed[2])] = metric
    names = labels([table.name for table in report.tables])
    several = {family: cuts for family, cuts in families.items() if len(cuts) > 1}
    return {family: _curve_panel(report, names, family, cuts) for family, cuts in islice(several.items(), MOST_METRICS)}


def cost_panels(report: Report) -> dict[str, Spec]:
    """For each cost that several results have, a panel of the main metric over the mean cost."""
    main, names = report.main, labels([table.name for table in report.tables])
    panels = {}
    for cost in (metric for metric in COSTS if metric != main):
        of_results = zip(names, report.shown, strict=True)
        means = [(name, shown.metrics.get(main), shown.metrics.get(cost)) for name, shown in of_results]
        values = [
            {"result": name, "cost": known(spent.mean), **_numbers(mean.mean, mean.interval.low, mean.interval.high)}
            for name, mean, spent in means
            if mean is not None and spent is not None
        ]
        if len(values) > 1:
            panels[cost] = _cost_panel(names, main, cost, values)
    return panels


def precision_recall_panel(curves: Mapping[str, Iterable[float]], levels: Sequence[float]) -> Spec:
    """Return the mean interpolated precision of each result at levels of recall."""
    names = labels(list(curves))
    values = [
        {"result": name, "dash": dash, "recall": level, **_numbers(float(precision), None, None)}
        for name, dash, curve in zip(names, cycle(DASHES), curves.values(), strict=False)
        for level, precision in zip(levels, curve, strict=True)
    ]
    scale = {"domain": list(_UNIT), "nice": False}
    x = {"field": "recall", "type": "quantitative", "scale": scale, "title": Message("plots.axis_recall")}
    y = {"type": "quantitative", "title": Message("plots.axis_precision"), "scale": {"domain": list(_UNIT)}}
    return {**_CURVE, "data": {"values": values}, "encoding": {"x": x}, "layer": _lines(names, y)}


def trend_panels(points: Sequence[Mapping[str, Any]]) -> dict[str, Spec]:
    """For each metric a panel of its means over the last hundred runs, in the order in which runs first appear."""
    runs = list(dict.fromkeys(str(point["run"]) for point in points))[-MOST_RUNS:]
    named = dict(zip(runs, labels(runs), strict=True))
    metrics: dict[str, list[Spec]] = {}
    for point in (point for point in points if str(point["run"]) in named):
        numbers = _numbers(point["mean"], point.get("low"), point.get("high"))
        metrics.setdefault(str(point["metric"]), []).append(
            {"run": named[str(point["run"])], "result": "", "dash": [1, 0], **numbers}
        )
    last = len(metrics) - 1
    return {
        metric: _trend_panel(metric, values, list(named.values()), with_names=place == last)
        for place, (metric, values) in enumerate(metrics.items())
    }


_BY_SIGNIFICANCE: Final[Spec] = {
    "fill": {"field": "colour", "type": "nominal", "scale": None},
    "stroke": {"field": "colour", "type": "nominal", "scale": None},
    "shape": {"field": "shape", "type": "nominal", "scale": None},
}


def _significance(comparison: Comparison) -> Spec:
    if not comparison.significant or comparison.judged:
        return {"colour": MUTED, "shape": "circle", "filled": 0}
    if comparison.gain > 0:
        return {"colour": GOOD, "shape": "triangle-up", "filled": 1}
    return {"colour": BAD, "shape": "triangle-down", "filled": 1}


def _bounds(report: Report, metric: str) -> Bounds:
    """Return the values that a metric can take; a metric that does not say is taken to be of its own kind."""
    return next((table.bounds(metric) for table in report.tables if metric in table.columns), UNBOUNDED)


def _forest_panel(report: Report, names: Sequence[str], metrics: Sequence[str], width: int) -> Spec:
    rowed = labels(metrics)
    values = [
        {"row": row, "result": name, **_numbers(mean.mean, mean.interval.low, mean.interval.high)}
        for name, summary in zip(names, report.shown, strict=True)
        for row, metric in zip(rowed, metrics, strict=True)
        if (mean := summary.metrics.get(metric))
    ]
    is_unit = _bounds(report, metrics[0]) == _UNIT
    scale: Spec = {"domain": list(_UNIT)} if is_unit else {"zero": False, "nice": True, "padding": 12}
    x = {"scale": scale, "title": Message("plots.axis_mean"), "axis": {"tickCount": _TICKS}}
    return {"width": width, **_interval_rows(values, rowed, names, series(names), x)}


def _numbers(mean: float | None, low: float | None, high: float | None) -> Spec:
    """As JSON has them: null where a number is not known, which then is not drawn."""
    return {
        name: None if value is None else known(value) for name, value in zip(_NUMBERS, (mean, low, high), strict=True)
    }


_NUMBERS: Final = ("mean", "low", "high")


def _interval_rows(
    values: Sequence[Spec], rowed: Sequence[str], names: Sequence[str], channels: Spec, axis: Spec
) -> Spec:
    """Points with intervals in named rows; the results of a row are below one another."""
    y: Spec = {"y": rows(rowed, Message("plots.axis_metric"))}
    if len(names) > 1:
        y["yOffset"] = {"field": "result", "type": "nominal", "scale": {"domain": list(names)}}
    x = {"type": "quantitative", **axis}
    return {
        "height": {"step": max(26, 14 * len(names) + 10), "for": "position"},
        "data": {"values": list(values)},
        "encoding": y,
        "layer": [
            _interval({"x": {**x, "field": "low"}, "x2": {"field": "high"}}, channels),
            _mean({"x": x}, channels),
        ],
    }


def _interval(ends: Spec, channels: Spec) -> Spec:
    known_ends = [{"filter": "datum.low !== null && datum.high !== null"}]
    mark = {"type": "rule", "strokeWidth": 1.5}
    return {"transform": known_ends, "mark": mark, "encoding": {**ends, "stroke": channels["stroke"]}}


def _mean(place: Spec, channels: Spec) -> Spec:
    (axis,) = place
    encoding = {axis: {**place[axis], "field": "mean"}, **channels}
    return {"transform": [{"filter": "datum.mean !== null"}], "mark": _POINT, "encoding": encoding}


def _curve_panel(report: Report, names: Sequence[str], family: str, cuts: Mapping[int, str]) -> Spec:
    drawn = zip(names, cycle(DASHES), _spread(len(names)), report.shown, strict=False)
    values = [
        {
            "result": name,
            "dash": dash,
            "cut": cut * beside,
            **_numbers(mean.mean, mean.interval.low, mean.interval.high),
        }
        for name, dash, beside, summary in drawn
        for cut, metric in sorted(cuts.items())
        if (mean := summary.metrics.get(metric))
    ]
    axis = {"values": sorted(cuts), "grid": False, "labelOverlap": True, "format": "d"}
    scale = {"type": "log", "nice": False, "padding": 10}
    x = {"field": "cut", "type": "quantitative", "scale": scale, "axis": axis, "title": Message("plots.axis_cutoff")}
    layers = _lines(
        names, {"type": "quantitative", "title": f"{short(family)}@k", "scale": {"zero": True, "nice": True}}
    )
    return {**_CURVE, "data": {"values": values}, "encoding": {"x": x}, "layer": layers}


def _cost_panel(names: Sequence[str], main: str, cost: str, values: Sequence[Spec]) -> Spec:
    scale = {"zero": True, "nice": True}
    x = {"field": "cost", "type": "quantitative", "scale": scale, "title": short(cost)}
    y = {"type": "quantitative", "scale": {"zero": False, "nice": True, "padding": 12}, "title": short(main)}
    channels = series(names)
    layers = [_interval({"y": {**y, "field": "low"}, "y2": {"field": "high"}}, channels), _mean({"y": y}, channels)]
    return {**_CURVE, "data": {"values": list(values)}, "encoding": {"x": x}, "layer": layers}


def _spread(results: int) -> list[float]:
    """Factors that draw results slightly beside one another on a logarithmic axis, so that all intervals are seen."""
    return [_BESIDE ** (place / (results - 1) - 0.5) for place in range(results)] if results > 1 else [1.0]


def _trend_panel(metric: str, values: Sequence[Spec], runs: Sequence[str], *, with_names: bool) -> Spec:
    """Return one metric over the runs; the names of the runs are below the last panel only."""
    title = Message("plots.axis_run") if with_names else None
    axis = {"grid": False, "labelAngle": -35, "labelOverlap": True, "labels": with_names}
    x = {"field": "run", "type": "ordinal", "scale": {"domain": list(runs)}, "axis": axis, "title": title}
    layers = _lines(
        [""], {"type": "quantitative", "title": Message("plots.axis_mean"), "scale": {"zero": False, "nice": True}}
    )
    panel = {"title": short(metric), "data": {"values": list(values)}, "encoding": {"x": x}, "layer": layers}
    return {**_TREND, **panel}


def _lines(names: Sequence[str], y: Spec) -> list[Spec]:
    """Means with their intervals, those of a result joined by a line."""
    channels = series(names)
    line = {
        "transform": [{"filter": "datum.mean !== null"}],
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": {
            "y": {**y, "field": "mean"},
            "stroke": {**in_turn(names, SERIES), "legend": None},
            # without a scale, or the symbols of the legend would be dashed too
            "strokeDash": {"field": "dash", "type": "nominal", "scale": None},
        },
    }
    return [_interval({"y": {**y, "field": "low"}, "y2": {"field": "high"}}, channels), line, _mean({"y": y}, channels)]
