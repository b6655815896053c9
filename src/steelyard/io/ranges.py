"""Byte ranges of plain files: where a file can be cut, so that its parts can be read apart."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

from steelyard.io.streams import BLOCK, STDIN, Stream, is_file, open_stream

_UTF8_MARK = b"\xef\xbb\xbf"


class ByteRange(NamedTuple):
    """The bytes of a file from `start` up to `end`."""

    path: str
    start: int
    end: int

    def stream(self) -> Stream:
        """The bytes as a stream, which has the name of the file."""
        open_stream(self.path).close()  # the error about a file that cannot be read
        return Stream(self.path, _Range(self))

    def __str__(self) -> str:
        return f"{self.path}#bytes={self.start}-{self.end}"


class _Range:
    """A part of a file, read as a file."""

    def __init__(self, of: ByteRange) -> None:
        self._file = open(of.path, "rb", buffering=0)  # noqa: SIM115 - closed with its stream
        self._file.seek(of.start)
        self._left = of.end - of.start

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; b"" at the end."""
        piece = self._file.read(min(size, self._left)) if self._left else b""
        self._left -= len(piece)
        if self._left and not piece:
            raise EOFError("The file is shorter than it was")
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def is_cuttable(path: str | Path) -> bool:
    """Whether a source is a regular file that is not compressed."""
    if str(path) == STDIN or not is_file(path):
        return False
    with closing(open_stream(path)) as stream:
        return stream.is_plain


def query_ranges(path: str | Path, size: int) -> Iterator[ByteRange]:
    """The ranges of a run file, each of `size` bytes up to the next line of another query."""
    start, length = 0, os.stat(path).st_size
    with open(path, "rb") as file:
        while start < length:
            end = _next_query(file, start + size) if start + size < length else length
            yield ByteRange(str(path), start, end)
            start = end


def _next_query(file: BinaryIO, at: int) -> int:
    """Where the first line after a place begins that has another query than the line before; else the end.

    Blank lines and comments belong to no query. A byte-order mark is part of a query only inside of a file.
    """
    file.seek(at - 1)
    file.readline()
    last = b""
    while line := file.readline():
        fields = line.split(None, 1)
        if not fields or fields[0].startswith(b"#"):
            continue
        if last and fields[0] != last and not line.startswith(_UTF8_MARK):
            return file.tell() - len(line)
        last = fields[0]
    return file.tell()


class Hashing:
    """The SHA-256 of a file, taken on a thread."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._digest = ""
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            with closing(open_stream(self._path)) as stream:
                while stream.read(BLOCK):
                    pass
                self._digest = stream.digest()
        except BaseException as error:  # raised by `digest`
            self._error = error

    def digest(self) -> str:
        """The digest, once all was read."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._digest
