"""Servers of a pipeline, brought into this process or reached outside it, and the parameters that a run gives them."""

import difflib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError, Problem, SteelyardError, SystemFailure, nearest
from steelyard.i18n import Message
from steelyard.io.yamls import Located, read_yaml
from steelyard.pipelines.homes import Choice, Home, choose_servers, find_home
from steelyard.pipelines.offers import OFFER_HINT, Caller, read_offer
from steelyard.pipelines.remote import Fleet, Place
from steelyard.pipelines.renamed import renew
from steelyard.pipelines.server import Server, Tool, binding_of, say
from steelyard.pipelines.spec import Pipeline, each_step
from steelyard.pipelines.unavailable import offers_all, refuse_server, refuse_unavailable

EMPTY_HINT = Message("pipelines.delete_use_defaults_servers_write")
OURS_HINT = Message("pipelines.run_by_hand_or_ours")
THEIRS_HINT = Message("pipelines.activate_ultrarag")
PROMPT_OUTPUT = ("prompt_ls",)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A server with what it offers; `place` is where it must be started or reached, None in this process."""

    home: Home
    tools: Mapping[str, Tool]
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of each server, the place in a file of those that a file says, and servers that are not in use.

    `said` is what the file says by itself, under the names of today; `sections` is the same with every place.
    """

    values: dict[str, dict[str, Any]]
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sections: Mapping[str, Located] = field(default_factory=dict)
    renamed: bool = False

    def located(self, alias: str, names: Iterable[str]) -> dict[str, Located]:
        """What the file says of parameters of a server, with the place of every value."""
        section = self.sections[alias].value if alias in self.sections else None
        return {name: section[name] for name in names if name in section} if isinstance(section, Mapping) else {}

    def key_map(self, alias: str, name: str) -> str | None:
        """Where the file says the key_map of a parameter."""
        section = self.sections[alias].value if alias in self.sections else None
        fields = section[name].value if isinstance(section, Mapping) and name in section else None
        return fields["key_map"].where if isinstance(fields, Mapping) and "key_map" in fields else None


def load_servers(
    pipeline: Pipeline, fleet: Fleet, *, isolated: bool = False, anew: bool = False, choice: Choice = "auto"
) -> dict[str, Loaded]:
    """The servers that a pipeline uses; a foreign one is started only if no file says what it offers, or if `anew`."""
    for named in pipeline.servers.values():
        refuse_server(named)
    said = {} if anew else server_file(pipeline)
    used = {step.server for step in each_step(pipeline.steps)}
    found = {
        alias: find_home(alias, named, fleet.environment, said.get(alias), choice)
        for alias, named in pipeline.servers.items()
    }
    homes = choose_servers({alias: home for alias, home in found.items() if alias in used}, choice)
    refuse_unavailable(each_step(pipeline.steps), homes, choice)
    asked = [home for home in homes.values() if not home.ours and _must_ask(home, said, anew)]
    start_servers(fleet, asked, pipeline, homes)
    return {
        alias: _load(home, fleet, said.get(alias), isolated=isolated, ask=home in asked)
        for alias, home in homes.items()
    }


def start_servers(fleet: Fleet, asked: Iterable[Home], pipeline: Pipeline, homes: Mapping[str, Home]) -> None:
    """Start servers; of one that does not, the hint says whether ours have all tools that the pipeline uses."""
    asked = list(asked)
    try:
        fleet.start(home.place for home in asked)
    except SystemFailure as error:
        failed = next((home for home in asked if home.where == error.where and home.counterpart), None)
        if failed is None:
            raise
        hint = OURS_HINT if offers_all(each_step(pipeline.steps), homes) else THEIRS_HINT
        raise SystemFailure(error.message, where=error.where, hint=hint) from None


def parameters_for(
    pipeline: Pipeline, loaded: Mapping[str, Loaded], chosen: Path | None, *, empty: bool = False
) -> Parameters:
    """The parameters of each server: its defaults, and above them what the parameter file says; it may be `empty`.

    Names of older versions are read as those of today, which is said.
    """
    path = _parameter_file(pipeline, chosen)
    sections = _sections(path, pipeline, empty=empty) if path is not None else {}
    said, places, moved = {}, {}, False
    for alias, section in sections.items():
        said[alias], renamed = _renewed(section, loaded.get(alias))
        for name, found in (section.value or {}).items():
            places[alias, renamed.get(name, name).partition(".")[0]] = found.where
        moved = moved or bool(renamed)
    values = {alias: {**found.home.defaults, **said.get(alias, {})} for alias, found in loaded.items()}
    unused = tuple(alias for alias in sections if alias not in pipeline.servers)
    return Parameters(values, places, unused, said, sections, moved)


def _renewed(section: Located, found: Loaded | None) -> tuple[dict[str, Any], dict[str, str]]:
    """A section of the parameter file under the names of today, if the server is one of ours."""
    plain = section.plain() or {}
    if found is None or not found.home.bundled or found.home.folder is None:
        return plain, {}
    values, renamed = renew(found.home.folder.name, plain, found.home.defaults)
    for old, new in renamed.items():
        first = section.value[old.partition(".")[0]]
        say(Problem(first.where, Message("pipelines.renamed", old=old, new=new)))
    return values, renamed


def parameter_path(pipeline: Pipeline) -> Path:
    """The parameter file that `build` writes and `run` reads: the one that is there, in the folder that is there."""
    files = _parameter_files(pipeline)
    there = next((path for path in files if path.exists()), None)
    return there or next((path for path in files if path.parent.is_dir()), files[0])


