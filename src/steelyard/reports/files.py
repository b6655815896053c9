"""Reports to files; the format follows the extension."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.errors import ConfigError
from steelyard.i18n import Language, Message
from steelyard.io.results import numbers, save_all
from steelyard.io.writing import check_absent, write_whole
from steelyard.reports.content import Report, as_json
from steelyard.reports.documents import render_latex, render_markdown
from steelyard.stats.summary import known

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

Renderer = Callable[[Report, Language, "Mapping[str, Document]"], str]

PLOTS: Final = (".svg", ".png")
"""What `plots` writes; it and the page are loaded when they are asked for."""

_UNSEEN: Final = (
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\"]"
)
"""Blanks, control characters and others that are not seen; a program may leave them out, and quotation marks too."""
_FORMULA: Final = re.compile(rf"{_UNSEEN}*[=+\-@＝＋－＠]")
"""How a formula begins for some spreadsheet (OWASP, CSV injection)."""
_CELL_END: Final = re.compile(r"([;\t\r\n])")
"""Where some spreadsheet begins another cell: one that separates by these knows no quotation marks within a cell."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIFFERENCE = ("b", "diff", "p_value", "p_adjusted", "significant")
"""The columns of a comparison, named as in JSON."""


def render_json(report: Report) -> str:
    """The JSON of the command line, indented."""
    return json.dumps(as_json(report), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def render_csv(report: Report) -> str:
    """One line per result and metric; with per-item output, one per result and item instead."""
    return "".join(map(_csv_line, _item_rows(report) if report.per_item else _mean_rows(report)))


def _csv_line(row: Sequence[object]) -> str:
    """A line; a cell that holds an end of line of any kind is quoted, which csv does only of ends that it writes."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\r\n").writerow([*map(_csv_cell, row)])
    return output.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(value: object) -> object:
    """A cell in which no spreadsheet finds a formula: an apostrophe precedes whatever begins like one."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    pieces = _CELL_END.split(value)
    marked = "".join(f"'{piece}" if _FORMULA.match(piece) else piece for piece in pieces)
    return f"'{marked}" if marked.startswith(("\t", "\r", "\n")) else marked


def _item_rows(report: Report) -> Iterator[list[object]]:
    yield ["result", "id", *report.metrics]
    for table in report.tables:
        columns = [numbers(table.column(m)) if m in table.columns else [None] * len(table) for m in report.metrics]
        for row, identifier in enumerate(table.ids):
            yield [table.name, identifier, *(column[row] for column in columns)]


def _mean_rows(report: Report) -> Iterator[list[object]]:
    yield ["result", "metric", "mean", "low", "high", "sum", "scored", "unscored", "errors", *_DIFFERENCE]
    for summary in report.summaries:
        for metric, found in summary.metrics.items():
            compared = report.comparison(summary.name, metric)
            values = compared.as_dict() if compared else {}
            bounds = (found.mean, found.interval.low, found.interval.high)
            counted = (found.total, found.scored, found.unscored, found.errors)
            yield [summary.name, metric, *map(known, bounds), *counted, *(values.get(key) for key in _DIFFERENCE)]


def _page(report: Report, language: Language, documents: "Mapping[str, Document]") -> str:
    from steelyard.reports.render.html.report_html import render_html

    return render_html(report, language, documents)


RENDERERS: dict[str, Renderer] = {
    ".json": lambda report, *_: render_json(report),
    ".csv": lambda report, *_: render_csv(report),
    ".md": lambda report, language, _: render_markdown(report, language=language),
    ".tex": lambda report, language, _: render_latex(report, language=language),
    ".html": _page,
}
RECORDED: Final = ".jsonl"
"""What is recorded, results and reviews, is not replaced unless that is asked for."""
SUFFIXES = (*RENDERERS, *PLOTS, RECORDED)


def check_outputs(
    paths: Sequence[Path],
    inputs: Sequence[str] = (),
    *,
    suffixes: Sequence[str] = SUFFIXES,
    overwrite: bool = False,
) -> None:
    """Refuse, before any work is done, what could not be written or would overwrite an input or recorded results."""
    for path in paths:
        where = str(path)
        if path.suffix.lower() not in suffixes:
            hint = Message("core.known", names=", ".join(suffixes))
            raise ConfigError(Message("reports.no_report_format_extension", suffix=path.suffix), where=where, hint=hint)
        if not path.parent.is_dir():
            raise ConfigError(
                Message("cli.no_folder", folder=str(path.parent)), where=where, hint=Message("reports.make_first")
            )
        if path.is_dir():
            raise ConfigError(Message("reports.folder_file_needed"), where=where)
        if any(path.exists() and Path(given).exists() and path.samefile(given) for given in inputs):
            raise ConfigError(
                Message("reports.one_inputs_would_overwritten"), where=where, hint=Message("reports.name_another")
            )
        if path.suffix.lower() == RECORDED and not overwrite:
            check_absent(path)


def write_report(
    report: Report,
    path: Path,
    *,
    language: Language = "en",
    documents: "Mapping[str, Document] | None" = None,
    overwrite: bool = True,
) -> None:
    """Write the report in the format that the extension names; a page shows the documents that its items are about.

    An older file is replaced once the new one is whole; results only with `overwrite`.
    """
    suffix = path.suffix.lower()
    if suffix == RECORDED:
        save_all(report.tables, path, overwrite=overwrite)
    elif suffix in PLOTS:
        _plot(report, path, language)
    else:
        write_whole(path, RENDERERS[suffix](report, language, {} if documents is None else documents))


def _plot(report: Report, path: Path, language: Language) -> None:
    from steelyard.reports.plots.charts import save_plot

    save_plot(report, path, language=language)
