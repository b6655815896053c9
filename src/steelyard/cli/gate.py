"""`steelyard gate RESULT --require RULE…`: may it ship? The exit code says so."""

import argparse
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import add_language_option, fraction

if TYPE_CHECKING:
    from steelyard.i18n import Language
    from steelyard.stats.gate import Gate
    from steelyard.stats.rules import Rule
    from steelyard.table import Table

SUFFIXES = (".xml", ".md", ".json")
RULE_HELP = "'METRIC >= 0.95', 'METRIC[tag=value] == 1', 'METRIC.part == 1' (repeatable)"
_DESCRIPTION = """Hold a result against rules; the exit code is 0 if all are met, 1 if not, and 2 if the input is wrong.
Rules: METRIC >= 0.95 (also > <= < ==), METRIC[type=fact_exact] >= 0.95, legal.no_hallucination == 1,
METRIC >= baseline - 0.01, METRIC not-worse-by 0.02, no item of fact_exact may fall from 1.
Of legal.uncertain less is better: not-worse-by and --no-fall guard against a rise."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "gate",
        help="rules that a result must meet; exit code for CI",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("result", metavar="RESULT", help="a results file (.jsonl)")
    parser.add_argument("--require", action="append", default=[], metavar="RULE", help=RULE_HELP)
    parser.add_argument(
        "--no-fall", action="append", default=[], metavar="TYPE", help="no item of TYPE may fall from 1 (repeatable)"
    )
    parser.add_argument("--baseline", metavar="OLD", help="the results file of an earlier run")
    parser.add_argument(
        "--alpha", type=fraction, default=0.05, metavar="A", help="intervals are at 1 - A (%(default)s)"
    )
    parser.add_argument("--allow-unsure", action="store_true", help="let pass what cannot be told")
    words = "take a run that was cut off, or a baseline whose questions or settings differ"
    parser.add_argument("--anyway", action="store_true", help=words)
    _add_output_options(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    words = "write the findings: .xml (JUnit), .md (for a pull request), .json (repeatable)"
    group.add_argument("-o", "--output", action="append", type=Path, default=[], metavar="FILE", help=words)
    group.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
    add_language_option(group)


def run(arguments: argparse.Namespace) -> int:
    """Read, decide, deliver; 1 where the gate says no."""
    from steelyard.reports.files import check_outputs
    from steelyard.stats.gate import GateSettings, check_rules, decide

    begun = time.perf_counter()
    named = [arguments.result, *filter(None, [arguments.baseline])]
    check_outputs(arguments.output, named, suffixes=SUFFIXES)
    rules = read_rules(arguments.require, arguments.no_fall)
    check_rules(rules, has_baseline=arguments.baseline is not None)
    settings = GateSettings(arguments.alpha, arguments.allow_unsure, arguments.anyway)
    result, baseline = _load(arguments.result, arguments.baseline)
    gate = decide(spelled(rules, result.columns), result, baseline, settings)
    _deliver(gate, arguments, time.perf_counter() - begun)
    return 0 if gate.passed else 1


def _load(path: str, earlier: str | None) -> "tuple[Table, Table | None]":
    """The result and the baseline; where both have one name, they are called as their files are."""
    from steelyard.io.records import result_name
    from steelyard.io.results import load

    result, baseline = load(path, strict=True), None if earlier is None else load(earlier, strict=True)
    if earlier is None or baseline is None or baseline.name != result.name:
        return result, baseline
    new, old = result_name(path), result_name(earlier)
    return replace(result, name=new), replace(baseline, name=old if old != new else f"{old} (baseline)")


def read_rules(texts: Sequence[str], types: Sequence[str] = ()) -> "list[Rule]":
    """The rules that are written out, then those about types that may not fall."""
    from steelyard.stats.rules import NoRegression, Target, parse_rule

    return [*map(parse_rule, texts), *(NoRegression(Target(each)) for each in types)]


def required_rules(texts: Sequence[str]) -> "list[Rule]":
    """The rules that a run must meet by itself; one that needs a baseline is refused before anything is asked."""
    from steelyard.stats.gate import check_rules

    rules = read_rules(texts)
    if rules:
        check_rules(rules, has_baseline=False)
    return rules


def decide_required(rules: "Sequence[Rule]", table: "Table") -> "Gate | None":
    """What the rules that a run has to meet come to; None where there are none."""
    from steelyard.stats.gate import decide

    return decide(rules, table) if rules else None


def say_required(gate: "Gate | None", arguments: argparse.Namespace) -> int:
    """The exit code of a run that had rules to meet; the findings in words stand beside the JSON, not in it."""
    from steelyard.reports.gate import render_console
    from steelyard.text.visible import printable

    if gate is None:
        return 0
    stream = sys.stderr if arguments.json else sys.stdout
    stream.write(printable("\n" + render_console(gate, language=arguments.lang, colour=stream.isatty())))
    return 0 if gate.passed else 1


def spelled(rules: "Sequence[Rule]", columns: Collection[str]) -> "list[Rule]":
    """The rules with metrics called as the result calls them."""
    from steelyard.cli.columns import column_called

    return [replace(rule, target=replace(rule.target, name=column_called(rule.target.name, columns))) for rule in rules]


def _deliver(gate: "Gate", arguments: argparse.Namespace, seconds: float) -> None:
    from steelyard.cli.output import print_json, say, write_and_show
    from steelyard.io.writing import write_whole
    from steelyard.reports import gate as report

    def write(path: Path) -> None:
        write_whole(path, _rendered(gate, path.suffix.lower(), arguments.lang, seconds))

    def show() -> None:
        if arguments.json:
            print_json(report.render_json(gate))
        else:
            say(report.render_console(gate, language=arguments.lang, colour=sys.stdout.isatty()))

    write_and_show(arguments.output, write, show)


def _rendered(gate: "Gate", suffix: str, language: "Language", seconds: float) -> str:
    from datetime import UTC, datetime

    from steelyard.reports.gate import render_json, render_markdown
    from steelyard.reports.junit import render_junit

    match suffix:
        case ".xml":
            return render_junit(gate, when=datetime.now(UTC), seconds=seconds, language=language)
        case ".md":
            return render_markdown(gate, language=language)
        case _:
            return render_json(gate)
