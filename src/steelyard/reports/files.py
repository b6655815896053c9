"""Reports to files; the format follows the extension."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

from steelyard.errors import ConfigError
from steelyard.formats.results import save_all
from steelyard.reports.content import Report, as_json
from steelyard.reports.documents import render_latex, render_markdown
from steelyard.reports.words import Language
from steelyard.stats.summary import known

Renderer = Callable[[Report, Language], str]


def render_json(report: Report) -> str:
    """The JSON of the command line, indented."""
    return json.dumps(as_json(report), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def render_csv(report: Report) -> str:
    """One line per result and metric; with per-item output, one per result and item."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    if report.per_item:
        writer.writerow(["result", "id", *report.metrics])
        for table in report.tables:
            columns = [table.columns[metric].tolist() for metric in table.metrics]
            for row, identifier in enumerate(table.ids):
                writer.writerow([table.name, identifier, *("" if c[row] != c[row] else c[row] for c in columns)])
        return output.getvalue()
    writer.writerow(["result", "metric", "mean", "low", "high", "scored", "unscored", "errors"])
    for summary in report.summaries:
        for metric, found in summary.metrics.items():
            numbers = (known(n) for n in (found.mean, found.interval.low, found.interval.high))
            writer.writerow([summary.name, metric, *numbers, found.scored, found.unscored, found.errors])
    return output.getvalue()


RENDERERS: dict[str, Renderer] = {
    ".json": lambda report, _: render_json(report),
    ".csv": lambda report, _: render_csv(report),
    ".md": lambda report, language: render_markdown(report, language=language),
    ".tex": lambda report, _: render_latex(report),
}
SUFFIXES = (*RENDERERS, ".jsonl")


def check_outputs(paths: list[Path]) -> None:
    """Refuse an unknown extension or a missing folder before any work is done."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise ConfigError(
                f"no report format has the extension {path.suffix!r}",
                where=str(path),
                hint=f"known: {', '.join(SUFFIXES)}",
            )
        if not path.parent.is_dir():
            raise ConfigError(f"there is no folder {str(path.parent)!r}", where=str(path), hint="make it first")


def write_report(report: Report, path: Path, *, language: Language = "en") -> None:
    """Write the report in the format that the extension names."""
    if path.suffix.lower() == ".jsonl":
        save_all(report.tables, path)
    else:
        path.write_text(RENDERERS[path.suffix.lower()](report, language), encoding="utf-8")
