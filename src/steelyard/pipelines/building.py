"""What `build` leaves behind: the parameters that a pipeline uses, for users to edit, and what its servers offer."""

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
from steelyard.pipelines.backends import check_settings
from steelyard.pipelines.checking import refused_parameters
from steelyard.pipelines.homes import Choice, folder_of, is_installed
from steelyard.pipelines.import_check import arguments_of
from steelyard.pipelines.inserting import insert_entries
from steelyard.pipelines.loading import (
    Loaded,
    Parameters,
    load_servers,
    parameter_path,
    parameters_for,
    server_file,
    server_path,
)
from steelyard.pipelines.offers import GROUPS, write_file, write_yaml, written
from steelyard.pipelines.plan import Bound, Call, Unknown, bind, calls, key_map_hint, used_parameters
from steelyard.pipelines.remote import Fleet
from steelyard.pipelines.server import say
from steelyard.pipelines.spec import Pipeline, each_step
from steelyard.rag.endpoints import shown_address


@dataclass(frozen=True, slots=True)
class Built:
    """The files that were written, and which parameters are new, kept as edited, or no longer used.

    `older` is where a file is kept that could not be added to; `warnings` says what the user has to fill in,
    `refused` what `run` refuses.
    """

    parameters: Path
    servers: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]
    unused: tuple[str, ...]
    older: Path | None = None
    warnings: tuple[InputError, ...] = ()
    refused: tuple[InputError, ...] = ()


def build(pipeline: Pipeline, fleet: Fleet, *, choice: Choice = "auto") -> Built:
    """Bind a pipeline, asking foreign servers what they offer, and write its two files; edited values stay."""
    loaded = load_servers(pipeline, fleet, anew=True, choice=choice)
    path, servers = parameter_path(pipeline), server_path(pipeline)
    parameters = parameters_for(pipeline, loaded, None, empty=True)
    unnamed = list(_unnamed(pipeline, loaded))
    for alias, name in unnamed:
        parameters.values[alias].setdefault(name, None)
    unknown: list[Unknown] = []
    steps = bind(pipeline, loaded, parameters, unknown)
    check_settings(loaded, steps, parameters)
    wanted = {
        alias: {name: loaded[alias].home.defaults.get(name) for name in names}
        for alias, names in used_parameters(steps).items()
        if names or loaded[alias].home.defaults
    }
    older = _write_parameters(path, wanted, parameters)
    _tell_moved(pipeline, loaded)
    write_yaml(servers, {alias: _offer(alias, found, steps) for alias, found in loaded.items()})
    before, now = _names(parameters.said), _names(wanted)
    return Built(
        path,
        servers,
        added=tuple(name for name in now if name not in before),
        kept=tuple(name for name in now if name in before),
        unused=tuple(name for name in before if name not in now),
        older=older,
        warnings=(*_warnings(path, unknown), *_empty(path, loaded, unnamed)),
        refused=tuple(refused_parameters(loaded, parameters)),
    )


def _write_parameters(path: Path, wanted: Mapping[str, Any], parameters: Parameters) -> Path | None:
    """Add what is missing to the parameter file; one that has to be written anew is kept beside, which is given."""
    said = parameters.said
    whole = {alias: {**wanted.get(alias, {}), **said.get(alias, {})} for alias in {**wanted, **said}}
    if not path.exists() or not read_text(path)[0].strip():
        write_yaml(path, whole)
        return None
    if whole == said and not parameters.renamed:  # what would be the same stays as it is
        return None
    added = {
        alias: {name: value for name, value in section.items() if name not in said.get(alias, {})}
        for alias, section in whole.items()
        if alias not in said or section != said[alias]
    }
    text = None if parameters.renamed else insert_entries(read_text(path)[0], added)
    older = _keep_beside(path) if text is None else None
    write_file(path, dump_yaml(whole) if text is None else text)
    return older


def _keep_beside(path: Path) -> Path:
    """Copy a file that has to be written anew: its comments would be lost."""
    names = (path.with_name(f"{path.name}.old{number or ''}") for number in count())
    older = next(name for name in names if not name.exists())
    write_file(older, read_text(path)[0])
    return older


