"""Where a report goes: files, and standard output as a table or as JSON."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.reports.content import Report


def deliver(report: "Report", arguments: argparse.Namespace) -> None:
    """Print, then write the files that were asked for."""
    from steelyard.cli.report import documents_for
    from steelyard.reports.files import write_report

    show(report, arguments)
    for path in arguments.output:
        documents = documents_for(report.tables) if path.suffix.lower() == ".html" else {}
        write_report(report, path, language=arguments.lang, documents=documents)


def show(report: "Report", arguments: argparse.Namespace) -> None:
    """Print a report, as a table or as JSON."""
    from steelyard.reports.files import render_json

    if arguments.json:
        print_json(render_json(report))
    elif sys.stdout is not None:
        sys.stdout.write(_table(report, arguments.lang))


def print_json(text: str) -> None:
    """JSON is UTF-8, whatever the terminal speaks."""
    if sys.stdout is not None:
        sys.stdout.buffer.write(text.encode("utf-8"))


def _table(report: "Report", language: str) -> str:
    from steelyard.reports.console import render_console

    terminal = sys.stdout.isatty()
    width = os.get_terminal_size().columns if terminal else 300
    return render_console(report, language="zh" if language == "zh" else "en", width=width, colour=terminal)
