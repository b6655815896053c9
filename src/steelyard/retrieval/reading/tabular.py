"""Qrels and runs from rows with named columns, nested mappings, and data frames."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from steelyard.errors import MOST_PROBLEMS, BadValue, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, parse_json, read_columns, read_records
from steelyard.io.streams import read_text
from steelyard.retrieval.matching import Run
from steelyard.retrieval.reading.blocks import (
    Columns,
    qrels_of_columns,
    qrels_of_mapping,
    run_of_columns,
    run_of_mapping,
)
from steelyard.retrieval.reading.columns import ValueColumn, is_arrow
from steelyard.retrieval.reading.decimals import LARGEST_WHOLE, means_infinity
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.trec import ORDER_HINT

QUERY_ID, DOCUMENT_ID = Message("words.query"), Message("words.document")
QUERY = ("query", "query_id", "query-id", "qid", "q_id", "topic", "topic_id", "topicno")
DOCUMENT = (
    "document",
    "doc",
    "doc_id",
    "doc-id",
    "docid",
    "docno",
    "document_id",
    "corpus-id",
    "corpus_id",
    "did",
    "pid",
)
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "judgment", "score")

Made = TypeVar("Made")
Row = tuple[str, Any, Any, Any]
"""Location, query, document, and score or grade."""


def named_rows(records: Sequence[Record], values: Sequence[str], name: str) -> Iterator[Row]:
    """Yield the query, document and value columns, found by their usual names."""
    if not records:
        raise InputError(Message("formats.no_rows"), where=name)
    fields = list(records[0].fields)
    chosen = [find_column(fields, names, name) for names in (QUERY, DOCUMENT, values)]
    for record in records:
        absent = [column for column in chosen if column not in record.fields]
        if absent:
            raise InputError(Message("formats.field_missing", key=absent[0]), where=record.where)
        yield (record.where, *(record.fields[column] for column in chosen))


def nested_rows(content: Mapping[Any, Any], name: str, *, judged: bool) -> Iterator[Row]:
    """Yield rows of `{query: {document: value}}`, the form of pytrec_eval and ranx.

    In a run a query may have no documents (it is then missing); in qrels it may not.
    """
    for query, documents in content.items():
        if not isinstance(documents, Mapping):
            raise InputError(Message("formats.documents_not_mapping"), where=f"{name}#/{query}")
        if not documents and judged:
            raise InputError(
                Message("formats.no_judged_document"),
                where=f"{name}#/{query}",
                hint=Message("formats.remove_query_hint"),
            )
        for document, value in documents.items():
            yield f"{name}#/{query}/{document}", query, document, value


def qrels_of_rows(rows: Iterable[Row], name: str, digest: str | None = None) -> Qrels:
    """Return judgments from rows; grades are whole numbers."""
    where, columns = _columns(rows, name, grade_of)
    return _regular(qrels_of_columns(columns, name, where.__getitem__, digest))


def run_of_rows(rows: Iterable[Row], name: str, digest: str | None = None) -> Run:
    """Return a run from rows; the rows of a query need not be adjacent."""
    where, columns = _columns(rows, name, score_of)
    return _regular(run_of_columns(columns, name, where.__getitem__, digest))


def _regular(made: Made | None) -> Made:
    if made is None:
        raise ValueError("rows that were read are not regular")
    return made


def _columns(rows: Iterable[Row], name: str, read: Callable[[Any], Any]) -> tuple[list[str], Columns]:
    """Return the places of rows, and their columns; raise InputError if a value cannot be read."""
    where: list[str] = []
    queries: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    problems: list[Problem] = []
    for place, query, document, value in rows:
        try:
            queries.append(identifier(query, QUERY_ID))
            documents.append(identifier(document, DOCUMENT_ID))
            values.append(read(value))
            where.append(place)
        except BadValue as error:
            problems.append(Problem(place, error.message))
            if len(problems) == MOST_PROBLEMS:
                break
    if problems:
        is_run = read is grade_of and len(problems) == MOST_PROBLEMS  # no grade is one
        raise InputError.of(problems, hint=ORDER_HINT if is_run else None)
    if not values:
        raise InputError(Message("formats.empty_file"), where=name)
    return where, Columns(ValueColumn(queries), ValueColumn(documents), ValueColumn(values))


def identifier(value: Any, what: Message) -> str:
    """Return an id, which is text or a whole number; raise BadValue for other values."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and value and "\0" not in value:
        with suppress(UnicodeEncodeError):  # a lone surrogate
            value.encode("utf-8")
            return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise BadValue(Message("formats.invalid_id_of", what=what, value=value))


