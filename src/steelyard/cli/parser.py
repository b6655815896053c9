"""All commands and their options; nothing heavy is imported before a command runs."""

import argparse

from steelyard import __version__
from steelyard.cli import answers, bench, demo, metrics, pipelines, retrieval, serve, validate

_EPILOG = "Exit codes: 0 fine, 1 the gate said no, 2 your input, 3 the system under test failed, 4 our bug."


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="steelyard", description="Weigh a RAG system, and say whether a difference is real.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"steelyard {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (demo, retrieval, answers, bench, validate, metrics, pipelines, serve):
        command.add_command(commands)
    for command_parser in commands.choices.values():
        command_parser.allow_abbrev = False  # --metrics is not short for --metrics-from
    return parser
