"""The results file: what a run leaves behind, and all that comparison, gate and report ever need.

A header line (kind, name, signature, metrics), one line per item, written as soon as the item is done, and a footer
line with the summary. Files are only appended to, so a crash costs at most the item being written: a torn last line
is left out when reading and cut off when the file is resumed. Several results may stand one after another.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np

from steelyard import __version__, limits
from steelyard.counts import with_codes, with_texts
from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.locking import try_lock
from steelyard.io.records import parse_json
from steelyard.io.result_checks import (
    CONTRADICTION_HINT,
    check_characters,
    check_footer,
    check_header,
    check_item,
    contradictions,
    read_bounds,
)
from steelyard.io.streams import Stream, byte_blocks, check_encoding, open_stream
from steelyard.io.writing import whole_file
from steelyard.registry.kinds import kind_of
from steelyard.table import Bounds, Column, FloatArray, IntArray, Missing, Signature, Table

Json = dict[str, Any]

EXISTS_HINT = Message("formats.go_resume_replace_overwrite_name")
NEW = ".new"
"""Follows the name of the file to which a run is written that is to replace an older one."""
UNWRITTEN_HINT = Message("formats.what_written_before_kept_make")
_HEAD_START = b'{"steelyard": '
UNFINISHED = "counts.items_before_cut"
CONTRADICTED = "counts.means_contradicted"
DISAGREEING = "counts.scores_disagreeing"


def save(table: Table, path: Path) -> None:
    """Write a whole table as a results file; an older file is replaced once the new one is whole."""
    save_all([table], path)


def save_all(tables: Sequence[Table], path: Path, *, overwrite: bool = True) -> None:
    """Write several tables, one result after another."""
    with whole_file(path, overwrite=overwrite) as part, open(part, "w", encoding="utf-8", newline="\n") as file:
        for table in tables:
            file.writelines(dump(line) + "\n" for line in (header(table), *items(table), footer(table)))


def load(path: str | Path, *, strict: bool = False) -> Table:
    """The one result in a file; with `strict`, one whose items contradict its footer is refused."""
    tables = load_all(path, strict=strict)
    if len(tables) != 1:
        raise _several([table.name for table in tables], path)
    return tables[0]


def load_all(path: str | Path, *, strict: bool = False) -> list[Table]:
    """Every result in a file, in order; with `strict`, none whose items contradict its footer.

    A footer gives the mean of every metric, and the score of a legal item is what its parts come to. Without `strict`
    a table of which that is not true says so in its counts, under CONTRADICTED and DISAGREEING.
    """
    sections = _sections(path)
    if not sections:
        raise InputError(
            Message("formats.no_result"), where=str(path), hint=Message("formats.results_file_begins_header_line")
        )
    return [_checked(_table(section), section, strict=strict) for section in sections]


def header(table: Table) -> Json:
    """The line that opens a result."""
    return {
        "steelyard": __version__,
        "kind": table.kind,
        "name": table.name,
        "signature": str(table.signature),
        "inputs": {key: value for key, value in table.signature.settings if value.startswith("sha256 ")},
        "metrics": table.metrics,
        "sums": list(table.sums),
        "bounds": {metric: _bounds_list(column.bounds) for metric, column in table.columns.items() if column.bounds},
        "counts": with_texts(table.counts),
        **_present("benchmark", table.benchmark),
    }


def items(table: Table) -> Iterator[Json]:
    """A line for each item; what an item does not have is left out."""
    columns = {metric: numbers(table.column(metric)) for metric in table.metrics}
    parts = {
        metric: {part: numbers(column) for part, column in of.items()}
        for metric in table.metrics
        if (of := table.parts(metric))
    }
    for row, identifier in enumerate(table.ids):
        yield {
            "id": identifier,
            "scores": {metric: column[row] for metric, column in columns.items()},
            **_gaps(table, row),
            **_present("parts", {metric: {part: of[part][row] for part in of} for metric, of in parts.items() if of}),
            **_present("notes", table.notes(row)),
            **_present("tags", {tag: values[row] for tag, values in table.tags.items()}),
            **_present("output", table.outputs[row] if table.outputs else None),
            **_present("error", table.failures.get(row)),
        }


def footer(table: Table) -> Json:
    """The line that closes a result: how many items, and the means."""
    means = numbers(np.array([table.mean(metric) for metric in table.metrics]))
    return {"footer": {"items": len(table), "means": dict(zip(table.metrics, means, strict=True))}}


def numbers(column: FloatArray) -> list[float | None]:
    """The cells as JSON has them: None where there is no number."""
    return [None if gap else value for value, gap in zip(column.tolist(), np.isnan(column).tolist(), strict=True)]


def dump(line: Mapping[str, Any]) -> str:
    """One line of JSON; numbers keep every digit, and NaN is refused."""
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


class ResultsWriter:
    """A results file being written, item by item; each line has left the process before `add` returns."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: Path, head: Json) -> Self:
        """Begin a new file; an old one of that name is not overwritten."""
        try:
            writer = cls(open(path, "x", encoding="utf-8", newline="\n"), path)  # noqa: SIM115 - closed by `finish` or `__exit__`
        except FileExistsError:
            check_new(path)
            raise
        _lock(writer._file, path)
        writer.add(head)
        return writer

    @classmethod
    def replace(cls, path: Path, head: Json) -> Self:
        """Begin a file anew: what is in it is let go, unless another run is writing it."""
        writer = cls(_open_locked(path), path)
        writer._file.truncate(0)
        writer.add(head)
        return writer

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Json, list[Json]]:
        """Go on with a file that was left unfinished: the writer, its header and the items it already has."""
        if not path.is_file():
            raise InputError(Message("formats.no_such_file"), where=str(path))
        writer, head, items = cls.resume_or_begin(path, None)
        if writer is None:
            raise InputError(
                Message("formats.result_finished"), where=str(path), hint=Message("formats.start_new_file")
            )
        return writer, head, items

    @classmethod
    def resume_or_begin(cls, path: Path, head: Json | None) -> tuple[Self | None, Json, list[Json]]:
        """The same, but a file that is missing or empty is begun; no writer for a result that is finished.

        The file is locked before it is read, so that what another run adds to it is never cut off.
        """
        writer = cls(_open_locked(path), path)
        with ExitStack() as stack:
            stack.callback(writer.close)
            last = _last_section(path)
            if last is not None:
                _check_scores(last)
            if last is not None and last.finished:
                return None, last.head, last.items
            if last is None and head is None:
                raise InputError(Message("formats.nothing_resume"), where=str(path))
            os.truncate(path, last.end if last else 0)
            if last is None:
                writer.add(head or {})
            stack.pop_all()  # it stays open
        return (writer, last.head, last.items) if last else (writer, head or {}, [])

    def add(self, line: Json) -> None:
        """Write one item."""
        try:
            self._file.write(dump(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise ConfigError(
                Message("formats.cannot_written", strerror=error.strerror), where=str(self.path), hint=UNWRITTEN_HINT
            ) from None

    def finish(self, summary: Json) -> None:
        """Write the footer and close."""
        self.add({"footer": summary})
        os.fsync(self._file.fileno())
        self.close()

    def close(self) -> None:
        """Let go of the file; it can be resumed."""
        with suppress(OSError):  # what could not be written was said by `add`
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep others from writing a file that is there, while the block runs."""
    if not path.is_file():
        yield
        return
    with open(path, "rb") as file:
        _lock(file, path)
        yield


def check_new(path: Path) -> None:
    """Refuse a results file that exists already."""
    if path.exists() or path.is_symlink():
        raise InputError(Message("formats.file_exists_already"), where=str(path), hint=EXISTS_HINT)


def check_regular(path: Path) -> None:
    """Refuse a device, a pipe or a folder: a run is appended to its file, which is locked and read again."""
    if path.exists() and not path.is_file():
        raise InputError(Message("formats.results_written_item_item_need"), where=str(path))


def new_path(path: Path) -> Path:
    """Where a run is written that is to replace the results file `path`."""
    return path.with_name(path.name + NEW)


def check_unfinished(path: Path) -> None:
    """Refuse to write to what lies at `new_path` and is not a results file: a link, a pipe, or a file of others."""
    if not path.is_symlink() and not path.exists():
        return
    is_ours = not path.is_symlink() and path.is_file()
    if is_ours:
        with open(path, "rb") as file:
            start = file.read(len(_HEAD_START))
        is_ours = _HEAD_START.startswith(start)
    if not is_ours:
        hint = Message("formats.run_overwrite_written_until_finished")
        raise InputError(Message("formats.not_results_file_unfinished_run"), where=str(path), hint=hint)


def _open_locked(path: Path) -> IO[str]:
    """A file to append to, made where there is none, which nobody else writes; it is locked before it is looked at."""
    while True:
        file = open(path, "a", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by the writer
        _lock(file, path)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()  # it was replaced or removed before the lock was had: that is not the file any more


def _last_section(path: Path) -> "_Section | None":
    """The only result in a file; None where nothing was written, or only a part of the header."""
    with open(path, "rb") as file:
        start = file.read(len(_HEAD_START))
    if not start:
        return None
    if not start.startswith(b"{"):
        raise InputError(
            Message("formats.no_plain_results_file"),
            where=str(path),
            hint=Message("formats.decompress_before_resuming"),
        )
    sections = _sections(path)
    if not sections and not _HEAD_START.startswith(start):
        raise InputError(Message("formats.nothing_resume"), where=str(path))
    if len(sections) > 1:
        raise _several([section.head["name"] for section in sections], path)
    return sections[0] if sections else None


def _several(names: Sequence[str], path: str | Path) -> InputError:
    """The error about a file with other than one result."""
    message = Message("formats.results", tables=len(names), names=", ".join(names))
    return InputError(message, where=str(path), hint=Message("formats.one_needed_here"))


def _lock(file: IO[Any], path: Path) -> None:
    """Keep two runs from writing one file; the lock is released when the process ends."""
    if not try_lock(file):
        file.close()
        raise InputError(
            Message("formats.another_run_writing_file"), where=str(path), hint=Message("formats.wait_name_another")
        )


@dataclass(slots=True)
class _Section:
    """One result as it stands in the file; `rows` are its items by id, `end` is where its last whole line ends."""

    head: Json
    rows: dict[str, Json] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    foot: Json | None = None
    foot_place: str = ""
    end: int = 0

    @property
    def items(self) -> list[Json]:
        """The items, in order."""
        return list(self.rows.values())

    @property
    def finished(self) -> bool:
        """Whether it was closed by a footer."""
        return self.foot is not None


def _sections(path: str | Path) -> list[_Section]:
    stream = open_stream(path)
    sections: list[_Section] = []
    end = 0
    for number, line in enumerate(_whole_lines(stream), 1):
        end += len(line) + 1
        if line.strip():
            check_encoding(line, stream.name, number)
            _take_line(sections, line.decode("utf-8"), stream.name, number)
        if sections:
            sections[-1].end = end
    return sections


def _whole_lines(stream: Stream) -> Iterator[bytes]:
    """The lines without their ends; what stands after the last line break is a line that was never finished."""
    size = 0
    for block in byte_blocks(stream):
        size += len(block)
        if size > limits.RESULTS_BYTES.value:
            stream.close()
            raise limits.RESULTS_BYTES.exceeded(
                Message("words.the_content_of_this_file"), error=InputError, where=stream.name
            )
        yield from block.split(b"\n")[:-1]


def _take_line(sections: list[_Section], text: str, name: str, number: int) -> None:
    """Add a header, item or footer to what was read so far."""
    line, where = parse_json(text, name, number), f"{name}:{number}"
    check_characters(text, line, where)
    open_section = sections[-1] if sections and not sections[-1].finished else None
    match line:
        case {"footer": foot} if open_section:
            check_footer(foot, len(open_section.rows), where)
            open_section.foot, open_section.foot_place = foot, where
        case {"scores": _} | {"id": _} if open_section:
            check_item(line, open_section.head, where)
            _add_item(open_section, line, where)
        case {"kind": _, "metrics": _, "signature": _}:
            check_header(line, where)
            sections.append(_Section(line))
        case _ if not sections:
            raise InputError(Message("formats.not_results_file_first_line"), where=where)
        case _:
            raise InputError(Message("formats.line_neither_header_item_nor"), where=where)


def _add_item(section: _Section, item: Json, where: str) -> None:
    """Add an item; a question that failed may be asked again when a run is resumed, and what it gives then counts."""
    identifier = item["id"]
    before = section.rows.get(identifier)
    if before is not None and not before.get("error"):
        line = section.places[identifier].rpartition(":")[2]
        raise InputError(
            Message("formats.item_appears_again_first_line", identifier=identifier, line=line), where=where
        )
    section.rows.pop(identifier, None)
    section.rows[identifier], section.places[identifier] = item, where


def _disagreeing(section: _Section) -> list[str]:
    """The ids of the items whose score is not what their parts come to, as far as their kind can tell."""
    checks = kind_of(section.head["kind"]).load_checks()
    return [] if checks is None else [name for name, row in section.rows.items() if not checks.is_consistent(row)]


def _check_scores(section: _Section) -> None:
    """Refuse a result with an item whose score is not what its parts come to."""
    for identifier in _disagreeing(section)[:1]:
        message = Message("formats.score_not_what_parts_come", identifier=identifier)
        raise InputError(message, where=section.places[identifier], hint=CONTRADICTION_HINT)


def _checked(table: Table, section: _Section, *, strict: bool) -> Table:
    """The table, which says where scores, parts and footer contradict each other, unless that is refused."""
    means = {metric: table.mean(metric) for metric in table.metrics}
    wrong = [] if section.foot is None else contradictions(section.foot.get("means") or {}, means)
    if strict:
        _check_scores(section)
    if wrong and strict:
        raise InputError(
            Message("formats.mean_footer_not_mean_items", wrong=wrong[0]),
            where=section.foot_place,
            hint=CONTRADICTION_HINT,
        )
    found = {CONTRADICTED: len(wrong), DISAGREEING: len(_disagreeing(section))}
    return replace(table, counts={**table.counts, **{name: count for name, count in found.items() if count}})


def _table(section: _Section) -> Table:
    head, rows, counts = section.head, section.items, _counts(section)
    return Table(
        ids=[row["id"] for row in rows],
        columns={metric: _read_column(head, rows, metric) for metric in head["metrics"]},
        kind=head["kind"],
        name=head["name"],
        signature=Signature.parse(head["signature"]),
        tags={tag: [_tag((row.get("tags") or {}).get(tag, "")) for row in rows] for tag in _names(rows, "tags")},
        outputs=[row.get("output") for row in rows] if any("output" in row for row in rows) else (),
        failures={number: str(row["error"]) for number, row in enumerate(rows) if row.get("error")},
        counts=counts,
        benchmark=head.get("benchmark") or "",
        complete=UNFINISHED not in counts,
    )


def _counts(section: _Section) -> dict[str, int]:
    """What was counted when the file was written; where it contradicts itself is found out anew."""
    counts = with_codes(section.head.get("counts") or {})
    found = {code: count for code, count in counts.items() if code not in (CONTRADICTED, DISAGREEING)}
    return found if _is_whole(section) else {**found, UNFINISHED: len(section.items)}


def _tag(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_whole(section: _Section) -> bool:
    """Whether it was closed, or has a line for every item; only one of which some items failed is left open so."""
    has_every_item = len(section.rows) == section.head.get("items")
    return section.finished or (has_every_item and any(row.get("error") for row in section.rows.values()))


def _names(rows: list[Json], key: str) -> list[str]:
    """What the rows have under `key`, each name once, in order."""
    return list(dict.fromkeys(name for row in rows for name in row.get(key) or ()))


def _read_parts(rows: list[Json], metric: str) -> dict[str, FloatArray]:
    found = [(row.get("parts") or {}).get(metric, {}) for row in rows]
    names = dict.fromkeys(part for of in found for part in of)
    return {part: _floats([of.get(part) for of in found]) for part in names}


def _read_notes(rows: list[Json], metric: str) -> dict[int, str]:
    return {number: row["notes"][metric] for number, row in enumerate(rows) if metric in (row.get("notes") or ())}


def _read_column(head: Json, rows: list[Json], metric: str) -> Column:
    status, reasons = _read_missing(rows, metric)
    bounds = (head.get("bounds") or {}).get(metric)
    return Column(
        _floats([row["scores"].get(metric) for row in rows]),
        status,
        reasons,
        _read_parts(rows, metric),
        _read_notes(rows, metric),
        bounds=None if bounds is None else read_bounds(bounds),
        summed=metric in (head.get("sums") or ()),
    )


def _read_missing(rows: list[Json], metric: str) -> tuple[IntArray, list[Missing]]:
    """Why cells of a metric have no number: a code for each row, and the reasons by code."""
    codes: dict[Missing, int] = {}
    status = np.zeros(len(rows), np.int64)
    for number, row in enumerate(rows):
        if row["scores"].get(metric) is None:
            status[number] = codes.setdefault(_read_reason(row, metric), len(codes) + 1)
    return status, list(codes)


def _read_reason(row: Json, metric: str) -> Missing:
    if metric in (row.get("errors") or ()):
        return Missing("error", row["errors"][metric])
    return Missing("unscored", (row.get("unscored") or {}).get(metric, "no score was recorded"))


def _gaps(table: Table, row: int) -> Json:
    found: Json = {}
    for metric, column in table.columns.items():
        missing = column.why(row)
        if missing:
            found.setdefault("errors" if missing.kind == "error" else "unscored", {})[metric] = missing.reason
    return found


def _bounds_list(bounds: Bounds) -> list[float | None]:
    return [bound if np.isfinite(bound) else None for bound in bounds]


def _present(key: str, value: Any) -> Json:
    return {key: value} if value else {}


def _floats(values: list[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], np.float64)
