"""Standard output and standard error that tolerate closed pipes, so that the exit code is always the verdict.

Output that cannot be written is dropped, and the error is recorded. A closed pipe is not an error; a full disk is one,
unless the exit code already reports an error. A stream that is closed at start is replaced by the null device, so that
no file is opened under its descriptor. Signs of our own that the encoding of a stream lacks are written in ASCII.
"""

import codecs
import errno
import io
import os
import select
import sys
from types import TracebackType
from typing import Any, Final, Self, TextIO

from steelyard.errors import SteelyardError, os_reason
from steelyard.i18n import Language, Message

_ASCII: Final = {
    **{"→": "->", "…": "...", "·": ".", "▲": "^", "▼": "v", "●": "o", "─": "-", "┊": ":", "–": "-", "—": "-", "−": "-"},
    **{"×": "x", "≤": "<=", "≥": ">=", "≠": "!=", "±": "+-", "≈": "~", "“": '"', "”": '"', "‘": "'", "’": "'"},
}
_TO_ASCII: Final = "steelyard.ascii"  # an error handler


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_ASCII.get(char, "?") for char in error.object[error.start : error.end]), error.end


codecs.register_error(_TO_ASCII, _in_ascii)


class LastingOutput:
    """Both streams while a command runs; `exit_code` includes write errors."""

    def __init__(self, language: Language = "en") -> None:
        self._before = (sys.stdout, sys.stderr)
        self._raw: _Lasting | None = None
        self._language = language

    def __enter__(self) -> Self:
        self._raw, sys.stdout = _lasting(sys.stdout)
        _, sys.stderr = _lasting(sys.stderr)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (sys.stdout, sys.stderr):
            flush(stream)
        sys.stdout, sys.stderr = self._before

    def exit_code(self, code: int) -> int:
        """Flush the output and return the exit code of a command that returned `code`."""
        flush(sys.stdout)
        failed = self._raw.failed if self._raw is not None else None
        if failed is None or failed.errno == errno.EPIPE:
            return code
        message = Message("core.located", where=Message("words.output"), message=os_reason(failed))
        sys.stderr.write(f"{message.text(self._language)}\n")
        return code or SteelyardError.exit_code


def flush(stream: TextIO | None) -> None:
    """Flush a stream if it is open."""
    if stream is not None and not stream.closed:
        stream.flush()


class _Lasting(io.FileIO):
    """A file descriptor that drops output after the first write error."""

    failed: OSError | None = None

    def write(self, data: Any) -> int:
        """Write; after the first error, report success without writing."""
        while self.failed is None:
            try:
                written = super().write(data)
            except OSError as error:
                self.failed = error
                break
            if written is not None:
                return written
            select.select([], [self], [])  # a full non-blocking pipe
        return len(memoryview(data).cast("B"))


def _lasting(stream: TextIO | None) -> tuple[_Lasting | None, TextIO]:
    """The stream with a descriptor that tolerates write errors; a stream without a descriptor is unchanged."""
    if stream is None:
        return None, open(os.devnull, "w", encoding="utf-8", errors="replace")  # until the process ends
    if not isinstance(stream, io.TextIOWrapper):
        return None, stream
    try:
        descriptor = stream.fileno()
        stream.flush()
    except (OSError, ValueError):
        stream.reconfigure(errors=_TO_ASCII)
        return None, stream
    raw = _Lasting(descriptor, "wb", closefd=False)
    lasting = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=_TO_ASCII,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    return raw, lasting
