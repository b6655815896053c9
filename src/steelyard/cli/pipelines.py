"""`steelyard build`, `run` and `serve`: pipelines of servers in UltraRAG's format, and one server over MCP."""

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
from typing import Any, Final

from steelyard.cli.console import LOG, Bar, has_bars, notify, proportion
from steelyard.cli.options import LANGUAGE, Command, Group, argument, flag, positive, seconds
from steelyard.errors import ConfigError, InputError, UnknownName, nearest
from steelyard.i18n import Message, Words, locale_language, words_of
from steelyard.pipelines.build import build
from steelyard.pipelines.client import CALL_SECONDS, ServerPool
from steelyard.pipelines.http_limits import MEGABYTE, Limits, is_loopback
from steelyard.pipelines.load import load_program
from steelyard.pipelines.locate import bundled_servers, nearest_server, server_names
from steelyard.pipelines.plan import history_variables
from steelyard.pipelines.run import Journal, RunState, last_journal, new_journal, prepare_run, run_steps
from steelyard.pipelines.serve import CallRunner, serve_http, serve_stdio
from steelyard.pipelines.server import Server, callbacks
from steelyard.pipelines.spec import Pipeline, read_pipeline
from steelyard.rag.settings import variable_of_address
from steelyard.reports.blocks import TableBlock
from steelyard.reports.render.console import render_console
from steelyard.table import counts_with_codes
from steelyard.text.visible import printable

OUTPUT = Path("output")
LEVELS = ("debug", "info", "warn", "error")
HEADS = {"diff": "Diff(A-B)"}
"""Keys of results that have another name in tables; UltraRAG has this one."""


def run_build(arguments: argparse.Namespace) -> int:
    """Write the files, and print what has changed."""
    with (
        ServerPool(_environment(arguments), timeout=arguments.timeout or CALL_SECONDS, notify=notify) as pool,
        callbacks(on_notice=notify),
    ):
        built = build(read_pipeline(arguments.pipeline), pool, choice=arguments.servers)
    notify(*(Message("cli.written", path=path) for path in (built.parameters, built.servers)))
    if built.backup is not None:
        notify(Message("cli.backup", path=built.backup))
    if built.kept or built.unused:
        added = ", ".join(built.added) or Message("words.none")
        notify(Message("cli.parameters_added", added=added, kept=len(built.kept)))
    if built.unused:
        notify(Message("cli.unused_parameters", names=", ".join(built.unused)))
    if built.errors:
        notify(Message("cli.to_correct"), *built.errors)
    if built.warnings:
        notify(Message("cli.to_fill_in"), *built.warnings)
    return 0


def run_pipeline(arguments: argparse.Namespace) -> int:
    """Run all steps, write the snapshot of their outputs, and print the last one."""
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


def _journal(pipeline: Pipeline, parameters: dict[str, Any], *, resume: bool) -> Journal:
    benchmark = parameters.get("benchmark", {}).get("benchmark")
    title = str(benchmark.get("name", "")) if isinstance(benchmark, dict) else ""
    name = re.sub(r"[^\w.-]", "-", title)  # it becomes part of a file name
    return (last_journal if resume else new_journal)(OUTPUT, name, pipeline.path)


@contextlib.contextmanager
def _finished(journal: Journal, arguments: argparse.Namespace) -> Iterator[None]:
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
    """Return the command that resumes this run, with the options of this one."""
    timeout = None if arguments.timeout is None else f"{arguments.timeout:g}"
    named = {"--param": arguments.param, "--timeout": timeout}
    defaults = {"--servers": "auto", "--log_level": "info", "--lang": locale_language()}
    chosen = {option: getattr(arguments, option[2:]) for option in defaults}
    named |= {option: value for option, value in chosen.items() if value != defaults[option]}
    flags = [f"--{name}" for name in ("isolated", "adopt", "json") if getattr(arguments, name)]
    options = [part for option, value in named.items() if value is not None for part in (option, str(value))]
    return shlex.join(["steelyard", "run", str(arguments.pipeline), "--resume", *options, *flags])


