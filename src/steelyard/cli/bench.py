"""`steelyard bench [DIR] --system SPEC`: the legal benchmark; `steelyard demo`: the same with the embedded baseline."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from steelyard.cli import options
from steelyard.cli.console import has_bars, has_colour, notify, proportion
from steelyard.cli.engines import chosen_engine
from steelyard.cli.options import Command, Group, argument, flag, repeated
from steelyard.cli.output import check_outputs, deliver, print_text
from steelyard.cli.parser import build_parser
from steelyard.documents.pages import Document
from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message, words_of
from steelyard.io.results import check_new
from steelyard.io.reviews import SUFFIX, append_judgement
from steelyard.io.writing import RECORDED
from steelyard.legal.benchmark.questions import Benchmark, benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import BenchmarkRun, unfinished_path
from steelyard.legal.model import FIELDS, METRIC
from steelyard.legal.question_types import part_labels, types_by_name
from steelyard.net.http import HEADER_NAME
from steelyard.progress import ProgressCallback
from steelyard.registry.kinds import COSTS, kind_of
from steelyard.registry.names import callable_names
from steelyard.reports.content import Report
from steelyard.reports.gate import gate_blocks
from steelyard.reports.kinds import failure_reason
from steelyard.reports.render.console import render_console
from steelyard.stats.gate import Gate, GateSettings, check_rules, decide
from steelyard.stats.rules import Rule, parse_rule, spelled
from steelyard.systems.ask import AskSettings
from steelyard.systems.base import SystemSettings, open_system
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.cli.models import SecondTier

DEMO = ("bench", "--system", "builtin:baseline")
DEMO_REPORT = Path("output") / "demo.html"
STOPPED_EARLY = Message("cli.stopped_early")


def run(arguments: argparse.Namespace) -> int:
    """Ask every question, judge the answers, print and write the results."""
    rules = _required_rules(arguments.require)
    path = _results_path(arguments)
    benchmark = load_benchmark(
        arguments.folder or benchmark_folder(),
        arguments.type,
        arguments.limit,
        documents_folder=options.documents_folder(arguments),
    )
    _check_names(arguments.by, rules, benchmark)
    settings = AskSettings(
        concurrency=arguments.concurrency,
        timeout=arguments.timeout,
        retries=arguments.retries,
        rate=arguments.rate,
        seed=arguments.seed,
    )
    tier = options.second_tier(arguments)
    made = _run(benchmark, settings, path, arguments)
    table = replace(made, benchmark=benchmark.folder)  # not as a resumed file says
    if path not in arguments.output:
        notify(Message("cli.results_file", path=path))
    if tier is not None:
        table = _decided(tier, table, path)
    if _cites_nothing(table):
        notify(Message("cli.nothing_cited"))
    reports = [output for output in arguments.output if output != path]
    code = _deliver(table, rules, argparse.Namespace(**vars(arguments) | {"output": reports}))
    if tier is not None:
        tier.check()
    _check_failures(table, arguments.max_errors, path)
    return code


def _decided(tier: "SecondTier", table: Table, path: Path) -> Table:
    """Let judges decide what is uncertain; their verdicts are appended to the review file beside the results."""
    decided, judgements = tier.decide(table, path)
    for judgement in judgements:
        append_judgement(path.with_suffix(SUFFIX), judgement)
    if judgements:
        notify(Message("cli.review_written", path=path.with_suffix(SUFFIX), result=path))
    return decided


def _run(benchmark: Benchmark, settings: AskSettings, path: Path, arguments: argparse.Namespace) -> Table:
    """Ask and judge every question that the results file does not have yet."""
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
        table = BenchmarkRun(
            *(benchmark, system, settings, path),
            progress=counted(draw),
            on_failure=draw.fail,
            name=arguments.name,
            engine=engine,
            **mode,
        ).table()
    for message in getattr(system, "notices", list)():
        notify(message)
    if _only_retrieves(table):
        notify(Message("cli.only_retrieves", path=path))
    return table


def _only_retrieves(table: Table) -> bool:
    """Return whether a system gave contexts and nothing else, as one that only retrieves does."""
    outputs = [output for output in table.outputs if output]
    answers = any(output.get(name) for output in outputs for name in ("answer", "citations", "evidence", *FIELDS))
    return any(output.get("contexts") for output in outputs) and not answers


@contextmanager
def _notice_when_stopped(
    path: Path, written: Path, questions: int
) -> Iterator[Callable[[ProgressCallback], ProgressCallback]]:
    """Print what is saved when the run is stopped by Ctrl-C or SIGTERM; yields a wrapper that counts finished items."""
    done = 0

    def counted(draw: ProgressCallback) -> ProgressCallback:
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


def _cites_nothing(table: Table) -> bool:
    """Return whether no answer has a citation although some question asks for one."""
    asked = any(part.startswith("citation_") for part in table.parts["legal"])
    answers = [output for output in table.outputs if output and output.get("answer")]
    return asked and bool(answers) and not any(each.get("citations") or each.get("evidence") for each in answers)


def _check_failures(table: Table, allowed: float, path: Path) -> None:
    """Raise an error if more questions failed than allowed; the results are kept."""
    if len(table.failures) <= allowed * len(table):
        return
    failed = {"n": f"{len(table.failures):,}", "items": f"{len(table):,}", "share": f"{allowed:.4g}"}
    message = Message("cli.too_many_failed", **failed, why=failure_reason(table, min(table.failures)))
    raise SystemFailure(message, where=table.name, hint=Message("cli.ask_failed_again", path=path))


def _deliver(table: Table, rules: Sequence[Rule], arguments: argparse.Namespace) -> int:
    """Decide the rules, then print and write the report; the report is also written when a rule raises an error."""
    report = partial(Report, [table], per_item=arguments.per_item, by=arguments.by, units=arguments.units)
    settings = GateSettings(allow_errors=arguments.max_errors, units=arguments.units)
    try:
        gate = decide(rules, table, settings=settings) if rules else None
    except SteelyardError:
        deliver(report(), arguments)
        raise
    deliver(report(gate=gate), arguments)
    return 0 if gate is None else _show_gate(gate, arguments)


def _required_rules(texts: Sequence[str]) -> list[Rule]:
    """Return the rules that the run must meet; one that needs a baseline is refused before anything is asked."""
    rules = spelled([*map(parse_rule, texts)], [METRIC, *COSTS])
    if rules:
        check_rules(rules, has_baseline=False)
    return rules


def _show_gate(gate: Gate, arguments: argparse.Namespace) -> int:
    """Print the outcome of the rules, beside JSON on standard error; gives the exit code."""
    colour = not arguments.json and has_colour(sys.stdout)
    text = render_console(gate_blocks(gate, arguments.lang), colour=colour, spaced=False)
    notify(f"\n{text.rstrip()}") if arguments.json else print_text(f"\n{text}")
    return 0 if gate.passed else 1


def _check_names(tag: str, rules: Sequence[Rule], benchmark: Benchmark) -> None:
    """Raise an error for an unknown tag or metric before any question is asked."""
    tags = list(dict.fromkeys(name for question in benchmark.questions for name in question.about.tags))
    metrics = [METRIC, *COSTS, *(f"{METRIC}.{part}" for part in part_labels()), *kind_of(METRIC).of_contexts]
    for name in (tag, *(name for rule in rules for name, _ in rule.target.tags)):
        if name not in tags:
            raise UnknownName.of(Message("words.tag"), name, tags)
    for name in (rule.target.name for rule in rules):
        if name not in metrics:
            raise UnknownName.of(Message("words.metric"), name, callable_names(metrics))


def _results_path(arguments: argparse.Namespace) -> Path:
    """Return the results file: the first -o that ends in .jsonl, or a new one under results/."""
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


def _system_settings(arguments: argparse.Namespace, documents: Mapping[str, Document]) -> SystemSettings:
    return SystemSettings(
        timeout=arguments.timeout,
        headers=dict(_header(text) for text in arguments.header),
        key=os.environ.get("OPENAI_API_KEY"),
        environment=os.environ,
        send=arguments.send,
        request=arguments.request,
        response=arguments.response,
        documents=documents,
        folder=Path.cwd(),
    )


def _header(text: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not (colon and name):  # the text may be a secret and is not shown
        raise ConfigError(Message("cli.header_form"), where="--header")
    if not HEADER_NAME.fullmatch(name):
        raise ConfigError(Message("cli.header_name", name=name), where="--header")
    if not (value.isascii() and value.replace("\t", " ").isprintable()):
        raise ConfigError(Message("net.header_characters", name=name), where="--header")
    return name, value


def run_demo(arguments: argparse.Namespace) -> int:
    """Run the benchmark, print the equivalent command and the path of the report; the results file is not kept."""
    words = words_of(arguments.lang)
    shown = [*DEMO, "-o", str(DEMO_REPORT)]
    print_text(f"{words('cli.demo_introduction')}\n\n$ steelyard {' '.join(shown)}\n\n")
    sys.stdout.flush()
    DEMO_REPORT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        line = [*shown, "-o", str(Path(folder) / "demo.jsonl"), "--lang", arguments.lang]
        command = build_parser(arguments.lang, line).parse_args(line)
        command.announced = False  # the file is not for the user
        code: int = command.run(command)
    print_text(f"\n{words('cli.demo_report', path=DEMO_REPORT)}\n")
    return code


_ASKING: Final = Group(
    "help.group_asking",
    [
        argument("-j", "--concurrency", type=options.at_a_time, default=4, metavar="N", help="help.bench_concurrency"),
        argument("--timeout", type=options.seconds, default=60.0, metavar="S", help="help.attempt_timeout"),
        argument("--retries", type=options.further_attempts, default=2, metavar="N", help="help.retries"),
        argument("--rate", type=options.rate, metavar="R", help="help.rate"),
        argument("--max-errors", type=options.share, default=0.05, metavar="SHARE", help="help.max_errors"),
        flag("--resume", help="help.bench_resume"),
        argument("--request", metavar="JSON", help="help.request"),
        argument("--response", metavar="PATH", help="help.response"),
        argument("--send", choices=("document", "question"), default="document", help="help.send"),
        repeated("--header", metavar="NAME:VALUE", help="help.header"),
        argument("--seed", type=options.natural, default=42, metavar="N", help="help.bench_seed"),
    ],
)
COMMANDS: Final = {
    "demo": Command(run_demo, [options.LANGUAGE]),
    "bench": Command(
        run,
        [
            argument("folder", metavar="DIR", nargs="?", help="help.benchmark_folder"),
            argument("--system", required=True, metavar="SPEC", help="help.system_spec"),
            argument("--name", type=options.name_of_result, metavar="NAME", help="help.bench_name"),
            repeated("--type", metavar="TYPE", choices=tuple(types_by_name()), help="help.type"),
            argument("--limit", type=options.positive, metavar="N", help="help.limit"),
            argument("--by", metavar="TAG", default="type", help="help.bench_by"),
            repeated("--require", metavar="RULE", help="help.bench_require"),
            options.DOCUMENTS,
            _ASKING,
            Group("help.group_engine", [options.ENGINE, options.ADDRESS]),
            options.TIER,
            options.UNITS,
            options.OUTPUT,
        ],
        {"announced": True},
    ),
}
