"""A bound pipeline run: step after step, loops in full, branches with their rows kept in pairs."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from steelyard.errors import InputError, SteelyardError, SystemFailure, UnknownName
from steelyard.pipelines.plan import MEMORY, Bound, BoundBranch, BoundLoop, Call

UNSET: Final = "<UNSET>"

Told = Callable[[str], None]


@dataclass(slots=True)
class Pools:
    """What the steps so far have left: variables, the parameters of servers, and a snapshot of every step."""

    parameters: dict[str, dict[str, Any]]
    variables: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, list[Any]] = field(default_factory=dict)
    snapshots: list[dict[str, Any]] = field(default_factory=list)

    def value(self, name: str, server: str) -> Any:
        """What a name stands for in a step of this server."""
        if name.startswith("$"):
            return self.parameters[server][name[1:]]
        if name.startswith(MEMORY):
            return self.memory.get(name.partition("_")[2], [])
        return self.variables.get(name)

    def keep(self, name: str, value: Any, server: str) -> None:
        """Remember what a step gave."""
        if name.startswith("$"):
            self.parameters[server][name[1:]] = value
            return
        self.variables[name] = value
        self.memory.setdefault(name, []).append(copy.deepcopy(value))


def run_steps(
    steps: Sequence[Bound], pools: Pools, told: Told = lambda name: None, rows: Sequence[int] | None = None, of: int = 0
) -> bool:
    """Run steps in order, on these rows of `of` if some are chosen; whether any of them did something."""
    did = False
    for step in steps:
        did = _run(step, pools, told, rows, of) or did
    return did


def _run(step: Bound, pools: Pools, told: Told, rows: Sequence[int] | None, of: int) -> bool:
    match step:
        case Call():
            return _call(step, pools, told, rows, of)
        case BoundLoop():
            return _loop(step, pools, told, rows, of)
        case BoundBranch():
            return _branch(step, pools, told, rows, of)


def _call(call: Call, pools: Pools, told: Told, rows: Sequence[int] | None, of: int) -> bool:
    told(call.step.name)
    arguments = {
        argument: _chosen(pools.value(name, call.step.server), rows, of) for argument, name in call.inputs.items()
    }
    given = _result(call, arguments)
    kept: dict[str, Any] = {}
    for declared, name in call.outputs.items():
        value = _scattered(given[declared], pools.value(name, call.step.server), rows, of, call)
        pools.keep(name, value, call.step.server)
        kept[f"memory_{name}"] = value
    pools.snapshots.append({"step": call.step.name, "memory": kept})
    return True


def _result(call: Call, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a tool gives under the names that it declares."""
    try:
        given = call.tool.function(**arguments)
    except SteelyardError as error:
        raise type(error)(f"{call.step.name}: {error.problems[0]}", where=call.step.where, hint=error.hint) from None
    if not call.outputs:
        return {}
    if not isinstance(given, Mapping):
        raise SystemFailure(f"{call.step.name} gave {type(given).__name__}, not an object", where=call.step.where)
    missing = [name for name in call.outputs if name not in given]
    if missing:
        raise SystemFailure(f"{call.step.name} did not give {missing[0]!r}", where=call.step.where)
    return given


def _loop(loop: BoundLoop, pools: Pools, told: Told, rows: Sequence[int] | None, of: int) -> bool:
    """So many times, or until a round does nothing."""
    did = False
    for _ in range(loop.times):
        if not run_steps(loop.steps, pools, told, rows, of):
            return did
        did = True
    return did


def _branch(branch: BoundBranch, pools: Pools, told: Told, rows: Sequence[int] | None, of: int) -> bool:
    """Route every row, then run each branch on its own rows, in the order of the file."""
    run_steps(branch.router, pools, told, rows, of)
    router = branch.router[-1]
    name = list(router.outputs.values())[-1] if isinstance(router, Call) else ""
    routed = pools.variables[name]
    everyone = list(range(len(routed))) if rows is None else list(rows)
    states = dict(_states(routed, everyone, branch))
    for output in router.outputs.values() if isinstance(router, Call) else ():
        pools.variables[output] = [_data(each) for each in pools.variables[output]]
    did = False
    for state, steps in branch.branches.items():
        mine = [row for row in everyone if states[row] == state]
        if mine and steps:
            did = run_steps(steps, pools, told, mine, len(routed)) or did
    return did


def _states(routed: Sequence[Any], rows: Sequence[int], branch: BoundBranch) -> Iterator[tuple[int, str]]:
    for row in rows:
        found = routed[row]
        if not (isinstance(found, Mapping) and "state" in found):
            raise InputError("a router gives a list of objects with data and state", where=branch.where)
        if found["state"] not in branch.branches:
            raise UnknownName.of("branch", str(found["state"]), branch.branches, where=branch.where)
        yield row, found["state"]


def _data(each: Any) -> Any:
    return each["data"] if isinstance(each, Mapping) and "state" in each else each


def _chosen(value: Any, rows: Sequence[int] | None, of: int) -> Any:
    """The rows of a list that belong to this branch; what is no list of rows is passed whole."""
    return [value[row] for row in rows] if rows is not None and isinstance(value, list) and len(value) == of else value


def _scattered(value: Any, before: Any, rows: Sequence[int] | None, of: int, call: Call) -> Any:
    """A result of some rows put back among all of them."""
    if rows is None or not isinstance(value, list):
        return value
    if len(value) != len(rows):
        message = f"{call.step.name} gave {len(value)} items for {len(rows)} rows"
        raise SystemFailure(message, where=call.step.where)
    whole = list(before) if isinstance(before, list) and len(before) == of else [UNSET] * of
    for row, each in zip(rows, value, strict=True):
        whole[row] = each
    return whole
