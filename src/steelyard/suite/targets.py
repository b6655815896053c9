"""Targets: the programs of `conformance/targets`, with what they need, and how they are started."""

import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.suite.vectors import suite_folder

OURS: Final = "steelyard"
_SCRIPT: Final = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_NPM: Final = re.compile(r"(?m)^// npm: (.+)$")


@dataclass(frozen=True, slots=True)
class Target:
    """A program of the suite, and the packages that it needs."""

    name: str
    path: Path
    packages: Sequence[str]

    @property
    def is_node(self) -> bool:
        """Whether Node runs it; all others are of Python."""
        return self.path.suffix == ".mjs"

    def command(self, python: str | None = None) -> list[str]:
        """Return the words that start it, by this Python or another; Node is found on the path."""
        program = shutil.which("node") or "node" if self.is_node else python or sys.executable
        return [program, str(self.path)]

    @property
    def install(self) -> str:
        """The command that installs what it needs."""
        return shlex.join(["npm" if self.is_node else "pip", "install", *self.packages])


def read_targets() -> dict[str, Target]:
    """Return the targets by their names; ours is the first."""
    paths = (suite_folder() / "targets").glob("*.target.*")
    found = {path.name.partition(".target")[0]: path for path in sorted(paths)}
    names = sorted(found, key=lambda name: (name != OURS, name.casefold()))
    return {name: Target(name, found[name], _packages(found[name])) for name in names}


def find_target(name: str) -> Target:
    """Return a target by its name."""
    targets = read_targets()
    if name not in targets:
        raise UnknownName.of(Message("words.target"), name, [*targets])
    return targets[name]


def _packages(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    if found := _NPM.search(text):
        return found[1].split()
    script = _SCRIPT.search(text)
    if script is None:
        raise InputError(Message("suite.no_head"), where=str(path))
    lines = (line[2:] for line in script["content"].splitlines())
    return list(tomllib.loads("\n".join(lines)).get("dependencies", []))
