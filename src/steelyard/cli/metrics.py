"""`steelyard metrics [NAME]`: what a metric means."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.registry.metrics import Metric


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "metrics",
        help="what a metric means",
        description="List all metrics, or explain one: formula, conventions, source.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="any spelling, such as nDCG@10 or ndcg_cut_10")
    parser.add_argument(
        "--metrics-from", action="append", default=[], metavar="MODULE", help="import a module that defines metrics"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one explanation."""
    from steelyard.cli.output import print_text
    from steelyard.registry.metrics import load_metrics
    from steelyard.registry.names import find_metric

    load_metrics(arguments.metrics_from, Path.cwd())
    if arguments.name is None:
        print_text("\n".join(_list()) + "\n")
    else:
        print_text("\n".join(_explain(find_metric(arguments.name))) + "\n")
    return 0


def _list() -> Iterator[str]:
    from steelyard.registry.names import all_metrics

    for found in all_metrics():
        yield f"{_usage(found):34} {found.explanation.splitlines()[0]}"


def _explain(found: "Metric") -> Iterator[str]:
    from steelyard.registry.names import SPELLINGS

    yield _usage(found)
    yield ""
    yield found.explanation
    low, high = found.bounds
    yield f"Range: {low:g} to {high:g}"
    if found.defaults:
        yield "Defaults: " + ", ".join(
            f"{key}={'all' if value is None else value}" for key, value in found.defaults.items()
        )
    others = [spelling for spelling, name in SPELLINGS.items() if name == found.name]
    if others:
        yield f"Also called: {', '.join(others)}"


def _usage(found: "Metric") -> str:
    inner = ",".join(sorted(found.parameters - {"k"}))
    cut = "@k" if "k" in found.required else "[@k]" if "k" in found.parameters else ""
    return f"{found.name}{f'[({inner})]' if inner else ''}{cut}"
