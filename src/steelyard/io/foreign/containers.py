"""What a file contains before its format is known.

It is rows, one JSON document, lines of text in columns, an archive, or the files of a folder.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.addresses import Address, path_of
from steelyard.io.records import (
    Record,
    format_suffix,
    is_record_format,
    json_records,
    parse_json_file,
    stream_records,
)
from steelyard.io.shapes import DECIMAL
from steelyard.io.streams import BLOCK, STDIN, Stream, decode, is_file, is_folder, open_stream, source_name, text_blocks

ARCHIVES: Final = (".eval", ".zip")
_TREC_EVAL: Final = re.compile(rb"[\w.@-]+\s+\S+\s+-?[0-9][0-9.eE+-]*\s*")
"""A line of the output of trec_eval: metric, query and value."""
_FIRST_BYTES: Final = 1000
CELLS: Final = (".csv", ".tsv")
_PACKED: Final = {".lz4": "lz4", ".bz2": "bzip2", ".xz": "xz"}  # and what unpacks it
_NOT_READ: Final = (".yaml", ".yml", ".html", ".htm", ".xml", ".xlsx", ".pdf", *_PACKED)
_VALUES: Final = {4: 3, 6: 4}  # the columns of qrels and runs, and which of them is a number
_HEAD: Final = 1 << 14  # bytes in which the first line of columns must end


@dataclass(slots=True)
class Container:
    """The content of a file or folder. Of rows only the first was read yet; they can be iterated once.

    `document` is the value of a JSON file that is one object. In `cells` every value is the text of a cell of CSV.
    `width` is the number of columns of a file of lines, which are separated by blanks.
    """

    name: str
    path: Path
    kind: Literal["rows", "document", "lines", "archive", "folder"]
    cells: bool = False
    width: int = 0
    document: Any = None
    _records: Iterator[Record] = field(default_factory=lambda: iter(()))
    _stream: Stream | None = None

    @property
    def first(self) -> dict[str, Any]:
        """The fields of the first row, or the keys of the document; {} if there are none."""
        if self.kind == "document":
            return self.document if isinstance(self.document, dict) else {}
        if self.kind == "lines":
            return {}
        head = next(self._records, None)
        if head is None:
            return {}
        self._records = chain((head,), self._records)
        return head.fields

    def records(self) -> Iterator[Record]:
        """Yield the rows; can be called once."""
        if self._stream is None:
            yield from self._records
            return
        with closing(self._stream):
            yield from self._records

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the columns of each line; can be called once."""
        stream = self._stream or open_stream(self.path)
        lines = (line for text in text_blocks(stream) for line in text.removesuffix("\n").split("\n"))
        yield from ((number, line.split()) for number, line in enumerate(lines, 1) if line.strip())

    def close(self) -> None:
        """Close the file; nothing more is read."""
        if self._stream is not None:
            self._stream.close()

    def digest(self) -> str:
        """SHA-256 of the content, once all of it was read."""
        if self._stream is not None:
            return self._stream.digest()
        content = hashlib.sha256()
        for path in sorted(self.path.rglob("*")) if self.kind == "folder" else [self.path]:
            if isinstance(path, Address):
                stream = open_stream(path)
                while stream.read(BLOCK):
                    pass
                content.update(bytes.fromhex(stream.digest()))
            elif path.is_file():
                with path.open("rb") as file:
                    content.update(hashlib.file_digest(file, "sha256").digest())
        return content.hexdigest()


def open_container(path: str | Path) -> Container:
    """Return the content of a file or folder; a JSON file is parsed as a whole, rows as they are iterated."""
    name, suffix = source_name(path), format_suffix(path)
    if str(path) != STDIN and is_folder(path):
        return Container(name, Path(path), "folder")
    if suffix in _NOT_READ:
        message = Message("formats.type_not_read", suffix=suffix)
        raise InputError(message, where=name, hint=_not_read_hint(name, suffix))
    if suffix in ARCHIVES:
        _check_archive(path, name)
        return Container(name, path_of(path), "archive")
    with ExitStack() as stack:
        stream = stack.enter_context(closing(open_stream(path)))
        container = _read(stream, name, path_of(path), suffix)
        stack.pop_all()  # it is closed by the container
    return container


def _check_archive(path: str | Path, name: str) -> None:
    """Refuse a file that cannot be read, and the output of trec_eval, which has the suffix of an archive."""
    with closing(open_stream(path)) as stream:
        line = next(iter(stream.read(_FIRST_BYTES).splitlines()), b"")
    if _TREC_EVAL.fullmatch(line):
        raise InputError(Message("formats.trec_eval_output"), where=name, hint=Message("formats.trec_eval_output_hint"))


def _not_read_hint(name: str, suffix: str) -> Message:
    if suffix in _PACKED:
        return Message("formats.unpack_hint", tool=_PACKED[suffix], name=name)
    return Message("formats.type_not_read_hint")


def _read(stream: Stream, name: str, path: Path, suffix: str) -> Container:
    if suffix == ".json":
        value = parse_json_file(decode(stream.read_all(limits.FILE_BYTES), name), name)
        if not isinstance(value, list):
            return Container(name, path, "document", document=value, _stream=stream)
        return Container(name, path, "rows", _records=json_records(value, name), _stream=stream)
    records = iter(stream_records(stream, suffix))
    if width := 0 if is_record_format(suffix) else _width(path):
        return Container(name, path, "lines", width=width, _records=records, _stream=stream)
    return Container(name, path, "rows", suffix in CELLS, _records=records, _stream=stream)


def _width(path: str | Path) -> int:
    """Return the number of columns of a file of lines with the columns of qrels or a run; 0 for any other content."""
    if str(path) == STDIN or not is_file(path):
        return 0
    with closing(open_stream(path)) as stream:
        try:
            text = decode(stream.read(_HEAD).rpartition(b"\n")[0], stream.name)
        except InputError:
            return 0
    columns = next((line.split() for line in text.split("\n") if line.strip()), [])
    value = _VALUES.get(len(columns))
    return len(columns) if value is not None and DECIMAL.fullmatch(columns[value]) else 0
