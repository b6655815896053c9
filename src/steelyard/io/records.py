"""Rows with named fields: JSONL, JSON, CSV, TSV, parquet and .xlsx, plain or compressed, each row with its location."""

import csv
import hashlib
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, NoReturn
from zipfile import BadZipFile, ZipFile

from steelyard import limits
from steelyard.errors import MOST_PROBLEMS, BadValue, InputError, MissingExtra, Problem
from steelyard.i18n import Message, codes
from steelyard.io.addresses import file_name
from steelyard.io.streams import CONTENT, STDIN, STDIN_NAME, Stream, decode, open_stream, read_once, text_blocks
from steelyard.registry.entry_points import EntryPointGroup

LINES: Final = (".jsonl", ".ndjson")
COMPRESSED = (".gz", ".zst", ".zstd")
_PLAIN = (".txt", ".run", ".trec", ".res", ".results", ".test", ".out", ".dat")
# extensions that are not part of the name of a result
_EXTENSIONS = (*LINES, ".json", ".csv", ".tsv", ".parquet", ".eval", *_PLAIN)
LINES_HINT = Message("formats.rename_to_jsonl_hint")
ARRAY_HINT = Message("formats.rename_to_json_hint")
NOT_AN_OBJECT = "formats.not_an_object"
_MORE_JSON = Message("json.extra_data")  # what the parser says about a second value
COLUMNS = Message("words.the_number_of_columns")
# what a damaged parquet file raises beside pyarrow's own errors
_PARQUET_DAMAGE = (ArithmeticError, LookupError, OSError, TypeError, ValueError)
# the same of a workbook; SyntaxError is of XML
_WORKBOOK_DAMAGE = (*_PARQUET_DAMAGE, AttributeError, BadZipFile, EOFError, RuntimeError, SyntaxError, zlib.error)
_PARQUET_BATCH = 1024
_COLUMN_BATCH = 4096
# a string (an unterminated one ends with the text), a bracket, or the text between them; linear time
_JSON_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[\[\]{}]|[^"\[\]{}]++', re.DOTALL)
_ESCAPED_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HALF: Final = re.compile("[\ud800-\udfff]")


class Record(NamedTuple):
    """One row: its fields by name, its location by `pattern`, and the `problem` of a row that cannot be read.

    `size` are the characters of its text in a file that is read row by row.
    """

    name: str
    number: int
    fields: dict[str, Any]
    pattern: str = "{}:{}"
    problem: Message | None = None
    size: int = 0

    @property
    def where(self) -> str:
        """The location of this row."""
        return self.place(self.number)

    def place(self, number: int) -> str:
        """Return the location of another row of the same source."""
        return self.pattern.format(self.name, number)


Reader = Callable[[Stream], Iterator[Record]]
INSTALLED: Final = EntryPointGroup[Reader]("steelyard.formats", Message("plugins.reader"), callable)
"""Readers of rows by suffix, such as `.rows`; entries without a point are formats of tools (`io.foreign.formats`)."""


def format_suffix(path: str | Path) -> str:
    """Return the suffix that tells the format, past `.gz` and `.zst`; "" where there is none."""
    suffixes = [suffix.lower() for suffix in Path(file_name(path)).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_records(path: str | Path, keep: Collection[str] = ()) -> tuple[list[Record], str]:
    """All rows of a file, and the SHA-256 of its content; for `keep` see `stream_records`."""
    with closing(open_stream(path)) as stream:
        return list(stream_records(stream, format_suffix(path), keep)), stream.digest()


def stream_records(stream: Stream, kind: str, keep: Collection[str] = ()) -> Iterator[Record]:
    """Return the rows of a file of this kind as they are read; a JSON array is read as a whole.

    A line of JSONL that cannot be read is an error, unless one of the fields `keep` can be: then its record has only
    these fields, as text, and its problem.
    """
    reader = _reader_of(kind)
    return _json_lines(stream, keep) if reader is None else reader(stream)


def is_record_format(kind: str) -> bool:
    """Whether files of this kind have rows with named fields."""
    return kind in LINES or _reader_of(kind) is not None


def _reader_of(kind: str) -> Reader | None:
    """Return the reader of rows of files with this suffix, built in or of an installed distribution."""
    built_in: dict[str, Reader] = {
        ".json": lambda stream: _json_array(decode(stream.read_all(limits.FILE_BYTES), stream.name), stream.name),
        ".csv": lambda stream: _separated(stream, ","),
        ".tsv": lambda stream: _separated(stream, "\t"),
        ".parquet": _parquet,
        ".xlsx": _workbook,
    }
    if kind in built_in or kind in (*LINES, *_PLAIN, ""):
        return built_in.get(kind)
    return INSTALLED.load(kind)


def _fault(error: json.JSONDecodeError) -> Message | str:
    """Return what the parser of Python found; the catalogue has its texts by their English wording."""
    text = error.msg.rstrip(": ")
    return Message(code) if (code := codes("json").get(text)) else text


def parse_json(text: str, name: str, line: int | None = None, *, lenient: bool = False) -> Any:
    """Parse JSON; a repeated key is an error, and errors have their line. `line` is given for a text of one line.

    With `lenient`, NaN, which other tools write for a missing value, is accepted, and half of a character, which they
    leave where they cut a text, becomes �; infinity is always an error.
    """
    try:
        if text.startswith("\ufeff"):  # as json.loads has it
            raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
        value = (_WITH_NAN if lenient else _WITHOUT_NAN).decode(text)
    except RecursionError:
        raise InputError(Message("formats.json_too_deep"), where=_line_place(name, line)) from None
    except json.JSONDecodeError as error:
        where = f"{name}:{(line or 1) + error.lineno - 1}"
        raise InputError(Message("formats.not_json", msg=_fault(error), colno=error.colno), where=where) from None
    except BadValue as error:
        raise InputError(error.message, where=_line_place(name, line)) from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(str(error), where=_line_place(name, line)) from None
    if text.count("[") + text.count("{") > limits.JSON_DEPTH.value and is_deep(value):
        raise InputError(Message("formats.json_too_deep"), where=_line_place(name, line))
    return _whole(value) if lenient and _ESCAPED_HALF.search(text) else value


def _whole(value: Any) -> Any:
    """Return the value with � for each half of a character, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(member) for member in value]
    return {_whole(key): _whole(member) for key, member in value.items()} if isinstance(value, dict) else value


def _line_place(name: str, line: int | None) -> str:
    return name if line is None else f"{name}:{line}"


def is_deep(value: Any) -> bool:
    """Return whether lists and objects are nested deeper than the limit."""
    level, depth = [value], 0
    while level:
        nested = [each for each in level if type(each) in (list, dict)]
        level = [member for each in nested for member in (each.values() if isinstance(each, dict) else each)]
        depth += bool(nested)
        if depth > limits.JSON_DEPTH.value:
            return True
    return False


def _json_lines(stream: Stream, keep: Collection[str]) -> Iterator[Record]:
    name = stream.name
    problems: list[Problem] = []
    # not splitlines(): U+2028 and its like may stand inside a JSON string
    lines = chain.from_iterable(text.removesuffix("\n").split("\n") for text in text_blocks(stream))
    for number, line in enumerate(lines, stream.first_line):
        try:
            if line.strip():
                yield _record(parse_json(line, name, number, lenient=not keep), name, number, size=len(line))
        except InputError as error:
            if fields := _readable_fields(line, keep):
                yield Record(name, number, fields, problem=error.message)
                continue
            problems += error.problems
            if len(problems) >= MOST_PROBLEMS:
                break
    if problems and problems[0].where == f"{name}:1" and _is_array(problems[0].message):
        raise InputError.of(problems, hint=ARRAY_HINT)
    if problems:
        raise InputError.of(problems, hint=Message("formats.json_lines_hint", value=format_suffix(name) or "JSONL"))


def _is_array(message: Message) -> bool:
    return message.code == NOT_AN_OBJECT and message.args["shown"].startswith("[")


def _readable_fields(line: str, names: Collection[str]) -> dict[str, str]:
    """Those of the named fields of an object that are text or whole numbers, whatever the others are."""
    if not names:
        return {}
    try:
        pairs = json.loads(_outermost(line), object_pairs_hook=tuple, parse_int=str)
    except ValueError:
        return {}
    found = [pair for pair in pairs if pair[0] in names] if isinstance(pairs, tuple) else []
    is_clear = repeated_one(name for name, _ in found) is None
    return {name: value for name, value in found if isinstance(value, str)} if is_clear else {}


def _outermost(text: str) -> str:
    """Return the text of a JSON object with null for each list and object in it, however deep these are."""
    kept, depth = [], 0
    for piece in (match[0] for match in _JSON_PIECE.finditer(text)):
        opens = piece in ("[", "{")
        closes = piece in ("]", "}")
        depth -= closes
        if depth == 1 and opens:
            kept.append("null")
        elif depth < 1 or (depth == 1 and not closes):
            kept.append(piece)
        depth += opens
    return "".join(kept)


def _json_array(text: str, name: str) -> Iterator[Record]:
    content = parse_json_file(text, name)
    if not isinstance(content, list):
        raise no_array(name)
    yield from json_records(content, name)


def json_or_text(text: str, *, lenient: bool = False) -> Any:
    """Return the value of a text that is JSON, and any other text as it is."""
    try:
        return parse_json(text, "", lenient=lenient)
    except InputError:
        return text


def parse_json_file(text: str, name: str) -> Any:
    """Return the value of a JSON file; several values in one file are an error whose hint says how JSONL is called."""
    try:
        return parse_json(text, name, lenient=True)
    except InputError as error:
        hint = LINES_HINT if error.message.args.get("msg") == _MORE_JSON else error.hint
        raise InputError.of(error.problems, hint=hint) from None


def no_array(name: str) -> InputError:
    """Return the error about a JSON file that has no rows."""
    return InputError(
        Message("formats.not_array_of_objects"), where=name, hint=Message("formats.array_of_objects_hint")
    )


def json_records(rows: Sequence[Any], name: str) -> Iterator[Record]:
    """Yield the objects of a JSON array as records."""
    for number, row in enumerate(rows):
        yield _record(row, name, number, "{}#/{}")


def _record(row: Any, name: str, number: int, pattern: str = "{}:{}", size: int = 0) -> Record:
    record = Record(name, number, row, pattern, size=size)
    if not isinstance(row, dict):
        shown = json.dumps(row, ensure_ascii=False)[:60]
        raise InputError(Message(NOT_AN_OBJECT, shown=shown), where=record.where)
    return record


def _separated(stream: Stream, separator: str) -> Iterator[Record]:
    name = stream.name
    lines = _RowLines(stream)
    csv.field_size_limit(int(limits.LINE_BYTES.value))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] | None = None
    problems: list[Problem] = []
    try:
        for row in reader:
            size = lines.row_ended()
            if not row:
                continue
            if header is None:
                header = _header(row, name)
                continue
            if len(row) != len(header):
                problems.append(
                    Problem(
                        f"{name}:{reader.line_num}",
                        Message("formats.columns_unlike_header", row=len(row), header=len(header)),
                    )
                )
                if len(problems) >= MOST_PROBLEMS:
                    break
            else:
                yield Record(name, reader.line_num, dict(zip(header, row, strict=True)), size=size)
    except csv.Error as error:
        problems.append(Problem(f"{name}:{reader.line_num}", Message("formats.not_csv", error=error)))
    if problems:
        raise InputError.of(problems)


class _RowLines:
    """The lines of a CSV file, several of which can form a row; a row longer than the limit is refused."""

    def __init__(self, stream: Stream) -> None:
        self._name = stream.name
        self._lines = chain.from_iterable(io.StringIO(text, newline="") for text in text_blocks(stream))
        self._number = 0
        self._held = 0

    def row_ended(self) -> int:
        """Start the next row; the characters of the last one."""
        size, self._held = self._held, 0
        return size

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        self._held += len(line)
        if self._held > limits.LINE_BYTES.value:
            where = f"{self._name}:{self._number}"
            raise limits.LINE_BYTES.exceeded(Message("words.this_row"), error=InputError, where=where)
        return line


def _header(row: list[str], name: str) -> list[str]:
    names = [cell.strip() for cell in row]
    where = f"{name}:1"
    limits.COLUMNS.check(len(names), COLUMNS, error=InputError, where=where)
    if len(names) == 1 and ";" in names[0]:
        raise InputError(
            Message("formats.separated_by_semicolons"), where=where, hint=Message("formats.save_with_commas_hint")
        )
    if len(names) == 1 and "\t" in names[0]:
        raise InputError(Message("formats.separated_by_tabs"), where=where, hint=Message("formats.rename_to_tsv_hint"))
    again = repeated_one(names)
    if again is not None:
        hint = Message("formats.promptfoo_csv_hint") if "Grader Reason" in names else None
        raise InputError(Message("formats.duplicate_column", again=again), where=where, hint=hint)
    return names


def repeated_one(names: Iterable[str]) -> str | None:
    """Return the first name that is repeated; None if all differ."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def check_readers(paths: Iterable[str | Path]) -> None:
    """Raise MissingExtra if a file needs a package that is not installed."""
    if any(format_suffix(path) == ".parquet" for path in paths):
        _pyarrow()


def _pyarrow() -> ModuleType:
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra.of("pyarrow", "parquet", purpose=Message("words.reading_parquet_files")) from None
    module: ModuleType = pyarrow
    return module


def _parquet(stream: Stream) -> Iterator[Record]:
    pyarrow = _pyarrow()
    content = io.BytesIO(stream.read_all(limits.FILE_BYTES))
    try:
        file = pyarrow.parquet.ParquetFile(content)
        limits.ROWS.check(
            file.metadata.num_rows, Message("words.the_number_of_rows"), error=InputError, where=stream.name
        )
        limits.COLUMNS.check(file.metadata.num_columns, COLUMNS, error=InputError, where=stream.name)
        for number, row in enumerate(_parquet_rows(file, stream.name), 1):
            yield Record(stream.name, number, row, "{}: row {}")
    except (pyarrow.ArrowException, *_PARQUET_DAMAGE) as error:
        message = Message("formats.not_parquet", value=str(error).partition(chr(10))[0])
        raise InputError(message, where=stream.name) from None


def _workbook(stream: Stream) -> Iterator[Record]:
    """Yield the rows of all sheets of a workbook; the first row of a sheet names its columns."""
    content = io.BytesIO(stream.read_all(limits.DOCUMENT_BYTES))
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtra.of("openpyxl", "xlsx", purpose=Message("words.reading_xlsx_files")) from None
    try:
        with ZipFile(content) as archive:
            size = sum(part.file_size for part in archive.infolist())
        limits.FILE_BYTES.check(size, CONTENT, error=InputError, where=stream.name)
        book = load_workbook(content, read_only=True, data_only=True)
        for sheet in book.worksheets:
            yield from _sheet_rows(sheet, f"{stream.name}#{sheet.title}")
    except _WORKBOOK_DAMAGE as error:
        message = Message("formats.xlsx_unreadable", value=str(error) or type(error).__name__)
        raise InputError(message, where=stream.name, hint=Message("formats.xlsx_hint")) from None


def _sheet_rows(sheet: Any, name: str) -> Iterator[Record]:
    rows = sheet.iter_rows(values_only=True)
    header = [str(cell or "").strip() for cell in next(rows, ())]
    for number, row in enumerate(rows, 2):
        if set(row) != {None}:
            yield Record(name, number, dict(zip(header, row, strict=False)))


def read_columns(path: str | Path, choose: Callable[[list[str]], list[str]]) -> tuple[dict[str, Any], str] | None:
    """Return some columns of a parquet file as Arrow arrays, and the SHA-256 of the file.

    None if the file is damaged or too large, or if `choose` raises InputError: `read_records` says what is wrong with
    it. A file that can be read only once is not read.
    """
    if read_once(path):
        return None
    pyarrow = _pyarrow()
    with closing(open_stream(path)) as stream:
        content = io.BytesIO(stream.read_all(limits.FILE_BYTES))
        digest = stream.digest()
    try:
        file = pyarrow.parquet.ParquetFile(content)
        names = file.schema_arrow.names
        is_large = file.metadata.num_rows > limits.ROWS.value or file.metadata.num_columns > limits.COLUMNS.value
        if is_large or repeated_one(names) is not None:
            return None
        chosen = choose(names)
        batches = _bounded(file.iter_batches(batch_size=_COLUMN_BATCH, columns=chosen), stream.name)
        table = pyarrow.Table.from_batches(list(batches))
    except (InputError, pyarrow.ArrowException, *_PARQUET_DAMAGE):
        return None
    return {name: table[name] for name in chosen}, digest


def _parquet_rows(file: Any, name: str) -> Iterator[dict[str, Any]]:
    """Rows in batches: a value shared by many rows is small in the file and large in memory."""
    for batch in _bounded(file.iter_batches(batch_size=_PARQUET_BATCH), name):
        if repeated_one(batch.schema.names) is not None:
            raise InputError(Message("formats.duplicate_column", again=repeated_one(batch.schema.names)), where=name)
        yield from batch.to_pylist()


def _bounded(batches: Iterable[Any], name: str) -> Iterator[Any]:
    """Yield the batches of Arrow, as long as all together have no more bytes than a file may have."""
    size = 0
    for batch in batches:
        size += sum(map(_value_bytes, batch.columns))
        limits.FILE_BYTES.check(size, CONTENT, error=InputError, where=name)
        yield batch


def _value_bytes(array: Any) -> int:
    """Return the bytes of an Arrow array; a text that its dictionary has once counts as often as it is there."""
    from pyarrow import compute, types

    if types.is_struct(array.type):
        return sum(map(_value_bytes, array.flatten()))
    if types.is_list(array.type) or types.is_large_list(array.type):
        return _value_bytes(array.flatten())
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if types.is_dictionary(array.type) and any(is_text(array.type.value_type) for is_text in texts):
        return int(compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0)
    return int(array.nbytes)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these members; a key that is there twice is an error."""
    found = dict(pairs)
    if len(found) < len(pairs):
        again = repeated_one(key for key, _ in pairs)
        raise BadValue(Message("formats.duplicate_key", key=again))
    return found


def _nan_only(text: str) -> float:
    return math.nan if text == "NaN" else _no_constant(text)


def _no_constant(text: str) -> NoReturn:
    raise BadValue(Message("formats.invalid_json_number", token=text))


# made once: json.loads makes a decoder for every text
_WITH_NAN: Final = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_nan_only)
_WITHOUT_NAN: Final = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_no_constant)


def result_name(path: str) -> str:
    """Return the name of a result: that of its file, without folders and extensions."""
    if path in (STDIN, STDIN_NAME):
        return "stdin"
    name = file_name(path)
    while Path(name).suffix.lower() in COMPRESSED and Path(name).stem:
        name = Path(name).stem
    return Path(name).stem if Path(name).suffix.lower() in _EXTENSIONS and Path(name).stem else name


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the same names, with a number appended to repeated ones: run, run-2, run-3."""
    unique: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in unique:
            number += 1
            candidate = f"{name}-{number}"
        unique.append(candidate)
    return unique


def first_seen(place: str) -> Message:
    """Return a reference to the first occurrence; the number is enough for a line of the same file."""
    line = place.rpartition(":")[2]
    if line.isdigit():
        return Message("formats.first_on_line", line=line)
    return Message("formats.first_at", place=place)


def digest_rows(columns: Iterable[Iterable[object]]) -> str:
    """SHA-256 of values given in Python, for the signature of their table."""
    digest = hashlib.sha256()
    for column in columns:
        digest.update(repr(list(column)).encode())
    return digest.hexdigest()
