"""The parser of the command line, and defaults of options from a file.

Only the module of the command that a line names is imported; the help of all commands needs none of them. Defaults are
in `steelyard.toml`, or in `[tool.steelyard]` of a `pyproject.toml`: the nearest file counts, from the current folder
upwards. It may be a stranger's, who gave the folder: so it sets only options that run no code, send nothing, and name
no file.

Commands give codes of the catalogue as `help`, `description` and titles of groups: `help="help.json"`. `put_into`
replaces them by their texts. The words of metavars are found by their English spelling (section `metavars`), as are the
texts of argparse itself (section `argparse`).
"""

import argparse
import logging
import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn, Self
from unicodedata import east_asian_width

from steelyard import __version__
from steelyard.cli.console import add_log_options
from steelyard.cli.options import CHOSEN, LANGUAGE
from steelyard.errors import ConfigError, InputError, MissingExtra, nearest, nearest_name
from steelyard.i18n import LANGUAGES, Language, Message, codes, locale_language, texts, words_of
from steelyard.native import description

_LANG: Final = "--lang"
_PIECE: Final = r"[（“《]*(?:[^\s\u2e80-\uffef“”]+|\S)[，。；：、）”》！？]*|[ ]+"
"""What is not broken: a word, or a Chinese character with the punctuation that belongs to it."""

MODULES: Final = {
    "demo": "bench",
    "retrieval": "retrieval",
    "answers": "answers",
    "bench": "bench",
    "compare": "report",
    "gate": "gate",
    "report": "report",
    "view": "view",
    "sample": "review",
    "agreement": "review",
    "judge": "judge",
    "new": "validate",
    "validate": "validate",
    "convert": "convert",
    "metrics": "metrics",
    "conformance": "conformance",
    "check-scores": "check_scores",
    "build": "pipelines",
    "run": "pipelines",
    "serve": "pipelines",
}
"""The commands with the modules of this package that have them; their texts are `help.NAME` and `help.NAME_about`."""

_VALUED: Final = ("--lang", "--log-file")  # the options of every command that have a value

GROUPS: Final = (
    ("cli.commands_evaluate", ("demo", "retrieval", "answers", "bench", "judge")),
    ("cli.commands_decide", ("report", "compare", "gate", "view", "sample", "agreement")),
    ("cli.commands_data", ("new", "validate", "convert", "metrics", "conformance", "check-scores")),
    ("cli.commands_pipelines", ("build", "run", "serve")),
)
"""The commands by what they are for, as the help lists them."""


def build_parser(language: Language | None = None, line: Sequence[str] | None = None) -> "Parser":
    """Return the parser of a command line, in a language (default: that of the locale).

    Of the commands, only the one that the line names has its options; without a line, all have.
    """
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
        hint = "" if name is None else "\n" + words_of(CHOSEN.get())("cli.did_you_mean", name=name)
        super().error(f"{message}{hint}")

    def format_help(self) -> str:
        """Return the help; that of the program has its commands in groups."""
        if self.commands is None:
            return super().format_help()
        words, rows = words_of(CHOSEN.get()), {row.dest: row for row in self.commands._choices_actions}
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
        """Return the name most like the first unknown command or option; those of a command are looked for there."""
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
        complete = build_parser(CHOSEN.get())
        for action in (each for command in complete.commands.choices.values() for each in command._actions):
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # read by shtab
        sys.stdout.write(shtab.complete(complete, values))
        parser.exit()


def coded_parser(line: Sequence[str] | None = None) -> Parser:
    """Return the parser with codes of the catalogue in place of its help texts."""
    parser = Parser(prog="steelyard", description="help.about", epilog="help.exit_codes")
    parser.add_argument("--version", action="version", version=version(), help="help.version")
    parser.add_argument(*LANGUAGE.names, default=CHOSEN.get(), **LANGUAGE.settings)
    add_log_options(parser, level=logging.INFO, file=None)
    shells = ("bash", "fish", "powershell", "tcsh", "zsh")
    parser.add_argument("--completion", action=_Completion, choices=shells, help="help.completion")
    parser.commands = parser.add_subparsers(metavar="COMMAND", required=True)
    named = named_command(line or ())
    for name in MODULES if named is None else [named]:
        command = parser.commands.add_parser(name, help=f"help.{name}", description=f"help.{name}_about")
        if line is None or named is not None:
            import_module(f"steelyard.cli.{MODULES[name]}").COMMANDS[name].put_into(command)
        command.allow_abbrev = False  # --metrics is not short for --metrics-from
        add_log_options(command)
    return parser


