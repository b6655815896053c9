"""Tables for papers and pull requests: Markdown and LaTeX."""

from collections.abc import Sequence

from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.reports.words import Language, words_of

_LATEX = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "~": r"\textasciitilde{}", "^": r"\^{}"}
_LATEX |= {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}"}


def render_markdown(report: Report, *, language: Language = "en") -> str:
    """Means with intervals, then differences, as Markdown tables."""
    words = words_of(language)
    blocks = [_markdown_table([words("metric"), *(s.name for s in report.summaries)], _mean_rows(report))]
    if report.comparisons:
        headings = ["result", "metric", "difference", "95 % interval", "p", "p adjusted", "detectable"]
        blocks.append(_markdown_table([words(heading) for heading in headings], _difference_rows(report)))
    blocks += [f"{s.name}: {s.scored}/{s.items} {words('scored')}" for s in report.summaries]
    blocks.append(f"`{report.tables[0].signature}`")
    return "\n\n".join(blocks) + "\n"


def render_latex(report: Report) -> str:
    """Means as a LaTeX table (booktabs); a dagger marks a significant difference from the first result."""
    names = " & ".join(_latex(summary.name) for summary in report.summaries)
    lines = [rf"\begin{{tabular}}{{l{'r' * len(report.summaries)}}}", r"\toprule", rf"Metric & {names} \\", r"\midrule"]
    for metric in report.metrics:
        lines.append(rf"{_latex(metric)} & {' & '.join(_latex_cells(report, metric))} \\")
    lines += [r"\bottomrule", r"\end{tabular}", f"% {report.tables[0].signature}"]
    return "\n".join(lines) + "\n"


def _mean_rows(report: Report) -> list[list[str]]:
    rows = []
    for metric in report.metrics:
        found = [(s.name, s.metrics.get(metric)) for s in report.summaries]
        rows.append(
            [metric]
            + [
                f"{cells.mean(m)} {cells.mark(report.comparison(name, metric))} {cells.interval(m.interval)}".replace(
                    "  ", " "
                )
                if m
                else cells.DASH
                for name, m in found
            ]
        )
    return rows


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
    found = []
    for summary in report.summaries:
        comparison = report.comparison(summary.name, metric)
        dagger = r"$^{\dagger}$" if comparison and comparison.significant else ""
        column = summary.metrics.get(metric)
        found.append(cells.mean(column) + dagger if column else cells.DASH)
    return found


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)
