"""Bytes from anywhere: a path, a gzip or zstandard file, standard input; whole, or in blocks cut between queries."""

import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from steelyard.errors import InputError

STDIN = "-"
STDIN_NAME = "<stdin>"
BLOCK = 1 << 21
"""How much of a file is worked on at a time: enough that threads seldom wait, little enough for the cache."""

ENCODING_HINT = "convert it, for example: iconv -f GB18030 -t UTF-8"
BINARY_HINT = "a text file is needed; UTF-16 is converted by: iconv -f UTF-16 -t UTF-8"

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Stream:
    """A named source of bytes, read once from its beginning and closed at its end; `digest` tells what was read."""

    def __init__(self, name: str, *files: BinaryIO) -> None:
        """Read from the last of `files`; those before it lie beneath it and are closed with it."""
        self.name = name
        self._files = files
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """The next bytes (decompressed), all of them by default; b"" at the end."""
        if not self._files:
            return b""
        try:
            piece = self._files[-1].read(size)
        except (OSError, EOFError, zlib.error, _zstd_error()) as error:
            self.close()
            raise InputError(f"cannot be read: {error}", where=self.name, hint="is the file whole?") from None
        self._hash.update(piece)
        if size < 0 or not piece:
            self.close()
        return piece

    def close(self) -> None:
        """Let go of the file; reading on gives nothing."""
        for file in reversed(self._files):
            file.close()
        self._files = ()

    def digest(self) -> str:
        """SHA-256 of all that was read (of the text, where the file is compressed)."""
        return self._hash.hexdigest()


def open_stream(path: str | Path) -> Stream:
    """Open a file by its path, `-` for standard input; compression is recognised by content, not by name."""
    if str(path) == STDIN:
        return Stream(STDIN_NAME, *_layers(io.BytesIO(sys.stdin.buffer.read())))
    try:
        file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed with its stream
    except FileNotFoundError:
        raise InputError("no such file", where=str(path), hint=_hint_for_missing(Path(path))) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if not file.seekable():  # a pipe
        with file:
            return Stream(str(path), *_layers(io.BytesIO(file.read())))
    return Stream(str(path), *_layers(cast(BinaryIO, file)))


def read_text(path: str | Path) -> tuple[str, Stream]:
    """A whole file as text, without a byte-order mark."""
    stream = open_stream(path)
    return decode(stream.read(), stream.name), stream


def decode(content: bytes, name: str) -> str:
    """Bytes as UTF-8 text without a byte-order mark; anything else is an error with its line."""
    check_encoding(content, name, 1)
    return content.removeprefix(_UTF8_MARK).decode("utf-8")


def check_encoding(content: bytes, name: str, first_line: int) -> None:
    """Refuse what is not UTF-8 text; `first_line` is the number of the line that `content` begins with."""
    found = encoding_problem(content)
    if found:
        line, message = found
        raise InputError(message, where=f"{name}:{first_line + line}", hint=encoding_hint(message))


def encoding_problem(content: bytes) -> tuple[int, str] | None:
    """The first line (counted from 0) that is not UTF-8 text, and why; None if all is well."""
    if content.startswith(_UTF16_MARKS) or b"\0" in content:
        at, message = max(content.find(b"\0"), 0), "this is not UTF-8 text but UTF-16 or binary"
    elif content.isascii():
        return None
    else:
        try:
            content.decode("utf-8")
            return None
        except UnicodeDecodeError as error:
            at, message = error.start, f"this is not UTF-8 text: byte 0x{content[error.start]:02x}"
    return content.count(b"\n", 0, at), message


def encoding_hint(message: str) -> str:
    """What to do about an encoding problem."""
    return BINARY_HINT if "binary" in message else ENCODING_HINT


def read_once(path: str | Path) -> bool:
    """Whether a source is gone once it has been read: standard input, or a pipe."""
    return str(path) == STDIN or (Path(path).exists() and not Path(path).is_file())


