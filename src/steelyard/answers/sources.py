"""Sources of predictions and references: one file, two files joined by id, or Python values."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.answers.rows import BATCH, AnswerRow, RowReader, plain_value
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.layouts import ID_HINT, Columns, check_mapping
from steelyard.io.records import Record, digest_rows, format_suffix, read_records, stream_records
from steelyard.io.streams import STDIN, STDIN_NAME, open_stream

MISSING = "counts.predictions_missing"
UNREFERENCED = "counts.rows_unreferenced"
EMPTY = "counts.predictions_empty"
NUMBERS = "counts.predictions_as_text"
UNMATCHED = "counts.predictions_unmatched"
BY_ROW = "counts.joined_by_row"

_BOTH = frozenset(("prediction", "references"))


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows of a source in its order; `counts` are reported with the result."""

    name: str
    rows: list[AnswerRow]
    digest: str
    counts: Counter[str] = field(default_factory=Counter)

    def batches(self) -> Iterator[list[AnswerRow]]:
        """The rows in batches."""
        return (self.rows[start : start + BATCH] for start in range(0, len(self.rows), BATCH))


class AnswerStream:
    """The rows of a file as they are read; `digest` and `counts` are complete after the last batch."""

    def __init__(self, path: str | Path, mapping: Mapping[str, str]) -> None:
        """Nothing is read before the first batch is requested."""
        self.name = _name(path)
        self.digest = ""
        self.counts: Counter[str] = Counter()
        self._path = path
        self._mapping = mapping

    def batches(self) -> Iterator[list[AnswerRow]]:
        """The rows in batches; can be called once."""
        reader = _reader(self._path, self._mapping, _BOTH)
        with closing(open_stream(self._path)) as stream:
            for rows in reader.batches(stream_records(stream, format_suffix(self._path))):
                self.counts.update(_counts(rows))
                yield rows
            self.digest = stream.digest()
        self.counts.update(_read_as_text(reader))


def stream_answers(
    path: str | Path, *, mapping: Mapping[str, str] | None = None, references: str | Path | None = None
) -> Answers | AnswerStream:
    """Answers from a file with named columns; `mapping` gives the column of a field (`{"references": "gold"}`).

    With a `references` file its rows are used, in its order, and predictions are joined to them by id.
    """
    if references is None:
        return AnswerStream(path, mapping or {})
    return _joined_files(path, references, mapping or {})


def answers_of(predictions: Sequence[Any], references: Sequence[Any], ids: Sequence[Any] | None = None) -> Answers:
    """Answers from Python values, by the rules of files: None is missing, numbers are read as text."""
    if len(predictions) != len(references):
        raise InputError(
            Message("formats.reference_count_differs", predictions=len(predictions), references=len(references))
        )
    if ids is not None and len(ids) != len(predictions):
        raise InputError(Message("formats.id_count_differs", ids=len(ids), predictions=len(predictions)))
    if not len(predictions):
        raise InputError(Message("formats.no_rows"), where="answers")
    columns = [[plain_value(value) for value in values] for values in (predictions, references, ids or ())]
    reader = RowReader("answers", mapping={}, wanted=set(_BOTH), cells=False)
    rows = reader.rows_of(columns[0], columns[1], None if ids is None else columns[2])
    return Answers("answers", rows, digest_rows(columns), Counter(_counts(rows) | _read_as_text(reader)))


def read_questions(path: str | Path, *, mapping: Mapping[str, str] | None = None) -> list[AnswerRow]:
    """The rows of a file of questions with their references, whether or not it has predictions."""
    records, digest = read_records(path)
    return _collected(_reader(path, mapping or {}, {"references"}), records, digest).rows


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two joined files."""

    answers: Answers
    has_ids: bool


def _joined_files(predicted: str | Path, expected: str | Path, mapping: Mapping[str, str]) -> Answers:
    files = [(path, *read_records(path)) for path in (predicted, expected)]
    columns = [
        Columns(_name(path), list(dict.fromkeys(column for record in records for column in record.fields)))
        for path, records, _ in files
    ]
    check_mapping(mapping, *columns)
    sides = []
    for (path, records, digest), known, wanted in zip(files, columns, ("prediction", "references"), strict=True):
        own = {name: column for name, column in mapping.items() if column in known.columns}
        reader = _reader(path, own, {wanted})
        sides.append(_Side(_collected(reader, records, digest), reader.has_ids))
    by_row = _is_joined_by_row(*sides)
    joined = _join(*(side.answers for side in sides))
    if by_row:
        joined.counts[BY_ROW] = len(joined.rows)
    return joined


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
    rows = [_joined(row, predictions[row.id]) if row.id in predictions else row for row in expected.rows]
    as_text = {NUMBERS: predicted.counts[NUMBERS]} if predicted.counts[NUMBERS] else {}
    counts = Counter(_counts(rows) | as_text | ({UNMATCHED: unmatched} if unmatched else {}))
    return Answers(predicted.name, rows, digest_rows([(predicted.digest, expected.digest)]), counts)


def _joined(row: AnswerRow, predicted: AnswerRow) -> AnswerRow:
    tags = {**predicted.tags, **row.tags} if predicted.tags or row.tags else row.tags
    return row._replace(prediction=predicted.prediction, tags=tags, question=row.question or predicted.question)


def _collected(reader: RowReader, records: Iterable[Record], digest: str) -> Answers:
    rows = [row for batch in reader.batches(records) for row in batch]
    return Answers(reader.name, rows, digest, Counter(_counts(rows) | _read_as_text(reader)))


def _reader(path: str | Path, mapping: Mapping[str, str], wanted: Collection[str]) -> RowReader:
    return RowReader(_name(path), mapping=mapping, wanted=set(wanted), cells=format_suffix(path) in (".csv", ".tsv"))


def _name(path: str | Path) -> str:
    return STDIN_NAME if str(path) == STDIN else str(path)


def _counts(rows: Sequence[AnswerRow]) -> dict[str, int]:
    return {
        MISSING: sum(row.prediction is None for row in rows),
        UNREFERENCED: sum(not row.references for row in rows),
        EMPTY: sum(row.prediction == "" for row in rows),
    }


def _read_as_text(reader: RowReader) -> dict[str, int]:
    return {NUMBERS: reader.numbers} if reader.numbers else {}