def named_command(line: Sequence[str]) -> str | None:
    """Return the command that a line names, if nothing stands before it but options that every command has."""
    words = iter(line)
    for word in words:
        if word in _VALUED:
            next(words, None)
        elif word not in ("--quiet", "--verbose") and word.partition("=")[0] not in _VALUED:
            return word if word in MODULES else None
    return None


def version() -> str:
    """Return the version, and whether this installation has the compiled kernel."""
    return f"steelyard {__version__} ({description()})"


SETTABLE: Final = (
    *("lang", "quiet", "verbose", "plot", "mask", "strict", "concurrency", "timeout", "retries", "rate"),
    *("metric", "cutoffs", "missing", "relevance-level", "depth", "trec-eval", "profile", "tokens", "map", "tags"),
    *("strip-citations", "type", "by", "test", "resamples", "correction", "family", "alpha", "seed", "units"),
    *("lower-is-better", "require", "no-fall", "max-errors", "allow-errors"),
)
_OWN, _PROJECT = "steelyard.toml", "pyproject.toml"


class Settings(NamedTuple):
    """What a file has for a command; `own` are the names in its own table, which count before those of all commands."""

    path: Path | None = None
    values: Mapping[str, Any] = MappingProxyType({})
    own: Collection[str] = ()

    @classmethod
    def read(cls, folder: Path, command: str) -> Self:
        """Return the settings that a command has in a folder."""
        files = (each / name for each in (folder, *folder.parents) for name in (_OWN, _PROJECT))
        path, table = next(((path, table) for path in files if (table := _table(path)) is not None), (None, {}))
        tables = {name: value for name, value in table.items() if isinstance(value, dict)}
        for name in tables:
            _check_name(name, list(MODULES), path)
        own = tables.get(command, {})
        return cls(path, {name: value for name, value in table.items() if name not in tables} | own, own)

    def put_into(self, program: argparse.ArgumentParser, command: argparse.ArgumentParser) -> None:
        """Make them the defaults of options: of the program if it has the option too, since it may be given there."""
        for name, value in self.values.items():
            known = [each for each in SETTABLE if name not in self.own or f"--{each}" in command._option_string_actions]
            _check_name(name, known, self.path)
            if name == "lower-is-better":
                self._check_directions(value if isinstance(value, list) else [value])
            parser = program if f"--{name}" in program._option_string_actions else command
            if (action := parser._option_string_actions.get(f"--{name}")) is not None:
                try:
                    parser.set_defaults(**{action.dest: _default(parser, action, value)})
                except argparse.ArgumentError as error:
                    raise ConfigError(error.message, where=f"{self.path}: {name}") from None

    def _check_directions(self, names: Sequence[Any]) -> None:
        """Refuse to turn a metric round whose direction is known: its rules would pass where they should not."""
        from steelyard.registry.kinds import has_known_direction

        for name in map(str, names):
            if has_known_direction(name):
                raise ConfigError(Message("cli.direction_is_known", name=name), where=str(self.path))

    def applied(self, line: Sequence[str], command: argparse.ArgumentParser) -> Message | None:
        """Return what a command has from the file, without what its line says; None if that is nothing."""
        given = {word.partition("=")[0].removeprefix("--") for word in line}
        names = [name for name in self.values if f"--{name}" in command._option_string_actions and name not in given]
        values = ", ".join(f"{name} = {self.values[name]}" for name in names)
        return Message("log.settings", path=self.path, values=values) if names else None


def _table(path: Path) -> dict[str, Any] | None:
    """Return the settings in a file; None if it has none."""
    content = path.read_bytes() if os.path.isfile(path) and os.access(path, os.R_OK) else None
    if content is None or (path.name == _PROJECT and b"tool.steelyard" not in content):
        return None
    import tomllib

    try:
        found = tomllib.loads(content.decode())
    except ValueError as error:  # of TOML or of UTF-8
        raise InputError(Message("cli.not_toml", error=error), where=str(path)) from None
    match found if path.name == _PROJECT else {"tool": {"steelyard": found}}:
        case {"tool": {"steelyard": dict() as table}}:
            return table
    return None


def _check_name(name: str, known: Sequence[str], path: Path | None) -> None:
    if name not in known:
        raise ConfigError(Message("cli.not_settable", name=name), where=str(path), hint=nearest(name, known))


class _Default(list[Any]):
    """The values of an option that may be repeated; those of the command line are taken in their place."""

    def __copy__(self) -> list[Any]:
        """Return what argparse appends to."""
        return []


