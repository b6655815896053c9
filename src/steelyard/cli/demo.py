"""`steelyard demo`: the first five minutes, without a key and without a network."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from steelyard.cli.options import add_language_option

COMMAND = ("bench", "--system", "builtin:baseline")

_INTRODUCTION = {
    "en": "Invented legal documents and questions; the built-in baseline, which has no model, answers them.",
    "zh": "虚构的法律文书与题目，由内置的基线系统（不含任何模型）作答。",
}


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "demo",
        help="the first five minutes: no key, no network",
        description="Run the bundled legal benchmark against the built-in baseline.",
    )
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark, and say which command did it; its results file is thrown away."""
    from steelyard.cli.parser import build_parser

    sys.stdout.write(f"{_INTRODUCTION[arguments.lang]}\n\n$ steelyard {' '.join(COMMAND)}\n\n")
    sys.stdout.flush()
    with TemporaryDirectory() as folder:
        words = [*COMMAND, "-o", str(Path(folder) / "demo.jsonl"), "--lang", arguments.lang]
        command = build_parser().parse_args(words)
        code: int = command.run(command)
    return code
