"""Sources of predictions and references: one file, two files joined by id, or Python values."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.answers.frames import Frame
from steelyard.answers.rows import (
    BATCH,
    BOTH,
    CITED,
    NUMBERS,
    UNCLEAR,
    UNREADABLE,
    UNUSED,
    AnswerRow,
    RowReader,
    Wanted,
    in_batches,
)
from steelyard.answers.values import plain_value
from steelyard.errors import InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io import layouts
from steelyard.io.costs import FIELDS as COST_FIELDS
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.formats import Source, open_source
from steelyard.io.foreign.items import AGAIN, ItemColumns, are_systems, records_of
from steelyard.io.foreign.rows import CONTEXTS, ERROR, PREDICTION, QUESTION, REPEAT, SYSTEM, TAGS
from steelyard.io.layouts import ID, ID_HINT, Columns, check_mapping, layout_of
from steelyard.io.ranges import is_cuttable
from steelyard.io.records import LINES, Record, digest_rows, format_suffix, no_array
from steelyard.io.results.reading import RESULT_HEADER
from steelyard.io.streams import BINARY, open_stream, source_name

if TYPE_CHECKING:
    from steelyard.systems.base import Reply

MISSING = "counts.predictions_missing"
UNREFERENCED = "counts.rows_unreferenced"
EMPTY = "counts.predictions_empty"
UNMATCHED = "counts.predictions_unmatched"
BY_ROW = "counts.joined_by_row"
BY_QUESTION = "counts.joined_by_question"
REPEATED = "counts.retrieved_again"

_OWN = frozenset((SYSTEM, REPEAT, ERROR))  # columns that have a meaning in any rows
Value = TypeVar("Value")


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
        """Return the rows in batches."""
        return (self.rows[start : start + BATCH] for start in range(0, len(self.rows), BATCH))


class AnswerStream:
    """The rows of a file as they are read; all but the name are complete after the last batch."""

    def __init__(self, path: str | Path, mapping: Mapping[str, str], wanted: Wanted) -> None:
        """Nothing is read before the first batch is requested."""
        self.name = source_name(path)
        self.digest = ""
        self.format = ""
        self.counts: Counter[str] = Counter()
        self._path = path
        self._mapping = mapping
        self._wanted = wanted

    def unread(self) -> "AnswerStream":
        """Return the same file, of which nothing was read."""
        return AnswerStream(self._path, self._mapping, self._wanted)

    def plain_lines(self) -> "PlainLines | None":
        """Return the file, if it can be read in parts.

        That is a JSONL file that is not compressed, with plain rows of one system, of which the first batch has all
        required columns.
        """
        if format_suffix(self._path) not in LINES or not is_cuttable(self._path):
            return None
        try:
            source = _opened(self._path, self._mapping)
            with closing(source.container):
                if source.format is not None or _has_systems(source.container.first, self._mapping, self._wanted):
                    return None
                reader = _reader(source, self._mapping, BOTH, self._wanted)
                head = [
                    (len(batch), reader.columns.are_known(batch))
                    for batch in in_batches(islice(source.records(), BATCH))
                ]
            if sum(rows for rows, _ in head) < BATCH or not head[-1][1]:
                return None
        except InputError:  # it is raised again where the file is read in order
            return None
        return PlainLines(str(self._path), self.name, self._mapping, self._wanted, tuple(reader.columns.names))

    def batches(self) -> Iterator[list[AnswerRow]]:
        """Yield the rows in batches; can be called once."""
        source = _opened(self._path, self._mapping)
        self.format = source.title
        reader = _reader(source, self._mapping, BOTH, self._wanted)
        with closing(source.container):
            for rows in reader.batches(_records(source, self._mapping, self._wanted)):
                self.counts.update(batch_counts(rows, self._wanted.fields))
                yield rows
            self.digest = source.container.digest()
        self.counts.update(reader.counts())


@dataclass(frozen=True, slots=True)
class PlainLines:
    """A JSONL file that can be read in parts: what is read of it, and the columns known so far."""

    path: str
    name: str
    mapping: Mapping[str, str]
    wanted: Wanted
    columns: tuple[str, ...]

    def reader(self, rows: int) -> RowReader:
        """Return a reader that goes on after so many rows."""
        reader = RowReader(self.name, BOTH, self.wanted, mapping=self.mapping)
        reader.continue_after(rows, self.columns)
        return reader


def stream_answers(
    path: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    references: str | Path | None = None,
    wanted: Wanted = _USUAL,
) -> Answers | AnswerStream:
    """Return answers from a file with named columns; `mapping` gives the column of a field (`{"references": "gold"}`).

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
    """Return answers from rows with named fields in Python, by the rules of files."""
    if ids is not None:
        _check_ids(ids, len(rows))
        rows = [{**row, ID[0]: each} for row, each in zip(rows, ids, strict=True)]
        mapping = {**(mapping or {}), "id": ID[0]}
    plain = ({str(name): plain_value(value) for name, value in row.items()} for row in rows)
    records = [Record("answers", number, row, "row {1}") for number, row in enumerate(plain, 1)]
    digest = digest_rows([[sorted(record.fields.items()) for record in records]])
    chosen = _plain_records(iter(records), "answers", mapping or {}, wanted)
    return _collected(RowReader("answers", BOTH, wanted, mapping=mapping or {}), chosen, digest, wanted.fields)


