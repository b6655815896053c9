"""Sources of predictions and references: one file, two files joined by id, or Python values."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from steelyard.answers.frames import Frame
from steelyard.answers.rows import BATCH, AnswerRow, ContextUse, RowReader, plain_value
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.foreign.formats import Source, open_source
from steelyard.io.foreign.items import records_of
from steelyard.io.layouts import ID, ID_HINT, Columns, check_mapping, layout_of
from steelyard.io.records import Record, digest_rows, no_array
from steelyard.io.streams import BINARY, STDIN, STDIN_NAME, open_stream

MISSING = "counts.predictions_missing"
UNREFERENCED = "counts.rows_unreferenced"
EMPTY = "counts.predictions_empty"
NUMBERS = "counts.predictions_as_text"
UNMATCHED = "counts.predictions_unmatched"
BY_ROW = "counts.joined_by_row"
REPEATED = "counts.retrieved_again"
UNREADABLE = "counts.contexts_unreadable"
UNUSED = "counts.columns_unused"
CITED = "counts.answers_cited"

BOTH = frozenset(("prediction", "references"))
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a source: the fields that must be there, what contexts are read for, and of which system.

    Without a system the file has the outputs of one only. With `cited`, answers with citation marks are counted.
    """

    fields: frozenset[str] = BOTH
    contexts: ContextUse = "unused"
    system: str | None = None
    cited: bool = False

    @property
    def optional(self) -> frozenset[str]:
        """The fields that may be missing."""
        return BOTH - self.fields


