"""Where a report goes: files, and standard output as a table or as JSON."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.reports.content import Report


def deliver(report: "Report", arguments: argparse.Namespace) -> None:
    """Print, then write the files that were asked for."""
    from steelyard.reports.files import render_json, write_report

    sys.stdout.write(render_json(report) if arguments.json else _table(report, arguments.lang))
    for path in arguments.output:
        write_report(report, path, language=arguments.lang)


def _table(report: "Report", language: str) -> str:
    from steelyard.reports.console import render_console

    terminal = sys.stdout.isatty()
    width = os.get_terminal_size().columns if terminal else 300
    return render_console(report, language="zh" if language == "zh" else "en", width=width, colour=terminal)