def _environment(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the environment of servers: ours, with variables of the file .env that are not set yet."""
    inherited = {variable_of_address(name) for name in os.environ}  # .env may be foreign: no address for our key
    for name, value in _env_file(Path(".env")):
        if name not in inherited:
            os.environ.setdefault(name, value)
    if getattr(arguments, "adopt", False):
        os.environ["RETRIEVER_ADOPT"] = "1"  # read by the retriever, in this process or in its own
    return {**os.environ, "log_level": arguments.log_level}


def _env_file(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the variables of a file with lines NAME=value or NAME="value"; blank lines and # comments are ignored."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        name, equals, value = (part.strip() for part in line.strip().removeprefix("export ").partition("="))
        if not line.strip() or line.strip().startswith("#"):
            continue
        if not (equals and name.isidentifier()):
            raise InputError(Message("cli.env_line", line=line.strip()), where=f"{path}:{number}")
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        yield name, value[1:-1] if quoted else value


def _begin_step(bar: Bar, name: str) -> None:
    """Print the name of a step on a terminal; progress is that of the step from now on."""
    bar.begin(name)
    LOG.log(logging.INFO if has_bars() else logging.DEBUG, Message("cli.step", name=name))


def _notify_of_failures(errors: Any) -> None:
    """Notify of the number of failed answers, with the first error."""
    failed = [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    if failed:
        notify(Message("cli.answers_failed", failed=len(failed), all=len(errors), why=failed[0]))


def _result_text(last: Any, *, as_json: bool, words: Words) -> str:
    """Return the outputs of the last step: as JSON, or as tables of names and numbers."""
    if as_json:
        return json.dumps(last, ensure_ascii=False) + "\n"
    return "\n".join(block for name, value in last.items() for block in _blocks(name, value, words))


def _blocks(name: str, value: Any, words: Words) -> Iterator[str]:
    """Yield a value as text: tables of numbers with intervals, of nested results and of counts, and the settings."""
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
        rows = [[words.named(code), _cell(number)] for code, number in counts_with_codes(counts).items()]
        yield _grid([words("report.counted"), ""], rows)
    if isinstance(value.get("profile"), str):
        yield f"{words('report.profile')}  {value['profile']}\n"
    if isinstance(value.get("signature"), str):
        yield f"{words('report.signature')}  {value['signature']}\n"


def _interval(intervals: Any, key: str) -> list[str]:
    """Return the cell with the interval of a mean."""
    if not intervals:
        return []
    return [_cell(intervals.get(key, intervals.get(key.removeprefix("avg_"))))]


def _grid(heads: list[str], rows: list[list[str]]) -> str:
    return render_console([TableBlock(heads, rows)])


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_cell(entry) for entry in value)}]"
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.1e}" if 0 < abs(value) < 5e-7 else f"{value:.6f}"


TOKEN_VARIABLE = "STEELYARD_TOKEN"
TOKEN_HINT = Message("cli.serve_token_hint")
ADDRESS_HINT = Message("cli.serve_address_hint")


def limits_of(arguments: argparse.Namespace) -> tuple[Limits, CallRunner]:
    """Return the limits of the options, or their defaults."""
    body = arguments.max_body * MEGABYTE if arguments.max_body else None
    http = {"max_body": body, "max_sessions": arguments.max_sessions}
    http |= {"session_timeout": arguments.session_timeout, "read_timeout": arguments.read_timeout}
    calls = {"timeout": arguments.call_timeout, "max_calls": arguments.max_calls}
    return Limits(**_given(http)), CallRunner(**_given(calls))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until the input ends, or until interrupted."""
    server, (limits, calls) = _server(arguments.name), limits_of(arguments)
    if arguments.http is None:
        serve_stdio(server, calls)
        return 0
    host, port = _address(arguments.http)
    token = arguments.token or os.environ.get(TOKEN_VARIABLE)
    if not token and not is_loopback(host):
        raise ConfigError(Message("pipelines.token_needed", host=host), where="--http", hint=TOKEN_HINT)
    on_start = partial(_print_address, server.name)
    serve_http(server, host, port, token, on_start, limits, calls)
    return 0


def _server(name: str) -> Server:
    folder = Path(name) if os.sep in name or (Path(name) / "src").is_dir() else bundled_servers() / name
    program = folder / "src" / f"{folder.name}.py"
    if not program.is_file():
        beside = nearest_server(folder) if os.sep in name else None
        hint = beside or nearest(name, server_names(bundled_servers()))
        raise UnknownName(Message("cli.no_server", name=name), hint=hint)
    return load_program(program, name)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not (colon and host and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536):
        raise InputError(Message("cli.serve_address", text=text), where="--http", hint=ADDRESS_HINT)
    return host, int(port)


def _print_address(name: str, address: str) -> None:
    notify(Message("cli.serving", name=name, address=address))


_COMMON: Final = (
    argument("pipeline", metavar="PIPELINE.yaml", help="help.pipeline"),
    argument("--servers", choices=("auto", "ours", "project"), default="auto", help="help.servers"),
    argument("--timeout", type=seconds, metavar="S", help="help.server_timeout"),
    argument("--log_level", choices=LEVELS, default="info", help="help.log_level"),
    LANGUAGE,
)
_LIMITS: Final = Group(  # of `CallRunner` and `Limits`; the help repeats their defaults
    "help.group_limits",
    [
        argument("--call-timeout", type=seconds, metavar="S", help="help.call_timeout"),
        argument("--max-calls", type=positive, metavar="N", help="help.max_calls"),
        argument("--max-body", type=positive, metavar="MB", help="help.max_body"),
        argument("--max-sessions", type=positive, metavar="N", help="help.max_sessions"),
        argument("--session-timeout", type=seconds, metavar="S", help="help.session_timeout"),
        argument("--read-timeout", type=seconds, metavar="S", help="help.read_timeout"),
    ],
)
COMMANDS: Final = {
    "build": Command(run_build, _COMMON),
    "run": Command(
        run_pipeline,
        [
            *_COMMON,
            argument("--param", type=Path, metavar="FILE", help="help.run_param"),
            flag("--resume", help="help.run_resume"),
            flag("--isolated", help="help.isolated"),
            flag("--json", help="help.run_json"),
            flag("--is_demo", help=argparse.SUPPRESS),  # an option of UltraRAG
            flag("--adopt", help="help.adopt"),
        ],
    ),
    "serve": Command(
        run_serve,
        [
            argument("name", metavar="NAME", help="help.serve_name"),
            argument("--http", metavar="HOST:PORT", help="help.serve_http"),
            argument("--token", metavar="TOKEN", help="help.serve_token"),
            _LIMITS,
            LANGUAGE,
        ],
        {"handles_signals": True},  # ends at once, also during a call
    ),
}
