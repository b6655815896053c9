"""Files that one run makes and a later one uses: written whole or not at all, each with a stamp that says from what."""

import hashlib
import json
import os
import re
import shutil
import struct
import tokenize
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from steelyard.errors import BadValue, ConfigError
from steelyard.i18n import Joined, Message
from steelyard.io import writing

Stamp = Mapping[str, str | int]


class Kind(NamedTuple):
    """What the user is told to do with a file that cannot be used: adopt it, or make it anew."""

    adopt_hint: Message
    anew_hint: Message

    @classmethod
    def of(cls, anew: Message) -> "Kind":
        """By how to make it anew."""
        return cls(Message("rag.adopt_or_make_anew", anew=anew), anew)


VECTORS: Final = Kind.of(Message("rag.make_anew_run_pipeline_retriever"))
TERMS: Final = Kind.of(Message("rag.make_anew_run_pipeline_bm25"))

ADDRESS: Final = "address"
"""Where an endpoint was: kept in stamps, and not compared, for a server may move."""

_ENDPOINT: Final = re.compile(r"(?P<model>.*) at (?P<address>https?://\S+)")  # in stamps of earlier versions
_IN_FOLDER: Final = "stamp.json"
_SHOWN: Final = 12

DAMAGE: Final = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile),
)
"""What NumPy and bm25s raise for a damaged file: its header is Python source, its values may be of any type."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path to write to; what is there becomes `path` when all went well, and is gone otherwise."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            Message("formats.cannot_written", strerror=error.strerror or error), where=str(path)
        ) from None
    with writing.whole_file(path) as part:
        yield part


@contextmanager
def whole_folder(path: Path, stamp: Stamp) -> Iterator[Path]:
    """The same for a folder with its stamp in it; one that holds anything else is never replaced."""
    if path.exists() and not (path / _IN_FOLDER).is_file() and not (path.is_dir() and not any(path.iterdir())):
        raise ConfigError(Message("rag.no_index_not_replaced_one"), where=str(path))
    part, old = (path.with_name(f".{path.name}.{os.getpid()}.{name}") for name in ("part", "old"))
    try:
        part.mkdir(parents=True)
        yield part
        (part / _IN_FOLDER).write_text(_dump(stamp), encoding="utf-8")
        if path.exists():
            os.replace(path, old)
        os.replace(part, path)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        if old.exists() and not path.exists():
            os.replace(old, path)  # what was there stays
        raise ConfigError(
            Message("formats.cannot_written", strerror=error.strerror or error), where=str(path)
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_stamp(path: Path, stamp: Stamp) -> None:
    """Put a stamp beside a file, or into a folder; to be done last, so that a file with a stamp is whole."""
    with whole_file(_place(path)) as part:
        part.write_text(_dump(stamp), encoding="utf-8")


def remove_stamp(path: Path) -> None:
    """Take the stamp away before its file changes."""
    _beside(path).unlink(missing_ok=True)


def read_stamp(path: Path) -> Stamp | None:
    """The stamp of a file or folder; None where there is none, or none that can be read."""
    try:
        found = json.loads(_place(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return _renewed(found) if isinstance(found, dict) else None


def is_current(path: Path, expected: Stamp, kind: Kind) -> bool:
    """Whether a file is there, made from what is expected; an error if it is there, made from something else."""
    if not path.exists():
        return False
    stamp = read_stamp(path)
    if stamp is None:
        raise ConfigError(Message("rag.nothing_says_what_made_from"), where=str(path), hint=kind.adopt_hint)
    other = [
        _changed(name, stamp.get(name), value)
        for name, value in expected.items()
        if name != ADDRESS and stamp.get(name) != value
    ]
    if other:
        message = Message("rag.made_from_something_else", names=Joined("core.clauses", other))
        raise ConfigError(message, where=str(path), hint=kind.anew_hint)
    return True


def said_of(error: Exception) -> Message | str:
    """What an exception of a reader says: a message of ours, or what a library says."""
    return error.message if isinstance(error, BadValue) else str(error) or type(error).__name__


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _renewed(stamp: dict[str, str | int]) -> Stamp:
    """A stamp in which the address of an endpoint is no part of the model."""
    found = _ENDPOINT.fullmatch(str(stamp.get("model"))) if stamp.get("backend") == "openai" else None
    return stamp if found is None else {**stamp, "model": found["model"], ADDRESS: found["address"]}


def _place(path: Path) -> Path:
    return path / _IN_FOLDER if path.is_dir() else _beside(path)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.stamp.json")


def _dump(stamp: Stamp) -> str:
    return json.dumps(dict(stamp), ensure_ascii=False, indent=2) + "\n"


def _changed(name: str, before: str | int | None, now: str | int) -> Message:
    was = Message("words.unknown") if before is None else _shown(before)
    return Message("rag.was_and_is_now", name=name, before=was, now=_shown(now))


def _shown(value: str | int) -> str:
    """A value as it is shown; of a digest, its beginning."""
    text = str(value)
    return text[:_SHOWN] if len(text) == hashlib.sha256().digest_size * 2 else text