def _tell_moved(pipeline: Pipeline, loaded: Mapping[str, Loaded]) -> None:
    """Say which program of the server file that is there will be another in the new one: it may have been edited."""
    try:
        filed = server_file(pipeline)
    except SteelyardError:  # it is written anew
        return
    for alias, found in loaded.items():
        fields = filed[alias].value if alias in filed else None
        before = fields["path"] if isinstance(fields, Mapping) and "path" in fields else None
        now = found.home.filed
        if before is None or is_installed(str(before.value)):  # an older version wrote our own program there
            continue
        if os.path.realpath(str(before.value)) != os.path.realpath(now):
            message = Message("pipelines.program_moved", alias=alias, before=before.value, now=now)
            say(Problem(before.where, message))


def _warnings(path: Path, unknown: Sequence[Unknown]) -> Iterator[InputError]:
    """What no step gives yet, with the line of the file that was written where it can be named."""
    sections = read_yaml(path).value if unknown else {}
    for each in unknown:
        fields = sections[each.server].value[each.parameter].value
        hint = key_map_hint(each.name, f"{each.server}.{each.parameter}", fields["key_map"].where, each.givers)
        message = Message("pipelines.variable_unknown", step=each.step.name, name=each.name)
        yield InputError(message, where=each.step.where, hint=hint)


def _empty(path: Path, loaded: Mapping[str, Loaded], unnamed: Sequence[tuple[str, str]]) -> Iterator[InputError]:
    """What a server that is only an address needs, and the file that was written leaves empty."""
    sections = read_yaml(path).value if unnamed else {}
    for alias, name in dict.fromkeys(unnamed):
        found = sections[alias].value[name]
        address = shown_address(loaded[alias].home.address)
        if found.value is None:
            message = Message("pipelines.to_fill_in", alias=alias, name=name, address=address)
            yield InputError(message, where=found.where)


def _unnamed(pipeline: Pipeline, loaded: Mapping[str, Loaded]) -> Iterator[tuple[str, str]]:
    """Of a server that is only an address, what no step gives is a parameter, for the user to fill in."""
    given = {name for found in loaded.values() for tool in found.tools.values() for name in tool.binding.outputs}
    given |= {name for step in each_step(pipeline.steps) for name in step.output.values()}
    for step in each_step(pipeline.steps):
        found = loaded.get(step.server)
        if found is None or not found.home.address or step.tool not in found.tools:
            continue
        binding = found.tools[step.tool].binding
        required = (name for argument, name in binding.inputs.items() if argument not in binding.optional)
        yield from ((step.server, name) for name in required if name not in given)


def _names(sections: Mapping[str, Any]) -> list[str]:
    return [f"{alias}.{name}" for alias, section in sections.items() for name in section or {}]


def _offer(alias: str, loaded: Loaded, steps: tuple[Bound, ...]) -> dict[str, Any]:
    """The tools of a server that the pipeline uses, as upstream writes them down."""
    used = {call.tool.name: call for call in calls(steps) if call.step.server == alias}
    taken = arguments_of(loaded.home.replaces) if loaded.home.replaces is not None else {}
    groups = {
        group: {name: _written(call, taken) for name, call in used.items() if call.tool.kind == kind}
        for group, kind in GROUPS.items()
    }
    home = loaded.home
    other = home.replaces or home.named
    folder = folder_of(other) if other is not None else home.folder
    parameter = {"parameter": str(folder / "parameter.yaml")} if folder is not None else {}
    return {**{group: tools for group, tools in groups.items() if tools}, **parameter, "path": home.filed}


def _written(call: Call, taken: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """The binding of a call without arguments that the project's tool does not take: ours are added in each run."""
    binding = call.binding
    known = taken.get(call.tool.name, frozenset(binding.inputs))
    inputs = {argument: name for argument, name in binding.inputs.items() if argument in known}
    return written(replace(binding, inputs=inputs))
