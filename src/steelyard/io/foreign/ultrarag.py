"""UltraRAG: the snapshot of a run (`output/memory_….json`) and the results of its evaluation step.

Both have lists with an entry for each question, in the order of the benchmark; the id of an item is its place there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "ultrarag"
TITLE: Final = "UltraRAG"
BOUNDS: Final = (0.0, 1.0)
SETTINGS: Final = ("profile",)

_AVERAGE: Final = "avg_"
_MEMORY: Final = "memory_"
_UNSET: Final = "<UNSET>"
_EVALUATION: Final = "eval_res"
_OWN_PROFILE: Final = "ultrarag"
# variables of a run; of the questions the first value counts, of the others the last
_FIRST: Final = {"q_ls": rows.QUESTION, "gt_ls": rows.REFERENCES}
_LAST: Final = {"ans_ls": rows.PREDICTION, "pred_ls": rows.PREDICTION, "ret_psg": rows.CONTEXTS}
_STEP: Final = shapes.Fields({"step": shapes.TEXT, "memory": shapes.Fields({})}, frozenset(("step", "memory")))
_SCORES: Final = shapes.ListOf(shapes.Plain(shapes.NUMBER.words, rows.is_score))

Lists = dict[str, list[Any]]


def recognises(container: Container) -> bool:
    """Whether rows are the steps of a run, or a document has lists of scores beside their averages."""
    if container.kind == "rows":
        return container.first.keys() == {"step", "memory"}
    return container.kind == "document" and bool(metrics_of(container.first))


def read(container: Container) -> Iterator[Record]:
    """Yield the items of a run, or of an evaluation."""
    lists, scores = ({}, container.first) if container.kind == "document" else variables_of(container)
    columns: Lists = {name: scores[name] for name in metrics_of(scores)}
    for name, values in columns.items():
        shapes.check_shape(values, _SCORES, name, container.name)
    for number in range(_common_length({**lists, **columns}, container.name)):
        fields = {rows.ID: str(number), **_item(lists, number), **_scores(columns, number), **_settings(scores)}
        yield Record(container.name, number, fields, "{}: item {}")


def metrics_of(scores: Mapping[str, Any]) -> list[str]:
    """Return the metrics with a score for each item: `m` beside `avg_m`."""
    return [name for name, values in scores.items() if isinstance(values, list) and f"{_AVERAGE}{name}" in scores]


def variables_of(container: Container) -> tuple[Lists, Fields]:
    """Return the lists of a run by the name of their variable, and the results of its last evaluation."""
    lists: Lists = {}
    scores: Fields = {}
    for record in container.records():
        shapes.check_shape(record.fields, _STEP, "", record.where)
        known = {name.removeprefix(_MEMORY): value for name, value in record.fields["memory"].items()}
        found = {name: value for name, value in known.items() if name in _FIRST | _LAST and isinstance(value, list)}
        lists = {**lists, **{name: value for name, value in found.items() if name in _LAST or name not in lists}}
        scores = known[_EVALUATION] if isinstance(known.get(_EVALUATION), dict) else scores
    return lists, scores


def _common_length(lists: Mapping[str, Sequence[Any]], name: str) -> int:
    lengths = {variable: len(values) for variable, values in lists.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{variable} {length}" for variable, length in lengths.items())
        raise InputError(Message("formats.columns_differ_length", lengths=words), where=name)
    return max(lengths.values(), default=0)


def _item(lists: Mapping[str, Sequence[Any]], number: int) -> Fields:
    values = {(_FIRST | _LAST)[name]: values[number] for name, values in lists.items()}
    return {name: _value(name, value) for name, value in values.items() if value is not None and value != _UNSET}


def _value(name: str, value: Any) -> Any:
    is_several = name in (rows.REFERENCES, rows.CONTEXTS)
    return [value] if is_several and not isinstance(value, list) else value


def _settings(scores: Mapping[str, Any]) -> Fields:
    """Return the profile of the evaluating step of a pipeline of ours, unless it repeats UltraRAG's numbers."""
    profile = scores.get("profile")
    if not isinstance(profile, str) or profile == _OWN_PROFILE:
        return {}
    return {rows.EXTRA: {NAME: {"profile": profile}}}


def _scores(columns: Mapping[str, Sequence[Any]], number: int) -> Fields:
    scores = {name: rows.score(values[number]) for name, values in columns.items()}
    unscored = {name: "NaN" for name, value in scores.items() if value is None}
    return rows.present({rows.SCORES: scores, rows.UNSCORED: unscored})
