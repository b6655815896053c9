"""`steelyard build P.yaml` and `steelyard run P.yaml`: pipelines of servers, as UltraRAG writes them."""

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import add_language_option, locale_language, seconds
from steelyard.counts import with_codes
from steelyard.errors import InputError
from steelyard.i18n import Localized, Message, Words, words_of
from steelyard.text.visible import printable

if TYPE_CHECKING:
    from steelyard.pipelines.journal import Journal
    from steelyard.pipelines.server import Notice
    from steelyard.pipelines.spec import Pipeline

OUTPUT = Path("output")
LEVELS = ("debug", "info", "warn", "error")


def add_command(commands: Any) -> None:
    """Register both commands."""
    build = commands.add_parser(
        "build", help="write the parameters of a pipeline", description="Check a pipeline and write its parameter file."
    )
    _add_common(build)
    build.set_defaults(run=run_build)
    run = commands.add_parser("run", help="run a pipeline", description="Check a pipeline, then run its steps.")
    _add_common(run)
    run.add_argument(
        "--param",
        type=Path,
        metavar="FILE",
        help="parameter file (default: the one written by build, else the server defaults)",
    )
    run.add_argument("--resume", action="store_true", help="continue the last unfinished run of this pipeline")
    run.add_argument("--isolated", action="store_true", help="also start the built-in servers as separate processes")
    run.add_argument("--json", action="store_true", help="print the last result as JSON, and nothing else")
    run.add_argument("--is_demo", action="store_true", help=argparse.SUPPRESS)  # an option of UltraRAG
    run.add_argument(
        "--adopt",
        action="store_true",
        help="use embeddings and indexes created by UltraRAG, after a check of their sizes",
    )
    run.set_defaults(run=run_pipeline)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pipeline", metavar="PIPELINE.yaml", help="servers and steps")
    parser.add_argument(
        "--servers",
        choices=("auto", "ours", "project"),
        default="auto",
        help="auto: those of the project, or ours where they cannot be imported; ours; project (%(default)s)",
    )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="timeout of one call to a server in seconds (600)")
    parser.add_argument(
        "--log_level", choices=LEVELS, default="info", help="log level of external servers (%(default)s)"
    )
    add_language_option(parser)


def run_build(arguments: argparse.Namespace) -> int:
    """Write the files, and say what is new in them."""
    from steelyard.pipelines.building import build
    from steelyard.pipelines.remote import CALL_SECONDS, Fleet
    from steelyard.pipelines.server import hearing
    from steelyard.pipelines.spec import read_pipeline

    notify = _notifier(arguments.lang)
    with (
        Fleet(_environment(arguments), timeout=arguments.timeout or CALL_SECONDS, notify=notify) as fleet,
        hearing(said=notify),
    ):
        built = build(read_pipeline(arguments.pipeline), fleet, choice=arguments.servers)
    notify(Message("cli.written", path=built.parameters))
    notify(Message("cli.written", path=built.servers))
    if built.older is not None:
        notify(Message("cli.kept_as_it_was", path=built.older))
    if built.kept or built.unused:
        added = ", ".join(built.added) or Message("words.none")
        notify(Message("cli.parameters_added", added=added, kept=len(built.kept)))
    if built.unused:
        notify(Message("cli.no_step_uses", names=", ".join(built.unused)))
    if built.refused:
        notify(Message("cli.to_correct"))
    for refusal in built.refused:
        notify(refusal)
    if built.warnings:
        notify(Message("cli.to_fill_in"))
    for warning in built.warnings:
        notify(warning)
    return 0


