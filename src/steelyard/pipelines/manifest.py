"""Manifests: the file `server.yaml` of a server or pipeline, which lists its tools in UltraRAG's format.

path: servers/evaluation/src/evaluation.py
parameter: servers/evaluation/parameter.yaml
tools:
  evaluate_trec: {input: {metrics: $ir_metrics, …}, output: [eval_res]}
prompts: {}
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.writing import errors_at, write_whole
from steelyard.io.yamls import Located, dump_yaml, read_yaml
from steelyard.pipelines.server import Binding, Server, Tool, ToolKind

GROUPS: Mapping[str, ToolKind] = {"tools": "tool", "prompts": "prompt"}
ADDED_PARAMETERS: Mapping[str, frozenset[str]] = {
    "evaluation": frozenset({"profile"}),
    "prompt": frozenset({"escape"}),
    "retriever": frozenset({"adopt"}),
}
"""By server: the parameters of tools of UltraRAG that its own servers lack."""
REBUILD_HINT = Message("pipelines.rebuild")

ToolCaller = Callable[[ToolKind, str], Callable[..., Any]]
"""From the kind and the name of a tool to the function that calls it."""


def write_manifest(server: Server, arguments: Mapping[str, Any]) -> None:
    """Write server.yaml beside the parameter file of a server: the tool `build` of every server."""
    named = arguments.get("parameter_file")
    if not isinstance(named, str) or not named:
        raise ConfigError(Message("pipelines.parameter_file_type", value=named), parameter="parameter_file")
    parameters = read_parameters(Path(named))
    program = str(parameters.get("path", find_program(Path(named).parent, server.name)))
    if not program.startswith(("http://", "https://")) and not Path(program).is_file():
        raise ConfigError(Message("pipelines.no_program", path=program), where=named)
    groups = {group: _describe_tools(server, parameters, kind) for group, kind in GROUPS.items()}
    write_yaml(Path(named).with_name("server.yaml"), {"path": program, "parameter": named, **groups})


def find_program(folder: Path, *more: str) -> Path:
    """Return the program in the folder of a server: named like the folder, by one of these names, or the only one."""
    named = [folder / "src" / f"{name}.py" for name in (folder.resolve().name, *more)]
    programs = sorted((folder / "src").glob("*.py")) if (folder / "src").is_dir() else []
    return next((path for path in named if path.is_file()), programs[0] if len(programs) == 1 else named[0])


def describe_binding(binding: Binding) -> dict[str, Any]:
    """Return a binding as an entry of a manifest."""
    return {"input": dict(binding.inputs)} | ({"output": list(binding.outputs)} if binding.outputs else {})


def read_manifest(manifest: Located, caller: ToolCaller) -> dict[str, Tool]:
    """Return the tools of a server according to its manifest."""
    sections = _mapping(manifest, Message("pipelines.manifest_type"))
    return {
        name: Tool(name, caller(kind, name), _read_binding(entry), kind)
        for group, kind in GROUPS.items()
        if group in sections and sections[group].value is not None
        for name, entry in _mapping(sections[group], Message("pipelines.group_type", group=group)).items()
    }


def read_parameters(path: Path) -> dict[str, Any]:
    """Return the parameters in a file; none if it is empty or missing."""
    content = read_yaml(path) if path.is_file() else None
    if content is None or content.value is None:
        return {}
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.parameters_type"), where=content.where)
    return {key: value.plain() for key, value in content.value.items()}


def write_yaml(path: Path, content: Mapping[str, Any]) -> None:
    """Write a mapping as YAML, and create its folder if needed."""
    write_file(path, dump_yaml(dict(content)))


def write_file(path: Path, text: str) -> None:
    """Write a text file, and create its folder if needed."""
    with errors_at(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _describe_tools(server: Server, parameters: Mapping[str, Any], kind: ToolKind) -> dict[str, Any]:
    tools = {name: tool for name, tool in server.tools.items() if tool.kind == kind}
    return {name: describe_binding(_for_ultrarag(server, tool, parameters)) for name, tool in tools.items()}


def _for_ultrarag(server: Server, tool: Tool, parameters: Mapping[str, Any]) -> Binding:
    """Return the binding for UltraRAG's client, which requires every variable and every parameter of a manifest.

    Variables that need not exist are left out, and so are parameters of ours that have their default, so that a
    parameter file of UltraRAG will do. The outputs are those of the annotation and those that parameters name.
    """
    binding, added = tool.binding_for(parameters), ADDED_PARAMETERS.get(server.name, frozenset())
    omitted = {
        argument
        for argument in binding.optional
        if (name := binding.inputs[argument].removeprefix("$")) not in parameters
        or (name in added and tool.has_default(argument, parameters[name]))
    }
    inputs = {argument: name for argument, name in binding.inputs.items() if argument not in omitted}
    outputs = (*binding.outputs, *tool.binding.resolve(parameters).outputs)
    return replace(binding, inputs=inputs, outputs=tuple(dict.fromkeys(outputs)))


def _read_binding(entry: Located) -> Binding:
    fields = _mapping(entry, Message("pipelines.manifest_tool_type"))
    given = {name for name, value in fields.items() if value.value is not None}
    inputs = _mapping(fields["input"], Message("pipelines.group_type", group="input")) if "input" in given else {}
    outputs = fields["output"].plain() if "output" in given else []
    names = [variable.plain() for variable in inputs.values()]
    if not isinstance(outputs, list) or not all(isinstance(name, str) for name in [*names, *outputs]):
        raise InputError(Message("pipelines.manifest_binding_type"), where=entry.where, hint=REBUILD_HINT)
    return Binding(dict(zip(inputs, names, strict=True)), tuple(outputs), explicit=True)


def _mapping(entry: Located, message: Message) -> Mapping[str, Located]:
    if not isinstance(entry.value, Mapping):
        raise InputError(message, where=entry.where, hint=REBUILD_HINT)
    return entry.value
