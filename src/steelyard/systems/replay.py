"""`replay:FILE`: outputs that were recorded, by the id of their question."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.errors import InputError, Problem, SystemFailure
from steelyard.i18n import Message
from steelyard.io import results
from steelyard.io.layouts import ID
from steelyard.io.records import kind_of, parse_json, read_records, result_name
from steelyard.io.streams import read_text
from steelyard.systems.records import Ask, Reply, reply_of

REPLAY_HINT = Message("systems.recorded_outputs_json_answers_record")


OURS = ("question", "seconds", "attempts", "verdict")


class _Recorded(NamedTuple):
    """One output as it stands in its file; `problem` where nothing but its id can be read."""

    id: Any
    value: Any
    where: str
    problem: Message | None = None


class ReplaySystem:
    """Gives the recorded output of each question again."""

    def __init__(self, path: str | Path) -> None:
        self.name, recorded = _read(str(path))
        self._outputs = _by_id(list(recorded), str(path))

    @property
    def ids(self) -> frozenset[str]:
        """The questions that have an answer."""
        return frozenset(self._outputs)

    def ask(self, ask: Ask) -> Reply:
        """Look it up."""
        found = self._outputs.get(ask.id)
        if found is None:
            raise SystemFailure(Message("systems.no_answer_recorded", id=ask.id))
        if found.problem:
            raise SystemFailure(found.problem, where=found.where)
        return reply_of(found.value, found.where)

    def close(self) -> None:
        """Nothing is kept open."""


def _read(path: str) -> tuple[str, Iterator[_Recorded]]:
    """The name of the recorded system, and its outputs."""
    if kind_of(path) == ".json":
        text, _ = read_text(path)
        return _from_json(parse_json(text, path), path)
    records, _ = read_records(path, keep=ID)
    if records and {"kind", "signature", "metrics"} <= records[0].fields.keys():
        return _from_results(path)
    recorded = (_Recorded(_id(each.fields), each.fields, each.where, each.problem) for each in records)
    return result_name(path), recorded


def _from_json(content: Any, path: str) -> tuple[str, Iterator[_Recorded]]:
    match content:
        case {"answers": list(rows)}:
            name, pointer = content.get("system"), "#/answers"
        case list(rows):
            name, pointer = None, "#"
        case _:
            raise InputError(Message("systems.no_answers"), where=path, hint=REPLAY_HINT)
    places = (f"{path}{pointer}/{number}" for number in range(len(rows)))
    recorded = (_Recorded(_id(row), row, where) for row, where in zip(rows, places, strict=True))
    return (name if isinstance(name, str) and name else result_name(path)), recorded


def _from_results(path: str) -> tuple[str, Iterator[_Recorded]]:
    table = results.load(path)
    if not table.outputs:
        raise InputError(Message("systems.no_outputs_recorded_result"), where=path)
    pairs = zip(table.ids, table.outputs, strict=True)
    return table.name, (_Recorded(item, _said(value), path) for item, value in pairs if value is not None)


def _said(output: Mapping[str, Any]) -> dict[str, Any]:
    """What the system said, without what we wrote beside it."""
    return {name: value for name, value in output.items() if name not in OURS}


def _by_id(recorded: list[_Recorded], path: str) -> dict[str, _Recorded]:
    found: dict[str, _Recorded] = {}
    problems = []
    for each in recorded:
        if isinstance(each.id, bool) or not isinstance(each.id, str | int):
            problems.append(Problem(each.where, Message("formats.id_text_whole_number_not", value=repr(each.id))))
        elif (first := found.setdefault(str(each.id), each)) is not each:
            problems.append(
                Problem(each.where, Message("formats.id_appears_again_first", name=each.id, first=first.where))
            )
    if problems:
        raise InputError.of(problems, hint=REPLAY_HINT)
    if not found:
        raise InputError(Message("systems.no_answers"), where=path, hint=REPLAY_HINT)
    return found


def _id(row: Any) -> Any:
    """What a record calls its question; None if it does not."""
    if not isinstance(row, Mapping):
        return None
    return next((row[name] for name in ID if name in row), None)
