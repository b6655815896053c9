"""`steelyard conformance`: check Steelyard, or another program, with the known answers of the suite."""

import argparse
import shlex
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from steelyard.cli import options
from steelyard.cli.options import Command, argument, flag, repeated
from steelyard.cli.output import check_outputs, print_text, show_blocks, write_and_show
from steelyard.errors import ConfigError
from steelyard.i18n import Language, Message
from steelyard.io.addresses import path_of
from steelyard.io.writing import write_whole
from steelyard.reports.blocks import Block
from steelyard.reports.files import RENDERERS
from steelyard.reports.render.fragment import render_fragment
from steelyard.reports.render.values import render_junit
from steelyard.suite.outcomes import check_program
from steelyard.suite.programs import PROGRAM_HINT, Program
from steelyard.suite.report import run_blocks
from steelyard.suite.targets import OURS, find_target, read_targets
from steelyard.suite.vectors import chosen_vectors, read_vectors
from steelyard.systems.process import parse_command

SUFFIXES: Final = (".json", ".xml", ".md", ".html")


def run(arguments: argparse.Namespace) -> int:
    """Ask a program for every vector that it claims; 1 if there is a fault."""
    if arguments.list:
        print_text("".join(f"{target.name:24} {target.install}\n" for target in read_targets().values()))
        return 0
    check_outputs(arguments.output, suffixes=SUFFIXES)
    begun, words = time.perf_counter(), _command(arguments)
    vectors = chosen_vectors(read_vectors(), arguments.vectors)
    with Program(words) as program:
        found = check_program(program, vectors)
    if not found.outcomes:
        raise ConfigError(Message("suite.nothing_claimed"), where=found.about.name)
    blocks = run_blocks(found, vectors, _again(arguments), arguments.lang)

    def write(path: Path) -> None:
        text = rendered(blocks, path.suffix.lower(), arguments.lang, time.perf_counter() - begun)
        write_whole(path, text)

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))
    return 1 if found.of("fault") else 0


def _command(arguments: argparse.Namespace) -> list[str]:
    if arguments.program is not None:
        if arguments.target is not None or arguments.python is not None:
            raise ConfigError(Message("suite.program_or_target"))
        return parse_command(arguments.program, PROGRAM_HINT)
    return find_target(arguments.target or OURS).command(arguments.python)


def _again(arguments: argparse.Namespace) -> str:
    """Return the command that checks the same program again."""
    names = ("program", "target", "python")
    given = [(f"--{name}", getattr(arguments, name)) for name in names if getattr(arguments, name) is not None]
    return shlex.join(["steelyard", "conformance", *(word for pair in given for word in pair)])


def rendered(blocks: Sequence[Block], suffix: str, language: Language, seconds: float) -> str:
    """Return blocks in the format of a suffix."""
    if suffix == ".xml":
        return render_junit(blocks, when=datetime.now(UTC), seconds=seconds)
    if suffix == ".html":
        style = "body{font:16px/1.5 sans-serif;max-width:72em;padding:2em}td,th{padding:.2em .8em .2em 0}"
        head = f'<head><meta charset="utf-8"><title>Steelyard</title><style>{style}</style></head>'
        return f'<!doctype html>\n<html lang="{language}">{head}<body>{render_fragment(blocks)}</body></html>\n'
    return RENDERERS[suffix](blocks, language)


COMMANDS: Final = {
    "conformance": Command(
        run,
        [
            argument("vectors", nargs="*", metavar="VECTOR", help="help.conformance_vectors"),
            argument("--target", metavar="NAME", help="help.conformance_target"),
            argument("--program", metavar="COMMAND", help="help.conformance_program"),
            argument("--python", metavar="PATH", help="help.conformance_python"),
            flag("--list", help="help.conformance_list"),
            repeated("-o", "--output", type=path_of, metavar="FILE", help="help.conformance_output"),
            options.JSON,
            options.LANGUAGE,
        ],
    )
}
