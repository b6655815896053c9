"""`steelyard build P.yaml` and `steelyard run P.yaml`: pipelines of servers in UltraRAG's format."""

import argparse
import contextlib
import json
import logging
import os
import re
import shlex
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.log import LOG, has_bars, notify
from steelyard.cli.options import add_language_option, seconds
from steelyard.counts import with_codes
from steelyard.errors import InputError
from steelyard.i18n import Message, Words, locale_language, words_of
from steelyard.text.visible import printable

if TYPE_CHECKING:
    from steelyard.cli.progress import Bar
    from steelyard.pipelines.journal import Journal
    from steelyard.pipelines.spec import Pipeline

OUTPUT = Path("output")
LEVELS = ("debug", "info", "warn", "error")
HEADS = {"diff": "Diff(A-B)"}
"""Keys of results that have another name in tables; UltraRAG has this one."""


def add_command(commands: Any) -> None:
    """Register both commands."""
    build = commands.add_parser(
        "build",
        help="help.build",
        description="help.build_about",
    )
    _add_common(build)
    build.set_defaults(run=run_build)
    run = commands.add_parser("run", help="help.run", description="help.run_about")
    _add_common(run)
    run.add_argument("--param", type=Path, metavar="FILE", help="help.run_param")
    run.add_argument("--resume", action="store_true", help="help.run_resume")
    run.add_argument("--isolated", action="store_true", help="help.isolated")
    run.add_argument("--json", action="store_true", help="help.run_json")
    run.add_argument("--is_demo", action="store_true", help=argparse.SUPPRESS)  # an option of UltraRAG
    run.add_argument("--adopt", action="store_true", help="help.adopt")
    run.set_defaults(run=run_pipeline)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pipeline", metavar="PIPELINE.yaml", help="help.pipeline")
    parser.add_argument(
        "--servers",
        choices=("auto", "ours", "project"),
        default="auto",
        help="help.servers",
    )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="help.server_timeout")
    parser.add_argument("--log_level", choices=LEVELS, default="info", help="help.log_level")
    add_language_option(parser)


def run_build(arguments: argparse.Namespace) -> int:
    """Write the files, and print what has changed."""
    from steelyard.pipelines.build import build
    from steelyard.pipelines.client import CALL_SECONDS, ServerPool
    from steelyard.pipelines.server import callbacks
    from steelyard.pipelines.spec import read_pipeline

    with (
        ServerPool(_environment(arguments), timeout=arguments.timeout or CALL_SECONDS, notify=notify) as pool,
        callbacks(on_notice=notify),
    ):
        built = build(read_pipeline(arguments.pipeline), pool, choice=arguments.servers)
    notify(Message("cli.written", path=built.parameters))
    notify(Message("cli.written", path=built.servers))
    if built.backup is not None:
        notify(Message("cli.backup", path=built.backup))
    if built.kept or built.unused:
        added = ", ".join(built.added) or Message("words.none")
        notify(Message("cli.parameters_added", added=added, kept=len(built.kept)))
    if built.unused:
        notify(Message("cli.unused_parameters", names=", ".join(built.unused)))
    if built.errors:
        notify(Message("cli.to_correct"))
    for error in built.errors:
        notify(error)
    if built.warnings:
        notify(Message("cli.to_fill_in"))
    for warning in built.warnings:
        notify(warning)
    return 0


def run_pipeline(arguments: argparse.Namespace) -> int:
    """Run all steps, write the snapshot of their outputs, and print the last one."""
    from steelyard.cli.progress import proportion
    from steelyard.pipelines.client import CALL_SECONDS, ServerPool
    from steelyard.pipelines.plan import history_variables
    from steelyard.pipelines.run import RunState, prepare_run, run_steps
    from steelyard.pipelines.server import callbacks
    from steelyard.pipelines.spec import read_pipeline

    pipeline = read_pipeline(arguments.pipeline)
    if arguments.is_demo:
        notify(Message("cli.no_demo_mode"))
    with (
        ServerPool(_environment(arguments), timeout=arguments.timeout or CALL_SECONDS, notify=notify) as pool,
        proportion("") as bar,
        callbacks(on_notice=notify, on_progress=bar),
    ):
        steps, parameters = prepare_run(
            pipeline, pool, isolated=arguments.isolated, choice=arguments.servers, parameter_file=arguments.param
        )
        if parameters.unused:
            notify(Message("cli.unused_sections", names=", ".join(parameters.unused)))
        journal = _journal(pipeline, parameters.values, resume=arguments.resume)
        state = RunState(parameters.values, journal, history_variables(steps))
        with _finished(journal, arguments), contextlib.redirect_stdout(sys.stderr):
            run_steps(steps, state, partial(_begin_step, bar))
    _notify_of_failures(state.variables.get("ans_errors"))
    text = _result_text(state.last, as_json=arguments.json, words=words_of(arguments.lang))
    sys.stdout.write(text if arguments.json else printable(text))
    return 0


def _journal(pipeline: "Pipeline", parameters: dict[str, Any], *, resume: bool) -> "Journal":
    from steelyard.pipelines.journal import last_journal, new_journal

    benchmark = parameters.get("benchmark", {}).get("benchmark")
    title = str(benchmark.get("name", "")) if isinstance(benchmark, dict) else ""
    name = re.sub(r"[^\w.-]", "-", title)  # it becomes part of a file name
    return (last_journal if resume else new_journal)(OUTPUT, name, pipeline.path)


