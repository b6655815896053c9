"""`steelyard report RESULT… -o FILE`: a page, a table or a plot of existing results."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_documents_option,
    add_output_options,
    add_test_options,
    comparison_settings,
    documents_folder,
)
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet
    from steelyard.table import Table

BENCHMARK_HINT = Message("cli.benchmark_hint")
_DESCRIPTION = """Report on results files; no question is asked or judged again.
With several results (in one or more files) each is compared with the first. FILE.html is a page that opens in any
browser without a network: headline, metrics, charts, and every item with its answer, evidence and reasons."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "report",
        help="a page, a table or a plot of results",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="results files; the first is the baseline")
    parser.add_argument("-m", "--metric", action="append", metavar="NAME", help="only these metrics (repeatable)")
    parser.add_argument("--by", metavar="TAG", help="means for each value of a tag")
    parser.add_argument("--mask", action="store_true", help="mask identity, phone and card numbers and addresses")
    parser.add_argument(
        "--benchmark", metavar="DIR", help="folder of the documents (default: as recorded in the result)"
    )
    add_documents_option(parser)
    add_test_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read the results, compare them, print and write."""
    from steelyard.cli.output import show, tell, write_and_show
    from steelyard.reports.content import Report
    from steelyard.reports.files import check_outputs, write_report
    from steelyard.reports.masking import mask_documents, mask_tables
    from steelyard.stats.compare import compare_all

    check_outputs(arguments.output, arguments.results, overwrite=arguments.overwrite)
    placed = read_placed(arguments.results, arguments.metric)
    tables = [table for _, table in placed]
    folders = [folder for folder, _ in placed]
    documents = documents_for(tables, arguments.benchmark, folders, documents_folder(arguments))
    if arguments.mask:
        tables, documents = mask_tables(tables), mask_documents(documents)
    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    report = Report(tables, comparisons, arguments.per_item, arguments.by)

    def write(path: Path) -> None:
        write_report(report, path, language=arguments.lang, documents=documents, overwrite=arguments.overwrite)
        tell(Message("cli.written", path=path).text(arguments.lang))

    is_shown = arguments.json or not arguments.output
    write_and_show(arguments.output, write, lambda: show(report, arguments) if is_shown else None)
    return 0


def read_results(paths: Sequence[str], metrics: Sequence[str] | None = None) -> "list[Table]":
    """All results of the files under unique names; with `metrics`, only these."""
    return [table for _, table in read_placed(paths, metrics)]


def read_placed(
    paths: Sequence[str], metrics: Sequence[str] | None = None, *, strict: bool = False
) -> "list[tuple[Path, Table]]":
    """The same, each with the folder of its file; with `strict`, none whose items contradict its footer."""
    from dataclasses import replace

    from steelyard.io.records import result_name
    from steelyard.io.results import load_all
    from steelyard.reports.content import unique_names

    files = [(path, load_all(path, strict=strict)) for path in paths]
    tables = [table for _, found in files for table in found]
    names = [table.name for table in tables]
    if len(set(names)) < len(names):  # two runs of one system: their files tell which is which
        names = [result_name(path) if len(found) == 1 else table.name for path, found in files for table in found]
    tables = [replace(table, name=name) for table, name in zip(tables, unique_names(names), strict=True)]
    shown = [_only(table, metrics) for table in tables] if metrics else tables
    return list(zip((Path(path).parent for path, found in files for _ in found), shown, strict=True))


def documents_for(
    tables: "Sequence[Table]",
    folder: str | None = None,
    beside: Sequence[Path | None] = (),
    also: Path | None = None,
) -> "DocumentSet":
    """The documents that the items are about: from the folder, or from where each result says, by name.

    `beside` are the folders of the results files, one for each table. A folder that the user names must hold some;
    `also` is one in which documents may lie beside that of the benchmark.
    """
    from steelyard.documents.sets import DocumentSet
    from steelyard.errors import ConfigError, InputError
    from steelyard.legal.benchmark.loading import documents_of

    if folder is None:
        places = dict.fromkeys(zip((table.benchmark for table in tables), beside or [None] * len(tables), strict=True))
        return DocumentSet.of(documents_of(benchmark, beside=place, also=also) for benchmark, place in places)
    if not Path(folder).is_dir():
        raise ConfigError(Message("cli.no_folder", folder=folder), hint=BENCHMARK_HINT)
    found = documents_of(str(Path(folder).resolve()), also=also)
    if not found.found:
        raise InputError.of(found.missing, hint=BENCHMARK_HINT)
    return found


def _only(table: "Table", names: Sequence[str]) -> "Table":
    """The table with only the named columns, in any accepted spelling."""
    from steelyard.cli.columns import columns_called
    from steelyard.errors import UnknownName

    wanted = columns_called(names, table.columns) or []
    for name in wanted:
        if name not in table.columns:
            raise UnknownName.of(Message("words.metric"), name, table.metrics, where=table.name)
    return table.only(wanted)