def line_blocks(stream: Stream, size: int = BLOCK) -> Iterator[bytes]:
    """The stream in pieces of whole lines, each cut where the first column changes; the mark at its head is gone.

    A block that holds one query alone grows until the query ends.
    """
    kept = b""
    wanted = size
    try:
        while piece := stream.read(wanted):
            kept = kept + piece if kept else piece.removeprefix(_UTF8_MARK)
            cut = _last_change(kept)
            if cut:
                yield kept[:cut]
                kept = kept[cut:]
            wanted = max(size, len(kept))
        if kept:
            yield kept if kept.endswith(b"\n") else kept + b"\n"
    finally:
        stream.close()


def text_blocks(stream: Stream, size: int = BLOCK) -> Iterator[str]:
    """The stream as text in pieces of whole lines; the mark at its head is gone, and what is not UTF-8 is refused."""
    kept = b""
    first_line = 1
    try:
        while piece := stream.read(max(size, len(kept))):
            kept += piece
            cut = kept.rfind(b"\n") + 1
            if cut:
                yield _text(kept[:cut], stream.name, first_line)
                first_line += kept.count(b"\n", 0, cut)
                kept = kept[cut:]
        if kept:
            yield _text(kept, stream.name, first_line)
    finally:
        stream.close()


def _text(content: bytes, name: str, first_line: int) -> str:
    check_encoding(content, name, first_line)
    return (content.removeprefix(_UTF8_MARK) if first_line == 1 else content).decode("utf-8")


def _last_change(block: bytes) -> int:
    """Where the last query of the block begins, or 0 if that is its first line.

    Bisection: between a line of another query and a line of the last query there is a place where it changes.
    """
    end = block.rfind(b"\n") + 1
    last_line = block.rfind(b"\n", 0, max(end - 1, 0)) + 1
    last = _first_field(block, last_line)
    if not end or _first_field(block, 0) == last:
        return 0
    low, high = 0, last_line
    while True:
        middle = block.rfind(b"\n", 0, (low + high) // 2) + 1
        if middle <= low:
            middle = block.find(b"\n", low, high) + 1
        if middle >= high or middle == 0:
            return high
        if _first_field(block, middle) == last:
            high = middle
        else:
            low = middle


def _first_field(block: bytes, start: int) -> bytes:
    line = block[start : block.find(b"\n", start)]
    return line.split(None, 1)[0] if line.strip() else b""


def _layers(file: BinaryIO) -> tuple[BinaryIO, ...]:
    """The file, and what decompresses it above it."""
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP):
        return file, cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if magic.startswith(_ZSTD):
        return file, cast(BinaryIO, _ZstdFile(file))
    return (file,)


class _ZstdFile:
    """A zstandard file of one frame or several; one that breaks off is an error, as in a gzip file."""

    def __init__(self, file: BinaryIO) -> None:
        import zstandard

        self._file = file
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._begun = False

    def read(self, size: int = -1) -> bytes:
        """Some more bytes, or all the rest; b"" at the end."""
        if size < 0:
            return b"".join(iter(lambda: self.read(BLOCK), b""))
        while piece := self._file.read(max(size >> 2, 1 << 12)):
            found = self._decompress(piece)
            if found:
                return found
        if self._begun:
            raise EOFError("Compressed file ended before the end of its last frame")
        return b""

    def close(self) -> None:
        """Nothing to let go of: the file beneath is closed by its owner."""

    def _decompress(self, piece: bytes) -> bytes:
        found = []
        while piece:
            self._begun = True
            found.append(self._frame.decompress(piece))
            piece = b""
            if self._frame.eof:
                piece = self._frame.unused_data
                self._frame, self._begun = self._decompressor.decompressobj(), False
        return b"".join(found)


def _zstd_error() -> type[Exception]:
    loaded = sys.modules.get("zstandard")
    return loaded.ZstdError if loaded else zlib.error


def _hint_for_missing(path: Path) -> str | None:
    import difflib

    if not path.parent.is_dir():
        return f"there is no folder {str(path.parent)!r}"
    close = difflib.get_close_matches(path.name, [entry.name for entry in path.parent.iterdir()], n=1)
    return f"did you mean {str(path.with_name(close[0]))!r}?" if close else None
