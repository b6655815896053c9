"""All commands and their options; nothing heavy is imported before a command runs."""

import argparse

from steelyard import __version__
from steelyard.cli import (
    agreement,
    answers,
    bench,
    compare,
    convert,
    demo,
    gate,
    metrics,
    pipelines,
    report,
    retrieval,
    sample,
    serve,
    validate,
    view,
)
from steelyard.cli.language import put_into, speaking
from steelyard.cli.options import add_language_option
from steelyard.i18n import Language, locale_language

COMMANDS = (
    demo,
    retrieval,
    answers,
    bench,
    compare,
    gate,
    report,
    view,
    sample,
    agreement,
    validate,
    convert,
    metrics,
    pipelines,
    serve,
)


def build_parser(language: Language | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line, in a language (default: that of the locale)."""
    chosen = language or locale_language()
    with speaking(chosen):
        parser = coded_parser()
        put_into(parser, chosen)
    return parser


def coded_parser() -> argparse.ArgumentParser:
    """The parser with codes of the catalogue in place of its help texts."""
    parser = argparse.ArgumentParser(prog="steelyard", description="help.about", epilog="help.exit_codes")
    parser.add_argument("--version", action="version", version=f"steelyard {__version__}", help="help.version")
    add_language_option(parser)
    commands = parser.add_subparsers(title="help.group_commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_command(commands)
    for command_parser in commands.choices.values():
        command_parser.allow_abbrev = False  # --metrics is not short for --metrics-from
    return parser
