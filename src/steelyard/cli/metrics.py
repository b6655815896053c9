"""`steelyard metrics [NAME]`: list the metrics, or explain one."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.language import wrapped
from steelyard.cli.options import add_language_option
from steelyard.i18n import Language, words_of

if TYPE_CHECKING:
    from steelyard.registry.metrics import Metric

WIDTH = 110


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "metrics",
        help="help.metrics",
        description="help.metrics_about",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="help.metrics_name")
    parser.add_argument("--metrics-from", action="append", default=[], metavar="MODULE", help="help.metrics_from")
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one explanation."""
    from steelyard.cli.output import print_text
    from steelyard.legal.formulas import METRIC
    from steelyard.legal.question_types import part_labels
    from steelyard.registry.metrics import load_metrics
    from steelyard.registry.names import SCORE, find_metric

    load_metrics(arguments.metrics_from, Path.cwd())
    if arguments.name is None:
        print_text("\n".join(_list(arguments.lang)) + "\n")
    elif arguments.name in (METRIC, SCORE):
        about = words_of(arguments.lang)("cli.metric_legal", parts=", ".join(part_labels()))
        print_text("\n  ".join(wrapped(about, WIDTH)) + "\n")
    else:
        metric = find_metric(arguments.name)
        lines = [*metric.explained(arguments.lang), *facts(metric, arguments.lang)]
        shown = ("\n  ".join(wrapped(line, WIDTH)) for line in lines)
        print_text("\n".join([_usage(metric), "", *shown]) + "\n")
    return 0


def _list(language: Language) -> Iterator[str]:
    from steelyard.registry.names import all_metrics

    for metric in all_metrics():
        yield f"{_usage(metric):34} {metric.explained(language)[0]}"


def facts(metric: "Metric", language: Language, quote: str = "") -> Iterator[str]:
    """Lines about the range of a metric, its parameters, what it needs of a row, and its other names."""
    from steelyard.registry.names import SPELLINGS

    words = words_of(language)
    low, high = metric.bounds
    yield words("cli.metric_range", low=f"{low:g}", high=f"{high:g}")
    every = words("cli.metric_all")
    defaults = [f"{name} ({every if value is None else value})" for name, value in metric.defaults.items()]
    parameters = ", ".join([*sorted(metric.required), *defaults]) or words("words.none")
    yield words("cli.metric_parameters", names=parameters)
    if needs := metric.own_needs:
        yield words("cli.metric_needs", names=", ".join(needs))
    others = [f"{quote}{spelling}{quote}" for spelling, name in SPELLINGS.items() if name == metric.name]
    if others:
        yield words("cli.metric_spellings", names=", ".join(others))


def _usage(metric: "Metric") -> str:
    at = metric.at
    inner = ",".join(sorted(metric.parameters - {at}))
    cut = f"@{at}" if at in metric.required else f"[@{at}]" if at in metric.parameters else ""
    return f"{metric.name}{f'[({inner})]' if inner else ''}{cut}"
