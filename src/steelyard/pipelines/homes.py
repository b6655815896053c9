"""Where the servers of a pipeline live: a folder here, the one that comes with steelyard, or an address."""

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError
from steelyard.formats.yamls import Located
from steelyard.pipelines.offers import read_parameters
from steelyard.pipelines.remote import Place

HOME_HINT = "a server is a folder, an address (http://…), or a mapping with path and headers"
_OURS = re.compile(r"^\s*(?:from|import)\s+steelyard\.pipelines\b", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Home:
    """A server as a pipeline names it: its folder and program, or its address, and the defaults of its parameters."""

    alias: str
    where: str
    folder: Path | None = None
    program: Path | None = None
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ours(self) -> bool:
        """Whether the program makes a Server of ours, which can run in this process."""
        return self.program is not None and bool(_OURS.search(self.program.read_text("utf-8", errors="replace")))

    @property
    def bundled(self) -> bool:
        """Whether it is one of the servers that come with steelyard."""
        return self.program is not None and self.program.resolve().is_relative_to(bundled_servers().resolve())

    @property
    def origin(self) -> str:
        """The address, or the program with a digest of what it says: another server has another."""
        if self.program is None:
            return self.address
        return f"{self.program} {sha256(self.program.read_bytes()).hexdigest()[:16]}"

    @property
    def place(self) -> Place:
        """How to reach the server outside this process."""
        if self.program is None:
            return Place(self.alias, self.where, address=self.address, headers=self.headers)
        # others are started as UltraRAG starts them: by the python of the user's path
        python = sys.executable if self.ours else shutil.which("python") or sys.executable
        return Place(self.alias, self.where, command=(python, str(self.program)))


def find_home(alias: str, found: Located, environment: Mapping[str, str]) -> Home:
    """The home of a server; folders are looked for from the current one, then among those that come with steelyard."""
    said, headers = _path_and_headers(found, environment)
    if _is_address(said):
        return Home(alias, found.where, address=said, headers=headers)
    folder = _folder(said)
    parameters = read_parameters(folder / "parameter.yaml") if (folder / "parameter.yaml").is_file() else {}
    defaults = {name: value for name, value in parameters.items() if name not in ("path", "headers")}
    program = str(parameters.get("path", folder / "src" / f"{folder.name}.py"))
    if _is_address(program):
        more = _expanded(parameters.get("headers") or {}, environment, str(folder / "parameter.yaml"))
        return Home(alias, found.where, folder, address=program, headers={**more, **headers}, defaults=defaults)
    if not Path(program).is_file():
        raise InputError(f"there is no server at {said!r}", where=found.where, hint=f"its program is {program}")
    return Home(alias, found.where, folder, Path(program), defaults=defaults)


def bundled_servers() -> Path:
    """Where our own servers are: inside the installed package, or beside the sources."""
    package = Path(__file__).parents[1]
    installed = package / "servers"
    return installed if installed.is_dir() else package.parents[1] / "servers"


def _folder(said: str) -> Path:
    folder = Path(said)
    ours = bundled_servers() / folder.name
    return ours if not folder.is_dir() and folder.parent.name == "servers" and ours.is_dir() else folder


def _path_and_headers(found: Located, environment: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if isinstance(found.value, str):
        return found.value, {}
    said = found.plain()
    if not isinstance(said, dict) or not isinstance(said.get("path"), str) or set(said) - {"path", "headers"}:
        raise InputError(
            f"a server is named by a folder or an address, not {said!r}", where=found.where, hint=HOME_HINT
        )
    return said["path"], _expanded(said.get("headers") or {}, environment, found.where)


def _expanded(headers: Any, environment: Mapping[str, str], where: str) -> dict[str, str]:
    """Headers with ${NAME} taken from the environment, so that no secret stands in a file."""
    if not isinstance(headers, Mapping) or not all(isinstance(text, str) for text in headers.values()):
        raise InputError("headers are a mapping of names to texts", where=where)
    for name in (name for text in headers.values() for name in _VARIABLE.findall(text)):
        if name not in environment:
            raise ConfigError(f"the environment variable {name} is not set", where=where)
    return {key: _VARIABLE.sub(lambda match: environment[match[1]], text) for key, text in headers.items()}


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))
