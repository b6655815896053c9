"""Tables for papers and pull requests: Markdown and LaTeX."""

import math
from collections.abc import Iterator, Sequence

from steelyard.i18n import Language, Words, words_of
from steelyard.legal.report import results as legal
from steelyard.legal.report import uncertain
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.content import Report, groups
from steelyard.reports.grids import Grid, latex_grid, markdown, markdown_grid, one_line
from steelyard.reports.remarks import remarks
from steelyard.stats.summary import Summary
from steelyard.table import Table


def render_markdown(report: Report, *, language: Language = "en") -> str:
    """All that the console shows, as Markdown tables and lists."""
    words = words_of(language)
    grids = [_means(report, words), *([_differences(report, words)] if report.comparisons else [])]
    blocks = [markdown_grid(grid) for grid in (*grids, *_details(report, words))]
    blocks += [block for table in _legal_tables(report) for block in _worst(table, words, language)]
    blocks.append("\n".join(f"- {markdown(line)}" for line in remarks(report, words)))
    if report.per_item:
        blocks.append(markdown_grid(_items(report, words)))
    return "\n\n".join(blocks) + "\n"


def render_latex(report: Report, *, language: Language = "en") -> str:
    """Means as a LaTeX table (booktabs); + and - mark what is significantly better or worse than the first result.

    Below it stand the tables of groups, and of a legal result its parts and its questions about gaps.
    """
    words = words_of(language)
    marks = f"{words('report.significantly_better')}, {words('report.significantly_worse')}"
    lines = [rf"% \usepackage{{booktabs}}; $^{{+}}$ $^{{-}}$: {marks}"]
    for grid in (_means(report, words, with_spread=False), *_details(report, words)):
        lines += latex_grid(grid)
    said = (line for table in _legal_tables(report) for line in _means_lines(table, words))
    lines += [f"% {one_line(text)}" for text in (*said, *remarks(report, words))]
    return "\n".join(lines) + "\n"


def _means(report: Report, words: Words, *, with_spread: bool = True) -> Grid:
    rows = [
        [metric, *(_mean_cell(report, summary, metric, with_spread) for summary in report.summaries)]
        for metric in report.metrics
    ]
    return Grid([words("report.metric"), *(summary.name for summary in report.summaries)], rows)


def _mean_cell(report: Report, summary: Summary, metric: str, with_spread: bool) -> str:
    found = summary.metrics.get(metric)
    if found is None:
        return cells.DASH
    mark = cells.mark(report.comparison(summary.name, metric))
    if not with_spread:
        return cells.mean(found) + mark
    return " ".join(filter(None, (cells.mean(found), mark, cells.spread(found))))


def _differences(report: Report, words: Words) -> Grid:
    headings = (
        *("report.result", "report.metric", "report.difference", "report.interval"),
        *("report.p", "report.p_adjusted", "report.detectable"),
    )
    rows = [
        [
            f"{c.a} − {c.b}",
            c.metric,
            f"{cells.signed(c.difference)} {cells.mark(c)}".strip(),
            cells.interval(c.interval),
            cells.p_value(c.p_value),
            cells.p_value(c.p_adjusted),
            cells.number(c.smallest_detectable),
        ]
        for c in report.comparisons
    ]
    return Grid([words(heading) for heading in headings], rows, texts=2)


def _details(report: Report, words: Words) -> Iterator[Grid]:
    """The groups of every result, then what is said of legal ones."""
    if report.by:
        yield from (_groups(table, report.by, report.metrics) for table in report.tables)
    for table in _legal_tables(report):
        yield _parts(table, words)
        yield _refusals(table, words)
        yield from filter(None, [uncertain.grid(table, words)])


def _legal_tables(report: Report) -> list[Table]:
    return [table for table in report.tables if table.kind == legal.METRIC]


def _groups(table: Table, tag: str, metrics: Sequence[str]) -> Grid:
    rows = [
        [
            value or cells.DASH,
            f"{summary.items:,}",
            *(cells.mean(summary.metrics[m]) if m in summary.metrics else cells.DASH for m in metrics),
        ]
        for value, summary in groups(table, tag).items()
    ]
    return Grid([tag, "n", *metrics], rows, f"{table.name}: {tag}")


def _parts(table: Table, words: Words) -> Grid:
    rows = [
        [found.type, found.part, cells.number(found.mean), cells.interval(found.interval), f"{found.items:,}"]
        for found in legal.part_means(table)
    ]
    headings = [words(heading) for heading in ("report.type", "report.part", "report.mean", "report.interval")]
    return Grid([*headings, "n"], rows, f"{table.name}: {words('report.parts')}", texts=2)


def _refusals(table: Table, words: Words) -> Grid:
    found = legal.refusals(table)
    rows: list[tuple[str, int | str, int | str, float]] = [
        ("report.answerable", found.answered_answerable, found.refused_answerable, found.over_refusal),
        ("report.not_answerable", found.answered_unanswerable, found.refused_unanswerable, found.false_answer),
        ("report.hallucinating_answers", "", "", legal.hallucination_rate(table)),
    ]
    return Grid(
        ["", *map(words, ("report.answered", "report.abstained", "report.wrong_rate"))],
        [[words(label), str(answered), str(refused), _rate(rate)] for label, answered, refused, rate in rows],
        f"{table.name}: {words('report.questions_about_gaps')}",
    )


def _rate(share: float) -> str:
    return f"{share:.1%}" if math.isfinite(share) else cells.DASH


def _items(report: Report, words: Words) -> Grid:
    """One row per result and item."""
    rows = [
        [table.name, identifier, *(_score(table, metric, row) for metric in report.metrics)]
        for table in report.tables
        for row, identifier in enumerate(table.ids)
    ]
    return Grid([words("report.result"), "id", *report.metrics], rows, texts=2)


def _score(table: Table, metric: str, row: int) -> str:
    return cells.score(float(table.column(metric)[row])) if metric in table.columns else cells.DASH


def _means_lines(table: Table, words: Words) -> Iterator[str]:
    """The weighted mean, and the range of the mean, where the result has them."""
    weighted = legal.weighted_mean(table)
    if weighted is not None:
        yield f"{table.name}: {words('report.weighted_mean')} {cells.number(weighted)}"
    if said := uncertain.line(table, words):
        yield said


def _worst(table: Table, words: Words, language: Language) -> Iterator[str]:
    """The lines about the mean, and the worst questions, numbered, with the reasons below them."""
    yield from map(markdown, _means_lines(table, words))
    lines = [
        f"{number}. {markdown(each.id)} · {cells.number(each.score, 2)} · {markdown(each.question)}\n"
        f"   - {markdown(note_in(language, table, each.row))}"
        for number, each in enumerate(legal.worst(table), 1)
    ]
    if lines:
        yield f"### {markdown(table.name)}: {words('report.worst_questions')}"
        yield "\n".join(lines)
