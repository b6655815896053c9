"""Results by merit: the leaderboard of three results or more, their letters, and the means of all metrics."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.registry.kinds import gain, is_directed
from steelyard.reports import cells
from steelyard.reports.blocks import HEATS, Axis, Block, Cell, Dot, Fields, Leaderboard, MetricMatrix, Row, TableBlock
from steelyard.reports.content import BOARD, Report
from steelyard.reports.sections import section
from steelyard.reports.sections.differences import headings, numbers
from steelyard.reports.sections.footnotes import caption, resamples_option
from steelyard.stats.compare import Comparison
from steelyard.stats.correction import letters
from steelyard.stats.scopes import cannot_tell
from steelyard.stats.summary import MetricSummary, Summary, interval_list, known


def ranking(report: Report, metric: str) -> list[tuple[int, Summary]]:
    """Return the summaries with their ranks, best first; equal means share a rank, unknown ones are last."""
    merits = [_merit(summary, metric) for summary in report.summaries]
    ranked = [
        (1 + sum(other > merit for other in merits), each) for merit, each in zip(merits, report.summaries, strict=True)
    ]
    return sorted(ranked, key=lambda pair: pair[0])


def _merit(summary: Summary, metric: str) -> float:
    mean = summary.metrics.get(metric)
    value = -math.inf if mean is None else gain(metric, mean.mean)
    return value if math.isfinite(value) else -math.inf


def letters_by_metric(report: Report) -> dict[str, dict[str, str] | None]:
    """For each metric the letters of each result that has it; the best has an a. None where no test is conclusive."""
    by_metric: dict[str, list[Comparison]] = {}
    for pair in report.pairs:
        by_metric.setdefault(pair.metric, []).append(pair)
    found: dict[str, dict[str, str] | None] = {}
    for metric, pairs in by_metric.items():
        merits = {table.name: gain(metric, table.mean(metric)) for table in report.tables if metric in table.columns}
        names = sorted(merits, key=lambda name: -merits[name])
        differing = [(pair.a, pair.b) for pair in pairs if pair.significant]
        is_decidable = not (all(pair.underpowered for pair in pairs) or any(pair.lacks_resamples for pair in pairs))
        found[metric] = letters(names, differing) if is_decidable else None
    return found


def letters_notes(report: Report, words: Words) -> dict[str, str]:
    """For each metric without letters, why: too few resamples and how many would do, or too few units."""
    found: dict[str, str] = {}
    for metric in [metric for metric, marks in letters_by_metric(report).items() if marks is None]:
        pairs = [pair for pair in report.pairs if pair.metric == metric]
        name = words.name("metric", metric)
        if any(pair.lacks_resamples for pair in pairs):
            found[metric] = words("report.no_letters_resamples", metric=name, option=resamples_option(report.pairs))
        else:
            reason = cannot_tell(report.scope, max(pair.units for pair in pairs))
            found[metric] = words("report.no_letters", metric=name, reason=reason)
    return found


def _letters_lines(report: Report, marks: Mapping[str, str] | None, words: Words) -> Iterator[str]:
    """Yield what the letters of the main metric say, and how they differ from the marks; or why there are none."""
    if marks is None:
        yield from (line for metric, line in letters_notes(report, words).items() if metric == report.main)
        return
    yield words("gate.shared_letters")
    first = report.tables[0].name
    marked = [each.a for each in report.comparisons if each.metric == report.main and each.significant]
    if any({*marks[name]} & {*marks[first]} for name in marked):
        yield words("report.two_families", baseline=first, n=len(report.comparisons), m=len(report.pairs))


def lettered_matrix(report: Report, words: Words) -> TableBlock:
    """Return the means of every metric with its letters, if all pairs were compared, else with marks; for papers."""
    found = letters_by_metric(report)
    described = " ".join(filter(None, [caption(report, words), *letters_notes(report, words).values()]))
    table = replace(matrix(report, report.metrics, words), caption=described)
    marks = [found.get(metric, {}) for metric in report.metrics]
    rows = [[row[0], *map(partial(_lettered, str(row[0])), row[1:], marks)] for row in table.rows]
    return replace(table, rows=rows) if found else table


def _lettered(name: str, cell: str | Cell, marks: Mapping[str, str] | None) -> str | Cell:
    """Return a mean with its letters instead of its mark; a dash where no test could be significant."""
    if isinstance(cell, str) or cell.value == cells.DASH:
        return cell
    return replace(cell, mark=cells.DASH if marks is None else marks.get(name, ""))


def matrix(report: Report, metrics: Sequence[str], words: Words) -> TableBlock:
    """Return a row for each result in the order of the board, a column for each metric."""
    ranked = [summary for _, summary in ranking(report, report.main)]
    columns = [mean_column(report, ranked, metric) for metric in metrics]
    rows: list[Row] = [[summary.name, *row] for summary, *row in zip(ranked, *columns, strict=True)]
    return TableBlock(
        [words("report.system"), *(words.name("metric", metric) for metric in metrics)],
        rows,
        words("report.all_metrics"),
        families=_families(metrics),
    )


def mean_column(report: Report, summaries: Sequence[Summary], metric: str) -> list[Cell]:
    """Return the means of a metric with marks of significance; the best is strong."""
    means = [summary.metrics.get(metric) for summary in summaries]
    merits = [_merit(summary, metric) for summary in summaries]
    finite = [merit for merit in merits if math.isfinite(merit)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return [
        Cell(cells.DASH)
        if mean is None
        else Cell(
            cells.mean(mean),
            cells.mark(report.comparison(summary.name, metric)),
            strong=low < merit == high and is_directed(metric),
            heat=_heat(merit, low, high) if is_directed(metric) else None,
        )
        for summary, mean, merit in zip(summaries, means, merits, strict=True)
    ]


def _heat(merit: float, low: float, high: float) -> int | None:
    return round(HEATS * (merit - low) / (high - low)) if math.isfinite(merit) and low < high else None


def _families(metrics: Sequence[str]) -> list[list[int]]:
    """Group the columns of metrics that differ in their cut-off only; those without one form a group."""
    families: dict[str, list[int]] = {}
    for column, metric in enumerate(metrics, 1):
        name, at, _ = metric.rpartition("@")
        families.setdefault(name if at else "", []).append(column)
    return list(families.values())


_UNLETTERED: Final = (
    *("report.interval", "report.difference", "report.difference_interval", "report.p_adjusted"),
    "report.better_same_worse",
)
_HEADINGS: Final = (*_UNLETTERED[:-1], "report.letters", _UNLETTERED[-1])


@section(12, *BOARD)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield the board."""
    yield leaderboard(report, words)
    yield Fields(partial(_fields, report))


