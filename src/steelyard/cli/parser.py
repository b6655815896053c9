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
    new,
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
from steelyard.i18n import Language, locale_language, words_of
from steelyard.native import description

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
    new,
    validate,
    convert,
    metrics,
    pipelines,
    serve,
)
GROUPS = (
    ("cli.commands_evaluate", ("demo", "retrieval", "answers", "bench")),
    ("cli.commands_decide", ("report", "compare", "gate", "view", "sample", "agreement")),
    ("cli.commands_data", ("new", "validate", "convert", "metrics")),
    ("cli.commands_pipelines", ("build", "run", "serve")),
)
"""The commands by what they are for, as `steelyard` alone prints them."""


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
    parser.add_argument("--version", action="version", version=version(), help="help.version")
    add_language_option(parser)
    commands = parser.add_subparsers(title="help.group_commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_command(commands)
    for command_parser in commands.choices.values():
        command_parser.allow_abbrev = False  # --metrics is not short for --metrics-from
    return parser


def version() -> str:
    """The version, and whether this installation has the compiled kernel."""
    return f"steelyard {__version__} ({description()})"


def overview(parser: argparse.ArgumentParser, language: Language) -> str:
    """The commands in groups, one line each."""
    words = words_of(language)
    rows = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))._choices_actions
    texts = {row.dest: row.help or "" for row in rows}
    width = max(map(len, texts))
    lines = [parser.format_usage(), parser.description or ""]
    for title, names in GROUPS:
        lines += ["", words(title), *(f"  {name:<{width}}  {texts[name]}" for name in names)]
    return "\n".join([*lines, "", words("cli.command_help"), parser.epilog or ""]) + "\n"
