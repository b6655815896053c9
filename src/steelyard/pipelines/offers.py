"""What servers offer, written down as UltraRAG writes it: `server.yaml` of a server, and of a pipeline.

path: servers/evaluation/src/evaluation.py
parameter: servers/evaluation/parameter.yaml
tools:
  evaluate_trec: {input: {metrics: $ir_metrics, …}, output: [eval_res]}
prompts: {}
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.writing import write_whole
from steelyard.io.yamls import Located, dump_yaml, read_yaml
from steelyard.pipelines.server import Binding, Kind, Server, Tool

GROUPS: Mapping[str, Kind] = {"tools": "tool", "prompts": "prompt"}
OFFER_HINT = Message("pipelines.build_pipeline_anew_steelyard_build")

Caller = Callable[[Kind, str], Callable[..., Any]]
"""From the kind and the name of a tool to the function that calls it."""


def write_offer(server: Server, arguments: Mapping[str, Any]) -> None:
    """Do what the tool `build` of a server does: write server.yaml beside its parameter file."""
    named = arguments.get("parameter_file")
    if not isinstance(named, str) or not named:
        raise ConfigError(Message("pipelines.parameter_file_name_file_not", named=named))
    parameters = read_parameters(Path(named)) if Path(named).is_file() else {}
    program = str(parameters.get("path", program_of(Path(named).parent, server.name)))
    if not program.startswith(("http://", "https://")) and not Path(program).is_file():
        raise ConfigError(Message("pipelines.no_program", path=program), where=named)
    groups = {group: described(server.tools, parameters, kind) for group, kind in GROUPS.items()}
    write_yaml(Path(named).with_name("server.yaml"), {"path": program, "parameter": named, **groups})


def program_of(folder: Path, *more: str) -> Path:
    """The program in a server's folder: named after it, or by one of these names, or the only one that is there."""
    named = [folder / "src" / f"{name}.py" for name in (folder.resolve().name, *more)]
    alone = sorted((folder / "src").glob("*.py")) if (folder / "src").is_dir() else []
    return next((path for path in named if path.is_file()), alone[0] if len(alone) == 1 else named[0])


def described(tools: Mapping[str, Tool], parameters: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """The bindings of the tools of a kind, as they are written down."""
    return {name: written(tool.binding_for(parameters)) for name, tool in tools.items() if tool.kind == kind}


def written(binding: Binding) -> dict[str, Any]:
    """A binding as it is written down."""
    return {"input": dict(binding.inputs)} | ({"output": list(binding.outputs)} if binding.outputs else {})


def read_offer(found: Located, caller: Caller) -> dict[str, Tool]:
    """The tools that a server file says a server has."""
    sections = _mapping(found, Message("pipelines.server_file_mapping"))
    return {
        name: Tool(name, caller(kind, name), _binding(entry), kind)
        for group, kind in GROUPS.items()
        if group in sections and sections[group].value is not None
        for name, entry in _mapping(sections[group], Message("pipelines.group_no_mapping", group=group)).items()
    }


def read_parameters(path: Path) -> dict[str, Any]:
    """A file of parameters: a mapping, or nothing."""
    content = read_yaml(path)
    if content.value is None:
        return {}
    if not isinstance(content.value, Mapping):
        raise InputError(Message("pipelines.parameters_no_mapping"), where=content.where)
    return {key: found.plain() for key, found in content.value.items()}


def write_yaml(path: Path, content: Mapping[str, Any]) -> None:
    """Write a mapping, and the folder it lies in."""
    write_file(path, dump_yaml(dict(content)))


def write_file(path: Path, text: str) -> None:
    """Write a text, and the folder it lies in."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(Message("formats.cannot_written", strerror=error.strerror), where=str(path)) from None
    write_whole(path, text)


def _binding(entry: Located) -> Binding:
    fields = _mapping(entry, Message("pipelines.tool_no_mapping"))
    no_mapping = Message("pipelines.group_no_mapping", group="input")
    inputs = _mapping(fields["input"], no_mapping) if _said(fields, "input") else {}
    outputs = fields["output"].plain() if _said(fields, "output") else []
    names = [found.plain() for found in inputs.values()]
    if not isinstance(outputs, list) or not all(isinstance(name, str) for name in [*names, *outputs]):
        raise InputError(Message("pipelines.input_maps_arguments_names_output"), where=entry.where, hint=OFFER_HINT)
    return Binding(dict(zip(inputs, names, strict=True)), tuple(outputs), settled=True)


def _said(fields: Mapping[str, Located], name: str) -> bool:
    return name in fields and fields[name].value is not None


def _mapping(found: Located, message: Message) -> Mapping[str, Located]:
    if not isinstance(found.value, Mapping):
        raise InputError(message, where=found.where, hint=OFFER_HINT)
    return found.value