def answers_of_frame(
    frame: Frame, *, mapping: Mapping[str, str] | None = None, ids: Any = None, wanted: Wanted = _USUAL
) -> Answers:
    """Return answers from a table with named columns, by the rules of files; unused columns are not converted."""
    mapping = {**(mapping or {}), **({} if ids is None else {"id": ID[0]})}
    frame = frame.with_ids(mapping, ids)
    known = Columns("answers", list(frame.columns))
    check_mapping(mapping, known)
    meant = layout_of(known, mapping, set(BOTH), wanted.optional, wanted.labels).columns() | _OWN | COST_FIELDS
    used = [name for name in known.columns if name in meant]
    columns = [[plain_value(value) for value in frame.columns[name]()] for name in used]
    rows = enumerate(zip(*columns, strict=True), 1)
    records = (Record("answers", number, dict(zip(used, row, strict=True)), "row {1}") for number, row in rows)
    chosen = _plain_records(iter(records), "answers", mapping, wanted)
    reader = RowReader("answers", BOTH, wanted, mapping=mapping)
    return _collected(reader, chosen, digest_rows([used, *columns]), wanted.fields)


def _opened(path: str | Path, mapping: Mapping[str, str] | None = None) -> Source:
    """Return the source at a path; what has no rows and no format of another tool is an error.

    Rows of which `mapping` names a column by the file's own name are read as plain rows, whatever their format.
    """
    source = open_source(path)
    if source.format is None and source.container.kind == "rows" and source.container.first.keys() >= RESULT_HEADER:
        source.container.close()
        hint = Message("formats.is_results_hint", name=source.container.name)
        raise InputError(Message("formats.is_results"), where=source.container.name, hint=hint)
    if mapping and source.container.kind == "rows" and not source.container.first.keys().isdisjoint(mapping.values()):
        source = Source(source.container, None)
    if source.format is None and is_product_log(source.container):
        source = Source(source.container, ProductLog())
    if source.format is None and source.container.kind == "document":
        source.container.close()
        raise no_array(source.container.name)
    if source.format is None and source.container.kind not in ("rows", "lines"):
        open_stream(path).close()  # the error about a folder
        raise InputError(Message(BINARY), where=source.container.name)
    return source


_BESIDE = frozenset((*ID, *layouts.QUESTION, *layouts.REFERENCES, *layouts.LABELS, "tags"))


def is_product_log(container: Container) -> bool:
    """Return whether the first row of a file is a reply of a product, with an id or a question beside it."""
    first = container.first if container.kind == "rows" and not container.cells else {}
    texts = (value for value in first.values() if isinstance(value, str))
    has_objects = "choices" in first or any(isinstance(value, dict) for value in first.values())
    may_be = has_objects or any(text.startswith(("data:", "event:")) for text in texts)
    return may_be and _reply(first) is not None  # what reads replies is imported for few files


def _reply(fields: Mapping[str, Any]) -> "Reply | SystemFailure | None":
    """Return the reply in a row of a log, or how the product failed; None if it is of no product."""
    from steelyard.systems.product_replies import recorded_reply

    try:
        return recorded_reply(fields, "")
    except SystemFailure as failure:
        return failure


