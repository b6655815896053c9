"""Tables for papers and pull requests: Markdown and LaTeX."""

from collections.abc import Sequence

from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.reports.remarks import remarks
from steelyard.reports.words import Language, words_of
from steelyard.stats.summary import Summary

_LATEX = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "~": r"\textasciitilde{}", "^": r"\^{}"}
_LATEX |= {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}"}


def render_markdown(report: Report, *, language: Language = "en") -> str:
    """Means with intervals, then differences, as Markdown tables, and what was counted as a list."""
    words = words_of(language)
    blocks = [_markdown_table([words("metric"), *(s.name for s in report.summaries)], _mean_rows(report))]
    if report.comparisons:
        headings = ["result", "metric", "difference", "95 % interval", "p", "p adjusted", "detectable"]
        blocks.append(_markdown_table([words(heading) for heading in headings], _difference_rows(report)))
    blocks.append("\n".join(f"- {line}" for line in remarks(report, words)))
    return "\n\n".join(blocks) + "\n"


def render_latex(report: Report, *, language: Language = "en") -> str:
    """Means as a LaTeX table (booktabs); + and - mark what is significantly better or worse than the first result."""
    words = words_of(language)
    names = " & ".join(_latex(summary.name) for summary in report.summaries)
    lines = [
        r"% \usepackage{booktabs}; $^{+}$ $^{-}$: "
        + words("significantly better")
        + ", "
        + words("significantly worse")
    ]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(report.summaries)}}}", r"\toprule"]
    lines += [rf"{words('metric')} & {names} \\", r"\midrule"]
    lines += [rf"{_latex(metric)} & {' & '.join(_latex_cells(report, metric))} \\" for metric in report.metrics]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {line}" for line in remarks(report, words))]
    return "\n".join(lines) + "\n"


def _mean_rows(report: Report) -> list[list[str]]:
    return [
        [metric, *(_mean_cell(report, summary, metric) for summary in report.summaries)] for metric in report.metrics
    ]


def _mean_cell(report: Report, summary: Summary, metric: str) -> str:
    found = summary.metrics.get(metric)
    if found is None:
        return cells.DASH
    return " ".join(
        filter(None, (cells.mean(found), cells.mark(report.comparison(summary.name, metric)), cells.spread(found)))
    )


def _difference_rows(report: Report) -> list[list[str]]:
    return [
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


def _markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---", *("---:" for _ in headings[1:])], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def _latex_cells(report: Report, metric: str) -> list[str]:
    signs = {cells.BETTER: "$^{+}$", cells.WORSE: "$^{-}$", "": ""}
    found = []
    for summary in report.summaries:
        column = summary.metrics.get(metric)
        sign = signs[cells.mark(report.comparison(summary.name, metric))]
        found.append(cells.mean(column) + sign if column else cells.DASH)
    return found


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)
