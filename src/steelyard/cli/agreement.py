"""`steelyard agreement RESULT REVIEW [REVIEW…]`: agreement of human reviewers with the judge."""

import argparse
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option

SUFFIXES = (".md", ".json")
_DESCRIPTION = """Agreement of a reviewer with the verdicts of a result: rate with confidence interval, Cohen's kappa
and an upper bound of the error rate of the judge (95 %). With two reviews, also the agreement between the reviewers."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "agreement",
        help="agreement of human reviewers with the judge",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("result", metavar="RESULT", help="the results file that was sampled")
    parser.add_argument("reviews", metavar="REVIEW", nargs="+", help="a completed review.jsonl")
    parser.add_argument("--by", metavar="TAG", help="agreement for each value of a tag (type)")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
    parser.add_argument(
        "-o", "--output", action="append", type=Path, default=[], metavar="FILE", help=".md or .json (repeatable)"
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
