"""Predictions and their references out of one file, out of two joined by id, or out of Python values."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import ConfigError, InputError, Problem, nearest
from steelyard.formats.rankings import digest_rows, first_seen
from steelyard.formats.records import Record, kind_of, read_records
from steelyard.formats.streams import STDIN, STDIN_NAME

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
LABELS = ("type", "category", "difficulty", "language", "document", "task")

MISSING = "missing predictions"
UNREFERENCED = "rows without a reference"
EMPTY = "predictions that are empty"
NUMBERS = "predictions that are numbers or booleans, read as text"
UNMATCHED = "predictions without a reference row"
BY_ROW = "joined by row"

VALUE_HINT = "a prediction is text, references are text or a list of texts; --map FIELD=COLUMN names other columns"
ID_HINT = "every row needs an id of its own; --map id=COLUMN names another column"

_NO_TAGS: Mapping[str, str] = {}  # one for all: most rows have none


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer; a `prediction` of None is silence, `references` of () are missing.

    `references` are groups of aliases if the file has lists of lists (`nested`), else one group that holds them all.
    """

    id: str
    where: str
    prediction: str | None
    references: tuple[tuple[str, ...], ...]
    tags: Mapping[str, str]
    question: str = ""
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows of a file in its order; `counts` is what was counted on the way and must be said."""

    name: str
    rows: list[AnswerRow]
    digest: str
    counts: dict[str, int] = field(default_factory=dict)


def read_answers(
    path: str | Path, *, mapping: Mapping[str, str] | None = None, references: str | Path | None = None
) -> Answers:
    """Answers from a file with named columns; `mapping` says which column is which field (`{"references": "gold"}`).

    With a `references` file, its rows are the rows, in its order, and predictions are joined to them by id.
    """
    mapping = mapping or {}
    predicted = _load(path)
    if references is None:
        _check_mapping(mapping, predicted)
        return _answers(predicted, _layout(predicted, mapping, {"prediction", "references"}))
    expected = _load(references)
    _check_mapping(mapping, predicted, expected)
    layouts = _layout(predicted, mapping, {"prediction"}), _layout(expected, mapping, {"references"})
    by_row = _is_joined_by_row((predicted, expected), layouts)
    joined = _join(_answers(predicted, layouts[0]), _answers(expected, layouts[1]))
    return replace(joined, counts=joined.counts | {BY_ROW: len(joined.rows)}) if by_row else joined


def answers_of(predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None = None) -> Answers:
    """Answers from Python values, by the rules of files: None is missing, numbers are read as text."""
    if len(predictions) != len(references):
        raise InputError(f"{len(predictions)} predictions, {len(references)} references")
    if ids is not None and len(ids) != len(predictions):
        raise InputError(f"{len(ids)} ids, {len(predictions)} predictions")
    columns = {"prediction": predictions, "references": references} | ({} if ids is None else {"id": ids})
    plain = {column: [_plain(value) for value in values] for column, values in columns.items()}
    rows = [dict(zip(plain, values, strict=True)) for values in zip(*plain.values(), strict=True)]
    records = [Record(f"row {number}", row) for number, row in enumerate(rows, 1)]
    file = _file("answers", records, digest_rows(plain.values()), cells=False)
    return _answers(file, _layout(file, {}, {"prediction", "references"}))


@dataclass(frozen=True, slots=True)
class _File:
    """The rows of a file and all columns that any of them has; `cells` where every value is the text of a cell."""

    name: str
    records: list[Record]
    columns: list[str]
    digest: str
    cells: bool


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column holds what; None where no column does."""

    id: str | None
    question: str | None
    references: str | None
    prediction: str | None
    tags: tuple[str, ...]


def _load(path: str | Path) -> _File:
    records, digest = read_records(path)
    name = STDIN_NAME if str(path) == STDIN else str(path)
    return _file(name, records, digest, cells=kind_of(path) in (".csv", ".tsv"))


def _file(name: str, records: list[Record], digest: str, *, cells: bool) -> _File:
    if not records:
        raise InputError("there are no rows in it", where=name)
    columns = dict.fromkeys(column for record in records for column in record.fields)
    return _File(name, records, list(columns), digest, cells)


