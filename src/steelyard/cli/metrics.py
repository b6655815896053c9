"""`steelyard metrics [NAME]`: list the metrics, or explain one."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from steelyard.cli.options import LANGUAGE, METRICS_FROM, Command, argument
from steelyard.cli.output import print_text
from steelyard.cli.parser import wrapped
from steelyard.i18n import Language, words_of
from steelyard.legal.model import METRIC
from steelyard.legal.question_types import part_labels
from steelyard.registry.metrics import Metric, load_metrics
from steelyard.registry.names import SCORE, SPELLINGS, all_metrics, find_metric

WIDTH = 110


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one explanation."""
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
    for metric in all_metrics():
        yield f"{_usage(metric):34} {metric.explained(language)[0]}"


def facts(metric: Metric, language: Language, quote: str = "") -> Iterator[str]:
    """Yield lines about the range of a metric, its parameters, what it needs of a row, and its other names."""
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


def _usage(metric: Metric) -> str:
    at = metric.at
    inner = ",".join(sorted(metric.parameters - {at}))
    cut = f"@{at}" if at in metric.required else f"[@{at}]" if at in metric.parameters else ""
    return f"{metric.name}{f'[({inner})]' if inner else ''}{cut}"


_NAME: Final = argument("name", metavar="NAME", nargs="?", help="help.metrics_name")
COMMANDS: Final = {"metrics": Command(run, [_NAME, METRICS_FROM, LANGUAGE])}
