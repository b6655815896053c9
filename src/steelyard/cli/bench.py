"""`steelyard bench [DIR] --system SPEC`: the legal benchmark against a live system, a program, or recorded outputs."""

import argparse
import os
import sys
import time
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_documents_option,
    add_engine_options,
    add_output_options,
    add_units_option,
    at_a_time,
    chosen_engine,
    documents_folder,
    further_attempts,
    name_of_result,
    natural,
    positive,
    rate,
    read_rules,
    seconds,
    share,
)
from steelyard.i18n import Message, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from steelyard.documents.pages import Document
    from steelyard.legal.benchmark.loading import Benchmark
    from steelyard.progress import ProgressCallback
    from steelyard.stats.gate import Gate
    from steelyard.stats.rules import Rule
    from steelyard.systems.ask import AskSettings
    from steelyard.systems.base import SystemSettings
    from steelyard.table import Table

STOPPED_EARLY = Message("cli.stopped_early")


class _QuestionTypes:
    """The choices of `--type`, imported when they are needed."""

    def __iter__(self) -> "Iterator[str]":
        from steelyard.legal.question_types import TYPES

        return iter(TYPES)

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "bench",
        help="help.bench",
        description="help.bench_about",
    )
    parser.add_argument("folder", metavar="DIR", nargs="?", help="help.benchmark_folder")
    parser.add_argument("--system", required=True, metavar="SPEC", help="help.system_spec")
    parser.add_argument("--name", type=name_of_result, metavar="NAME", help="help.bench_name")
    parser.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="TYPE",
        choices=_QuestionTypes(),
        help="help.type",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="help.limit")
    parser.add_argument("--by", metavar="TAG", default="type", help="help.bench_by")
    parser.add_argument("--require", action="append", default=[], metavar="RULE", help="help.bench_require")
    add_documents_option(parser)
    _add_asking_options(parser)
    add_engine_options(parser, parts=False)
    add_units_option(parser)
    add_output_options(parser)
    parser.set_defaults(run=run, announced=True)


def _add_asking_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group_asking")
    group.add_argument("-j", "--concurrency", type=at_a_time, default=4, metavar="N", help="help.bench_concurrency")
    group.add_argument("--timeout", type=seconds, default=60.0, metavar="S", help="help.attempt_timeout")
    group.add_argument("--retries", type=further_attempts, default=2, metavar="N", help="help.retries")
    group.add_argument("--rate", type=rate, metavar="R", help="help.rate")
    group.add_argument("--max-errors", type=share, default=0.05, metavar="SHARE", help="help.max_errors")
    group.add_argument("--resume", action="store_true", help="help.bench_resume")
    group.add_argument("--request", metavar="JSON", help="help.request")
    group.add_argument(
        "--response",
        metavar="PATH",
        help="help.response",
    )
    group.add_argument("--header", action="append", default=[], metavar="NAME:VALUE", help="help.header")
    group.add_argument("--seed", type=natural, default=42, metavar="N", help="help.bench_seed")


def run(arguments: argparse.Namespace) -> int:
    """Ask every question, judge the answers, print and write the results."""
    from dataclasses import replace

    from steelyard.cli.log import notify
    from steelyard.legal.benchmark.loading import load_benchmark
    from steelyard.legal.benchmark.question_checks import benchmark_folder
    from steelyard.systems.ask import AskSettings

    rules = _required_rules(arguments.require)
    path = _results_path(arguments)
    benchmark = load_benchmark(
        arguments.folder or benchmark_folder(),
        arguments.type,
        arguments.limit,
        documents_folder=documents_folder(arguments),
    )
    _check_names(arguments.by, rules, benchmark)
    settings = AskSettings(
        concurrency=arguments.concurrency,
        timeout=arguments.timeout,
        retries=arguments.retries,
        rate=arguments.rate,
        seed=arguments.seed,
    )
    made = _run(benchmark, settings, path, arguments)
    table = replace(made, benchmark=benchmark.folder)  # not as a resumed file says
    if path not in arguments.output:
        notify(Message("cli.results_file", path=path))
    if _cites_nothing(table):
        notify(Message("cli.nothing_cited"))
    reports = [output for output in arguments.output if output != path]
    code = _deliver(table, rules, argparse.Namespace(**vars(arguments) | {"output": reports}))
    _check_failures(table, arguments.max_errors, path)
    return code


