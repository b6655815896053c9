"""Running of a pipeline, and the journal of its calls, from which an interrupted run can be resumed.

The first line names the pipeline. Every other line holds the step, the variables it set (`memory`), the parameters it
changed (`local`), which of them are prompts or routed rows, and a fingerprint of the step, its server and its
parameters. A resumed run goes through the steps again and takes the outputs of each call from its line, up to the first
call without a line or with another fingerprint. The lines from that call on are copied to another file.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Self

from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.io.locking import try_lock
from steelyard.io.writing import errors_at, whole_file
from steelyard.pipelines.check import check_arguments, check_parameters, check_settings, check_templates
from steelyard.pipelines.client import PromptText, ServerPool
from steelyard.pipelines.load import Parameters, load_parameters, load_servers, start_servers
from steelyard.pipelines.locate import ServerChoice
from steelyard.pipelines.plan import HISTORY_PREFIXES, Bound, BoundBranch, BoundLoop, Call, bind, error_at
from steelyard.pipelines.spec import Pipeline

LOCKED_HINT = Message("pipelines.journal_locked_hint")
UNSET: Final = "<UNSET>"
"""The value of a row that no branch has set, as UltraRAG writes it."""

StepCallback = Callable[[str], None]
"""Called with the name of a step before it runs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The outputs of a call."""

    step: str
    mark: str
    memory: Mapping[str, Any] = field(default_factory=dict)
    local: Mapping[str, Any] = field(default_factory=dict)
    routed: tuple[str, ...] = ()

    def line(self) -> bytes:
        """Return the entry as a line of the journal."""
        prompts = [
            name
            for name, value in self.memory.items()
            if isinstance(value, list) and value and all(isinstance(text, PromptText) for text in value)
        ]
        fields = {"step": self.step, "mark": self.mark, "memory": self.memory, "local": self.local, "prompts": prompts}
        routed = {"routed": self.routed} if self.routed else {}
        return json.dumps({**fields, **routed}, ensure_ascii=False, allow_nan=False).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self | None:
        """Read a line; return None if it is incomplete."""
        if not line.endswith(b"\n"):
            return None
        try:
            fields = json.loads(line)
            memory = {
                name: [PromptText(text) for text in value] if name in fields["prompts"] else value
                for name, value in fields["memory"].items()
            }
            return cls(fields["step"], fields["mark"], memory, fields["local"])
        except (ValueError, KeyError, TypeError):
            return None


class Journal:
    """A file of entries: existing ones are replayed, then new ones are appended.

    A new file begins with a line that names the pipeline; a process killed before that leaves a file to remove.
    `changed` is the first step whose entry was not reused.
    """

    def __init__(self, path: Path, pipeline: Path, *, is_new: bool) -> None:
        self.path = path
        self.changed: str | None = None
        self._replaying = not is_new
        self._file = open(path, "x+b" if is_new else "r+b")  # noqa: SIM115 - `finish` closes it
        with errors_at(path), ExitStack() as failed:
            if is_new:
                failed.callback(path.unlink)
            failed.callback(self._file.close)
            if not try_lock(self._file):
                raise ConfigError(Message("pipelines.journal_locked"), where=str(path), hint=LOCKED_HINT)
            if is_new:
                self._file.write(_head(pipeline))
                self._file.flush()
            else:
                self._file.readline()
            failed.pop_all()

    def replay(self, step: str, mark: str) -> Entry | None:
        """Return the next entry if it is of this call; otherwise discard the rest of the journal."""
        if not self._replaying:
            return None
        with errors_at(self.path):
            start = self._file.tell()
            entry = Entry.read(self._file.readline())
            if entry is not None and (entry.step, entry.mark) == (step, mark):
                return entry
            self._replaying = False
            if entry is not None:
                self.changed = step
                with whole_file(self.path.with_suffix(".replaced.jsonl")) as part:
                    shutil.copyfile(self.path, part)
            self._file.seek(start)
            self._file.truncate()
            return None

    def add(self, entry: Entry) -> None:
        """Append an entry and flush it."""
        try:
            line = entry.line()
        except (TypeError, ValueError) as error:
            raise SystemFailure(Message("pipelines.result_not_json", name=entry.step, error=error)) from None
        with errors_at(self.path):
            self._file.write(line)
            self._file.flush()

    def finish(self, *, complete: bool) -> Path | None:
        """Write the snapshot in UltraRAG's format; delete the journal if the run is complete."""
        snapshot = self.path.with_suffix(".json")
        with errors_at(self.path), self._file:
            self._file.seek(0)
            self._file.readline()
            first = self._file.readline()
            has_entries = first.endswith(b"\n")
            if has_entries:
                self._write_snapshot(first, snapshot)
            if complete or not has_entries:
                self.path.unlink()
        return snapshot if has_entries else None

    def _write_snapshot(self, first: bytes, snapshot: Path) -> None:
        """Write one object per call, as UltraRAG does, line by line, so that memory does not grow with the run."""
        with whole_file(snapshot) as part, open(part, "w", encoding="utf-8") as file:
            complete = (line for line in chain([first], self._file) if line.endswith(b"\n"))
            for number, line in enumerate(complete):
                fields = json.loads(line)
                routed = fields.get("routed", ())
                memory = {
                    f"memory_{name}": unrouted(value) if name in routed else value
                    for name, value in fields["memory"].items()
                }
                text = json.dumps({"step": fields["step"], "memory": memory}, ensure_ascii=False, indent=2)
                file.write("[\n" if number == 0 else ",\n")
                file.write("\n".join(f"  {part}" for part in text.split("\n")))
            file.write("\n]")


