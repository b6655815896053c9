"""Input streams: a file, an object at an address or standard input, compressed or not; whole or in blocks of lines.

Memory is bounded by `steelyard.limits`, however large the content of a compressed file is.
"""

import gzip
import hashlib
import logging
import os
import stat
import sys
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from steelyard import limits
from steelyard.errors import InputError, os_reason
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed, was_address
from steelyard.limits import Limit
from steelyard.native import kernel

STDIN = "-"
STDIN_NAME = "<stdin>"
BLOCK = 1 << 21
"""Bytes of a block: large enough that threads seldom wait, small enough for the cache."""
CONTENT = Message("words.the_content_of_this_file")
NOT_UTF8 = "formats.not_utf8"
BINARY = "formats.binary"
"""The code of the message about text that is UTF-16, or none at all."""

SPECIAL_HINT = Message("formats.standard_input_hint")
ENCODING_HINT = Message("formats.convert_gb18030_hint")
BINARY_HINT = Message("formats.convert_utf16_hint")

UTF8_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_NEWLINE = 10
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Stream:
    """A named source of bytes, read once from start to end and then closed; `digest` is the hash of what was read."""

    def __init__(self, name: str, *files: "_Bytes", first_line: int = 1) -> None:
        """Read from the last of `files`; the others are the layers below it and are closed with it.

        `first_line` is the number of the line in its file that a part of a file begins with.
        """
        self.name = name
        self.first_line = first_line
        self._files = files
        self._hash = _Hash()
        self._put_off = False

    @property
    def is_plain(self) -> bool:
        """Whether the content is read as it is stored."""
        return len(self._files) == 1

    def read(self, size: int) -> bytes:
        """Return the next bytes (decompressed), at most so many; b"" at the end."""
        if not self._files:
            return b""
        try:
            piece = self._files[-1].read(size)
        except InputError:  # of an object
            self.close()
            raise
        except (OSError, EOFError, zlib.error, _zstd_error()) as error:
            self.close()
            raise InputError(
                Message("formats.cannot_read", strerror=os_reason(error)),
                where=self.name,
                hint=Message("formats.file_complete_hint"),
            ) from None
        self._hash.add(piece)
        if not self._put_off:
            self._hash.catch_up(wait=True)
        if not piece:
            self.close()
        return piece

    def put_off_hash(self) -> None:
        """Leave hashing to callers of `catch_up`: threads that work on what was read, while another one reads on."""
        self._put_off = True

    def catch_up(self) -> None:
        """Hash what was read and is not hashed yet, unless another thread is at it."""
        self._hash.catch_up()

    def read_all(self, limit: Limit, what: Message = CONTENT) -> bytes:
        """All bytes, unless there are more than the limit; then nothing more is read."""
        pieces, size = [], 0
        while piece := self.read(BLOCK):
            pieces.append(piece)
            size += len(piece)
            if size > limit.value:
                self.close()
                raise limit.exceeded(what, error=InputError, where=self.name)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file; further reads return nothing."""
        for file in reversed(self._files):
            file.close()
        self._files = ()

    def digest(self) -> str:
        """SHA-256 of all that was read (of the text, where the file is compressed)."""
        return self._hash.hexdigest()


class _Hash:
    """SHA-256 of pieces in order; they may be hashed later than they are added, and on another thread."""

    _MOST_WAITING = 4

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._waiting: deque[bytes] = deque()
        self._lock = threading.Lock()

    def add(self, piece: bytes) -> None:
        self._waiting.append(piece)

    def catch_up(self, *, wait: bool = False) -> None:
        """Hash the pieces that wait; if another thread does, return, unless too many wait."""
        if self._lock.acquire(blocking=wait or len(self._waiting) > self._MOST_WAITING):
            try:
                while self._waiting:
                    self._sha256.update(self._waiting.popleft())
            finally:
                self._lock.release()

    def hexdigest(self) -> str:
        self.catch_up(wait=True)
        return self._sha256.hexdigest()


def open_stream(path: str | Path) -> Stream:
    """Open a file by its path or address, `-` for standard input; compression is recognised by content, not by name."""
    path = addressed(path)
    logging.getLogger(__name__).debug(Message("log.reading", path=source_name(path)))
    if isinstance(path, Address):
        return _object_stream(path)
    if str(path) == STDIN:
        return Stream(STDIN_NAME, *_layers(_Ahead(sys.stdin.buffer, owned=False)))
    try:
        _check_special(path)
        with ExitStack() as opened:
            file = cast(BinaryIO, opened.enter_context(open(path, "rb", buffering=0)))
            layers = _layers(file if file.seekable() else _Ahead(file))
            opened.pop_all()  # the file is closed with its stream
            return Stream(str(path), *layers)
    except FileNotFoundError:
        raise InputError(Message("formats.no_such_file"), where=str(path), hint=_hint_for_missing(Path(path))) from None
    except OSError as error:
        message = Message("formats.cannot_read", strerror=os_reason(error))
        raise InputError(message, where=str(path), hint=hint_for_folder(Path(path))) from None
    except ValueError:
        raise InputError(Message("formats.invalid_file_name"), where=repr(str(path))) from None


def _object_stream(address: Address) -> Stream:
    from steelyard.io.objects import ObjectFile

    return Stream(str(address), *_layers(_Ahead(ObjectFile(address))))


def source_name(path: str | Path) -> str:
    """How messages call a source: by its path, or by its address with secrets masked."""
    return STDIN_NAME if str(path) == STDIN else str(addressed(path))


def is_file(path: str | Path) -> bool:
    """Whether there is a file of this name; an impossible name is not an error. An address is that of a file."""
    if isinstance(addressed(path), Address):
        return True
    return _has_mode(path, stat.S_ISREG)


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder of this name; there is none at an address."""
    return not isinstance(addressed(path), Address) and _has_mode(path, stat.S_ISDIR)


