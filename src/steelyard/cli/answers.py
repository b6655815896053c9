"""`steelyard answers FILE [FILE…]`: answer metrics for any script, and paired comparison of systems."""

import argparse
from typing import TYPE_CHECKING, Any, Literal

from steelyard.cli.options import (
    add_engine_options,
    add_name_option,
    add_output_options,
    add_test_options,
    allow_same_results,
    checkpoint_engine,
    comparison_settings,
    field_name,
    forget_parts,
    mapping_of,
    processes,
    result_names,
)
from steelyard.i18n import Message, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from steelyard.table import Table

PROFILES = ("steelyard", "ultrarag", "squad", "rouge-score", "rouge-score-stemmed", "rouge-jieba", "rouge-chinese")
WITH_TEXTS = (".html", ".jsonl")
REFUSAL = "Refusal"
"""The metric whose parts a report counts two by two."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "answers",
        help="help.answers",
        description="help.answers_about",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="help.predictions")
    _add_reading_options(parser)
    add_engine_options(parser)
    add_test_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group_answers")
    group.add_argument("-m", "--metric", action="append", metavar="NAME", help="help.metric_several")
    group.add_argument("--profile", choices=PROFILES, default="steelyard", help="help.profile")
    group.add_argument(
        "--tokens",
        choices=("words", "chars"),
        default="words",
        help="help.tokens",
    )
    group.add_argument(
        "--map",
        action="append",
        default=[],
        type=field_name,
        metavar="FIELD=NAME",
        help="help.map",
    )
    group.add_argument(
        "--strip-citations",
        action=argparse.BooleanOptionalAction,
        help="help.strip_citations",
    )
    group.add_argument("--system", metavar="NAME", help="help.answers_system")
    add_name_option(group)
    group.add_argument("--tags", action="append", default=[], metavar="COLUMN", help="help.tags_columns")
    group.add_argument("--references", metavar="FILE", help="help.references")
    group.add_argument("--metrics-from", action="append", default=[], metavar="MODULE", help="help.metrics_from")
    group.add_argument("-j", "--concurrency", type=processes, metavar="N", help="help.processes")
    group.add_argument("--by", metavar="TAG", help="help.answers_by")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, print and write."""
    from pathlib import Path

    from steelyard.cli.output import notify_other_meanings, print_summary
    from steelyard.io.records import check_readers
    from steelyard.registry.metrics import load_metrics

    if arguments.output:
        from steelyard.reports.files import check_outputs

        check_outputs(arguments.output, arguments.files, overwrite=arguments.overwrite or arguments.resume)
    check_readers(arguments.files)
    load_metrics(arguments.metrics_from, Path.cwd())
    notify_other_meanings(arguments)
    keep = _kept(arguments)
    tables = _tables(arguments, keep)
    _check_tags(arguments.tags, tables)
    allow_same_results(arguments, tables)
    if _is_summary(tables, arguments):
        print_summary(tables[0], arguments)
    else:
        _deliver(tables, _shown(tables, keep), arguments)
    forget_parts(arguments)
    return 0


def _is_summary(tables: "list[Table]", arguments: argparse.Namespace) -> bool:
    """Whether nothing is wanted but the JSON of one result, to which no section of a report adds a field."""
    added = arguments.output or arguments.per_item or arguments.by or REFUSAL in tables[0].columns
    return arguments.json and len(tables) == 1 and not added and not _has_uncertain(tables[0])


def _has_uncertain(table: "Table") -> bool:
    return any(1 in parts.get("uncertain", ()) for parts in table.parts.values())


def _deliver(tables: "list[Table]", shown: "list[Table]", arguments: argparse.Namespace) -> None:
    """Compare the tables, with their questions, then write and print those that are shown."""
    from steelyard.cli.output import deliver
    from steelyard.reports.content import Report
    from steelyard.stats.compare import compare_all

    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    headed = [table.headed(arguments.metric) for table in shown]
    deliver(Report(headed, comparisons, arguments.per_item, arguments.by, units=arguments.units), arguments)


def _tables(arguments: argparse.Namespace, keep: 'bool | Literal["questions"]') -> "list[Table]":
    """The result of every file and of every system in it."""
    from steelyard.answers.evaluate import evaluate_answers
    from steelyard.cli.progress import proportion
    from steelyard.registry.names import split_names

    inputs = [*arguments.files, *([arguments.references] if arguments.references else [])]
    several = "local" if (arguments.concurrency or 1) > 1 else None
    with (
        proportion(words_of(arguments.lang)("cli.progress_rows")) as progress,
        checkpoint_engine(arguments, inputs, several) as engine,
    ):

        def evaluate(path: str, name: str, system: str | None = arguments.system) -> "Table":
            return evaluate_answers(
                path,
                arguments.references,
                arguments.metric and split_names(arguments.metric),
                profile=arguments.profile,
                tokens=arguments.tokens,
                mapping=mapping_of(arguments.map),
                name=name,
                engine=engine,
                progress=progress,
                keep=keep,
                system=system,
                strip_citations=arguments.strip_citations,
                tags=_tags(arguments),
            )

        return _distinct(each for pair in _names(arguments) for each in _of_every_system(evaluate, *pair))


def _kept(arguments: argparse.Namespace) -> 'bool | Literal["questions"]':
    """Whether a file is written that shows the texts; of several files at least the questions are compared."""
    with_texts = any(output.suffix.lower() in WITH_TEXTS for output in arguments.output)
    return with_texts or (len(arguments.files) > 1 and "questions")


def _shown(tables: "list[Table]", keep: 'bool | Literal["questions"]') -> "list[Table]":
    """The tables, with texts only if all were kept."""
    from dataclasses import replace

    return tables if keep is True else [replace(table, outputs=()) for table in tables]


def _tags(arguments: argparse.Namespace) -> list[str]:
    """The columns that become tags: those that are named, and what is grouped by."""
    return list(dict.fromkeys([*arguments.tags, *([arguments.by] if arguments.by else [])]))


def _names(arguments: argparse.Namespace) -> "Iterable[tuple[str, str]]":
    """Each file with the name of its result; that of the only file is the system, where one is selected."""
    is_named = arguments.system is not None and len(arguments.files) == 1
    given = arguments.name or ([arguments.system] if is_named else [])
    return zip(arguments.files, result_names(arguments.files, given), strict=True)


def _check_tags(names: "Iterable[str]", tables: "list[Table]") -> None:
    """Refuse a column that no row has a plain value in."""
    from steelyard.errors import UnknownName

    for name in names:
        if not any(name in table.tags for table in tables):
            known = list(dict.fromkeys(tag for table in tables for tag in table.tags))
            raise UnknownName.of(Message("words.column"), name, known, where=tables[0].name)


def _of_every_system(evaluate: "Callable[..., Table]", path: str, name: str) -> "list[Table]":
    """The table of a file, or one for each system whose outputs it has."""
    from steelyard.io.foreign.items import SeveralSystems

    try:
        return [evaluate(path, name)]
    except SeveralSystems as error:
        return [evaluate(path, system or name, system) for system in error.systems]


def _distinct(tables: "Iterable[Table]") -> "list[Table]":
    """The tables with different names: two files may have systems of one name."""
    from dataclasses import replace

    from steelyard.io.records import unique_names

    found = list(tables)
    names = unique_names([table.name for table in found])
    return [replace(table, name=name) for table, name in zip(found, names, strict=True)]
