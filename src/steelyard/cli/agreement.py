"""`steelyard agreement RESULT REVIEW [REVIEW…]`: agreement of human reviewers with the judge."""

import argparse
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option
from steelyard.io.addresses import path_of

SUFFIXES = (".md", ".json")


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "agreement",
        help="help.agreement",
        description="help.agreement_about",
    )
    parser.add_argument("result", metavar="RESULT", help="help.sampled_result")
    parser.add_argument("reviews", metavar="REVIEW", nargs="+", help="help.completed_review")
    parser.add_argument("--by", metavar="TAG", help="help.agreement_by")
    parser.add_argument("--json", action="store_true", help="help.json")
    parser.add_argument(
        "-o", "--output", action="append", type=path_of, default=[], metavar="FILE", help="help.agreement_output"
    )
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, deliver."""
    from steelyard.cli.options import result_names
    from steelyard.cli.output import show_blocks, write_and_show
    from steelyard.io.results import load
    from steelyard.io.reviews import read_review
    from steelyard.io.writing import write_whole
    from steelyard.reports.agreement import agree
    from steelyard.reports.agreement_blocks import agreement_blocks
    from steelyard.reports.files import RENDERERS, check_outputs

    check_outputs(arguments.output, [arguments.result, *arguments.reviews], suffixes=SUFFIXES)
    table = load(arguments.result)
    names = result_names(arguments.reviews)
    reviews = {name: read_review(path) for name, path in zip(names, arguments.reviews, strict=True)}
    blocks = agreement_blocks(agree(table, reviews, by=arguments.by), arguments.lang)

    def write(path: Path) -> None:
        write_whole(path, RENDERERS[path.suffix.lower()](blocks, arguments.lang))

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))
    return 0
