"""Rows with named fields: JSONL, JSON, CSV, TSV and parquet, plain or compressed, each row with its place."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.errors import MOST_PROBLEMS, InputError, MissingExtra, Problem
from steelyard.formats.streams import Stream, decode, open_stream, text_blocks

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
COMPRESSED = (".gz", ".zst", ".zstd")
LINES_HINT = "one object per line is JSONL: name the file .jsonl"
ARRAY_HINT = "an array is JSON: name the file .json"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class Record(NamedTuple):
    """One row: its fields by name, and where it stands, as `pattern` has it."""

    name: str
    number: int
    fields: dict[str, Any]
    pattern: str = "{}:{}"

    @property
    def where(self) -> str:
        """The place of this row."""
        return self.place(self.number)

    def place(self, number: int) -> str:
        """The place of another row of the same source."""
        return self.pattern.format(self.name, number)


def kind_of(path: str | Path) -> str:
    """The suffix that tells the format, past `.gz` and `.zst`; "" where there is none."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_records(path: str | Path) -> tuple[list[Record], str]:
    """All rows of a file, and the SHA-256 of its content."""
    with closing(open_stream(path)) as stream:
        return list(stream_records(stream, kind_of(path))), stream.digest()


def stream_records(stream: Stream, kind: str) -> Iterator[Record]:
    """The rows of a file of this kind as they are read; a JSON array is read as a whole."""
    if kind == ".parquet":
        return _parquet(stream)
    if kind == ".json":
        return _json_array(decode(stream.read(), stream.name), stream.name)
    if kind in _SEPARATORS:
        return _separated(stream, _SEPARATORS[kind])
    return _json_lines(stream)


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


def _json_lines(stream: Stream) -> Iterator[Record]:
    name = stream.name
    problems: list[Problem] = []
    # not splitlines(): U+2028 and its like may stand inside a JSON string
    lines = chain.from_iterable(text.removesuffix("\n").split("\n") for text in text_blocks(stream))
    for number, line in enumerate(lines, 1):
        try:
            if line.strip() and len(problems) < MOST_PROBLEMS:
                yield _record(parse_json(line, name, number), name, number)
        except InputError as error:
            problems += error.problems
    if problems and problems[0].where == f"{name}:1" and ", not [" in problems[0].message:
        raise InputError.of(problems, hint=ARRAY_HINT)
    if problems:
        raise InputError.of(problems, hint=f"each line of a {kind_of(name) or 'JSONL'} file is a JSON object")


def _json_array(text: str, name: str) -> Iterator[Record]:
    try:
        content = parse_json(text, name)
    except InputError as error:
        hint = LINES_HINT if "Extra data" in str(error) else error.hint
        raise InputError.of(error.problems, hint=hint) from None
    if not isinstance(content, list):
        raise InputError("an array of objects is needed, this is a single value", where=name)
    for number, row in enumerate(content):
        yield _record(row, name, number, "{}#/{}")


def _record(row: Any, name: str, number: int, pattern: str = "{}:{}") -> Record:
    record = Record(name, number, row, pattern)
    if not isinstance(row, dict):
        shown = json.dumps(row, ensure_ascii=False)[:60]
        raise InputError(f"an object with named fields is needed, not {shown}", where=record.where)
    return record


def _separated(stream: Stream, separator: str) -> Iterator[Record]:
    name = stream.name
    lines = chain.from_iterable(io.StringIO(text, newline="") for text in text_blocks(stream))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] | None = None
    problems: list[Problem] = []
    try:
        for row in reader:
            if not row:
                continue
            if header is None:
                header = _header(row, name)
                continue
            if len(row) != len(header):
                problems.append(
                    Problem(f"{name}:{reader.line_num}", f"{len(row)} columns, the header has {len(header)}")
                )
            elif len(problems) < MOST_PROBLEMS:
                yield Record(name, reader.line_num, dict(zip(header, row, strict=True)))
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
        batches = parquet.ParquetFile(io.BytesIO(stream.read())).iter_batches()
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        for number, row in enumerate(rows, 1):
            yield Record(stream.name, number, row, "{}: row {}")
    except ArrowInvalid as error:
        raise InputError(f"this is not a parquet file: {error}", where=stream.name) from None


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
