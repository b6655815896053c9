"""Reports as files; the extension is the format."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.errors import MissingExtra
from steelyard.i18n import Language, Message
from steelyard.io.results import save_all
from steelyard.io.writing import RECORDED, write_whole
from steelyard.reports.blocks import Block, Headline
from steelyard.reports.content import Report
from steelyard.reports.render.fragment import render_fragment
from steelyard.reports.render.latex import render_latex
from steelyard.reports.render.markdown import render_markdown
from steelyard.reports.render.values import render_csv, render_json, render_junit, render_trec_eval
from steelyard.reports.sections import report_blocks
from steelyard.stats.selection import without_parts

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

RENDERERS: Final[Mapping[str, Callable[[Sequence[Block], Language], str]]] = {
    ".json": lambda blocks, _: render_json(blocks),
    ".csv": lambda blocks, _: render_csv(blocks),
    ".md": lambda blocks, _: render_markdown(blocks),
    ".tex": lambda blocks, language: render_latex(blocks, language=language),
}
"""Formats of blocks."""
PAGE: Final = ".html"
PAPER: Final = ".tex"
PLOTS: Final = (".svg", ".png", ".pdf")
"""What `plots` writes; it and the page are loaded when they are asked for."""
TREC_EVAL: Final = ".eval"
"""trec_eval's own output, of one run."""
SUFFIXES: Final = (*RENDERERS, PAGE, *PLOTS, RECORDED)
RANKING_SUFFIXES: Final = (*SUFFIXES, TREC_EVAL)
"""The formats of rankings."""


CHECK_SUFFIXES: Final = (".json", ".xml", ".md", PAGE)
"""The formats of what is checked: of a gate, a program, a file of another tool."""
_STYLE: Final = "body{font:16px/1.5 sans-serif;max-width:72em;padding:2em}td,th{padding:.2em .8em .2em 0}"


def write_blocks(blocks: Sequence[Block], path: Path, language: Language, *, seconds: float) -> None:
    """Write what was checked in some seconds, in the format of the extension."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        text = render_junit(blocks, when=datetime.now(UTC), seconds=seconds)
    elif suffix == PAGE:
        title = next((escape(each.message) for each in blocks if isinstance(each, Headline)), "Steelyard")
        head = f'<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
        text = f'<!doctype html>\n<html lang="{language}">{head}<body>{render_fragment(blocks)}</body></html>\n'
    else:
        text = RENDERERS[suffix](blocks, language)
    write_whole(path, text)


def write_report(
    report: Report,
    path: Path,
    *,
    language: Language = "en",
    documents: "Mapping[str, Document] | None" = None,
    overwrite: bool = True,
    plot: str | None = None,
) -> Message | None:
    """Write the report in the format of the extension; a page shows the documents that its items are about.

    An older file is replaced once the new one is complete; results only with `overwrite`. Returns a note where
    the file does not show everything, such as text without a font. `plot` is the part that a plot shows
    (`plots.charts.SHOWN`); without it, all of them.
    """
    suffix = path.suffix.lower()
    if suffix == RECORDED:
        save_all([without_parts(table) for table in report.tables], path, overwrite=overwrite)
    elif suffix in PLOTS:
        from steelyard.reports.plots.charts import save_plot

        return save_plot(report, path, language=language, shown=plot)
    elif suffix == TREC_EVAL:
        write_whole(path, render_trec_eval(report))
    elif suffix == PAGE:
        return _page(report, path, language, {} if documents is None else documents)
    else:
        write_whole(path, RENDERERS[suffix](report_blocks(report, language), language))
    return None


def _page(report: Report, path: Path, language: Language, documents: "Mapping[str, Document]") -> Message | None:
    from steelyard.reports.plots.style import load_vl_convert
    from steelyard.reports.render.html.report_html import render_html

    write_whole(path, render_html(report, language, documents))
    try:
        load_vl_convert()
    except MissingExtra as error:
        return Message("reports.without_charts", file=path.name, install=error.hint)
    return None
