"""Results as commands read them, and reports as they write them: files first, then standard output."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli.console import LOG, has_colour, notify
from steelyard.errors import ConfigError, InputError, SteelyardError, UnknownName
from steelyard.i18n import Message
from steelyard.io import writing
from steelyard.io.addresses import Address, path_of
from steelyard.io.records import result_name, unique_names
from steelyard.io.results import load_all, save_all
from steelyard.io.writing import RECORDED
from steelyard.registry.names import callable_names, columns_called, other_meanings
from steelyard.reports.blocks import Block
from steelyard.reports.content import Report
from steelyard.reports.files import PAGE, PLOTS, SUFFIXES, write_report
from steelyard.reports.kinds import documents_for
from steelyard.reports.plots.style import load_vl_convert
from steelyard.reports.render.console import render_console
from steelyard.reports.render.values import render_json
from steelyard.reports.sections import report_blocks
from steelyard.stats.compare import ComparisonSettings
from steelyard.table import Table
from steelyard.text.visible import HALVES, printable, visible_json

if TYPE_CHECKING:
    from steelyard.documents.pages import Document, DocumentSet


def check_outputs(
    paths: Sequence[Path],
    inputs: Sequence[str | Path] = (),
    *,
    suffixes: Sequence[str] = SUFFIXES,
    overwrite: bool = False,
) -> None:
    """Refuse, before any work is done, files that cannot be written, would overwrite an input or need a package."""
    writing.check_outputs(paths, inputs, suffixes=suffixes, overwrite=overwrite)
    if any(path.suffix.lower() in PLOTS for path in paths):
        load_vl_convert()


def deliver(
    report: Report,
    arguments: argparse.Namespace,
    documents: "Callable[[], Mapping[str, Document]] | None" = None,
    *,
    recorded: Sequence[Table] | None = None,
    announced: bool = False,
) -> None:
    """Render what is printed, write the requested files, then print.

    A page shows the `documents`, by default those of the benchmark that the results name. A results file has the tables
    `recorded`, if they are given. Files that are `announced` have a line each on standard error, and replace text.
    """
    printed = arguments.json or not (announced and arguments.output)
    show = prepared(report_blocks(report, arguments.lang), arguments) if printed else lambda: None
    options = {"language": arguments.lang, "overwrite": arguments.overwrite, "plot": arguments.plot}

    def write(path: Path) -> None:
        suffix = path.suffix.lower()
        if suffix == RECORDED and recorded is not None:
            save_all(recorded, path, overwrite=arguments.overwrite)
            return
        shown = (documents or partial(load_documents, report.tables))() if suffix == PAGE else {}
        if note := write_report(report, path, documents=shown, **options):
            notify(note)
        if announced:
            notify(Message("cli.written", path=path))

    write_and_show(arguments.output, write, show)


def write_and_show(paths: Sequence[Path], write: Callable[[Path], None], show: Callable[[], None]) -> None:
    """Write every file, then print; raise the first write error at the end."""
    failed: list[SteelyardError] = []
    for path in dict.fromkeys(paths):
        try:
            write(path)
            LOG.debug(Message("cli.written", path=path))
        except SteelyardError as error:
            failed.append(error)
    show()
    if failed:
        raise failed[0]


def show_blocks(blocks: Sequence[Block], arguments: argparse.Namespace, *, spaced: bool = True) -> None:
    """Print blocks as text or, with --json, as JSON."""
    prepared(blocks, arguments, spaced=spaced)()


def prepared(blocks: Sequence[Block], arguments: argparse.Namespace, *, spaced: bool = True) -> Callable[[], None]:
    """Render blocks as text or, with --json, as JSON; return a function that prints it."""
    if arguments.json:
        return partial(print_json, render_json(blocks))
    width = width_of_terminal()
    return partial(print_text, render_console(blocks, width=width, colour=has_colour(sys.stdout), spaced=spaced))


def print_json(text: str) -> None:
    """Print JSON as UTF-8 whatever the encoding of the terminal; control characters are escaped."""
    sys.stdout.flush()
    sys.stdout.buffer.write(visible_json(text).encode("utf-8", HALVES))


def print_text(text: str) -> None:
    """Print on standard output; control characters of names and answers are escaped."""
    sys.stdout.write(printable(text))


def comparison_settings(arguments: argparse.Namespace) -> ComparisonSettings:
    """Return the settings given by the test options."""
    given = ("test", "resamples", "seed", "correction", "alpha", "units", "family")
    return ComparisonSettings(*(getattr(arguments, name) for name in given))


def notify_other_meanings(arguments: argparse.Namespace) -> None:
    """Say on standard error which of the metrics that were asked for have another meaning in the tool of that name."""
    for message in other_meanings(arguments.metric):
        notify(message)


def width_of_terminal() -> int:
    """Return the number of columns of the terminal; 300 if the output is not a terminal."""
    return os.get_terminal_size().columns if sys.stdout.isatty() else 300


BENCHMARK_HINT = Message("cli.benchmark_hint")


def read_placed(
    paths: Sequence[str], metrics: Sequence[str] | None = None, *, strict: bool = False
) -> list[tuple[Path, Table]]:
    """Read the results of files, each with the folder of its file, a name of its own, and only these metrics.

    With `strict`, a result whose items contradict its footer is refused.
    """
    files = [(path, load_all(path, strict=strict)) for path in paths]
    tables = with_distinct_names(files)
    shown = [_only(table, metrics) for table in tables] if metrics else tables
    return list(zip((folder_of(path) for path, results in files for _ in results), shown, strict=True))


def chosen(placed: list[tuple[Path, Table]], arguments: argparse.Namespace) -> list[tuple[Path, Table]]:
    """Return the results that --systems names, in its order, or all; that of --baseline first."""
    named = {table.name: (folder, table) for folder, table in placed}
    given: list[str] = arguments.systems or []
    systems = [name for text in given for name in ([text] if text in named else map(str.strip, text.split(",")))]
    wanted = dict.fromkeys([*([arguments.baseline] if arguments.baseline else []), *(systems or named)])
    for name in wanted:
        if name not in named:
            raise UnknownName.of(Message("words.result"), name, named)
    return [named[name] for name in wanted]


def folder_of(path: str) -> Path:
    """Return the folder of a file; that of the command for an object at an address."""
    found = path_of(path)
    return Path() if isinstance(found, Address) else found.parent


def with_distinct_names(files: Sequence[tuple[str, Sequence[Table]]]) -> list[Table]:
    """Return the results of all files with different names.

    If two names are equal, as of two runs of one system, results that are alone in their file are named after it; names
    that are still equal get a number.
    """
    tables = [table for _, results in files for table in results]
    names = [table.name for table in tables]
    if len(set(names)) < len(names):
        names = [result_name(path) if len(results) == 1 else table.name for path, results in files for table in results]
    return [replace(table, name=name) for table, name in zip(tables, unique_names(names), strict=True)]


def load_documents(
    tables: Sequence[Table],
    folder: str | None = None,
    beside: Sequence[Path | None] = (),
    also: Path | None = None,
) -> "DocumentSet":
    """Read the documents that the items are about, by name: from the folder, or from the benchmark that a result names.

    `beside` are the folders of the results files, one for each table. A folder that the user names must contain some;
    `also` is a further folder in which documents may be.
    """
    if folder is None:
        return documents_for(tables, beside, also=also)
    if not Path(folder).is_dir():
        raise ConfigError(Message("cli.no_folder", folder=folder), hint=BENCHMARK_HINT)
    benchmark = str(Path(folder).resolve())
    documents = documents_for([replace(table, benchmark=benchmark) for table in tables], also=also)
    if documents.missing and not documents.found:
        raise InputError.of(documents.missing, hint=BENCHMARK_HINT)
    return documents


def _only(table: Table, names: Sequence[str]) -> Table:
    """Return the table with the named columns, in any spelling."""
    wanted = columns_called(names, table.columns) or []
    for name in wanted:
        if name not in table.columns:
            raise UnknownName.of(Message("words.metric"), name, callable_names(table.metrics), where=table.name)
    return table.only(wanted)
