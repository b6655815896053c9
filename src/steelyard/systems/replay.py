"""`replay:FILE`: recorded outputs, or a log of the replies of a product, by the id of their question."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.errors import InputError, Problem, SystemFailure
from steelyard.i18n import Message
from steelyard.io import results
from steelyard.io.costs import costs_in
from steelyard.io.layouts import ID
from steelyard.io.outputs import named_values
from steelyard.io.records import format_suffix, parse_json, read_records, result_name
from steelyard.io.streams import read_text
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings, reply_of
from steelyard.systems.product_replies import recorded_reply

REPLAY_HINT = Message("systems.replay_hint")

ADDED = ("question", "attempts", "verdict")
"""Fields that a results file has beside those of the output."""


class Recorded(NamedTuple):
    """One output of a file; `problem` where only its id can be read."""

    id: Any
    value: Any
    where: str
    problem: Message | None = None


class ReplaySystem(NothingOpen):
    """Returns the recorded output of each question."""

    def __init__(self, path: str | Path) -> None:
        self.name, recorded = read_recorded(str(path))
        self._outputs = _by_id(list(recorded), str(path))

    @property
    def ids(self) -> frozenset[str]:
        """Return the questions that have an answer."""
        return frozenset(self._outputs)

    def ask(self, ask: Ask) -> Reply:
        """Return the recorded output."""
        output = self._outputs.get(ask.id)
        if output is None:
            raise SystemFailure(Message("systems.no_recorded_answer", id=ask.id))
        if output.problem:
            raise SystemFailure(output.problem, where=output.where)
        found = recorded_reply(output.value, output.where) if isinstance(output.value, Mapping) else None
        reply = found or reply_of(output.value, output.where)
        return replace(reply, seconds=costs_in(named_values(output.value) or {}).get("Seconds", nan))


def read_recorded(path: str) -> tuple[str, Iterator[Recorded]]:
    """Return the name of the recorded system, and its outputs."""
    if format_suffix(path) == ".json":
        text, _ = read_text(path)
        return _from_json(parse_json(text, path), path)
    records, _ = read_records(path, keep=ID)
    if records and {"kind", "signature", "metrics"} <= records[0].fields.keys():
        return _from_results(path)
    recorded = (Recorded(_id(row.fields), row.fields, row.where, row.problem) for row in records)
    return result_name(path), recorded


def _from_json(content: Any, path: str) -> tuple[str, Iterator[Recorded]]:
    match content:
        case {"answers": list(rows)}:
            name, pointer = content.get("system"), "#/answers"
        case list(rows):
            name, pointer = None, "#"
        case _:
            raise InputError(Message("systems.no_answers"), where=path, hint=REPLAY_HINT)
    recorded = (Recorded(_id(row), row, f"{path}{pointer}/{number}") for number, row in enumerate(rows))
    return (name if isinstance(name, str) and name else result_name(path)), recorded


def _from_results(path: str) -> tuple[str, Iterator[Recorded]]:
    table = results.load(path)
    if not table.outputs:
        raise InputError(Message("systems.no_recorded_outputs"), where=path)
    pairs = zip(table.ids, table.outputs, strict=True)
    recorded = (
        Recorded(id, {name: value for name, value in fields.items() if name not in ADDED}, path)
        for id, fields in pairs
        if fields is not None
    )
    return table.name, recorded


def _by_id(recorded: list[Recorded], path: str) -> dict[str, Recorded]:
    outputs: dict[str, Recorded] = {}
    problems = []
    for output in recorded:
        if isinstance(output.id, bool) or not isinstance(output.id, str | int):
            message = Message("formats.invalid_id", value=repr(output.id))
        elif (first := outputs.setdefault(str(output.id), output)) is not output:
            message = Message("formats.duplicate_id_at", name=output.id, first=first.where)
        else:
            continue
        problems.append(Problem(output.where, message))
    if problems:
        raise InputError.of(problems, hint=REPLAY_HINT)
    if not outputs:
        raise InputError(Message("systems.no_answers"), where=path, hint=REPLAY_HINT)
    return outputs


def _id(row: Any) -> Any:
    """Return the id of the question in a record; None if it has none."""
    if not isinstance(row, Mapping):
        return None
    return next((row[name] for name in ID if name in row), None)


def open_replay(rest: str, settings: SystemSettings) -> ReplaySystem:
    """Open the system of a file of recorded outputs."""
    return ReplaySystem(rest)