class ProductLog:
    """A log of replies of a product as a format: the answers with their marks, contexts, tokens and price."""

    NAME = "product-log"
    TITLE = "product log"

    def recognises(self, container: Container) -> bool:
        """Return whether a file is such a log."""
        return is_product_log(container)

    def read(self, container: Container) -> Iterator[Record]:
        """Yield the rows; a failure of the product is one of the system."""
        for record in container.records():
            beside = {name: value for name, value in record.fields.items() if name.casefold() in _BESIDE}
            yield record._replace(fields={**beside, **self._fields(_reply(record.fields))})

    def _fields(self, reply: "Reply | SystemFailure | None") -> dict[str, Any]:
        if reply is None or isinstance(reply, SystemFailure):
            return {PREDICTION: None, ERROR: str(reply.message) if reply else None}
        found = {PREDICTION: reply.record["answer"], CONTEXTS: reply.record.get("contexts")}
        return {**found, "tokens": reply.tokens, "cost": reply.cost}


def answers_of(predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None = None) -> Answers:
    """Return answers from Python values, by the rules of files: None is missing, numbers are read as text."""
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
    reader = RowReader("answers", BOTH, _USUAL)
    rows = reader.rows_of(columns[0], columns[1], None if ids is None else columns[2])
    return Answers("answers", rows, digest_rows(columns), Counter(batch_counts(rows) | reader.counts()))


def _check_ids(ids: Sequence[Any], rows: int) -> None:
    if len(ids) != rows:
        raise InputError(Message("formats.id_count_differs", ids=len(ids), predictions=rows))


