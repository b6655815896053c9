"""Running of a pipeline: its preparation, steps in order, loops, and branches on the rows that a router selects."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from steelyard.errors import SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.pipelines.check import check_arguments, check_parameters, check_settings, check_templates
from steelyard.pipelines.client import PromptText, ServerPool
from steelyard.pipelines.journal import Entry, Journal, fingerprint, is_routed, unrouted
from steelyard.pipelines.load import Parameters, load_parameters, load_servers, start_servers
from steelyard.pipelines.locate import ServerChoice
from steelyard.pipelines.plan import HISTORY_PREFIXES, Bound, BoundBranch, BoundLoop, Call, bind, error_at
from steelyard.pipelines.spec import Pipeline

UNSET: Final = "<UNSET>"
"""The value of a row that no branch has set, as UltraRAG writes it."""

StepCallback = Callable[[str], None]
"""Called with the name of a step before it runs."""


@dataclass(slots=True)
class RunState:
    """The state after the steps so far: variables, parameters of servers, and the history of variables.

    `pending` holds calls without outputs that a resumed run has skipped: they prepare a server, and are repeated before
    the next call of that server.
    """

    parameters: dict[str, dict[str, Any]]
    journal: Journal
    history_variables: frozenset[str] = frozenset()
    variables: dict[str, Any] = field(default_factory=dict)
    history: dict[str, list[Any]] = field(default_factory=dict)
    pending: dict[str, list[tuple[Call, Mapping[str, Any]]]] = field(default_factory=dict)
    last: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str, server: str) -> Any:
        """The value of a name in a step of this server."""
        if name.startswith("$"):
            return self.parameters[server][name[1:]]
        if name.startswith(HISTORY_PREFIXES):
            return self.history.get(name.partition("_")[2], [])
        return self.variables.get(name)

    def update(self, entry: Entry, server: str) -> None:
        """Store the outputs of a call."""
        self.parameters[server].update(entry.local)
        self.variables.update(entry.memory)
        shown = {name: unrouted(value) if name in entry.routed else value for name, value in entry.memory.items()}
        self.last = shown or self.last
        for name in self.history_variables.intersection(entry.memory):
            self.history.setdefault(name, []).append(copy.deepcopy(unrouted(entry.memory[name])))


@dataclass(frozen=True, slots=True)
class RowSelection:
    """The rows of a branch out of `total`; without `rows`, all of them."""

    rows: tuple[int, ...] | None = None
    total: int = 0

    def select(self, value: Any) -> Any:
        """The selected rows of a list, with unset rows as None; a value that is not a list of rows is unchanged."""
        if not isinstance(value, list):
            return value
        entries = value if self.rows is None or len(value) != self.total else [value[row] for row in self.rows]
        return [None if entry == UNSET else entry for entry in entries] if UNSET in entries else entries

    def merge(self, value: Any, before: Any, call: Call) -> Any:
        """The result of the selected rows merged into the list of all rows."""
        if self.rows is None or not isinstance(value, list):
            return value
        if len(value) != len(self.rows):
            message = Message("pipelines.wrong_row_count", name=call.step.name, count=len(value), rows=len(self.rows))
            raise SystemFailure(message, where=call.step.where)
        merged = list(before) if isinstance(before, list) and len(before) == self.total else [UNSET] * self.total
        for row, entry in zip(self.rows, value, strict=True):
            merged[row] = entry
        return merged


ALL_ROWS: Final = RowSelection()


def prepare_run(
    pipeline: Pipeline,
    pool: ServerPool,
    *,
    isolated: bool = False,
    choice: ServerChoice = "auto",
    parameter_file: Path | None = None,
) -> tuple[tuple[Bound, ...], Parameters]:
    """The bound steps of a pipeline and its parameters, checked; servers outside this process are started last."""
    servers = load_servers(pipeline, pool, isolated=isolated, choice=choice)
    parameters = load_parameters(pipeline, servers, parameter_file)
    steps = bind(pipeline, servers, parameters)
    check_parameters(servers, parameters)
    check_settings(servers, steps, parameters)
    check_arguments(steps, parameters)
    check_templates(servers, steps, parameters)
    locations = {alias: server.location for alias, server in servers.items()}
    remote = [server.location for server in servers.values() if server.endpoint is not None]
    start_servers(pool, remote, pipeline, locations)
    return steps, parameters


def run_steps(
    steps: Sequence[Bound],
    state: RunState,
    on_step: StepCallback = lambda name: None,
    selection: RowSelection = ALL_ROWS,
) -> bool:
    """Run steps in order on the selected rows; return whether any call was made."""
    active = False
    for step in steps:
        active = _run_step(step, state, on_step, selection) or active
    return active


def _run_step(step: Bound, state: RunState, on_step: StepCallback, selection: RowSelection) -> bool:
    match step:
        case Call():
            return _run_call(step, state, on_step, selection)
        case BoundLoop():
            return _run_loop(step, state, on_step, selection)
        case BoundBranch():
            return _run_branch(step, state, on_step, selection)


def _run_call(call: Call, state: RunState, on_step: StepCallback, selection: RowSelection) -> bool:
    """Make a call, or take its outputs from the journal."""
    server = call.step.server
    used = {name: state.value(name, server) for name in call.inputs.values() if name.startswith("$")}
    mark = fingerprint(call.step.name, call.server_identity, dict(call.inputs), dict(call.outputs), used)
    entry = state.journal.replay(call.step.name, mark)
    if entry is None or not call.outputs:
        arguments = {argument: _argument(state, name, server, selection) for argument, name in call.inputs.items()}
    if entry is not None and not call.outputs:
        state.pending.setdefault(server, []).append((call, arguments))
    if entry is None:
        on_step(call.step.name)
        for earlier, earlier_arguments in state.pending.pop(server, ()):
            _call_tool(earlier, earlier_arguments)
        entry = _entry(call, mark, _call_tool(call, arguments), state, selection)
        state.journal.add(entry)
    state.update(entry, server)
    return True


def _argument(state: RunState, name: str, server: str, selection: RowSelection) -> Any:
    """The value of an argument: a parameter as it is, the selected rows of a variable or of each round of a history."""
    value = state.value(name, server)
    if name.startswith("$"):
        return value
    if name.startswith(HISTORY_PREFIXES):
        return [selection.select(values) for values in value]
    return selection.select(value)


def _entry(call: Call, mark: str, result: Mapping[str, Any], state: RunState, selection: RowSelection) -> Entry:
    """The journal entry of a call: its outputs by variable, merged into all rows."""
    outputs = {
        name: selection.merge(result[declared], state.value(name, call.step.server), call)
        for declared, name in call.outputs.items()
    }
    memory = {name: value for name, value in outputs.items() if not name.startswith("$")}
    local = {name[1:]: value for name, value in outputs.items() if name.startswith("$")}
    return Entry(call.step.name, mark, memory, local, tuple(memory) if call.routes else ())


def _call_tool(call: Call, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The outputs of a tool by their declared names; a prompt has one output, a list of texts."""
    try:
        result = call.tool.function(**arguments)
    except SteelyardError as error:
        raise error_at(error, call) from None
    if not call.outputs:
        return {}
    name, where = call.step.name, call.step.where
    if call.tool.kind == "prompt":
        if not isinstance(result, list) or not all(isinstance(text, str) for text in result):
            raise SystemFailure(Message("pipelines.result_no_texts", name=name), where=where)
        return {next(iter(call.outputs)): [PromptText(text) for text in result]}
    if not isinstance(result, Mapping):
        raise SystemFailure(Message("pipelines.result_no_object", name=name, type=type(result).__name__), where=where)
    missing = [output for output in call.outputs if output not in result]
    if missing:
        raise SystemFailure(Message("pipelines.output_missing", name=name, output=missing[0]), where=where)
    return result


