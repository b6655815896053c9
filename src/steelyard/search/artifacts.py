"""Files of embeddings and indexes: written atomically, with a stamp that records their corpus and model."""

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
from typing import Final

from steelyard.errors import BadValue, ConfigError, os_reason
from steelyard.i18n import Joined, Message
from steelyard.io import writing

Stamp = Mapping[str, str | int]


VECTORS_HINT: Final = Message("search.make_vectors_hint")
TERMS_HINT: Final = Message("search.make_terms_hint")
"""How files that cannot be used are made again."""

ADDRESS: Final = "address"
"""The address of an endpoint: stored in stamps but not compared, because a server may move."""

_ENDPOINT: Final = re.compile(r"(?P<model>.*) at (?P<address>https?://\S+)")  # in stamps of earlier versions
_IN_FOLDER: Final = "stamp.json"
_SHOWN: Final = 12

DAMAGE: Final = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile),
)
"""The exceptions of NumPy and bm25s for a damaged file."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to `path` at the end, or removed after an exception."""
    with writing.errors_at(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with writing.whole_file(path) as part:
        yield part


@contextmanager
def whole_folder(path: Path, stamp: Stamp) -> Iterator[Path]:
    """Yield a temporary folder, stamped at the end; a folder that is not empty and has no stamp is not replaced."""
    if path.exists() and not (path / _IN_FOLDER).is_file() and not (path.is_dir() and not any(path.iterdir())):
        raise ConfigError(Message("search.not_an_index"), where=str(path))
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
            os.replace(old, path)  # the old folder is kept
        raise ConfigError(Message("formats.cannot_write", strerror=os_reason(error)), where=str(path)) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_stamp(path: Path, stamp: Stamp) -> None:
    """Write the stamp beside a file or into a folder; it is written last, so a file with a stamp is complete."""
    with whole_file(_stamp_path(path)) as part:
        part.write_text(_dump(stamp), encoding="utf-8")


def remove_stamp(path: Path) -> None:
    """Remove the stamp before its file changes."""
    _beside(path).unlink(missing_ok=True)


def read_stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file or folder; None if there is none, or it cannot be read."""
    try:
        stamp = json.loads(_stamp_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(stamp, dict):
        return None
    parts = _ENDPOINT.fullmatch(str(stamp.get("model"))) if stamp.get("backend") == "openai" else None
    return stamp if parts is None else {**stamp, "model": parts["model"], ADDRESS: parts["address"]}


def is_current(path: Path, expected: Stamp, anew: Message) -> bool:
    """Return whether a file exists; raise an error, with a hint how it is made anew, if its stamp differs."""
    if not path.exists():
        return False
    stamp = read_stamp(path)
    if stamp is None:
        raise ConfigError(Message("search.no_stamp"), where=str(path), hint=Message("search.adopt_hint", anew=anew))
    other = [
        Message("search.changed", name=name, before=_shown(stamp.get(name)), now=_shown(value))
        for name, value in expected.items()
        if name != ADDRESS and stamp.get(name) != value
    ]
    if other:
        message = Message("search.other_origin", names=Joined("core.clauses", other))
        raise ConfigError(message, where=str(path), hint=anew)
    return True


def error_reason(error: Exception) -> Message | str:
    """Return the text of an exception: a message of the catalogue, or the text of a library."""
    return error.message if isinstance(error, BadValue) else str(error) or type(error).__name__


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp_path(path: Path) -> Path:
    return path / _IN_FOLDER if path.is_dir() else _beside(path)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.stamp.json")


def _dump(stamp: Stamp) -> str:
    return json.dumps(dict(stamp), ensure_ascii=False, indent=2) + "\n"


def _shown(value: str | int | None) -> Message | str:
    """Return a value as messages show it; of a digest, the first characters."""
    if value is None:
        return Message("words.unknown")
    text = str(value)
    return text[:_SHOWN] if len(text) == hashlib.sha256().digest_size * 2 else text
