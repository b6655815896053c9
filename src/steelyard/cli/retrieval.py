"""`steelyard retrieval QRELS RUN [RUN…]`: ranking metrics, and paired comparison of runs."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from steelyard.cli import options
from steelyard.cli.console import notify, proportion
from steelyard.cli.engines import allow_same_results, checkpoint_engine, forget_parts
from steelyard.cli.options import Command, Group, argument, flag, repeated
from steelyard.cli.output import check_outputs, comparison_settings, deliver, notify_other_meanings
from steelyard.errors import ConfigError
from steelyard.i18n import Message, words_of
from steelyard.io.records import check_readers
from steelyard.registry.metrics import load_metrics
from steelyard.registry.names import parse_measures, split_names
from steelyard.reports.content import MANY, Report
from steelyard.reports.files import PAGE, PAPER, PLOTS, RANKING_SUFFIXES, TREC_EVAL
from steelyard.reports.render.values import one_run_only
from steelyard.retrieval.evaluate import RetrievalSettings, evaluate_run, need_subtopics
from steelyard.retrieval.matching import Run
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.sources import are_questions, are_spans, qrels_from, run_from
from steelyard.retrieval.reading.texts import absent_documents, unwinnable, with_texts
from steelyard.stats.compare import compare_all, compare_pairs
from steelyard.table import Table

_QUICK: Final = 2_000  # a terminal has letters up to so many differences between every two results, either way


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, print and write."""
    texts = [path for path in (arguments.queries, arguments.docs) if path]
    _check([arguments.qrels, *arguments.runs, *texts], arguments)
    is_drawn = any(path.suffix.lower() in (PAGE, *PLOTS) for path in arguments.output)  # they show the rankings
    if are_questions(arguments.qrels):
        return _run_questions(arguments, keep=arguments.rankings or is_drawn)
    if are_spans(arguments.qrels):
        return _run_spans(arguments)
    runs = [run_from(path) for path in arguments.runs]
    recorded = bool(texts) or arguments.rankings
    tables = _tables(runs, arguments, keep=recorded or is_drawn)
    allow_same_results(arguments, tables)
    _deliver(runs, tables, arguments, recorded=recorded)
    forget_parts(arguments)
    return 0


def _run_questions(arguments: argparse.Namespace, *, keep: bool) -> int:
    """Do the same for chunks, judged by the passages that a folder of questions requires."""
    from steelyard.contexts.chunks import evaluate_chunks

    _refuse(arguments, "cli.not_with_questions", "queries", "docs")
    arguments.by = arguments.by or "type"
    return _run_texts(arguments, partial(evaluate_chunks, keep=keep))


def _run_spans(arguments: argparse.Namespace) -> int:
    """Do the same for spans of characters."""
    from steelyard.contexts.spans import evaluate_spans

    _refuse(arguments, "cli.not_with_spans", "queries", "docs", "rankings")
    return _run_texts(arguments, evaluate_spans)


def _refuse(arguments: argparse.Namespace, code: str, *names: str) -> None:
    for option in names:
        if getattr(arguments, option):
            raise ConfigError(Message(code, option=f"--{option}"), where=arguments.qrels)


def _run_texts(arguments: argparse.Namespace, evaluate: Callable[..., Table]) -> int:
    load_metrics(arguments.metrics_from, Path.cwd())
    notify_other_meanings(arguments)
    tables = [
        evaluate(
            arguments.qrels,
            path,
            arguments.metric and split_names(arguments.metric),
            cutoffs=arguments.cutoffs,
            missing=arguments.missing,
            relevance_level=arguments.relevance_level,
            depth=arguments.depth,
            name=name,
        )
        for path, name in zip(arguments.runs, options.result_names(arguments.runs, arguments.name), strict=True)
    ]
    allow_same_results(arguments, tables)
    _deliver([], tables, arguments, recorded=arguments.rankings)
    return 0


def _deliver(runs: list[Run], tables: list[Table], arguments: argparse.Namespace, *, recorded: bool) -> None:
    """Compare, write and print."""
    tables = [table.headed(arguments.metric) for table in tables]
    tested = comparison_settings(arguments)
    comparisons = compare_all(tables[1:], tables[0], tested)
    written = {path.suffix.lower() for path in arguments.output}
    wanted = arguments.json or arguments.per_item or not written.isdisjoint((PAPER, PAGE))
    is_quick = len(tables) * len(comparisons) <= _QUICK
    pairs = compare_pairs(tables, tested) if len(tables) >= MANY and (wanted or is_quick) else ()
    tag = runs[0].tag() if runs and TREC_EVAL in written else ""
    bare = None if recorded else [replace(table, outputs=()) for table in tables]
    grouped = {"by": arguments.by, "units": arguments.units}
    report = Report(tables, comparisons, arguments.per_item, **grouped, pairs=pairs, run_tag=tag)
    deliver(report, arguments, recorded=bare)


