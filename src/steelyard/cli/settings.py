"""Defaults of options from a file: `steelyard.toml`, or `[tool.steelyard]` in a `pyproject.toml`.

The nearest file counts, from the current folder upwards. It may be a stranger's, who gave the folder: so it sets only
options that run no code, send nothing, and name no file.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self

from steelyard.cli.language import chosen_language
from steelyard.cli.parser import COMMANDS
from steelyard.errors import ConfigError, InputError, SteelyardError, UnknownName
from steelyard.i18n import LANGUAGES, Language, Message

SETTABLE: Final = (
    *("lang", "quiet", "verbose", "plot", "mask", "strict", "concurrency", "timeout", "retries", "rate"),
    *("metric", "cutoffs", "missing", "relevance-level", "depth", "trec-eval", "profile", "tokens", "map", "tags"),
    *("strip-citations", "type", "by", "test", "resamples", "correction", "alpha", "seed", "units", "lower-is-better"),
    *("require", "no-fall", "max-errors", "allow-errors"),
)
"""The options that a file may set."""
_OWN, _PROJECT = "steelyard.toml", "pyproject.toml"


_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class Settings(NamedTuple):
    """What a file has for all commands, and for one of them."""

    path: Path | None = None
    shared: Mapping[str, Any] = _NONE
    own: Mapping[str, Any] = _NONE

    @classmethod
    def read(cls, folder: Path, command: str | None) -> Self:
        """The settings that a command has in a folder."""
        files = (each / name for each in (folder, *folder.parents) for name in (_OWN, _PROJECT))
        path, table = next(((path, table) for path in files if (table := _table(path)) is not None), (None, {}))
        tables = {name: value for name, value in table.items() if isinstance(value, dict)}
        unknown = next((name for name in tables if name not in COMMANDS), None)
        if unknown is not None:
            raise UnknownName.of(Message("words.command"), unknown, COMMANDS, where=str(path))
        shared = {name: value for name, value in table.items() if name not in tables}
        return cls(path, shared, tables.get(command or "", {}))

    @property
    def values(self) -> dict[str, Any]:
        """All of them; those of the command count before those of all commands."""
        return {**self.shared, **self.own}

    def language(self) -> Language | None:
        """The language, if it is set."""
        return next((each for each in LANGUAGES if each == self.values.get("lang")), None)

    def put_into(self, program: argparse.ArgumentParser, command: argparse.ArgumentParser) -> None:
        """Make them the defaults of options: of the program if it has the option too, since it may be given there."""
        for name, value in self.values.items():
            option = f"--{name}"
            parsers = [parser for parser in (program, command) if option in parser._option_string_actions]
            if name not in SETTABLE or (name in self.own and not parsers):
                raise self._refused(name, command, is_option=bool(parsers))
            if parsers:
                action = parsers[0]._option_string_actions[option]
                try:
                    parsers[0].set_defaults(**{action.dest: _default(parsers[0], action, value)})
                except argparse.ArgumentError as error:
                    raise ConfigError(error.message, where=f"{self.path}: {name}") from None

    def _refused(self, name: str, command: argparse.ArgumentParser, *, is_option: bool) -> SteelyardError:
        if is_option:
            hint = Message("core.known", names=", ".join(SETTABLE))
            return ConfigError(Message("cli.not_settable", name=name), where=str(self.path), hint=hint)
        known = [each for each in SETTABLE if name in self.shared or f"--{each}" in command._option_string_actions]
        return UnknownName.of(Message("words.setting"), name, known, where=str(self.path))


def _table(path: Path) -> dict[str, Any] | None:
    """The settings in a file; None if it has none."""
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


class _Default(list[Any]):
    """The values of an option that may be repeated; those of the command line are taken in their place."""

    def __copy__(self) -> list[Any]:
        """What argparse appends to."""
        return []


def _default(parser: argparse.ArgumentParser, action: argparse.Action, value: Any) -> Any:
    """A value of a file as that of an option, read and checked as on the command line."""
    if action.nargs == 0:  # a flag
        if not isinstance(value, bool):
            raise argparse.ArgumentError(None, Message("cli.must_be_flag").text(chosen_language()))
        return action.const if value else action.default
    texts = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if isinstance(action, argparse._AppendAction):
        return _Default(parser._get_values(action, [text]) for text in texts)
    return parser._get_values(action, [",".join(texts)])
