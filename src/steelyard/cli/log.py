"""What commands print beside their results: notices, progress and errors on standard error; with --log-file also there.

The rest of the package writes to loggers of Python below `steelyard` and shows nothing by itself.
"""

import argparse
import logging
import os
import sys
from argparse import SUPPRESS
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from steelyard import __version__
from steelyard.errors import ConfigError
from steelyard.i18n import Language, Localized, Message
from steelyard.native import description
from steelyard.text.visible import HALVES, visible_lines

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
