"""`steelyard answers FILE [FILE…]`: answer metrics for any script, and paired comparison of systems."""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from steelyard.answers.evaluate import corpus_file, evaluate_answers
from steelyard.cli import options
from steelyard.cli.console import proportion
from steelyard.cli.engines import allow_same_results, checkpoint_engine, forget_parts
from steelyard.cli.options import Command, Group, argument, repeated
from steelyard.cli.output import check_outputs, comparison_settings, deliver, notify_other_meanings
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Joined, Message, words_of
from steelyard.io.foreign.items import SeveralSystems
from steelyard.io.records import check_readers, unique_names
from steelyard.io.writing import RECORDED
from steelyard.registry.metrics import load_metrics
from steelyard.registry.names import split_names
from steelyard.reports.content import Report
from steelyard.reports.sections.published import PUBLISHED
from steelyard.stats.compare import compare_all
from steelyard.table import Table

PROFILES = (
    *("steelyard", "ultrarag", "ultrarag-2026-09", "squad"),
    *("rouge-score", "rouge-score-stemmed", "rouge-jieba", "rouge-chinese", "lawbench"),
    *("judge", "cail2025"),
)
WITH_TEXTS = (".html", ".jsonl")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, print and write."""
    check_outputs(arguments.output, arguments.files, overwrite=arguments.overwrite or arguments.resume)
    check_readers(arguments.files)
    load_metrics(arguments.metrics_from, Path.cwd())
    if arguments.statutes:  # an error of the corpus comes first, whether or not a metric needs it
        from steelyard.contexts.law import load_statutes

        load_statutes(corpus_file(arguments.statutes))
    notify_other_meanings(arguments)
    keep = _kept(arguments)
    tier = options.second_tier(arguments)
    tables = _tables(arguments, keep)
    _check_tags(arguments.tags, tables)
    allow_same_results(arguments, tables)
    if tier is not None:
        recorded = next((path for path in arguments.output if path.suffix.lower() == RECORDED), None)
        tables = [tier.decide(table, recorded)[0] for table in tables]
    _check_scored(tables, where=str(arguments.files[0]))
    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    shown = tables if keep is True else [replace(table, outputs=()) for table in tables]
    headed = [table.headed(arguments.metric) for table in shown]
    deliver(Report(headed, comparisons, arguments.per_item, arguments.by, units=arguments.units), arguments)
    forget_parts(arguments)
    if tier is not None:
        tier.check()
    return 0


def _tables(arguments: argparse.Namespace, keep: bool | Literal["questions"]) -> list[Table]:
    """Return the result of every file and of every system in it."""
    inputs = [*arguments.files, *filter(None, (arguments.references, arguments.statutes))]
    tags = list(dict.fromkeys([*arguments.tags, *([arguments.by] if arguments.by else [])]))
    several = "local" if (arguments.concurrency or 1) > 1 else None
    with (
        proportion(words_of(arguments.lang)("cli.progress_rows")) as progress,
        checkpoint_engine(arguments, inputs, several) as engine,
    ):

        def evaluate(path: str, name: str, system: str | None = arguments.system) -> Table:
            return evaluate_answers(
                path,
                arguments.references,
                arguments.metric and split_names(arguments.metric),
                profile=arguments.profile,
                tokens=arguments.tokens,
                mapping=options.mapping_of(arguments.map),
                name=name,
                engine=engine,
                progress=progress,
                keep=keep,
                system=system,
                strip_citations=arguments.strip_citations,
                tags=tags,
                statutes=arguments.statutes,
            )

        tables = []
        for path, name in _names(arguments):
            try:
                tables.append(evaluate(path, name))
            except SeveralSystems as error:
                tables += [evaluate(path, system or name, system) for system in error.systems]
    names = unique_names([table.name for table in tables])  # two files may have systems of one name
    return [replace(table, name=name) for table, name in zip(tables, names, strict=True)]


def _kept(arguments: argparse.Namespace) -> bool | Literal["questions"]:
    """Return whether a file is written that shows the texts; of several files at least the questions are compared."""
    with_texts = any(output.suffix.lower() in WITH_TEXTS for output in arguments.output)
    return with_texts or bool(arguments.judge) or (len(arguments.files) > 1 and "questions")


def _names(arguments: argparse.Namespace) -> Iterable[tuple[str, str]]:
    """Return each file with the name of its result; that of the only file is the system, where one is selected."""
    is_named = arguments.system is not None and len(arguments.files) == 1
    given = arguments.name or ([arguments.system] if is_named else [])
    return zip(arguments.files, options.result_names(arguments.files, given), strict=True)


def _check_tags(names: Iterable[str], tables: list[Table]) -> None:
    """Refuse a column that no row has a plain value in."""
    for name in names:
        if not any(name in table.tags for table in tables):
            known = list(dict.fromkeys(tag for table in tables for tag in table.tags))
            raise UnknownName.of(Message("words.column"), name, known, where=tables[0].name)


def _check_scored(tables: list[Table], where: str) -> None:
    """Refuse results without any score, where there are published ones also without any score as read."""
    columns = [(metric, table.columns[metric]) for table in tables for metric in table.metrics]
    read = [column for metric, column in columns if not metric.startswith(PUBLISHED)] or [of for _, of in columns]
    if not any(np.isfinite(column.values).any() for column in read):
        codes = [(column, code) for column in read for code in np.unique(column.codes) if code]
        reasons = dict.fromkeys(column.reasons[code - 1].reason for column, code in codes)
        message = Message("metrics.none_scored", reasons=Joined("core.listed", list(reasons)))
        raise InputError(message, where=where, hint=Message("metrics.none_scored_hint"))


_READING: Final = Group(
    "help.group_answers",
    [
        argument("-m", "--metric", action="append", metavar="NAME", help="help.metric_several"),
        argument("--profile", choices=PROFILES, default="steelyard", help="help.profile"),
        argument("--tokens", choices=("words", "chars"), default="words", help="help.tokens"),
        repeated("--map", type=options.field_name, metavar="FIELD=NAME", help="help.map"),
        argument("--strip-citations", action=argparse.BooleanOptionalAction, help="help.strip_citations"),
        argument("--system", metavar="NAME", help="help.answers_system"),
        options.NAME,
        repeated("--tags", metavar="COLUMN", help="help.tags_columns"),
        argument("--references", metavar="FILE", help="help.references"),
        argument("--statutes", metavar="FILE", help="help.statutes"),
        options.METRICS_FROM,
        argument("-j", "--concurrency", type=options.processes, metavar="N", help="help.processes"),
        argument("--by", metavar="TAG", help="help.answers_by"),
    ],
)
_FILES: Final = argument("files", metavar="FILE", nargs="+", help="help.predictions")
COMMANDS: Final = {
    "answers": Command(run, [_FILES, _READING, options.TIER, options.ENGINES, options.TESTS, options.OUTPUT])
}