def _run(benchmark: "Benchmark", settings: "AskSettings", path: Path, arguments: argparse.Namespace) -> "Table":
    """Ask and judge every question that the results file does not have yet."""
    from steelyard.cli.log import has_bars, notify
    from steelyard.cli.progress import proportion
    from steelyard.legal.benchmark.runner import BenchmarkRun, unfinished_path
    from steelyard.systems.base import open_system

    system = open_system(arguments.system, _system_settings(arguments, benchmark.documents))
    mode = {"resume": arguments.resume, "overwrite": arguments.overwrite}
    words = words_of(arguments.lang)
    if arguments.announced and not has_bars():
        notify(Message("cli.bench_begins", system=arguments.name or system.name, n=len(benchmark.questions), path=path))
    with (
        _notice_when_stopped(path, unfinished_path(path, **mode), len(benchmark.questions)) as counted,
        redirect_stdout(sys.stderr),  # a system may print
        proportion(words("cli.progress_questions"), words("report.errors")) as draw,
        chosen_engine(arguments) as engine,
    ):
        return BenchmarkRun(
            *(benchmark, system, settings, path),
            progress=counted(draw),
            on_failure=draw.fail,
            name=arguments.name,
            engine=engine,
            **mode,
        ).table()


@contextmanager
def _notice_when_stopped(
    path: Path, written: Path, questions: int
) -> "Iterator[Callable[[ProgressCallback], ProgressCallback]]":
    """Print what is saved when the run is stopped by Ctrl-C or SIGTERM; yields a wrapper that counts finished items."""
    from steelyard.cli.log import notify

    done = 0

    def counted(draw: "ProgressCallback") -> "ProgressCallback":
        def progress(number: int, total: int) -> None:
            nonlocal done
            done = number
            draw(number, total)

        return progress

    try:
        yield counted
    except KeyboardInterrupt:
        kept = Message("cli.stopped", done=done, questions=questions, written=written)
        hint = Message("core.hint", hint=Message("cli.resume_file", path=path))
        notify(*((kept, hint) if written.exists() else (STOPPED_EARLY,)))
        raise


def _cites_nothing(table: "Table") -> bool:
    """Whether no answer has a citation although some question asks for one."""
    asked = any(part.startswith("citation_") for part in table.parts["legal"])
    answers = [output for output in table.outputs if output and output.get("answer")]
    return asked and bool(answers) and not any(each.get("citations") or each.get("evidence") for each in answers)


def _check_failures(table: "Table", allowed: float, path: Path) -> None:
    """Raise an error if more questions failed than allowed; the results are kept."""
    from steelyard.errors import SystemFailure
    from steelyard.reports.kinds import failure_reason

    if len(table.failures) <= allowed * len(table):
        return
    failed = {"n": f"{len(table.failures):,}", "items": f"{len(table):,}", "share": f"{allowed:.4g}"}
    message = Message("cli.too_many_failed", **failed, why=failure_reason(table, min(table.failures)))
    raise SystemFailure(message, where=table.name, hint=Message("cli.ask_failed_again", path=path))


def _deliver(table: "Table", rules: "Sequence[Rule]", arguments: argparse.Namespace) -> int:
    """Decide the rules, then print and write the report; the report is also written when a rule raises an error."""
    from steelyard.cli.output import deliver
    from steelyard.errors import SteelyardError
    from steelyard.reports.content import Report
    from steelyard.stats.gate import GateSettings, decide

    report = partial(Report, [table], per_item=arguments.per_item, by=arguments.by, units=arguments.units)
    settings = GateSettings(allow_errors=arguments.max_errors, units=arguments.units)
    try:
        gate = decide(rules, table, settings=settings) if rules else None
    except SteelyardError:
        deliver(report(), arguments)
        raise
    deliver(report(gate=gate), arguments)
    return 0 if gate is None else _show_gate(gate, arguments)


