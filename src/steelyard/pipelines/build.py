"""`build`: write the parameter file of a pipeline, for the user to edit, and the server file with its manifests."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.streams import read_text
from steelyard.io.yamls import dump_yaml, read_yaml
from steelyard.net.secrets import public_address
from steelyard.pipelines.check import check_settings, unknown_parameters
from steelyard.pipelines.client import ServerPool
from steelyard.pipelines.import_check import arguments_of
from steelyard.pipelines.load import (
    LoadedServer,
    Parameters,
    load_parameters,
    load_servers,
    parameter_path,
    server_file,
    server_path,
)
from steelyard.pipelines.locate import ServerChoice, folder_of, is_installed
from steelyard.pipelines.manifest import GROUPS, describe_binding, write_file, write_yaml
from steelyard.pipelines.plan import Bound, Call, UnknownVariable, bind, iter_calls, key_map_hint, used_parameters
from steelyard.pipelines.server import notify
from steelyard.pipelines.spec import Pipeline, iter_steps


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The files that were written, and which parameters were added, kept as edited, or are no longer used.

    `backup` is the copy of a parameter file that had to be rewritten; `warnings` says what the user has to fill in,
    `errors` what `run` will refuse.
    """

    parameters: Path
    servers: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]
    unused: tuple[str, ...]
    backup: Path | None = None
    warnings: tuple[InputError, ...] = ()
    errors: tuple[InputError, ...] = ()


def build(pipeline: Pipeline, pool: ServerPool, *, choice: ServerChoice = "auto") -> BuildResult:
    """Bind a pipeline with the tools that its servers list now, and write its two files; edited values are kept."""
    servers = load_servers(pipeline, pool, rebuild=True, choice=choice)
    path, manifest_path = parameter_path(pipeline), server_path(pipeline)
    parameters = load_parameters(pipeline, servers, None, allow_empty=True)
    to_fill_in = list(_parameters_to_fill_in(pipeline, servers))
    for alias, name in to_fill_in:
        parameters.values[alias].setdefault(name, None)
    unknown: list[UnknownVariable] = []
    steps = bind(pipeline, servers, parameters, unknown)
    check_settings(servers, steps)
    needed = {
        alias: {name: servers[alias].location.defaults.get(name) for name in names}
        for alias, names in used_parameters(steps).items()
        if names or servers[alias].location.defaults
    }
    backup = _write_parameters(path, needed, parameters)
    _notify_of_other_programs(pipeline, servers)
    write_yaml(manifest_path, {alias: _manifest(alias, server, steps) for alias, server in servers.items()})
    before, now = _qualified_names(parameters.from_file), _qualified_names(needed)
    return BuildResult(
        path,
        manifest_path,
        added=tuple(name for name in now if name not in before),
        kept=tuple(name for name in now if name in before),
        unused=tuple(name for name in before if name not in now),
        backup=backup,
        warnings=(*_unknown_variables(path, unknown), *_empty_parameters(path, servers, to_fill_in)),
        errors=tuple(unknown_parameters(servers, parameters)),
    )


def _write_parameters(path: Path, needed: Mapping[str, Any], parameters: Parameters) -> Path | None:
    """Add missing parameters to the file; if it has to be rewritten, return the path of a copy of the old file."""
    existing = parameters.from_file
    merged = {alias: {**needed.get(alias, {}), **existing.get(alias, {})} for alias in {**needed, **existing}}
    if not path.exists() or not read_text(path)[0].strip():
        write_yaml(path, merged)
        return None
    if merged == existing and not parameters.renamed:
        return None
    added = {
        alias: {name: value for name, value in section.items() if name not in existing.get(alias, {})}
        for alias, section in merged.items()
        if alias not in existing or section != existing[alias]
    }
    text = None if parameters.renamed else insert_entries(read_text(path)[0], added)
    backup = _back_up(path) if text is None else None
    write_file(path, dump_yaml(merged) if text is None else text)
    return backup


def _back_up(path: Path) -> Path:
    """Copy a file that has to be rewritten, because its comments are lost."""
    names = (path.with_name(f"{path.name}.old{number or ''}") for number in count())
    backup = next(name for name in names if not name.exists())
    write_file(backup, read_text(path)[0])
    return backup


def _notify_of_other_programs(pipeline: Pipeline, servers: Mapping[str, LoadedServer]) -> None:
    """Notify of programs that differ from those in the existing server file, which the user may have edited."""
    try:
        manifests = server_file(pipeline)
    except SteelyardError:  # it is rewritten
        return
    for alias, server in servers.items():
        fields = manifests[alias].value if alias in manifests else None
        before = fields["path"] if isinstance(fields, Mapping) and "path" in fields else None
        now = server.location.manifest_path
        if before is None or is_installed(str(before.value)):  # written by an older version for a bundled server
            continue
        if os.path.realpath(str(before.value)) != os.path.realpath(now):
            message = Message("pipelines.program_changed", alias=alias, before=before.value, now=now)
            notify(Problem(before.where, message))


