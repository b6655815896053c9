"""Loading of servers, in this process or outside it, and the parameters of a run."""

import difflib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError, Problem, SteelyardError, SystemFailure, nearest
from steelyard.i18n import Message
from steelyard.io.yamls import Located, read_yaml
from steelyard.pipelines.client import Endpoint, ServerPool, StartFailure
from steelyard.pipelines.locate import ServerChoice, ServerLocation, locate_server, select_servers
from steelyard.pipelines.manifest import REBUILD_HINT, ToolCaller, read_manifest
from steelyard.pipelines.server import Server, Tool, notify, parse_annotation
from steelyard.pipelines.spec import Pipeline, iter_steps
from steelyard.pipelines.ultrarag import (
    has_all_tools,
    refuse_missing_server,
    refuse_unavailable,
    rename_parameters,
)

EMPTY_FILE_HINT = Message("pipelines.delete_or_rebuild")
BUNDLED_HINT = Message("pipelines.run_by_hand_or_ours")
PROJECT_HINT = Message("pipelines.activate_ultrarag")
PROMPT_OUTPUT = ("prompt_ls",)


@dataclass(frozen=True, slots=True)
class LoadedServer:
    """A server with its tools; `endpoint` says how to start or reach it, and is None if it runs in this process."""

    location: ServerLocation
    tools: Mapping[str, Tool]
    endpoint: Endpoint | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of each server, with the file locations of those that the parameter file sets.

    `from_file` holds the values of the file under their current names, `sources` its sections as read, with the
    location of every value. `unused` names the sections without a server, `renamed` says if the file uses old names.
    """

    values: dict[str, dict[str, Any]]
    locations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    from_file: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, Located] = field(default_factory=dict)
    renamed: bool = False

    def section(self, alias: str) -> Mapping[str, Located]:
        """Return the parameters of a server as read from the file."""
        source = self.sources.get(alias)
        return {} if source is None or source.value is None else source.value

    def location(self, alias: str, names: Sequence[str]) -> str | None:
        """Return the file location of a value below a parameter, or of the deepest section on the way to it."""
        location, fields = self.locations.get((alias, names[0])), self.section(alias)
        for name in names:
            if not isinstance(fields, Mapping) or name not in fields:
                return location
            location, fields = fields[name].where, fields[name].value
        return location


def load_servers(
    pipeline: Pipeline,
    pool: ServerPool,
    *,
    isolated: bool = False,
    rebuild: bool = False,
    choice: ServerChoice = "auto",
) -> dict[str, LoadedServer]:
    """Load the servers of a pipeline; a foreign one is started only if it has no current manifest, or on `rebuild`."""
    for entry in pipeline.servers.values():
        refuse_missing_server(entry)
    manifests = {} if rebuild else server_file(pipeline)
    used = {step.server for step in iter_steps(pipeline.steps)}
    located = {
        alias: locate_server(alias, entry, pool.environment, manifests.get(alias), choice)
        for alias, entry in pipeline.servers.items()
    }
    locations = select_servers({alias: server for alias, server in located.items() if alias in used}, choice)
    refuse_unavailable(iter_steps(pipeline.steps), locations, choice)
    queried = [
        server for server in locations.values() if not server.is_native and _must_query(server, manifests, rebuild)
    ]
    start_servers(pool, queried, pipeline, locations)
    return {
        alias: _load(server, pool, manifests.get(alias), isolated=isolated, query=server in queried)
        for alias, server in locations.items()
    }


def start_servers(
    pool: ServerPool, started: Iterable[ServerLocation], pipeline: Pipeline, locations: Mapping[str, ServerLocation]
) -> None:
    """Start servers; if one fails, the hint says whether the bundled servers have all tools of the pipeline."""
    try:
        pool.start(server.endpoint for server in started)
    except StartFailure as error:
        failed = locations.get(error.server)
        if failed is None or not failed.counterpart:
            raise
        hint = BUNDLED_HINT if has_all_tools(iter_steps(pipeline.steps), locations) else PROJECT_HINT
        raise SystemFailure(error.message, where=error.where, hint=hint) from None


def load_parameters(
    pipeline: Pipeline, servers: Mapping[str, LoadedServer], chosen: Path | None, *, allow_empty: bool = False
) -> Parameters:
    """Return the parameters of each server: its defaults, overridden by the parameter file.

    Old names of parameters are replaced by the current ones, with a notice.
    """
    path = _choose_parameter_file(pipeline, chosen)
    sources = _read_sections(path, pipeline, allow_empty=allow_empty) if path is not None else {}
    from_file, locations, any_renamed = {}, {}, False
    for alias, section in sources.items():
        from_file[alias], renamed = _with_current_names(section, servers.get(alias))
        for name, source in (section.value or {}).items():
            locations[alias, renamed.get(name, name).partition(".")[0]] = source.where
        any_renamed = any_renamed or bool(renamed)
    values = {alias: {**server.location.defaults, **from_file.get(alias, {})} for alias, server in servers.items()}
    unused = tuple(alias for alias in sources if alias not in pipeline.servers)
    return Parameters(values, locations, unused, from_file, sources, any_renamed)


def parameter_path(pipeline: Pipeline) -> Path:
    """Return the parameter file that `build` writes and `run` reads; existing files and folders take precedence."""
    files = _parameter_files(pipeline)
    existing = next((path for path in files if path.exists()), None)
    return existing or next((path for path in files if path.parent.is_dir()), files[0])


def server_path(pipeline: Pipeline) -> Path:
    """Return the server file that `build` writes."""
    return pipeline.path.parent / "server" / f"{pipeline.path.stem}_server.yaml"


def server_file(pipeline: Pipeline) -> Mapping[str, Located]:
    """Return the manifests of the servers in the server file of a pipeline; empty if there is no file."""
    path = server_path(pipeline)
    if not path.exists():
        return {}
    content = read_yaml(path)
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.manifest_type"), where=content.where, hint=REBUILD_HINT)
    return content.value


def load_program(program: Path, where: str | None = None, *, name: str = "") -> Server:
    """Return the one Server that a program defines."""
    key = f"steelyard_server_{name or program.stem}"
    spec = importlib.util.spec_from_file_location(key, program)
    if spec is None or spec.loader is None:
        raise ConfigError(Message("pipelines.program_not_python", program=program), where=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    folder = str(program.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # as if the program were run: it can import the files beside it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a program of the user may raise anything
        message = Message("pipelines.program_failed", program=program, name=type(error).__name__, error=error)
        raise ConfigError(message, where=where) from error
    servers = [value for value in vars(module).values() if isinstance(value, Server)]
    if len(servers) != 1:
        raise ConfigError(Message("pipelines.one_server_needed", program=program, count=len(servers)), where=where)
    return servers[0]


def _load(
    location: ServerLocation, pool: ServerPool, manifest: Located | None, *, isolated: bool, query: bool
) -> LoadedServer:
    caller = pool.caller(location.alias)
    if location.is_native and location.program is not None:
        defined = load_program(location.program, location.where, name=location.alias).tools
        guarded = dict(defined) if location.is_bundled else _guard_all(defined)
        tools = _with_manifest_bindings(location, guarded, manifest, caller)
        return (
            LoadedServer(location, _call_remotely(tools, caller), location.endpoint)
            if isolated
            else LoadedServer(location, tools)
        )
    if manifest is not None and not query:
        return LoadedServer(location, read_manifest(manifest, caller), location.endpoint)
    # a server on another machine cannot write a manifest here: its listed tools are used
    file = location.folder / "server.yaml" if location.folder is not None and location.program is not None else None
    if query and file is not None and any(tool["name"] == "build" for tool in pool.list_tools(location.alias)):
        pool.call_tool(location.alias, "build", {"parameter_file": str(file.with_name("parameter.yaml"))})
    if file is not None and file.is_file():
        return LoadedServer(location, read_manifest(read_yaml(file), caller), location.endpoint)
    return LoadedServer(location, _listed_tools(location, pool), location.endpoint)


def _with_manifest_bindings(
    location: ServerLocation, tools: dict[str, Tool], manifest: Located | None, caller: ToolCaller
) -> dict[str, Tool]:
    """Return the tools of a native server with the bindings of the server file."""
    written = read_manifest(manifest, caller) if manifest is not None else {}
    of_other_server = bool(written) and not _describes(manifest, location)
    for name in written.keys() & tools.keys():
        own, binding = tools[name].binding.resolve(location.defaults), written[name].binding
        if of_other_server:  # inputs and outputs that only our tool has are kept
            inputs = {argument: binding.inputs.get(argument, variable) for argument, variable in own.inputs.items()}
            outputs = tuple(dict.fromkeys((*own.outputs, *binding.outputs)))
            binding = replace(own, inputs=inputs, outputs=outputs, explicit=True)
        try:
            inspect.signature(tools[name].function).bind(**dict.fromkeys(binding.inputs))
        except TypeError as error:
            message = Message("core.labelled", label=name, message=str(error))
            raise InputError(message, where=manifest.where if manifest else None, hint=REBUILD_HINT) from None
        tools[name] = replace(tools[name], binding=binding)
    return tools


def _describes(manifest: Located | None, location: ServerLocation) -> bool:
    """Return whether a manifest describes this program, and not another of the same name."""
    path = manifest.value["path"].value if manifest is not None and "path" in manifest.value else None
    if path is None:
        return True
    return location.program is not None and Path(str(path)).resolve() == location.program.resolve()


def _guard_all(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return the tools of a user's server, with any exception turned into a SystemFailure."""

    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(**arguments: Any) -> Any:
            try:
                return function(**arguments)
            except SteelyardError:
                raise
            except Exception as error:  # a bug of the user's tool, not of ours
                raise SystemFailure(f"{type(error).__name__}: {error}") from error

        return guarded

    return {name: replace(tool, function=guard(tool.function)) for name, tool in tools.items()}


