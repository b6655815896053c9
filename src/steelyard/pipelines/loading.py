"""Servers of a pipeline, brought into this process or reached outside it, and the parameters that a run gives them."""

import difflib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError, SteelyardError, SystemFailure, nearest
from steelyard.formats.yamls import Located, read_yaml
from steelyard.pipelines.homes import Home, find_home
from steelyard.pipelines.offers import OFFER_HINT, Caller, read_offer
from steelyard.pipelines.remote import Fleet, Place
from steelyard.pipelines.server import Server, Tool, binding_of
from steelyard.pipelines.spec import Pipeline, each_step
from steelyard.pipelines.unavailable import refuse_server, refuse_unavailable

EMPTY_HINT = "delete it to use the defaults of the servers, or write it anew: steelyard build"
PROMPT_OUTPUT = ("prompt_ls",)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A server with what it offers; `place` is where it must be started or reached, None in this process."""

    home: Home
    tools: Mapping[str, Tool]
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of each server, the place in a file of those that a file says, and servers that are not in use."""

    values: dict[str, dict[str, Any]]
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()


def load_servers(pipeline: Pipeline, fleet: Fleet, *, isolated: bool = False, anew: bool = False) -> dict[str, Loaded]:
    """The servers that a pipeline uses; a foreign one is started only if no file says what it offers, or if `anew`."""
    for found in pipeline.servers.values():
        refuse_server(found)
    homes = {alias: find_home(alias, found, fleet.environment) for alias, found in pipeline.servers.items()}
    refuse_unavailable(each_step(pipeline.steps), homes)
    used: dict[str, set[str]] = {alias: set() for alias in homes}
    for step in each_step(pipeline.steps):
        used.get(step.server, set()).add(step.tool)
    said = {} if anew else _server_file(pipeline)
    asked = [home for alias, home in homes.items() if used[alias] and not home.ours and _must_ask(home, said, anew)]
    fleet.start(home.place for home in asked)
    return {
        alias: _load(home, fleet, said.get(alias), isolated=isolated, ask=home in asked)
        for alias, home in homes.items()
        if used[alias]
    }


def parameters_for(
    pipeline: Pipeline, loaded: Mapping[str, Loaded], chosen: Path | None, *, empty: bool = False
) -> Parameters:
    """The parameters of each server: its defaults, and above them what the parameter file says; it may be `empty`."""
    path = _parameter_file(pipeline, chosen)
    sections = _sections(path, pipeline, empty=empty) if path is not None else {}
    own = {alias: section.plain() or {} for alias, section in sections.items()}
    values = {alias: {**found.home.defaults, **own.get(alias, {})} for alias, found in loaded.items()}
    places = {
        (alias, name): found.where
        for alias, section in sections.items()
        for name, found in (section.value or {}).items()
    }
    return Parameters(values, places, tuple(alias for alias in sections if alias not in pipeline.servers))


def parameter_path(pipeline: Pipeline) -> Path:
    """Where `build` writes the parameters."""
    return pipeline.path.parent / "parameters" / f"{pipeline.path.stem}_parameter.yaml"


def server_path(pipeline: Pipeline) -> Path:
    """Where `build` writes what the servers offer."""
    return pipeline.path.parent / "server" / f"{pipeline.path.stem}_server.yaml"


def load_program(program: Path, where: str | None = None, *, name: str = "") -> Server:
    """The one Server that a program makes."""
    key = f"steelyard_server_{name or program.stem}"
    spec = importlib.util.spec_from_file_location(key, program)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{program} cannot be imported", where=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    folder = str(program.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # as if the program were run: what lies beside it can be imported
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a program of the user may fail in any way
        raise ConfigError(f"{program} cannot be imported: {type(error).__name__}: {error}", where=where) from error
    found = [value for value in vars(module).values() if isinstance(value, Server)]
    if len(found) != 1:
        raise ConfigError(f"{program} makes {len(found)} servers, one is needed", where=where)
    return found[0]


def _load(home: Home, fleet: Fleet, said: Located | None, *, isolated: bool, ask: bool) -> Loaded:
    caller = fleet.caller(home.alias)
    if home.ours and home.program is not None:
        made = load_program(home.program, home.where, name=home.alias).tools
        tools = _edited(dict(made) if home.bundled else _guarded(made), said, caller)
        return Loaded(home, _elsewhere(tools, caller), home.place) if isolated else Loaded(home, tools)
    if said is not None and not ask:
        return Loaded(home, read_offer(said, caller), home.place)
    # a server on another machine cannot write here: what it lists must do
    file = home.folder / "server.yaml" if home.folder is not None and home.program is not None else None
    if ask and file is not None and any(tool["name"] == "build" for tool in fleet.listing(home.alias)):
        fleet.call(home.alias, "build", {"parameter_file": str(file.with_name("parameter.yaml"))})
    offered = read_offer(read_yaml(file), caller) if file is not None and file.is_file() else _listed(home, fleet)
    return Loaded(home, offered, home.place)


