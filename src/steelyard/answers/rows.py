"""Answer rows from records: the layout of columns, the parsing of values, and their problems."""

import json
import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from steelyard import limits
from steelyard.answers.contexts import (
    BadContext,
    Contexts,
    Grades,
    context_ids,
    contexts_of,
    ids_of,
    named_contexts,
    reference_grades,
)
from steelyard.errors import MOST_PROBLEMS, BadValue, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.foreign.items import RowIds
from steelyard.io.foreign.rows import ERROR, EXTRA, SCORES, parsed_cell, whole, whole_cell
from steelyard.io.layouts import ANSWERABLE, ID_HINT, TAGS, Columns, Layout, check_mapping, layout_of
from steelyard.io.records import COLUMNS, Record, first_seen, parse_json
from steelyard.text.citations import has_citations

BOTH = frozenset(("prediction", "references"))
BATCH = 2048  # rows that are read and scored together
_BATCH_SIZE = 1 << 25  # or fewer, of so many characters

VALUE_HINT = Message("formats.answer_columns_hint")
CONTEXT_HINT = Message("formats.context_columns_hint")
LATE_HINT = Message("formats.same_fields_hint")

References = tuple[tuple[str, ...], ...]
ContextUse = Literal["unused", "kept", "needed"]
"""What contexts are read for: nothing, to be shown, or metrics; only for these is one that cannot be read an error."""
_YES = frozenset(("true", "1", "yes", "y", "是", "可", "能", "对", "可以", "可回答", "能回答"))
_UNKNOWN = frozenset(("", "unknown", "none", "null", "nan", "n/a", "未知"))
_NO = frozenset(("false", "0", "no", "n", "否", "不可", "不能", "不是", "不可以", "不可回答", "不能回答", "无法回答"))
_NO_LAYOUT = Layout(None, None, None, None, ())
_NO_TAGS: Mapping[str, str] = {}  # shared: most rows have none
_NO_MAPPING: Mapping[str, str] = {}


