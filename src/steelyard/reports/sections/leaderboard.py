"""Three results or more as a leaderboard: a row for each, by the metric of the headline."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Axis, Block, Cell, Dot, Fields, Leaderboard, Row, TableBlock
from steelyard.reports.content import Report, main_metric
from steelyard.reports.ranking import lettered_matrix, letters_by_metric, matrix, ranking
from steelyard.reports.sections.differences import difference, effect
from steelyard.stats.summary import MetricSummary, Summary, interval_list, known

ORDER: Final = 12
_UNLETTERED: Final = (
    *("report.interval", "report.difference", "report.difference_interval", "report.p_adjusted"),
    "report.better_same_worse",
)
_HEADINGS: Final = (*_UNLETTERED[:-1], "report.letters", _UNLETTERED[-1])
_RANK, _INTERVAL, _DIFFERENCE_INTERVAL = 0, 3, 5


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The board; nothing for one or two results."""
    if not report.is_many:
        return
    yield leaderboard(report, words)
    yield Fields(partial(_fields, report))


def leaderboard(report: Report, words: Words) -> Leaderboard:
    """The board of a report."""
    main = main_metric(report)
    marks = letters_by_metric(report).get(main)
    ranked = ranking(report, main)
    paper = lettered_matrix(report, words) if len(report.metrics) == 1 and report.comparisons else None
    table = TableBlock(
        ["#", words("report.system"), words.name("metric", main), *map(words, _HEADINGS if marks else _UNLETTERED)],
        [_row(report, main, each, words, marks) for each in ranked],
        board_title(report, words),
        text_columns=2,
        notes=[words("gate.shared_letters")] if marks else [],
        caption="" if paper or len(report.metrics) > 1 else board_title(report, words),
    )
    others = matrix(report, [metric for metric in report.metrics if metric != main], words)
    wide = [len(table.headings) - 1, _DIFFERENCE_INTERVAL]
    return Leaderboard(table, others, _axis(report, main), wide=wide, optional=[_INTERVAL, _RANK], paper=paper)


def board_title(report: Report, words: Words) -> str:
    """By which metric how many results are ranked; a metric that has words begins with a capital."""
    main = main_metric(report)
    name = words.name("headline", main)
    shown = main if name == main else name[:1].upper() + name[1:]
    return words("report.board_title", metric=shown, n=f"{len(report.tables):,}")


def _row(
    report: Report, metric: str, ranked: tuple[int, Summary], words: Words, marks: Mapping[str, str] | None
) -> Row:
    """Rank, name, mean, interval, difference from the first result with its p, and letters."""
    rank, summary = ranked
    mean = summary.metrics.get(metric)
    text, spread = (cells.DASH, cells.DASH) if mean is None else (cells.mean(mean), cells.spread(mean))
    head = (f"{rank}", summary.name, Cell(text, strong=rank == 1), spread)
    *compared, changed = _compared(report, summary.name, metric, words)
    return [*head, *compared, *([marks.get(summary.name, cells.DASH)] if marks else []), changed]


def _compared(report: Report, name: str, metric: str, words: Words) -> tuple[str | Cell, ...]:
    """The difference from the first result, its interval, its p, and how many items are better, equal and worse."""
    compared = report.comparison(name, metric)
    if compared is None:
        is_first = name == report.tables[0].name
        return (words("report.baseline_short") if is_first else cells.DASH, *([cells.DASH] * 3))
    changed = " / ".join(effect(compared)[1:])
    return difference(compared), cells.interval(compared.interval), cells.p_value(compared.p_adjusted), changed


def _axis(report: Report, metric: str) -> Axis | None:
    """The means and intervals on one axis with round ends; None where all are equal."""
    ranked = (summary.metrics.get(metric) for _, summary in ranking(report, metric))
    means = [mean if mean is not None and math.isfinite(mean.mean) else None for mean in ranked]
    ends = [end for mean in means if mean for end in _ends(mean)]
    if not ends or min(ends) == max(ends):
        return None
    low, high = _round_ends(min(ends), max(ends))
    first = report.summaries[0].metrics.get(metric)
    line = None if first is None or not math.isfinite(first.mean) else (first.mean - low) / (high - low)
    dots = [None if mean is None else _dot(mean, low, high) for mean in means]
    return Axis(f"{low:g}", f"{high:g}", dots, line)


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """The multiples of a round step (0.02, 0.05, 0.1 …) around a range of four to ten steps."""
    power = math.floor(math.log10(high - low))
    first = (high - low) / 10.0**power
    step = (2 if first < 2 else 5 if first < 5 else 10) * 10.0 ** (power - 1)
    down, up = (math.floor(round(low / step, 9)) * step, math.ceil(round(high / step, 9)) * step)
    return round(down, 2 - power), round(up, 2 - power)


def _ends(mean: MetricSummary) -> tuple[float, float]:
    bounds = mean.interval
    return (bounds.low, bounds.high) if math.isfinite(bounds.low) else (mean.mean, mean.mean)


def _dot(mean: MetricSummary, low: float, high: float) -> Dot:
    return Dot(*((value - low) / (high - low) for value in (mean.mean, *_ends(mean))))


def _fields(report: Report) -> dict[str, Any]:
    """The board by name, as in JSON output."""
    main = main_metric(report)
    marks = letters_by_metric(report).get(main)
    return {
        "leaderboard": [
            _standing(report, main, each, rank, (marks or {}).get(each.name)) for rank, each in ranking(report, main)
        ]
    }


def _standing(report: Report, metric: str, summary: Summary, rank: int, marks: str | None) -> dict[str, Any]:
    mean, compared = summary.metrics.get(metric), report.comparison(summary.name, metric)
    return {
        "rank": rank,
        "name": summary.name,
        "metric": metric,
        "mean": None if mean is None else known(mean.mean),
        "ci95": [None, None] if mean is None else interval_list(mean.interval),
        "diff": None if compared is None else known(compared.difference),
        "p_adjusted": None if compared is None else known(compared.p_adjusted),
        "letters": marks,
    }
