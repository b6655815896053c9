"""`steelyard compare OLD NEW [NEW…]`: paired comparison of results, item by item, with significance tests."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_choice_options,
    add_direction_option,
    add_documents_option,
    add_old_spelling,
    add_output_options,
    add_test_options,
    comparison_settings,
    declare_directions,
    documents_folder,
)
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.reports.comparison import ComparisonReport


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "compare",
        help="help.compare",
        description="help.compare_about",
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="help.results")
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="NAME",
        help="help.compare_metric",
    )
    parser.add_argument("--by", metavar="TAG", help="help.compare_by")
    parser.add_argument("--force", action="store_true", help="help.compare_force")
    add_old_spelling(parser, "--anyway", "--force")
    add_choice_options(parser)
    add_direction_option(parser)
    add_documents_option(parser)
    add_test_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read the results, check that they are comparable, compare, print and write."""
    from steelyard.cli.results import chosen, read_placed
    from steelyard.errors import ConfigError
    from steelyard.reports.comparison import compare_results
    from steelyard.reports.files import check_outputs
    from steelyard.stats.comparable import check_comparable

    declare_directions(arguments)
    check_outputs(arguments.output, arguments.results, overwrite=arguments.overwrite)
    placed = chosen(read_placed(arguments.results, strict=True), arguments)
    tables = [table for _, table in placed]
    if len(tables) < 2:
        raise ConfigError(Message("cli.too_few_results"), hint=Message("cli.compare_hint"))
    if not arguments.force:
        for table in tables[1:]:
            check_comparable(table, tables[0])
    comparison = compare_results(
        tables,
        comparison_settings(arguments),
        metrics=arguments.metric,
        by=arguments.by,
        per_item=arguments.per_item,
    )
    _deliver(comparison, arguments, [folder for folder, _ in placed])
    return 0


def _deliver(comparison: "ComparisonReport", arguments: argparse.Namespace, folders: list[Path]) -> None:
    """Write the files that were asked for, then print."""
    from steelyard.cli.output import show, write_and_show, write_file
    from steelyard.cli.results import load_documents
    from steelyard.reports.comparison import compared_report
    from steelyard.reports.files import PAGE

    report = compared_report(comparison)

    def write(path: Path) -> None:
        is_page = path.suffix.lower() == PAGE
        documents = load_documents(report.tables, None, folders, documents_folder(arguments)) if is_page else {}
        write_file(report, path, arguments, documents)

    write_and_show(arguments.output, write, lambda: show(report, arguments))
