"""The results file: what a run leaves behind, and all that comparison, gate and report ever need.

A header line (kind, name, signature, metrics), one line per item, written as soon as the item is done, and a footer
line with the summary. Files are only appended to, so a crash costs at most the item being written: a torn last line
is left out when reading and cut off when the file is resumed. Several results may stand one after another.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

import numpy as np

from steelyard.errors import InputError
from steelyard.formats.records import parse_json
from steelyard.formats.streams import decode, open_stream
from steelyard.table import FloatArray, Gap, IntArray, Signature, Table

Json = dict[str, Any]


def save(table: Table, path: Path) -> None:
    """Write a whole table as a results file."""
    save_all([table], path)


def save_all(tables: Sequence[Table], path: Path) -> None:
    """Write several tables, one result after another."""
    with open(path, "w", encoding="utf-8") as file:
        for table in tables:
            for line in (header(table), *items(table), footer(table)):
                file.write(dump(line) + "\n")


def load(path: str | Path) -> Table:
    """The one result in a file."""
    tables = load_all(path)
    if len(tables) != 1:
        names = ", ".join(table.name for table in tables)
        raise InputError(f"there are {len(tables)} results in it: {names}", where=str(path), hint="use load_all")
    return tables[0]


def load_all(path: str | Path) -> list[Table]:
    """Every result in a file, in order."""
    sections = _sections(path)
    if not sections:
        raise InputError("there is no result in it", where=str(path), hint="a results file begins with a header line")
    return [_table(section) for section in sections]


def header(table: Table) -> Json:
    """The line that opens a result."""
    from steelyard import __version__

    return {
        "steelyard": __version__,
        "kind": table.kind,
        "name": table.name,
        "signature": str(table.signature),
        "inputs": {key: value for key, value in table.signature.settings if value.startswith("sha256 ")},
        "metrics": table.metrics,
        "sums": list(table.sums),
        "counts": dict(table.counts),
    }


def items(table: Table) -> Iterator[Json]:
    """A line for each item; what an item does not have is left out."""
    columns = {metric: _numbers(table.column(metric)) for metric in table.metrics}
    parts = {
        metric: {part: _numbers(column) for part, column in found.items()} for metric, found in table.parts.items()
    }
    for row, identifier in enumerate(table.ids):
        yield {
            "id": identifier,
            "scores": {metric: column[row] for metric, column in columns.items()},
            **_gaps(table, row),
            **_present("parts", {m: {part: column[row] for part, column in found.items()} for m, found in parts.items()}),
            **_present("notes", {metric: notes[row] for metric, notes in table.notes.items() if row in notes}),
            **_present("tags", {tag: values[row] for tag, values in table.tags.items()}),
            **_present("output", table.outputs[row] if table.outputs else None),
        }


def footer(table: Table) -> Json:
    """The line that closes a result: how much was scored, and the means."""
    means = {metric: table.mean(metric) for metric in table.metrics}
    return {"footer": {"items": len(table), "means": {m: None if np.isnan(v) else v for m, v in means.items()}}}


def dump(line: Mapping[str, Any]) -> str:
    """One line of JSON; numbers keep every digit, and NaN is refused."""
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


class ResultsWriter:
    """A results file being written, item by item; each line is on its way to the disk before `add` returns."""

    def __init__(self, path: Path, head: Json) -> None:
        self._file: IO[str] = open(path, "x", encoding="utf-8")
        self._write(head)

    @classmethod
    def resume(cls, path: Path) -> "tuple[Self, Json, list[Json]]":
        """Go on with a file that was left unfinished: the writer, its header and the items it already has."""
        sections = _sections(path)
        if not sections:
            raise InputError("there is nothing to resume in it", where=str(path))
        last = sections[-1]
        if last.finished:
            raise InputError("this result is finished", where=str(path), hint="start a new file, or leave out --resume")
        os.truncate(path, last.end)
        writer = cls.__new__(cls)
        writer._file = open(path, "a", encoding="utf-8")
        return writer, last.head, last.items

    def add(self, item: Json) -> None:
        """Write one item."""
        self._write(item)

    def finish(self, foot: Json) -> None:
        """Write the footer and close."""
        self._write({"footer": foot})
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, line: Json) -> None:
        self._file.write(dump(line) + "\n")
        self._file.flush()


@dataclass(slots=True)
class _Section:
    """One result as it stands in the file; `end` is where its last whole line ends."""

    head: Json
    where: str
    items: list[Json] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    finished: bool = False
    end: int = 0


def _sections(path: str | Path) -> list[_Section]:
    stream = open_stream(path)
    content = stream.read()
    sections: list[_Section] = []
    end = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        end += len(line) + 1
        if line.strip():
            _take_line(sections, _parse(line, stream.name, number, last=number == len(lines) - 1), f"{stream.name}:{number}")
        if sections:
            sections[-1].end = end
    return sections


def _parse(line: bytes, name: str, number: int, *, last: bool) -> Any:
    found = parse_json(decode(line, name), name, number)
    if not isinstance(found, dict):
        raise InputError("a line of a results file is an object", where=f"{name}:{number}")
    return found


def _take_line(sections: list[_Section], line: Json, where: str) -> None:
    if "kind" in line and "metrics" in line:
        sections.append(_Section(line, where))
    elif not sections:
        raise InputError("this is not a results file: its first line is no header", where=where)
    elif "footer" in line:
        sections[-1].finished = True
    elif "id" in line and "scores" in line:
        sections[-1].items.append(line)
        sections[-1].places.append(where)
    else:
        raise InputError("this line is neither header, item nor footer", where=where)


def _table(section: _Section) -> Table:
    head, rows = section.head, section.items
    _check_unique(section)
    gaps, status = _read_gaps(rows, head["metrics"])
    counts = dict(head.get("counts", {}))
    if not section.finished:
        counts["items written before the run was cut off"] = len(rows)
    return Table(
        ids=[row["id"] for row in rows],
        columns={metric: _floats(row["scores"].get(metric) for row in rows) for metric in head["metrics"]},
        kind=head["kind"],
        name=head.get("name", ""),
        signature=Signature.parse(head.get("signature", "")),
        gaps=gaps,
        status=status,
        tags=_spread(rows, "tags", lambda values: ["" if value is None else value for value in values]),
        parts={
            metric: {
                part: _floats((row.get("parts", {}).get(metric) or {}).get(part) for row in rows)
                for part in dict.fromkeys(p for row in rows for p in (row.get("parts", {}).get(metric) or {}))
            }
            for metric in dict.fromkeys(metric for row in rows for metric in row.get("parts", {}))
        },
        notes={
            metric: {n: row["notes"][metric] for n, row in enumerate(rows) if metric in row.get("notes", {})}
            for metric in dict.fromkeys(metric for row in rows for metric in row.get("notes", {}))
        },
        outputs=[row.get("output") for row in rows] if any("output" in row for row in rows) else (),
        counts=counts,
        sums=tuple(head.get("sums", ())),
    )


def _check_unique(section: _Section) -> None:
    first: dict[str, str] = {}
    for row, place in zip(section.items, section.places, strict=True):
        if first.setdefault(row["id"], place) != place:
            line = first[row["id"]].rpartition(":")[2]
            raise InputError(f"the item {row['id']!r} appears again (first on line {line})", where=place)


def _read_gaps(rows: list[Json], metrics: Sequence[str]) -> tuple[list[Gap], dict[str, IntArray]]:
    codes: dict[Gap, int] = {}
    status: dict[str, IntArray] = {}
    for number, row in enumerate(rows):
        for metric in metrics:
            if row["scores"].get(metric) is None:
                gap = _read_gap(row, metric)
                column = status.setdefault(metric, np.zeros(len(rows), np.int64))
                column[number] = codes.setdefault(gap, len(codes) + 1)
    return list(codes), status


def _read_gap(row: Json, metric: str) -> Gap:
    kinds: tuple[Literal["unscored", "error"], ...] = ("error", "unscored")
    for kind in kinds:
        reason = row.get(f"{kind}s" if kind == "error" else kind, {}).get(metric)
        if reason is not None:
            return Gap(kind, reason)
    return Gap("unscored", "no score was recorded")


def _gaps(table: Table, row: int) -> Json:
    found: dict[str, dict[str, str]] = {}
    for metric in table.status:
        gap = table.why(metric, row)
        if gap:
            found.setdefault("errors" if gap.kind == "error" else gap.kind, {})[metric] = gap.reason
    return dict(found)


def _present(key: str, value: Any) -> Json:
    return {key: value} if value else {}


def _spread(rows: list[Json], key: str, read: Any) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row.get(key, {}))
    return {name: read([row.get(key, {}).get(name) for row in rows]) for name in names}


def _numbers(column: FloatArray) -> list[float | None]:
    return [None if value != value else value for value in column.tolist()]  # NaN is not equal to itself


def _floats(values: Any) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], np.float64)