class AnswerRow(NamedTuple):
    """One answer; `prediction` is None and `references` are () if missing.

    `references` are groups of aliases if the file has lists of lists (`nested`), else one group of all. `contexts`
    are what was retrieved, best first, `reference_contexts` what should have been; () is for nothing retrieved, None
    if the row does not say. `retrieved_ids` and `reference_ids` are their ids, if all have one. `error` says why the
    system gave no answer, where the row has that.
    """

    id: str
    prediction: str | None
    references: References
    tags: Mapping[str, str] = _NO_TAGS
    question: str = ""
    nested: bool = False
    contexts: Contexts | None = None
    reference_contexts: Contexts | None = None
    retrieved_ids: tuple[str, ...] | None = None
    reference_ids: Grades | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a source: the fields that must be there, what contexts are read for, and of which system.

    Without a system the file has the outputs of one only. `labels` are further columns that become tags; with
    `answerable`, some value of that column must be readable. With `cited`, answers with citation marks are counted.
    """

    fields: frozenset[str] = BOTH
    contexts: ContextUse = "unused"
    system: str | None = None
    labels: tuple[str, ...] = ()
    answerable: bool = False
    cited: bool = False

    @property
    def optional(self) -> frozenset[str]:
        """The fields that may be missing."""
        return BOTH - self.fields


class RowReader:
    """Reader of the rows of one source, batch by batch; problems are collected and raised together."""

    def __init__(
        self,
        name: str,
        fields: Collection[str],
        wanted: Wanted,
        *,
        mapping: Mapping[str, str] = _NO_MAPPING,
        cells: bool = False,
        foreign: bool = False,
        written: Sequence[str] = (),
    ) -> None:
        """`fields` are required but for those that `wanted` makes optional; with `cells` every value is text.

        In a `foreign` format a row may have no id although other rows have ids; `written` are the columns of its file.
        """
        self._foreign = foreign
        self._written = written
        self._fields = set(fields)
        self._of = wanted
        self._answerable = _Answerable() if wanted.answerable else None
        self._rows_read = 0
        self._row_ids = RowIds()
        self.name = name
        self.numbers = 0
        self.unreadable = 0
        self.cited = 0
        self._mapping = mapping
        self._cells = cells
        self._columns: dict[str, None] = {}
        self._layout = _NO_LAYOUT
        self._ids: dict[str, None] = {}
        self._lines = array("q")  # of the ids
        self._bad_ids: list[Problem] = []
        self._bad_values: list[Problem] = []
        self._bad_contexts: list[Problem] = []

    @property
    def columns(self) -> Columns:
        """The columns seen so far."""
        return Columns(self.name, list(self._columns), self._written)

    @property
    def has_ids(self) -> bool:
        """Whether a column contains ids; else rows are numbered."""
        return self._layout.id is not None

    @property
    def unused(self) -> int:
        """The number of columns of contexts or ids that are not read."""
        unread = [] if self._of.contexts != "unused" else [column for column in self._layout[5:9] if column is not None]
        return len(self._layout.unused) + len(unread)

    @property
    def unclear(self) -> int:
        """The number of values of `answerable` that are neither yes nor no."""
        return 0 if self._answerable is None else self._answerable.unclear

    @property
    def layout(self) -> Layout:
        """The column of each field, as far as it is known."""
        return self._layout

    @property
    def clear(self) -> int:
        """The number of values of `answerable` that are yes or no."""
        return 0 if self._answerable is None else self._answerable.clear

    def continue_after(self, rows: int, columns: Iterable[str]) -> None:
        """Go on in the middle of a source, after so many rows with these columns."""
        self._rows_read = rows
        self._columns.update(dict.fromkeys(columns))
        self._lay_out()

    def batches(self, records: Iterable[Record], *, is_part: bool = False) -> Iterator[list[AnswerRow]]:
        """The rows of these records; records before the first with all required columns are held back.

        What can only be checked of a whole source is not checked of a part.
        """
        waiting: list[Record] = []
        held = 0
        for batch in in_batches(records):
            waiting += batch
            held += sum(record.size for record in batch)
            if self.is_laid_out(batch):
                yield self._rows(waiting)
                waiting, held = [], 0
            elif held > limits.FILE_BYTES.value:
                self._lay_out()  # the error about missing columns
        if not self._columns:
            raise InputError(Message("formats.no_rows"), where=self.name)
        if waiting:
            self._lay_out()
            yield self._rows(waiting)
        self._raise_problems()
        if self._answerable is not None and not is_part:
            self._answerable.check()

    def rows_of(
        self, predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None
    ) -> list[AnswerRow]:
        """The rows of Python values."""
        rows = []
        for number, (predicted, expected) in enumerate(zip(predictions, references, strict=True), 1):
            try:
                groups, nested = _references(expected)
                identifier = str(number) if ids is None else self._id(ids[number - 1], number, _value_place)
                rows.append(AnswerRow(identifier, self._predicted(predicted), groups, nested=nested))
            except BadValue as error:
                self._gather(error, _value_place(number))
        self._raise_problems()
        return rows

    def is_laid_out(self, batch: Sequence[Record]) -> bool:
        """Whether the layout of columns is known; new columns may complete it, but not change it."""
        new = [record for record in batch if not record.fields.keys() <= self._columns.keys()]
        if new:
            self._columns.update(dict.fromkeys(column for record in new for column in record.fields))
            limits.COLUMNS.check(len(self._columns), COLUMNS, error=InputError, where=self.name)
            before = self._layout
            try:
                self._lay_out()
            except InputError as error:
                if before is not _NO_LAYOUT:
                    raise InputError(error.problems[0].message, where=new[0].where, hint=error.hint) from None
            if before is not _NO_LAYOUT and _is_changed(before, self._layout):
                message = Message("formats.new_columns")
                raise InputError(message, where=new[0].where, hint=LATE_HINT)
        return self._layout is not _NO_LAYOUT

    def _lay_out(self) -> None:
        check_mapping(self._mapping, self.columns)
        self._layout = layout_of(self.columns, self._mapping, self._fields, self._of.optional, self._of.labels)

    def _rows(self, records: Sequence[Record]) -> list[AnswerRow]:
        rows = []
        for record in records:
            try:
                rows.append(self._row(record))
            except BadValue as error:
                self._gather(error, record.where)
        return rows

    def _row(self, record: Record) -> AnswerRow:
        layout, fields = self._layout, record.fields
        expected, predicted = fields.get(layout.references or ""), fields.get(layout.prediction or "")
        references, nested = _references(_cell(expected) if self._cells else expected)
        tags = self._tagged(record) if layout.tags or self._of.labels else _NO_TAGS
        question = (_text(fields.get(layout.question)) or "") if layout.question else ""
        identifier = self._identifier(record, question)
        row = AnswerRow(identifier, self._predicted(predicted), references, tags, question, nested)
        if fields.get(ERROR) and (row.prediction is None or (self._cells and not row.prediction)):
            row = row._replace(prediction=None, error=str(fields[ERROR]))
        if self._of.contexts != "unused":
            row = self._with_contexts(row, fields)
        if self._of.cited:
            self.cited += self._is_cited(row)
        return row

    @property
    def questions_again(self) -> int:
        """Rows without an id whose question was there before."""
        return self._row_ids.again

    def _is_cited(self, row: AnswerRow) -> bool:
        """Whether an answer has citation marks, in a file with contexts."""
        text = row.prediction
        has_contexts = self._layout.contexts is not None or self._layout.retrieved_ids is not None
        if not text or not has_contexts:
            return False
        return has_citations(text, [each.id for each in row.contexts or ()])

    def _tagged(self, record: Record) -> Mapping[str, str]:
        tags = dict(_tags(record.fields, self._layout.tags, self._of.labels))
        if self._foreign and self._of.labels:
            tags = {**dict(_inner_labels(record.fields, self._of.labels)), **tags}
        if self._answerable is not None:
            self._answerable.add(tags.get(ANSWERABLE, ""), record.where)
        return tags

    def _identifier(self, record: Record, question: str) -> str:
        """The id of a row; without one its question, or its number."""
        self._rows_read += 1
        column = self._layout.id
        value = None if column is None else record.fields.get(column)
        if column is not None and not (value is None and self._foreign):
            return self._id(value, record.number, record.place)
        own = self._row_ids.of(question, self._rows_read) if self._layout.question else str(self._rows_read)
        return own if column is None else self._id(own, record.number, record.place)

    def _with_contexts(self, row: AnswerRow, fields: Mapping[str, Any]) -> AnswerRow:
        try:
            return row_with_contexts(row, [self._evidence(fields, column) for column in self._layout[5:9]])
        except BadValue:
            if self._of.contexts == "needed":
                raise
            self.unreadable += 1
            return row

    def _evidence(self, fields: Mapping[str, Any], column: str | None) -> Any:
        value = None if column is None else fields.get(column)
        if not isinstance(value, str) or not (self._cells or value.startswith(("[", "{"))):
            return value
        parsed = parsed_cell(value, self.name)
        return parsed if isinstance(parsed, list | tuple | dict | None) else value  # an id such as 007 is a text

    def _predicted(self, value: Any) -> str | None:
        if isinstance(value, str):
            return value
        self.numbers += is_number(value)
        return _prediction(value)

    def _id(self, value: Any, number: int, place: Callable[[int], str]) -> str:
        """An id that no earlier row has; `place` gives the location of a row by its number."""
        if type(value) is int and not self._cells:  # the usual kinds first
            identifier: str | None = str(value)
        elif type(value) is str and value and not self._cells:
            identifier = value
        else:
            identifier = _identifier(whole_cell(value) if self._cells else whole(value))
        if identifier is None:
            raise _BadId(Message("formats.invalid_id", value=_shown(value)))
        if identifier in self._ids:
            line = self._lines[next(index for index, known in enumerate(self._ids) if known == identifier)]
            raise _BadId(Message("formats.duplicate_id", identifier=identifier, first=first_seen(place(line))))
        self._ids[identifier] = None
        self._lines.append(number)
        return identifier

    def _gather(self, error: BadValue, where: str) -> None:
        lists = {_BadId: self._bad_ids, BadContext: self._bad_contexts}
        problems = lists.get(type(error), self._bad_values)
        problems.append(Problem(where, error.message))
        if len(problems) >= MOST_PROBLEMS:
            self._raise_problems()

    def _raise_problems(self) -> None:
        if self._bad_ids:
            raise InputError.of(self._bad_ids, hint=ID_HINT)
        if self._bad_values:
            raise InputError.of(self._bad_values, hint=VALUE_HINT)
        if self._bad_contexts:
            raise InputError.of(self._bad_contexts, hint=CONTEXT_HINT)


def in_batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in batches, of which one ends after every BATCH rows; long rows are in smaller ones."""
    batch: list[Record] = []
    size = 0
    for number, record in enumerate(records, 1):
        batch.append(record)
        size += record.size
        if size > _BATCH_SIZE or not number % BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def row_with_contexts(row: AnswerRow, values: Sequence[Any]) -> AnswerRow:
    """The row with contexts, reference contexts and the ids of both."""
    contexts, expected, retrieved, grades = values
    found, wanted, ids = contexts_of(contexts), contexts_of(expected), ids_of(retrieved)
    named = named_contexts(found, ids)
    return row._replace(
        contexts=named,
        reference_contexts=wanted,
        retrieved_ids=(() if named == () else context_ids(named)) if ids is None else ids,
        reference_ids=reference_grades(grades, wanted),
    )