def score_of(value: Any) -> float:
    """Return a score; raise BadValue for what is no number."""
    number = _number(value)
    if number is None or math.isnan(number):
        raise BadValue(Message("formats.score_not_a_number", value=_shown(value)))
    if math.isinf(number) and not means_infinity(str(value)):
        raise BadValue(Message("formats.number_too_large"))
    return number


def grade_of(value: Any) -> int:
    """Return a grade; raise BadValue for what is no whole number."""
    number = _number(value)
    if number is None or not number.is_integer() or abs(number) >= LARGEST_WHOLE:
        raise BadValue(Message("formats.grade_not_integer", value=_shown(value)))
    return int(number)


def _number(value: Any) -> float | None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        return None if isinstance(value, str) and ("_" in value or not value.isascii()) else float(value)
    except (ValueError, OverflowError):
        return None


def _shown(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def find_column(fields: Sequence[str], names: Sequence[str], source: str) -> str:
    """Return the column with one of the names, in any case."""
    folded = {field.casefold(): field for field in fields}
    for name in names:
        if name in folded:
            return folded[name]
    accepted, kind = ", ".join(names), format_suffix(source)
    hint = Message("formats.accepted_names_hint", names=accepted)
    if kind:
        hint = Message("formats.accepted_names_of_kind_hint", names=accepted, kind=kind)
    raise InputError(
        Message(
            "formats.no_column_of_either_name", first=names[0], second=names[1], columns=", ".join(map(repr, fields))
        ),
        where=source,
        hint=hint,
    )


def named_qrels(source: Any, path: str | Path | None) -> Qrels:
    """Return qrels from a source in memory, or from a file with names of columns at a path."""
    given = _Given(_plain(source, GRADE), GRADE, "qrels") if path is None else _read_file(path, GRADE)
    return given.qrels() or qrels_of_rows(*(_rows(given) if path is None else _file_rows(given, path)))


def named_run(source: Any, path: str | Path | None) -> Run:
    """Return a run from a source in memory, or from a file with names of columns at a path."""
    given = _Given(_plain(source, SCORE), SCORE, "run") if path is None else _read_file(path, SCORE)
    return given.run() or run_of_rows(*(_rows(given) if path is None else _file_rows(given, path)))


@dataclass
class _Given:
    """A source in memory, the names of its column of values, and its name.

    `digest` is that of the file it was read from, `pattern` the location of a row, `first` the number of the first one;
    what was read from JSON has no columns, and no infinite numbers. A source that is not regular has no `run` and no
    `qrels`, and is read row by row.
    """

    source: Any
    values: Sequence[str]
    name: str
    digest: str | None = None
    pattern: str = "{}[{}]"
    first: int = 0
    is_json: bool = False

    @property
    def is_nested(self) -> bool:
        """Return whether the source is `{query: {document: value}}`."""
        if not isinstance(self.source, Mapping):
            return False
        return all(value is None or isinstance(value, Mapping) for value in self.source.values())

    def run(self) -> Run | None:
        """Return the run, if the source is regular."""
        if self.is_nested:
            return run_of_mapping(self.source, self.name, self.digest, finite=self.is_json)
        columns = self._columns()
        return run_of_columns(columns, self.name, self._place, self.digest) if columns else None

    def qrels(self) -> Qrels | None:
        """Return the qrels, if the source is regular."""
        if self.is_nested:
            return qrels_of_mapping(self.source, self.name, self.digest)
        columns = self._columns()
        return qrels_of_columns(columns, self.name, self._place, self.digest) if columns else None

    def _place(self, row: int) -> str:
        return self.pattern.format(self.name, row + self.first)

    def _columns(self) -> Columns | None:
        if self.is_json or not isinstance(self.source, Mapping):
            return None
        columns = {str(key): column for key, column in self.source.items()}
        try:
            chosen = [find_column(list(columns), names, self.name) for names in (QUERY, DOCUMENT, self.values)]
            same_length = len({len(column) for column in columns.values()}) == 1
        except (InputError, TypeError):
            return None
        return Columns.of([columns[name] for name in chosen]) if same_length else None


def _read_file(path: str | Path, values: Sequence[str]) -> _Given:
    """Return what a JSON file or a parquet file holds; of files of other formats nothing is read here."""
    suffix = format_suffix(path)
    if suffix == ".json":
        text, stream = read_text(path)
        content = parse_json(text, stream.name)
        source = content if isinstance(content, dict) else None
        return _Given(source, values, stream.name, stream.digest(), is_json=True)

    def choose(names: list[str]) -> list[str]:
        return [find_column(names, known, str(path)) for known in (QUERY, DOCUMENT, values)]

    found = read_columns(path, choose) if suffix == ".parquet" else None
    if found is None:
        return _Given(None, values, str(path))
    return _Given(found[0], values, str(path), found[1], "{}: row {}", 1)


def _file_rows(given: _Given, path: str | Path) -> tuple[Iterator[Row], str, str | None]:
    """Return the rows of a file with named columns, or of a JSON object of objects, with its name and digest."""
    if given.is_json and given.source is not None:
        return _finite(nested_rows(given.source, given.name, judged=given.values is GRADE)), given.name, given.digest
    records, digest = read_records(path)
    rows = named_rows(records, given.values, str(path))
    return (_finite(rows) if format_suffix(path) in (".json", ".jsonl", ".ndjson") else rows), str(path), digest


def _finite(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield rows of JSON, which has no infinity: a number that parses as infinite is too large (1e999)."""
    for row in rows:
        if isinstance(row[3], float) and math.isinf(row[3]):
            raise InputError(Message("formats.number_too_large"), where=row[0])
        yield row


def _plain(source: Any, values: Sequence[str]) -> Any:
    """Return a Python value as a mapping if it has columns."""
    source = source.to_dict() if hasattr(source, "to_dict") and not hasattr(source, "columns") else source
    if hasattr(source, "columns"):  # a data frame (pandas, polars) or a table of pyarrow, whose columns have no names
        names = source.column_names if hasattr(type(source), "column_names") else source.columns
        return {str(column): source[column] for column in names}
    if isinstance(source, tuple) and len(source) == 3 and all(isinstance(column, np.ndarray) for column in source):
        return dict(zip((QUERY[0], DOCUMENT[0], values[0]), source, strict=True))
    if isinstance(source, np.ndarray) and source.dtype.names:
        return {column: source[column] for column in source.dtype.names}
    return source


def _rows(given: _Given) -> tuple[Iterator[Row], str]:
    """Return the rows of a Python value, and its name."""
    source, values, name = given.source, given.values, given.name
    if given.is_nested:
        return nested_rows(source, name, judged=values is GRADE), name
    if isinstance(source, Mapping):
        rows = _column_rows(source, name)
    elif isinstance(source, Iterable):
        rows = list(source)
    else:
        raise TypeError(f"{name} must be a path, a mapping, columns, a data frame or rows, not {type(source).__name__}")
    if isinstance(source, Mapping) or (rows and all(isinstance(row, Mapping) for row in rows)):
        return named_rows([Record(name, n, dict(row), "{}[{}]") for n, row in enumerate(rows)], values, name), name
    return _tuple_rows(rows, name), name


def _column_rows(source: Mapping[Any, Any], name: str) -> list[dict[str, Any]]:
    columns = {str(key): column.to_pylist() if is_arrow(column) else list(column) for key, column in source.items()}
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(Message("formats.columns_differ_length", lengths=lengths), where=name)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _tuple_rows(rows: Iterable[Any], name: str) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray) or len(row) < 3:
            raise InputError(Message("formats.row_not_triple", row=row), where=f"{name}[{number}]")
        yield f"{name}[{number}]", row[0], row[1], row[2]
