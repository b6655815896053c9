"""Rows with our own names of fields: JSONL or JSON, and columns of CSV, TSV or parquet.

In columns a list or an object is JSON, except for lists of texts in parquet. Every row has `extra`, by which the format
is recognised: rows without it and without `scores` are plain rows.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, MissingExtra
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import CELLS, Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import LINES, Record, format_suffix
from steelyard.io.shapes import NUMBER, SCALAR, TEXT, ListOf, MapOf, Plain
from steelyard.io.shapes import Fields as Shape
from steelyard.io.writing import whole_file, write_whole

NAME: Final = "steelyard"
TITLE: Final = "Steelyard rows"
CARRIES: Final = rows.ALL

_TEXTS: Final = (rows.ID, rows.QUESTION, rows.PREDICTION, rows.SYSTEM, rows.ERROR)
_CONTEXTS: Final = ListOf(Plain(Message("words.text_or_object"), lambda value: isinstance(value, str | dict)))
_SCORE: Final = Plain(Message("words.a_number"), lambda value: value is None or rows.is_score(value))
_ROW: Final = Shape(
    {
        rows.ID: SCALAR,
        rows.QUESTION: TEXT,
        rows.CONTEXTS: _CONTEXTS,
        rows.REFERENCE_CONTEXTS: _CONTEXTS,
        rows.RETRIEVED_IDS: ListOf(SCALAR),
        rows.REFERENCE_IDS: ListOf(SCALAR),
        rows.RETRIEVED_SCORES: ListOf(NUMBER),
        rows.TAGS: Shape({}),
        rows.SCORES: MapOf(_SCORE),
        **dict.fromkeys((rows.UNSCORED, rows.ERRORS, rows.NOTES), MapOf(TEXT)),
        rows.EXTRA: MapOf(Shape({})),
    }
)


def recognises(container: Container) -> bool:
    """Whether rows have only our names, and among them an object `extra` or `scores`."""
    first = container.first if container.kind == "rows" else {}
    marks = [first[name] for name in (rows.EXTRA, rows.SCORES) if name in first]
    return first.keys() <= rows.ALL and any(isinstance(_value(rows.EXTRA, mark), dict) for mark in marks)


def read(container: Container) -> Iterator[Record]:
    """Yield the rows; NaN is a missing score."""
    for record in container.records():
        given = {name: value for name, value in record.fields.items() if value is not None}
        fields = {name: _value(name, value) for name, value in given.items() if value != "" or not container.cells}
        rows.check(fields, _ROW, record.where, TITLE)
        if rows.SCORES in fields:
            fields[rows.SCORES] = {name: rows.score(value) for name, value in fields[rows.SCORES].items()}
        if not fields.get(rows.EXTRA):
            fields.pop(rows.EXTRA, None)
        yield record._replace(fields=fields)


def write(content: Iterable[Fields], path: Path) -> None:
    """Write rows as the suffix of the file says."""
    suffix, marked = format_suffix(path), ({**row, rows.EXTRA: row.get(rows.EXTRA) or {}} for row in content)
    if suffix in LINES:
        rows.write_lines(marked, path)
    elif suffix == ".json":
        write_whole(path, json.dumps(list(marked), ensure_ascii=False, indent=1) + "\n")
    elif suffix in CELLS:
        write_whole(path, _separated(list(marked), "," if suffix == ".csv" else "\t"))
    elif suffix == ".parquet":
        _write_parquet(marked, path)
    else:
        known = ", ".join((*LINES, ".json", *CELLS, ".parquet"))
        raise ConfigError(
            Message("formats.suffix_unknown", suffix=suffix), where=str(path), hint=Message("core.known", names=known)
        )


def _value(name: str, value: Any) -> Any:
    """Return the value of a field, which in columns is JSON; a text that is none stays."""
    is_json = isinstance(value, str) and name not in _TEXTS and (value[:1] in ("[", "{") or name == rows.REPEAT)
    return rows.parsed_cell(value) if is_json else value


def _columns(content: list[Fields]) -> list[str]:
    return list(dict.fromkeys(name for row in content for name in row))


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict | bool) else value


def _separated(content: list[Fields], separator: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _columns(content), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in content)
    return text.getvalue()


def _write_parquet(rows_given: Iterable[Fields], path: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.of("pyarrow", "parquet", purpose=Message("words.writing_parquet_files")) from None
    content = list(rows_given)
    columns = {name: _column([row.get(name) for row in content]) for name in _columns(content)}
    with whole_file(path) as part:
        parquet.write_table(pyarrow.table(columns), part)


def _column(values: list[Any]) -> list[Any]:
    """Values of one type: texts, whole numbers, lists of texts; any others as JSON."""
    given = [value for value in values if value is not None]
    texts = all(isinstance(value, list) and all(isinstance(each, str) for each in value) for value in given)
    plain = all(isinstance(value, str) for value in given) or all(type(value) is int for value in given)
    return values if texts or plain else [None if value is None else _json(value) for value in values]


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
