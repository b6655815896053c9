"""`steelyard demo`: run the bundled benchmark against the baseline, without a key and without a network."""

import argparse
import sys
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option
from steelyard.i18n import words_of

COMMAND = ("bench", "--system", "builtin:baseline")

REPORT = Path("output") / "demo.html"


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "demo",
        help="help.demo",
        description="help.demo_about",
    )
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark, print the equivalent command and the path of the report; the results file is not kept."""
    from tempfile import TemporaryDirectory

    from steelyard.cli.output import print_text
    from steelyard.cli.parser import build_parser

    words = words_of(arguments.lang)
    shown = [*COMMAND, "-o", str(REPORT)]
    print_text(f"{words('cli.demo_introduction')}\n\n$ steelyard {' '.join(shown)}\n\n")
    sys.stdout.flush()
    REPORT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        options = [*shown, "-o", str(Path(folder) / "demo.jsonl"), "--lang", arguments.lang]
        command = build_parser(arguments.lang, options).parse_args(options)
        command.announced = False  # the file is not for the user
        code: int = command.run(command)
    print_text(f"\n{words('cli.demo_report', path=REPORT)}\n")
    return code
