"""Formats of other tools by name and by shape."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Final, Protocol, cast

from steelyard.errors import InputError, Problem, UnknownName
from steelyard.i18n import Message
from steelyard.io import foreign
from steelyard.io.foreign.containers import Container, open_container
from steelyard.io.foreign.rows import ALL, CONTEXTS, EXTRA, ID, TAGS, Fields, read_as, whole_cell
from steelyard.io.records import Record
from steelyard.registry.entry_points import EntryPointGroup


class Format(Protocol):
    """A module of the package: one format.

    It may have BOUNDS, the values that all of its scores can take, SETTINGS, the names of the fields in its `extra`
    that are settings of the scores, and `suite(container)`, the name of what was run, where a file has one. If it is
    ONE_SIDED, a file of references has the shape of a file of predictions. A format that can be written has
    `write(rows, path)`, CARRIES, the fields that it has a place for, NEEDS, those that a row must have, and IS_FOLDER
    if it is a folder and not a file.
    """

    NAME: str
    TITLE: str

    def recognises(self, container: Container) -> bool:
        """Whether the content has the shape of this format."""

    def read(self, container: Container) -> Iterator[Record]:
        """Its records, with the fields of module `rows`; errors name file and line."""


def _is_format(value: object) -> bool:
    return all(hasattr(value, name) for name in ("NAME", "TITLE", "recognises", "read"))


INSTALLED: Final = EntryPointGroup[Format]("steelyard.formats", Message("plugins.format"), _is_format)
"""Formats of installed packages, under names without a point."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file with its format; `format` is None for plain rows whose columns have their usual names."""

    container: Container
    format: Format | None

    @property
    def cells(self) -> bool:
        """Whether values are the texts of cells."""
        return self.format is None and self.container.cells

    @property
    def title(self) -> str:
        """The name of the format; "" for plain rows."""
        return "" if self.format is None else self.format.TITLE

    def records(self) -> Iterator[Record]:
        """Yield the records; can be called once."""
        with closing(self.container):
            yield from self.container.records() if self.format is None else _hinted(self.format, self.container)


def _hinted(each: Format, container: Container) -> Iterator[Record]:
    """Yield the records of a format; errors say which one it is."""
    try:
        yield from map(_with_whole_id, each.read(container)) if container.cells else each.read(container)
    except InputError as error:
        problems = [
            problem if problem.where else Problem(container.name, problem.message) for problem in error.problems
        ]
        raise InputError.of(problems, hint=error.hint or read_as(each.TITLE)) from None


def _with_whole_id(record: Record) -> Record:
    identifier = record.fields.get(ID)
    whole = whole_cell(identifier)
    return record if whole is identifier else record._replace(fields={**record.fields, ID: whole})


def open_source(path: str | Path, name: str | None = None) -> Source:
    """Return a file with the format of this name, or the one that recognises its shape."""
    with ExitStack() as stack:
        container = stack.enter_context(closing(open_container(path)))
        source = Source(container, recognised(container) if name is None else format_called(name))
        stack.pop_all()  # it is closed when its rows were read
    return source


def recognised(container: Container) -> Format | None:
    """Return the format that a content has the shape of."""
    return next((each for each in formats().values() if each.recognises(container)), None)


def format_called(name: str) -> Format:
    """Return the format of this name."""
    if name not in formats():
        raise UnknownName.of(Message("words.format"), name, list(formats()))
    return formats()[name]


def formats() -> dict[str, Format]:
    """Every format by name: the modules of this package, then those of installed packages."""
    built_in = _built_in()
    names = [name for name in INSTALLED.names() if not name.startswith(".") and name not in built_in]
    return {**built_in, **{name: each for name in names if (each := INSTALLED.load(name))}}


@cache
def _built_in() -> dict[str, Format]:
    modules = [_module(each.name) for each in iter_modules(foreign.__path__)]
    return {module.NAME: cast(Format, module) for module in modules if hasattr(module, "NAME")}


def is_writable(each: Format) -> bool:
    """Whether files of this format can be written."""
    return hasattr(each, "write")


def not_carried(row: Fields, target: Any) -> Iterator[str]:
    """Yield the names of the fields of a row that a format has no place for.

    It may say which keys of contexts it has.
    """
    yield from row.keys() & ALL - target.CARRIES - {EXTRA}
    if hasattr(target, "CONTEXT_KEYS"):
        keys = {key for each in row.get(CONTEXTS) or [] if isinstance(each, dict) for key in each}
        yield from (f"{CONTEXTS}.{key}" for key in keys - target.CONTEXT_KEYS)
    as_tags = (row.get(TAGS) or {}).keys() if TAGS in target.CARRIES else set()
    for source, fields in (row.get(EXTRA) or {}).items() if EXTRA not in target.CARRIES else ():
        yield from (f"{source}.{field}" for field in fields if field not in as_tags)


def _module(name: str) -> ModuleType:
    return import_module(f"{foreign.__name__}.{name}")
