"""Qrels and runs from any source: a path, a BEIR folder, a mapping, columns, a data frame, rows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.addresses import addressed
from steelyard.io.records import Record, format_suffix, is_record_format, parse_json, read_records
from steelyard.io.streams import STDIN, is_folder, read_text
from steelyard.retrieval.reading import trec
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.tabular import (
    DOCUMENT,
    GRADE,
    QUERY,
    SCORE,
    Row,
    named_rows,
    nested_rows,
    qrels_of_rows,
    run_of_rows,
)
from steelyard.retrieval.runs import Run

QrelsSource = Any
"""A path, `{query: {document: grade}}`, columns by name, three arrays, a data frame, or rows of the three."""
RunSource = Any
"""A path, `{query: {document: score}}`, columns by name, three arrays, a data frame, or rows of the three."""


def qrels_from(source: QrelsSource, *, subtopics: bool = False) -> Qrels:
    """Qrels from any source; by subtopic only from TREC files."""
    if isinstance(source, Qrels):
        return source
    if not isinstance(source, str | Path):
        return qrels_of_rows(_rows(source, GRADE, "qrels"), "qrels")
    path = _beir_qrels(Path(source)) if is_folder(source) else addressed(source)
    if _has_names(path):
        rows, digest = _file_rows(path, GRADE)
        return qrels_of_rows(rows, str(path), digest)
    return trec.read_qrels(path, subtopics=subtopics)


def run_from(source: RunSource) -> Run:
    """A run from any source."""
    if isinstance(source, Run):
        return source
    if not isinstance(source, str | Path):
        return run_of_rows(_rows(source, SCORE, "run"), "run")
    source = addressed(source)
    if is_folder(source):
        raise InputError(Message("formats.run_is_folder"), where=str(source))
    if _has_names(source):
        rows, digest = _file_rows(source, SCORE)
        return run_of_rows(rows, str(source), digest)
    return trec.read_run(source)


def _has_names(path: str | Path) -> bool:
    """Whether a file has names of columns, or is a JSON object; others are TREC files, except for those of ranx."""
    if format_suffix(path) == ".lz4":
        message = Message("formats.type_not_read", suffix=".lz4")
        raise InputError(message, where=str(path), hint=Message("formats.lz4_hint"))
    return str(path) != STDIN and is_record_format(format_suffix(path)) and not trec.looks_like_trec(path)


def _file_rows(path: str | Path, values: Sequence[str]) -> tuple[Iterator[Row], str]:
    """The rows of a file with named columns, or of a JSON object of objects."""
    if format_suffix(path) == ".json":
        text, stream = read_text(path)
        content = parse_json(text, stream.name)
        if isinstance(content, dict):
            return _finite(nested_rows(content, stream.name, judged=values is GRADE)), stream.digest()
    records, digest = read_records(path)
    rows = named_rows(records, values, str(path))
    return (_finite(rows) if format_suffix(path) in (".json", ".jsonl", ".ndjson") else rows), digest


def _finite(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows of JSON, which has no infinity: a number that parses as infinite is too large (1e999)."""
    for row in rows:
        if isinstance(row[3], float) and math.isinf(row[3]):
            raise InputError(Message("formats.number_too_large"), where=row[0])
        yield row


def _rows(source: Any, values: Sequence[str], name: str) -> Iterator[Row]:
    """The rows of a Python value."""
    source = source.to_dict() if hasattr(source, "to_dict") and not hasattr(source, "columns") else source
    if hasattr(source, "columns"):  # a data frame: pandas, polars
        source = {str(column): source[column] for column in source.columns}
    if isinstance(source, tuple) and len(source) == 3 and all(isinstance(column, np.ndarray) for column in source):
        source = dict(zip((QUERY[0], DOCUMENT[0], values[0]), source, strict=True))
    if isinstance(source, np.ndarray) and source.dtype.names:
        source = {column: source[column] for column in source.dtype.names}
    if isinstance(source, Mapping):
        if all(isinstance(value, Mapping) for value in source.values()):
            return nested_rows(source, name, judged=values is GRADE)
        return _column_rows({str(key): list(value) for key, value in source.items()}, values, name)
    if isinstance(source, Iterable):
        rows = list(source)
        if rows and all(isinstance(row, Mapping) for row in rows):
            return named_rows([Record(name, n, dict(row), "{}[{}]") for n, row in enumerate(rows)], values, name)
        return _tuple_rows(rows, name)
    raise TypeError(f"{name} must be a path, a mapping, columns, a data frame or rows, not {type(source).__name__}")


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


def _beir_qrels(folder: Path) -> Path:
    """The qrels file of a BEIR folder (qrels/SPLIT.tsv): the test split, or the only one."""
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