_USUAL = Wanted()


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows of a source in its order; `counts` are reported with the result.

    `format` is the name of the format of another tool, or "".
    """

    name: str
    rows: list[AnswerRow]
    digest: str
    counts: Counter[str] = field(default_factory=Counter)
    format: str = ""

    def batches(self) -> Iterator[list[AnswerRow]]:
        """The rows in batches."""
        return (self.rows[start : start + BATCH] for start in range(0, len(self.rows), BATCH))


class AnswerStream:
    """The rows of a file as they are read; all but the name are complete after the last batch."""

    def __init__(self, path: str | Path, mapping: Mapping[str, str], wanted: Wanted) -> None:
        """Nothing is read before the first batch is requested."""
        self.name = _name(path)
        self.digest = ""
        self.format = ""
        self.counts: Counter[str] = Counter()
        self._path = path
        self._mapping = mapping
        self._wanted = wanted

    def batches(self) -> Iterator[list[AnswerRow]]:
        """The rows in batches; can be called once."""
        source = _opened(self._path, self._mapping)
        self.format = source.title
        reader = _reader(source, self._mapping, BOTH, self._wanted)
        with closing(source.container):
            for rows in reader.batches(_records(source, self._wanted)):
                self.counts.update(_counts(rows, self._wanted.fields))
                yield rows
            self.digest = source.container.digest()
        self.counts.update(_reading_counts(reader))


def stream_answers(
    path: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    references: str | Path | None = None,
    wanted: Wanted = _USUAL,
) -> Answers | AnswerStream:
    """Answers from a file with named columns; `mapping` gives the column of a field (`{"references": "gold"}`).

    With a `references` file its rows are used, in its order, and predictions are joined to them by id.
    """
    if references is None:
        return AnswerStream(path, mapping or {}, wanted)
    return _joined_files(path, references, mapping or {}, wanted)


def answers_of_rows(
    rows: Sequence[Mapping[str, Any]],
    *,
    mapping: Mapping[str, str] | None = None,
    ids: Sequence[Any] | None = None,
    wanted: Wanted = _USUAL,
) -> Answers:
    """Answers from rows with named fields in Python, by the rules of files."""
    if ids is not None:
        _check_ids(ids, len(rows))
        rows = [{**row, ID[0]: each} for row, each in zip(rows, ids, strict=True)]
        mapping = {**(mapping or {}), "id": ID[0]}
    records = [Record("answers", number, _plain_fields(row), "row {1}") for number, row in enumerate(rows, 1)]
    digest = digest_rows([[sorted(record.fields.items()) for record in records]])
    return _collected(_value_reader(mapping or {}, wanted), records, digest, wanted.fields)


def answers_of_frame(
    frame: Frame, *, mapping: Mapping[str, str] | None = None, ids: Any = None, wanted: Wanted = _USUAL
) -> Answers:
    """Answers from a table with named columns, by the rules of files; columns without a meaning are not converted."""
    mapping = {**(mapping or {}), **({} if ids is None else {"id": ID[0]})}
    frame = frame.with_ids(mapping, ids)
    known = Columns("answers", list(frame.columns))
    check_mapping(mapping, known)
    meant = layout_of(known, mapping, set(BOTH), wanted.optional).columns()
    used = [name for name in known.columns if name in meant]
    columns = [[plain_value(value) for value in frame.columns[name]()] for name in used]
    rows = enumerate(zip(*columns, strict=True), 1)
    records = (Record("answers", number, dict(zip(used, row, strict=True)), "row {1}") for number, row in rows)
    return _collected(_value_reader(mapping, wanted), records, digest_rows([used, *columns]), wanted.fields)


def _value_reader(mapping: Mapping[str, str], wanted: Wanted) -> RowReader:
    return RowReader(
        "answers",
        mapping=mapping,
        wanted=set(BOTH),
        cells=False,
        optional=wanted.optional,
        contexts=wanted.contexts,
        cited=wanted.cited,
    )


def _plain_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): plain_value(value) for name, value in row.items()}


def _opened(path: str | Path, mapping: Mapping[str, str] | None = None) -> Source:
    """The source at a path; what has no rows and no format of another tool is an error.

    Rows of which `mapping` names a column by the file's own name are read as plain rows, whatever their format.
    """
    source = open_source(path)
    if mapping and source.container.kind == "rows" and not source.container.first.keys().isdisjoint(mapping.values()):
        source = Source(source.container, None)
    if source.format is None and source.container.kind == "document":
        source.container.close()
        raise no_array(source.container.name)
    if source.format is None and source.container.kind not in ("rows", "lines"):
        open_stream(path).close()  # the error about a folder
        raise InputError(Message(BINARY), where=source.container.name)
    return source


def answers_of(predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None = None) -> Answers:
    """Answers from Python values, by the rules of files: None is missing, numbers are read as text."""
    if len(predictions) != len(references):
        raise InputError(
            Message("formats.reference_count_differs", predictions=len(predictions), references=len(references))
        )
    if ids is not None:
        _check_ids(ids, len(predictions))
    if not len(predictions):
        raise InputError(Message("formats.no_rows"), where="answers")
    columns = [
        [plain_value(value) for value in values] for values in (predictions, references, () if ids is None else ids)
    ]
    reader = RowReader("answers", mapping={}, wanted=set(BOTH), cells=False)
    rows = reader.rows_of(columns[0], columns[1], None if ids is None else columns[2])
    return Answers("answers", rows, digest_rows(columns), Counter(_counts(rows) | _reading_counts(reader)))


def _check_ids(ids: Sequence[Any], rows: int) -> None:
    if len(ids) != rows:
        raise InputError(Message("formats.id_count_differs", ids=len(ids), predictions=rows))


def read_questions(path: str | Path, *, mapping: Mapping[str, str] | None = None) -> list[AnswerRow]:
    """The rows of a file of questions with their references, whether or not it has predictions."""
    source = _opened(path)
    records = list(source.records())
    reader = _reader(source, mapping or {}, {"references"}, Wanted(BOTH, "kept"))
    return _collected(reader, records, source.container.digest()).rows


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two joined files."""

    answers: Answers
    has_ids: bool


def _joined_files(predicted: str | Path, expected: str | Path, mapping: Mapping[str, str], wanted: Wanted) -> Answers:
    sources = [_opened(path) for path in (predicted, expected)]
    files = [(source, list(_records(source, wanted))) for source in sources]
    columns = [
        Columns(source.container.name, list(dict.fromkeys(column for record in records for column in record.fields)))
        for source, records in files
    ]
    check_mapping(mapping, *columns)
    sides = []
    for (source, records), known, name in zip(files, columns, ("prediction", "references"), strict=True):
        own = {field: column for field, column in mapping.items() if column in known.columns}
        reader = _reader(source, own, {name}, wanted)
        sides.append(_Side(_collected(reader, records, source.container.digest()), reader.has_ids))
    by_row = _is_joined_by_row(*sides)
    joined = _join(*(side.answers for side in sides))
    if by_row:
        joined.counts[BY_ROW] = len(joined.rows)
    return replace(joined, format=" + ".join(dict.fromkeys(source.title for source in sources if source.title)))


