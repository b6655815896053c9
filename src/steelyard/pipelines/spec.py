"""A pipeline as its YAML file says it: servers, steps, loops and branches, each with its line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.yamls import Located, read_yaml

STEP_HINT = Message("pipelines.step_server_tool_mapping_input")
PIPELINE_HINT = Message("pipelines.pipeline_file_servers_name_folder")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool; `input` says which variable feeds an argument, `output` renames what comes back."""

    server: str
    tool: str
    where: str
    input: Mapping[str, str] = field(default_factory=dict)
    output: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """server.tool."""
        return f"{self.server}.{self.tool}"


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps that run several times, until nothing is left to do."""

    times: int
    steps: tuple["Node", ...]
    where: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A router sends each item to one of the branches."""

    router: tuple["Node", ...]
    branches: Mapping[str, tuple["Node", ...]]
    where: str


Node = Step | Loop | Branch


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What a pipeline file says; servers by name with the folder or address that they live at."""

    path: Path
    servers: Mapping[str, Located]
    steps: tuple[Node, ...]


def read_pipeline(path: str | Path) -> Pipeline:
    """The pipeline in a YAML file; what it does not allow is an error with its line."""
    content = read_yaml(path)
    root = _mapping(content, PIPELINE_HINT)
    for key in root:
        if key not in ("servers", "pipeline"):
            raise InputError(Message("formats.no_field_called", name=key), where=root[key].where, hint=PIPELINE_HINT)
    if "servers" not in root or "pipeline" not in root:
        missing = "servers" if "servers" not in root else "pipeline"
        raise InputError(Message("formats.field_missing", key=missing), where=content.where, hint=PIPELINE_HINT)
    servers = _mapping(root["servers"], PIPELINE_HINT)
    return Pipeline(Path(path), servers, _steps(root["pipeline"]))


def each_step(nodes: tuple[Node, ...]) -> Iterator[Step]:
    """All steps, in the order of the file."""
    for node in nodes:
        match node:
            case Step():
                yield node
            case Loop():
                yield from each_step(node.steps)
            case Branch():
                yield from each_step(node.router)
                for steps in node.branches.values():
                    yield from each_step(steps)


def _steps(found: Located) -> tuple[Node, ...]:
    if not isinstance(found.value, list):
        raise InputError(Message("pipelines.list_steps_needed"), where=found.where, hint=STEP_HINT)
    return tuple(_node(each) for each in found.value)


def _node(found: Located) -> Node:
    if isinstance(found.value, str):
        return _step(found.value, found.where)
    mapping = _mapping(found, STEP_HINT)
    if len(mapping) != 1:
        raise InputError(
            Message("pipelines.one_step_needed_not", mapping=len(mapping)), where=found.where, hint=STEP_HINT
        )
    ((name, body),) = mapping.items()
    match name:
        case "loop":
            return _loop(body)
        case "branch":
            return _branch(body)
    return _step(name, found.where, body)


def _step(name: str, where: str, body: Located | None = None) -> Step:
    parts = name.split(".")
    if len(parts) != 2 or not all(parts):
        raise InputError(Message("pipelines.step_server_tool_not", name=name), where=where, hint=STEP_HINT)
    overrides = _fields(body, ("input", "output"), where) if body is not None and body.value is not None else {}
    renames = {side: _names(overrides[side]) if side in overrides else {} for side in ("input", "output")}
    return Step(parts[0], parts[1], where, renames["input"], renames["output"])


def _loop(body: Located) -> Loop:
    fields = _fields(body, ("times", "steps"), body.where)
    for name in ("times", "steps"):
        if name not in fields:
            raise InputError(Message("pipelines.loop_needs", name=name), where=body.where)
    times = fields["times"].value
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise InputError(Message("pipelines.times_whole_number_from_1", times=times), where=fields["times"].where)
    loop = Loop(times, _steps(fields["steps"]), body.where)
    limits.LOOP_TIMES.check(_rounds((loop,)), "times", error=InputError, where=fields["times"].where)
    return loop


def _rounds(nodes: tuple[Node, ...]) -> int:
    """How often the innermost of these steps runs: loops inside loops multiply."""
    most = 1
    for node in nodes:
        match node:
            case Loop():
                most = max(most, node.times * _rounds(node.steps))
            case Branch():
                most = max(most, _rounds(node.router), *map(_rounds, node.branches.values()))
    return most


def _branch(body: Located) -> Branch:
    fields = _fields(body, ("router", "branches"), body.where)
    for name in ("router", "branches"):
        if name not in fields:
            raise InputError(Message("pipelines.branch_needs", name=name), where=body.where)
    router = _steps(fields["router"])
    if not router or not isinstance(router[-1], Step):
        raise InputError(Message("pipelines.last_step_router_tool"), where=fields["router"].where)
    branches = _mapping(fields["branches"], Message("pipelines.branches_named_lists_steps"))
    return Branch(router, {state: _steps(steps) for state, steps in branches.items()}, body.where)


def _fields(body: Located, known: Sequence[str], where: str) -> Mapping[str, Located]:
    mapping = _mapping(body, STEP_HINT)
    for name in mapping:
        if name not in known:
            raise InputError(
                Message("formats.no_field_called", name=name),
                where=mapping[name].where,
                hint=Message("core.known", names=", ".join(known)),
            )
    return mapping


def _names(found: Located) -> dict[str, str]:
    mapping = _mapping(found, Message("pipelines.example_input"))
    return {name: _text(value, Message("words.the_variable_for", name=name)) for name, value in mapping.items()}


def _mapping(found: Located, hint: Message) -> Mapping[str, Located]:
    if not isinstance(found.value, Mapping):
        raise InputError(Message("pipelines.mapping_needed_here"), where=found.where, hint=hint)
    return found.value


def _text(found: Located, name: Message) -> str:
    if not isinstance(found.value, str):
        raise InputError(Message("formats.text_not", key=name, value=found.plain()), where=found.where)
    return found.value