def _call_remotely(tools: Mapping[str, Tool], caller: ToolCaller) -> dict[str, Tool]:
    return {name: replace(tool, function=caller(tool.kind, name)) for name, tool in tools.items()}


def _listed_tools(location: ServerLocation, pool: ServerPool) -> dict[str, Tool]:
    """Bind the tools that a server lists over MCP by their annotations; the output of a prompt is prompt_ls."""
    caller = pool.caller(location.alias)
    tools: dict[str, Tool] = {}
    for listed in pool.list_tools(location.alias):
        name = listed["name"]
        annotation = (listed.get("annotations") or {}).get("output") or (listed.get("_meta") or {}).get("output") or ""
        schema = listed["inputSchema"]
        arguments = list(schema.get("properties", {}))
        optional = [argument for argument in arguments if argument not in schema.get("required", ())]
        binding = parse_annotation(annotation, name, arguments, optional)
        tools[name] = Tool(name, caller("tool", name), binding, annotation=annotation)
    for prompt in pool.list_prompts(location.alias):
        name, listed_arguments = prompt["name"], prompt.get("arguments") or ()
        arguments = [argument["name"] for argument in listed_arguments]
        optional = [argument["name"] for argument in listed_arguments if not argument.get("required")]
        binding = replace(parse_annotation("", name, arguments, optional), outputs=PROMPT_OUTPUT)
        tools[name] = Tool(name, caller("prompt", name), binding, "prompt")
    return tools


