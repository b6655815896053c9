"""Where the servers of a pipeline are: a folder here, the one that comes with steelyard, or an address.

A server file that `build` wrote and a user edited says where they are with `path`. A program here that is not ours and
imports what is not installed is replaced by our server of the same folder, if there is one; `Choice` says otherwise.
A server file names the program of the project even then, so that UltraRAG's client can use the same file.
"""

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, InputError, Problem, nearest_name
from steelyard.i18n import Message
from steelyard.io.yamls import Located
from steelyard.pipelines.import_check import missing_modules
from steelyard.pipelines.offers import OFFER_HINT, program_of, read_parameters
from steelyard.pipelines.remote import Place
from steelyard.pipelines.renamed import renew
from steelyard.pipelines.server import say
from steelyard.resources import bundled

HOME_HINT = Message("pipelines.server_folder_address_http_mapping")
Choice = Literal["auto", "ours", "project"]
"""Which servers run: ours where the project's cannot, ours wherever there is one, or the project's alone."""
CHOICES: tuple[Choice, ...] = get_args(Choice)
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
    replaces: Path | None = None
    named: Path | None = None

    @property
    def filed(self) -> str:
        """The address or the program as a server file names it: the project's program where ours replaces it."""
        return self.address or str(self.replaces or self.named or self.program)

    @property
    def ours(self) -> bool:
        """Whether the program makes a Server of ours, which can run in this process."""
        return self.program is not None and bool(_OURS.search(self.program.read_text("utf-8", errors="replace")))

    @property
    def bundled(self) -> bool:
        """Whether it is one of the servers that come with steelyard."""
        return self.program is not None and self.program.resolve().is_relative_to(bundled_servers().resolve())

    @property
    def counterpart(self) -> Path | None:
        """Our server of the same folder, if this is another."""
        ours = bundled_servers() / self.folder.resolve().name if self.folder is not None and not self.bundled else None
        return ours if ours is not None and ours.is_dir() else None

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
        python = sys.executable if self.ours else foreign_python()
        return Place(self.alias, self.where, command=(python, str(self.program)))


def find_home(
    alias: str, found: Located, environment: Mapping[str, str], filed: Located | None = None, choice: Choice = "auto"
) -> Home:
    """The home of a server; folders are looked for from the current one, then among those that come with steelyard.

    What the server file says of it (`filed`) has the last word, if it names a program or an address.
    """
    said, headers = _path_and_headers(found, environment)
    home = (
        Home(alias, found.where, address=said, headers=headers)
        if _is_address(said)
        else _in_folder(Home(alias, found.where, headers=headers), said, environment, choice)
    )
    if filed is None or (choice == "ours" and (home.bundled or home.counterpart)):
        return home
    return _as_filed(home, filed, choice)


def choose_servers(homes: Mapping[str, Home], choice: Choice) -> dict[str, Home]:
    """The homes with ours in place of those whose program cannot be imported, or as was chosen; one notice says so."""
    others = {alias: home for alias, home in homes.items() if home.program and home.counterpart}
    if choice == "project":
        return dict(homes)
    if choice == "ours":
        return {alias: _stand_in(home) if alias in others else home for alias, home in homes.items()}
    programs = {alias: str(home.program) for alias, home in others.items() if not home.ours}
    missing = {alias: names for alias, names in missing_modules(programs, foreign_python()).items() if names}
    filed = [alias for alias, home in homes.items() if home.replaces is not None]
    if missing:
        modules = ", ".join(sorted({name for names in missing.values() for name in names}))
        say(Message("pipelines.servers_steelyard_instead_projects_not", names=", ".join(missing), modules=modules))
    if filed:
        say(Message("pipelines.servers_steelyard_instead_projects_server", names=", ".join(filed)))
    return {alias: _stand_in(home) if alias in missing else home for alias, home in homes.items()}


def foreign_python() -> str:
    """What starts the programs of others, as UltraRAG starts them: the python of the user's path."""
    return shutil.which("python") or sys.executable


def bundled_servers() -> Path:
    """The servers that come with the package."""
    return bundled("servers")


def server_names(*folders: Path) -> list[str]:
    """The names of the servers in some folders."""
    there = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    return sorted({entry.name for entry in there if (entry / "src").is_dir()})


def nearest_server(folder: Path) -> Message | None:
    """The hint that offers the server of the most similar name beside a folder, or among ours below `servers`."""
    ours = [bundled_servers()] if folder.parent.name == bundled_servers().name else []
    name = nearest_name(folder.name, server_names(folder.parent, *ours))
    return None if name is None else Message("core.nearest_name", name=str(folder.with_name(name)))


