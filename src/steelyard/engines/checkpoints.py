"""Checkpoint files: the results of parts, from which a command that was stopped can be resumed.

A file holds one result: its SHA-256, a line of JSON, and the bytes of the arrays. Nothing is pickled: a result is
decoded as the type that the task declares to return, and a file that does not fit is not used.
"""

import dataclasses
import hashlib
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import repeat
from math import prod
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from steelyard import __version__
from steelyard.engines.base import Engine, Part, Result
from steelyard.errors import ConfigError
from steelyard.i18n import Localized, Message, from_json, to_json
from steelyard.io.addresses import Address
from steelyard.io.writing import errors_at
from steelyard.registry.metrics import LOADED

SUFFIX: Final = ".parts"
"""What is appended to the name of a results file for the folder of its parts."""
_HASH: Final = 32  # bytes
_ARRAYS: Final = {kind.str: kind for kind in map(np.dtype, "?efd" + np.typecodes["AllInteger"])}
"""The types of arrays that are stored."""
_WRONG: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What is raised where a stored result has another content than the task returns."""


class _Planned(NamedTuple):
    """A part, the file of its result, and whether the file was there."""

    part: Part
    path: Path
    is_done: bool


class CheckpointEngine:
    """Stores the results of another engine, and yields those that are stored already."""

    def __init__(self, engine: Engine, folder: Path, key: object) -> None:
        """Use the results in `folder` that were stored for the same `key`: inputs, settings, version."""
        self.part_bytes = engine.part_bytes
        self._engine = engine
        self._folder = folder
        self._has_used_stored = False
        modules = [file_state(getattr(sys.modules.get(name), "__file__", None) or name) for name, _ in LOADED]
        self._key = json.dumps([__version__, key, modules], sort_keys=True)

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """Yield the results of the other engine (see `Engine`), each stored before."""
        planned: deque[_Planned] = deque()
        with closing(self._engine.map_in_order(task, self._missing(task, parts, planned))) as results:
            while True:
                try:
                    result = next(results)
                except Exception as error:  # that was the last one, or a part failed
                    yield from self._stored(task, planned)
                    if isinstance(error, StopIteration):
                        return
                    raise
                yield from self._stored(task, planned)
                self._store(planned.popleft().path, result)
                yield result

    def close(self) -> None:
        """Close the other engine."""
        self._engine.close()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Replace errors about unusable values in the body, where stored results are used, by one about the folder."""
        try:
            yield
        except _WRONG:
            if not self._has_used_stored:
                raise
            message, hint = Message("engines.parts_unusable"), Message("engines.parts_unusable_hint")
            raise ConfigError(message, where=str(self._folder), hint=hint) from None

    def _missing(self, task: object, parts: Iterable[Part], planned: deque[_Planned]) -> Iterator[Part]:
        """Yield the parts that have no result yet; append all to `planned`."""
        for part in parts:
            path = self._path(task, part)
            planned.append(_Planned(part, path, path.is_file()))
            if not planned[-1].is_done:
                yield part

    def _stored(self, task: Callable[[Any], Any], planned: deque[_Planned]) -> Iterator[Any]:
        """Yield the stored results before the next missing one; a part whose file is damaged is done again here."""
        while planned and planned[0].is_done:
            part, path, _ = planned.popleft()
            try:
                result = _read(path, get_type_hints(type(task).__call__)["return"])
                self._has_used_stored = True
            except (OSError, *_WRONG):
                result = task(part.content)
                self._store(path, result)
            yield result

    def _path(self, task: object, part: Part) -> Path:
        content: object = part.content  # a range, rows, or a piece, which its number identifies
        if isinstance(content, list):
            content = hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()
        elif not isinstance(content, tuple):
            content = None
        key = json.dumps([self._key, type(task).__name__, getattr(task, "key", None), part.name, content])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.part"

    def _store(self, path: Path, result: object) -> None:
        arrays = bytearray()
        try:
            content = json.dumps(_encoded(result, arrays)).encode() + b"\n" + arrays
        except TypeError:  # not JSON: the part is done again
            return
        new = path.with_suffix(f".{os.getpid()}.new")
        with errors_at(path):
            self._folder.mkdir(exist_ok=True)
            new.write_bytes(hashlib.sha256(content).digest() + content)
            new.replace(path)