def read_text(path: str | Path, limit: Limit = limits.FILE_BYTES) -> tuple[str, Stream]:
    """Return a whole file as text, without a byte-order mark."""
    stream = open_stream(path)
    return decode(stream.read_all(limit), stream.name), stream


def decode(content: bytes, name: str) -> str:
    """Bytes as UTF-8 text without a byte-order mark; anything else is an error with its line."""
    check_encoding(content, name, 1)
    return content.removeprefix(UTF8_MARK).decode("utf-8")


def check_encoding(content: bytes, name: str, first_line: int) -> None:
    """Refuse what is not UTF-8 text; `first_line` is the number of the line that `content` begins with."""
    found = encoding_problem(content)
    if found:
        line, message = found
        raise InputError(message, where=f"{name}:{first_line + line}", hint=encoding_hint(message))


def encoding_problem(content: bytes) -> tuple[int, Message] | None:
    """Return the first line (counted from 0) that is not UTF-8 text, and why; None if there is no problem."""
    if content.startswith(_UTF16_MARKS) or b"\0" in content:
        at, message = max(content.find(b"\0"), 0), Message(BINARY)
    elif content.isascii():
        return None
    else:
        try:
            content.decode("utf-8")
            return None
        except UnicodeDecodeError as error:
            at = error.start
            message = Message(NOT_UTF8, byte=f"0x{content[at]:02x}")
    return content.count(b"\n", 0, at), message


def encoding_hint(message: Message) -> Message:
    """Return what to do about an encoding problem."""
    return BINARY_HINT if message.code == BINARY else ENCODING_HINT


def read_once(path: str | Path) -> bool:
    """Whether a source can be read only once: standard input, or a pipe."""
    return str(path) == STDIN or (not is_file(path) and os.path.exists(path))


