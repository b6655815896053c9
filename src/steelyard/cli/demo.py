"""`steelyard demo`: the first five minutes, without a key and without a network."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from steelyard.cli.options import add_language_option

COMMAND = ("bench", "--system", "builtin:baseline")

REPORT = Path("output") / "demo.html"

_INTRODUCTION = {
    "en": "Invented legal documents and questions; the built-in baseline, which has no model, answers them.",
    "zh": "虚构的法律文书与题目，由内置的基线系统（不含任何模型）作答。",
}
_REPORT = {"en": "\nreport: {} (open it in a browser)\n", "zh": "\n报告：{}（用浏览器打开）\n"}


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "demo",
        help="the first five minutes: no key, no network",
        description="Run the bundled legal benchmark against the built-in baseline, and write a page about it.",
    )
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark, say which command did it, and name the page that it wrote; the results file is thrown away."""
    from steelyard.cli.output import say
    from steelyard.cli.parser import build_parser

    shown = [*COMMAND, "-o", str(REPORT)]
    say(f"{_INTRODUCTION[arguments.lang]}\n\n$ steelyard {' '.join(shown)}\n\n")
    sys.stdout.flush()
    REPORT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        words = [*shown, "-o", str(Path(folder) / "demo.jsonl"), "--lang", arguments.lang]
        command = build_parser().parse_args(words)
        code: int = command.run(command)
    say(_REPORT[arguments.lang].format(REPORT))
    return code
