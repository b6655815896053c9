"""`steelyard compare OLD NEW [NEW…]`: paired comparison of results, item by item, with significance tests."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_documents_option,
    add_old_spelling,
    add_output_options,
    add_test_options,
    comparison_settings,
    documents_folder,
)
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.reports.comparison import ComparisonReport
    from steelyard.stats.compare import ComparisonSettings
    from steelyard.table import Table

_DESCRIPTION = """Compare results item by item; each is compared with the first. Files are results files (.jsonl) as
written by every evaluating command with -o; all results of a file are used. With three or more results, all pairs
are compared too, and results that share a letter do not differ significantly."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "compare",
        help="paired comparison of results with significance tests",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="results files; the first is the baseline")
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="NAME",
        help="a metric or a part of a metric, or several separated by commas (repeatable)",
    )
    parser.add_argument("--by", metavar="TAG", help="differences within each value of a tag, such as type")
    parser.add_argument(
        "--force", action="store_true", help="compare results even if their questions or settings differ"
    )
    add_old_spelling(parser, "--anyway", "--force")
    add_documents_option(parser)
    add_test_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read the results, check that they are comparable, compare, print and write."""
    from steelyard.cli.results import read_placed
    from steelyard.errors import ConfigError
    from steelyard.reports.files import check_outputs
    from steelyard.stats.compare import check_comparable

    check_outputs(arguments.output, arguments.results, overwrite=arguments.overwrite)
    placed = read_placed(arguments.results, strict=True)
    tables = [table for _, table in placed]
    if len(tables) < 2:
        raise ConfigError(Message("cli.too_few_results"), hint=Message("cli.compare_hint"))
    if not arguments.force:
        for table in tables[1:]:
            check_comparable(table, tables[0])
    comparison = _compared(tables, comparison_settings(arguments), arguments)
    _deliver(comparison, arguments, [folder for folder, _ in placed])
    return 0


def _compared(
    tables: "list[Table]", settings: "ComparisonSettings", arguments: argparse.Namespace
) -> "ComparisonReport":
    from steelyard.cli.results import columns_called
    from steelyard.reports.comparison import ComparisonReport
    from steelyard.reports.content import Report
    from steelyard.stats.compare import compare_all, compare_by, compare_pairs
    from steelyard.stats.pairing import changes
    from steelyard.stats.selection import metrics_of, with_parts

    metrics = columns_called(arguments.metric, tables[0].columns)
    old, *new = tables = [with_parts(table, metrics or ()) for table in tables]
    comparisons = compare_all(new, old, settings, metrics=metrics)
    by_name = {table.name: table for table in new}
    shown = tables if metrics is None else [table.only(metrics_of(table, metrics)) for table in tables]
    return ComparisonReport(
        Report(shown, comparisons, arguments.per_item, arguments.by),
        changes=[changes(by_name[pair.a], old, pair.metric) for pair in comparisons],
        shown=metrics or [pair.metric for pair in comparisons[:1]],
        within=compare_by(new, old, arguments.by, settings, metrics=metrics) if arguments.by else {},
        pairs=compare_pairs(tables, settings, metrics=metrics) if len(tables) > 2 else (),
    )


def _deliver(comparison: "ComparisonReport", arguments: argparse.Namespace, folders: list[Path]) -> None:
    """Write the files that were asked for, then print."""
    from steelyard.cli.output import show, write_and_show
    from steelyard.cli.results import load_documents
    from steelyard.reports.comparison import compared_report
    from steelyard.reports.files import PAGE, write_report

    report = compared_report(comparison)

    def write(path: Path) -> None:
        is_page = path.suffix.lower() == PAGE
        documents = load_documents(report.tables, None, folders, documents_folder(arguments)) if is_page else {}
        write_report(report, path, language=arguments.lang, documents=documents, overwrite=arguments.overwrite)

    write_and_show(arguments.output, write, lambda: show(report, arguments))
