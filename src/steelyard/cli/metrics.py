"""`steelyard metrics [NAME]`: list the metrics, or explain one."""

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
        help="list the metrics, or explain one",
        description="List all metrics, or explain one: formula, conventions, source.",
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="a metric in any spelling, such as nDCG@10 or ndcg_cut_10"
    )
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

    for metric in all_metrics():
        yield f"{_usage(metric):34} {metric.explanation.splitlines()[0]}"


def _explain(metric: "Metric") -> Iterator[str]:
    from steelyard.registry.names import SPELLINGS

    yield _usage(metric)
    yield ""
    yield metric.explanation
    low, high = metric.bounds
    yield f"Range: {low:g} to {high:g}"
    if metric.defaults:
        yield "Defaults: " + ", ".join(
            f"{key}={'all' if value is None else value}" for key, value in metric.defaults.items()
        )
    if needs := metric.own_needs:
        yield f"Needs: {', '.join(needs)}"
    others = [spelling for spelling, name in SPELLINGS.items() if name == metric.name]
    if others:
        yield f"Also called: {', '.join(others)}"


def _usage(metric: "Metric") -> str:
    at = metric.at
    inner = ",".join(sorted(metric.parameters - {at}))
    cut = f"@{at}" if at in metric.required else f"[@{at}]" if at in metric.parameters else ""
    return f"{metric.name}{f'[({inner})]' if inner else ''}{cut}"