def _required_rules(texts: "Sequence[str]") -> "list[Rule]":
    """The rules that the run must meet; one that needs a baseline is refused before anything is asked."""
    from steelyard.legal.formulas import METRIC
    from steelyard.stats.gate import check_rules
    from steelyard.stats.rules import spelled

    rules = spelled(read_rules(texts), [METRIC])
    if rules:
        check_rules(rules, has_baseline=False)
    return rules


def _show_gate(gate: "Gate", arguments: argparse.Namespace) -> int:
    """Print the outcome of the rules, beside JSON on standard error; gives the exit code."""
    from steelyard.cli.log import has_colour, notify
    from steelyard.cli.output import print_text
    from steelyard.reports.gate import gate_blocks
    from steelyard.reports.render.console import render_console

    colour = not arguments.json and has_colour(sys.stdout)
    text = render_console(gate_blocks(gate, arguments.lang), colour=colour, spaced=False)
    notify(f"\n{text.rstrip()}") if arguments.json else print_text(f"\n{text}")
    return 0 if gate.passed else 1


def _check_names(tag: str, rules: "Sequence[Rule]", benchmark: "Benchmark") -> None:
    """Raise an error for an unknown tag or metric before any question is asked."""
    from steelyard.errors import UnknownName
    from steelyard.legal.formulas import METRIC
    from steelyard.legal.question_types import part_labels
    from steelyard.registry.names import callable_names

    tags = list(dict.fromkeys(name for question in benchmark.questions for name in question.about.tags))
    metrics = [METRIC, *(f"{METRIC}.{part}" for part in part_labels())]
    for name in (tag, *(name for rule in rules for name, _ in rule.target.tags)):
        if name not in tags:
            raise UnknownName.of(Message("words.tag"), name, tags)
    for name in (rule.target.name for rule in rules):
        if name not in metrics:
            raise UnknownName.of(Message("words.metric"), name, callable_names(metrics))


def _results_path(arguments: argparse.Namespace) -> Path:
    """The results file: the first -o that ends in .jsonl, or a new one under results/."""
    from steelyard.errors import ConfigError
    from steelyard.io.results import check_new
    from steelyard.reports.files import RECORDED, check_outputs

    named: list[Path] = [path for path in arguments.output if path.suffix.lower() == RECORDED]
    check_outputs([path for path in arguments.output if path not in named[:1]], [], overwrite=arguments.overwrite)
    if named:
        if not (arguments.resume or arguments.overwrite):
            check_new(named[0])
        return named[0]
    if arguments.resume:
        raise ConfigError(Message("cli.nothing_to_resume"), hint=Message("cli.resume_hint"))
    kind = arguments.system.partition(":")[0]
    return Path("results") / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"


def _system_settings(arguments: argparse.Namespace, documents: "Mapping[str, Document]") -> "SystemSettings":
    from steelyard.systems.base import SystemSettings

    return SystemSettings(
        timeout=arguments.timeout,
        headers=dict(_header(text) for text in arguments.header),
        key=os.environ.get("OPENAI_API_KEY"),
        request=arguments.request,
        response=arguments.response,
        documents=documents,
        folder=Path.cwd(),
    )


def _header(text: str) -> tuple[str, str]:
    from steelyard.errors import ConfigError
    from steelyard.net.http import HEADER_NAME

    name, colon, value = (part.strip() for part in text.partition(":"))
    if not (colon and name):  # the text may be a secret and is not shown
        raise ConfigError(Message("cli.header_form"), where="--header")
    if not HEADER_NAME.fullmatch(name):
        raise ConfigError(Message("cli.header_name", name=name), where="--header")
    if not (value.isascii() and value.replace("\t", " ").isprintable()):
        raise ConfigError(Message("net.header_characters", name=name), where="--header")
    return name, value
