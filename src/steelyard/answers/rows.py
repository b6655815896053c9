"""Answer rows from records: columns are laid out, values parsed, ids checked, and problems raised together."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from steelyard import limits
from steelyard.answers.values import (
    AnswerableValues,
    BadContext,
    Contexts,
    Grades,
    References,
    cell_value,
    context_ids,
    contexts_of,
    identifier_of,
    ids_of,
    inner_labels,
    is_number,
    named_contexts,
    prediction_of,
    reference_grades,
    references_of,
    shown,
    tags_of,
    text_of,
)
from steelyard.errors import MOST_PROBLEMS, BadValue, InputError, Problem
from steelyard.i18n import Message, Option
from steelyard.io import costs
from steelyard.io.foreign.items import AGAIN, RowIds
from steelyard.io.foreign.rows import ERROR, parsed_cell, whole, whole_cell
from steelyard.io.layouts import ANSWERABLE, ID_HINT, Columns, Layout, check_mapping, layout_of
from steelyard.io.records import COLUMNS, Record, first_seen
from steelyard.text.marks import find_marks

BOTH = frozenset(("prediction", "references"))
BATCH = 2048  # rows that are read and scored together
_BATCH_SIZE = 1 << 25  # or fewer, of so many characters

NUMBERS = "counts.predictions_as_text"
UNREADABLE = "counts.contexts_unreadable"
UNUSED = "counts.columns_unused"
CITED = "counts.answers_cited"
UNCLEAR = "counts.answerable_unclear"

VALUE_HINT = Message("formats.answer_columns_hint", option=Option("map"))
CONTEXT_HINT = Message("formats.conlabels_hint")
LATE_HINT = Message("formats.same_fields_hint", option=Option("map"))

ContextUse = Literal["unused", "kept", "needed"]
"""What contexts are read for: nothing, to be shown, or metrics; only for these is one that cannot be read an error."""
_NO_LAYOUT = Layout(None, None, None, None, ())
_NO_TAGS: Mapping[str, str] = {}  # shared: most rows have none
_NO_COSTS: Mapping[str, float] = {}
_NO_MAPPING: Mapping[str, str] = {}


class AnswerRow(NamedTuple):
    """One answer; `prediction` is None and `references` are () if missing.

    `references` are groups of aliases if the file has lists of lists (`nested`), else one group of all. `contexts`
    are what was retrieved, best first, `reference_contexts` what should have been; () is for nothing retrieved, None
    if the row does not say. `retrieved_ids` and `reference_ids` are their ids, if all have one. `error` says why the
    system gave no answer, where the row has that. `costs` are those of `registry.kinds.COSTS` that the row says.
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
    costs: Mapping[str, float] = _NO_COSTS


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
        """Return the fields that may be missing."""
        return BOTH - self.fields


class RowColumns:
    """The columns of a source as far as they were seen, and the layout of fields in them."""

    def __init__(
        self, name: str, fields: Collection[str], wanted: Wanted, mapping: Mapping[str, str], written: Sequence[str]
    ) -> None:
        self.layout = _NO_LAYOUT
        self.names: dict[str, None] = {}
        self.have_costs = False
        self._source = name
        self._fields = set(fields)
        self._wanted = wanted
        self._mapping = mapping
        self._written = written

    @property
    def unused(self) -> int:
        """Return the number of columns of contexts or ids that are not read."""
        evidence = [] if self._wanted.contexts != "unused" else self.layout[5:9]
        return len(self.layout.unused) + sum(column is not None for column in evidence)

    @property
    def has_contexts(self) -> bool:
        """Return whether a column has contexts or their ids."""
        return self.layout.contexts is not None or self.layout.retrieved_ids is not None

    def are_known(self, batch: Sequence[Record]) -> bool:
        """Return whether the layout is known; new columns may complete it, but not change it."""
        new = [record for record in batch if not record.fields.keys() <= self.names.keys()]
        if new:
            self._extend(new)
        return self.layout is not _NO_LAYOUT

    def _extend(self, records: Sequence[Record]) -> None:
        self.names.update(dict.fromkeys(column for record in records for column in record.fields))
        limits.COLUMNS.check(len(self.names), COLUMNS, error=InputError, where=self._source)
        before = self.layout
        try:
            self.lay_out()
        except InputError as error:
            if before is not _NO_LAYOUT:
                raise InputError(error.problems[0].message, where=records[0].where, hint=error.hint) from None
        if before is not _NO_LAYOUT and _is_changed(before, self.layout):
            raise InputError(Message("formats.new_columns"), where=records[0].where, hint=LATE_HINT)

    def lay_out(self) -> None:
        """Find the column of each field; raise InputError if a required one is missing."""
        columns = Columns(self._source, list(self.names), self._written)
        check_mapping(self._mapping, columns)
        self.layout = layout_of(columns, self._mapping, self._fields, self._wanted.optional, self._wanted.labels)
        self.have_costs = not costs.FIELDS.isdisjoint(self.names)