def _is_changed(before: Layout, after: Layout) -> bool:
    """Whether columns that were read have another meaning; contexts may begin later."""
    contexts = zip(before[5:9], after[5:9], strict=True)
    return before[:3] != after[:3] or any(old is not None and old != new for old, new in contexts)


def _value_place(number: int) -> str:
    return f"row {number}"


class _BadId(BadValue):
    """An invalid or repeated id."""


def _identifier(value: Any) -> str | None:
    return (str(value) or None) if isinstance(value, int | str) and not isinstance(value, bool) else None


def _prediction(value: Any) -> str | None:
    if isinstance(value, Mapping) and "pred" in value:  # FlashRAG: {"output": {"prompt": …, "pred": …}}
        value = value["pred"]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    text = _text(value)
    if text is None and not _is_missing(value):
        raise BadValue(Message("formats.prediction_not_text", value=_shown(value)))
    return text


def _references(value: Any) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Groups of aliases, and whether the value had groups."""
    if isinstance(value, str):
        return ((value,),), False
    if isinstance(value, list) and set(map(type, value)) == {str}:
        return (tuple(value),), False
    if _is_missing(value) or value in ([], [[]]):
        return (), False
    if isinstance(value, Mapping) and isinstance(value.get("text"), list):  # SQuAD: {"text": […], "answer_start": […]}
        return _references(value["text"])
    values = value if isinstance(value, list) else [value]
    grouped = [isinstance(member, list) for member in values]
    if not any(grouped):
        return (tuple(_reference(member) for member in values),), False
    if not all(grouped):
        raise BadValue(Message("formats.mixed_references", value=_shown(value)))
    if not all(values):
        raise BadValue(Message("formats.empty_reference_group", value=_shown(value)))
    return tuple(tuple(_reference(member) for member in group) for group in values), True


def _reference(value: Any) -> str:
    text = _text(value)
    if text is None:
        raise BadValue(Message("formats.reference_not_text", value=_shown(value)))
    return text


def _cell(text: str | None) -> Any:
    """The value of a cell of a CSV file: None, a JSON array, or text."""
    if not text or not text.startswith("["):
        return text or None
    try:
        return parse_json(text, "", lenient=True)
    except InputError:
        if text.startswith(("['", '["')) and text.endswith("]"):
            raise BadValue(Message("formats.cell_not_json_array", text=text[:60])) from None
        return text


def _tags(fields: Mapping[str, Any], columns: Sequence[str], labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tags by name: the plain values of an object, or a column of text; empty values are skipped.

    Columns of numbers are tags if they are among the `labels`, or called `answerable`.
    """
    for column in columns:
        value = fields.get(column)
        if isinstance(value, Mapping):
            yield from ((str(name), text) for name, entry in value.items() if (text := _text(entry)))
        elif isinstance(value, str) and value and (column.casefold() not in TAGS or column in labels):
            yield column, value
        elif is_number(value) and (column in labels or column.casefold() == ANSWERABLE):
            yield column, json.dumps(whole(value))