def _edited(tools: dict[str, Tool], said: Located | None, caller: Caller) -> dict[str, Tool]:
    """Tools of ours with the bindings that the user's server file says."""
    for name, filed in (read_offer(said, caller) if said is not None else {}).items():
        if name not in tools:
            continue
        try:
            inspect.signature(tools[name].function).bind(**dict.fromkeys(filed.binding.inputs))
        except TypeError as error:
            raise InputError(f"{name}: {error}", where=said.where if said else None, hint=OFFER_HINT) from None
        tools[name] = replace(tools[name], binding=filed.binding)
    return tools


def _guarded(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Tools of a user's server, whose bugs are failures of that server and not ours."""

    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(**arguments: Any) -> Any:
            try:
                return function(**arguments)
            except SteelyardError:
                raise
            except Exception as error:  # a bug of the user's tool is not ours
                raise SystemFailure(f"{type(error).__name__}: {error}") from error

        return guarded

    return {name: replace(tool, function=guard(tool.function)) for name, tool in tools.items()}


def _elsewhere(tools: Mapping[str, Tool], caller: Caller) -> dict[str, Tool]:
    return {name: replace(tool, function=caller(tool.kind, name)) for name, tool in tools.items()}


def _listed(home: Home, fleet: Fleet) -> dict[str, Tool]:
    """What a server lists over MCP, bound by the annotation of each tool; a prompt gives prompt_ls."""
    caller, found = fleet.caller(home.alias), {}
    for tool in fleet.listing(home.alias):
        note = (tool.get("annotations") or {}).get("output") or (tool.get("_meta") or {}).get("output") or ""
        schema = tool["inputSchema"]
        arguments = list(schema.get("properties", {}))
        optional = [name for name in arguments if name not in schema.get("required", ())]
        binding = binding_of(note, tool["name"], arguments, optional)
        found[tool["name"]] = Tool(tool["name"], caller("tool", tool["name"]), binding, note=note)
    for prompt in fleet.prompts(home.alias):
        arguments = [argument.name for argument in prompt.arguments or ()]
        optional = [argument.name for argument in prompt.arguments or () if not argument.required]
        binding = replace(binding_of("", prompt.name, arguments, optional), outputs=PROMPT_OUTPUT)
        found[prompt.name] = Tool(prompt.name, caller("prompt", prompt.name), binding, "prompt")
    return found


def _must_ask(home: Home, said: Mapping[str, Located], anew: bool) -> bool:
    """Whether no file says what a foreign server offers, or one that is older than the server."""
    if anew or home.folder is None or home.program is None:
        return anew or home.alias not in said
    file, sources = home.folder / "server.yaml", [home.program, home.folder / "parameter.yaml"]
    newest = max(source.stat().st_mtime for source in sources if source.exists())
    return home.alias not in said and not (file.is_file() and file.stat().st_mtime >= newest)


def _server_file(pipeline: Pipeline) -> Mapping[str, Located]:
    path = server_path(pipeline)
    if not path.exists():
        return {}
    content = read_yaml(path)
    if not isinstance(content.value, Mapping):
        raise InputError("a server file is a mapping", where=content.where, hint=OFFER_HINT)
    return content.value


def _sections(path: Path, pipeline: Pipeline, *, empty: bool) -> Mapping[str, Located]:
    """The parameter file: a section for each server that it knows."""
    content = read_yaml(path)
    if content.value is None and empty:
        return {}
    if content.value is None:
        raise InputError("there are no parameters in it", where=str(path), hint=EMPTY_HINT)
    if not isinstance(content.value, Mapping):
        raise InputError("parameters are a mapping from servers to mappings", where=content.where, hint=EMPTY_HINT)
    sections: Mapping[str, Located] = content.value
    for alias, section in sections.items():
        if alias not in pipeline.servers and difflib.get_close_matches(alias, pipeline.servers):
            hint = nearest(alias, pipeline.servers)
            raise InputError(f"the pipeline has no server {alias!r}", where=section.where, hint=hint)
        if not isinstance(section.value, Mapping | None):
            raise InputError(f"the parameters of {alias!r} are a mapping", where=section.where)
    return sections


def _parameter_file(pipeline: Pipeline, chosen: Path | None) -> Path | None:
    if chosen is not None:
        places = [chosen, pipeline.path.parent / chosen]
        found = next((place for place in places if place.exists()), None)
        if found is None:
            raise InputError("no such file", where=str(chosen))
        return found
    upstream = pipeline.path.parent / "parameter" / f"{pipeline.path.stem}_parameter.yaml"
    return next((place for place in (parameter_path(pipeline), upstream) if place.exists()), None)
