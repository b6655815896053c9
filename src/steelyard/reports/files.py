"""Reports as files; the extension is the format."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.errors import ConfigError, MissingExtra
from steelyard.i18n import Language, Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.objects import check_writable
from steelyard.io.results import save_all
from steelyard.io.writing import check_absent, write_whole
from steelyard.reports.blocks import Block
from steelyard.reports.content import Report
from steelyard.reports.render.latex import render_latex
from steelyard.reports.render.markdown import render_markdown
from steelyard.reports.render.values import one_run_only, render_csv, render_json, render_trec_eval
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
RECORDED: Final = ".jsonl"
"""Recorded data, results and reviews, are replaced only with `overwrite`."""
TREC_EVAL: Final = ".eval"
"""trec_eval's own output, of one run."""
SUFFIXES: Final = (*RENDERERS, PAGE, *PLOTS, RECORDED)
RANKING_SUFFIXES: Final = (*SUFFIXES, TREC_EVAL)
"""The formats of rankings."""


def check_outputs(
    paths: Sequence[Path],
    inputs: Sequence[str] = (),
    *,
    suffixes: Sequence[str] = SUFFIXES,
    overwrite: bool = False,
) -> None:
    """Refuse, before any work is done, paths that cannot be written or would overwrite an input or recorded data.

    A format whose package is not installed is refused too (MissingExtra).
    """
    for path in paths:
        where = str(path)
        if path.suffix.lower() not in suffixes:
            hint = Message("core.known", names=", ".join(suffixes))
            raise ConfigError(Message("reports.unknown_format", suffix=path.suffix), where=where, hint=hint)
        if isinstance(path, Address):
            check_writable(path)
        else:
            _check_folder(path)
        if any(_is_same(path, given) for given in inputs):
            raise ConfigError(Message("reports.overwrites_input"), where=where, hint=Message("reports.other_name_hint"))
        if path.suffix.lower() == RECORDED and not overwrite:
            check_absent(path)
    if any(path.suffix.lower() in PLOTS for path in paths):
        _check_plots()


def _check_folder(path: Path) -> None:
    """Refuse a file in a folder that does not exist, and a folder."""
    if not path.parent.is_dir():
        raise ConfigError(
            Message("cli.no_folder", folder=str(path.parent)),
            where=str(path),
            hint=Message("reports.create_folder_hint"),
        )
    if path.is_dir():
        raise ConfigError(Message("reports.is_folder"), where=str(path))


def _is_same(path: Path, given: str) -> bool:
    """Return whether an output is an input."""
    if isinstance(path, Address) or isinstance(addressed(given), Address):
        return path == addressed(given)
    return path.exists() and Path(given).exists() and path.samefile(given)


def check_one_run(paths: Sequence[Path], runs: int) -> None:
    """Refuse, before any work is done, trec_eval's format for several runs."""
    if runs > 1 and any(path.suffix.lower() == TREC_EVAL for path in paths):
        raise one_run_only()


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
    from steelyard.reports.render.html.report_html import render_html

    write_whole(path, render_html(report, language, documents))
    try:
        _check_plots()
    except MissingExtra as error:
        return Message("reports.without_charts", file=path.name, install=error.hint)
    return None


def _check_plots() -> None:
    from steelyard.reports.plots.style import load_vl_convert

    load_vl_convert()