def _parameter_files(pipeline: Pipeline) -> tuple[Path, Path]:
    """Where the parameters of a pipeline may be: in our folder, or in UltraRAG's."""
    folder, name = pipeline.path.parent, f"{pipeline.path.stem}_parameter.yaml"
    return folder / "parameters" / name, folder / "parameter" / name


def server_path(pipeline: Pipeline) -> Path:
    """Where `build` writes what the servers offer."""
    return pipeline.path.parent / "server" / f"{pipeline.path.stem}_server.yaml"


def load_program(program: Path, where: str | None = None, *, name: str = "") -> Server:
    """The one Server that a program makes."""
    key = f"steelyard_server_{name or program.stem}"
    spec = importlib.util.spec_from_file_location(key, program)
    if spec is None or spec.loader is None:
        raise ConfigError(Message("pipelines.program_unreadable", program=program), where=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    folder = str(program.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # as if the program were run: what lies beside it can be imported
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a program of the user may fail in any way
        raise ConfigError(
            Message("pipelines.program_failed", program=program, name=type(error).__name__, error=error), where=where
        ) from error
    found = [value for value in vars(module).values() if isinstance(value, Server)]
    if len(found) != 1:
        raise ConfigError(Message("pipelines.makes_servers_one_needed", program=program, found=len(found)), where=where)
    return found[0]


def _load(home: Home, fleet: Fleet, said: Located | None, *, isolated: bool, ask: bool) -> Loaded:
    caller = fleet.caller(home.alias)
    if home.ours and home.program is not None:
        made = load_program(home.program, home.where, name=home.alias).tools
        tools = _edited(home, dict(made) if home.bundled else _guarded(made), said, caller)
        return Loaded(home, _elsewhere(tools, caller), home.place) if isolated else Loaded(home, tools)
    if said is not None and not ask:
        return Loaded(home, read_offer(said, caller), home.place)
    # a server on another machine cannot write here: what it lists must do
    file = home.folder / "server.yaml" if home.folder is not None and home.program is not None else None
    if ask and file is not None and any(tool["name"] == "build" for tool in fleet.listing(home.alias)):
        fleet.call(home.alias, "build", {"parameter_file": str(file.with_name("parameter.yaml"))})
    offered = read_offer(read_yaml(file), caller) if file is not None and file.is_file() else _listed(home, fleet)
    return Loaded(home, offered, home.place)


def _edited(home: Home, tools: dict[str, Tool], said: Located | None, caller: Caller) -> dict[str, Tool]:
    """Tools of ours with the bindings that the user's server file says."""
    filed = read_offer(said, caller) if said is not None else {}
    elsewhere = bool(filed) and not _is_about(said, home)
    for name in filed.keys() & tools.keys():
        own, binding = tools[name].binding.against(home.defaults), filed[name].binding
        if elsewhere:  # another server's: what ours takes and gives besides stays
            inputs = {argument: binding.inputs.get(argument, variable) for argument, variable in own.inputs.items()}
            outputs = tuple(dict.fromkeys((*own.outputs, *binding.outputs)))
            binding = replace(own, inputs=inputs, outputs=outputs, settled=True)
        try:
            inspect.signature(tools[name].function).bind(**dict.fromkeys(binding.inputs))
        except TypeError as error:
            raise InputError(f"{name}: {error}", where=said.where if said else None, hint=OFFER_HINT) from None
        tools[name] = replace(tools[name], binding=binding)
    return tools


def _is_about(said: Located | None, home: Home) -> bool:
    """Whether an entry of a server file is about this program, and not about another of the same name."""
    path = said.value["path"].value if said is not None and "path" in said.value else None
    return path is None or (home.program is not None and Path(str(path)).resolve() == home.program.resolve())


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


def server_file(pipeline: Pipeline) -> Mapping[str, Located]:
    """What the server file of a pipeline says of each server; nothing where there is none."""
    path = server_path(pipeline)
    if not path.exists():
        return {}
    content = read_yaml(path)
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.server_file_mapping"), where=content.where, hint=OFFER_HINT)
    return content.value


def _sections(path: Path, pipeline: Pipeline, *, empty: bool) -> Mapping[str, Located]:
    """The parameter file: a section for each server that it knows."""
    content = read_yaml(path)
    if content.value is None and empty:
        return {}
    if content.value is None:
        raise InputError(Message("pipelines.no_parameters"), where=str(path), hint=EMPTY_HINT)
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.parameters_by_server"), where=content.where, hint=EMPTY_HINT)
    sections: Mapping[str, Located] = content.value
    for alias, section in sections.items():
        if alias not in pipeline.servers and difflib.get_close_matches(alias, pipeline.servers):
            hint = nearest(alias, pipeline.servers)
            raise InputError(Message("pipelines.pipeline_no_server", alias=alias), where=section.where, hint=hint)
        if not isinstance(section.value, Mapping | None):
            raise InputError(Message("pipelines.section_no_mapping", alias=alias), where=section.where)
    return sections


def _parameter_file(pipeline: Pipeline, chosen: Path | None) -> Path | None:
    if chosen is not None:
        places = [chosen, pipeline.path.parent / chosen]
        found = next((place for place in places if place.exists()), None)
        if found is None:
            raise InputError(Message("formats.no_such_file"), where=str(chosen))
        return found
    there = [path for path in _parameter_files(pipeline) if path.exists()]
    if len(there) > 1:
        say(Message("pipelines.parameter_file_left_out", unused=there[1], used=there[0]))
    return there[0] if there else None