def _is_changed(before: Layout, after: Layout) -> bool:
    """Return whether columns that were read have another meaning; contexts may begin later."""
    contexts = zip(before[5:9], after[5:9], strict=True)
    return before[:3] != after[:3] or any(old is not None and old != new for old, new in contexts)


class _SeenIds:
    """The ids of the rows of a source, each of which must be new; with `cells` every value is text."""

    def __init__(self, *, cells: bool) -> None:
        self._cells = cells
        self._ids: dict[str, None] = {}
        self._lines = array("q")  # of the ids

    def add(self, value: Any, number: int, place: Callable[[int], str]) -> str:
        """Return a value as an id that no earlier row has; `place` gives the location of a row by its number."""
        if type(value) is int and not self._cells:  # the usual kinds first
            identifier: str | None = str(value)
        elif type(value) is str and value and not self._cells:
            identifier = value
        else:
            identifier = identifier_of(whole_cell(value) if self._cells else whole(value))
        if identifier is None:
            raise _BadId(Message("formats.invalid_id", value=shown(value)))
        if identifier in self._ids:
            line = self._lines[next(index for index, known in enumerate(self._ids) if known == identifier)]
            raise _BadId(Message("formats.duplicate_id", identifier=identifier, first=first_seen(place(line))))
        self._ids[identifier] = None
        self._lines.append(number)
        return identifier