@contextlib.contextmanager
def _finished(journal: "Journal", arguments: argparse.Namespace) -> Iterator[None]:
    """Write the snapshot after the run, also after an error; then the run can be resumed."""
    complete = False
    try:
        yield
        complete = True
    finally:
        path = journal.finish(complete=complete)
        if journal.changed is not None:
            notify(Message("cli.rerun_from", changed=journal.changed))
        if path is not None:
            notify(Message("cli.snapshot", path=path))
        if path is not None and not complete:
            notify(Message("cli.resume_command", command=_resume_command(arguments)))


def _resume_command(arguments: argparse.Namespace) -> str:
    """The command that resumes this run, with the options of this one."""
    timeout = None if arguments.timeout is None else f"{arguments.timeout:g}"
    named = {"--param": arguments.param, "--timeout": timeout}
    defaults = {"--servers": "auto", "--log_level": "info", "--lang": locale_language()}
    chosen = {option: getattr(arguments, option[2:]) for option in defaults}
    named |= {option: value for option, value in chosen.items() if value != defaults[option]}
    flags = [f"--{name}" for name in ("isolated", "adopt", "json") if getattr(arguments, name)]
    options = [part for option, value in named.items() if value is not None for part in (option, str(value))]
    return shlex.join(["steelyard", "run", str(arguments.pipeline), "--resume", *options, *flags])


def _environment(arguments: argparse.Namespace) -> dict[str, str]:
    """The environment of servers: ours, with variables of the file .env that are not set yet."""
    from steelyard.pipelines.keys import variable_of_address

    inherited = {variable_of_address(name) for name in os.environ}  # .env may be foreign: no address for our key
    for name, value in _env_file(Path(".env")):
        if name not in inherited:
            os.environ.setdefault(name, value)
    if getattr(arguments, "adopt", False):
        os.environ["RETRIEVER_ADOPT"] = "1"  # read by the retriever, in this process or in its own
    return {**os.environ, "log_level": arguments.log_level}


def _env_file(path: Path) -> Iterator[tuple[str, str]]:
    """The variables of a file with lines NAME=value or NAME="value"; blank lines and # comments are ignored."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        name, equals, value = (part.strip() for part in line.strip().removeprefix("export ").partition("="))
        if not line.strip() or line.strip().startswith("#"):
            continue
        if not (equals and name.isidentifier()):
            raise InputError(Message("cli.env_line", line=line.strip()), where=f"{path}:{number}")
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        yield name, value[1:-1] if quoted else value


def _begin_step(bar: "Bar", name: str) -> None:
    """Print the name of a step on a terminal; progress is that of the step from now on."""
    bar.begin(name)
    LOG.log(logging.INFO if has_bars() else logging.DEBUG, Message("cli.step", name=name))


def _notify_of_failures(errors: Any) -> None:
    """Notify of the number of failed answers, with the first error."""
    failed = [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    if failed:
        notify(Message("cli.answers_failed", failed=len(failed), all=len(errors), why=failed[0]))


def _result_text(last: Any, *, as_json: bool, words: Words) -> str:
    """The outputs of the last step: as JSON, or as tables of names and numbers."""
    if as_json:
        return json.dumps(last, ensure_ascii=False) + "\n"
    return "\n".join(block for name, value in last.items() for block in _blocks(name, value, words))


def _blocks(name: str, value: Any, words: Words) -> Iterator[str]:
    """A value as text: a table of numbers with intervals, of nested results, of counts, and how it was computed."""
    if not isinstance(value, dict):
        text = words("cli.items_in_snapshot", count=len(value)) if isinstance(value, list) else _cell(value)
        yield f"{name}  {text}\n"
        return
    intervals = value.get("ci95") if isinstance(value.get("ci95"), dict) else {}
    numbers = {key: number for key, number in value.items() if isinstance(number, int | float)}
    if numbers:
        heads = [words("report.metric"), words("report.mean"), *([words("report.interval")] if intervals else [])]
        yield _grid(heads, [[key, _cell(number), *_interval(intervals, key)] for key, number in numbers.items()])
    nested = {key: part for key, part in value.items() if isinstance(part, dict) and key not in ("ci95", "counts")}
    if nested:
        heads = list(dict.fromkeys(head for part in nested.values() for head in part))
        yield _grid(
            [words("report.metric"), *(HEADS.get(head, head) for head in heads)],
            [[key, *(_cell(part.get(head)) for head in heads)] for key, part in nested.items()],
        )
    counts = {key: number for key, number in (value.get("counts") or {}).items() if number}
    if counts:
        rows = [[words.named(code), _cell(number)] for code, number in with_codes(counts).items()]
        yield _grid([words("report.counted"), ""], rows)
    if isinstance(value.get("profile"), str):
        yield f"{words('report.profile')}  {value['profile']}\n"
    if isinstance(value.get("signature"), str):
        yield f"{words('report.signature')}  {value['signature']}\n"


def _interval(intervals: Any, key: str) -> list[str]:
    """The cell with the interval of a mean."""
    if not intervals:
        return []
    return [_cell(intervals.get(key, intervals.get(key.removeprefix("avg_"))))]


def _grid(heads: list[str], rows: list[list[str]]) -> str:
    from steelyard.reports.blocks import TableBlock
    from steelyard.reports.render.console import render_console

    return render_console([TableBlock(heads, rows)])


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_cell(entry) for entry in value)}]"
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.1e}" if 0 < abs(value) < 5e-7 else f"{value:.6f}"