def new_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """Return a new journal, named after the pipeline and the time, with a number if the name is taken."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"memory_{benchmark}_{pipeline.stem}_{time.strftime('%Y%m%d_%H%M%S')}"
    for number in range(1, 1000):
        name = stem if number == 1 else f"{stem}-{number}"
        if (folder / f"{name}.json").exists():
            continue
        try:
            return Journal(folder / f"{name}.jsonl", pipeline, is_new=True)
        except FileExistsError:
            continue
    raise ConfigError(Message("pipelines.too_many_journals"), where=str(folder))


def last_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """Return the journal of the last unfinished run of this pipeline."""
    name = re.compile(rf"memory_{re.escape(benchmark)}_{re.escape(pipeline.stem)}_\d{{8}}_\d{{6}}(-\d+)?\.jsonl")
    head = _head(pipeline)
    journals = [path for path in folder.glob("*.jsonl") if name.fullmatch(path.name) and _first_line(path) == head]
    if not journals:
        raise ConfigError(Message("pipelines.nothing_to_resume", name=pipeline.stem), where=str(folder))
    return Journal(max(journals, key=os.path.getmtime), pipeline, is_new=False)


def _first_line(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.readline()


def _head(pipeline: Path) -> bytes:
    return json.dumps({"pipeline": str(pipeline.resolve())}, ensure_ascii=False).encode() + b"\n"


def fingerprint(*parts: Any) -> str:
    """Return a short hash of a step with its parameters."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_routed(row: Any) -> bool:
    """Return whether a row is routed, with its data and its state."""
    return isinstance(row, Mapping) and "data" in row and "state" in row


def unrouted(value: Any) -> Any:
    """Return the output of a router without the states."""
    return [row["data"] if is_routed(row) else row for row in value] if isinstance(value, list) else value


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
        """Return the value of a name in a step of this server."""
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
        """Select rows of a list, with unset rows as None; a value that is not a list of rows is unchanged."""
        if not isinstance(value, list):
            return value
        entries = value if self.rows is None or len(value) != self.total else [value[row] for row in self.rows]
        return [None if entry == UNSET else entry for entry in entries] if UNSET in entries else entries

    def merge(self, value: Any, before: Any, call: Call) -> Any:
        """Return the result of the selected rows merged into the list of all rows."""
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
    """Bind the steps of a pipeline, check its parameters, and last start the servers outside this process."""
    servers = load_servers(pipeline, pool, isolated=isolated, choice=choice)
    parameters = load_parameters(pipeline, servers, parameter_file)
    steps = bind(pipeline, servers, parameters)
    check_parameters(servers, parameters)
    check_settings(servers, steps)
    check_arguments(steps)
    check_templates(servers, steps)
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
    runners: Mapping[type, Callable[..., bool]] = {Call: _run_call, BoundLoop: _run_loop, BoundBranch: _run_branch}
    results = [runners[type(step)](step, state, on_step, selection) for step in steps]
    return any(results)


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
    """Return the value of an argument: a parameter, or the selected rows of a variable or of a history."""
    value = state.value(name, server)
    if name.startswith("$"):
        return value
    if name.startswith(HISTORY_PREFIXES):
        return [selection.select(values) for values in value]
    return selection.select(value)


def _entry(call: Call, mark: str, result: Mapping[str, Any], state: RunState, selection: RowSelection) -> Entry:
    """Return the journal entry of a call: its outputs by variable, merged into all rows."""
    outputs = {
        name: selection.merge(result[declared], state.value(name, call.step.server), call)
        for declared, name in call.outputs.items()
    }
    memory = {name: value for name, value in outputs.items() if not name.startswith("$")}
    local = {name[1:]: value for name, value in outputs.items() if name.startswith("$")}
    return Entry(call.step.name, mark, memory, local, tuple(memory) if call.routes else ())


def _call_tool(call: Call, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the outputs of a tool by their declared names; a prompt has one output, a list of texts."""
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