def line_blocks(stream: Stream, size: int = BLOCK, *, first: int | None = None) -> Iterator[bytes | memoryview]:
    """Yield the stream in pieces of whole lines, each cut where the first column changes, without a byte-order mark.

    A block that holds one query alone grows until the query ends. Blocks are not copied from what was read. With
    `first`, the first block has about so many bytes, and each further one twice as many, up to `size`.
    """
    pieces, held, wanted = [], 0, first or size
    try:
        lines = _Lines(stream, size, first or size)
        for piece in lines:
            pieces.append(piece if lines.begun else piece.removeprefix(UTF8_MARK))
            held += len(piece)
            if held < wanted:
                continue
            kept = b"".join(pieces)
            cut = _last_change(kept)
            if cut:
                yield memoryview(kept)[:cut]
                kept = kept[cut:]
            if len(kept) > limits.QUERY_BYTES.value:
                raise limits.QUERY_BYTES.exceeded(
                    Message("words.the_text_of_one_query"), error=InputError, where=lines.where
                )
            pieces, held, wanted = [kept], len(kept), max(lines.size, 2 * len(kept))
        if held and (kept := b"".join(pieces)):
            yield kept if kept.endswith(b"\n") else kept + b"\n"
    finally:
        stream.close()


def text_blocks(stream: Stream, size: int = BLOCK) -> Iterator[str]:
    """Yield the stream as text in pieces of whole lines; without a byte-order mark; anything but UTF-8 is refused."""
    first_line = stream.first_line
    for block in byte_blocks(stream, size):
        yield _text(block, stream.name, first_line)
        first_line += block.count(b"\n")


def byte_blocks(stream: Stream, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the stream in pieces of whole lines; only the last may lack its end."""
    pieces: list[bytes] = []
    try:
        for piece in _Lines(stream, size):
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield b"".join((*pieces, piece[:cut]))
                pieces = []
            pieces.append(piece[cut:])
        if last := b"".join(pieces):
            yield last
    finally:
        stream.close()


class _Lines:
    """The pieces of a stream; a line longer than the limit is refused before it is in memory."""

    def __init__(self, stream: Stream, size: int, first: int | None = None) -> None:
        self.begun = False
        self.size = first or size
        self._stream = stream
        self._most = size
        self._number = stream.first_line
        self._open = 0  # bytes of the line that has not ended yet

    @property
    def where(self) -> str:
        """The line that was read last."""
        return f"{self._stream.name}:{self._number}"

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._stream.read(min(self.size, int(limits.LINE_BYTES.value))):
            self._check(piece)
            self.size = min(2 * self.size, self._most)
            yield piece
            self.begun = True

    def _check(self, piece: bytes) -> None:
        first = piece.find(b"\n")
        self._open += len(piece) if first < 0 else first
        if self._open > limits.LINE_BYTES.value:
            raise limits.LINE_BYTES.exceeded(Message("words.this_line"), error=InputError, where=self.where)
        if first >= 0:
            self._open = len(piece) - 1 - piece.rfind(b"\n")
            self._number += _count_lines(piece)


def _count_lines(piece: bytes) -> int:
    native = kernel()
    if native is not None:
        return int(native.count_lines(piece))
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(piece, np.uint8) == _NEWLINE))


def _text(content: bytes, name: str, first_line: int) -> str:
    check_encoding(content, name, first_line)
    return (content.removeprefix(UTF8_MARK) if first_line == 1 else content).decode("utf-8")


def _last_change(block: bytes) -> int:
    """Return where the last query of the block begins, 0 if with its first line; after lines of no query, their end."""
    end = block.rfind(b"\n") + 1
    start = block.rfind(b"\n", 0, max(end - 1, 0)) + 1
    last = _first_field(block, start)
    if not last or last.startswith(b"#"):  # blank lines and comments belong to no query
        return end
    while start:
        before = block.rfind(b"\n", 0, start - 1) + 1
        if _first_field(block, before) != last:
            return start
        start = before
    return 0


def _first_field(block: bytes, start: int) -> bytes:
    line = block[start : block.find(b"\n", start)]
    return line.split(None, 1)[0] if line.strip() else b""


class _Bytes(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; b"" at the end."""

    def close(self) -> None:
        """Close it."""


class _Ahead:
    """A pipe or an object whose first bytes can be read ahead; standard input is not closed."""

    def __init__(self, file: "BinaryIO | _Bytes", *, owned: bool = True) -> None:
        self._file = file
        self._owned = owned
        self._head = b""

    def read(self, size: int) -> bytes:
        """At most so many bytes, first those that were read ahead."""
        if not self._head:
            return self._file.read(size)
        found, self._head = self._head[:size], self._head[size:]
        return found if len(found) == size else found + self._file.read(size - len(found))

    def peek(self, size: int) -> bytes:
        """Return the first bytes, which are read again afterwards."""
        while len(self._head) < size and (piece := self._file.read(size - len(self._head))):
            self._head += piece
        return self._head

    def close(self) -> None:
        """Close the pipe or the object."""
        if self._owned:
            self._file.close()


def _layers(file: BinaryIO | _Ahead) -> tuple[_Bytes, ...]:
    """Return the file, and the decompressor above it."""
    if isinstance(file, _Ahead):
        magic = file.peek(4)
    else:
        magic = file.read(4)
        file.seek(0)
    if magic.startswith(_GZIP):
        return file, gzip.GzipFile(fileobj=cast(BinaryIO, file))
    if magic.startswith(_ZSTD):
        return file, _ZstdFile(file)
    return (file,)


class _ZstdFile:
    """A zstandard file of one frame or several; a truncated file is an error, as with gzip."""

    _PIECE = 1 << 9
    """Compressed bytes per step, which expand to 16 MB at most."""

    def __init__(self, file: _Bytes) -> None:
        import zstandard

        self._file = file
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._begun = False
        self._ready = b""
        self._at = 0
        self._packed = b""
        self._taken = 0

    def read(self, size: int) -> bytes:
        """Return some more bytes; b"" at the end."""
        found, length = [], 0
        while length < size:
            if self._at == len(self._ready):
                self._ready, self._at = self._next(), 0
                if not self._ready:
                    break
            found.append(self._ready[self._at : self._at + size - length])
            self._at += len(found[-1])
            length += len(found[-1])
        return b"".join(found)

    def close(self) -> None:
        """Nothing to close: the file below is closed by its owner."""

    def _next(self) -> bytes:
        while True:
            if self._taken >= len(self._packed):
                self._packed, self._taken = self._file.read(BLOCK >> 4), 0
            if not self._packed:
                break
            piece = self._packed[self._taken : self._taken + self._PIECE]
            self._taken += len(piece)
            if found := self._decompress(piece):
                return found
        if self._begun:
            raise EOFError("Compressed file ended before the end of its last frame")
        return b""

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


def _check_special(path: str | Path) -> None:
    """Refuse devices, sockets and pipes without a writer: reading them would not end, or not begin."""
    mode = os.stat(path).st_mode
    is_descriptor = str(path) == "/dev/stdin" or str(path).startswith(("/dev/fd/", "/proc/self/fd/"))
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or is_descriptor):
        message = Message("formats.not_regular_file")
        raise InputError(message, where=str(path), hint=SPECIAL_HINT)