class _BadId(BadValue):
    """An invalid or repeated id."""


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
        self.name = name
        self.columns = RowColumns(name, fields, wanted, mapping, written)
        self.answerable = AnswerableValues()
        self._wanted = wanted
        self._cells = cells
        self._foreign = foreign
        self._rows_read = self._numbers = self._unreadable = self._cited = 0
        self._row_ids = RowIds()
        self._ids = _SeenIds(cells=cells)
        self._problems: dict[type[BadValue], list[Problem]] = {_BadId: [], BadValue: [], BadContext: []}

    @property
    def has_ids(self) -> bool:
        """Return whether a column contains ids; else rows are numbered."""
        return self.columns.layout.id is not None

    def counts(self) -> dict[str, int]:
        """Return what was counted while rows were read, by code."""
        counts = {
            NUMBERS: self._numbers,
            UNREADABLE: self._unreadable,
            UNUSED: self.columns.unused,
            CITED: self._cited,
            UNCLEAR: self.answerable.unclear,
            AGAIN: self._row_ids.again,
        }
        return {code: count for code, count in counts.items() if count}

    def continue_after(self, rows: int, columns: Iterable[str]) -> None:
        """Go on in the middle of a source, after so many rows with these columns."""
        self._rows_read = rows
        self.columns.names.update(dict.fromkeys(columns))
        self.columns.lay_out()

    def batches(self, records: Iterable[Record], *, is_part: bool = False) -> Iterator[list[AnswerRow]]:
        """Yield the rows of these records; records before the first with all required columns are held back.

        What can only be checked of a whole source is not checked of a part.
        """
        waiting: list[Record] = []
        held = 0
        for batch in in_batches(records):
            waiting += batch
            held += sum(record.size for record in batch)
            if self.columns.are_known(batch):
                yield self._rows(waiting)
                waiting, held = [], 0
            elif held > limits.FILE_BYTES.value:
                self.columns.lay_out()  # the error about missing columns
        if not self.columns.names:
            raise InputError(Message("formats.no_rows"), where=self.name)
        if waiting:
            self.columns.lay_out()
            yield self._rows(waiting)
        self._raise_problems()
        if not is_part:
            self.answerable.check()

    def rows_of(
        self, predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None
    ) -> list[AnswerRow]:
        """Return the rows of Python values."""
        rows = []
        for number, (predicted, expected) in enumerate(zip(predictions, references, strict=True), 1):
            try:
                groups, nested = references_of(expected)
                identifier = str(number) if ids is None else self._ids.add(ids[number - 1], number, "row {}".format)
                rows.append(AnswerRow(identifier, self._predicted(predicted), groups, nested=nested))
            except BadValue as error:
                self._gather(error, f"row {number}")
        self._raise_problems()
        return rows

    def _rows(self, records: Sequence[Record]) -> list[AnswerRow]:
        rows = []
        for record in records:
            try:
                rows.append(self._row(record))
            except BadValue as error:
                self._gather(error, record.where)
        return rows

    def _row(self, record: Record) -> AnswerRow:
        layout, fields = self.columns.layout, record.fields
        expected, predicted = fields.get(layout.references or ""), fields.get(layout.prediction or "")
        references, nested = references_of(cell_value(expected) if self._cells else expected)
        tags = self._tagged(record) if layout.tags or self._wanted.labels else _NO_TAGS
        question = (text_of(fields.get(layout.question)) or "") if layout.question else ""
        identifier = self._identifier(record, question)
        row = AnswerRow(identifier, self._predicted(predicted), references, tags, question, nested)
        if fields.get(ERROR) and (row.prediction is None or (self._cells and not row.prediction)):
            row = row._replace(prediction=None, error=str(fields[ERROR]))
        elif self.columns.have_costs:
            row = row._replace(costs=costs.costs_in(fields))
        if self._wanted.contexts != "unused":
            row = self._with_contexts(row, fields)
        if self._wanted.cited and row.prediction and self.columns.has_contexts:
            self._cited += bool(find_marks(row.prediction, [context.id for context in row.contexts or ()]))
        return row

    def _tagged(self, record: Record) -> Mapping[str, str]:
        labels = self._wanted.labels
        tags = dict(tags_of(record.fields, self.columns.layout.tags, labels))
        if self._foreign and labels:
            tags = {**dict(inner_labels(record.fields, labels)), **tags}
        if self._wanted.answerable:
            self.answerable.add(tags.get(ANSWERABLE, ""), record.where)
        return tags

    def _identifier(self, record: Record, question: str) -> str:
        """Return the id of a row; without one its question, or its number."""
        self._rows_read += 1
        layout = self.columns.layout
        value = None if layout.id is None else record.fields.get(layout.id)
        if layout.id is None or (value is None and self._foreign):
            value = self._row_ids.of(question, self._rows_read) if layout.question else str(self._rows_read)
            if layout.id is None:
                return value
        return self._ids.add(value, record.number, record.place)

    def _with_contexts(self, row: AnswerRow, fields: Mapping[str, Any]) -> AnswerRow:
        try:
            return row_with_contexts(row, [self._evidence(fields, column) for column in self.columns.layout[5:9]])
        except BadValue:
            if self._wanted.contexts == "needed":
                raise
            self._unreadable += 1
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
        self._numbers += is_number(value)
        return prediction_of(value)

    def _gather(self, error: BadValue, where: str) -> None:
        problems = self._problems.get(type(error), self._problems[BadValue])
        problems.append(Problem(where, error.message))
        if len(problems) >= MOST_PROBLEMS:
            self._raise_problems()

    def _raise_problems(self) -> None:
        """Raise the problems of the first sort that has any: of ids, of values, of contexts."""
        for problems, hint in zip(self._problems.values(), (ID_HINT, VALUE_HINT, CONTEXT_HINT), strict=True):
            if problems:
                raise InputError.of(problems, hint=hint)


def in_batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the records in batches, of which one ends after every BATCH rows; long rows are in smaller ones."""
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
    """Return the row with contexts, reference contexts and the ids of both."""
    contexts, expected, retrieved, grades = values
    retrieved_ids, wanted = ids_of(retrieved), contexts_of(expected)
    named = named_contexts(contexts_of(contexts), retrieved_ids)
    return row._replace(
        contexts=named,
        reference_contexts=wanted,
        retrieved_ids=(() if named == () else context_ids(named)) if retrieved_ids is None else retrieved_ids,
        reference_ids=reference_grades(grades, wanted),
    )
