"""Column layouts: which column has the id, the prediction and so on, by the names of common tools or as mapped."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.errors import ConfigError, InputError, nearest
from steelyard.i18n import Message

FIELDS = ("id", "question", "references", "prediction", "contexts", "tags")  # what a column may be mapped to

ID = ("id", "qid", "query_id", "_id", "question_id")
QUESTION = ("question", "query", "user_input", "input", "q_ls")
# fmt: off
REFERENCES = (
    "golden_answers", "references", "reference", "answers", "expected_output", "target", "gt_answer", "generation_gt",
    "ground_truth", "ground_truths", "gold", "gold_answers", "gt_ls",
)
PREDICTION = (
    "pred_answer", "prediction", "pred", "response", "actual_output", "output", "answer", "generated_answer", "pred_ls",
)
# fmt: on
TAGS = ("tags", "metadata")
ID_HINT = Message("formats.unique_ids_hint")
LABELS = ("type", "category", "difficulty", "language", "document", "task")


@dataclass(frozen=True, slots=True)
class Columns:
    """A file and the columns that it has."""

    name: str
    columns: Sequence[str]


class Layout(NamedTuple):
    """The column of each field; None if there is none."""

    id: str | None
    prediction: str | None
    references: str | None
    question: str | None
    tags: tuple[str, ...]


def check_mapping(mapping: Mapping[str, str], *files: Columns) -> None:
    """Refuse unknown fields and columns; with two files, predictions are in the first and references in the last."""
    for name, column in mapping.items():
        if name not in FIELDS:
            raise ConfigError(Message("formats.no_field_called", name=name), hint=nearest(name, FIELDS))
        places = {"prediction": files[:1], "references": files[-1:]}.get(name, files)
        known = [each for file in places for each in file.columns]
        if column not in known:
            raise InputError(
                Message("formats.no_column_called", column=column), where=places[0].name, hint=nearest(column, known)
            )


def layout_of(file: Columns, mapping: Mapping[str, str], wanted: set[str]) -> Layout:
    """The mapped columns, and the others by their usual names; `wanted` are the fields that must be there."""
    unwanted = {"prediction", "references"} - wanted
    mapped = {name: column for name, column in mapping.items() if column in file.columns and name not in unwanted}
    _check_shared(mapped)
    free = [column for column in file.columns if column not in mapped.values()]
    candidates = _candidates(free, mapped, wanted)
    return Layout(
        id=mapped.get("id") or next(_named(free, ID), None),
        question=mapped.get("question") or next(_named(free, QUESTION), None),
        references=_only(file, "references", candidates) if "references" in wanted else None,
        prediction=_only(file, "prediction", candidates) if "prediction" in wanted else None,
        tags=(*_named(free, LABELS), *([mapped["tags"]] if "tags" in mapped else _named(free, TAGS))),
    )


def _check_shared(mapped: Mapping[str, str]) -> None:
    first: dict[str, str] = {}
    for name, column in mapped.items():
        if first.setdefault(column, name) != name:
            raise ConfigError(Message("formats.column_given_twice", column=column, first=first[column], name=name))


def _candidates(free: Sequence[str], mapped: Mapping[str, str], wanted: set[str]) -> dict[str, list[str]]:
    """The columns that may be the references, and those that may be the prediction.

    `answer` is the system's (old RAGAS), or the reference if another column is the system's and none the references.
    """
    references = [mapped["references"]] if "references" in mapped else list(_named(free, REFERENCES))
    predictions = [mapped["prediction"]] if "prediction" in mapped else list(_named(free, PREDICTION))
    answers = list(_named(free, ("answer",)))
    others = [column for column in predictions if column not in answers]
    if not references and (others or "prediction" not in wanted):
        return {"references": answers, "prediction": others}
    return {"references": references, "prediction": predictions}


def _only(file: Columns, name: str, candidates: Mapping[str, Sequence[str]]) -> str:
    found = candidates[name]
    if not found:
        names = ", ".join(REFERENCES if name == "references" else PREDICTION)
        hint = "formats.map_references_hint" if name == "references" else "formats.map_column_hint"
        raise InputError(
            Message("formats.no_column_for", name=name, names=", ".join(map(repr, file.columns))),
            where=file.name,
            hint=Message(hint, names=names, name=name),
        )
    if len(found) > 1:
        raise InputError(
            Message("formats.ambiguous_column", first=found[0], second=found[1], name=name),
            where=file.name,
            hint=Message("formats.choose_column_hint", name=name, found=found[0]),
        )
    return found[0]


def _named(columns: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """The columns that have one of the names in upper or lower case, in the order of the names."""
    known = [column for column in columns if column.casefold() in names]
    return iter(sorted(known, key=lambda column: names.index(column.casefold())))