def _answers(file: _File, layout: _Layout) -> Answers:
    rows = _read_rows(file, layout)
    column = layout.prediction
    numbers = 0 if column is None else sum(_is_number(record.fields.get(column)) for record in file.records)
    return Answers(file.name, rows, file.digest, _counts(rows) | ({NUMBERS: numbers} if numbers else {}))


def _counts(rows: Sequence[AnswerRow]) -> dict[str, int]:
    return {
        MISSING: sum(row.prediction is None for row in rows),
        UNREFERENCED: sum(not row.references for row in rows),
        EMPTY: sum(row.prediction == "" for row in rows),
    }


def _is_joined_by_row(files: tuple[_File, _File], layouts: tuple[_Layout, _Layout]) -> bool:
    """Whether neither file has ids; refuse two of which one has, or that then differ in length."""
    without = [file for file, layout in zip(files, layouts, strict=True) if layout.id is None]
    if len(without) == 1:
        other = files[1] if without[0] is files[0] else files[0]
        raise InputError(f"there is no id column, and {other.name} has one", where=without[0].name, hint=ID_HINT)
    predicted, expected = (len(file.records) for file in files)
    if without and predicted != expected:
        raise InputError(
            f"{predicted} rows, and {files[1].name} has {expected}",
            where=files[0].name,
            hint="without an id column the files are joined row by row and must be equally long",
        )
    return bool(without)


def _join(predicted: Answers, expected: Answers) -> Answers:
    found = {row.id: row for row in predicted.rows}
    unmatched = len(found.keys() - {row.id for row in expected.rows})
    if unmatched == len(found):
        raise InputError(
            f"no id of the predictions is in {expected.name}",
            where=predicted.name,
            hint=f"the references begin with id {expected.rows[0].id!r}; are both files of one test set?",
        )
    rows = [_joined(row, found[row.id]) if row.id in found else row for row in expected.rows]
    counts = predicted.counts | _counts(rows) | ({UNMATCHED: unmatched} if unmatched else {})
    return Answers(predicted.name, rows, digest_rows([(predicted.digest, expected.digest)]), counts)


def _joined(row: AnswerRow, found: AnswerRow) -> AnswerRow:
    tags = {**found.tags, **row.tags} or _NO_TAGS
    return replace(row, prediction=found.prediction, tags=tags, question=row.question or found.question)


def _check_mapping(mapping: Mapping[str, str], *files: _File) -> None:
    """Refuse unknown fields and columns; with two files, predictions stand in the first, references in the last."""
    for name, column in mapping.items():
        if name not in FIELDS:
            raise ConfigError(f"no field is called {name!r}", hint=nearest(name, FIELDS))
        places = {"prediction": files[:1], "references": files[-1:]}.get(name, files)
        known = [each for file in places for each in file.columns]
        if column not in known:
            raise InputError(f"no column is called {column!r}", where=places[0].name, hint=nearest(column, known))


