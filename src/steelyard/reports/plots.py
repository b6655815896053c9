"""Plots of results, as SVG text for pages and as files.

A plot holds names and numbers only; what it shows is said in the page around it, and to screen readers. Every
function gives text that may stand in a page as it is: see `plot_style`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.errors import UnknownName
from steelyard.formats.writing import write_whole
from steelyard.i18n import Message
from steelyard.reports import losses as lost
from steelyard.reports import plot_items, plot_means
from steelyard.reports.content import Report
from steelyard.reports.legal import METRIC
from steelyard.reports.plot_items import ALL_POINTS, EARNED, MOST_ROWS, Paired
from steelyard.reports.plot_style import Spec, as_png, draw, short
from steelyard.reports.words import Language, words_of
from steelyard.stats.compare import Comparison
from steelyard.table import Table

SUFFIXES: Final = (".svg", ".png")
PAPER: Final = "white"
STAGE_WORDS: Final = {
    ALL_POINTS: "总分",
    lost.FAILED: "系统出错",
    lost.NOT_RETRIEVED: "未检索到",
    lost.NOT_CITED: "未引用",
    lost.WRONG_PLACE: "出处有误",
    lost.WRONG_VALUE: "答案有误",
    lost.REFUSED: "不当拒答",
    lost.NOT_REFUSED: "应拒未拒",
    lost.INVENTED: "编造内容",
    lost.UNEXPLAINED: "原因不明",
    EARNED: "得分",
}
ABOUT: Final = {
    "means with 95 % intervals": "均值与 95% 区间",
    "differences with 95 % intervals": "差值与 95% 区间",
    "distribution of scores": "得分分布",
    "scores by cut-off": "各截断位置的得分",
    "points lost by stage": "各环节失分",
    "differences by item": "逐条差值",
    "scores by item": "逐条得分",
    "trend over runs": "历次走势",
}
"""What a screen reader says of a plot, before its names."""

_NAMES_SAID: Final = 12


def forest(report: Report, language: Language = "en") -> str:
    """The mean of each metric with its 95 % interval, a row for each; results apart by colour and shape.

    Metrics from 0 to 1 share an axis, every other has its own. Totals, which nobody quotes as means, are left out
    unless there is nothing else.
    """
    panels = plot_means.forest_panels(report)
    return draw(_column(panels), about=_about("means with 95 % intervals", report.metrics, language))


def difference_forest(comparisons: Sequence[Comparison], language: Language = "en") -> str:
    """The difference of each metric with its 95 % interval around 0; what is significant is filled."""
    panel = plot_means.difference_panel(comparisons)
    names = [comparison.metric for comparison in comparisons]
    return draw(panel, about=_about("differences with 95 % intervals", names, language))


def distribution(tables: Sequence[Table], metric: str, language: Language = "en") -> str:
    """How many items have which score, a panel for each result that has the metric."""
    having = [table for table in tables if metric in table.columns]
    if not having:
        raise UnknownName.of(
            Message("words.metric"), metric, {name: None for table in tables for name in table.columns}
        )
    panels = plot_items.histograms(having, metric)
    return draw(_column(panels), about=_about("distribution of scores", [metric], language))


def curves(report: Report, language: Language = "en") -> str | None:
    """Each family of metrics over its cut-offs, on a logarithmic axis; None where no metric has several."""
    panels = plot_means.curve_panels(report)
    if not panels:
        return None
    spec = {"concat": list(panels.values()), "columns": 3, "spacing": 24, "resolve": {"scale": {"y": "shared"}}}
    return draw(spec, about=_about("scores by cut-off", panels, language))


def losses(table: Table, language: Language = "en") -> str | None:
    """From all points of a legal result down to those it earned, by stage; None where no point was lost."""
    found = lost.losses(table)
    if not found:
        return None
    shown = STAGE_WORDS if language == "zh" else {english: english for english in STAGE_WORDS}
    bars = plot_items.waterfall(found, len(table.scored(METRIC)))
    panel = plot_items.waterfall_panel([{**bar, "row": shown[bar["row"]]} for bar in bars], room_for=STAGE_WORDS)
    about = _about("points lost by stage", [shown[loss.stage] for loss in found], language)
    return draw(panel, about=about, words=STAGE_WORDS)


def differences(new: Table, old: Table, metric: str, language: Language = "en") -> str:
    """By how much each item that is scored in both got worse or better, sorted; beyond 300 items in 300 shares."""
    panel = plot_items.difference_bars(Paired.of(new, old, metric).difference, metric)
    return draw(panel, about=_about("differences by item", [metric], language))


def dumbbell(new: Table, old: Table, metric: str, language: Language = "en") -> str | None:
    """The old and the new score of the 40 items that changed most, the greatest gain first; None where none did."""
    shown = Paired.of(new, old, metric).largest(MOST_ROWS)
    if not shown.ids:
        return None
    panel = plot_items.dumbbells(shown, [old.name, new.name], metric)
    return draw(panel, about=_about("scores by item", [metric], language))


def trend(points: Sequence[Mapping[str, Any]], language: Language = "en") -> str:
    """The means of the last hundred runs in their order, a panel for each metric.

    Each point has `run`, `metric` and `mean`; `low` and `high` where there is an interval.
    """
    panels = plot_means.trend_panels(points)
    return draw(_column(list(panels.values())), about=_about("trend over runs", panels, language))


def save_plot(report: Report, path: Path, *, language: Language = "en") -> None:
    """Write one figure on white: the means, and below them the differences where results were compared.

    SVG, or PNG in double size by the extension. PNG is drawn with the fonts of this machine: for Chinese names a CJK
    font must be installed.
    """
    words = words_of(language)
    panels = plot_means.forest_panels(report, title=words("mean"))
    if report.comparisons:
        panels.append(plot_means.difference_panel(report.comparisons, title=words("difference")))
    about = _about("means with 95 % intervals", report.metrics, language)
    svg = draw(_column(panels), about=about, background=PAPER)
    write_whole(path, as_png(svg) if path.suffix.lower() == ".png" else svg)


def _column(panels: Sequence[Spec]) -> Spec:
    """Panels below one another, their axes in line."""
    if len(panels) == 1:
        return panels[0]
    apart = {"scale": {"yOffset": "independent"}}
    return {"vconcat": list(panels), "bounds": "flush", "spacing": 56, "resolve": apart}


def _about(words: str, names: Iterable[str], language: Language) -> str:
    said = [short(name) for name in dict.fromkeys(names)]
    more = " …" if len(said) > _NAMES_SAID else ""
    return f"{ABOUT[words] if language == 'zh' else words}: {', '.join(said[:_NAMES_SAID])}{more}"