def _check(inputs: list[str], arguments: argparse.Namespace) -> None:
    """Refuse what cannot be read or written before anything is read."""
    if inputs.count("-") > 1:
        raise ConfigError(Message("cli.stdin_twice"), hint=Message("cli.stdin_hint"))
    overwrite = arguments.overwrite or arguments.resume
    check_outputs(arguments.output, inputs, suffixes=RANKING_SUFFIXES, overwrite=overwrite)
    if len(arguments.runs) > 1 and any(path.suffix.lower() == TREC_EVAL for path in arguments.output):
        raise one_run_only()
    check_readers(inputs)


def _tables(runs: list[Run], arguments: argparse.Namespace, *, keep: bool) -> list[Table]:
    """Return the result of every run; with `keep` its rankings too."""
    load_metrics(arguments.metrics_from, Path.cwd())
    named = arguments.metric and split_names(arguments.metric)
    measures = parse_measures(named, arguments.cutoffs, trec_eval=arguments.trec_eval)
    notify_other_meanings(arguments)
    settings = RetrievalSettings(arguments.missing, arguments.relevance_level, arguments.depth, arguments.trec_eval)
    judgments = qrels_from(arguments.qrels, subtopics=need_subtopics(measures))
    tables: list[Table] = []
    with (
        proportion(words_of(arguments.lang)("cli.progress_results")) as progress,
        checkpoint_engine(arguments, [arguments.qrels, *arguments.runs]) as engine,
    ):
        for run, name in zip(runs, options.result_names(arguments.runs, arguments.name), strict=True):
            how = {"name": name, "threads": arguments.concurrency, "engine": engine, "keep": keep}
            tables.append(evaluate_run(judgments, run, measures, settings, **how))
            progress(len(tables))
    return _with_texts(tables, judgments, arguments) if arguments.queries or arguments.docs else tables


def _with_texts(tables: list[Table], judgments: Qrels, arguments: argparse.Namespace) -> list[Table]:
    """Return the results with the texts of queries and documents, and list judgments that the corpus cannot meet."""
    level = arguments.relevance_level
    columns = options.mapping_of(arguments.map)
    given = {"qrels": judgments, "relevance_level": level}
    tables = with_texts(tables, arguments.queries, arguments.docs, columns, **given)
    lists = {"cli.docs_absent": absent_documents(tables[0]), "cli.docs_unwinnable": unwinnable(tables[0], level)}
    for code, ids in lists.items():
        if ids:
            shown = ", ".join(ids[:_LISTED]) + ("…" if len(ids) > _LISTED else "")
            notify(Message(code, n=len(ids), docs=arguments.docs, ids=shown))
    return tables


_LISTED: Final = 10


_METRICS: Final = Group(
    "help.group_metrics",
    [
        argument("-m", "--metric", action="append", metavar="NAME", help="help.metric"),
        argument("-k", "--cutoffs", type=options.cutoffs, metavar="1,5,10", help="help.cutoffs"),
        options.METRICS_FROM,
    ],
)
_SCORING: Final = Group(
    "help.group_scoring",
    [
        argument("--missing", choices=("zero", "skip"), default="zero", help="help.missing"),
        argument("-l", "--relevance-level", type=options.positive, default=1, metavar="N", help="help.relevance_level"),
        argument("-M", "--depth", type=options.positive, metavar="N", help="help.depth"),
        argument("--trec-eval", type=int, choices=(9, 10), default=9, help="help.trec_eval"),
    ],
)
_RANKINGS: Final = Group(
    "help.group_rankings",
    [
        argument("--queries", metavar="FILE", help="help.queries"),
        argument("--docs", metavar="FILE", help="help.docs"),
        repeated("--map", type=options.field_name, metavar="FIELD=NAME", help="help.docs_map"),
        flag("--rankings", help="help.rankings"),
    ],
)
COMMANDS: Final = {
    "retrieval": Command(
        run,
        [
            argument("qrels", metavar="QRELS", help="help.qrels"),
            argument("runs", metavar="RUN", nargs="+", help="help.runs"),
            _METRICS,
            _SCORING,
            options.NAME,
            argument("--by", metavar="TAG", help="help.retrieval_by"),
            _RANKINGS,
            options.TESTS,
            argument("-j", "--concurrency", type=options.at_a_time, metavar="N", help="help.reading_threads"),
            options.ENGINES,
            options.OUTPUT,
        ],
    )
}
