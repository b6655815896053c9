"""Results of parts kept in a folder before they count, so that a command that was stopped can be resumed.

A file holds one result: its SHA-256, then an `.npz` archive of its arrays and a JSON tree of everything else. Nothing
is pickled, and a file whose hash is wrong is not used.
"""

import dataclasses
import hashlib
import io
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard import __version__
from steelyard.engines.base import Engine, Part, Result
from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import Localized, Message, from_json, to_json
from steelyard.io.addresses import Address
from steelyard.registry.metrics import LOADED

SUFFIX: Final = ".parts"
"""What is appended to the name of a results file for the folder of its parts."""
_HASH: Final = 32  # bytes


class _Planned(NamedTuple):
    """A part, the file of its result, and whether the file was there."""

    part: Part
    path: Path
    is_done: bool


class CheckpointEngine:
    """An engine that keeps the results of another one, and gives those that are kept already."""

    def __init__(self, engine: Engine, folder: Path, key: object) -> None:
        """Results in `folder` count if they were kept for the same `key`: inputs, settings, version."""
        self.part_bytes = engine.part_bytes
        self._engine = engine
        self._folder = folder
        self._key = json.dumps([__version__, key, [_state(name) for name, _ in LOADED]], sort_keys=True)

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """The results of the other engine (see `Engine`), each kept before it is given."""
        planned: deque[_Planned] = deque()
        with closing(self._engine.map_in_order(task, self._missing(task, parts, planned))) as results:
            while True:
                try:
                    result = next(results)
                except Exception as error:  # the last one was given, or a part failed
                    yield from self._kept(task, planned)
                    if isinstance(error, StopIteration):
                        return
                    raise
                yield from self._kept(task, planned)
                self._keep(planned.popleft().path, result)
                yield result

    def close(self) -> None:
        """Close the other engine."""
        self._engine.close()

    def _missing(self, task: object, parts: Iterable[Part], planned: deque[_Planned]) -> Iterator[Part]:
        """The parts that have no result yet; all are appended to `planned`."""
        for part in parts:
            path = self._path(task, part)
            planned.append(_Planned(part, path, path.exists()))
            if not planned[-1].is_done:
                yield part

    def _kept(self, task: Callable[[Any], Any], planned: deque[_Planned]) -> Iterator[Any]:
        """The kept results before the next that is missing; one that is damaged is made again here."""
        while planned and planned[0].is_done:
            part, path, _ = planned.popleft()
            try:
                result = _read(path)
            except (ValueError, OSError, LookupError, TypeError, AttributeError, ImportError):
                result = task(part.content)
                self._keep(path, result)
            yield result

    def _path(self, task: object, part: Part) -> Path:
        content = part.content  # a range, rows, or a piece that its number stands for
        about = content if isinstance(content, tuple) else _digest_of(content) if isinstance(content, list) else None
        key = json.dumps([self._key, type(task).__name__, getattr(task, "key", None), part.name, about])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.part"

    def _keep(self, path: Path, result: object) -> None:
        with suppress(_NotStorable):
            content = _content(result)
            new = path.with_suffix(f".{os.getpid()}.new")
            try:
                self._folder.mkdir(exist_ok=True)
                new.write_bytes(hashlib.sha256(content).digest() + content)
                new.replace(path)
            except OSError as error:
                message = Message("formats.cannot_write", strerror=os_reason(error))
                raise ConfigError(message, where=str(path)) from None


class _NotStorable(Exception):
    """A value that is not kept; its part is done again."""


