"""Conversion of files from one format to another; fields that the target has no place for are counted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed, path_of
from steelyard.io.foreign import rows
from steelyard.io.foreign.formats import Format, Source, format_called, formats, is_writable, not_carried, open_source
from steelyard.io.foreign.items import SeveralSystems, are_systems, of_system
from steelyard.io.foreign.rows import Fields
from steelyard.io.layouts import Columns, layout_of
from steelyard.io.records import Record, format_suffix, no_array
from steelyard.io.results import begins_with_header, load_all, save_all
from steelyard.io.results.lines import items_of, texts_of
from steelyard.io.streams import is_folder, read_once
from steelyard.table import Table

RESULTS: Final = "results"
NATIVE: Final = "steelyard"
_OUTPUT: Final = {
    "question": rows.QUESTION,
    "answer": rows.PREDICTION,
    "references": rows.REFERENCES,
    "contexts": rows.CONTEXTS,
    "context_ids": rows.RETRIEVED_IDS,
    "reference_contexts": rows.REFERENCE_CONTEXTS,
    "reference_context_ids": rows.REFERENCE_IDS,
}
_BY_SUFFIX: Final = {".run": "trec-run", ".trec": "trec-run", ".qrels": "trec-qrels", "": "beir"}
_FILES: Final = (".txt", ".eval", ".zip", ".yaml", ".yml", ".html", ".md")
_ROWS: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


@dataclass(slots=True)
class Conversion:
    """What was converted: the titles of both formats, the number of rows, and the fields that were not carried.

    `numbered` rows had no id and have the number of the row.
    """

    read: str
    written: str
    rows: int = 0
    numbered: int = 0
    not_carried: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        """As JSON output."""
        return {
            "read": self.read,
            "written": self.written,
            "rows": self.rows,
            "numbered": self.numbered,
            "not_carried": dict(sorted(self.not_carried.items())),
        }


def convert(
    source: str | Path,
    target: str | Path,
    *,
    read_as: str | None = None,
    write_as: str | None = None,
    system: str | None = None,
) -> Conversion:
    """Convert a file; formats that are not named are found by the shape of the source and the suffix of the target.

    `system` selects one of several systems; without it a target that has no place for the system is an error.
    """
    source, target = addressed(source), path_of(target)
    if write_as == RESULTS:
        return _to_results(source, target, system)
    written = _target(target, write_as)
    if read_as is None and _is_results(source):
        content = _rows_of(_chosen(load_all(source), system, source))
        done = Conversion("Steelyard results", written.TITLE)
        return _written(_of_one_system(content, written, source), done, written, target)
    opened = open_source(source, read_as)
    records = opened.records() if opened.format else _plain_rows(opened)
    chosen = records if system is None else of_system(list(records), system, str(source))
    content = _of_one_system((record.fields for record in chosen), written, source)
    return _written(_some(content, source), Conversion(opened.title or "rows", written.TITLE), written, target)


def _chosen(tables: list[Table], system: str | None, source: str | Path) -> list[Table]:
    """Return the results of this name, or all if none is named."""
    names = [table.name for table in tables]
    if system is not None and system not in names:
        raise UnknownName.of(Message("words.system"), system, names, where=str(source))
    return [table for table in tables if system in (None, table.name)]


def _of_one_system(content: Iterator[Fields], target: Any, source: str | Path) -> Iterator[Fields]:
    """Yield the rows; those of a second system are an error if the target has no place for the system."""
    systems: dict[str, None] = {}
    for row in content:
        systems.setdefault(str(row.get(rows.SYSTEM) or ""))
        if len(systems) > 1 and rows.SYSTEM not in target.CARRIES:
            systems.update(dict.fromkeys(str(other.get(rows.SYSTEM) or "") for other in content))
            raise SeveralSystems(list(systems), str(source))
        yield row


def _is_results(source: str | Path) -> bool:
    return not read_once(source) and not is_folder(source) and begins_with_header(source)


def _to_results(source: str | Path, target: Path, system: str | None) -> Conversion:
    tables = _chosen(load_all(source), system, source)
    save_all(tables, target)
    read = tables[0].signature.get("format") or "Steelyard results"
    return Conversion(read, "Steelyard results", sum(map(len, tables)))


def _target(path: Path, name: str | None) -> Any:
    """Return the format to write: the named one, or the one that the suffix tells."""
    if name is None:
        suffix = format_suffix(path)
        if suffix not in (*_ROWS, *_BY_SUFFIX):
            raise ConfigError(Message("formats.no_target", suffix=suffix), where=str(path), hint=_writable())
        name = _BY_SUFFIX.get(suffix, NATIVE)
    found: Format = format_called(name)
    if not is_writable(found):
        raise ConfigError(Message("formats.cannot_be_written", title=found.TITLE), hint=_writable())
    _check_folder(path, found)
    return found


def _check_folder(path: Path, written: Format) -> None:
    """Refuse the name of a file, and an address, for a format that is a folder."""
    if getattr(written, "IS_FOLDER", False) and isinstance(path, Address):
        message = Message("formats.folder_at_address", title=written.TITLE)
        raise ConfigError(message, where=str(path), hint=Message("formats.folder_at_address_hint"))
    suffix = format_suffix(path)
    if getattr(written, "IS_FOLDER", False) and suffix in (*_ROWS, *_BY_SUFFIX, *_FILES) and suffix:
        message = Message("formats.target_is_folder", title=written.TITLE, suffix=suffix)
        folder = path.parent / path.name[: path.name.lower().rindex(suffix)]
        raise ConfigError(message, where=str(path), hint=Message("formats.target_is_folder_hint", folder=folder))


def _writable() -> Message:
    names = sorted([name for name, each in formats().items() if is_writable(each)] + [RESULTS])
    return Message("core.known", names=", ".join(names))


def _written(content: Iterator[Fields], done: Conversion, target: Any, path: Path) -> Conversion:
    target.write(_counted(content, done, target), path)
    return done


def _some(content: Iterator[Fields], source: str | Path) -> Iterator[Fields]:
    """Return the rows, of which there must be one before anything is written."""
    first = next(content, None)
    if first is None:
        raise InputError(Message("formats.no_rows"), where=str(source))
    return chain((first,), content)


def _counted(content: Iterator[Fields], done: Conversion, target: Any) -> Iterator[Fields]:
    """Yield the rows, counted; where the target needs an id, a row without one has its number."""
    needed, has_needed = getattr(target, "NEEDS", frozenset[str]()), False
    for row in content:
        done.rows += 1
        done.not_carried.update(not_carried(row, target))
        has_needed = has_needed or any(row.get(name) for name in needed - {rows.ID})
        is_numbered = rows.ID in needed and row.get(rows.ID) is None
        done.numbered += is_numbered
        yield {**row, rows.ID: str(done.rows)} if is_numbered else row
    if needed - {rows.ID} and not has_needed:
        names = ", ".join(sorted(needed - {rows.ID}))
        raise ConfigError(Message("formats.target_needs", title=target.TITLE, names=names))


def _plain_rows(source: Source) -> Iterator[Record]:
    """Rows whose columns have their usual names, by our names; other columns are kept under `extra`."""
    if source.container.kind == "document":
        raise no_array(source.container.name)
    records = list(source.records())
    columns = list(dict.fromkeys(name for record in records for name in record.fields))
    known = _known_columns(Columns(source.container.name, columns))
    own: list[str] = [name for name in (rows.REPEAT, rows.ERROR) if name in columns]
    if rows.SYSTEM in columns and are_systems(record.fields.get(rows.SYSTEM) for record in records):
        own.append(rows.SYSTEM)
    known = {**dict(zip(own, own, strict=True)), **known}
    for record in records:
        given = record.fields
        if source.cells:
            given = {name: rows.parsed_cell(value, record.where) for name, value in given.items()}
        fields = rows.renamed(given, known, "rows")
        for name in {rows.CONTEXTS, rows.REFERENCE_CONTEXTS} & fields.keys():
            fields[name] = fields[name] if isinstance(fields[name], list) else [fields[name]]
        if fields.get(rows.ID) is not None:
            fields[rows.ID] = rows.whole(fields[rows.ID])
        yield record._replace(fields=fields)


def _known_columns(file: Columns) -> dict[str, str]:
    both = frozenset((rows.PREDICTION, rows.REFERENCES))
    layout = layout_of(file, {}, set(both), both)
    fields = {
        rows.ID: layout.id,
        rows.QUESTION: layout.question,
        rows.PREDICTION: layout.prediction,
        rows.REFERENCES: layout.references,
        rows.CONTEXTS: layout.contexts,
        rows.REFERENCE_CONTEXTS: layout.reference_contexts,
        rows.RETRIEVED_IDS: layout.retrieved_ids,
        rows.REFERENCE_IDS: layout.reference_ids,
    }
    return {column: name for name, column in fields.items() if column is not None}


def _rows_of(tables: Sequence[Table]) -> Iterator[Fields]:
    """Yield the items of results as rows with scores; several results are several systems.

    Names of metrics that a model has judged have the judge: without it, a gate would take them for measured.
    """
    for table in tables:

        def named(of_metrics: Mapping[str, Any], table: Table = table) -> Fields:
            return {table.judged_name(metric): value for metric, value in of_metrics.items()}

        for item in items_of(table):
            fields = {
                rows.ID: item.id,
                rows.SYSTEM: table.name if len(tables) > 1 else None,
                rows.TAGS: item.tags,
                rows.UNSCORED: named(texts_of(item.unscored)),
                rows.ERRORS: named(texts_of(item.errors)),
                rows.NOTES: named(texts_of(item.notes)),
                rows.ERROR: item.error,
                **_output(item.output or {}),
            }
            yield {**rows.present(fields), rows.SCORES: named(item.scores)}


def _output(output: Mapping[str, Any]) -> Fields:
    extra = {name: value for name, value in output.items() if name not in _OUTPUT}
    found = {_OUTPUT[name]: value for name, value in output.items() if name in _OUTPUT}
    groups = found.get(rows.REFERENCES)
    if isinstance(groups, list) and len(groups) == 1 and isinstance(groups[0], list):  # one group of aliases
        found[rows.REFERENCES] = groups[0]
    return {**found, rows.EXTRA: {"output": extra} if extra else {}}
