"""`steelyard retrieval QRELS RUN [RUN…]`: ranking metrics, and paired comparison of runs."""

import argparse
from pathlib import Path
from typing import Any

from steelyard.cli.options import (
    add_metric_options,
    add_output_options,
    add_test_options,
    at_a_time,
    comparison_settings,
    positive,
    result_names,
)
from steelyard.i18n import Message


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
    group = parser.add_argument_group("help.group_rankings")
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
    _add_text_options(parser)
    add_test_options(parser)
    parser.add_argument("-j", "--concurrency", type=at_a_time, metavar="N", help="help.reading_threads")
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_text_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("texts and rankings, for pages (-o x.html)")
    group.add_argument(
        "--queries",
        metavar="FILE",
        help="texts of the queries: TREC topics, JSONL (BEIR), JSON, CSV, or TSV with id and text",
    )
    group.add_argument(
        "--docs",
        metavar="FILE",
        help="texts of the documents: JSONL (BEIR), CSV, parquet, or TSV; only those that are shown are kept",
    )
    group.add_argument(
        "--rankings",
        action="store_true",
        help="keep the first 20 documents of each query in results files (.jsonl) too, as --queries and --docs do",
    )


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, print and write."""
    from dataclasses import replace

    from steelyard.cli.output import deliver, notify_other_meanings
    from steelyard.io.records import check_readers
    from steelyard.registry.metrics import load_metrics
    from steelyard.registry.names import parse_measures, split_names
    from steelyard.reports.content import Report
    from steelyard.reports.files import RANKING_SUFFIXES, TREC_EVAL, check_one_run, check_outputs
    from steelyard.retrieval.evaluate import RetrievalSettings, evaluate_run, need_subtopics
    from steelyard.retrieval.reading.sources import qrels_from, run_from
    from steelyard.stats.compare import compare_all

    texts = [path for path in (arguments.queries, arguments.docs) if path]
    inputs = [arguments.qrels, *arguments.runs, *texts]
    _check_stdin(inputs)
    check_outputs(arguments.output, inputs, suffixes=RANKING_SUFFIXES, overwrite=arguments.overwrite)
    check_one_run(arguments.output, len(arguments.runs))
    check_readers(inputs)
    load_metrics(arguments.metrics_from, Path.cwd())
    named = arguments.metric and split_names(arguments.metric)
    measures = parse_measures(named, arguments.cutoffs, trec_eval=arguments.trec_eval)
    notify_other_meanings(arguments)
    settings = RetrievalSettings(arguments.missing, arguments.relevance_level, arguments.depth, arguments.trec_eval)
    judgments = qrels_from(arguments.qrels, subtopics=need_subtopics(measures))
    runs = [run_from(path) for path in arguments.runs]
    recorded = bool(texts) or arguments.rankings
    options = {"threads": arguments.concurrency, "keep": recorded or _shows_rankings(arguments.output)}
    tables = [
        evaluate_run(judgments, run, measures, settings, name=name, **options)
        for run, name in zip(runs, result_names(arguments.runs), strict=True)
    ]
    if texts:
        from steelyard.retrieval.reading.texts import with_texts

        tables = with_texts(tables, arguments.queries, arguments.docs)
    comparisons = compare_all(tables[1:], tables[0], comparison_settings(arguments))
    is_named = any(path.suffix.lower() == TREC_EVAL for path in arguments.output)
    tag = runs[0].tag() if is_named else ""
    bare = None if recorded else [replace(table, outputs=()) for table in tables]
    deliver(Report(tables, comparisons, arguments.per_item, run_tag=tag), arguments, recorded=bare)
    return 0


def _shows_rankings(outputs: list[Path]) -> bool:
    """Whether a page or a plot is written, which show more of a ranking than its scores."""
    from steelyard.reports.files import PAGE, PLOTS

    return any(path.suffix.lower() in (PAGE, *PLOTS) for path in outputs)


def _check_stdin(paths: list[str]) -> None:
    from steelyard.errors import ConfigError

    if paths.count("-") > 1:
        raise ConfigError(Message("cli.stdin_twice"), hint=Message("cli.stdin_hint"))