def run_pipeline(arguments: argparse.Namespace) -> int:
    """Run all steps, keep what each has left, and print what came out last."""
    from steelyard.pipelines.backends import check_settings
    from steelyard.pipelines.checking import check_arguments, check_parameters, check_templates
    from steelyard.pipelines.loading import load_servers, parameters_for, start_servers
    from steelyard.pipelines.plan import bind, remembered
    from steelyard.pipelines.remote import CALL_SECONDS, Fleet
    from steelyard.pipelines.running import Pools, run_steps
    from steelyard.pipelines.server import hearing
    from steelyard.pipelines.spec import read_pipeline

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends us ends the servers that we started
    pipeline = read_pipeline(arguments.pipeline)
    notify = _notifier(arguments.lang)
    if arguments.is_demo:
        notify(Message("cli.demo_no_effect_steelyard_no"))
    with (
        Fleet(_environment(arguments), timeout=arguments.timeout or CALL_SECONDS, notify=notify) as fleet,
        hearing(said=notify),
    ):
        loaded = load_servers(pipeline, fleet, isolated=arguments.isolated, choice=arguments.servers)
        parameters = parameters_for(pipeline, loaded, arguments.param)
        steps = bind(pipeline, loaded, parameters)
        check_parameters(loaded, parameters)
        check_settings(loaded, steps, parameters)
        check_arguments(steps, parameters)
        check_templates(loaded, steps, parameters)
        homes = {alias: found.home for alias, found in loaded.items()}
        start_servers(fleet, (found.home for found in loaded.values() if found.place is not None), pipeline, homes)
        if parameters.unused:
            notify(Message("cli.no_server_pipeline_parameters_left", names=", ".join(parameters.unused)))
        journal = _journal(pipeline, parameters.values, resume=arguments.resume)
        pools = Pools(parameters.values, journal, remembered(steps))
        with _kept(journal, arguments, notify), contextlib.redirect_stdout(sys.stderr):
            run_steps(steps, pools, _step)
    _tell_failures(pools.variables.get("ans_errors"), notify)
    shown = _shown(pools.last, as_json=arguments.json, words=words_of(arguments.lang))
    sys.stdout.write(shown if arguments.json else printable(shown))
    return 0


def _journal(pipeline: "Pipeline", parameters: dict[str, Any], *, resume: bool) -> "Journal":
    from steelyard.pipelines.journal import last_journal, new_journal

    benchmark = parameters.get("benchmark", {}).get("benchmark")
    said = str(benchmark.get("name", "")) if isinstance(benchmark, dict) else ""
    name = re.sub(r"[^\w.-]", "-", said)  # it becomes part of the name of a file
    return (last_journal if resume else new_journal)(OUTPUT, name, pipeline.path)


@contextlib.contextmanager
def _kept(journal: "Journal", arguments: argparse.Namespace, notify: "Callable[[Notice], None]") -> Iterator[None]:
    """Whatever happens, the snapshot is written; what did not come to its end can be resumed."""
    whole = False
    try:
        yield
        whole = True
    finally:
        path = journal.finish(whole=whole)
        if journal.changed is not None:
            notify(Message("cli.run_anew_from", changed=journal.changed))
        if path is not None:
            notify(Message("cli.snapshot", path=path))
        if path is not None and not whole:
            notify(Message("cli.go_on", command=_resuming(arguments)))


def _resuming(arguments: argparse.Namespace) -> str:
    """The command that goes on with this run, with the options that were given."""
    patience = None if arguments.timeout is None else f"{arguments.timeout:g}"
    named = {"--param": arguments.param, "--timeout": patience}
    defaults = {"--servers": "auto", "--log_level": "info", "--lang": locale_language()}
    chosen = {option: getattr(arguments, option[2:]) for option in defaults}
    named |= {option: value for option, value in chosen.items() if value != defaults[option]}
    flags = [f"--{name}" for name in ("isolated", "adopt", "json") if getattr(arguments, name)]
    options = [part for option, value in named.items() if value is not None for part in (option, str(value))]
    return shlex.join(["steelyard", "run", str(arguments.pipeline), "--resume", *options, *flags])


