"""A bound pipeline run: step after step, loops in full, branches with their rows kept in pairs."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from steelyard.errors import SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.pipelines.journal import Entry, Journal, fingerprint, is_routed, unrouted
from steelyard.pipelines.placing import placed
from steelyard.pipelines.plan import MEMORY, Bound, BoundBranch, BoundLoop, Call
from steelyard.pipelines.remote import Prompt

UNSET: Final = "<UNSET>"

Told = Callable[[str], None]


@dataclass(slots=True)
class Pools:
    """What the steps so far have left: variables, the parameters of servers, and the history that some step reads.

    `pending` holds calls that only prepare a server: when a run is resumed, they are made again as soon as that server
    is needed, and not before.
    """

    parameters: dict[str, dict[str, Any]]
    journal: Journal
    remembered: frozenset[str] = frozenset()
    variables: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, list[Any]] = field(default_factory=dict)
    pending: dict[str, list[tuple[Call, Mapping[str, Any]]]] = field(default_factory=dict)
    last: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str, server: str) -> Any:
        """What a name stands for in a step of this server."""
        if name.startswith("$"):
            return self.parameters[server][name[1:]]
        if name.startswith(MEMORY):
            return self.memory.get(name.partition("_")[2], [])
        return self.variables.get(name)

    def keep(self, entry: Entry, server: str) -> None:
        """Remember what a call gave."""
        self.parameters[server].update(entry.local)
        self.variables.update(entry.memory)
        shown = {name: unrouted(value) if name in entry.routed else value for name, value in entry.memory.items()}
        self.last = shown or self.last
        for name in self.remembered.intersection(entry.memory):
            self.memory.setdefault(name, []).append(copy.deepcopy(unrouted(entry.memory[name])))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a branch is about, out of `of`; without a choice, all of them."""

    chosen: tuple[int, ...] | None = None
    of: int = 0

    def take(self, value: Any) -> Any:
        """The rows of a list that belong here; what is no list of rows is passed whole, an unset row as None."""
        if not isinstance(value, list):
            return value
        rows = value if self.chosen is None or len(value) != self.of else [value[row] for row in self.chosen]
        return [None if each == UNSET else each for each in rows] if UNSET in rows else rows

    def put(self, value: Any, before: Any, call: Call) -> Any:
        """A result of these rows put back among all of them."""
        if self.chosen is None or not isinstance(value, list):
            return value
        if len(value) != len(self.chosen):
            message = Message(
                "pipelines.gave_items_rows", name=call.step.name, value=len(value), chosen=len(self.chosen)
            )
            raise SystemFailure(message, where=call.step.where)
        whole = list(before) if isinstance(before, list) and len(before) == self.of else [UNSET] * self.of
        for row, each in zip(self.chosen, value, strict=True):
            whole[row] = each
        return whole


EVERY_ROW: Final = Rows()


def run_steps(steps: Sequence[Bound], pools: Pools, told: Told = lambda name: None, rows: Rows = EVERY_ROW) -> bool:
    """Run steps in order, on these rows of `of` if some are chosen; whether any of them did something."""
    did = False
    for step in steps:
        did = _run(step, pools, told, rows) or did
    return did


def _run(step: Bound, pools: Pools, told: Told, rows: Rows) -> bool:
    match step:
        case Call():
            return _call(step, pools, told, rows)
        case BoundLoop():
            return _loop(step, pools, told, rows)
        case BoundBranch():
            return _branch(step, pools, told, rows)


def _call(call: Call, pools: Pools, told: Told, rows: Rows) -> bool:
    """Make a call, or read in the journal what it gave when it was made."""
    server = call.step.server
    used = {name: pools.value(name, server) for name in call.inputs.values() if name.startswith("$")}
    mark = fingerprint(call.step.name, call.origin, dict(call.inputs), dict(call.outputs), used)
    found = pools.journal.recall(call.step.name, mark)
    if found is None or not call.outputs:
        arguments = {argument: _taken(pools, name, server, rows) for argument, name in call.inputs.items()}
    if found is not None and not call.outputs:
        pools.pending.setdefault(server, []).append((call, arguments))
    if found is None:
        told(call.step.name)
        for earlier, prepared in pools.pending.pop(server, ()):
            _result(earlier, prepared)
        found = _entry(call, mark, _result(call, arguments), pools, rows)
        pools.journal.add(found)
    pools.keep(found, server)
    return True