def _unknown_variables(path: Path, unknown: Sequence[UnknownVariable]) -> Iterator[InputError]:
    """Yield an error for each unknown variable, with the line of the parameter file where it can be defined."""
    sections = read_yaml(path).value if unknown else {}
    for variable in unknown:
        key_map = sections[variable.server].value[variable.parameter].value["key_map"]
        parameter = f"{variable.server}.{variable.parameter}"
        hint = key_map_hint(variable.name, parameter, key_map.where, variable.producers)
        message = Message("pipelines.variable_unknown", step=variable.step.name, name=variable.name)
        yield InputError(message, where=variable.step.where, hint=hint)


def _empty_parameters(
    path: Path, servers: Mapping[str, LoadedServer], to_fill_in: Sequence[tuple[str, str]]
) -> Iterator[InputError]:
    """Yield an error for each parameter of a server at an address that is empty in the parameter file."""
    sections = read_yaml(path).value if to_fill_in else {}
    for alias, name in dict.fromkeys(to_fill_in):
        source = sections[alias].value[name]
        address = public_address(servers[alias].location.address)
        if source.value is None:
            message = Message("pipelines.parameter_empty", alias=alias, name=name, address=address)
            yield InputError(message, where=source.where)


def _parameters_to_fill_in(pipeline: Pipeline, servers: Mapping[str, LoadedServer]) -> Iterator[tuple[str, str]]:
    """Yield the inputs of servers at an address that no step produces: they are parameters without a default."""
    produced = {name for server in servers.values() for tool in server.tools.values() for name in tool.binding.outputs}
    produced |= {name for step in iter_steps(pipeline.steps) for name in step.output.values()}
    for step in iter_steps(pipeline.steps):
        server = servers.get(step.server)
        if server is None or not server.location.address or step.tool not in server.tools:
            continue
        binding = server.tools[step.tool].binding
        required = (name for argument, name in binding.inputs.items() if argument not in binding.optional)
        yield from ((step.server, name) for name in required if name not in produced)


def _qualified_names(sections: Mapping[str, Any]) -> list[str]:
    return [f"{alias}.{name}" for alias, section in sections.items() for name in section or {}]


def _manifest(alias: str, server: LoadedServer, steps: tuple[Bound, ...]) -> dict[str, Any]:
    """Return the manifest of a server with the tools that the pipeline uses, in UltraRAG's format."""
    location = server.location
    used = {call.tool.name: call for call in iter_calls(steps) if call.step.server == alias}
    accepted = arguments_of(location.replaces) if location.replaces is not None else {}
    groups = {
        group: {name: _manifest_entry(call, accepted) for name, call in used.items() if call.tool.kind == kind}
        for group, kind in GROUPS.items()
    }
    program = location.replaces or location.project_program
    folder = folder_of(program) if program is not None else location.folder
    parameter = {"parameter": str(folder / "parameter.yaml")} if folder is not None else {}
    return {**{group: tools for group, tools in groups.items() if tools}, **parameter, "path": location.manifest_path}


def _manifest_entry(call: Call, accepted: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Return the binding of a call without arguments that the project's tool does not accept; each run adds ours."""
    binding = call.binding
    known = accepted.get(call.tool.name, frozenset(binding.inputs))
    inputs = {argument: name for argument, name in binding.inputs.items() if argument in known}
    return describe_binding(replace(binding, inputs=inputs))


# --- entries added to a YAML file as text, so that comments and formatting are kept ---


def insert_entries(text: str, added: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Add entries to the sections of a YAML text, new sections last; return None if it cannot be edited as text."""
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None or not _is_block_mapping(root):
        return None
    sections = {str(key.value): section for key, section in root.value}
    lines = text.splitlines()
    inserts: dict[int, list[str]] = {}
    for alias, entries in added.items():
        if alias not in sections:
            inserts.setdefault(len(lines), []).extend(dump_yaml({alias: dict(entries)}).splitlines())
        elif entries and not _is_block_mapping(sections[alias]):
            return None
        elif entries:
            section = sections[alias]
            indent = " " * section.value[0][0].start_mark.column
            block = [f"{indent}{line}" if line else line for line in dump_yaml(dict(entries)).splitlines()]
            inserts.setdefault(_last_line(section) + 1, []).extend(block)
    for index in sorted(inserts, reverse=True):
        lines[index:index] = inserts[index]
    changed = "\n".join(lines) + "\n"
    return changed if _parse(changed) == _with_entries(_parse(text), added) else None


def _parse(text: str) -> Any:
    """Return the content of a YAML text; None if it is not valid."""
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None


def _with_entries(content: Mapping[str, Any], added: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {**content, **{alias: {**content.get(alias, {}), **entries} for alias, entries in added.items()}}


def _is_block_mapping(node: Any) -> bool:
    """Return whether a node is a non-empty mapping in block style."""
    import yaml

    return isinstance(node, yaml.MappingNode) and not node.flow_style and bool(node.value)


def _last_line(node: Any) -> int:
    """Return the last line of a node, without the comments and blank lines that follow it."""
    import yaml

    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    line: int = node.end_mark.line
    return line - 1 if node.end_mark.column == 0 and line > node.start_mark.line else line
