"""The table on the terminal."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard.i18n import Language, Words, words_of
from steelyard.legal.report import results as legal
from steelyard.legal.report import uncertain
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.content import Report, groups
from steelyard.reports.grids import console_grid, draw, titled, width_of
from steelyard.reports.remarks import remarks
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import Summary
from steelyard.table import Table
from steelyard.text.visible import visible

if TYPE_CHECKING:
    from rich.table import Table as Grid


def render_console(report: Report, *, language: Language = "en", width: int = 300, colour: bool = False) -> str:
    """Means with intervals, differences with their p-values, and the lines that say what was counted.

    Results stand side by side where the width allows it, else one below the other; nothing is cut off.
    """
    words = words_of(language)
    grids = [_means(report, report.summaries, words)]
    if width_of(grids[0]) > width:
        grids = [_means(report, [summary], words) for summary in report.summaries]
    grids += [_differences(name, comparisons, words) for name, comparisons in _by_result(report)]
    if report.by:
        grids += [_groups(table, report.by, report.metrics) for table in report.tables]
    legal_tables = [table for table in report.tables if table.kind == legal.METRIC]
    grids += [_parts(table, words) for table in legal_tables]
    grids += [_refusals(table, words) for table in legal_tables if "conflict_gap" in table.tags.get("type", ())]
    lines = [line for grid in grids for line in (*draw(grid, colour), "")]
    open_grids = filter(None, (uncertain.grid(table, words) for table in legal_tables))
    lines += [line for grid in open_grids for line in (*console_grid(grid, colour=colour), "")]
    said = (*(line for table in legal_tables for line in _worst(table, words, language)), *remarks(report, words))
    lines += map(visible, said)
    if report.per_item:
        lines += ["", *_items(report)]
    return "\n".join(lines) + "\n"


def _means(report: Report, summaries: Sequence[Summary], words: Words) -> "Grid":
    grid = titled(None)
    grid.add_column(words("report.metric"), no_wrap=True)
    for summary in summaries:
        grid.add_column(summary.name, justify="right", no_wrap=True)
        grid.add_column(words("report.interval"), style="dim", no_wrap=True)
    for metric in report.metrics:
        grid.add_row(metric, *(cell for summary in summaries for cell in _mean_cells(report, summary, metric)))
    return grid


def _mean_cells(report: Report, summary: Summary, metric: str) -> tuple[str, str]:
    found = summary.metrics.get(metric)
    if found is None:
        return cells.DASH, cells.DASH
    mark = cells.mark(report.comparison(summary.name, metric))
    value = f"{cells.mean(found)} {mark}" if mark else cells.mean(found)
    return value, cells.spread(found)


def _groups(table: Table, tag: str, metrics: Sequence[str]) -> "Grid":
    """The means of each group of items, one group a line."""
    grid = titled(f"{table.name}: {tag}")
    for heading in (tag, "n", *metrics):
        grid.add_column(heading, justify="left" if heading == tag else "right", no_wrap=True)
    for value, summary in groups(table, tag).items():
        means = (cells.mean(summary.metrics[m]) if m in summary.metrics else cells.DASH for m in metrics)
        grid.add_row(value or cells.DASH, f"{summary.items:,}", *means)
    return grid


def _parts(table: Table, words: Words) -> "Grid":
    """The score and its parts for each type of question."""
    grid = titled(f"{table.name}: {words('report.parts')}")
    for heading in ("report.type", "report.part"):
        grid.add_column(words(heading), no_wrap=True)
    for heading in (words("report.mean"), words("report.interval"), "n"):
        grid.add_column(heading, justify="right", no_wrap=True)
    before = ""
    for found in legal.part_means(table):
        kind = found.type if found.type != before else ""
        grid.add_row(kind, found.part, cells.number(found.mean), cells.interval(found.interval), f"{found.items:,}")
        before = found.type
    return grid


def _refusals(table: Table, words: Words) -> "Grid":
    """Answered and abstained, of answerable questions and of others."""
    found = legal.refusals(table)
    grid = titled(f"{table.name}: {words('report.questions_about_gaps')}")
    grid.add_column("", no_wrap=True)
    for heading in ("report.answered", "report.abstained", "report.wrong_rate"):
        grid.add_column(words(heading), justify="right", no_wrap=True)
    grid.add_row(
        words("report.answerable"),
        str(found.answered_answerable),
        str(found.refused_answerable),
        _rate(found.over_refusal),
    )
    grid.add_row(
        words("report.not_answerable"),
        str(found.answered_unanswerable),
        str(found.refused_unanswerable),
        _rate(found.false_answer),
    )
    grid.add_row(words("report.hallucinating_answers"), "", "", _rate(legal.hallucination_rate(table)))
    for label, count in (("report.the_system_failed", found.failed), ("report.no_answer", found.silent)):
        if count:
            grid.add_row(words(label), str(count), "", "")
    return grid


def _rate(share: float) -> str:
    return f"{share:.1%}" if math.isfinite(share) else cells.DASH


def _worst(table: Table, words: Words, language: Language) -> Iterator[str]:
    weighted = legal.weighted_mean(table)
    if weighted is not None:
        yield f"{table.name}: {words('report.weighted_mean')} {cells.number(weighted)}"
    if said := uncertain.line(table, words):
        yield said
    found = legal.worst(table)
    if found:
        yield f"{table.name}: {words('report.worst_questions')}"
    for each in found:
        yield f"  {each.id}  {cells.number(each.score, 2)}  {each.question}"
        yield f"    {note_in(language, table, each.row)}"
    yield ""


def _by_result(report: Report) -> Iterator[tuple[str, list[Comparison]]]:
    names = dict.fromkeys(comparison.a for comparison in report.comparisons)
    return ((name, [c for c in report.comparisons if c.a == name]) for name in names)


def _differences(name: str, comparisons: list[Comparison], words: Words) -> "Grid":
    grid = titled(f"{name} {words('report.against')} {comparisons[0].b}")
    grid.add_column(words("report.metric"), no_wrap=True)
    for heading in ("report.difference", "report.interval", "report.p", "report.p_adjusted", "", "report.detectable"):
        grid.add_column(words(heading) if heading else "", justify="right", no_wrap=True)
    for found in comparisons:
        grid.add_row(
            found.metric,
            cells.signed(found.difference),
            cells.interval(found.interval),
            cells.p_value(found.p_value),
            cells.p_value(found.p_adjusted),
            cells.mark(found),
            cells.number(found.smallest_detectable),
        )
    return grid


def _items(report: Report) -> Iterator[str]:
    """One line per item and result, tab-separated."""
    yield "\t".join(("result", "id", *report.metrics))
    for table in report.tables:
        yield from _table_lines(table, report.metrics)


def _table_lines(table: Table, metrics: list[str]) -> Iterator[str]:
    columns = [table.column(metric).tolist() if metric in table.columns else None for metric in metrics]
    for row, identifier in enumerate(table.ids):
        values = (cells.DASH if column is None else cells.score(column[row]) for column in columns)
        yield "\t".join((visible(table.name), visible(identifier), *values))
