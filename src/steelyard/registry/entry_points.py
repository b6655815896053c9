"""Entry points: objects that installed packages add under a name, such as a kind of system or a file format.

A group is searched when one of its names is needed, because listing the installed packages takes milliseconds. An entry
point that cannot be used is a ConfigError that names the package; built-in names are looked up before and not replaced.
"""

import sys
from collections.abc import Callable, Iterable
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
        """Return the object of the entry point of this name; None if no installed package has one."""
        points = [point for point in self._points() if point.name == name]
        if len(points) > 1:
            packages = ", ".join(sorted(map(_package, points)))
            hint = Message("plugins.uninstall_one", packages=packages)
            raise ConfigError(Message("plugins.two_entry_points", name=name, group=self.name), hint=hint)
        return self._loaded(points[0]) if points else None

    def names(self) -> list[str]:
        """Return the names of the entry points of the group, each once."""
        return list(dict.fromkeys(point.name for point in self._points()))

    def is_empty(self) -> bool:
        """Return whether no installed package has an entry point in this group."""
        return not self._points()

    def load_all(self) -> list[T]:
        """Return the objects of all entry points of the group."""
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
    """Return the entry points of a group in the packages on this search path, which is that of the interpreter."""
    from importlib.metadata import distributions, entry_points

    try:
        return tuple(entry_points(group=group))
    except UNREADABLE:  # of any package, also one that has nothing in this group
        by_package = {package.name: package for package in reversed(list(distributions()))}
    return tuple(point for package in by_package.values() for point in _points_of(package, group))


def _points_of(package: "Distribution", group: str) -> "Iterable[EntryPoint]":
    """Return the entry points of one package; raise ConfigError if it has the group, but cannot be read."""
    try:
        return package.entry_points.select(group=group)
    except UNREADABLE as error:
        if f"[{group}]" not in (package.read_text("entry_points.txt") or ""):
            return ()
        message = Message("plugins.unreadable_metadata", package=package.name, error=_reason(error))
        raise ConfigError(message, hint=Message("plugins.reinstall_or_uninstall", package=package.name)) from error


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else "?"


def _described(point: "EntryPoint") -> dict[str, str]:
    return {"name": point.name, "group": point.group, "value": point.value, "package": _package(point)}


def _hint(point: "EntryPoint") -> Message:
    return Message("plugins.reinstall_or_uninstall", package=_package(point))


def _reason(error: BaseException) -> Localized | str:
    """Return the first line of an error with its type, or our own message."""
    if isinstance(error, SteelyardError):
        return error.message
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
