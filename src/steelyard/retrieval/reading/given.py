"""Qrels and runs of values in memory, and of files with named columns or JSON objects."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, parse_json, read_columns, read_records
from steelyard.io.streams import read_text
from steelyard.retrieval.reading.columns import is_arrow
from steelyard.retrieval.reading.frames import Columns, qrels_of_columns, run_of_columns
from steelyard.retrieval.reading.nested import nested_qrels, nested_run
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.tabular import (
    DOCUMENT,
    GRADE,
    QUERY,
    SCORE,
    Row,
    find_column,
    named_rows,
    nested_rows,
    qrels_of_rows,
    run_of_rows,
)
from steelyard.retrieval.runs import Run


def qrels_of_value(source: Any) -> Qrels:
    """Qrels of a Python value."""
    given = _Given(_plain(source, GRADE), GRADE, "qrels")
    return given.qrels() or qrels_of_rows(_rows(given), "qrels")


def run_of_value(source: Any) -> Run:
    """A run of a Python value."""
    given = _Given(_plain(source, SCORE), SCORE, "run")
    return given.run() or run_of_rows(_rows(given), "run")


def qrels_of_file(path: str | Path) -> Qrels:
    """Qrels of a file that is not in a TREC format."""
    given = _read_file(path, GRADE)
    return given.qrels() or qrels_of_rows(*_file_rows(given, path))


def run_of_file(path: str | Path) -> Run:
    """A run of a file that is not in a TREC format."""
    given = _read_file(path, SCORE)
    return given.run() or run_of_rows(*_file_rows(given, path))


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
        """Whether the source is `{query: {document: value}}`."""
        if not isinstance(self.source, Mapping):
            return False
        return all(value is None or isinstance(value, Mapping) for value in self.source.values())

    def run(self) -> Run | None:
        """The run, if the source is regular."""
        if self.is_nested:
            return nested_run(self.source, self.name, self.digest, finite=self.is_json)
        columns = self._columns()
        return run_of_columns(columns, self.name, self._place, self.digest) if columns else None

    def qrels(self) -> Qrels | None:
        """The qrels, if the source is regular."""
        if self.is_nested:
            return nested_qrels(self.source, self.name, self.digest)
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
    """What a JSON file or a parquet file holds; of files of other formats nothing is read here."""
    suffix = format_suffix(path)
    if suffix == ".json":
        text, stream = read_text(path)
        content = parse_json(text, stream.name)
        source = content if isinstance(content, dict) else None
        return _Given(source, values, stream.name, stream.digest(), is_json=True)
    found = read_columns(path, lambda names: _wanted(names, values, str(path))) if suffix == ".parquet" else None
    if found is None:
        return _Given(None, values, str(path))
    return _Given(found[0], values, str(path), found[1], "{}: row {}", 1)


def _wanted(names: list[str], values: Sequence[str], name: str) -> list[str]:
    return [find_column(names, known, name) for known in (QUERY, DOCUMENT, values)]


def _file_rows(given: _Given, path: str | Path) -> tuple[Iterator[Row], str, str | None]:
    """The rows of a file with named columns, or of a JSON object of objects; the name and the digest of the file."""
    if given.is_json and given.source is not None:
        return _finite(nested_rows(given.source, given.name, judged=given.values is GRADE)), given.name, given.digest
    records, digest = read_records(path)
    rows = named_rows(records, given.values, str(path))
    return (_finite(rows) if format_suffix(path) in (".json", ".jsonl", ".ndjson") else rows), str(path), digest


def _finite(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows of JSON, which has no infinity: a number that parses as infinite is too large (1e999)."""
    for row in rows:
        if isinstance(row[3], float) and math.isinf(row[3]):
            raise InputError(Message("formats.number_too_large"), where=row[0])
        yield row


def _plain(source: Any, values: Sequence[str]) -> Any:
    """A Python value as a mapping if it has columns."""
    source = source.to_dict() if hasattr(source, "to_dict") and not hasattr(source, "columns") else source
    if hasattr(source, "columns"):  # a data frame (pandas, polars) or a table of pyarrow, whose columns have no names
        names = source.column_names if hasattr(type(source), "column_names") else source.columns
        return {str(column): source[column] for column in names}
    if isinstance(source, tuple) and len(source) == 3 and all(isinstance(column, np.ndarray) for column in source):
        return dict(zip((QUERY[0], DOCUMENT[0], values[0]), source, strict=True))
    if isinstance(source, np.ndarray) and source.dtype.names:
        return {column: source[column] for column in source.dtype.names}
    return source


def _rows(given: _Given) -> Iterator[Row]:
    """The rows of a Python value."""
    source, values, name = given.source, given.values, given.name
    if isinstance(source, Mapping):
        if given.is_nested:
            return nested_rows(source, name, judged=values is GRADE)
        return _column_rows({str(key): _listed(value) for key, value in source.items()}, values, name)
    if isinstance(source, Iterable):
        rows = list(source)
        if rows and all(isinstance(row, Mapping) for row in rows):
            return named_rows([Record(name, n, dict(row), "{}[{}]") for n, row in enumerate(rows)], values, name)
        return _tuple_rows(rows, name)
    raise TypeError(f"{name} must be a path, a mapping, columns, a data frame or rows, not {type(source).__name__}")


def _listed(column: Any) -> list[Any]:
    return column.to_pylist() if is_arrow(column) else list(column)


def _column_rows(columns: dict[str, list[Any]], values: Sequence[str], name: str) -> Iterator[Row]:
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(Message("formats.columns_differ_length", lengths=lengths), where=name)
    rows = zip(*columns.values(), strict=True)
    records = [Record(name, number, dict(zip(columns, row, strict=True)), "{}[{}]") for number, row in enumerate(rows)]
    return named_rows(records, values, name)


def _tuple_rows(rows: Iterable[Any], name: str) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray) or len(row) < 3:
            raise InputError(Message("formats.row_not_triple", row=row), where=f"{name}[{number}]")
        yield f"{name}[{number}]", row[0], row[1], row[2]