def _run_loop(loop: BoundLoop, state: RunState, on_step: StepCallback, selection: RowSelection) -> bool:
    """Run the steps of a loop `times` times, or until a round makes no call."""
    active = False
    for _ in range(loop.times):
        if not run_steps(loop.steps, state, on_step, selection):
            return active
        active = True
    return active


def _run_branch(branch: BoundBranch, state: RunState, on_step: StepCallback, selection: RowSelection) -> bool:
    """Route every row, then run each branch on its rows, in the order of the file."""
    run_steps(branch.router, state, on_step, selection)
    names = list(branch.last.outputs.values())
    for name in names:
        _check_routed(state.variables[name], selection, branch)
    routed = state.variables[names[-1]]
    rows = range(len(routed)) if selection.rows is None else selection.rows
    states = {row: routed[row]["state"] for row in rows}
    state.variables.update({name: unrouted(state.variables[name]) for name in names})
    active = False
    for branch_state, steps in branch.branches.items():
        own_rows = tuple(row for row in rows if states[row] == branch_state)
        if own_rows and steps:
            active = run_steps(steps, state, on_step, RowSelection(own_rows, len(routed))) or active
    return active


def _check_routed(routed: Any, selection: RowSelection, branch: BoundBranch) -> None:
    """Raise an error unless a router has returned the data and the state of every row, each state a branch name."""
    entries: list[Any] = selection.select(routed) if isinstance(routed, list) else [None]
    for entry in entries:
        state = entry["state"] if is_routed(entry) else None
        if not isinstance(state, str):
            message = Message("pipelines.router_result_type", name=branch.last.step.name)
            raise SystemFailure(message, where=branch.where)
        if state not in branch.branches:
            raise UnknownName.of(Message("words.branch"), state, branch.branches, where=branch.where)
