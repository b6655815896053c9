"""`steelyard new CASE`: write a benchmark to start from."""

import argparse
import shlex
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option
from steelyard.i18n import Message

_README = "README.md"
_NAME = "CASE"
"""The name of the folder in the README."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "new",
        help="help.new",
        description="help.new_about",
    )
    parser.add_argument("folder", metavar="CASE", type=Path, help="help.new_folder")
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the folder, and print its files and the commands to run."""
    from steelyard.cli.output import print_text
    from steelyard.io.writing import write_whole
    from steelyard.legal import benchmark

    folder: Path = arguments.folder
    _check_free(folder)
    source = Path(benchmark.__path__[0]) / "starter" / arguments.lang
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text("utf-8")
        write_whole(target, _filled(text, folder) if path.name == _README else text)
        print_text(f"{target}\n")
    commands = (folder / _README).read_text("utf-8").split("```")[1].strip()
    print_text(f"\n{Message('cli.new_commands').text(arguments.lang)}\n\n{commands}\n")
    return 0


def _filled(text: str, folder: Path) -> str:
    """The README with the name of the folder as its title, and its path in the commands."""
    titled = text.replace(f"# {_NAME}", f"# {folder.resolve().name}", 1)
    return titled.replace(_NAME, shlex.quote(str(folder)))


def _check_free(folder: Path) -> None:
    """Refuse a file, and a folder that has content."""
    from steelyard.errors import ConfigError

    if folder.exists() and not (folder.is_dir() and next(folder.iterdir(), None) is None):
        code = "cli.folder_not_empty" if folder.is_dir() else "cli.is_a_file"
        raise ConfigError(Message(code), where=str(folder), hint=Message("cli.other_folder_hint"))
