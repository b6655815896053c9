"""Atomic writes: a file is written under a temporary name, synced to disk, and renamed over the old one.

A process that is killed, a full disk or a folder that may not be written to leaves the old file as it was. A killed
process may leave a hidden file `.NAME.….part` behind, which can be removed.
"""

import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.text.visible import HALVES

OVERWRITE_HINT: Final = Message("formats.overwrite_hint")
RECORDED: Final = ".jsonl"
"""Recorded data, results and reviews, are replaced only with `overwrite`."""
_LONGEST_STEM: Final = 48
_MOST_LINKS: Final = 40
_PIPE_SECONDS: Final = 10
"""Seconds to wait for the reader of a named pipe."""


@contextmanager
def errors_at(path: Path, hint: Message | None = None) -> Iterator[None]:
    """Raise errors of the system in the block as one that says which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            Message("formats.cannot_write", strerror=os_reason(error)), where=str(path), hint=hint
        ) from None


@contextmanager
def whole_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to `path` if the block succeeds, and removed otherwise.

    The mode of an old file is kept, and a symbolic link stays: its target is written. A device or a pipe is written
    to directly; a pipe that nobody reads is an error, since opening it would block. Without `overwrite` an existing
    file is an error, also one that was created in the meantime. At an address the object is written once the file,
    which is in a temporary folder, is complete.
    """
    address = addressed(path)
    with errors_at(path):
        if isinstance(address, Address):
            with _uploaded(address, overwrite=overwrite) as part:
                yield part
            return
        if _is_special(path):
            with _reader_of(path):
                yield path
            return
        if not overwrite:
            check_absent(path)
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        with _part_of(target) as part:
            yield part
            _sync(part)
            _place(part, target, overwrite=overwrite)
        sync_folder(target.parent)


def write_whole(path: Path, content: str | bytes, *, overwrite: bool = True) -> None:
    """Write a file that fits into memory, text as UTF-8 with � for half of a character."""
    data = content.encode("utf-8", HALVES) if isinstance(content, str) else content
    with whole_file(path, overwrite=overwrite) as part:
        part.write_bytes(data)


def replace_whole(part: Path, path: Path) -> None:
    """Rename a finished file over another, durably."""
    _sync(part)
    _keep_rights(part, path)
    os.replace(part, path)
    sync_folder(path.parent)


def check_absent(path: Path) -> None:
    """Refuse an existing file or object; devices and pipes have no content to lose."""
    if path.exists() and (isinstance(path, Address) or not _is_special(path)):
        raise ConfigError(Message("formats.file_exists"), where=str(path), hint=OVERWRITE_HINT)


def check_outputs(
    paths: Sequence[Path], inputs: Sequence[str | Path] = (), *, suffixes: Sequence[str], overwrite: bool = False
) -> None:
    """Refuse, before any work is done, paths that cannot be written or would overwrite an input or recorded data."""
    for path in paths:
        where = str(path)
        if path.suffix.lower() not in suffixes:
            hint = Message("core.known", names=", ".join(suffixes))
            raise ConfigError(Message("reports.unknown_format", suffix=path.suffix), where=where, hint=hint)
        check_output(path, inputs, overwrite=overwrite or path.suffix.lower() != RECORDED)


def check_output(path: Path, inputs: Sequence[str | Path] = (), *, overwrite: bool) -> None:
    """Refuse a path that cannot be written, that is also an input or another output, or that may not be replaced."""
    _check_place(path)
    check_distinct(path, inputs)
    if not overwrite:
        check_absent(path)


def check_distinct(path: Path, others: Sequence[str | Path]) -> None:
    """Refuse a path that is also one of others."""
    if any(_is_same(path, other) for other in others):
        hint = Message("reports.other_name_hint")
        raise ConfigError(Message("reports.overwrites_input"), where=str(path), hint=hint)


def _check_place(path: Path) -> None:
    """Refuse an address that cannot be written, a file in a folder that does not exist, and a folder."""
    if isinstance(path, Address):
        from steelyard.io.objects import check_writable

        check_writable(path)
    elif not path.parent.is_dir():
        message, hint = Message("cli.no_folder", folder=str(path.parent)), Message("reports.create_folder_hint")
        raise ConfigError(message, where=str(path), hint=hint)
    elif path.is_dir():
        raise ConfigError(Message("reports.is_folder"), where=str(path))


def _is_same(path: Path, given: str | Path) -> bool:
    """Return whether two paths are one file, which may not exist yet."""
    if isinstance(path, Address) or isinstance(addressed(given), Address):
        return path == addressed(given)
    other = Path(given)
    return path.absolute() == other.absolute() or (path.exists() and other.exists() and path.samefile(other))


def sync_folder(folder: Path) -> None:
    """Sync a folder after a rename, on systems where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _uploaded(address: Address, *, overwrite: bool) -> Iterator[Path]:
    """Yield a file in a temporary folder, which becomes an object at the end."""
    from tempfile import TemporaryDirectory

    from steelyard.io.objects import upload

    if not overwrite:
        check_absent(address)
    with TemporaryDirectory(prefix="steelyard-") as folder:
        part = Path(folder, "object")
        part.touch()
        yield part
        upload(part, address, overwrite=overwrite)


@contextmanager
def _part_of(target: Path) -> Iterator[Path]:
    """Yield an empty file beside `target`, with its mode and owner; it is removed unless it was renamed."""
    old = target.stat() if target.exists() else None
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(target))
    part = target.with_name(f".{target.name[:_LONGEST_STEM]}.{secrets.token_hex(6)}.part")
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode) & 0o777 | 0o600
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    try:
        yield part
    finally:
        with suppress(OSError):
            part.unlink()


def _place(part: Path, target: Path, *, overwrite: bool) -> None:
    _keep_rights(part, target)
    if overwrite:
        os.replace(part, target)
        return
    try:
        os.link(part, target)  # unlike a rename, this fails if the file exists
    except FileExistsError:
        raise ConfigError(Message("formats.file_exists"), where=str(target), hint=OVERWRITE_HINT) from None
    except OSError:  # a file system without hard links
        os.replace(part, target)


def _keep_rights(part: Path, target: Path) -> None:
    """Give a new file the mode and the owner of the one that it replaces."""
    if not target.exists():
        return
    old = target.stat()
    if sys.platform != "win32":
        with suppress(OSError):  # only root may change the owner of a file
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _reader_of(path: Path) -> Iterator[None]:
    """Hold a named pipe open while it is written; an error if it has no reader."""
    if not path.is_fifo():
        yield
        return
    descriptor = _opened(path)
    try:
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """Return a named pipe, opened once it has a reader."""
    end = time.monotonic() + _PIPE_SECONDS
    while True:
        try:
            return os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        if time.monotonic() > end:
            raise ConfigError(
                Message("formats.pipe_without_reader"), where=str(path), hint=Message("formats.start_reader_hint")
            ) from None
        time.sleep(0.02)


def _is_special(path: Path) -> bool:
    """Whether it is not a regular file, or a link to an open one such as /dev/stdout."""
    with suppress(OSError):
        if not stat.S_ISREG(path.stat().st_mode):
            return not path.is_dir()
    place = Path(os.path.abspath(path))
    for _ in range(_MOST_LINKS):
        if str(place.parent) in ("/dev", "/dev/fd") or place.is_relative_to("/proc"):
            return True
        if not place.is_symlink():
            return False
        place = Path(os.path.abspath(place.parent / os.readlink(place)))
    return False
