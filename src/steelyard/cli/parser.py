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
from steelyard.i18n import Language, words_of

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
_EPILOG = "Exit codes: 0 success, 1 gate not passed, 2 input error, 3 system under test failed, 4 bug in steelyard."


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="steelyard",
        description="Evaluate RAG systems and test differences between them for significance.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"steelyard {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_command(commands)
    for command_parser in commands.choices.values():
        command_parser.allow_abbrev = False  # --metrics is not short for --metrics-from
    return parser


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
