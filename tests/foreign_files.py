"""Files of other tools for tests: where they are, what is read from them, and what is written back."""

import json
import math
from pathlib import Path
from typing import Any

from steelyard.io.foreign.formats import format_called, open_source
from steelyard.io.records import read_records

DATA = Path(__file__).parent / "io" / "foreign" / "data"


def fields_of(path: Path | str, name: str | None = None) -> list[dict[str, Any]]:
    """The fields of all records of a file, or of one in the folder of samples."""
    return [record.fields for record in open_source(DATA / path, name).records()]


def title_of(path: Path) -> str:
    """The format that recognises a file; "" for plain rows."""
    source = open_source(path)
    source.container.close()
    return source.title


def carried(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The fields of rows that files of a format have a place for; a row with nothing but its id may be left out."""
    places = format_called(name).CARRIES - {"extra"}  # type: ignore[attr-defined]
    found = [{field: value for field, value in row.items() if field in places and value != ""} for row in rows]
    return [row for row in found if row.keys() != {"id"}]


def through_ours(path: Path | str, name: str, target: Path) -> Path:
    """The file that is written in a format from our rows (JSONL) of a file in the same format."""
    ours = target.with_name("ours.jsonl")
    ours.write_text("".join(json.dumps(row, allow_nan=False) + "\n" for row in fields_of(path, name)), "utf-8")
    rows = [record.fields for record in read_records(ours)[0]]
    format_called(name).write(rows, target)  # type: ignore[attr-defined]
    return target


def values_of(path: Path | str) -> list[dict[str, Any]]:
    """The values of every row of a file, without those that are null; NaN is a text, which is equal to itself."""
    rows, _ = read_records(DATA / path)
    return [{name: _plain(value) for name, value in row.fields.items() if value not in (None, "")} for row in rows]


def _plain(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and math.isnan(value) else value
