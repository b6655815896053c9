"""`steelyard report RESULT… -o FILE`: a page, a table or a plot of existing results."""

import argparse
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_choice_options,
    add_direction_option,
    add_documents_option,
    add_output_options,
    add_test_options,
    comparison_settings,
    declare_directions,
    documents_folder,
)
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.table import Table


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "report",
        help="help.report",
        description="help.report_about",
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="help.results")
    parser.add_argument("-m", "--metric", action="append", metavar="NAME", help="help.only_metrics")
    parser.add_argument("--by", metavar="TAG", help="help.by")
    parser.add_argument("--mask", action="store_true", help="help.mask")
    parser.add_argument("--benchmark", metavar="DIR", help="help.benchmark")
    parser.add_argument("--reviews", action="append", default=[], metavar="REVIEW", help="help.report_reviews")
    add_choice_options(parser)
    add_direction_option(parser)
    add_documents_option(parser)
    add_test_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for objects in cycles: a report has many objects and few cycles, and takes seconds."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _reviewed(tables: "list[Table]", paths: Sequence[str]) -> "list[Table]":
    """The tables with the reviews of their verdicts; a review of none of them is an error."""
    from steelyard.errors import InputError
    from steelyard.io.reviews import digest_of, read_review
    from steelyard.reports.agreement import OTHER_HINT
    from steelyard.stats.review import with_reviews

    digests = [digest_of(table) for table in tables] if paths else []
    for path in paths:
        judgements = read_review(path)
        result = judgements[0].result
        if result not in digests:
            message = Message("reports.review_of_other_result", result=result, digest=", ".join(digests))
            raise InputError(message, where=path, hint=OTHER_HINT)
        at = digests.index(result)
        tables[at] = with_reviews(tables[at], judgements)
    return tables


@_uncollected()
def run(arguments: argparse.Namespace) -> int:
    """Read the results, compare them, print and write."""
    from steelyard.cli.log import notify
    from steelyard.cli.output import show, write_and_show, write_file
    from steelyard.cli.results import chosen, load_documents, read_placed
    from steelyard.reports.content import Report
    from steelyard.reports.files import RANKING_SUFFIXES, check_outputs
    from steelyard.reports.masking import mask_documents, mask_tables
    from steelyard.stats.compare import compare_all

    declare_directions(arguments)
    check_outputs(arguments.output, arguments.results, suffixes=RANKING_SUFFIXES, overwrite=arguments.overwrite)
    placed = chosen(read_placed(arguments.results, arguments.metric), arguments)
    tables = _reviewed([table for _, table in placed], arguments.reviews)
    folders = [folder for folder, _ in placed]
    documents = load_documents(tables, arguments.benchmark, folders, documents_folder(arguments))
    if arguments.mask:
        tables, documents = mask_tables(tables), mask_documents(documents)
    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    headed = [table.headed(arguments.metric) for table in tables]
    report = Report(headed, comparisons, arguments.per_item, arguments.by, units=arguments.units)

    def write(path: Path) -> None:
        write_file(report, path, arguments, documents)
        notify(Message("cli.written", path=path))

    is_shown = arguments.json or not arguments.output
    write_and_show(arguments.output, write, lambda: show(report, arguments) if is_shown else None)
    return 0