def _inner_labels(fields: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The labels among the fields of a format that have no name of ours, which are scores if they are numbers."""
    for group in (fields.get(SCORES) or {}, *(fields.get(EXTRA) or {}).values()):
        yield from ((name, text) for name in names if (text := _text(whole(group.get(name)))))


class _Answerable:
    """The values of `answerable`: how many are readable, how many are not, and where the first of these is."""

    def __init__(self) -> None:
        self.unclear = 0
        self.clear = 0
        self._first = ("", "")

    def add(self, text: str, where: str) -> None:
        """Count a value; "" and words such as unknown are none."""
        if text.strip().casefold() in _UNKNOWN:
            return
        if is_answerable(text) is not None:
            self.clear += 1
            return
        self._first = self._first if self.unclear else (text, where)
        self.unclear += 1

    def check(self) -> None:
        """Refuse values of which none is readable."""
        text, where = self._first
        if self.unclear and not self.clear:
            message = Message("formats.answerable_unclear", value=_shown(text))
            raise InputError(message, where=where, hint=Message("formats.answerable_hint"))


def is_answerable(text: str) -> bool | None:
    """What a value of `answerable` says; None for what is neither yes nor no."""
    word = str(whole_cell(text.strip().casefold()))
    return True if word in _YES else False if word in _NO else None


def _text(value: Any) -> str | None:
    """Text, or a number or boolean as in JSON; None for other values."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if is_number(value) else None


def is_number(value: Any) -> bool:
    """Whether a value is a number or a boolean."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def plain_value(value: Any) -> Any:
    """A Python value with numpy values and tuples converted, inside lists and objects too."""
    if type(value) is str or (type(value) is list and set(map(type, value)) == {str}):
        return value
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: plain_value(member) for name, member in value.items()}
    return [plain_value(member) for member in value] if isinstance(value, list | tuple) else value


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)[:60]
