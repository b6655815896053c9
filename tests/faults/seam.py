"""The seam: counts the calls by which a process touches files below a folder; one of them fails, or the process dies.

`once`: the call fails, a write after half of its bytes. `lasting`: it fails, and so does every later one. `death`: the
process ends there as by kill -9, a write after half of its bytes. Of SQLite, its statements count. Linux only.
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
REASONS: Final = {"read": errno.EIO, "fsync": errno.EIO, "truncate": errno.EIO, "lock": errno.ENOLCK}
"""Why calls fail; those that write for want of space, the others for want of a right."""
NO_SPACE: Final = ("write", "mkdir", "link")
CALLS: Final = {
    **{"open": ("open", 1), "replace": ("rename", 2), "rename": ("rename", 2), "link": ("link", 2)},
    **{"unlink": ("unlink", 1), "remove": ("unlink", 1), "rmdir": ("unlink", 1), "mkdir": ("mkdir", 1)},
    **{"fsync": ("fsync", 1), "truncate": ("truncate", 1), "scandir": ("list", 1), "listdir": ("list", 1)},
    **{"sendfile": ("write", 1), "chmod": ("chmod", 1)},
}
"""Functions of `os`: their kind, and how many of their arguments are paths or descriptors."""


class Seam:
    """Counts calls from 1 on; `point` describes the one that failed, `None` if none was reached."""

    def __init__(self, folder: Path, fault: str = "once", at: int = 0) -> None:
        self.folder, self.fault, self.at = os.path.realpath(folder), fault, at
        self.count = 0
        self.owes = False
        self._pid = os.getpid()
        self._notes = os.dup(2)

    def due(self, kind: str, *places: Any) -> bool:
        """Count a call, and return whether it has to fail."""
        if os.getpid() != self._pid or not any(map(self._is_below, places)):
            return False
        self.count += 1
        if self.count == self.at:
            os.write(self._notes, f"POINT {kind} {os.path.basename(_path(places[-1]))}\n".encode())
        return self.count == self.at or (self.fault == "lasting" and 0 < self.at < self.count)

    def fail(self, kind: str, place: Any = None) -> None:
        """Die, or raise what the system raises: with the path, where the call was given one."""
        if self.fault == "death":
            os._exit(DEAD)
        number = REASONS.get(kind, errno.ENOSPC if kind in NO_SPACE else errno.EACCES)
        raise OSError(number, os.strerror(number), *([] if isinstance(place, int | None) else [os.fspath(place)]))

    def fail_database(self) -> None:
        """Die, or raise what SQLite raises."""
        if self.fault == "death":
            os._exit(DEAD)
        raise sqlite3.OperationalError("disk I/O error")

    def _is_below(self, place: Any) -> bool:
        path = os.path.abspath(_path(place))
        return path == self.folder or path.startswith(self.folder + os.sep)

    def install(self) -> None:
        """Put the seam between this process and its files, for good."""
        for name, (kind, paths) in CALLS.items():
            setattr(os, name, self._wrapped(getattr(os, name), kind, paths))
        fcntl.flock = self._wrapped(fcntl.flock, "lock", 1)
        sqlite3.connect = self._connector(sqlite3.connect)
        builtins.open = io.open = self._opener(io.open)

    def _wrapped(self, real: Callable[..., Any], kind: str, paths: int) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.due(kind, *(arguments[:paths] or ".")):
                self.fail(kind, arguments[0] if not hasattr(arguments[0], "fileno") else None)
            return real(*arguments, **named)

        return call

    def _opener(self, real: Callable[..., Any]) -> Any:
        def opened(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: Any = None,
            errors: Any = None,
            newline: Any = None,
            **named: Any,
        ) -> Any:
            if isinstance(file, int) or not self._is_below(file):
                return real(file, mode, buffering, encoding, errors, newline, **named)
            if self.due("open", file):
                self.fail("open", file)
            raw = _File(self, file, mode.replace("b", "").replace("t", ""))
            if not buffering:
                return raw
            kind = io.BufferedRandom if "+" in mode else io.BufferedReader if "r" in mode else io.BufferedWriter
            return kind(raw) if "b" in mode else io.TextIOWrapper(kind(raw), encoding, errors, newline)

        return opened

    def _connector(self, real: Callable[..., Any]) -> Any:
        def connect(path: Any, **named: Any) -> Any:
            if path == ":memory:":
                return real(path, **named)
            if self.due("open", path):
                self.fail_database()
            database = real(path, factory=_Database, **named)
            database.seam, database.path = self, path
            return database

        return connect


class _File(io.FileIO):
    """A file whose reads, writes and truncations count."""

    def __init__(self, seam: Seam, *arguments: Any) -> None:
        self._seam = seam
        super().__init__(*arguments)

    def _check(self, kind: str) -> None:
        if self._seam.due(kind, self.name):
            self._seam.fail(kind)

    def write(self, data: Any) -> int:
        view, seam = memoryview(data).cast("B"), self._seam
        half = len(view) // 2
        if seam.owes:  # what follows a short write
            seam.owes = False
            seam.fail("write")
        if seam.due("write", self.name):
            written = super().write(view[:half]) if half and seam.fault != "lasting" else 0
            if seam.fault != "once" or not written:
                seam.fail("write")
            seam.owes = True
            return written
        return super().write(view)

    def read(self, *size: Any) -> Any:
        self._check("read")
        return super().read(*size)

    def readall(self) -> Any:
        self._check("read")
        return super().readall()

    def readinto(self, buffer: Any) -> Any:
        self._check("read")
        return super().readinto(buffer)

    def truncate(self, *size: Any) -> int:
        self._check("truncate")
        return super().truncate(*size)


class _Database(sqlite3.Connection):
    """A database whose statements count."""

    seam: Seam
    path: Any

    def _check(self, kind: str) -> None:
        if hasattr(self, "seam") and self.seam.due(kind, self.path):
            self.seam.fail_database()

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
    if hasattr(place, "fileno"):
        place = place.fileno()
    return os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else os.fsdecode(place)