def _default(parser: argparse.ArgumentParser, action: argparse.Action, value: Any) -> Any:
    """Return a value of a file as that of an option, read and checked as on the command line."""
    if action.nargs == 0:  # a flag
        if not isinstance(value, bool):
            raise argparse.ArgumentError(None, Message("words.true_or_false").text(CHOSEN.get()))
        return action.const if value else action.default
    texts = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if isinstance(action, argparse._AppendAction):
        return _Default(parser._get_values(action, [text]) for text in texts)
    return parser._get_values(action, [",".join(texts)])


# --- the language of the user: help texts by code, argparse's own texts, lines by display width ---


def language_of(line: Sequence[str], default: str | None = None) -> Language:
    """Return the language that the last --lang of a command line names, else the default, else that of the locale."""
    found = [default, *(value for option, value in pairwise(line) if option == _LANG)]
    found += [word.partition("=")[2] for word in line if word.startswith(f"{_LANG}=")]
    return next((value for value in reversed(found) if value in LANGUAGES), locale_language())


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """While the block runs, argparse's own texts and refused values are in a language."""
    before = {name: getattr(argparse, name) for name in ("_", "ngettext")}
    token = CHOSEN.set(language)
    try:
        if language != "en":
            known, own = codes("argparse"), texts(language)
            argparse._ = lambda text: own[known[text]] if text in known else before["_"](text)  # type: ignore[attr-defined]
            argparse.ngettext = lambda one, many, n: argparse._(one if n == 1 else many)  # type: ignore[attr-defined]
        yield
    finally:
        CHOSEN.reset(token)
        for name, value in before.items():
            setattr(argparse, name, value)


def put_into(parser: argparse.ArgumentParser, language: Language) -> None:
    """Replace the codes of a parser and of its commands by their texts."""
    parser.formatter_class = HelpFormatter
    parser.description = _text(parser.description, language)
    parser.epilog = _text(parser.epilog, language)
    for group in parser._action_groups:
        group.title = _text(group.title, language)
    for action in parser._actions:
        _translate(action, language)
        if isinstance(action, argparse._SubParsersAction):
            for row in action._choices_actions:
                row.help = _text(row.help, language)
            for command in action.choices.values():
                put_into(command, language)


def _translate(action: argparse.Action, language: Language) -> None:
    action.help = _text(action.help, language)
    if isinstance(action.metavar, str) and (code := codes("metavars").get(action.metavar)):
        action.metavar = texts(language)[code]


def _text(code: str | None, language: Language) -> str | None:
    return code if code is None or code not in texts("en") else words_of(language)(code)


class HelpFormatter(argparse.HelpFormatter):
    """Lines are broken by their width on the terminal; a line end in a description begins a new paragraph."""

    class _Section(argparse.HelpFormatter._Section):
        def format_help(self) -> str:
            """Return the section; older versions of Python do not put the colon after its heading into the language."""
            heading = texts(CHOSEN.get())["argparse.heading"] % {"heading": self.heading}
            return super().format_help().replace(f"{self.heading}:\n", f"{heading}\n", 1)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = (line for paragraph in text.split("\n") for line in wrapped(paragraph, width - len(indent)))
        return "\n".join(indent + line for line in lines)

    def _format_usage(self, *args: Any) -> str:
        """Usage is broken by the number of characters, so that its lines are made shorter where some are wide."""
        width = self._width
        words = [action.metavar for action in args[1] if isinstance(action.metavar, str)]
        self._width = width - width // 8 if any(display_width(word) > len(word) for word in words) else width
        try:
            return super()._format_usage(*args)
        finally:
            self._width = width

    def _format_action(self, action: argparse.Action) -> str:
        """Return the option and its help; the blanks between them are fewer by what wide characters take more."""
        text, header = super()._format_action(action), self._format_action_invocation(action)
        extra = display_width(header) - len(header)
        beside = re.match(rf" *{re.escape(header)}( +)(?=\S)", text)
        if not extra or beside is None:
            return text
        if len(beside[1]) - extra >= 2:
            return text[: beside.end() - extra] + text[beside.end() :]
        return f"{beside[0].rstrip()}\n{' ' * beside.end()}{text[beside.end() :]}"


def display_width(text: str) -> int:
    """Return the columns of the terminal that a text takes: two for a Chinese character."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many columns; Chinese is broken between any two characters."""
    if text.isascii():
        return textwrap.wrap(text, width)
    lines, line = [], ""
    for piece in re.findall(_PIECE, text):
        if line and display_width(line + piece) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line] if line else lines