def read_questions(path: str | Path) -> list[AnswerRow]:
    """Return the rows of a file of questions with their references, and with predictions if it has some."""
    source = _opened(path)
    records = list(source.records())
    reader = _reader(source, {}, BOTH, Wanted(frozenset(("references",)), "kept"))
    return _collected(reader, records, source.container.digest()).rows


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two joined files."""

    answers: Answers
    has_ids: bool


def _joined_files(predicted: str | Path, expected: str | Path, mapping: Mapping[str, str], wanted: Wanted) -> Answers:
    sources = [_opened(path) for path in (predicted, expected)]
    wanted_of = (wanted, replace(wanted, system=None))  # references are those of every system
    files = [(source, list(_records(source, mapping, each))) for source, each in zip(sources, wanted_of, strict=True)]
    columns = [
        Columns(source.container.name, list(dict.fromkeys(column for record in records for column in record.fields)))
        for source, records in files
    ]
    check_mapping(mapping, *columns)
    sides = []
    for (source, records), known, name in zip(files, columns, ("prediction", "references"), strict=True):
        own = {field: column for field, column in mapping.items() if column in known.columns}
        if name == "references" and getattr(source.format, "ONE_SIDED", False):
            own = {name: PREDICTION, **own}
        reader = _reader(source, own, {name}, wanted)
        sides.append(_Side(_collected(reader, records, source.container.digest()), reader.has_ids))
    joined = _join_sides(*sides)
    return replace(joined, format=" + ".join(dict.fromkeys(source.title for source in sources if source.title)))


def _join_sides(predicted: _Side, expected: _Side) -> Answers:
    """Both files joined by id; without ids by the questions if most are in both, else row by row."""
    without, other = (predicted, expected) if expected.has_ids else (expected, predicted)
    if without.has_ids != other.has_ids:
        message = Message("formats.id_column_in_one_file", name=other.answers.name)
        raise InputError(message, where=without.answers.name, hint=ID_HINT)
    if predicted.has_ids:
        return _join(predicted.answers, expected.answers)
    sides = predicted.answers, expected.answers
    by_question = _share_questions(sides[0].rows, sides[1].rows)
    joined = _join(*(sides if by_question else _aligned(*sides)))
    joined.counts[BY_QUESTION if by_question else BY_ROW] = len(joined.rows)
    return joined


def _share_questions(predicted: Sequence[AnswerRow], expected: Sequence[AnswerRow]) -> bool:
    """Return whether at least half of the expected rows have a question that is among those of the predictions."""
    asked = {row.id for row in predicted if row.question}
    return 2 * sum(row.id in asked for row in expected if row.question) >= len(expected)


def _aligned(predicted: Answers, expected: Answers) -> tuple[Answers, Answers]:
    """Both with the same ids in the same places; an error if the numbers of rows differ."""
    lengths = len(predicted.rows), len(expected.rows)
    if lengths[0] != lengths[1]:
        raise InputError(
            Message("formats.row_counts_differ", rows=lengths[0], name=expected.name, expected=lengths[1]),
            where=predicted.name,
            hint=Message("formats.joined_by_row_hint"),
        )
    named = expected if any(row.question for row in expected.rows) else predicted
    ids = [row.id for row in named.rows]
    return _renamed(predicted, ids), _renamed(expected, ids)


def _renamed(answers: Answers, ids: Sequence[str]) -> Answers:
    return replace(answers, rows=[row._replace(id=each) for row, each in zip(answers.rows, ids, strict=True)])


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
    read = {code: n for code in (NUMBERS, UNREADABLE, UNUSED, CITED, UNCLEAR, AGAIN) if (n := predicted.counts[code])}
    counts = Counter(batch_counts(rows) | read | ({UNMATCHED: unmatched} if unmatched else {}))
    return Answers(predicted.name, rows, digest_rows([(predicted.digest, expected.digest)]), counts)


def _absent(row: AnswerRow, others: Sequence[AnswerRow]) -> AnswerRow:
    """Return the predictions of a row that is not among the others: none, and nothing retrieved if others have it."""
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
        costs=predicted.costs,
    )


def _either(first: Value | None, second: Value | None) -> Value | None:
    return second if first is None else first


def _collected(reader: RowReader, records: Iterable[Record], digest: str, fields: Collection[str] = BOTH) -> Answers:
    rows = [row for batch in reader.batches(records) for row in batch]
    return Answers(reader.name, rows, digest, Counter(batch_counts(rows, fields) | reader.counts()))


def _reader(source: Source, mapping: Mapping[str, str], fields: Collection[str], wanted: Wanted) -> RowReader:
    container, is_foreign = source.container, source.format is not None
    written = list(container.first) if is_foreign and container.kind == "rows" else []
    return RowReader(
        container.name, fields, wanted, mapping=mapping, cells=source.cells, foreign=is_foreign, written=written
    )


def _records(source: Source, mapping: Mapping[str, str], wanted: Wanted) -> Iterable[Record]:
    name = source.container.name
    if source.format is None:
        return _plain_records(source.records(), name, mapping, wanted)
    return records_of(source.records(), wanted.system, name)


def _plain_records(
    records: Iterator[Record], name: str, mapping: Mapping[str, str], wanted: Wanted
) -> Iterable[Record]:
    """Return the rows of one system, by the columns with our names for the system and the number of a repeat."""
    first = next(records, None)
    columns = list(first.fields) if first is not None else []
    used = {*mapping.values(), *wanted.labels}
    if first is None or not _has_systems(columns, mapping, wanted):
        return () if first is None else chain((first,), records)
    layout = layout_of(Columns(name, columns), mapping, set())
    found = ItemColumns(layout.id or ID[0], layout.question or QUESTION, mapping.get("tags", TAGS))
    return records_of(_with_systems([first, *records], used), wanted.system, name, found)


def _has_systems(columns: Iterable[str], mapping: Mapping[str, str], wanted: Wanted) -> bool:
    """Return whether the rows of one system have to be selected, by the columns of the first row."""
    used = {*mapping.values(), *wanted.labels}
    return wanted.system is not None or bool({SYSTEM, REPEAT} & set(columns) - used)


def _with_systems(records: Sequence[Record], used: Collection[str]) -> Iterator[Record]:
    """Return the records, without the column of systems where it has other texts, such as prompts, or another use."""
    if SYSTEM not in used and are_systems(record.fields.get(SYSTEM) for record in records):
        return iter(records)
    return (record._replace(fields={**record.fields, SYSTEM: None}) for record in records)


def batch_counts(rows: Sequence[AnswerRow], fields: Collection[str] = BOTH) -> dict[str, int]:
    """Return what is said of rows; a field that no metric needs is not missing."""
    repeated = sum(len(row.retrieved_ids) - len(set(row.retrieved_ids)) for row in rows if row.retrieved_ids)
    counts = {
        MISSING: sum(row.prediction is None for row in rows) if "prediction" in fields else None,
        UNREFERENCED: sum(not row.references for row in rows) if "references" in fields else None,
        EMPTY: sum(row.prediction == "" for row in rows) if "prediction" in fields else None,
        REPEATED: repeated or None,
    }
    return {code: count for code, count in counts.items() if count is not None}
