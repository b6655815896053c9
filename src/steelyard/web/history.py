"""Series of runs: results of one kind over one set of questions, and the trend of each metric."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.errors import MissingExtra
from steelyard.i18n import Language
from steelyard.io.records import unique_names
from steelyard.reports.plots.means import MOST_METRICS
from steelyard.web.index import Entry

if TYPE_CHECKING:
    from markupsafe import Markup

Draw = Callable[[Sequence[Mapping[str, Any]], Language], str]


@dataclass(frozen=True, slots=True)
class Trend:
    """A metric over runs; `plot` is SVG, empty if it cannot be drawn."""

    metric: str
    plot: "Markup"


def series_of(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the runs of each series, the latest first."""
    series: dict[str, list[Entry]] = {}
    for entry in entries:
        series.setdefault(entry.series, []).append(entry)
    return series


def title_of(runs: Sequence[Entry]) -> str:
    """Return what a series is called: its system, or the names of its oldest run and its latest."""
    return runs[0].system or " → ".join(dict.fromkeys((runs[-1].name, runs[0].name)))


def means_of(runs: Sequence[Entry], metric: str) -> list[float]:
    """Return the means of a metric, from the oldest run to the latest."""
    means = [run.metrics.get(metric, {}).get("mean") for run in reversed(runs)]
    return [mean for mean in means if mean is not None]


def trends_of(runs: Sequence[Entry], language: Language, draw: Draw) -> Iterator[Trend]:
    """Every metric of the runs; the first metrics are drawn, from the oldest run to the latest."""
    from markupsafe import Markup

    oldest_first = runs[::-1]
    for place, metric in enumerate(dict.fromkeys(metric for run in runs for metric in run.metrics)):
        points = list(_points(oldest_first, metric)) if place < MOST_METRICS else []
        try:
            drawn = draw(points, language) if len(points) > 1 else ""
            yield Trend(metric, Markup(drawn))  # SVG of shapes and texts only  # nosec B704
        except MissingExtra:  # the table on the page has the same numbers
            yield Trend(metric, Markup(""))


def draw_trend(points: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Return the plot of a metric over runs."""
    from steelyard.reports.plots.charts import trend

    return trend(points, language)


def _points(runs: Sequence[Entry], metric: str) -> Iterator[dict[str, Any]]:
    labels = unique_names([f"{datetime.fromtimestamp(run.time):%m-%d %H:%M}" for run in runs])
    for label, run in zip(labels, runs, strict=True):
        summary = run.metrics.get(metric)
        if summary and summary["mean"] is not None:
            low, high = summary["ci95"]
            yield {"run": label, "metric": metric, "mean": summary["mean"], "low": low, "high": high}
