"""Pipeline files: servers, steps, loops and branches, each with its line in the YAML file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.yamls import Located, read_yaml

STEP_HINT = Message("pipelines.step_hint")
PIPELINE_HINT = Message("pipelines.pipeline_hint")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool; `input` overrides the variables of arguments, `output` renames outputs."""

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
    """Steps that run up to `times` times."""

    times: int
    steps: tuple["Node", ...]
    where: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A router, and the steps for the rows that it sends to each branch."""

    router: tuple["Node", ...]
    branches: Mapping[str, tuple["Node", ...]]
    where: str


Node = Step | Loop | Branch


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The content of a pipeline file; each server has a folder or an address."""

    path: Path
    servers: Mapping[str, Located]
    steps: tuple[Node, ...]


def read_pipeline(path: str | Path) -> Pipeline:
    """Read a pipeline from a YAML file; raise an error with its line if the file is not valid."""
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


def iter_steps(nodes: tuple[Node, ...]) -> Iterator[Step]:
    """Yield all steps, in the order of the file."""
    for node in nodes:
        match node:
            case Step():
                yield node
            case Loop():
                yield from iter_steps(node.steps)
            case Branch():
                yield from iter_steps(node.router)
                for steps in node.branches.values():
                    yield from iter_steps(steps)


def _steps(entries: Located) -> tuple[Node, ...]:
    if not isinstance(entries.value, list):
        raise InputError(Message("pipelines.steps_type"), where=entries.where, hint=STEP_HINT)
    return tuple(_node(entry) for entry in entries.value)


def _node(entry: Located) -> Node:
    if isinstance(entry.value, str):
        return _step(entry.value, entry.where)
    mapping = _mapping(entry, STEP_HINT)
    if len(mapping) != 1:
        raise InputError(Message("pipelines.one_step_needed", count=len(mapping)), where=entry.where, hint=STEP_HINT)
    ((name, body),) = mapping.items()
    match name:
        case "loop":
            return _loop(body)
        case "branch":
            return _branch(body)
    return _step(name, entry.where, body)


def _step(name: str, where: str, body: Located | None = None) -> Step:
    parts = name.split(".")
    if len(parts) != 2 or not all(parts):
        raise InputError(Message("pipelines.step_name", name=name), where=where, hint=STEP_HINT)
    overrides = _fields(body, ("input", "output")) if body is not None and body.value is not None else {}
    renames = {side: _renames(overrides[side]) if side in overrides else {} for side in ("input", "output")}
    return Step(parts[0], parts[1], where, renames["input"], renames["output"])


def _loop(body: Located) -> Loop:
    fields = _fields(body, ("times", "steps"))
    for name in ("times", "steps"):
        if name not in fields:
            raise InputError(Message("pipelines.loop_needs", name=name), where=body.where)
    times = fields["times"].value
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise InputError(Message("pipelines.times_type", times=times), where=fields["times"].where)
    loop = Loop(times, _steps(fields["steps"]), body.where)
    limits.LOOP_TIMES.check(_rounds((loop,)), "times", error=InputError, where=fields["times"].where)
    return loop


def _rounds(nodes: tuple[Node, ...]) -> int:
    """Return the largest number of times that one of these steps runs; nested loops multiply."""
    most = 1
    for node in nodes:
        match node:
            case Loop():
                most = max(most, node.times * _rounds(node.steps))
            case Branch():
                most = max(most, _rounds(node.router), *map(_rounds, node.branches.values()))
    return most


def _branch(body: Located) -> Branch:
    fields = _fields(body, ("router", "branches"))
    for name in ("router", "branches"):
        if name not in fields:
            raise InputError(Message("pipelines.branch_needs", name=name), where=body.where)
    router = _steps(fields["router"])
    if not router or not isinstance(router[-1], Step):
        raise InputError(Message("pipelines.router_last_step"), where=fields["router"].where)
    branches = _mapping(fields["branches"], Message("pipelines.branches_hint"))
    return Branch(router, {state: _steps(steps) for state, steps in branches.items()}, body.where)


def _fields(body: Located, known: Sequence[str]) -> Mapping[str, Located]:
    mapping = _mapping(body, STEP_HINT)
    for name in mapping:
        if name not in known:
            raise InputError(
                Message("formats.no_field_called", name=name),
                where=mapping[name].where,
                hint=Message("core.known", names=", ".join(known)),
            )
    return mapping


def _renames(entry: Located) -> dict[str, str]:
    mapping = _mapping(entry, Message("pipelines.input_hint"))
    return {name: _text(value, Message("words.the_variable_for", name=name)) for name, value in mapping.items()}


def _mapping(entry: Located, hint: Message) -> Mapping[str, Located]:
    if not isinstance(entry.value, Mapping):
        raise InputError(Message("pipelines.mapping_needed"), where=entry.where, hint=hint)
    return entry.value


def _text(entry: Located, name: Message) -> str:
    if not isinstance(entry.value, str):
        raise InputError(Message("formats.not_text", key=name, value=entry.plain()), where=entry.where)
    return entry.value
