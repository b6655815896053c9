"""Results of parts kept in a folder before they count, so that a command that was stopped can be resumed.

A file holds one result: its SHA-256, a line of JSON, and the bytes of the arrays. Nothing is pickled, only classes that
the task declares are rebuilt, and a file that is wrong is not used.
"""

import dataclasses
import hashlib
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain, repeat
from math import prod
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from steelyard import __version__
from steelyard.engines.base import Engine, Part, Result
from steelyard.errors import ConfigError, os_reason
from steelyard.i18n import Localized, Message, from_json, to_json
from steelyard.io.addresses import Address
from steelyard.registry.metrics import LOADED

SUFFIX: Final = ".parts"
"""What is appended to the name of a results file for the folder of its parts."""
_HASH: Final = 32  # bytes
_ARRAYS: Final = frozenset(np.dtype(code).str for code in "?efd" + np.typecodes["AllInteger"])
"""The types of arrays that are kept."""
_WRONG: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What is raised where a kept result has another content than the task gives."""


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
        self._has_given_kept = False
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

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Results are used in this block: what fails after some of them were kept ones is blamed on these."""
        try:
            yield
        except _WRONG:
            if not self._has_given_kept:
                raise
            message, hint = Message("engines.parts_unusable"), Message("engines.parts_unusable_hint")
            raise ConfigError(message, where=str(self._folder), hint=hint) from None

    def _missing(self, task: object, parts: Iterable[Part], planned: deque[_Planned]) -> Iterator[Part]:
        """The parts that have no result yet; all are appended to `planned`."""
        for part in parts:
            path = self._path(task, part)
            planned.append(_Planned(part, path, path.is_file()))
            if not planned[-1].is_done:
                yield part

    def _kept(self, task: Callable[[Any], Any], planned: deque[_Planned]) -> Iterator[Any]:
        """The kept results before the next that is missing; one that is damaged is made again here."""
        while planned and planned[0].is_done:
            part, path, _ = planned.popleft()
            try:
                result = _read(path, task)
                self._has_given_kept = True
            except (OSError, *_WRONG):
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
    arrays = bytearray()
    tree = json.dumps(_encoded(result, arrays)).encode()
    return tree + b"\n" + arrays


def _read(path: Path, task: Callable[[Any], Any]) -> Any:
    content = path.read_bytes()
    if hashlib.sha256(content[_HASH:]).digest() != content[:_HASH]:
        raise ValueError("damaged")
    tree, _, arrays = content[_HASH:].partition(b"\n")
    kind = get_type_hints(type(task).__call__).get("return")
    result = _Decoder(_declared(kind), arrays).decoded(json.loads(tree))
    if kind is not None and not _fits(result, kind):
        raise ValueError("another type")
    return result


def _declared(kind: Any) -> dict[str, type]:
    """The classes of records in values of a type, by the names that they have in files."""
    found = {_kind(kind): kind} if isinstance(kind, type) and _is_record(kind) else {}
    inner = get_type_hints(kind).values() if found else get_args(kind)
    return found | {name: each for further in inner for name, each in _declared(further).items()}


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, and its members of theirs; raises one of `_WRONG` for some that are not."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    origin = get_origin(getattr(origin, "__value__", None)) or origin  # NDArray of numpy 2.5 is an alias of a type
    if origin is Any:
        return bool(json.dumps(value))
    if origin in (Union, UnionType, Literal):
        return value in inner if origin is Literal else any(_fits(value, each) for each in inner)
    if isinstance(value, np.ndarray) or not isinstance(value, origin):
        return isinstance(value, origin)
    return all(_fits(member, each) for member, each in _members(value, origin, inner))


def _members(value: Any, origin: Any, inner: tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    """The members of a value with their types."""
    if _is_record(origin):
        return ((getattr(value, name), each) for name, each in get_type_hints(origin).items())
    if isinstance(value, Mapping):
        return chain(zip(value, repeat(inner[0])), zip(value.values(), repeat(inner[1])))
    if isinstance(value, tuple) and inner[1:] != (...,):
        return zip(value, inner, strict=True)
    return zip(value, repeat(inner[0])) if inner else ()


def _is_record(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def _kind(kind: type) -> str:
    return f"{kind.__module__}:{kind.__name__}"


def _encoded(value: object, arrays: bytearray) -> Any:
    """A value as JSON: lists are lists, everything else that JSON has not is `{kind: content}`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.str in _ARRAYS:
        start = len(arrays)
        arrays += value.tobytes()
        return {"array": [value.shape, value.dtype.str, start]}
    if isinstance(value, Localized):
        return {"message": to_json(value)}
    if _is_record(type(value)):
        names = getattr(value, "_fields", None) or [each.name for each in dataclasses.fields(value)]  # type: ignore[arg-type]
        return {"object": [_kind(type(value)), {name: _encoded(getattr(value, name), arrays) for name in names}]}
    return _encoded_members(value, arrays)


def _encoded_members(value: object, arrays: bytearray) -> Any:
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


class _Decoder(NamedTuple):
    """Rebuilds what was encoded, with these classes and the bytes of the arrays."""

    classes: Mapping[str, type]
    arrays: bytes

    def decoded(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decoded(each) for each in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        return _DECODERS[kind](self, content)

    def object(self, name: str, fields: Mapping[str, Any]) -> Any:
        return self.classes[name](**{field: self.decoded(each) for field, each in fields.items()})

    def array(self, shape: Sequence[int], kind: str, start: int) -> NDArray[Any]:
        if kind not in _ARRAYS:
            raise ValueError(kind)
        return np.frombuffer(self.arrays, kind, prod(shape), start).reshape(shape).copy()


_DECODERS: Final[Mapping[str, Callable[[_Decoder, Any], Any]]] = {
    "array": lambda decoder, content: decoder.array(*content),
    "message": lambda _, message: from_json(message),
    "object": lambda decoder, content: decoder.object(*content),
    "tuple": lambda decoder, members: tuple(map(decoder.decoded, members)),
    "set": lambda _, members: frozenset(members),
    "map": lambda decoder, pairs: {decoder.decoded(key): decoder.decoded(each) for key, each in pairs},
}


def begin(folder: Path, *, resume: bool) -> None:
    """Remove the results in a folder unless the command is resumed; unfinished files are removed in any case."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        message = Message("engines.parts_no_folder")
        raise ConfigError(message, where=str(folder), hint=Message("engines.remove_file_hint"))
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
    """The folder beside the first results file of this machine."""
    recorded = [path for path in outputs if path.suffix.lower() == ".jsonl" and not isinstance(path, Address)]
    return recorded[0].with_name(recorded[0].name + SUFFIX) if recorded else None