def _is_joined_by_row(predicted: _Side, expected: _Side) -> bool:
    """Whether neither file has ids; an error if only one has, or if both lack ids and differ in length."""
    without, other = (predicted, expected) if expected.has_ids else (expected, predicted)
    if without.has_ids != other.has_ids:
        hint = ID_HINT
        raise InputError(
            Message("formats.id_column_in_one_file", name=other.answers.name), where=without.answers.name, hint=hint
        )
    lengths = len(predicted.answers.rows), len(expected.answers.rows)
    if not without.has_ids and lengths[0] != lengths[1]:
        raise InputError(
            Message("formats.row_counts_differ", rows=lengths[0], name=expected.answers.name, expected=lengths[1]),
            where=predicted.answers.name,
            hint=Message("formats.joined_by_row_hint"),
        )
    return not without.has_ids


def _join(predicted: Answers, expected: Answers) -> Answers:
    predictions = {row.id: row for row in predicted.rows}
    unmatched = len(predictions.keys() - {row.id for row in expected.rows})
    if unmatched == len(predictions):
        raise InputError(
            Message("formats.no_common_id", name=expected.name),
            where=predicted.name,
            hint=Message("formats.same_test_set_hint", id=expected.rows[0].id),
        )
    rows = [_joined(row, predictions.get(row.id) or _absent(row, predicted.rows)) for row in expected.rows]
    read = {code: n for code in (NUMBERS, UNREADABLE, UNUSED, CITED) if (n := predicted.counts[code])}
    counts = Counter(_counts(rows) | read | ({UNMATCHED: unmatched} if unmatched else {}))
    return Answers(predicted.name, rows, digest_rows([(predicted.digest, expected.digest)]), counts)


def _absent(row: AnswerRow, others: Sequence[AnswerRow]) -> AnswerRow:
    """The predictions of a row that is not among the others: none, and nothing retrieved if the first has contexts."""
    first = others[0]
    return AnswerRow(
        row.id,
        None,
        (),
        contexts=None if first.contexts is None else (),
        retrieved_ids=None if first.retrieved_ids is None else (),
    )


def _joined(row: AnswerRow, predicted: AnswerRow) -> AnswerRow:
    tags = {**predicted.tags, **row.tags} if predicted.tags or row.tags else row.tags
    joined = row._replace(prediction=predicted.prediction, tags=tags, question=row.question or predicted.question)
    return joined._replace(
        contexts=_either(predicted.contexts, row.contexts),
        retrieved_ids=_either(predicted.retrieved_ids, row.retrieved_ids),
        reference_contexts=_either(row.reference_contexts, predicted.reference_contexts),
        reference_ids=_either(row.reference_ids, predicted.reference_ids),
        error=predicted.error,
    )


def _either(first: Value | None, second: Value | None) -> Value | None:
    return second if first is None else first


def _collected(reader: RowReader, records: Iterable[Record], digest: str, fields: Collection[str] = BOTH) -> Answers:
    rows = [row for batch in reader.batches(records) for row in batch]
    return Answers(reader.name, rows, digest, Counter(_counts(rows, fields) | _reading_counts(reader)))


def _reader(source: Source, mapping: Mapping[str, str], fields: Collection[str], wanted: Wanted) -> RowReader:
    return RowReader(
        source.container.name,
        mapping=mapping,
        wanted=set(fields),
        cells=source.cells,
        optional=wanted.optional,
        contexts=wanted.contexts,
        cited=wanted.cited,
        foreign=source.format is not None,
    )


def _records(source: Source, wanted: Wanted) -> Iterable[Record]:
    if source.format is None:
        return source.records()
    return records_of(source.records(), wanted.system, source.container.name)


def _name(path: str | Path) -> str:
    return STDIN_NAME if str(path) == STDIN else str(path)


def _counts(rows: Sequence[AnswerRow], fields: Collection[str] = BOTH) -> dict[str, int]:
    """What is said of rows; a field that no metric needs is not missing."""
    repeated = sum(len(row.retrieved_ids) - len(set(row.retrieved_ids)) for row in rows if row.retrieved_ids)
    counts = {
        MISSING: sum(row.prediction is None for row in rows) if "prediction" in fields else None,
        UNREFERENCED: sum(not row.references for row in rows) if "references" in fields else None,
        EMPTY: sum(row.prediction == "" for row in rows) if "prediction" in fields else None,
        REPEATED: repeated or None,
    }
    return {code: count for code, count in counts.items() if count is not None}


def _reading_counts(reader: RowReader) -> dict[str, int]:
    counts = {NUMBERS: reader.numbers, UNREADABLE: reader.unreadable, UNUSED: reader.unused, CITED: reader.cited}
    return {code: count for code, count in counts.items() if count}
