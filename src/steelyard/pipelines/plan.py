"""A pipeline bound: which variable or parameter feeds every argument, checked before anything runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from steelyard.errors import InputError, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.io.yamls import Located
from steelyard.pipelines.loading import Loaded, Parameters
from steelyard.pipelines.schemas import fits, type_name
from steelyard.pipelines.server import Binding, Tool
from steelyard.pipelines.spec import Branch, Loop, Node, Pipeline, Step, each_step

MEMORY = ("memory_", "mem_")
MOST_GIVERS = 3
"""So many tools are proposed for a variable that no step gives."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the tool, where each argument comes from, and under which names what it gives is kept.

    `binding` is that of the tool without the overrides of the step and without arguments that nothing feeds; `origin`
    tells the server from any other; `places` says where in a file a parameter of the call stands, `located` the same
    with what it holds; `routes` marks the last step of a router, which gives the data and the state of every row.
    """

    step: Step
    tool: Tool
    binding: Binding
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    origin: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    located: Mapping[str, Located] = field(default_factory=dict)
    routes: bool = False


@dataclass(frozen=True, slots=True)
class BoundLoop:
    """A loop whose steps are bound."""

    times: int
    steps: tuple["Bound", ...]


@dataclass(frozen=True, slots=True)
class BoundBranch:
    """A branch whose router and branches are bound; `last` is the step of the router that says where rows go."""

    router: tuple["Bound", ...]
    last: Call
    branches: Mapping[str, tuple["Bound", ...]]
    where: str


Bound = Call | BoundLoop | BoundBranch


@dataclass(frozen=True, slots=True)
class Unknown:
    """A variable that no step gives yet: the key_map of this parameter of a server would name it.

    `givers` are tools of the servers in use that would give it.
    """

    step: Step
    name: str
    server: str
    parameter: str
    givers: tuple[str, ...] = ()


def bind(
    pipeline: Pipeline, loaded: Mapping[str, Loaded], parameters: Parameters, unknown: list[Unknown] | None = None
) -> tuple[Bound, ...]:
    """The steps of a pipeline with all names resolved; the first that cannot be is an error with its line.

    Where a list of the `unknown` is kept, variables that a key_map can still name are noted there instead.
    """
    binder = _Binder(pipeline, loaded, parameters, unknown)
    return tuple(binder.bind(node) for node in pipeline.steps)


def key_map_hint(name: str, parameter: str, place: str | None, givers: Sequence[str] = ()) -> Message:
    """What to do about a variable that is not known yet."""
    if place is None:
        hint = Message("pipelines.key_map_to_build", parameter=parameter, name=name)
    else:
        hint = Message("pipelines.key_map_at", parameter=parameter, place=place, name=name)
    return Message("pipelines.step_or_hint", givers=", ".join(givers), hint=hint) if givers else hint


def used_parameters(steps: tuple[Bound, ...]) -> dict[str, list[str]]:
    """For each server the parameters that its steps use, in order of first use."""
    found: dict[str, list[str]] = {}
    for call in calls(steps):
        names = [name[1:] for name in call.inputs.values() if name.startswith("$")]
        mine = found.setdefault(call.step.server, [])
        mine += [name for name in names if name not in mine]
    return found


def remembered(steps: tuple[Bound, ...]) -> frozenset[str]:
    """The variables whose history some step reads, as memory_x."""
    names = (name for call in calls(steps) for name in call.inputs.values() if name.startswith(MEMORY))
    return frozenset(name.partition("_")[2] for name in names)


def calls(steps: tuple[Bound, ...]) -> Iterator[Call]:
    """All calls, in the order of the file."""
    for step in steps:
        match step:
            case Call():
                yield step
            case BoundLoop():
                yield from calls(step.steps)
            case BoundBranch():
                yield from calls(step.router)
                for branch in step.branches.values():
                    yield from calls(branch)


class _Binder:
    """Binds node after node, knowing what the ones before it give."""

    def __init__(
        self,
        pipeline: Pipeline,
        loaded: Mapping[str, Loaded],
        parameters: Parameters,
        unknown: list[Unknown] | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._loaded = loaded
        self._parameters = parameters
        self._known: dict[str, None] = {}
        self._unknown = unknown
        self._mapped: tuple[str, str] | None = None  # the server and the parameter whose key_map names variables

    def bind(self, node: Node) -> Bound:
        match node:
            case Step():
                return self._call(node)
            case Loop():
                return BoundLoop(node.times, tuple(self.bind(each) for each in node.steps))
            case Branch():
                *before, last = (self.bind(each) for each in node.router)
                last = self._router(last, node.where)
                branches = {state: tuple(self.bind(each) for each in steps) for state, steps in node.branches.items()}
                return BoundBranch((*before, last), last, branches, node.where)

    @staticmethod
    def _router(last: "Bound", where: str) -> Call:
        if not isinstance(last, Call) or not any(not name.startswith("$") for name in last.outputs.values()):
            raise InputError(Message("pipelines.last_step_router_tool_gives"), where=where)
        return replace(last, routes=True)

    def _call(self, step: Step) -> Call:
        tool = self._tool(step)
        binding = self._published(step, tool.binding_for(self._parameters.values[step.server]))
        self._check_overrides(step, binding.inputs, binding.outputs)
        inputs = {argument: step.input.get(argument, name) for argument, name in binding.inputs.items()}
        left = {argument for argument in binding.optional - set(step.input) if not self._is_fed(inputs[argument], step)}
        inputs = {argument: name for argument, name in inputs.items() if argument not in left}
        for argument, name in inputs.items():
            self._check_name(name, step)
            self._check_type(tool, argument, name, step)
        outputs = {name.removeprefix("$"): step.output.get(name.removeprefix("$"), name) for name in binding.outputs}
        self._known.update(dict.fromkeys(name for name in outputs.values() if not name.startswith("$")))
        said = ((name[1:], self._parameters.places.get((step.server, name[1:]))) for name in inputs.values())
        fed = replace(
            binding, inputs={argument: name for argument, name in binding.inputs.items() if argument in inputs}
        )
        places = {name: place for name, place in said if place}
        located = self._parameters.located(step.server, places)
        return Call(step, tool, fed, inputs, outputs, self._loaded[step.server].home.origin, places, located)

    def _tool(self, step: Step) -> Tool:
        if step.server not in self._pipeline.servers:
            raise UnknownName.of(Message("words.server"), step.server, self._pipeline.servers, where=step.where)
        tools = self._loaded[step.server].tools
        if step.tool not in tools:
            raise UnknownName.of(Message("words.tool"), step.tool, tools, where=step.where)
        return tools[step.tool]

    def _is_fed(self, name: str, step: Step) -> bool:
        if name.startswith("$"):
            return name[1:] in self._parameters.values[step.server]
        return name.startswith(MEMORY) or name in self._known

    def _check_overrides(self, step: Step, inputs: Mapping[str, str], outputs: tuple[str, ...]) -> None:
        given = [name.removeprefix("$") for name in outputs]
        argument, output = Message("words.argument"), Message("words.output")
        for what, said, known in ((argument, step.input, list(inputs)), (output, step.output, given)):
            for name in said:
                if name not in known:
                    message = Message("pipelines.no_argument", step=step.name, what=what, name=name)
                    raise InputError(message, where=step.where, hint=nearest(name, known))

    def _check_name(self, name: str, step: Step) -> None:
        if self._is_fed(name, step):
            return
        if name.startswith("$"):
            hint = nearest(name[1:], self._parameters.values[step.server])
            raise InputError(
                Message("metrics.no_parameter", name=step.server, parameter=name[1:]), where=step.where, hint=hint
            )
        later = self._later(name, step)
        if self._unknown is None or self._mapped is None or later is not None:
            hint = later or self._hint(name, step)
            raise InputError(
                Message("pipelines.variable_unknown", step=step.name, name=name), where=step.where, hint=hint
            )
        self._unknown.append(Unknown(step, name, *self._mapped, givers=self._givers(name)))
        self._known[name] = None

    def _later(self, name: str, step: Step) -> Message | None:
        """Who gives a variable too late."""
        for later in each_step(self._pipeline.steps):
            if later is not step and later.server in self._loaded and later.tool in self._loaded[later.server].tools:
                given = self._tool(later).binding_for(self._parameters.values[later.server]).outputs
                if name in [later.output.get(each, each) for each in given]:
                    return Message("pipelines.gives_step_can_only_use", name=later.name, where=later.where)
        return None

    def _givers(self, name: str) -> tuple[str, ...]:
        """A few tools of the servers in use that give a variable of this name, and do not need it themselves."""
        offered = ((alias, tool) for alias, found in self._loaded.items() for tool in found.tools.values())
        giving = (
            f"{alias}.{tool.name}"
            for alias, tool in offered
            if name in tool.binding.outputs and name not in tool.binding.inputs.values()
        )
        return tuple(islice(giving, MOST_GIVERS))

    def _hint(self, name: str, step: Step) -> Message:
        """Where a variable can be named, what gives it, or what it may have been meant to be."""
        givers = self._givers(name)
        if self._mapped is not None:
            place = self._parameters.key_map(*self._mapped)
            return key_map_hint(name, ".".join(self._mapped), place, givers)
        if givers:
            return Message("pipelines.add_step_gives", names=", ".join(givers))
        if self._loaded[step.server].home.address and name not in step.input.values():
            return Message("pipelines.steelyard_build_writes_parameter_file", name=name)
        return nearest(name, self._known) if self._known else Message("pipelines.nothing_known_before_first_step")

    def _published(self, step: Step, binding: Binding) -> Binding:
        """The binding with all that the key_map among its parameters names; upstream declares two of them."""
        values = self._parameters.values[step.server]
        for name in (name[1:] for name in binding.inputs.values() if name.startswith("$")):
            value = values.get(name)
            if isinstance(value, Mapping) and "key_map" in value and binding.outputs:
                self._mapped = (step.server, name)
                named = map(str, value["key_map"] if isinstance(value["key_map"], Mapping) else ())
                return replace(binding, outputs=tuple(dict.fromkeys((*binding.outputs, *named))))
        return binding

    def _check_type(self, tool: Tool, argument: str, name: str, step: Step) -> None:
        """A parameter of the wrong type is told before anything runs."""
        if not name.startswith("$"):
            return
        value = self._parameters.values[step.server][name[1:]]
        if not fits(value, tool, argument):
            where = self._parameters.places.get((step.server, name[1:]), step.where)
            needed = type_name(tool, argument)
            raise InputError(
                Message("pipelines.parameter_type", server=step.server, name=name[1:], needed=needed, value=value),
                where=where,
            )
