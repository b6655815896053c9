"""`steelyard gate RESULT --require RULE…`: check a result against rules; the exit code is for CI."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.cli import options
from steelyard.cli.options import Command, Group, argument, flag, old_spelling, repeated
from steelyard.cli.output import check_outputs, show_blocks, with_distinct_names, write_and_show
from steelyard.io.addresses import path_of
from steelyard.io.results import load
from steelyard.registry.kinds import lower_is_better
from steelyard.reports.files import write_blocks
from steelyard.reports.gate import gate_blocks
from steelyard.stats.gate import Gate, GateSettings, check_rules, decide
from steelyard.stats.rules import NoRegression, Rule, Target, parse_rule, spelled
from steelyard.table import Table

SUFFIXES = (".xml", ".md", ".json")


def run(arguments: argparse.Namespace) -> int:
    """Read the result, decide the rules, print and write; 1 if the gate is not passed."""
    begun = time.perf_counter()
    lower_is_better(*arguments.lower_is_better)
    earlier = arguments.baseline or (arguments.result if arguments.baseline_system is not None else None)
    named = [arguments.result, *filter(None, [arguments.baseline])]
    check_outputs(arguments.output, named, suffixes=SUFFIXES)
    rules = read_rules(arguments.require, arguments.no_fall)
    check_rules(rules, has_baseline=earlier is not None)
    settings = GateSettings(
        arguments.alpha,
        arguments.allow_inconclusive,
        arguments.force,
        arguments.allow_errors,
        arguments.units,
        options.calibrations_of(arguments),
        arguments.from_file,
        arguments.accept_advisory,
    )
    result, baseline = _load((arguments.result, arguments.system), (earlier, arguments.baseline_system))
    gate = decide(spelled(rules, result.columns), result, baseline, settings)
    _deliver(gate, arguments, time.perf_counter() - begun)
    return 0 if gate.passed else 1


def read_rules(texts: Sequence[str], types: Sequence[str]) -> list[Rule]:
    """Return the rules that are written out, then those about types whose items may not fall."""
    return [*map(parse_rule, texts), *(NoRegression(Target(name)) for name in types)]


def _load(*sources: tuple[str | None, str | None]) -> tuple[Table, Table | None]:
    """Return the result and the baseline, each by its file and the name of its system, with different names."""
    files = [(path, load(path, strict=True, system=system)) for path, system in sources if path is not None]
    result, *others = with_distinct_names([(path, [table]) for path, table in files])
    return result, others[0] if others else None


def _deliver(gate: Gate, arguments: argparse.Namespace, seconds: float) -> None:
    blocks = gate_blocks(gate, arguments.lang)

    def write(path: Path) -> None:
        write_blocks(blocks, path, arguments.lang, seconds=seconds)

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments, spaced=False))


_OUTPUT: Final = Group(
    "help.group_output",
    [repeated("-o", "--output", type=path_of, metavar="FILE", help="help.gate_output"), options.JSON, options.LANGUAGE],
)
COMMANDS: Final = {
    "gate": Command(
        run,
        [
            argument("result", metavar="RESULT", help="help.gate_result"),
            repeated("--require", metavar="RULE", help="help.gate_require"),
            repeated("--no-fall", metavar="TYPE", help="help.no_fall"),
            argument("--baseline", metavar="OLD", help="help.gate_baseline"),
            argument("--system", metavar="NAME", help="help.system_name"),
            argument("--baseline-system", metavar="NAME", help="help.baseline_system"),
            argument("--alpha", type=options.fraction, default=0.05, metavar="A", help="help.gate_alpha"),
            argument("--allow-errors", type=options.share, default=0.0, metavar="SHARE", help="help.allow_errors"),
            options.UNITS,
            *options.CALIBRATIONS,
            flag("--allow-inconclusive", help="help.allow_inconclusive"),
            flag("--accept-advisory", help="help.accept_advisory"),
            flag("--force", help="help.gate_force"),
            options.LOWER_IS_BETTER,
            old_spelling("--allow-unsure", "--allow-inconclusive"),
            old_spelling("--anyway", "--force"),
            _OUTPUT,
        ],
    )
}
