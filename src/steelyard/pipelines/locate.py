"""Location of the servers of a pipeline: a local folder, the folder of a bundled server, or an address.

A server file that `build` has written and the user has edited can name another program or address (`path`). If a
local program that is not ours imports a module that is not installed, the bundled server of the same folder replaces
it, unless `ServerChoice` forbids it. The server file names the program of the project even then, so that UltraRAG's
client can use the same file.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, InputError, Problem, nearest_name
from steelyard.i18n import Message
from steelyard.io.yamls import Located
from steelyard.pipelines.client import Endpoint
from steelyard.pipelines.import_check import foreign_python, missing_modules
from steelyard.pipelines.manifest import REBUILD_HINT, find_program, read_parameters
from steelyard.pipelines.server import notify
from steelyard.pipelines.ultrarag import rename_parameters
from steelyard.resources import bundled

LOCATION_HINT = Message("pipelines.server_location_hint")
ServerChoice = Literal["auto", "ours", "project"]
"""`auto`: bundled servers replace those that cannot be imported; `ours`: bundled servers if there are any; `project`:
only the servers of the project."""
_NATIVE_IMPORT = re.compile(r"^\s*(?:from|import)\s+steelyard\.pipelines\b", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class ServerLocation:
    """A server of a pipeline: its folder and program, or its address, and the defaults of its parameters.

    `replaces` is the program of the project that a bundled server stands in for. `project_program` is the path that the
    project would use for a bundled server.
    """

    alias: str
    where: str
    folder: Path | None = None
    program: Path | None = None
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    replaces: Path | None = None
    project_program: Path | None = None

    @property
    def manifest_path(self) -> str:
        """The address or program as written to the server file: the program of the project if ours replaces it."""
        return self.address or str(self.replaces or self.project_program or self.program)

    @property
    def is_native(self) -> bool:
        """Whether the program uses `steelyard.pipelines`, so that it can run in this process."""
        if self.program is None:
            return False
        return bool(_NATIVE_IMPORT.search(self.program.read_text("utf-8", errors="replace")))

    @property
    def is_bundled(self) -> bool:
        """Whether it is one of the servers that are installed with steelyard."""
        return self.program is not None and self.program.resolve().is_relative_to(bundled_servers().resolve())

    @property
    def counterpart(self) -> Path | None:
        """The folder of the bundled server of the same name; None if there is none, or if this is it."""
        if self.folder is None or self.is_bundled:
            return None
        folder = bundled_servers() / self.folder.resolve().name
        return folder if folder.is_dir() else None

    @property
    def identity(self) -> str:
        """The address, or the program with a digest of its content."""
        if self.program is None:
            return self.address
        return f"{self.program} {sha256(self.program.read_bytes()).hexdigest()[:16]}"

    @property
    def endpoint(self) -> Endpoint:
        """How to reach the server outside this process."""
        if self.program is None:
            return Endpoint(self.alias, self.where, address=self.address, headers=self.headers)
        python = sys.executable if self.is_native else foreign_python()
        return Endpoint(self.alias, self.where, command=(python, str(self.program)))


def locate_server(
    alias: str,
    entry: Located,
    environment: Mapping[str, str],
    manifest: Located | None = None,
    choice: ServerChoice = "auto",
) -> ServerLocation:
    """Return the location of a server; a folder is looked for in the current folder, then among the bundled servers.

    The program or address in the server file (`manifest`) takes precedence.
    """
    path, headers = _path_and_headers(entry, environment)
    location = ServerLocation(alias, entry.where, headers=headers)
    if _is_address(path):
        location = replace(location, address=path)
    else:
        location = _locate_in_folder(location, path, environment, choice)
    if manifest is None or (choice == "ours" and (location.is_bundled or location.counterpart)):
        return location
    return _apply_manifest(location, manifest, choice)


def select_servers(locations: Mapping[str, ServerLocation], choice: ServerChoice) -> dict[str, ServerLocation]:
    """Replace servers that cannot be imported by bundled ones, or as chosen; notices say which."""
    replaceable = {alias: server for alias, server in locations.items() if server.program and server.counterpart}
    if choice == "project":
        return dict(locations)
    if choice == "ours":
        return {alias: _replace(server) if alias in replaceable else server for alias, server in locations.items()}
    programs = {alias: str(server.program) for alias, server in replaceable.items() if not server.is_native}
    imports = missing_modules(programs, foreign_python()) if programs else {}
    missing = {alias: names for alias, names in imports.items() if names}
    already = [alias for alias, server in locations.items() if server.replaces is not None]
    if missing:
        modules = ", ".join(sorted({name for names in missing.values() for name in names}))
        notify(Message("pipelines.bundled_instead_missing", names=", ".join(missing), modules=modules))
    if already:
        notify(Message("pipelines.bundled_instead_manifest", names=", ".join(already)))
    return {alias: _replace(server) if alias in missing else server for alias, server in locations.items()}


def bundled_servers() -> Path:
    """Return the folder of the bundled servers: in the installed package, or beside the sources."""
    return bundled("servers")


def server_names(*folders: Path) -> list[str]:
    """Return the names of the servers in some folders."""
    entries = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    return sorted({entry.name for entry in entries if (entry / "src").is_dir()})


def nearest_server(folder: Path) -> Message | None:
    """Return a hint with the most similar name of a server beside a folder, or of a bundled one for `servers/NAME`."""
    bundled = [bundled_servers()] if folder.parent.name == bundled_servers().name else []
    name = nearest_name(folder.name, server_names(folder.parent, *bundled))
    return None if name is None else Message("core.nearest_name", name=str(folder.with_name(name)))


def folder_of(program: Path) -> Path:
    """Return the folder of a server from the path of its program."""
    return program.parents[1] if program.parent.name == "src" else program.parent


def is_installed(path: str) -> bool:
    """Return whether a path is that of a bundled server in an installation of steelyard, this one or another."""
    program = Path(path)
    if len(program.parents) < 4 or program.parents[2].name != "servers" or program.parents[0].name != "src":
        return False
    root = program.parents[3]
    packages = (root, root / "src" / "steelyard") if program.is_absolute() else (root,)
    return any(package.name == "steelyard" and (package / "pipelines" / "server.py").is_file() for package in packages)


def _locate_in_folder(
    location: ServerLocation, path: str, environment: Mapping[str, str], choice: ServerChoice
) -> ServerLocation:
    """Return the location of a server in a folder; its parameter file may name another program or an address."""
    folder = _find_folder(path, choice)
    file = folder / "parameter.yaml"
    parameters = read_parameters(file)
    defaults = _defaults(parameters)
    program = str(parameters.get("path", find_program(folder)))
    if _is_address(program):
        headers = _expand_headers(parameters.get("headers") or {}, environment, str(file))
        headers |= location.headers
        return replace(location, folder=folder, address=program, headers=headers, defaults=defaults)
    if not Path(program).is_file():
        hint = nearest_server(Path(path)) or Message("pipelines.expected_program", program=program)
        raise InputError(Message("pipelines.no_server", path=path), where=location.where, hint=hint)
    named = Path(path) / "src" / Path(program).name if folder != Path(path) else None
    return ServerLocation(
        location.alias, location.where, folder, Path(program), defaults=defaults, project_program=named
    )


def _apply_manifest(location: ServerLocation, manifest: Located, choice: ServerChoice) -> ServerLocation:
    """Return the location with the program or address of the server file; a notice says if it differs."""
    fields = manifest.value if isinstance(manifest.value, Mapping) else {}
    path = fields["path"].value if "path" in fields else None
    if not isinstance(path, str) or path in (location.address, str(location.program), location.manifest_path):
        return location
    if is_installed(path) and (choice == "project" or _has_folder_name(location, path)):
        return _replace(location) if choice != "project" else location
    if _is_address(path):
        same_host = urlsplit(path).netloc == urlsplit(location.address).netloc  # headers hold secrets of one host
        other = replace(location, address=path, program=None, headers=location.headers if same_host else {})
    elif Path(path).is_file():
        other = _at_program(location, Path(path), fields)
        if _is_same_file(other.program, location.program):
            return location
    elif _has_folder_name(location, path):
        return location  # the project has been moved
    else:
        raise InputError(Message("pipelines.no_program", path=path), where=fields["path"].where, hint=REBUILD_HINT)
    message = Message(
        "pipelines.program_differs", alias=location.alias, path=path, named=location.address or location.program
    )
    notify(Problem(fields["path"].where, message))
    return other


def _has_folder_name(location: ServerLocation, program: str) -> bool:
    return location.folder is not None and Path(program).parent.parent.name == location.folder.name


def _at_program(location: ServerLocation, program: Path, fields: Mapping[str, Located]) -> ServerLocation:
    folder = folder_of(program)
    named = fields["parameter"].value if "parameter" in fields else None
    file = Path(named) if isinstance(named, str) and Path(named).is_file() else folder / "parameter.yaml"
    return ServerLocation(location.alias, location.where, folder, program, defaults=_defaults(read_parameters(file)))


def _is_same_file(one: Path | None, other: Path | None) -> bool:
    return one is not None and other is not None and one.resolve() == other.resolve()


def _replace(location: ServerLocation) -> ServerLocation:
    """Put the bundled server in place of another of the same folder, whose parameters override our defaults."""
    folder = location.counterpart
    if folder is None:
        return location
    ours = _defaults(read_parameters(folder / "parameter.yaml"))
    theirs, _ = rename_parameters(folder.name, location.defaults, ours)
    return replace(
        location,
        folder=folder,
        program=find_program(folder),
        defaults={**ours, **theirs},
        replaces=location.program,
    )


def _defaults(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in ("path", "headers")}


def _find_folder(path: str, choice: ServerChoice) -> Path:
    folder = Path(path)
    bundled = bundled_servers() / folder.name
    use_bundled = choice != "project" and not folder.is_dir() and folder.parent.name == "servers" and bundled.is_dir()
    return bundled if use_bundled else folder


def _path_and_headers(entry: Located, environment: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if isinstance(entry.value, str):
        return entry.value, {}
    value = entry.plain()
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or set(value) - {"path", "headers"}:
        message = Message("pipelines.server_location_invalid", value=value)
        raise InputError(message, where=entry.where, hint=LOCATION_HINT)
    return value["path"], _expand_headers(value.get("headers") or {}, environment, entry.where)


def _expand_headers(headers: Any, environment: Mapping[str, str], where: str) -> dict[str, str]:
    """Return headers with ${NAME} replaced by environment variables, so that secrets need not be stored in a file."""
    if not isinstance(headers, Mapping) or not all(isinstance(text, str) for text in headers.values()):
        raise InputError(Message("pipelines.headers_type"), where=where)
    for name in (name for text in headers.values() for name in _VARIABLE.findall(text)):
        if name not in environment:
            raise ConfigError(Message("pipelines.variable_not_set", name=name), where=where)
    return {key: _VARIABLE.sub(lambda match: environment[match[1]], text) for key, text in headers.items()}


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))
