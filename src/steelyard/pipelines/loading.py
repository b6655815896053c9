"""Servers of a pipeline brought into this process, and the parameters that a run gives them."""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError
from steelyard.formats.yamls import Located, read_yaml
from steelyard.pipelines.server import Server
from steelyard.pipelines.spec import Pipeline

FOREIGN_HINT = "only servers made with steelyard.pipelines.server.Server can be run so far"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A server in this process, the folder that the pipeline names, and the defaults of its parameters."""

    server: Server
    folder: Path
    defaults: Mapping[str, Any]


def load_servers(pipeline: Pipeline) -> dict[str, Loaded]:
    """Every server of a pipeline; folders are looked for from the current one."""
    return {alias: load_server(Path(found.value), found.where) for alias, found in pipeline.servers.items()}


def load_server(folder: Path, where: str) -> Loaded:
    """The server in a folder: `src/<folder>.py`, or the `path` of its parameter.yaml."""
    defaults = read_parameters(folder / "parameter.yaml") if (folder / "parameter.yaml").exists() else {}
    program = Path(defaults.get("path", folder / "src" / f"{folder.name}.py"))
    if not program.is_file():
        raise InputError(f"there is no server at {str(folder)!r}", where=where, hint=f"its program is {program}")
    if "steelyard" not in program.read_text("utf-8", errors="replace"):
        raise ConfigError(f"the server {str(folder)!r} is a foreign one", where=where, hint=FOREIGN_HINT)
    return Loaded(_server_in(program, where), folder, {key: defaults[key] for key in defaults if key != "path"})


def read_parameters(path: Path) -> dict[str, Any]:
    """A file of parameters: a mapping, or nothing."""
    content = read_yaml(path)
    if content.value is None:
        return {}
    if not isinstance(content.value, Mapping):
        raise InputError("parameters are a mapping", where=content.where)
    return {key: found.plain() for key, found in content.value.items()}


def parameters_for(pipeline: Pipeline, loaded: Mapping[str, Loaded], chosen: Path | None) -> dict[str, dict[str, Any]]:
    """The parameters of each server: its defaults, and above them what the parameter file says."""
    path = _parameter_file(pipeline, chosen)
    said = read_yaml(path) if path is not None else Located({}, "")
    sections = said.value if isinstance(said.value, Mapping) else {}
    for alias, section in sections.items():
        if alias not in loaded:
            raise InputError(f"the pipeline has no server {alias!r}", where=section.where)
        if not isinstance(section.value, Mapping | None):
            raise InputError(f"the parameters of {alias!r} are a mapping", where=section.where)
    own = {alias: sections[alias].plain() or {} for alias in sections}
    return {alias: {**found.defaults, **own.get(alias, {})} for alias, found in loaded.items()}


def parameter_path(pipeline: Pipeline) -> Path:
    """Where `build` writes the parameters."""
    return pipeline.path.parent / "parameters" / f"{pipeline.path.stem}_parameter.yaml"


def _parameter_file(pipeline: Pipeline, chosen: Path | None) -> Path | None:
    if chosen is not None:
        places = [chosen, pipeline.path.parent / chosen]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise InputError("no such file", where=str(chosen))
        return found
    upstream = pipeline.path.parent / "parameter" / f"{pipeline.path.stem}_parameter.yaml"
    return next((place for place in (parameter_path(pipeline), upstream) if place.is_file()), None)


def _server_in(program: Path, where: str) -> Server:
    """The one Server that a program makes."""
    name = f"steelyard_server_{program.stem}"
    spec = importlib.util.spec_from_file_location(name, program)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{program} cannot be imported", where=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, Server)]
    if len(found) != 1:
        raise ConfigError(f"{program} makes {len(found)} servers, one is needed", where=where)
    return found[0]