def _layout(file: _File, mapping: Mapping[str, str], wanted: set[str]) -> _Layout:
    """The mapped columns, and the others by their usual names; `wanted` are the fields that must be there."""
    unwanted = {"prediction", "references"} - wanted
    mapped = {name: column for name, column in mapping.items() if column in file.columns and name not in unwanted}
    _check_shared(mapped)
    free = [column for column in file.columns if column not in mapped.values()]
    candidates = _candidates(free, mapped, wanted)
    return _Layout(
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
            raise ConfigError(f"the column {column!r} is given for both {first[column]!r} and {name!r}")


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


def _only(file: _File, name: str, candidates: Mapping[str, Sequence[str]]) -> str:
    found = candidates[name]
    if not found:
        names = ", ".join(REFERENCES if name == "references" else PREDICTION)
        elsewhere = ", or another file with --references FILE" if name == "references" else ""
        raise InputError(
            f"no column holds {name!r}; there are: {', '.join(map(repr, file.columns))}",
            where=file.name,
            hint=f"accepted names: {names}; name another column with --map {name}=COLUMN{elsewhere}",
        )
    if len(found) > 1:
        raise InputError(
            f"{found[0]!r} and {found[1]!r} may both be {name!r}",
            where=file.name,
            hint=f"say which it is, for example: --map {name}={found[0]}",
        )
    return found[0]


def _named(columns: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """The columns that have one of the names in upper or lower case, in the order of the names."""
    known = [column for column in columns if column.casefold() in names]
    return iter(sorted(known, key=lambda column: names.index(column.casefold())))


def _read_rows(file: _File, layout: _Layout) -> list[AnswerRow]:
    ids = _ids(file, layout.id)
    rows: list[AnswerRow] = []
    problems: list[Problem] = []
    for identifier, record in zip(ids, file.records, strict=True):
        try:
            rows.append(_row(identifier, record, layout, cells=file.cells))
        except ValueError as error:
            problems.append(Problem(record.where, str(error)))
    if problems:
        raise InputError.of(problems, hint=VALUE_HINT)
    return rows


def _row(identifier: str, record: Record, layout: _Layout, *, cells: bool) -> AnswerRow:
    def value(column: str | None) -> Any:
        return None if column is None else record.fields.get(column)

    expected = value(layout.references)
    references, nested = _references(_cell(expected) if cells else expected)
    return AnswerRow(
        id=identifier,
        where=record.where,
        prediction=_prediction(value(layout.prediction)),
        references=references,
        tags=dict(_tags(record.fields, layout.tags)) or _NO_TAGS,
        question=_text(value(layout.question)) or "",
        nested=nested,
    )


def _ids(file: _File, column: str | None) -> list[str]:
    """The ids in a column, none twice; numbers from 1 on where there is no column."""
    if column is None:
        return [str(number) for number in range(1, len(file.records) + 1)]
    first: dict[str, str] = {}
    problems: list[Problem] = []
    for record in file.records:
        value = record.fields.get(column)
        identifier = _identifier(value)
        if identifier is None:
            problems.append(Problem(record.where, f"the id must be text or a whole number, not {_shown(value)}"))
        elif identifier in first:
            before = first_seen(first[identifier])
            problems.append(Problem(record.where, f"the id {identifier!r} appears again{before}"))
        else:
            first[identifier] = record.where
    if problems:
        raise InputError.of(problems, hint=ID_HINT)
    return list(first)


def _identifier(value: Any) -> str | None:
    return (str(value) or None) if isinstance(value, int | str) and not isinstance(value, bool) else None


def _prediction(value: Any) -> str | None:
    if isinstance(value, Mapping) and "pred" in value:  # FlashRAG: {"output": {"prompt": …, "pred": …}}
        value = value["pred"]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    text = _text(value)
    if text is None and not _is_missing(value):
        raise ValueError(f"the prediction must be text, not {_shown(value)}")
    return text


def _references(value: Any) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Groups of aliases, and whether the value had groups."""
    if _is_missing(value) or value in ([], [[]]):
        return (), False
    values = value if isinstance(value, list) else [value]
    grouped = [isinstance(member, list) for member in values]
    if not any(grouped):
        return (tuple(_reference(member) for member in values),), False
    if not all(grouped):
        raise ValueError(f"the references mix texts and lists of texts: {_shown(value)}")
    if not all(values):
        raise ValueError(f"a group of references is empty: {_shown(value)}")
    return tuple(tuple(_reference(member) for member in group) for group in values), True


def _reference(value: Any) -> str:
    text = _text(value)
    if text is None:
        raise ValueError(f"a reference must be text, not {_shown(value)}")
    return text


def _cell(text: str | None) -> Any:
    """What the cell of a CSV file says: nothing, a JSON array, or text."""
    if not text or not text.startswith("["):
        return text or None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith(("['", '["')) and text.endswith("]"):
            raise ValueError(f"a list in a cell must be a JSON array, not {text[:60]!r}") from None
        return text


def _tags(fields: Mapping[str, Any], columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Labels by name: the plain values of an object, or a column that is text itself; what is empty says nothing."""
    for column in columns:
        value = fields.get(column)
        if isinstance(value, Mapping):
            yield from ((str(name), text) for name, entry in value.items() if (text := _text(entry)))
        elif isinstance(value, str) and value and column.casefold() not in TAGS:
            yield column, value


def _text(value: Any) -> str | None:
    """Text, or a number or boolean as JSON writes it; None for everything else."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    """A Python value without numpy and tuples in it."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    return [_plain(member) for member in value] if isinstance(value, list | tuple) else value


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)[:60]