def _taken(pools: Pools, name: str, server: str, rows: Rows) -> Any:
    """What a name stands for, cut to the rows of a branch; of a history, every round is, and a parameter is not."""
    value = pools.value(name, server)
    if name.startswith("$"):
        return value
    return [rows.take(each) for each in value] if name.startswith(MEMORY) else rows.take(value)


def _entry(call: Call, mark: str, given: Mapping[str, Any], pools: Pools, rows: Rows) -> Entry:
    """What a call gave, put where it belongs among the rows, under the names that it is kept by."""
    kept = {
        name: rows.put(given[declared], pools.value(name, call.step.server), call)
        for declared, name in call.outputs.items()
    }
    memory = {name: value for name, value in kept.items() if not name.startswith("$")}
    local = {name[1:]: value for name, value in kept.items() if name.startswith("$")}
    return Entry(call.step.name, mark, memory, local, tuple(memory) if call.routes else ())


def _result(call: Call, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a tool gives under the names that it declares; a prompt gives a list of texts under its first name."""
    try:
        given = call.tool.function(**arguments)
    except SteelyardError as error:
        raise placed(error, call) from None
    if not call.outputs:
        return {}
    if call.tool.kind == "prompt":
        if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
            raise SystemFailure(Message("pipelines.gave_no_list_texts", name=call.step.name), where=call.step.where)
        return {next(iter(call.outputs)): [Prompt(text) for text in given]}
    if not isinstance(given, Mapping):
        raise SystemFailure(
            Message("pipelines.gave_no_object", step=call.step.name, type=type(given).__name__),
            where=call.step.where,
        )
    missing = [name for name in call.outputs if name not in given]
    if missing:
        raise SystemFailure(
            Message("pipelines.did_not_give", name=call.step.name, missing=missing[0]), where=call.step.where
        )
    return given


def _loop(loop: BoundLoop, pools: Pools, told: Told, rows: Rows) -> bool:
    """So many times, or until a round does nothing."""
    did = False
    for _ in range(loop.times):
        if not run_steps(loop.steps, pools, told, rows):
            return did
        did = True
    return did


def _branch(branch: BoundBranch, pools: Pools, told: Told, rows: Rows) -> bool:
    """Route every row, then run each branch on its own rows, in the order of the file."""
    run_steps(branch.router, pools, told, rows)
    names = list(branch.last.outputs.values())
    for name in names:
        _check_routed(pools.variables[name], rows, branch)
    routed = pools.variables[names[-1]]
    everyone = range(len(routed)) if rows.chosen is None else rows.chosen
    states = {row: routed[row]["state"] for row in everyone}
    pools.variables.update({name: unrouted(pools.variables[name]) for name in names})
    did = False
    for state, steps in branch.branches.items():
        mine = tuple(row for row in everyone if states[row] == state)
        if mine and steps:
            did = run_steps(steps, pools, told, Rows(mine, len(routed))) or did
    return did


def _check_routed(routed: Any, rows: Rows, branch: BoundBranch) -> None:
    """A router gives a list with the data and the state of every row, and the state is the name of a branch."""
    chosen: list[Any] = rows.take(routed) if isinstance(routed, list) else [None]
    for each in chosen:
        state = each["state"] if is_routed(each) else None
        if not isinstance(state, str):
            message = Message("pipelines.gave_no_list_objects_data", name=branch.last.step.name)
            raise SystemFailure(message, where=branch.where)
        if state not in branch.branches:
            raise UnknownName.of(Message("words.branch"), state, branch.branches, where=branch.where)
