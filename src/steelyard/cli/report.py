"""`steelyard report` and `steelyard compare`: pages, tables and plots of existing results, and their comparison."""

import argparse
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from steelyard.cli import options
from steelyard.cli.options import Command, argument, flag, old_spelling, repeated
from steelyard.cli.output import check_outputs, chosen, comparison_settings, deliver, load_documents, read_placed
from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.reviews import digest_of, read_review
from steelyard.registry.kinds import lower_is_better
from steelyard.reports.agreement import OTHER_HINT
from steelyard.reports.content import Report, compare_results
from steelyard.reports.files import RANKING_SUFFIXES
from steelyard.stats.compare import compare_all
from steelyard.stats.pairing import check_comparable
from steelyard.stats.review import with_reviews
from steelyard.table import Table


def run_compare(arguments: argparse.Namespace) -> int:
    """Read the results, check that they are comparable, compare, print and write."""
    lower_is_better(*arguments.lower_is_better)
    check_outputs(arguments.output, arguments.results, overwrite=arguments.overwrite)
    placed = chosen(read_placed(arguments.results, strict=True), arguments)
    tables = [table for _, table in placed]
    if len(tables) < 2:
        raise ConfigError(Message("cli.too_few_results"), hint=Message("cli.compare_hint"))
    if not arguments.force:
        for table in tables[1:]:
            check_comparable(table, tables[0])
    report = compare_results(
        tables,
        comparison_settings(arguments),
        metrics=arguments.metric,
        by=arguments.by,
        per_item=arguments.per_item,
        calibrations=options.calibrations_of(arguments),
    )
    folders = [folder for folder, _ in placed]
    deliver(report, arguments, lambda: load_documents(tables, None, folders, options.documents_folder(arguments)))
    return 0


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


def _reviewed(tables: list[Table], paths: Sequence[str]) -> list[Table]:
    """Return the tables with the reviews of their verdicts; a review of none of them is an error."""
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
def run_report(arguments: argparse.Namespace) -> int:
    """Read the results, compare them, print and write."""
    lower_is_better(*arguments.lower_is_better)
    check_outputs(arguments.output, arguments.results, suffixes=RANKING_SUFFIXES, overwrite=arguments.overwrite)
    placed = chosen(read_placed(arguments.results, arguments.metric), arguments)
    tables = _reviewed([table for _, table in placed], arguments.reviews)
    folders = [folder for folder, _ in placed]
    documents = load_documents(tables, arguments.benchmark, folders, options.documents_folder(arguments))
    if arguments.mask:
        from steelyard.reports.masking import mask_documents, mask_tables

        tables, documents = mask_tables(tables), mask_documents(documents)
    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    headed = [table.headed(arguments.metric) for table in tables]
    calibrations = options.calibrations_of(arguments)
    report = Report(
        headed, comparisons, arguments.per_item, arguments.by, units=arguments.units, calibrations=calibrations
    )
    deliver(report, arguments, lambda: documents, announced=True)
    return 0


_RESULTS: Final = argument("results", metavar="RESULT", nargs="+", help="help.results")
_SHARED: Final = (
    options.SYSTEMS,
    options.BASELINE,
    options.LOWER_IS_BETTER,
    *options.CALIBRATIONS,
    options.DOCUMENTS,
    options.TESTS,
    options.OUTPUT,
)
COMMANDS: Final = {
    "compare": Command(
        run_compare,
        [
            _RESULTS,
            argument("-m", "--metric", action="append", metavar="NAME", help="help.compare_metric"),
            argument("--by", metavar="TAG", help="help.compare_by"),
            flag("--force", help="help.compare_force"),
            old_spelling("--anyway", "--force"),
            *_SHARED,
        ],
    ),
    "report": Command(
        run_report,
        [
            _RESULTS,
            argument("-m", "--metric", action="append", metavar="NAME", help="help.only_metrics"),
            argument("--by", metavar="TAG", help="help.by"),
            options.MASK,
            options.BENCHMARK,
            repeated("--reviews", metavar="REVIEW", help="help.report_reviews"),
            *_SHARED,
        ],
    ),
}
