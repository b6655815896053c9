"""Rows with named fields: JSONL, JSON, CSV, TSV and parquet, plain or compressed, each row with its place."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import MOST_PROBLEMS, InputError, MissingExtra, Problem
from steelyard.formats.streams import Stream, decode, open_stream

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
COMPRESSED = (".gz", ".zst", ".zstd")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Record:
    """One row: its fields by name, and where it stands (`file:line`, or `file#/3` in a JSON array)."""

    where: str
    fields: dict[str, Any]


def kind_of(path: str | Path) -> str:
    """The suffix that tells the format, past `.gz` and `.zst`; "" where there is none."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_records(path: str | Path) -> tuple[list[Record], str]:
    """All rows of a file, and the SHA-256 of its content."""
    kind = kind_of(path)
    stream = open_stream(path)
    if kind == ".parquet":
        return list(_parquet(stream)), stream.digest()
    text = decode(stream.read(), stream.name)
    return list(_rows(text, kind, stream.name)), stream.digest()


def parse_json(text: str, name: str, first_line: int = 1) -> Any:
    """JSON in which no key is said twice; an error tells its line."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except RecursionError:
        raise InputError("this JSON is nested too deeply", where=name) from None
    except json.JSONDecodeError as error:
        where = f"{name}:{first_line + error.lineno - 1}"
        raise InputError(f"this is not JSON: {error.msg} (column {error.colno})", where=where) from None
    except ValueError as error:  # ours, or a number of thousands of digits
        raise InputError(str(error), where=name if first_line == 1 else f"{name}:{first_line}") from None


def _rows(text: str, kind: str, name: str) -> Iterator[Record]:
    if kind == ".json":
        return _json_array(text, name)
    if kind in _SEPARATORS:
        return _separated(text, _SEPARATORS[kind], name)
    return _json_lines(text, name)


def _json_lines(text: str, name: str) -> Iterator[Record]:
    problems: list[Problem] = []
    # not splitlines(): U+2028 and its like may stand inside a JSON string
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip() and len(problems) < MOST_PROBLEMS:
                yield _record(parse_json(line, name, number), f"{name}:{number}")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError.of(problems, hint=f"each line of a {kind_of(name) or 'JSONL'} file is a JSON object")


def _json_array(text: str, name: str) -> Iterator[Record]:
    content = parse_json(text, name)
    if not isinstance(content, list):
        raise InputError("an array of objects is needed, this is a single value", where=name)
    for number, row in enumerate(content):
        yield _record(row, f"{name}#/{number}")


def _record(row: Any, where: str) -> Record:
    if not isinstance(row, dict):
        raise InputError(
            f"an object with named fields is needed, not {json.dumps(row, ensure_ascii=False)[:60]}", where=where
        )
    return Record(where, row)


def _separated(text: str, separator: str, name: str) -> Iterator[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] | None = None
    problems: list[Problem] = []
    try:
        for row in reader:
            if not row:
                continue
            if header is None:
                header = _header(row, name)
                continue
            where = f"{name}:{reader.line_num}"
            if len(row) != len(header):
                problems.append(Problem(where, f"{len(row)} columns, the header has {len(header)}"))
            elif len(problems) < MOST_PROBLEMS:
                yield Record(where, dict(zip(header, row, strict=True)))
    except csv.Error as error:
        problems.append(Problem(f"{name}:{reader.line_num}", f"this is not CSV: {error}"))
    if problems:
        raise InputError.of(problems)


def _header(row: list[str], name: str) -> list[str]:
    names = [cell.strip() for cell in row]
    if len(names) == 1 and ";" in names[0]:
        raise InputError("the columns are separated by semicolons", where=f"{name}:1", hint="save it with commas")
    for cell in names:
        if names.count(cell) > 1:
            raise InputError(f"two columns are called {cell!r}", where=f"{name}:1")
    return names


def _parquet(stream: Stream) -> Iterator[Record]:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise MissingExtra.of("pyarrow", "parquet", purpose="reading parquet files") from None
    try:
        table = parquet.read_table(io.BytesIO(stream.read()))
    except ArrowInvalid as error:
        raise InputError(f"this is not a parquet file: {error}", where=stream.name) from None
    for number, row in enumerate(table.to_pylist(), 1):
        yield Record(f"{stream.name}: row {number}", row)


class _BadJSON(ValueError):
    """JSON that parses and still is wrong."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise _BadJSON(f"the key {again!r} appears twice in one object")
    return found


def _no_constant(text: str) -> None:
    raise _BadJSON(f"{text} is not a number that JSON knows")
