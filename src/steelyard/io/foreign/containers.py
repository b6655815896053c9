"""What a file contains before its format is known: rows, one JSON document, an archive, or the files of a folder."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal

from steelyard import limits
from steelyard.io.records import Record, format_suffix, json_records, parse_json_file, stream_records
from steelyard.io.streams import STDIN, STDIN_NAME, Stream, decode, is_folder, open_stream

ARCHIVES: Final = (".eval", ".zip")
CELLS: Final = (".csv", ".tsv")


@dataclass(slots=True)
class Container:
    """The content of a file or folder. Of rows only the first was read yet; they can be iterated once.

    `document` is the value of a JSON file that is one object. In `cells` every value is the text of a cell of CSV.
    """

    name: str
    path: Path
    kind: Literal["rows", "document", "archive", "folder"]
    cells: bool = False
    document: Any = None
    _records: Iterator[Record] = field(default_factory=lambda: iter(()))
    _stream: Stream | None = None

    @property
    def first(self) -> dict[str, Any]:
        """The fields of the first row, or the keys of the document; {} if there are none."""
        if self.kind == "document":
            return self.document if isinstance(self.document, dict) else {}
        head = next(self._records, None)
        if head is None:
            return {}
        self._records = chain((head,), self._records)
        return head.fields

    def records(self) -> Iterator[Record]:
        """The rows; can be called once."""
        if self._stream is None:
            yield from self._records
            return
        with closing(self._stream):
            yield from self._records

    def close(self) -> None:
        """Close the file of rows that are not iterated to their end."""
        if self._stream is not None:
            self._stream.close()

    def digest(self) -> str:
        """SHA-256 of the content, once all of it was read."""
        if self._stream is not None:
            return self._stream.digest()
        content = hashlib.sha256()
        for path in sorted(self.path.rglob("*")) if self.kind == "folder" else [self.path]:
            if path.is_file():
                with path.open("rb") as file:
                    content.update(hashlib.file_digest(file, "sha256").digest())
        return content.hexdigest()


def open_container(path: str | Path) -> Container:
    """The content of a file or folder; a JSON file is parsed as a whole, rows as they are iterated."""
    name, suffix = STDIN_NAME if str(path) == STDIN else str(path), format_suffix(path)
    if str(path) != STDIN and is_folder(path):
        return Container(name, Path(path), "folder")
    if suffix in ARCHIVES:
        open_stream(path).close()  # the error about a file that cannot be read
        return Container(name, Path(path), "archive")
    with ExitStack() as stack:
        stream = stack.enter_context(closing(open_stream(path)))
        container = _read(stream, name, Path(path), suffix)
        stack.pop_all()  # it is closed by the container
    return container


def _read(stream: Stream, name: str, path: Path, suffix: str) -> Container:
    if suffix == ".json":
        value = parse_json_file(decode(stream.read_all(limits.FILE_BYTES), name), name)
        if not isinstance(value, list):
            return Container(name, path, "document", document=value, _stream=stream)
        return Container(name, path, "rows", _records=json_records(value, name), _stream=stream)
    records = iter(stream_records(stream, suffix))
    return Container(name, path, "rows", suffix in CELLS, _records=records, _stream=stream)