def file_state(path: str | Path) -> list[object]:
    """Return the name, size and time of change of a file, as part of a key."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return [str(path)]
    return [os.path.realpath(path), state.st_size, state.st_mtime_ns]


def _read(path: Path, kind: Any) -> Any:
    """Return the result of this type in a file; raise OSError or one of `_WRONG` if there is none."""
    content = path.read_bytes()
    if hashlib.sha256(content[_HASH:]).digest() != content[:_HASH]:
        raise ValueError("damaged")
    tree, _, arrays = content[_HASH:].partition(b"\n")
    return _decoded(json.loads(tree), kind, arrays)


def _encoded(value: Any, arrays: bytearray) -> Any:
    """Return a value as JSON, with the content of arrays appended to `arrays`."""
    if isinstance(value, np.ndarray):
        start = len(arrays)
        arrays += value.tobytes()
        return [value.shape, value.dtype.str, start]
    if isinstance(value, Localized):
        return to_json(value)
    if _is_record(type(value)):
        return {name: _encoded(getattr(value, name), arrays) for name in get_type_hints(type(value))}
    if isinstance(value, Mapping):
        members = [(key, _encoded(member, arrays)) for key, member in value.items()]
        return dict(members) if all(isinstance(key, str) for key in value) else members
    if isinstance(value, list | tuple | frozenset):
        return [_encoded(member, arrays) for member in value]
    return value


def _decoded(value: Any, kind: Any, arrays: bytes) -> Any:
    """Return the value of a type that `_encoded` has made JSON of; Any stands for JSON, unions are `X | None`."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    origin = get_origin(getattr(origin, "__value__", None)) or origin  # NDArray of numpy 2.5 is an alias of a type
    if origin is Any or (value is None and NoneType in inner):
        return value
    if origin in (Union, UnionType):
        return _decoded(value, inner[0], arrays)
    if origin is np.ndarray:
        shape, dtype, start = value
        return np.frombuffer(arrays, _ARRAYS[dtype], prod(shape), start).reshape(shape).copy()
    if _is_record(origin):
        hints = get_type_hints(origin)
        return origin(**{name: _decoded(member, hints[name], arrays) for name, member in value.items()})
    return _decoded_plain(value, origin, inner, arrays)


def _decoded_plain(value: Any, origin: Any, inner: tuple[Any, ...], arrays: bytes) -> Any:
    """Return a mapping, a sequence, or a value without members."""
    if origin in (Mapping, dict):
        pairs = value.items() if isinstance(value, dict) else value
        return {_decoded(key, inner[0], arrays): _decoded(member, inner[1], arrays) for key, member in pairs}
    if origin in (list, tuple, frozenset):
        kinds = repeat(inner[0], len(value)) if origin is not tuple or inner[1:] == (...,) else inner
        return origin(_decoded(member, kind, arrays) for member, kind in zip(value, kinds, strict=True))
    if isinstance(origin, type) and issubclass(origin, Localized):
        value = from_json(value)
    if not (value in inner if origin is Literal else isinstance(value, origin)):
        raise ValueError("another type")
    return value


def _is_record(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def begin(folder: Path, *, resume: bool) -> None:
    """Remove the results in a folder unless the command is resumed; unfinished files are removed in any case."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        hint = Message("engines.remove_file_hint")
        raise ConfigError(Message("engines.parts_no_folder"), where=str(folder), hint=hint)
    remove(folder, "*.new" if resume else "*")


def remove(folder: Path, pattern: str = "*") -> None:
    """Remove the results of parts, and the folder if nothing else is in it."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.glob(pattern):
        if path.suffix in (".part", ".new"):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def parts_folder(outputs: Sequence[Path]) -> Path | None:
    """Return the folder beside the first results file of this machine."""
    recorded = [path for path in outputs if path.suffix.lower() == ".jsonl" and not isinstance(path, Address)]
    return recorded[0].with_name(recorded[0].name + SUFFIX) if recorded else None
