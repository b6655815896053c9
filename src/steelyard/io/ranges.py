"""Byte ranges of plain files: where a file can be cut, so that its parts can be read apart."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.streams import BLOCK, STDIN, UTF8_MARK, Stream, byte_blocks, is_file, open_stream
from steelyard.table import Flags, IntArray


class FileChanged(InputError):
    """A file that is read in parts was replaced or written to: its parts do not belong together."""

    @classmethod
    def at(cls, path: str | Path) -> "FileChanged":
        """Return the error about the file of this path."""
        return cls(Message("formats.file_changed"), where=str(path), hint=Message("formats.file_changed_hint"))


class FileState(NamedTuple):
    """The size of a file and the time of its change, which are the same on every machine that shares it."""

    size: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> "FileState":
        """Return the state that the system gives."""
        return cls(found.st_size, found.st_mtime_ns)


@contextmanager
def unchanged(path: str | Path) -> Iterator[None]:
    """Raise FileChanged, also in place of an error of the input, if another file is there in the end."""
    before = _identity(path)
    try:
        yield
    except InputError:
        if _identity(path) != before:
            raise FileChanged.at(path) from None
        raise
    if _identity(path) != before:
        raise FileChanged.at(path)


def _identity(path: str | Path) -> tuple[int, FileState]:
    try:
        found = os.stat(path)
    except OSError:  # it is gone
        return 0, FileState(0, 0)
    return found.st_ino, FileState.of(found)


class ByteRange(NamedTuple):
    """The bytes of a file from `start` up to `end`; `state` is that of the file when it was cut."""

    path: str
    start: int
    end: int
    state: FileState

    def stream(self, first_line: int = 1) -> Stream:
        """Return the bytes as a stream, which has the name of the file.

        `first_line` is the number of the first line.
        """
        open_stream(self.path).close()  # the error about a file that cannot be read
        return Stream(self.path, _Range(self), first_line=first_line)

    def __str__(self) -> str:
        return f"{self.path}#bytes={self.start}-{self.end}"


class _Range:
    """A part of a file, read as a file."""

    def __init__(self, of: ByteRange) -> None:
        self._file = open(of.path, "rb", buffering=0)  # noqa: SIM115 - closed with its stream
        if FileState.of(os.fstat(self._file.fileno())) != of.state:
            self._file.close()
            raise FileChanged.at(of.path)
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
    """Whether a source is a regular file of this machine that is not compressed."""
    if isinstance(addressed(path), Address) or str(path) == STDIN or not is_file(path):
        return False
    with closing(open_stream(path)) as stream:
        return stream.is_plain


def query_ranges(path: str | Path, size: int) -> Iterator[ByteRange]:
    """Yield the ranges of a run file, each of `size` bytes up to the next line of another query."""
    with open(path, "rb") as file:
        start, state = 0, FileState.of(os.fstat(file.fileno()))
        while start < state.size:
            end = _next_query(file, start + size) if start + size < state.size else state.size
            yield ByteRange(str(path), start, end, state)
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
        if last and fields[0] != last and not line.startswith(UTF8_MARK):
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
        """Return the digest, once all was read."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._digest


class LineRange(NamedTuple):
    """The whole lines in a range of bytes; `lines` and `rows` are the numbers of lines and rows before them."""

    bytes: ByteRange
    lines: int
    rows: int

    def stream(self) -> Stream:
        """Return the lines as a stream, which has the name of the file."""
        return self.bytes.stream(self.lines + 1)

    def __str__(self) -> str:
        return str(self.bytes)


class LineRanges:
    """The ranges of a file of lines, planned as it is read; each ends after a multiple of `batch` rows.

    A row is a line that is not blank. `digest` is the hash of the file when the last range was given.
    """

    def __init__(self, path: str | Path, size: int, batch: int) -> None:
        self._stream = open_stream(path)
        self._path = str(path)
        _, self._state = _identity(path)
        self._size = size
        self._batch = batch

    def __iter__(self) -> Iterator[LineRange]:
        start = offset = lines = rows = 0
        begun = (0, 0)  # lines and rows before the range
        for block in byte_blocks(self._stream):
            ends = _line_ends(block)
            filled = np.cumsum(_are_rows(block, ends, is_first=offset == 0)) + rows
            new = np.diff(filled, prepend=rows) > 0
            for index in np.flatnonzero(new & (filled % self._batch == 0)).tolist():
                end = offset + int(ends[index])
                if end - start >= self._size:
                    yield LineRange(ByteRange(self._path, start, end, self._state), *begun)
                    start, begun = end, (lines + index + 1, int(filled[index]))
            offset, lines, rows = offset + len(block), lines + len(ends), int(filled[-1])
        if offset > start:
            yield LineRange(ByteRange(self._path, start, offset, self._state), *begun)

    def digest(self) -> str:
        """SHA-256 of the file."""
        return self._stream.digest()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _line_ends(block: bytes) -> IntArray:
    """Where the lines of a block end, each after its line feed."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10) + 1
    return ends if block.endswith(b"\n") else np.append(ends, len(block))


def _are_rows(block: bytes, ends: IntArray, *, is_first: bool) -> Flags:
    """Which lines are not blank; most begin with the bracket of an object."""
    starts = np.append(0, ends[:-1])
    found: Flags = np.frombuffer(block, np.uint8)[starts] == ord("{")
    for index in np.flatnonzero(~found).tolist():
        line = block[starts[index] : ends[index]]
        text = line.removeprefix(UTF8_MARK) if is_first and index == 0 else line
        found[index] = bool(text.decode("utf-8", "replace").strip())
    return found
