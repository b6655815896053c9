"""Qrels and runs from any source: a path, a BEIR folder, a mapping, columns, a data frame, rows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.addresses import addressed
from steelyard.io.records import Record, format_suffix, is_record_format, parse_json, read_columns, read_records
from steelyard.io.streams import STDIN, is_folder, read_text
from steelyard.retrieval.matching import Run
from steelyard.retrieval.reading import trec
from steelyard.retrieval.reading.blocks import (
    Columns,
    qrels_of_columns,
    qrels_of_mapping,
    run_of_columns,
    run_of_mapping,
)
from steelyard.retrieval.reading.columns import is_arrow
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

QrelsSource = Any
"""A path, `{query: {document: grade}}`, columns by name, three arrays, a data frame, or rows of the three."""
RunSource = Any
"""A path, `{query: {document: score}}`, columns by name, three arrays, a data frame, or rows of the three."""


def qrels_from(source: QrelsSource, *, subtopics: bool = False) -> Qrels:
    """Return qrels from any source; by subtopic only from TREC files."""
    if isinstance(source, Qrels):
        return source
    path = None
    if isinstance(source, str | Path):
        path = _beir_qrels(Path(source)) if is_folder(source) else addressed(source)
        if not _has_names(path):
            return trec.read_qrels(path, subtopics=subtopics)
    given = _Given(_plain(source, GRADE), GRADE, "qrels") if path is None else _read_file(path, GRADE)
    return given.qrels() or qrels_of_rows(*(_rows(given) if path is None else _file_rows(given, path)))


def run_from(source: RunSource) -> Run:
    """Return a run from any source."""
    if isinstance(source, Run):
        return source
    path = None
    if isinstance(source, str | Path):
        path = addressed(source)
        if is_folder(path):
            raise InputError(Message("formats.run_is_folder"), where=str(path))
        if not _has_names(path):
            return trec.read_run(path)
    given = _Given(_plain(source, SCORE), SCORE, "run") if path is None else _read_file(path, SCORE)
    return given.run() or run_of_rows(*(_rows(given) if path is None else _file_rows(given, path)))


def _has_names(path: str | Path) -> bool:
    """Return whether a file has names of columns, or is a JSON object; others are TREC files, except for ranx."""
    if format_suffix(path) == ".lz4":
        message = Message("formats.type_not_read", suffix=".lz4")
        raise InputError(message, where=str(path), hint=Message("formats.lz4_hint"))
    return str(path) != STDIN and is_record_format(format_suffix(path)) and not trec.looks_like_trec(path)


def _beir_qrels(folder: Path) -> Path:
    """Return the qrels file of a BEIR folder (qrels/SPLIT.tsv): the test split, or the only one."""
    qrels = folder / "qrels" if (folder / "qrels").is_dir() else folder
    splits = {path.name.split(".")[0]: path for path in sorted(qrels.glob("*.tsv*"))}
    if not splits:
        raise InputError(
            Message("formats.no_judgments_in_folder"),
            where=str(folder),
            hint=Message("formats.beir_folder_hint"),
        )
    if len(splits) == 1:
        return next(iter(splits.values()))
    if "test" in splits:
        return splits["test"]
    names = ", ".join(str(path) for path in splits.values())
    raise InputError(
        Message("formats.no_test_split"),
        where=str(qrels),
        hint=Message("formats.one_of_hint", names=names),
    )


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
