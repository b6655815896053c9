"""What commands print beside their results: notices, progress and errors on standard error; with --log-file also there.

The rest of the package writes to loggers of Python below `steelyard` and shows nothing by itself.
"""

import argparse
import logging
import os
import sys
from argparse import SUPPRESS
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from steelyard import __version__
from steelyard.errors import ConfigError
from steelyard.i18n import Language, Localized, Message
from steelyard.native import description
from steelyard.text.visible import HALVES, visible_lines

if TYPE_CHECKING:
    from steelyard.table import Table

LOG: Final = logging.getLogger("steelyard")
OPTIONS: Final = ("shown_level", "log_file")
"""Where the options are in the arguments of a command; no result depends on them."""
_TIMED: Final = "%(relativeCreated)6.0f ms  %(message)s"
_DATED: Final = "%(asctime)s %(levelname)s %(message)s"


def add_log_options(parser: argparse.ArgumentParser, level: Any = SUPPRESS, file: Any = SUPPRESS) -> None:
    """--quiet, --verbose and --log-file; after a command they have no defaults, so that those before it count."""
    given: dict[str, Any] = {"dest": OPTIONS[0], "action": "store_const", "default": level}
    parser.add_argument("--quiet", const=logging.ERROR, help="help.quiet", **given)
    parser.add_argument("--verbose", const=logging.DEBUG, help="help.verbose", **given)
    parser.add_argument("--log-file", type=Path, metavar="FILE", default=file, help="help.log_file")


class CommandLog:
    """The log while a command runs: notices and errors on standard error, from `begin` on as its options say."""

    def __init__(self, language: Language) -> None:
        self._before = (LOG.handlers, LOG.level, LOG.propagate)
        self._handlers: list[logging.Handler] = [_Console(logging.INFO)]
        self._handlers[0].setFormatter(_Lines(language))

    def __enter__(self) -> Self:
        LOG.handlers, LOG.propagate = self._handlers, False
        LOG.setLevel(logging.INFO)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handler in self._handlers:
            handler.close()
        LOG.handlers, level, LOG.propagate = self._before
        LOG.setLevel(level)

    def begin(self, arguments: argparse.Namespace) -> None:
        """Show what --quiet or --verbose say, in the language of the command, and write the file of --log-file."""
        level, path = (getattr(arguments, name) for name in OPTIONS)
        self._handlers[0].setLevel(level)
        self._handlers[0].setFormatter(_Lines(arguments.lang, _TIMED if level == logging.DEBUG else None))
        if path is not None:
            _check_file(path, arguments)
            self._handlers.append(logging.FileHandler(path, encoding="utf-8", errors=HALVES))
            self._handlers[-1].setFormatter(_Lines(arguments.lang, _DATED))
        LOG.setLevel(min(logging.DEBUG if path else level, logging.INFO))
        LOG.debug(Message("log.begun", version=__version__, kernel=description(), python=sys.version.split()[0]))


def notify(*lines: Localized | str) -> None:
    """Print lines on standard error, unless --quiet is given."""
    for line in lines:
        LOG.info(line)


def log_scored(table: "Table") -> None:
    """Write in the log that a result has its scores."""
    LOG.debug(Message("log.scored", name=table.name, n=len(table)))


def has_bars() -> bool:
    """Whether standard error is a terminal on which notices are shown: a bar needs one."""
    shown = any(isinstance(each, _Console) and each.level <= logging.INFO for each in LOG.handlers)
    return shown and sys.stderr is not None and sys.stderr.isatty()


def has_colour(stream: TextIO) -> bool:
    """Whether text may have styles: on a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Lines(logging.Formatter):
    """Messages in a language; control characters are escaped."""

    def __init__(self, language: str, form: str | None = None) -> None:
        super().__init__(form)
        self._language = language

    def formatMessage(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, Localized):
            record.message = record.msg.text(self._language)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        return visible_lines(super().format(record))


class _Console(logging.Handler):
    """Standard error as it is at the time; on a terminal with colours the first line of an error is red."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is None:
            return
        first, *others = self.format(record).split("\n")
        red = record.levelno >= logging.ERROR and has_colour(sys.stderr)
        sys.stderr.write("\n".join((f"\x1b[31m{first}\x1b[0m" if red else first, *others, "")))
        sys.stderr.flush()


def _check_file(path: Path, arguments: argparse.Namespace) -> None:
    """Refuse to append the log to a file that the command reads or writes."""
    values = (each for value in vars(arguments).values() for each in (value if isinstance(value, list) else [value]))
    others = [Path(each) for each in values if isinstance(each, str | Path) and each is not path]
    if any(os.path.abspath(each) == os.path.abspath(path) for each in others):
        raise ConfigError(Message("reports.overwrites_input"), where=str(path), hint=Message("reports.other_name_hint"))
