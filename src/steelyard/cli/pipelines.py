"""`steelyard build P.yaml` and `steelyard run P.yaml`: pipelines of servers, as UltraRAG writes them."""

import argparse
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import add_language_option, seconds

if TYPE_CHECKING:
    from steelyard.pipelines.journal import Journal
    from steelyard.pipelines.spec import Pipeline

OUTPUT = Path("output")


def add_command(commands: Any) -> None:
    """Register both commands."""
    build = commands.add_parser(
        "build", help="write the parameters of a pipeline", description="Check a pipeline and write its parameters."
    )
    build.add_argument("pipeline", metavar="PIPELINE.yaml", help="servers and steps")
    add_language_option(build)
    build.set_defaults(run=run_build)
    run = commands.add_parser("run", help="run a pipeline", description="Check a pipeline, then run its steps.")
    run.add_argument("pipeline", metavar="PIPELINE.yaml", help="servers and steps")
    run.add_argument("--param", type=Path, metavar="FILE", help="parameters (those that build wrote, else defaults)")
    run.add_argument("--resume", action="store_true", help="go on where the last run of this pipeline ended early")
    run.add_argument("--isolated", action="store_true", help="start our own servers as processes of their own, too")
    run.add_argument("--timeout", type=seconds, metavar="S", help="seconds to wait for one answer of a server (600)")
    run.add_argument("--json", action="store_true", help="print the last result as JSON, and nothing else")
    add_language_option(run)
    run.set_defaults(run=run_pipeline)


def run_build(arguments: argparse.Namespace) -> int:
    """Write the files, and say what is new in them."""
    from steelyard.pipelines.building import build
    from steelyard.pipelines.remote import Fleet
    from steelyard.pipelines.spec import read_pipeline

    with Fleet(_environment()) as fleet:
        built = build(read_pipeline(arguments.pipeline), fleet)
    _tell(f"written: {built.parameters}", f"written: {built.servers}")
    if built.kept or built.unused:
        _tell(f"new: {', '.join(built.added) or 'none'}; kept as they were: {len(built.kept)}")
    if built.unused:
        _tell(f"no step uses: {', '.join(built.unused)}")
    return 0


def run_pipeline(arguments: argparse.Namespace) -> int:
    """Run all steps, keep what each has left, and print what came out last."""
    from steelyard.pipelines.loading import load_servers, parameters_for
    from steelyard.pipelines.plan import bind, remembered
    from steelyard.pipelines.remote import CALL_SECONDS, Fleet
    from steelyard.pipelines.running import Pools, run_steps
    from steelyard.pipelines.spec import read_pipeline

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends us ends the servers that we started
    pipeline = read_pipeline(arguments.pipeline)
    with Fleet(_environment(), timeout=arguments.timeout or CALL_SECONDS) as fleet:
        loaded = load_servers(pipeline, fleet, isolated=arguments.isolated)
        parameters = parameters_for(pipeline, loaded, arguments.param)
        steps = bind(pipeline, loaded, parameters)
        fleet.start(found.place for found in loaded.values() if found.place is not None)
        journal = _journal(pipeline, parameters.values, resume=arguments.resume)
        pools = Pools(parameters.values, journal, remembered(steps))
        with _kept(journal, pipeline), contextlib.redirect_stdout(sys.stderr):
            run_steps(steps, pools, _step)
    sys.stdout.write(_shown(pools.last, as_json=arguments.json))
    return 0


def _journal(pipeline: "Pipeline", parameters: dict[str, Any], *, resume: bool) -> "Journal":
    from steelyard.pipelines.journal import last_journal, new_journal

    benchmark = parameters.get("benchmark", {}).get("benchmark")
    name = str(benchmark.get("name", "")) if isinstance(benchmark, dict) else ""
    return (last_journal if resume else new_journal)(OUTPUT, name, pipeline.path.stem)


@contextlib.contextmanager
def _kept(journal: "Journal", pipeline: "Pipeline") -> Any:
    """Whatever happens, the snapshot is written; what did not come to its end can be resumed."""
    whole = False
    try:
        yield
        whole = True
    finally:
        path = journal.finish(whole=whole)
        if journal.changed is not None:
            _tell(f"run anew from {journal.changed} on: it or its parameters have changed")
        if path is not None:
            _tell(f"snapshot: {path}")
        if path is not None and not whole:
            _tell(f"go on with: steelyard run {pipeline.path} --resume")


def _environment() -> dict[str, str]:
    return {"log_level": "info", **os.environ}


def _step(name: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        _tell(f"step {name}")


def _tell(*lines: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write("".join(f"{line}\n" for line in lines))


def _shown(last: Any, *, as_json: bool) -> str:
    """What the last step gave: as JSON, or as tables of names and numbers."""
    if as_json:
        return json.dumps(last, ensure_ascii=False) + "\n"
    return "\n".join(block for name, value in last.items() for block in _blocks(name, value))


def _blocks(name: str, value: Any) -> Iterator[str]:
    """A value as text: a table of its numbers, then one of what is nested in it; lists are in the snapshot."""
    if not isinstance(value, dict):
        shown = f"{len(value)} items, in the snapshot" if isinstance(value, list) else _cell(value)
        yield f"{name}  {shown}\n"
        return
    plain = [[key, _cell(each)] for key, each in value.items() if not isinstance(each, dict | list)]
    nested = {key: each for key, each in value.items() if isinstance(each, dict)}
    if plain:
        yield _grid([["metric", "value"], *plain])
    if nested and all(list(each) == list(next(iter(nested.values()))) for each in nested.values()) and len(nested) > 1:
        head = ["metric", *next(iter(nested.values()))]
        yield _grid([head, *([key, *map(_cell, each.values())] for key, each in nested.items())])
        return
    for key, each in nested.items():
        yield (
            _grid([[key, ""], *([name, _cell(cell)] for name, cell in each.items() if cell)])
            if any(each.values())
            else ""
        )


def _grid(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.1e}" if 0 < abs(value) < 5e-7 else f"{value:.6f}"
