"""Entry points: objects that installed packages add under a name, such as a kind of system or a file format.

A group is searched when one of its names is needed, because listing the installed packages takes milliseconds. An entry
point that cannot be used is a ConfigError that names the package; built-in names are looked up before and not replaced.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from steelyard.errors import ConfigError, SteelyardError
from steelyard.i18n import Localized, Message

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")
UNREADABLE: Final = (AttributeError, LookupError, OSError, TypeError, ValueError)
"""What `importlib.metadata` raises for a file that is not in the format of entry points."""


@dataclass(frozen=True)
class EntryPointGroup(Generic[T]):
    """A group of entry points; `expected` says what they must point to, and `accepts` checks it."""

    name: str
    expected: Message
    accepts: Callable[[Any], bool]

    def load(self, name: str) -> T | None:
        """The object of the entry point of this name; None if no installed package has one."""
        points = [point for point in self._points() if point.name == name]
        if len(points) > 1:
            packages = ", ".join(sorted(map(_package, points)))
            hint = Message("plugins.uninstall_one", packages=packages)
            raise ConfigError(Message("plugins.two_entry_points", name=name, group=self.name), hint=hint)
        return self._loaded(points[0]) if points else None

    def names(self) -> list[str]:
        """The names of the entry points of the group, each once."""
        return list(dict.fromkeys(point.name for point in self._points()))

    def is_empty(self) -> bool:
        """Whether no installed package has an entry point in this group."""
        return not self._points()

    def load_all(self) -> list[T]:
        """The objects of all entry points of the group."""
        return [self._loaded(point) for point in self._points()]

    def _points(self) -> "tuple[EntryPoint, ...]":
        return _entry_points(self.name, tuple(sys.path))

    def _loaded(self, point: "EntryPoint") -> T:
        try:
            loaded: T = point.load()
        except (Exception, SystemExit) as error:  # foreign code: anything may be raised
            why = Message("plugins.cannot_load", **_described(point), error=_reason(error))
            raise ConfigError(why, hint=_hint(point)) from error
        if not self.accepts(loaded):
            why = Message(
                "plugins.wrong_type", **_described(point), expected=self.expected, found=type(loaded).__name__
            )
            raise ConfigError(why, hint=_hint(point))
        return loaded


@cache
def _entry_points(group: str, path: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    """The entry points of a group in the packages on this search path, which is that of the interpreter."""
    folders = [os.path.abspath(folder) for folder in path]  # "" is the current one
    declared = [_declared(folder, _changed(folder)) for folder in folders]
    if not any(texts is None or f"[{group}]".encode() in texts for texts in declared):
        return ()
    from importlib.metadata import entry_points

    try:
        return tuple(entry_points(group=group))
    except UNREADABLE as error:
        package = _unreadable_package()
        message = Message("plugins.unreadable_metadata", package=package, error=_reason(error))
        raise ConfigError(message, hint=Message("plugins.reinstall_or_uninstall", package=package)) from error


def _changed(folder: str) -> int | None:
    """The time at which something was installed in a folder, or removed from it."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return None


@cache
def _declared(folder: str, changed: int | None) -> bytes | None:
    """The entry points of all packages in a folder, as their files have them; None where only Python can say it.

    They are read again when the folder has `changed`.
    `importlib.metadata` takes twenty milliseconds to import, and most machines have no package with a group of ours.
    """
    if not os.path.isdir(folder):
        return None if os.path.exists(folder) else b""  # a zip file
    try:
        names = os.listdir(folder)
        if any(name.endswith(".egg") for name in names):  # an older form, with its metadata in a folder or a zip file
            return None
        metadata = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
        return b"\n".join(_content(os.path.join(folder, name, "entry_points.txt")) for name in metadata)
    except OSError:
        return None


def _content(path: str) -> bytes:
    """The content of a file; nothing if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _unreadable_package() -> str:
    """The name of the first installed package whose entry points cannot be read."""
    from importlib.metadata import distributions

    def is_readable(distribution: "Distribution") -> bool:
        try:
            return distribution.entry_points is not None
        except UNREADABLE:
            return False

    return next((package.name for package in distributions() if not is_readable(package)), "?")


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else "?"


def _described(point: "EntryPoint") -> dict[str, str]:
    return {"name": point.name, "group": point.group, "value": point.value, "package": _package(point)}


def _hint(point: "EntryPoint") -> Message:
    return Message("plugins.reinstall_or_uninstall", package=_package(point))


def _reason(error: BaseException) -> Localized | str:
    """The first line of an error with its type, or our own message."""
    if isinstance(error, SteelyardError):
        return error.message
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
