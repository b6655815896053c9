"""What commands print: streams that tolerate closed pipes, notices and errors, and progress.

Output that cannot be written is dropped, and the error is recorded, so that the exit code is always the verdict. A
closed pipe is not an error; a full disk is one, unless the exit code already reports an error. A stream that is closed
at start is replaced by the null device, so that no file is opened under its descriptor. Signs of our own that the
encoding of a stream lacks are written in ASCII.

Notices, progress and errors go to standard error, with --log-file also to a file. The rest of the package writes to
loggers of Python below `steelyard` and shows nothing by itself.
"""

import argparse
import codecs
import errno
import io
import logging
import os
import select
import sys
import time
from argparse import SUPPRESS
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TextIO

from steelyard import __version__
from steelyard.errors import ConfigError, SteelyardError, os_reason
from steelyard.i18n import Language, Localized, Message
from steelyard.native import description
from steelyard.text.visible import HALVES, visible_lines

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
    """Return the stream with a descriptor that tolerates write errors; a stream without a descriptor is unchanged."""
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


LOG: Final = logging.getLogger("steelyard")
OPTIONS: Final = ("shown_level", "log_file")
"""Where the options are in the arguments of a command; no result depends on them."""


def add_log_options(parser: argparse.ArgumentParser, level: Any = SUPPRESS, file: Any = SUPPRESS) -> None:
    """--quiet, --verbose and --log-file; after a command they have no defaults, so that those before it count."""
    given: dict[str, Any] = {"dest": OPTIONS[0], "action": "store_const", "default": level}
    parser.add_argument("--quiet", const=logging.ERROR, help="help.quiet", **given)
    parser.add_argument("--verbose", const=logging.DEBUG, help="help.verbose", **given)
    parser.add_argument("--log-file", type=Path, metavar="FILE", default=file, help="help.log_file")


@contextmanager
def command_log(language: Language) -> Iterator[None]:
    """While a command runs, show notices and errors on standard error; `begin_log` does what its options say."""
    before = (LOG.handlers, LOG.level, LOG.propagate)
    LOG.handlers, LOG.propagate = [_Console(logging.INFO)], False
    LOG.handlers[0].setFormatter(_Lines(language))
    LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        for handler in LOG.handlers:
            handler.close()
        LOG.handlers, level, LOG.propagate = before
        LOG.setLevel(level)


def begin_log(arguments: argparse.Namespace) -> None:
    """Show what --quiet or --verbose say, in the language of the command, and write the file of --log-file."""
    level, path = (getattr(arguments, name) for name in OPTIONS)
    LOG.handlers[0].setLevel(level)
    timed = "%(relativeCreated)6.0f ms  %(message)s" if level == logging.DEBUG else None
    LOG.handlers[0].setFormatter(_Lines(arguments.lang, timed))
    if path is not None:
        _check_file(path, arguments)
        LOG.handlers.append(logging.FileHandler(path, encoding="utf-8", errors=HALVES))
        LOG.handlers[-1].setFormatter(_Lines(arguments.lang, "%(asctime)s %(levelname)s %(message)s"))
    LOG.setLevel(min(logging.DEBUG if path else level, logging.INFO))
    LOG.debug(Message("log.begun", version=__version__, kernel=description(), python=sys.version.split()[0]))


def notify(*lines: Localized | str) -> None:
    """Print lines on standard error, unless --quiet is given."""
    for line in lines:
        LOG.info(line)


def has_bars() -> bool:
    """Return whether standard error is a terminal on which notices are shown: a bar needs one."""
    shown = any(isinstance(each, _Console) and each.level <= logging.INFO for each in LOG.handlers)
    return shown and sys.stderr is not None and sys.stderr.isatty()


def has_colour(stream: TextIO) -> bool:
    """Return whether text may have styles: on a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Lines(logging.Formatter):
    """Messages in a language; control characters are escaped."""

    def __init__(self, language: str, form: str | None = None) -> None:
        super().__init__(form)
        self._language = language

    def formatMessage(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, Localized):
            record.message = record.msg.text(self._language)
        return visible_lines(super().formatMessage(record))


class _Console(logging.Handler):
    """Standard error as it is at the time; on a terminal with colours the first line of an error is red."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            first, *others = self.format(record).split("\n")
            red = record.levelno >= logging.ERROR and has_colour(sys.stderr)
            sys.stderr.write("\n".join((f"\x1b[31m{first}\x1b[0m" if red else first, *others, "")))
            sys.stderr.flush()


def _check_file(path: Path, arguments: argparse.Namespace) -> None:
    """Refuse to append the log to a file that the command reads or writes."""
    values = (each for value in vars(arguments).values() for each in (value if isinstance(value, list) else [value]))
    named = [os.path.abspath(each) for each in values if isinstance(each, str | Path) and each is not path]
    if os.path.abspath(path) in named:
        raise ConfigError(Message("reports.overwrites_input"), where=str(path), hint=Message("reports.other_name_hint"))


DELAY = 1.0  # seconds before a bar is drawn
EVERY = 30.0  # seconds between two lines


class Bar:
    """The numbers of finished items, of all if known, and of failures; a last line follows where there were lines."""

    def __init__(self, what: str, failures: str) -> None:
        self._what, self._failures, self._failed = what, failures, 0
        self._done: tuple[int, int | None] = (0, None)
        self._began = self._last = time.monotonic()
        self._drawn: tuple[Any, Any] | None = None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much is done."""
        self._done, now = (done, total), time.monotonic()
        if self._drawn is None and now - self._began >= DELAY and has_bars():
            self._drawn = self._draw()
        if self._drawn is not None:
            bar, task = self._drawn
            bar.update(task, completed=done, total=total, failed=self._failed_text())
        elif now - self._last >= EVERY:
            self._print()

    def fail(self) -> None:
        """Count a failure."""
        self._failed += 1

    def begin(self, what: str) -> None:
        """Show other work from now on."""
        self._remove()
        self._what, self._failed = what, 0

    def stop(self) -> None:
        """Remove the bar, or print the last line."""
        self._remove()
        if self._last > self._began:
            self._print()

    def _failed_text(self) -> str:
        return f"{self._failures} {self._failed:,}" if self._failed else ""

    def _print(self) -> None:
        self._last = time.monotonic()
        numbers = "/".join(f"{number:,}" for number in self._done if number is not None)
        parts = (f"{numbers} {self._what}", self._failed_text(), f"{self._last - self._began:.0f} s")
        notify(", ".join(filter(None, parts)))

    def _remove(self) -> None:
        if self._drawn is not None:
            self._drawn[0].stop()
        self._drawn = None

    def _draw(self) -> tuple[Any, Any]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        failed = TextColumn("{task.fields[failed]}", style="red", markup=False)
        columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), failed
        bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        bar.start()
        return bar, bar.add_task(self._what, total=None, failed="")


@contextmanager
def proportion(what: str, failures: str = "") -> Iterator[Bar]:
    """Yield a callback for the number of finished items; `failures` is the word before the number of failures."""
    bar = Bar(what, failures)
    try:
        yield bar
    finally:
        bar.stop()
