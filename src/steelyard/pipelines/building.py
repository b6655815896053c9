"""What `build` leaves behind: the parameters that a pipeline uses, for users to edit, and what its servers offer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.formats.yamls import dump_yaml
from steelyard.pipelines.loading import Loaded, load_servers, parameter_path, parameters_for, read_parameters
from steelyard.pipelines.plan import Bound, bind, calls, used_parameters
from steelyard.pipelines.spec import Pipeline


@dataclass(frozen=True, slots=True)
class Built:
    """The files that were written, and which parameters are new; edited values stay as they are."""

    parameters: Path
    servers: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]


def build(pipeline: Pipeline) -> Built:
    """Bind a pipeline with the defaults of its servers and write its two files."""
    loaded = load_servers(pipeline)
    steps = bind(pipeline, loaded, parameters_for(pipeline, loaded, None))
    path = parameter_path(pipeline)
    before = read_parameters(path) if path.exists() else {}
    wanted = {
        alias: {name: loaded[alias].defaults.get(name) for name in names}
        for alias, names in used_parameters(steps).items()
    }
    merged = {alias: {**section, **(before.get(alias) or {})} for alias, section in wanted.items()}
    servers = pipeline.path.parent / "server" / f"{pipeline.path.stem}_server.yaml"
    _write(path, merged)
    _write(servers, {alias: _offer(alias, loaded[alias], steps) for alias in wanted})
    names = [(alias, name) for alias, section in wanted.items() for name in section]
    new = [f"{alias}.{name}" for alias, name in names if name not in (before.get(alias) or {})]
    same = [f"{alias}.{name}" for alias, name in names if name in (before.get(alias) or {})]
    return Built(path, servers, tuple(new), tuple(same))


def _offer(alias: str, loaded: Loaded, steps: tuple[Bound, ...]) -> dict[str, Any]:
    """The tools of a server that the pipeline uses, as upstream writes them down."""
    used = dict.fromkeys(call.tool.name for call in calls(steps) if call.step.server == alias)
    tools: dict[str, Any] = {}
    for name in used:
        binding = loaded.server.tools[name].binding_for(loaded.defaults)
        tools[name] = {"input": dict(binding.inputs)} | ({"output": list(binding.outputs)} if binding.outputs else {})
    program = loaded.folder / "src" / f"{loaded.folder.name}.py"
    return {"tools": tools, "parameter": str(loaded.folder / "parameter.yaml"), "path": str(program)}


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump_yaml(dict(content)), encoding="utf-8")