def _environment(arguments: argparse.Namespace) -> dict[str, str]:
    """The environment of servers: ours, and what the file .env beside says that is not set yet."""
    for name, value in _env_file(Path(".env")):
        os.environ.setdefault(name, value)
    if getattr(arguments, "adopt", False):
        os.environ["RETRIEVER_ADOPT"] = "1"  # the retriever reads it, in this process or in one of its own
    return {**os.environ, "log_level": arguments.log_level}


def _env_file(path: Path) -> Iterator[tuple[str, str]]:
    """NAME=value, one to a line, as it stands or in quotes; blank lines and those that begin with # say nothing."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        name, equals, value = (part.strip() for part in line.strip().removeprefix("export ").partition("="))
        if not line.strip() or line.strip().startswith("#"):
            continue
        if not (equals and name.isidentifier()):
            raise InputError(Message("cli.line_name_value_not", value=line.strip()), where=f"{path}:{number}")
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        yield name, value[1:-1] if quoted else value


def _step(name: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        _tell(f"step {name}")


def _tell_failures(errors: Any, notify: "Callable[[Notice], None]") -> None:
    """Say how many answers could not be had, and why the first could not."""
    failed = [each for each in errors if isinstance(each, str)] if isinstance(errors, list) else []
    if failed:
        notify(Message("cli.answers_failed", failed=len(failed), all=len(errors), why=failed[0]))


def _notifier(language: str) -> "Callable[[Notice], None]":
    """What tells a notice in a language."""
    return lambda notice: _tell(notice.text(language) if isinstance(notice, Localized) else notice)


def _tell(*lines: str) -> None:
    from steelyard.cli.output import tell

    tell(*lines)


def _shown(last: Any, *, as_json: bool, words: Words) -> str:
    """What the last step gave: as JSON, or as tables of names and numbers."""
    if as_json:
        return json.dumps(last, ensure_ascii=False) + "\n"
    return "\n".join(block for name, value in last.items() for block in _blocks(name, value, words))


def _blocks(name: str, value: Any, words: Words) -> Iterator[str]:
    """A value as text: numbers with intervals, what is nested in it, what made it; lists are in the snapshot."""
    if not isinstance(value, dict):
        shown = f"{len(value)} items, in the snapshot" if isinstance(value, list) else _cell(value)
        yield f"{name}  {shown}\n"
        return
    intervals = value.get("ci95") if isinstance(value.get("ci95"), dict) else {}
    numbers = {key: each for key, each in value.items() if isinstance(each, int | float)}
    if numbers:
        heads = [words("report.metric"), words("report.mean"), *([words("report.interval")] if intervals else [])]
        yield _grid(heads, [[key, _cell(each), *_interval(intervals, key)] for key, each in numbers.items()])
    nested = {key: each for key, each in value.items() if isinstance(each, dict) and key not in ("ci95", "counts")}
    if nested:
        heads = list(dict.fromkeys(head for each in nested.values() for head in each))
        yield _grid(
            [words("report.metric"), *heads],
            [[key, *(_cell(each.get(head)) for head in heads)] for key, each in nested.items()],
        )
    counts = {key: each for key, each in (value.get("counts") or {}).items() if each}
    if counts:
        rows = [[words.named(code), _cell(each)] for code, each in with_codes(counts).items()]
        yield _grid([words("report.counted"), ""], rows)
    if isinstance(value.get("profile"), str):
        yield f"{words('report.profile')}  {value['profile']}\n"
    if isinstance(value.get("signature"), str):
        yield f"{words('report.signature')}  {value['signature']}\n"


def _interval(intervals: Any, key: str) -> list[str]:
    """The interval of a mean, beside it."""
    if not intervals:
        return []
    found = intervals.get(key, intervals.get(key.removeprefix("avg_")))
    return [_cell(found)]


def _grid(heads: list[str], rows: list[list[str]]) -> str:
    from steelyard.reports.grids import Grid, console_grid

    return "".join(f"{line}\n" for line in console_grid(Grid(heads, rows), colour=False))


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_cell(each) for each in value)}]"
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.1e}" if 0 < abs(value) < 5e-7 else f"{value:.6f}"
