"""What `build` leaves behind: the parameters that a pipeline uses, for users to edit, and what its servers offer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.pipelines.loading import (
    Loaded,
    load_servers,
    parameter_path,
    parameters_for,
    server_path,
)
from steelyard.pipelines.offers import GROUPS, read_parameters, write_yaml, written
from steelyard.pipelines.plan import Bound, bind, calls, used_parameters
from steelyard.pipelines.remote import Fleet
from steelyard.pipelines.spec import Pipeline, each_step


@dataclass(frozen=True, slots=True)
class Built:
    """The files that were written, and which parameters are new, kept as edited, or no longer used."""

    parameters: Path
    servers: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]
    unused: tuple[str, ...]


def build(pipeline: Pipeline, fleet: Fleet) -> Built:
    """Bind a pipeline, asking foreign servers what they offer, and write its two files; edited values stay."""
    loaded = load_servers(pipeline, fleet, anew=True)
    path, servers = parameter_path(pipeline), server_path(pipeline)
    before = read_parameters(path) if path.exists() else {}
    parameters = parameters_for(pipeline, loaded, None, empty=True)
    for alias, name in _unnamed(pipeline, loaded):
        parameters.values[alias].setdefault(name, None)
    steps = bind(pipeline, loaded, parameters)
    wanted = {
        alias: {name: loaded[alias].home.defaults.get(name) for name in names}
        for alias, names in used_parameters(steps).items()
        if names or loaded[alias].home.defaults
    }
    merged = {alias: {**wanted.get(alias, {}), **(before.get(alias) or {})} for alias in {**wanted, **before}}
    if merged != before or not path.exists():  # what would be the same keeps its comments
        write_yaml(path, merged)
    write_yaml(servers, {alias: _offer(alias, found, steps) for alias, found in loaded.items()})
    return _told(path, servers, _names(wanted), _names(before))


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


def _told(path: Path, servers: Path, wanted: list[str], before: list[str]) -> Built:
    return Built(
        path,
        servers,
        added=tuple(name for name in wanted if name not in before),
        kept=tuple(name for name in wanted if name in before),
        unused=tuple(name for name in before if name not in wanted),
    )


def _names(sections: Mapping[str, Any]) -> list[str]:
    return [f"{alias}.{name}" for alias, section in sections.items() for name in section or {}]


def _offer(alias: str, loaded: Loaded, steps: tuple[Bound, ...]) -> dict[str, Any]:
    """The tools of a server that the pipeline uses, as upstream writes them down."""
    used = {call.tool.name: call for call in calls(steps) if call.step.server == alias}
    groups = {
        group: {name: written(call.binding) for name, call in used.items() if call.tool.kind == kind}
        for group, kind in GROUPS.items()
    }
    home = loaded.home
    parameter = {"parameter": str(home.folder / "parameter.yaml")} if home.folder is not None else {}
    return {
        **{group: tools for group, tools in groups.items() if tools},
        **parameter,
        "path": home.address or str(home.program),
    }
