"""`steelyard build P.yaml` and `steelyard run P.yaml`: pipelines of servers, as UltraRAG writes them."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option


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
    run.add_argument("--json", action="store_true", help="print the last result as JSON, and nothing else")
    add_language_option(run)
    run.set_defaults(run=run_pipeline)


def run_build(arguments: argparse.Namespace) -> int:
    """Write the files, and say what is new in them."""
    from steelyard.pipelines.building import build
    from steelyard.pipelines.spec import read_pipeline

    built = build(read_pipeline(arguments.pipeline))
    sys.stderr.write(f"written: {built.parameters}\nwritten: {built.servers}\n")
    if built.added and built.kept:
        sys.stderr.write(f"new: {', '.join(built.added)}; kept as they were: {len(built.kept)}\n")
    return 0


def run_pipeline(arguments: argparse.Namespace) -> int:
    """Run all steps, keep their snapshot, and print what came out last."""
    from steelyard.pipelines.loading import load_servers, parameters_for
    from steelyard.pipelines.plan import bind
    from steelyard.pipelines.running import Pools, run_steps
    from steelyard.pipelines.snapshots import write_snapshot
    from steelyard.pipelines.spec import read_pipeline

    pipeline = read_pipeline(arguments.pipeline)
    loaded = load_servers(pipeline)
    parameters = parameters_for(pipeline, loaded, arguments.param)
    pools = Pools(parameters)
    steps = bind(pipeline, loaded, parameters)
    try:
        run_steps(steps, pools, lambda name: _tell(f"step {name}"))
    finally:
        path = write_snapshot(pipeline, pools)
        if path is not None:
            _tell(f"snapshot: {path}")
    sys.stdout.write(_shown(pools, as_json=arguments.json))
    return 0


def _tell(words: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{words}\n")


def _shown(pools: Any, *, as_json: bool) -> str:
    """The variables of the last step: as JSON, or as lines of names and numbers."""
    last = pools.snapshots[-1]["memory"] if pools.snapshots else {}
    result = {name.removeprefix("memory_"): value for name, value in last.items()}
    if as_json:
        return json.dumps(result, ensure_ascii=False, default=str) + "\n"
    return "\n".join(line for value in result.values() for line in _lines(value)) + "\n"


def _lines(value: Any, head: str = "") -> list[str]:
    if isinstance(value, dict):
        return [line for key, each in value.items() for line in _lines(each, f"{head}{key}  ")]
    if isinstance(value, list):
        return []  # values of single items are in the snapshot and in the saved file
    return [f"{head}{value:.6f}" if isinstance(value, float) else f"{head}{value}"]