def _has_mode(path: str | Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        return is_kind(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _hint_for_missing(path: Path) -> Message | None:
    """Return the entry of the folder with the nearest name; a common suffix alone does not make names similar."""
    import difflib

    if was_address(path):
        return Message("formats.address_as_text_hint")
    if not path.parent.is_dir():
        return Message("cli.no_folder", folder=str(path.parent))
    names = [entry.name for entry in path.parent.iterdir()]
    close = difflib.get_close_matches(path.name, names, n=len(names) or 1)
    alike = [name for name in close if difflib.get_close_matches(_stem(path.name), [_stem(name)])]
    return Message("core.nearest_name", name=str(path.with_name(alike[0]))) if alike else None


def _stem(name: str) -> str:
    """Return a name without its suffix; the whole name if there is none."""
    return name.rpartition(".")[0] or name


def hint_for_folder(path: Path) -> Message | None:
    """Return the newest files in a folder that was given in place of a file.

    None if it is no folder or cannot be listed.
    """
    try:
        files = [entry for entry in os.scandir(path) if entry.is_file()]
        newest = sorted(files, key=lambda entry: entry.stat().st_mtime, reverse=True)[:3]
    except (OSError, ValueError):
        return None
    return Message("formats.folder_hint", names=", ".join(entry.path for entry in newest)) if newest else None