def file_state(path: str | Path) -> list[object]:
    """The name, size and time of change of a file, as part of a key."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return [str(path)]
    return [os.path.realpath(path), found.st_size, found.st_mtime_ns]


def _state(module: str) -> list[object]:
    """The state of the file of a module of metrics."""
    return file_state(getattr(sys.modules.get(module), "__file__", None) or module)


def _digest_of(content: object) -> str:
    """A hash of the rows that are sent with a part."""
    return hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()


def _content(result: object) -> bytes:
    arrays: dict[str, Any] = {}
    tree = json.dumps(_encoded(result, arrays)).encode("utf-8", "surrogatepass")
    file = io.BytesIO()
    np.savez(file, tree=np.frombuffer(tree, np.uint8), **arrays)
    return file.getvalue()


def _read(path: Path) -> Any:
    content = path.read_bytes()
    if hashlib.sha256(content[_HASH:]).digest() != content[:_HASH]:
        raise ValueError("damaged")
    with np.load(io.BytesIO(content[_HASH:]), allow_pickle=False) as arrays:
        return _decoded(json.loads(arrays["tree"].tobytes().decode("utf-8", "surrogatepass")), arrays)


def _encoded(value: object, arrays: dict[str, Any]) -> Any:
    """A value as JSON: lists are lists, everything else that JSON has not is `{kind: content}`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays[name := f"a{len(arrays)}"] = value
        return {"array": name}
    if isinstance(value, Localized):
        return {"message": to_json(value)}
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        names = getattr(value, "_fields", None) or [each.name for each in dataclasses.fields(value)]  # type: ignore[arg-type]
        kind = f"{type(value).__module__}:{type(value).__name__}"
        return {"object": [kind, {name: _encoded(getattr(value, name), arrays) for name in names}]}
    return _encoded_members(value, arrays)


def _encoded_members(value: object, arrays: dict[str, Any]) -> Any:
    match value:
        case list():
            return [_encoded(each, arrays) for each in value]
        case tuple():
            return {"tuple": [_encoded(each, arrays) for each in value]}
        case frozenset() if all(isinstance(each, str) for each in value):
            return {"set": sorted(value)}
        case Mapping():
            return {"map": [[_encoded(key, arrays), _encoded(each, arrays)] for key, each in value.items()]}
    raise _NotStorable(type(value).__name__)


def _decoded(value: Any, arrays: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return _DECODERS[kind](content, arrays)


_DECODERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "array": lambda name, arrays: arrays[name],
    "message": lambda message, _: from_json(message),
    "object": lambda pair, arrays: _class_of(pair[0])(**{key: _decoded(each, arrays) for key, each in pair[1].items()}),
    "tuple": lambda members, arrays: tuple(_decoded(each, arrays) for each in members),
    "set": lambda members, _: frozenset(members),
    "map": lambda pairs, arrays: {_decoded(key, arrays): _decoded(each, arrays) for key, each in pairs},
}


def _class_of(kind: str) -> Any:
    """A class of values of this package."""
    module, _, name = kind.partition(":")
    if module.partition(".")[0] != "steelyard":
        raise ValueError(kind)
    found = getattr(import_module(module), name)
    if not (isinstance(found, type) and (dataclasses.is_dataclass(found) or hasattr(found, "_fields"))):
        raise ValueError(kind)
    return found


def begin(folder: Path, *, resume: bool) -> None:
    """Remove the results in a folder unless the command is resumed; unfinished files are removed in any case."""
    if folder.exists() and not folder.is_dir():
        message = Message("engines.parts_no_folder")
        raise ConfigError(message, where=str(folder), hint=Message("engines.remove_file_hint"))
    remove(folder, "*.new" if resume else "*")


def remove(folder: Path, pattern: str = "*") -> None:
    """Remove the results of parts, and the folder if nothing else is in it."""
    names = [path for path in folder.glob(pattern) if path.suffix in (".part", ".new")] if folder.is_dir() else []
    for path in names:
        path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def parts_folder(outputs: Sequence[Path]) -> Path | None:
    """The folder beside the first results file of this machine."""
    recorded = [path for path in outputs if path.suffix.lower() == ".jsonl" and not isinstance(path, Address)]
    return recorded[0].with_name(recorded[0].name + SUFFIX) if recorded else None
