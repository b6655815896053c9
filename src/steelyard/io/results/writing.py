"""Results files being written: whole tables at once, or a run item by item."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.addresses import path_of
from steelyard.io.locking import try_lock
from steelyard.io.results.lines import Footer, Header, Item, dump, items_of
from steelyard.io.results.reading import Section, not_one, read_sections
from steelyard.io.writing import errors_at, whole_file, write_whole
from steelyard.table import Table
from steelyard.text.visible import HALVES

EXISTS_HINT: Final = Message("formats.resume_or_overwrite_hint")
UNWRITTEN_HINT: Final = Message("formats.disk_space_hint")
NEW: Final = ".new"
"""Suffix of the file to which a run is written that is to replace an older one."""
_HEADER_START: Final = b'{"steelyard": '


def save(table: Table, path: str | Path) -> None:
    """Write a table as a results file; an older file is replaced once the new one is whole."""
    save_all([table], path_of(path))


def save_all(tables: Sequence[Table], path: Path, *, overwrite: bool = True) -> None:
    """Write several tables, one result after another; one that is not complete has no footer."""
    with whole_file(path, overwrite=overwrite) as part, open(part, "wb") as file:
        for table in tables:
            file.write(_line(Header.of(table)))
            file.writelines(map(_line, items_of(table)))
            if table.complete:
                file.write(_line(Footer.of(table)))


def _line(line: Header | Item | Footer) -> bytes:
    return (dump(line.to_line()) + "\n").encode("utf-8", HALVES)


class ResultsWriter:
    """A results file being written, item by item; each line has left the process before `add` returns."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """Begin a new file; an old one of that name is not overwritten."""
        try:
            writer = cls(open(path, "x+", encoding="utf-8", newline="\n"), path)  # noqa: SIM115 - closed by `finish` or `__exit__`
        except FileExistsError:
            check_new(path)
            raise
        _lock(writer._file, path)
        writer.add(header)
        return writer

    @classmethod
    def replace(cls, path: Path, header: Header) -> Self:
        """Begin a file anew, without its old content, unless another run is writing it."""
        writer = cls(_open_locked(path), path)
        with errors_at(path, UNWRITTEN_HINT):
            writer._file.truncate(0)
        writer.add(header)
        return writer

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Header, list[Item]]:
        """Continue a file that was left unfinished: the writer, its header and the items it already has."""
        if not path.is_file():
            raise InputError(Message("formats.no_such_file"), where=str(path))
        writer, header, items = cls.resume_or_begin(path, None)
        if writer is None:
            hint = Message("formats.new_file_hint")
            raise InputError(Message("formats.result_finished"), where=str(path), hint=hint)
        return writer, header, items

    @classmethod
    def resume_or_begin(cls, path: Path, header: Header | None) -> tuple[Self | None, Header, list[Item]]:
        """Return the same, but a file that is missing or empty is begun; no writer for a result that is finished.

        The file is locked before it is read, so that what another run adds to it is never cut off.
        """
        writer = cls(_open_locked(path), path)
        with ExitStack() as stack:
            stack.callback(writer.close)
            section = _only_section(path) or _begin(writer, header)
            section.check_scores()
            items = list(section.items.values())
            if section.footer is not None:
                return None, section.header, items
            os.truncate(path, section.end)
            stack.pop_all()  # the file stays open
        return writer, section.header, items

    def add(self, line: Header | Item | Footer) -> None:
        """Write one line."""
        with errors_at(self.path, UNWRITTEN_HINT):
            self._file.write(dump(line.to_line()) + "\n")
            self._file.flush()
        if not _is_at(self._file, self.path):
            message = Message("formats.results_removed", path=self._saved())
            raise ConfigError(message, where=str(self.path), hint=Message("formats.results_removed_hint"))

    def _saved(self) -> str:
        """Write all lines again, because the file was removed, or beside the one that has replaced it."""
        path = self.path.with_stem(f"{self.path.stem}-{os.getpid()}") if self.path.exists() else self.path
        self._file.seek(0)
        write_whole(path, self._file.read(), overwrite=False)
        return str(path)

    def finish(self, footer: Footer) -> None:
        """Write the footer and close."""
        self.add(footer)
        with errors_at(self.path, UNWRITTEN_HINT):
            os.fsync(self._file.fileno())
        self.close()

    def close(self) -> None:
        """Close the file; it can be resumed."""
        with suppress(OSError):  # a line that could not be written was reported by `add`
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep others from writing an existing file while the block runs."""
    if not path.is_file():
        yield
        return
    with open(path, "rb") as file:
        _lock(file, path)
        yield


def check_new(path: Path) -> None:
    """Refuse a results file that exists already."""
    if path.exists() or path.is_symlink():
        raise InputError(Message("formats.file_exists"), where=str(path), hint=EXISTS_HINT)


def check_regular(path: Path) -> None:
    """Refuse a device, a pipe or a folder: a run is appended to its file, which is locked and read again."""
    if path.exists() and not path.is_file():
        raise InputError(Message("formats.results_not_regular_file"), where=str(path))


def new_path(path: Path) -> Path:
    """Where a run is written that is to replace the results file `path`."""
    return path.with_name(path.name + NEW)


def check_unfinished(path: Path) -> None:
    """Refuse to write to a file at `new_path` that is not a results file: a link, a pipe, or a file of others."""
    if not path.is_symlink() and not path.exists():
        return
    is_ours = not path.is_symlink() and path.is_file() and _HEADER_START.startswith(_first_bytes(path))
    if not is_ours:
        hint = Message("formats.unfinished_run_hint")
        raise InputError(Message("formats.not_unfinished_run"), where=str(path), hint=hint)


def _first_bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(_HEADER_START))


def _open_locked(path: Path) -> IO[str]:
    """Return a file to append to, created if missing, that no other run writes; it is locked before it is read."""
    while True:
        file = open(path, "a+", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by the writer
        _lock(file, path)
        if _is_at(file, path):
            return file
        file.close()  # it was replaced or removed before the lock was acquired


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _only_section(path: Path) -> Section | None:
    """Return the only result in a file; None for an empty file, or one with a part of a header only."""
    start = _first_bytes(path)
    if not start:
        return None
    if not start.startswith(b"{"):
        hint = Message("formats.decompress_hint")
        raise InputError(Message("formats.results_file_compressed"), where=str(path), hint=hint)
    sections = read_sections(path)
    if not sections and not _HEADER_START.startswith(start):
        raise InputError(Message("formats.nothing_to_resume"), where=str(path))
    if len(sections) > 1:
        raise not_one([section.header.name for section in sections], path)
    return sections[0] if sections else None


def _begin(writer: ResultsWriter, header: Header | None) -> Section:
    """Return the section of a file that is begun anew."""
    if header is None:
        raise InputError(Message("formats.nothing_to_resume"), where=str(writer.path))
    os.truncate(writer.path, 0)
    writer.add(header)
    return Section(header, end=writer.path.stat().st_size)


def _lock(file: IO[Any], path: Path) -> None:
    """Keep two runs from writing one file; the lock is released when the process ends."""
    with errors_at(path):
        is_locked = try_lock(file)
    if not is_locked:
        file.close()
        hint = Message("formats.file_locked_hint")
        raise InputError(Message("formats.file_locked"), where=str(path), hint=hint)
