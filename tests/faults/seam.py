"""The seam: counts the calls by which a process touches files below a folder; one of them fails, or the process dies.

`once`: the call fails, a write after half of its bytes. `lasting`: it fails, and so does every later one. `death`: the
process ends there as by kill -9, a write after half of its bytes. Of SQLite, statements count. Linux only.
"""

import builtins
import errno
import fcntl
import io
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

FAULTS: Final = ("once", "lasting", "death")
DEAD: Final = 137
REASONS: Final = {
    **dict.fromkeys(("read", "fsync", "truncate"), errno.EIO),
    **dict.fromkeys(("write", "mkdir", "link"), errno.ENOSPC),
    "flock": errno.ENOLCK,
}
"""Why calls fail; others for want of a right."""
CALLS: Final = dict.fromkeys(
    ("open", "unlink", "remove", "rmdir", "mkdir", "fsync", "truncate", "scandir", "listdir", "sendfile", "chmod"), 1
) | dict.fromkeys(("replace", "rename", "link"), 2)
"""Functions of `os`, and how many of their arguments are paths or descriptors."""


class Seam:
    """Counts calls from 1 on, and lets that at a place fail."""

    def __init__(self, folder: Path, fault: str = "once", at: int = 0) -> None:
        self.folder, self.fault, self.at = os.path.realpath(folder), fault, at
        self.count = 0
        self.owes = False
        self._pid, self._notes = os.getpid(), os.dup(2)

    def due(self, kind: str, *places: Any) -> bool:
        """Count a call, and return whether it has to fail; the first one that does is noted on standard error."""
        if os.getpid() != self._pid or not any(map(self._is_below, places)):
            return False
        self.count += 1
        if self.count == self.at:
            os.write(self._notes, f"POINT {kind} {os.path.basename(_path(places[-1]))}\n".encode())
        return self.count == self.at or (self.fault == "lasting" and 0 < self.at < self.count)

    def fail(self, kind: str, *named: Any) -> None:
        """Die, or raise what the system raises; the error has a path only where the call was given one."""
        if self.fault == "death":
            os._exit(DEAD)
        number = REASONS.get(kind, errno.EACCES)
        raise OSError(number, os.strerror(number), *(os.fspath(each) for each in named if isinstance(each, str | Path)))

    def check(self, kind: str, *places: Any) -> None:
        """Count a call, and let it fail if it has to."""
        if self.due(kind, *places):
            self.fail(kind, places[0])

    def _is_below(self, place: Any) -> bool:
        path = os.path.abspath(_path(place))
        return path == self.folder or path.startswith(self.folder + os.sep)

    def install(self) -> None:
        """Put the seam between this process and its files, for good."""
        for name, paths in CALLS.items():
            setattr(os, name, self._wrapped(getattr(os, name), name, paths))
        fcntl.flock = self._wrapped(fcntl.flock, "flock", 1)
        sqlite3.connect = self._connector(sqlite3.connect)
        builtins.open = io.open = self._opener(io.open)

    def _wrapped(self, real: Callable[..., Any], kind: str, paths: int) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.check(kind, *(arguments[:paths] or (".",)))
            return real(*arguments, **named)

        return call

    def _opener(self, real: Callable[..., Any]) -> Any:
        def opened(file: Any, mode: str = "r", buffering: int = -1, *text: Any, **named: Any) -> Any:
            if isinstance(file, int) or not self._is_below(file):
                return real(file, mode, buffering, *text, **named)
            self.check("open", file)
            raw = _File(file, mode.replace("b", "").replace("t", ""))
            raw.seam = self
            if not buffering:
                return raw
            kind = io.BufferedRandom if "+" in mode else io.BufferedReader if "r" in mode else io.BufferedWriter
            return kind(raw) if "b" in mode else io.TextIOWrapper(kind(raw), *text, **named)

        return opened

    def _connector(self, real: Callable[..., Any]) -> Any:
        def connect(path: Any, **named: Any) -> Any:
            if path == ":memory:":
                return real(path, **named)
            database = real(path, factory=_Database, **named)
            database.seam, database.path = self, path
            return database

        return connect


class _File(io.FileIO):
    """A file whose reads, writes and truncations count."""

    seam: Seam

    def write(self, data: Any) -> int:
        view, seam = memoryview(data).cast("B"), self.seam
        if seam.owes:  # what follows a short write
            seam.owes = False
            seam.fail("write")
        if not seam.due("write", self.name):
            return super().write(view)
        written = 0 if seam.fault == "lasting" else super().write(view[: len(view) // 2])
        seam.owes = seam.fault == "once" and written > 0
        if not seam.owes:
            seam.fail("write")
        return written

    def read(self, *size: Any) -> Any:
        self.seam.check("read", self.fileno())
        return super().read(*size)

    def readall(self) -> Any:
        self.seam.check("read", self.fileno())
        return super().readall()

    def readinto(self, buffer: Any) -> Any:
        self.seam.check("read", self.fileno())
        return super().readinto(buffer)

    def truncate(self, *size: Any) -> int:
        self.seam.check("truncate", self.fileno())
        return super().truncate(*size)


class _Database(sqlite3.Connection):
    """A database whose statements and commits count."""

    seam: Seam
    path: Any

    def _check(self, kind: str) -> None:
        try:
            self.seam.check(kind, self.path)
        except OSError:
            raise sqlite3.OperationalError("disk I/O error") from None

    def execute(self, *arguments: Any) -> Any:
        self._check("statement")
        return super().execute(*arguments)

    def executemany(self, *arguments: Any) -> Any:
        self._check("statement")
        return super().executemany(*arguments)

    def __exit__(self, *error: Any) -> Any:
        self._check("commit")
        return super().__exit__(*error)


def _path(place: Any) -> str:
    """Return the path of a path, of a file or of a descriptor."""
    number = place.fileno() if hasattr(place, "fileno") else place
    return os.readlink(f"/proc/self/fd/{number}") if isinstance(number, int) else os.fsdecode(number)
