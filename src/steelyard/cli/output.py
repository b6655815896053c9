"""Output of reports: files first, then standard output as text or JSON; notices go to standard error."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli.log import LOG, has_colour, notify
from steelyard.i18n import Message
from steelyard.text.visible import HALVES, printable, visible_json

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.reports.blocks import Block
    from steelyard.reports.content import Report
    from steelyard.table import Table


def deliver(report: "Report", arguments: argparse.Namespace, *, recorded: "Sequence[Table] | None" = None) -> None:
    """Write the requested files, then print; a results file has the tables `recorded`, if they are given."""
    from dataclasses import replace

    from steelyard.cli.results import load_documents
    from steelyard.reports.files import PAGE, RECORDED, write_report

    def write(path: Path) -> None:
        if recorded is not None and path.suffix.lower() == RECORDED:
            write_report(replace(report, tables=recorded), path, overwrite=arguments.overwrite)
            return
        documents = load_documents(report.tables) if path.suffix.lower() == PAGE else {}
        write_file(report, path, arguments, documents)

    write_and_show(arguments.output, write, lambda: show(report, arguments))


def write_file(
    report: "Report", path: Path, arguments: argparse.Namespace, documents: "Mapping[str, Document]"
) -> None:
    """Write one file of a report by the options of output; what it cannot show is a note on standard error."""
    from steelyard.reports.files import write_report

    given = {"language": arguments.lang, "overwrite": arguments.overwrite, "plot": arguments.plot}
    note = write_report(report, path, documents=documents, **given)
    if note:
        notify(note)


def write_and_show(paths: Sequence[Path], write: Callable[[Path], None], show: Callable[[], None]) -> None:
    """Write every file, then print; raise the first write error at the end."""
    from steelyard.errors import SteelyardError

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


def show(report: "Report", arguments: argparse.Namespace) -> None:
    """Print a report, as a table or as JSON."""
    from steelyard.reports.build import report_blocks

    show_blocks(report_blocks(report, arguments.lang), arguments)


def show_blocks(blocks: "Sequence[Block]", arguments: argparse.Namespace, *, spaced: bool = True) -> None:
    """Print blocks as text or, with --json, as JSON."""
    from steelyard.reports.render.console import render_console
    from steelyard.reports.render.json import render_json

    if arguments.json:
        print_json(render_json(blocks))
    else:
        print_text(render_console(blocks, width=width_of_terminal(), colour=has_colour(sys.stdout), spaced=spaced))


def print_json(text: str) -> None:
    """Print JSON as UTF-8 whatever the encoding of the terminal; control characters are escaped."""
    sys.stdout.flush()
    sys.stdout.buffer.write(visible_json(text).encode("utf-8", HALVES))


def print_summary(table: "Table", arguments: argparse.Namespace) -> None:
    """The JSON of one result, as a report has it; without the modules of reports, which take longer than small runs."""
    from steelyard.stats.scopes import scope_of
    from steelyard.stats.summary import head_fields
    from steelyard.text.visible import indented_json

    scope = scope_of(arguments.units, table)
    head = head_fields(table, arguments.units, scope)
    print_json(indented_json({**head, "results": [table.summary(units=scope).as_dict()], "comparisons": []}))


def print_text(text: str) -> None:
    """Print on standard output; control characters of names and answers are escaped."""
    sys.stdout.write(printable(text))


def notify_other_meanings(arguments: argparse.Namespace) -> None:
    """Say on standard error which of the metrics that were asked for have another meaning in the tool of that name."""
    from steelyard.registry.names import other_meanings

    for message in other_meanings(arguments.metric):
        notify(message)


def width_of_terminal() -> int:
    """The number of columns of the terminal; 300 if the output is not a terminal."""
    return os.get_terminal_size().columns if sys.stdout.isatty() else 300