def _must_query(location: ServerLocation, manifests: Mapping[str, Located], rebuild: bool) -> bool:
    """Return whether a foreign server has no manifest, or one that is older than the server."""
    if rebuild or location.folder is None or location.program is None:
        return rebuild or location.alias not in manifests
    file, sources = location.folder / "server.yaml", [location.program, location.folder / "parameter.yaml"]
    newest = max(source.stat().st_mtime for source in sources if source.exists())
    return location.alias not in manifests and not (file.is_file() and file.stat().st_mtime >= newest)


def _with_current_names(section: Located, server: LoadedServer | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a section of the parameter file with old names replaced, if the server is a bundled one."""
    values = section.plain() or {}
    if server is None or not server.location.is_bundled or server.location.folder is None:
        return values, {}
    values, renamed = rename_parameters(server.location.folder.name, values, server.location.defaults)
    for old, new in renamed.items():
        source = section.value[old.partition(".")[0]]
        notify(Problem(source.where, Message("pipelines.parameter_renamed", old=old, new=new)))
    return values, renamed


def _read_sections(path: Path, pipeline: Pipeline, *, allow_empty: bool) -> Mapping[str, Located]:
    """Return the sections of the parameter file, one per server."""
    content = read_yaml(path)
    if content.value is None and allow_empty:
        return {}
    if content.value is None:
        raise InputError(Message("pipelines.no_parameters"), where=str(path), hint=EMPTY_FILE_HINT)
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.parameter_sections_type"), where=content.where, hint=EMPTY_FILE_HINT)
    sections: Mapping[str, Located] = content.value
    for alias, section in sections.items():
        if alias not in pipeline.servers and difflib.get_close_matches(alias, pipeline.servers):
            hint = nearest(alias, pipeline.servers)
            raise InputError(Message("pipelines.pipeline_no_server", alias=alias), where=section.where, hint=hint)
        if not isinstance(section.value, Mapping | None):
            raise InputError(Message("pipelines.parameter_section_type", alias=alias), where=section.where)
    return sections


def _parameter_files(pipeline: Pipeline) -> tuple[Path, Path]:
    """Return the possible parameter files of a pipeline: in our folder, or in UltraRAG's."""
    folder, name = pipeline.path.parent, f"{pipeline.path.stem}_parameter.yaml"
    return folder / "parameters" / name, folder / "parameter" / name


def _choose_parameter_file(pipeline: Pipeline, chosen: Path | None) -> Path | None:
    if chosen is not None:
        existing = [path for path in (chosen, pipeline.path.parent / chosen) if path.exists()]
        if not existing:
            raise InputError(Message("formats.no_such_file"), where=str(chosen))
        return existing[0]
    existing = [path for path in _parameter_files(pipeline) if path.exists()]
    if len(existing) > 1:
        notify(Message("pipelines.parameter_file_ignored", unused=existing[1], used=existing[0]))
    return existing[0] if existing else None