@section(18, *BOARD)
def metric_matrix(report: Report, words: Words) -> Iterator[Block]:
    """Yield the means of all metrics, for formats without room for them on the board; nothing for one metric."""
    if len(report.metrics) > 1:
        table = matrix(report, report.metrics, words)
        yield MetricMatrix(table, leaderboard(report, words), lettered_matrix(report, words))


def leaderboard(report: Report, words: Words) -> Leaderboard:
    """Return the board of a report."""
    main = report.main
    marks = letters_by_metric(report).get(main)
    ranked = ranking(report, main)
    lettered = lettered_matrix(report, words) if len(report.metrics) == 1 and report.comparisons else None
    table = TableBlock(
        [
            "#",
            words("report.system"),
            words.name("metric", main),
            *headings(_HEADINGS if marks else _UNLETTERED, words),
        ],
        [_row(report, main, each, words, marks) for each in ranked],
        board_title(report, words),
        labels=2,
        notes=list(_letters_lines(report, marks, words)) if report.pairs else [],
        caption="" if lettered or len(report.metrics) > 1 else board_title(report, words),
    )
    others = matrix(report, [metric for metric in report.metrics if metric != main], words)
    return Leaderboard(table, others, _axis(report, main), lettered)


def board_title(report: Report, words: Words) -> str:
    """By which metric how many results are ranked; a metric that has words begins with a capital."""
    main = report.main
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
    letters = [marks.get(summary.name, cells.DASH)] if marks else []
    compared = report.comparison(summary.name, metric)
    if compared is None:
        name = words("report.baseline_short") if summary.name == report.tables[0].name else cells.DASH
        return [*head, name, cells.DASH, cells.DASH, *letters, cells.DASH]
    *test, changed = numbers(compared, _UNLETTERED[1:])
    return [*head, *test, *letters, changed]


def _axis(report: Report, metric: str) -> Axis | None:
    """Return the means and intervals on one axis with round ends; None where all are equal."""
    ranked = (summary.metrics.get(metric) for _, summary in ranking(report, metric))
    means = [mean if mean is not None and math.isfinite(mean.mean) else None for mean in ranked]
    ends = [end for mean in means if mean for end in _ends(mean)]
    if not ends or min(ends) == max(ends):
        return None
    low, high = _round_ends(min(ends), max(ends))
    first = report.summaries[0].metrics.get(metric)
    line = None if first is None or not math.isfinite(first.mean) else (first.mean - low) / (high - low)
    dots = [
        None if mean is None else Dot(*((value - low) / (high - low) for value in (mean.mean, *_ends(mean))))
        for mean in means
    ]
    return Axis(f"{low:g}", f"{high:g}", dots, line)


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return the multiples of a round step (0.02, 0.05, 0.1 …) around a range of four to ten steps."""
    power = math.floor(math.log10(high - low))
    first = (high - low) / 10.0**power
    step = (2 if first < 2 else 5 if first < 5 else 10) * 10.0 ** (power - 1)
    down, up = (math.floor(round(low / step, 9)) * step, math.ceil(round(high / step, 9)) * step)
    return round(down, 2 - power), round(up, 2 - power)


def _ends(mean: MetricSummary) -> tuple[float, float]:
    bounds = mean.interval
    return (bounds.low, bounds.high) if math.isfinite(bounds.low) else (mean.mean, mean.mean)


def _fields(report: Report) -> dict[str, Any]:
    """Return the board by name, as in JSON output."""
    main = report.main
    marks = letters_by_metric(report).get(main)
    ranked = [
        (rank, each.name, each.metrics.get(main), report.comparison(each.name, main))
        for rank, each in ranking(report, main)
    ]
    return {
        "leaderboard": [
            {
                "rank": rank,
                "name": name,
                "metric": main,
                "mean": None if mean is None else known(mean.mean),
                "ci95": [None, None] if mean is None else interval_list(mean.interval),
                "diff": None if compared is None else known(compared.difference),
                "p_adjusted": None if compared is None else known(compared.p_adjusted),
                "letters": (marks or {}).get(name),
            }
            for rank, name, mean, compared in ranked
        ]
    }
