"""Defaults of options from a file: `steelyard.toml`, or `[tool.steelyard]` in a `pyproject.toml`.

The nearest file counts, from the current folder upwards. It may be a stranger's, who gave the folder: so it sets only
options that run no code, send nothing, and name no file.
"""

import argparse
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self

from steelyard.cli.language import chosen_language
from steelyard.cli.parser import COMMANDS
from steelyard.errors import ConfigError, InputError, nearest
from steelyard.i18n import Message

SETTABLE: Final = (
    *("lang", "quiet", "verbose", "plot", "mask", "strict", "concurrency", "timeout", "retries", "rate"),
    *("metric", "cutoffs", "missing", "relevance-level", "depth", "trec-eval", "profile", "tokens", "map", "tags"),
    *("strip-citations", "type", "by", "test", "resamples", "correction", "alpha", "seed", "units", "lower-is-better"),
    *("require", "no-fall", "max-errors", "allow-errors"),
)
_OWN, _PROJECT = "steelyard.toml", "pyproject.toml"


class Settings(NamedTuple):
    """What a file has for a command; `own` are the names in its own table, which count before those of all commands."""

    path: Path | None = None
    values: Mapping[str, Any] = MappingProxyType({})
    own: Collection[str] = ()

    @classmethod
    def read(cls, folder: Path, command: str) -> Self:
        """The settings that a command has in a folder."""
        files = (each / name for each in (folder, *folder.parents) for name in (_OWN, _PROJECT))
        path, table = next(((path, table) for path in files if (table := _table(path)) is not None), (None, {}))
        tables = {name: value for name, value in table.items() if isinstance(value, dict)}
        for name in tables:
            _check_name(name, COMMANDS, path)
        own = tables.get(command, {})
        return cls(path, {name: value for name, value in table.items() if name not in tables} | own, own)

    def put_into(self, program: argparse.ArgumentParser, command: argparse.ArgumentParser) -> None:
        """Make them the defaults of options: of the program if it has the option too, since it may be given there."""
        for name, value in self.values.items():
            known = [each for each in SETTABLE if name not in self.own or f"--{each}" in command._option_string_actions]
            _check_name(name, known, self.path)
            parser = program if f"--{name}" in program._option_string_actions else command
            if (action := parser._option_string_actions.get(f"--{name}")) is not None:
                try:
                    parser.set_defaults(**{action.dest: _default(parser, action, value)})
                except argparse.ArgumentError as error:
                    raise ConfigError(error.message, where=f"{self.path}: {name}") from None


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


def _check_name(name: str, known: Sequence[str], path: Path | None) -> None:
    if name not in known:
        raise ConfigError(Message("cli.not_settable", name=name), where=str(path), hint=nearest(name, known))


class _Default(list[Any]):
    """The values of an option that may be repeated; those of the command line are taken in their place."""

    def __copy__(self) -> list[Any]:
        """What argparse appends to."""
        return []


def _default(parser: argparse.ArgumentParser, action: argparse.Action, value: Any) -> Any:
    """A value of a file as that of an option, read and checked as on the command line."""
    if action.nargs == 0:  # a flag
        if not isinstance(value, bool):
            raise argparse.ArgumentError(None, Message("words.true_or_false").text(chosen_language()))
        return action.const if value else action.default
    texts = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if isinstance(action, argparse._AppendAction):
        return _Default(parser._get_values(action, [text]) for text in texts)
    return parser._get_values(action, [",".join(texts)])
