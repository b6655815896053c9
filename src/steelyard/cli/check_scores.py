"""`steelyard check-scores`: recompute the scores in a results file of another tool, and list what differs."""

import argparse
import time
from pathlib import Path
from typing import Final

from steelyard.checks.report import found_blocks
from steelyard.checks.tools import check_file
from steelyard.cli import options
from steelyard.cli.options import Command, argument, refused, repeated
from steelyard.cli.output import check_outputs, show_blocks, write_and_show
from steelyard.errors import InputError
from steelyard.io.addresses import path_of
from steelyard.io.shapes import DECIMAL
from steelyard.reports.files import CHECK_SUFFIXES, write_blocks
from steelyard.suite.vectors import read_vectors


def run(arguments: argparse.Namespace) -> int:
    """Check a file; 1 if something differs."""
    check_outputs(arguments.output, [arguments.file], suffixes=CHECK_SUFFIXES)
    begun = time.perf_counter()
    found = check_file(arguments.file, dict(arguments.mean))
    blocks = found_blocks(found, _known_vectors(), arguments.lang)

    def write(path: Path) -> None:
        write_blocks(blocks, path, arguments.lang, seconds=time.perf_counter() - begun)

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))
    return 1 if found.differing else 0


def _known_vectors() -> frozenset[str]:
    """Return the ids of the vectors of this installation."""
    try:
        return frozenset(vector.id for vector in read_vectors())
    except InputError:
        return frozenset()


def _mean(text: str) -> tuple[str, tuple[float, int]]:
    """Read METRIC=NUMBER; the digits of the number are those that are compared."""
    name, _, value = text.rpartition("=")
    if not DECIMAL.fullmatch(value):
        raise refused("checks.not_a_mean", text=text)
    return name, (float(value), len(value.partition(".")[2]))


COMMANDS: Final = {
    "check-scores": Command(
        run,
        [
            argument("file", metavar="FILE", help="help.check_scores_file"),
            repeated("--mean", type=_mean, metavar="METRIC=NUMBER", help="help.check_scores_mean"),
            repeated("-o", "--output", type=path_of, metavar="FILE", help="help.conformance_output"),
            options.JSON,
            options.LANGUAGE,
        ],
    )
}
