"""All commands and their options; nothing heavy is imported before a command runs.

The parser of a line that names a command has only the commands of that module: usage, help and errors are the same.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final, NoReturn

from steelyard import __version__
from steelyard.cli.language import chosen_language, put_into, speaking
from steelyard.cli.log import add_log_options
from steelyard.cli.options import add_language_option
from steelyard.errors import MissingExtra, nearest_name
from steelyard.i18n import Language, Message, locale_language, words_of
from steelyard.native import description

COMMANDS: Final = (
    "demo",
    "retrieval",
    "answers",
    "bench",
    "compare",
    "gate",
    "report",
    "view",
    "sample",
    "agreement",
    "new",
    "validate",
    "convert",
    "metrics",
    "build",
    "run",
    "serve",
)
"""The commands, in the order of the help."""

_MODULES: Final = {"build": "pipelines", "run": "pipelines"}
"""The modules of commands that are not in the module of their name."""

_VALUED: Final = ("--lang", "--log-file")  # the options of every command that have a value

GROUPS = (
    ("cli.commands_evaluate", ("demo", "retrieval", "answers", "bench")),
    ("cli.commands_decide", ("report", "compare", "gate", "view", "sample", "agreement")),
    ("cli.commands_data", ("new", "validate", "convert", "metrics")),
    ("cli.commands_pipelines", ("build", "run", "serve")),
)
"""The commands by what they are for, as the help lists them."""


def build_parser(language: Language | None = None, line: Sequence[str] = ()) -> "Parser":
    """The parser of a command line, in a language (default: that of the locale); without a line, of all commands."""
    chosen = language or locale_language()
    with speaking(chosen):
        parser = coded_parser(line)
        put_into(parser, chosen)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser whose errors end with the known command or option that is most like an unknown one."""

    commands: Any = None  # the action that has them, in the parser of the program
    _line: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and remember what is parsed for the errors."""
        self._line = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print usage, error and suggestion, and leave with the exit code of wrong usage."""
        name = self._meant()
        hint = "" if name is None else "\n" + words_of(chosen_language())("cli.did_you_mean", name=name)
        super().error(f"{message}{hint}")

    def format_help(self) -> str:
        """The help; that of the program has its commands in groups."""
        if self.commands is None:
            return super().format_help()
        words, rows = words_of(chosen_language()), {row.dest: row for row in self.commands._choices_actions}
        text = self._get_formatter()
        text.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        text.add_text(self.description)
        sections = [(words(title), [rows[name] for name in names if name in rows]) for title, names in GROUPS]
        for title, actions in (*sections, (self._optionals.title, self._optionals._group_actions)):
            text.start_section(title)
            text.add_arguments(actions)
            text.end_section()
        text.add_text(words("cli.command_help"))
        text.add_text(self.epilog)
        return text.format_help()

    def _meant(self) -> str | None:
        """The name most like the first unknown command or option; those of a command are looked for there."""
        after = pairwise(["", *self._line])
        word = next((word for before, word in after if not word.startswith("-") and before not in _VALUED), None)
        if self.commands and word is not None:
            command = self.commands.choices.get(word)
            return command._meant() if isinstance(command, Parser) else nearest_name(word, self.commands.choices)
        options = [option[2:] for option in self._option_string_actions if option.startswith("--")]
        named = (word[2:].partition("=")[0] for word in self._line if word.startswith("--") and word != "--")
        found = (nearest_name(option, options) for option in named if option not in options)
        return next((f"--{name}" for name in found if name is not None), None)


class _Completion(argparse.Action):
    """Print the script with which a shell completes commands, options, and their values or files."""

    def __call__(self, parser: Any, namespace: object, values: Any, option: Any = None) -> None:
        try:
            shtab = import_module("shtab")
        except ImportError:
            raise MissingExtra.of("shtab", "completion", purpose=Message("words.shell_completion")) from None
        for action in (each for command in parser.commands.choices.values() for each in command._actions):
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # read by shtab
        sys.stdout.write(shtab.complete(parser, values))
        parser.exit()


def coded_parser(line: Sequence[str] = ()) -> Parser:
    """The parser with codes of the catalogue in place of its help texts."""
    parser = Parser(prog="steelyard", description="help.about", epilog="help.exit_codes")
    parser.add_argument("--version", action="version", version=version(), help="help.version")
    add_language_option(parser)
    add_log_options(parser, level=logging.INFO, file=None)
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "fish", "powershell", "tcsh", "zsh"),
        help="help.completion",
    )
    parser.commands = commands = parser.add_subparsers(metavar="COMMAND", required=True)
    name = named_command(line)
    for module in dict.fromkeys(_MODULES.get(each, each) for each in (COMMANDS if name is None else [name])):
        import_module(f"steelyard.cli.{module}").add_command(commands)
    for command_parser in commands.choices.values():
        command_parser.allow_abbrev = False  # --metrics is not short for --metrics-from
        add_log_options(command_parser)
    return parser


def named_command(line: Sequence[str]) -> str | None:
    """The command that a line names, if nothing stands before it but options that every command has."""
    words = iter(line)
    for word in words:
        if word in _VALUED:
            next(words, None)
        elif word not in ("--quiet", "--verbose") and word.partition("=")[0] not in _VALUED:
            return word if word in COMMANDS else None
    return None


def version() -> str:
    """The version, and whether this installation has the compiled kernel."""
    return f"steelyard {__version__} ({description()})"
