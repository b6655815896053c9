"""`steelyard gate RESULT --require RULE…`: check a result against rules; the exit code is for CI."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_direction_option,
    add_language_option,
    add_old_spelling,
    add_units_option,
    declare_directions,
    fraction,
    read_rules,
    share,
)
from steelyard.io.addresses import path_of

if TYPE_CHECKING:
    from steelyard.i18n import Language
    from steelyard.reports.blocks import Block
    from steelyard.stats.gate import Gate
    from steelyard.table import Table

SUFFIXES = (".xml", ".md", ".json")


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "gate",
        help="help.gate",
        description="help.gate_about",
    )
    parser.add_argument("result", metavar="RESULT", help="help.gate_result")
    parser.add_argument("--require", action="append", default=[], metavar="RULE", help="help.gate_require")
    parser.add_argument(
        "--no-fall",
        action="append",
        default=[],
        metavar="TYPE",
        help="help.no_fall",
    )
    parser.add_argument("--baseline", metavar="OLD", help="help.gate_baseline")
    parser.add_argument("--system", metavar="NAME", help="help.system_name")
    parser.add_argument("--baseline-system", metavar="NAME", help="help.baseline_system")
    parser.add_argument("--alpha", type=fraction, default=0.05, metavar="A", help="help.gate_alpha")
    parser.add_argument("--allow-errors", type=share, default=0.0, metavar="SHARE", help="help.allow_errors")
    add_units_option(parser)
    parser.add_argument("--allow-inconclusive", action="store_true", help="help.allow_inconclusive")
    parser.add_argument("--force", action="store_true", help="help.gate_force")
    add_direction_option(parser)
    add_old_spelling(parser, "--allow-unsure", "--allow-inconclusive")
    add_old_spelling(parser, "--anyway", "--force")
    _add_output_options(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group_output")
    group.add_argument(
        "-o", "--output", action="append", type=path_of, default=[], metavar="FILE", help="help.gate_output"
    )
    group.add_argument("--json", action="store_true", help="help.json")
    add_language_option(group)


def run(arguments: argparse.Namespace) -> int:
    """Read the result, decide the rules, print and write; 1 if the gate is not passed."""
    from steelyard.reports.files import check_outputs
    from steelyard.stats.gate import GateSettings, check_rules, decide
    from steelyard.stats.rules import spelled

    begun = time.perf_counter()
    declare_directions(arguments)
    earlier = arguments.baseline or (arguments.result if arguments.baseline_system is not None else None)
    named = [arguments.result, *filter(None, [arguments.baseline])]
    check_outputs(arguments.output, named, suffixes=SUFFIXES)
    rules = read_rules(arguments.require, arguments.no_fall)
    check_rules(rules, has_baseline=earlier is not None)
    settings = GateSettings(
        arguments.alpha, arguments.allow_inconclusive, arguments.force, arguments.allow_errors, arguments.units
    )
    result, baseline = _load((arguments.result, arguments.system), (earlier, arguments.baseline_system))
    gate = decide(spelled(rules, result.columns), result, baseline, settings)
    _deliver(gate, arguments, time.perf_counter() - begun)
    return 0 if gate.passed else 1


def _load(*sources: tuple[str | None, str | None]) -> "tuple[Table, Table | None]":
    """The result and the baseline, each by its file and the name of its system, with different names."""
    from steelyard.cli.results import with_distinct_names
    from steelyard.io.results import load

    files = [(path, load(path, strict=True, system=system)) for path, system in sources if path is not None]
    result, *others = with_distinct_names([(path, [table]) for path, table in files])
    return result, others[0] if others else None


def _deliver(gate: "Gate", arguments: argparse.Namespace, seconds: float) -> None:
    from steelyard.cli.output import show_blocks, write_and_show
    from steelyard.io.writing import write_whole
    from steelyard.reports.gate import gate_blocks

    blocks = gate_blocks(gate, arguments.lang)

    def write(path: Path) -> None:
        write_whole(path, _rendered(blocks, path.suffix.lower(), arguments.lang, seconds))

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments, spaced=False))


def _rendered(blocks: "Sequence[Block]", suffix: str, language: "Language", seconds: float) -> str:
    from datetime import UTC, datetime

    from steelyard.reports.files import RENDERERS
    from steelyard.reports.render.junit import render_junit

    if suffix == ".xml":
        return render_junit(blocks, when=datetime.now(UTC), seconds=seconds)
    return RENDERERS[suffix](blocks, language)
