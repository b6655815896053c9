"""`steelyard retrieval QRELS RUN [RUN…]`: ranking metrics, and paired comparison of runs."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_engine_options,
    add_metric_options,
    add_name_option,
    add_output_options,
    add_test_options,
    allow_same_results,
    at_a_time,
    checkpoint_engine,
    comparison_settings,
    field_name,
    forget_parts,
    mapping_of,
    positive,
    result_names,
)
from steelyard.i18n import Message, words_of

if TYPE_CHECKING:
    from steelyard.retrieval.runs import Run
    from steelyard.table import Table


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "retrieval",
        help="help.retrieval",
        description="help.retrieval_about",
    )
    parser.add_argument("qrels", metavar="QRELS", help="help.qrels")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="help.runs")
    add_metric_options(parser)
    group = parser.add_argument_group("help.group_scoring")
    group.add_argument(
        "--missing",
        choices=("zero", "skip"),
        default="zero",
        help="help.missing",
    )
    group.add_argument(
        "-l",
        "--relevance-level",
        type=positive,
        default=1,
        metavar="N",
        help="help.relevance_level",
    )
    group.add_argument("-M", "--depth", type=positive, metavar="N", help="help.depth")
    group.add_argument(
        "--trec-eval",
        type=int,
        choices=(9, 10),
        default=9,
        help="help.trec_eval",
    )
    add_name_option(parser)
    _add_text_options(parser)
    add_test_options(parser)
    parser.add_argument("-j", "--concurrency", type=at_a_time, metavar="N", help="help.reading_threads")
    add_engine_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_text_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group_rankings")
    group.add_argument(
        "--queries",
        metavar="FILE",
        help="help.queries",
    )
    group.add_argument(
        "--docs",
        metavar="FILE",
        help="help.docs",
    )
    group.add_argument(
        "--map", action="append", default=[], type=field_name, metavar="FIELD=NAME", help="help.docs_map"
    )
    group.add_argument(
        "--rankings",
        action="store_true",
        help="help.rankings",
    )


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, print and write."""
    from steelyard.retrieval.reading.sources import run_from

    texts = [path for path in (arguments.queries, arguments.docs) if path]
    _check([arguments.qrels, *arguments.runs, *texts], arguments)
    runs = [run_from(path) for path in arguments.runs]
    recorded = bool(texts) or arguments.rankings
    tables = _tables(runs, arguments, keep=recorded or bool(arguments.output and _shows_rankings(arguments.output)))
    allow_same_results(arguments, tables)
    if texts:
        from steelyard.retrieval.reading.texts import with_texts

        tables = with_texts(tables, arguments.queries, arguments.docs, mapping_of(arguments.map))
    if arguments.json and not arguments.output and len(tables) == 1 and not arguments.per_item:
        from steelyard.cli.output import print_summary

        print_summary(tables[0], arguments)
    else:
        _deliver(runs, tables, arguments, recorded=recorded)
    forget_parts(arguments)
    return 0


def _deliver(runs: "list[Run]", tables: "list[Table]", arguments: argparse.Namespace, *, recorded: bool) -> None:
    """Compare, write and print."""
    from dataclasses import replace

    from steelyard.cli.output import deliver
    from steelyard.reports.content import MANY, Report
    from steelyard.reports.files import PAPER, TREC_EVAL
    from steelyard.stats.compare import compare_all, compare_pairs

    tables = [table.headed(arguments.metric) for table in tables]
    tested = comparison_settings(arguments)
    comparisons = compare_all(tables[1:], tables[0], tested)
    written = {path.suffix.lower() for path in arguments.output}
    pairs = compare_pairs(tables, tested) if PAPER in written and len(tables) >= MANY else ()
    tag = runs[0].tag() if TREC_EVAL in written else ""
    bare = None if recorded else [replace(table, outputs=()) for table in tables]
    report = Report(tables, comparisons, arguments.per_item, units=arguments.units, pairs=pairs, run_tag=tag)
    deliver(report, arguments, recorded=bare)


def _check(inputs: list[str], arguments: argparse.Namespace) -> None:
    """Refuse what cannot be read or written before anything is read."""
    from steelyard.io.records import check_readers

    _check_stdin(inputs)
    if arguments.output:
        from steelyard.reports.files import RANKING_SUFFIXES, check_one_run, check_outputs

        overwrite = arguments.overwrite or arguments.resume
        check_outputs(arguments.output, inputs, suffixes=RANKING_SUFFIXES, overwrite=overwrite)
        check_one_run(arguments.output, len(arguments.runs))
    check_readers(inputs)


def _tables(runs: "list[Run]", arguments: argparse.Namespace, *, keep: bool) -> "list[Table]":
    """The result of every run; with `keep` its rankings too."""
    from steelyard.cli.output import notify_other_meanings
    from steelyard.cli.progress import proportion
    from steelyard.registry.metrics import load_metrics
    from steelyard.registry.names import parse_measures, split_names
    from steelyard.retrieval.evaluate import RetrievalSettings, evaluate_run, need_subtopics
    from steelyard.retrieval.reading.sources import qrels_from

    load_metrics(arguments.metrics_from, Path.cwd())
    named = arguments.metric and split_names(arguments.metric)
    measures = parse_measures(named, arguments.cutoffs, trec_eval=arguments.trec_eval)
    notify_other_meanings(arguments)
    settings = RetrievalSettings(arguments.missing, arguments.relevance_level, arguments.depth, arguments.trec_eval)
    judgments = qrels_from(arguments.qrels, subtopics=need_subtopics(measures))
    tables = []
    with (
        proportion(words_of(arguments.lang)("cli.progress_results")) as progress,
        checkpoint_engine(arguments, [arguments.qrels, *arguments.runs]) as engine,
    ):
        for run, name in zip(runs, result_names(arguments.runs, arguments.name), strict=True):
            given: dict[str, Any] = {"threads": arguments.concurrency, "engine": engine, "keep": keep}
            tables.append(evaluate_run(judgments, run, measures, settings, name=name, **given))
            progress(len(tables))
    return tables


def _shows_rankings(outputs: list[Path]) -> bool:
    """Whether a page or a plot is written, which show more of a ranking than its scores."""
    from steelyard.reports.files import PAGE, PLOTS

    return any(path.suffix.lower() in (PAGE, *PLOTS) for path in outputs)


def _check_stdin(paths: list[str]) -> None:
    from steelyard.errors import ConfigError

    if paths.count("-") > 1:
        raise ConfigError(Message("cli.stdin_twice"), hint=Message("cli.stdin_hint"))
