"""Binding of a pipeline: which variable or parameter feeds every argument, checked before anything runs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, SteelyardError, UnknownName, nearest
from steelyard.i18n import Joined, Localized, Message
from steelyard.io.yamls import Located
from steelyard.pipelines.load import LoadedServer, Parameters
from steelyard.pipelines.server import Binding, Tool, matches_type, type_name
from steelyard.pipelines.spec import Branch, Loop, Node, Pipeline, Step, iter_steps

HISTORY_PREFIXES = ("memory_", "mem_")
MAX_PRODUCERS = 3
"""The number of tools that a hint proposes for a variable that no step produces."""


@dataclass(frozen=True, slots=True)
class Call:
    """A bound step: its tool, the variable or parameter of each argument, and the variable of each output.

    `binding` is the binding of the tool without the overrides of the step and without arguments that nothing feeds;
    `server_identity` identifies the server in the journal; `parameters` are those of the run; `routes` marks the last
    step of a router, which returns the data and the state of every row.
    """

    step: Step
    tool: Tool
    binding: Binding
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    server_identity: str
    parameters: Parameters
    routes: bool = False

    @property
    def parameter_names(self) -> dict[str, str]:
        """The parameter of each argument that is fed by one."""
        return {argument: name[1:] for argument, name in self.inputs.items() if name.startswith("$")}

    @property
    def given(self) -> dict[str, Any]:
        """The value of each argument that is fed by a parameter."""
        values = self.parameters.values[self.step.server]
        return {argument: values[name] for argument, name in self.parameter_names.items()}

    @property
    def sources(self) -> dict[str, Located]:
        """The parameters of the call that the parameter file sets, as read."""
        section = self.parameters.section(self.step.server)
        return {name: section[name] for name in self.parameter_names.values() if name in section}


@dataclass(frozen=True, slots=True)
class BoundLoop:
    """A loop with bound steps."""

    times: int
    steps: tuple["Bound", ...]


@dataclass(frozen=True, slots=True)
class BoundBranch:
    """A branch with bound router and branches; `last` is the step of the router that returns the states."""

    router: tuple["Bound", ...]
    last: Call
    branches: Mapping[str, tuple["Bound", ...]]
    where: str


Bound = Call | BoundLoop | BoundBranch


@dataclass(frozen=True, slots=True)
class UnknownVariable:
    """A variable that no step produces yet; `key_map` below `parameter` of `server` can define it.

    `producers` are tools of the loaded servers that would produce it.
    """

    step: Step
    name: str
    server: str
    parameter: str
    producers: tuple[str, ...] = ()


def bind(
    pipeline: Pipeline,
    servers: Mapping[str, LoadedServer],
    parameters: Parameters,
    unknown: list[UnknownVariable] | None = None,
) -> tuple[Bound, ...]:
    """Return the steps of a pipeline with all names resolved; raise an error with a line for the first that cannot be.

    If a list `unknown` is given, variables that a key_map can still define are added to it instead.
    """
    binder = _Binder(pipeline, servers, parameters, unknown)
    return tuple(binder.bind(node) for node in pipeline.steps)


def key_map_hint(name: str, parameter: str, location: str | None, producers: Sequence[str] = ()) -> Message:
    """Return the hint for a variable that is not known yet."""
    if location is None:
        hint = Message("pipelines.key_map_build", parameter=parameter, name=name)
    else:
        hint = Message("pipelines.key_map_at", parameter=parameter, location=location, name=name)
    return Message("pipelines.add_step_or", tools=", ".join(producers), hint=hint) if producers else hint


def used_parameters(steps: tuple[Bound, ...]) -> dict[str, list[str]]:
    """Return the parameters of each server that its steps use, in order of first use."""
    used: dict[str, list[str]] = {}
    for call in iter_calls(steps):
        of_server = used.setdefault(call.step.server, [])
        of_server += [name for name in call.parameter_names.values() if name not in of_server]
    return used


def history_variables(steps: tuple[Bound, ...]) -> frozenset[str]:
    """Return the variables whose history a step reads, as memory_NAME."""
    names = (name for call in iter_calls(steps) for name in call.inputs.values() if name.startswith(HISTORY_PREFIXES))
    return frozenset(name.partition("_")[2] for name in names)


def iter_calls(steps: tuple[Bound, ...]) -> Iterator[Call]:
    """Yield all calls, in the order of the file."""
    for step in steps:
        match step:
            case Call():
                yield step
            case BoundLoop():
                yield from iter_calls(step.steps)
            case BoundBranch():
                yield from iter_calls(step.router)
                for branch in step.branches.values():
                    yield from iter_calls(branch)


@dataclass(slots=True)
class _Binder:
    """Binds the nodes in order, with the variables that the earlier ones produce.

    `key_map` is the server and the parameter with a key_map.
    """

    pipeline: Pipeline
    servers: Mapping[str, LoadedServer]
    parameters: Parameters
    unknown: list[UnknownVariable] | None
    known: dict[str, None] = field(default_factory=dict)
    key_map: tuple[str, str] | None = None

    def bind(self, node: Node) -> Bound:
        match node:
            case Step():
                return self._bind_step(node)
            case Loop():
                return BoundLoop(node.times, tuple(self.bind(step) for step in node.steps))
            case Branch():
                *before, last = (self.bind(step) for step in node.router)
                last = self._router(last, node.where)
                branches = {state: tuple(self.bind(step) for step in steps) for state, steps in node.branches.items()}
                return BoundBranch((*before, last), last, branches, node.where)

    @staticmethod
    def _router(last: "Bound", where: str) -> Call:
        if not isinstance(last, Call) or not any(not name.startswith("$") for name in last.outputs.values()):
            raise InputError(Message("pipelines.router_last_step_output"), where=where)
        return replace(last, routes=True)

    def _bind_step(self, step: Step) -> Call:
        tool = self._tool(step)
        binding = self._with_key_map(step, tool.binding_for(self.parameters.values[step.server]))
        self._check_overrides(step, binding.inputs, binding.outputs)
        inputs = {argument: step.input.get(argument, name) for argument, name in binding.inputs.items()}
        omitted = {
            argument for argument in binding.optional - set(step.input) if not self._is_fed(inputs[argument], step)
        }
        inputs = {argument: name for argument, name in inputs.items() if argument not in omitted}
        for argument, name in inputs.items():
            self._check_name(name, step)
            self._check_type(tool, argument, name, step)
        outputs = {name.removeprefix("$"): step.output.get(name.removeprefix("$"), name) for name in binding.outputs}
        self.known.update(dict.fromkeys(name for name in outputs.values() if not name.startswith("$")))
        fed = {argument: name for argument, name in binding.inputs.items() if argument in inputs}
        identity = self.servers[step.server].location.identity
        return Call(step, tool, replace(binding, inputs=fed), inputs, outputs, identity, self.parameters)

    def _tool(self, step: Step) -> Tool:
        if step.server not in self.pipeline.servers:
            raise UnknownName.of(Message("words.server"), step.server, self.pipeline.servers, where=step.where)
        tools = self.servers[step.server].tools
        if step.tool not in tools:
            raise UnknownName.of(Message("words.tool"), step.tool, tools, where=step.where)
        return tools[step.tool]

    def _is_fed(self, name: str, step: Step) -> bool:
        if name.startswith("$"):
            return name[1:] in self.parameters.values[step.server]
        return name.startswith(HISTORY_PREFIXES) or name in self.known

    def _check_overrides(self, step: Step, inputs: Mapping[str, str], outputs: tuple[str, ...]) -> None:
        output_names = [name.removeprefix("$") for name in outputs]
        argument, output = Message("words.argument"), Message("words.output")
        for what, overrides, known in ((argument, step.input, list(inputs)), (output, step.output, output_names)):
            for name in overrides:
                if name not in known:
                    message = Message("pipelines.step_no_name", step=step.name, what=what, name=name)
                    raise InputError(message, where=step.where, hint=nearest(name, known))

    def _check_name(self, name: str, step: Step) -> None:
        if self._is_fed(name, step):
            return
        if name.startswith("$"):
            hint = nearest(name[1:], self.parameters.values[step.server])
            message = Message("metrics.no_parameter", name=step.server, parameter=name[1:])
            raise InputError(message, where=step.where, hint=hint)
        later = self._later_hint(name, step)
        if self.unknown is None or self.key_map is None or later is not None:
            message = Message("pipelines.variable_unknown", step=step.name, name=name)
            raise InputError(message, where=step.where, hint=later or self._hint(name, step))
        self.unknown.append(UnknownVariable(step, name, *self.key_map, producers=self._producers(name)))
        self.known[name] = None

    def _later_hint(self, name: str, step: Step) -> Message | None:
        """Return a hint if a later step produces a variable."""
        for later in iter_steps(self.pipeline.steps):
            if later is not step and later.server in self.servers and later.tool in self.servers[later.server].tools:
                outputs = self._tool(later).binding_for(self.parameters.values[later.server]).outputs
                if name in [later.output.get(output, output) for output in outputs]:
                    return Message("pipelines.produced_later", name=later.name, where=later.where)
        return None

    def _producers(self, name: str) -> tuple[str, ...]:
        """Return some tools of the loaded servers that produce a variable without needing it."""
        tools = ((alias, tool) for alias, server in self.servers.items() for tool in server.tools.values())
        producers = (
            f"{alias}.{tool.name}"
            for alias, tool in tools
            if name in tool.binding.outputs and name not in tool.binding.inputs.values()
        )
        return tuple(islice(producers, MAX_PRODUCERS))

    def _hint(self, name: str, step: Step) -> Message:
        """Return a hint for an unknown variable: where to define it, what produces it, or the nearest known name."""
        producers = self._producers(name)
        if self.key_map is not None:
            server, parameter = self.key_map
            location = self.parameters.location(server, (parameter, "key_map"))
            return key_map_hint(name, ".".join(self.key_map), location, producers)
        if producers:
            return Message("pipelines.add_step", tools=", ".join(producers))
        if self.servers[step.server].location.address and name not in step.input.values():
            return Message("pipelines.build_to_fill_in", name=name)
        return nearest(name, self.known) if self.known else Message("pipelines.no_variables_yet")

    def _with_key_map(self, step: Step, binding: Binding) -> Binding:
        """Add to the outputs every variable of the key_map among the parameters; UltraRAG declares only two of them."""
        values = self.parameters.values[step.server]
        for name in (name[1:] for name in binding.inputs.values() if name.startswith("$")):
            value = values.get(name)
            if isinstance(value, Mapping) and "key_map" in value and binding.outputs:
                self.key_map = (step.server, name)
                variables = map(str, value["key_map"] if isinstance(value["key_map"], Mapping) else ())
                return replace(binding, outputs=tuple(dict.fromkeys((*binding.outputs, *variables))))
        return binding

    def _check_type(self, tool: Tool, argument: str, name: str, step: Step) -> None:
        """Raise an error for a parameter of the wrong type."""
        if not name.startswith("$"):
            return
        value = self.parameters.values[step.server][name[1:]]
        if not matches_type(value, tool, argument):
            where = self.parameters.locations.get((step.server, name[1:]), step.where)
            expected = type_name(tool, argument)
            raise InputError(
                Message("pipelines.parameter_type", server=step.server, name=name[1:], expected=expected, value=value),
                where=where,
            )


# --- the location of an error ---


def error_at(error: SteelyardError, call: Call) -> SteelyardError:
    """Return the error of a tool with the file location of the parameter that it is about, or else of the step."""
    first = error.problems[0]
    location = (
        _parameter_location(error.parameter, call)
        or _file_location(first, call)
        or _quoted_location(first.message, call)
        or call.step.where
    )
    redundant = (call.step.where, call.step.server, call.tool.name)
    where = "" if first.where in redundant else first.where
    problems = Joined("core.lines", [Problem(where, first.message), *error.problems[1:]])
    message = Message("core.labelled", label=call.step.name, message=problems)
    return type(error)(message, where=location, hint=_path_hint(first) or error.hint)


def _path_hint(problem: Problem) -> Localized | None:
    """For a missing path that exists relative to a parent of the current folder, a hint with that folder."""
    path = Path(problem.where) if problem.where else None
    if path is None or path.is_absolute() or _exists(path):
        return None
    parent = next((folder for folder in Path.cwd().parents if _exists(folder / path)), None)
    if parent is None:
        return None
    return Message("pipelines.run_in_folder", folder=os.path.relpath(parent), path=path)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # not a valid path
        return False


def _parameter_location(parameter: str | None, call: Call) -> str | None:
    """Return the location of the deepest value on the way to a parameter that the parameter file sets."""
    if parameter is None:
        return None
    argument, *names = parameter.split(".")
    name = call.parameter_names.get(argument)
    return None if name is None else call.parameters.location(call.step.server, (name, *names))


def _file_location(problem: Problem, call: Call) -> str | None:
    """Locate the parameter that names the file of a problem; in it, a text that the problem quotes."""
    for text in _texts(call):
        if problem.where == text.value or problem.where.startswith((f"{text.value}:", f"{text.value}/")):
            return _quoted_location(problem.message, call) or text.where
    return None


def _quoted_location(message: Message, call: Call) -> str | None:
    """Return the location of a text among the parameters that is an argument of the message."""
    quoted = {value for value in message.args.values() if isinstance(value, str)}
    return next((text.where for text in _texts(call) if text.value in quoted), None)


def _texts(call: Call) -> Iterator[Located]:
    return (text for source in call.sources.values() for text in _texts_in(source))


def _texts_in(source: Located) -> Iterator[Located]:
    """Yield the texts in a value, at any depth."""
    if isinstance(source.value, Mapping):
        for value in source.value.values():
            yield from _texts_in(value)
    elif isinstance(source.value, list):
        for value in source.value:
            yield from _texts_in(value)
    elif isinstance(source.value, str) and source.value:
        yield source