def _in_folder(home: Home, said: str, environment: Mapping[str, str], choice: Choice) -> Home:
    """The home in a folder, whose parameter file may name another program or an address."""
    folder = _folder(said, choice)
    file = folder / "parameter.yaml"
    parameters = read_parameters(file) if file.is_file() else {}
    defaults = _defaults(parameters)
    program = str(parameters.get("path", program_of(folder)))
    if _is_address(program):
        more = _expanded(parameters.get("headers") or {}, environment, str(file))
        return replace(home, folder=folder, address=program, headers={**more, **home.headers}, defaults=defaults)
    if not Path(program).is_file():
        hint = nearest_server(Path(said)) or Message("pipelines.its_program", program=program)
        raise InputError(Message("pipelines.no_server", said=said), where=home.where, hint=hint)
    named = Path(said) / "src" / Path(program).name if folder != Path(said) else None
    return Home(home.alias, home.where, folder, Path(program), defaults=defaults, named=named)


def _as_filed(home: Home, filed: Located, choice: Choice) -> Home:
    """The home with the program, or the address, that the server file names; that it is another is said."""
    fields = filed.value if isinstance(filed.value, Mapping) else {}
    path = fields["path"].value if "path" in fields else None
    if not isinstance(path, str) or path in (home.address, str(home.program), home.filed):
        return home
    if is_installed(path) and (choice == "project" or _is_folder_of(home, path)):
        return _stand_in(home) if choice != "project" else home
    if _is_address(path):
        same = urlsplit(path).netloc == urlsplit(home.address).netloc  # headers hold secrets of one host
        other = replace(home, address=path, program=None, headers=home.headers if same else {})
    elif Path(path).is_file():
        other = _at_program(home, Path(path), fields)
        if _is_same(other.program, home.program):
            return home
    elif _is_folder_of(home, path):
        return home  # the folder has moved with the project
    else:
        raise InputError(Message("pipelines.no_program", path=path), where=fields["path"].where, hint=OFFER_HINT)
    named = home.address or home.program
    say(Problem(fields["path"].where, Message("pipelines.program_differs", alias=home.alias, path=path, named=named)))
    return other


def folder_of(program: Path) -> Path:
    """The folder of a server by its program."""
    return program.parents[1] if program.parent.name == "src" else program.parent


def is_installed(path: str) -> bool:
    """Whether a path is that of a server in an installation of steelyard, this one or another."""
    program = Path(path)
    if len(program.parents) < 4 or program.parents[2].name != "servers" or program.parents[0].name != "src":
        return False
    root = program.parents[3]
    packages = (root, root / "src" / "steelyard") if program.is_absolute() else (root,)
    return any(each.name == "steelyard" and (each / "pipelines" / "homes.py").is_file() for each in packages)


def _is_folder_of(home: Home, program: str) -> bool:
    return home.folder is not None and Path(program).parent.parent.name == home.folder.name


def _at_program(home: Home, program: Path, fields: Mapping[str, Located]) -> Home:
    folder = folder_of(program)
    named = fields["parameter"].value if "parameter" in fields else None
    file = Path(named) if isinstance(named, str) and Path(named).is_file() else folder / "parameter.yaml"
    defaults = _defaults(read_parameters(file)) if file.is_file() else {}
    return Home(home.alias, home.where, folder, program, defaults=defaults)


def _is_same(one: Path | None, other: Path | None) -> bool:
    return one is not None and other is not None and one.resolve() == other.resolve()


def _stand_in(home: Home) -> Home:
    """Our server in place of another of the same folder; the parameters of that one go before our defaults."""
    folder = home.counterpart
    if folder is None:
        return home
    file = folder / "parameter.yaml"
    ours = _defaults(read_parameters(file)) if file.is_file() else {}
    theirs, _ = renew(folder.name, home.defaults, ours)
    return replace(home, folder=folder, program=program_of(folder), defaults={**ours, **theirs}, replaces=home.program)


def _defaults(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in ("path", "headers")}


def _folder(said: str, choice: Choice) -> Path:
    folder = Path(said)
    ours = bundled_servers() / folder.name
    taken = choice != "project" and not folder.is_dir() and folder.parent.name == "servers" and ours.is_dir()
    return ours if taken else folder


def _path_and_headers(found: Located, environment: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if isinstance(found.value, str):
        return found.value, {}
    said = found.plain()
    if not isinstance(said, dict) or not isinstance(said.get("path"), str) or set(said) - {"path", "headers"}:
        raise InputError(
            Message("pipelines.server_named_folder_address_not", said=said), where=found.where, hint=HOME_HINT
        )
    return said["path"], _expanded(said.get("headers") or {}, environment, found.where)


def _expanded(headers: Any, environment: Mapping[str, str], where: str) -> dict[str, str]:
    """Headers with ${NAME} taken from the environment, so that no secret stands in a file."""
    if not isinstance(headers, Mapping) or not all(isinstance(text, str) for text in headers.values()):
        raise InputError(Message("pipelines.headers_mapping_names_texts"), where=where)
    for name in (name for text in headers.values() for name in _VARIABLE.findall(text)):
        if name not in environment:
            raise ConfigError(Message("pipelines.environment_variable_not_set", name=name), where=where)
    return {key: _VARIABLE.sub(lambda match: environment[match[1]], text) for key, text in headers.items()}


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))
