"""`steelyard conformance`: check Steelyard, or another program, with the known answers of the suite."""

import argparse
import json
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from steelyard.cli import options
from steelyard.cli.options import Command, argument, flag, repeated
from steelyard.cli.output import check_outputs, print_text, show_blocks, write_and_show
from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.addresses import path_of
from steelyard.reports.files import CHECK_SUFFIXES, write_blocks
from steelyard.suite.outcomes import check_program
from steelyard.suite.programs import ANSWER_SECONDS, PROGRAM_HINT, Program
from steelyard.suite.report import run_blocks
from steelyard.suite.targets import OURS, find_target, read_targets
from steelyard.suite.vectors import chosen_vectors, read_vectors
from steelyard.systems.process import parse_command


def run(arguments: argparse.Namespace) -> int:
    """Ask a program for every vector that it claims; 1 if there is a fault."""
    if arguments.list:
        print_text("".join(f"{target.name:24} {target.install}\n" for target in read_targets().values()))
        return 0
    vectors = chosen_vectors(read_vectors(), arguments.vectors)
    if arguments.show:
        print_text("".join(f"{json.dumps(asdict(each), ensure_ascii=False)}\n" for each in vectors))
        return 0
    check_outputs(arguments.output, suffixes=CHECK_SUFFIXES)
    begun, words = time.perf_counter(), _command(arguments)
    with Program(words, arguments.timeout) as program:
        found = check_program(program, vectors)
    if not found.outcomes:
        names = {
            "known": ", ".join(sorted({each.computes for each in vectors})),
            "found": ", ".join(sorted(found.about.computes)),
        }
        raise ConfigError(Message("suite.nothing_claimed", **names), where=found.about.name)
    if not found.answered:
        raise ConfigError(Message("suite.nothing_answered", n=len(found.outcomes)), where=found.about.name)
    if arguments.strict:
        found = found.strict()
    blocks = run_blocks(found, vectors, _again(arguments), arguments.lang)

    def write(path: Path) -> None:
        write_blocks(blocks, path, arguments.lang, seconds=time.perf_counter() - begun)

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))
    return 1 if found.of("fault") else 0


def _command(arguments: argparse.Namespace) -> list[str]:
    if arguments.program is not None:
        if arguments.target is not None or arguments.python is not None:
            raise ConfigError(Message("suite.program_or_target"))
        return parse_command(arguments.program, PROGRAM_HINT)
    target = find_target(arguments.target or OURS)
    if target.is_node and arguments.python is not None:
        raise ConfigError(Message("suite.node_target"), where=target.name)
    return target.command(arguments.python)


def _again(arguments: argparse.Namespace) -> str:
    """Return the command that checks the same program again."""
    names = ("program", "target", "python")
    given = [(f"--{name}", getattr(arguments, name)) for name in names if getattr(arguments, name) is not None]
    if arguments.timeout != ANSWER_SECONDS:
        given.append(("--timeout", f"{arguments.timeout:g}"))
    strict = ["--strict"] if arguments.strict else []
    return shlex.join(["steelyard", "conformance", *(word for pair in given for word in pair), *strict])


COMMANDS: Final = {
    "conformance": Command(
        run,
        [
            argument("vectors", nargs="*", metavar="VECTOR", help="help.conformance_vectors"),
            argument("--target", metavar="NAME", help="help.conformance_target"),
            argument("--program", metavar="COMMAND", help="help.conformance_program"),
            argument("--python", metavar="PATH", help="help.conformance_python"),
            argument(
                "--timeout",
                type=options.seconds,
                default=ANSWER_SECONDS,
                metavar="SECONDS",
                help="help.conformance_timeout",
            ),
            flag("--strict", help="help.conformance_strict"),
            flag("--show", help="help.conformance_show"),
            flag("--list", help="help.conformance_list"),
            repeated("-o", "--output", type=path_of, metavar="FILE", help="help.conformance_output"),
            options.JSON,
            options.LANGUAGE,
        ],
    )
}
