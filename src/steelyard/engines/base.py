"""The protocol of engines, how one is opened, and what they share: parts, the state of a worker, results as bytes."""

import logging
import os
import pickle
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from steelyard import __version__, limits
from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.registry.kinds import declared, lower_is_better
from steelyard.registry.metrics import LOADED, load_metrics

Content = TypeVar("Content")
Result = TypeVar("Result")

_CLUSTERS: Final = {"ray": "steelyard.engines.ray:RayEngine", "dask": "steelyard.engines.dask:DaskEngine"}
ENGINES: Final = ("local", *_CLUSTERS)
RUN_BYTES: Final = 64 << 20
"""Bytes of a part of a run, which ends where the query changes."""
_ROW_BYTES: Final = (2 << 20, 8 << 20)
_ROW_PARTS: Final = 256
_AHEAD: Final = 3  # parts of a cluster for each processor whose results are not given yet


class Part(NamedTuple):
    """A part of an input: its name for messages, and what the task is given."""

    name: str
    content: Any


class Engine(Protocol):
    """Maps tasks over parts.

    `part_bytes` replaces the usual size of parts of files; results do not depend on it.
    """

    part_bytes: int | None

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """Yield `task(part.content)` of every part, in order; task, contents and results can be pickled.

        Few parts are taken ahead. A part whose worker was lost is done again, at most `retries` times; then the error
        names it. An exception of the task is raised when the results before it were given, and never retried.
        """

    def close(self) -> None:
        """Release what the engine holds."""


def row_bytes(size: int) -> int:
    """Return the bytes of a part of a JSONL file of this size; parts end with a batch of rows.

    They grow with the file, and depend on nothing else, so that every engine has the same parts.
    """
    least, most = _ROW_BYTES
    return min(max(least, size // _ROW_PARTS), most)


def until_error(parts: Iterable[Part], errors: list[Exception]) -> Iterator[Part]:
    """Yield parts up to an error of reading, which is kept in `errors`, to be raised after the results before it."""
    try:
        yield from parts
    except Exception as error:
        errors.append(error)


class PartLost(ConfigError):
    """The worker of a part was lost more often than is retried."""

    @classmethod
    def of(cls, part: str, times: int) -> "PartLost":
        """Return the error about the part of this name."""
        return cls(Message("engines.part_lost", times=times), where=part, hint=Message("engines.memory_hint"))


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What the program has set and a new process has not: limits, modules of metrics, metrics of which less is better.

    It is set in the process in which it is unpickled, so it is sent before the task.
    """

    limits: Mapping[str, float]
    modules: Sequence[tuple[str, str | None]]
    lower: Sequence[str]

    @classmethod
    def current(cls) -> "WorkerState":
        """Return the state of this process."""
        values = {name: limit.value for name, limit in limits.LIMITS.items()}
        return cls(values, tuple(LOADED), tuple(sorted(declared())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (dict(self.limits), self.modules, self.lower)


def _restored(values: Mapping[str, float], modules: Sequence[tuple[str, str | None]], lower: Sequence[str]) -> None:
    """Set the state of another process in this one."""
    for name, value in values.items():
        limits.LIMITS[name].value = value
    for module, folder in modules:
        load_metrics([module], None if folder is None else Path(folder))
    lower_is_better(*lower)


def check_at_least(what: str, value: int | None, least: int) -> None:
    """Raise an error if a number is too small; None stands for the default."""
    if value is not None and value < least:
        raise ConfigError(Message("engines.at_least", what=what, least=least, value=value))


def usual_workers() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_engine(
    name: str, *, workers: int | None = None, address: str | None = None, retries: int | None = None
) -> Engine:
    """Return the engine of this name; `address` is that of a cluster, which is connected to or started at once."""
    if name not in ENGINES:
        raise UnknownName.of(Message("words.engine"), name, ENGINES)
    if address is not None and name == "local":
        raise ConfigError(Message("engines.address_of_local"), hint=Message("engines.address_hint"))
    logging.getLogger(__name__).debug(Message("log.engine", name=name, workers=workers or usual_workers()))
    if name == "local":
        from steelyard.engines.local import LocalEngine

        return LocalEngine(workers, retries=1 if retries is None else retries)
    cluster = resolve_name(_CLUSTERS[name])(address, workers=workers, retries=3 if retries is None else retries)
    cluster.connect()
    return cluster  # type: ignore[no-any-return]  # imported by its name


@contextmanager
def engine_of(engine: str | Engine | None, *, workers: int | None = None) -> Iterator[Engine | None]:
    """Open the engine of a name and close it at the end; yield an engine or None as it is."""
    if not isinstance(engine, str):
        if engine is not None and not hasattr(engine, "map_in_order"):
            raise TypeError(f"engine must be a name or an Engine, not {type(engine).__name__}")
        yield engine
        return
    opened = open_engine(engine, workers=workers)
    try:
        yield opened
    finally:
        opened.close()


def outcome(task: Callable[[Any], Any], content: Any) -> bytes:
    """Return (True, result) or (False, exception) of a task as bytes that another process can read."""
    succeeded, value = _attempt(task, content)
    try:
        sent = pickle.dumps((succeeded, value), pickle.HIGHEST_PROTOCOL)
        if not succeeded:
            pickle.loads(sent)  # some exceptions can be pickled but not unpickled
        return sent
    except Exception as error:  # the result or the exception cannot be pickled
        fault = RuntimeError(f"{type(value).__name__}: {error if succeeded else value}")
        for note in getattr(value, "__notes__", ()):
            fault.add_note(note)
        return pickle.dumps((False, fault))


def _attempt(task: Callable[[Any], Any], content: Any) -> tuple[bool, Any]:
    """Return True and the result of a task, or False and its exception, with the traceback as a note if unexpected."""
    try:
        return True, task(content)
    except Exception as error:
        if not isinstance(error, SteelyardError):
            error.add_note(f"in a worker:\n{traceback.format_exc().rstrip()}")
        return False, error


class ClusterEngine:
    """Tasks on a cluster, or on this machine; a part whose process or node is lost is done again.

    Every node has the same version of this package, and the files that are read under the same paths.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, retries: int = 3, part_bytes: int | None = None
    ) -> None:
        """Set the address of a cluster; without one it is started on this machine, with so many workers."""
        check_at_least("workers", workers, 1)
        check_at_least("retries", retries, 0)
        self.address = address
        self.workers = workers
        self.retries = retries
        self.part_bytes = part_bytes

    def _no_connection(self, cluster: str, error: Exception, hint: Message) -> SystemFailure:
        """Return the error about a cluster that cannot be reached; `cluster` is the name of the software."""
        text = str(error).strip().partition("\n")[0]
        message = Message("engines.no_cluster", cluster=cluster, error=f"{type(error).__name__}: {text}")
        return SystemFailure(message, where=self.address, hint=hint)


def map_ahead(
    parts: Iterable[Part], processors: int, submit: Callable[[Any], Any], result: Callable[[Part, Any], Any]
) -> Generator[Any, None, None]:
    """Yield results in the order of parts, of which few are submitted ahead.

    `submit` turns a content into a reference, `result` a part and its reference into the result.
    """
    waiting: deque[tuple[Part, Any]] = deque()
    errors: list[Exception] = []
    for part in until_error(parts, errors):
        waiting.append((part, submit(part.content)))
        if len(waiting) >= _AHEAD * processors:
            yield result(*waiting.popleft())
    while waiting:
        yield result(*waiting.popleft())
    if errors:
        raise errors[0]


def packed(task: Callable[[Any], Any], dumps: Callable[[Any], bytes]) -> tuple[str, bytes]:
    """Return the key and the bytes of a task with the state that it needs; `dumps` pickles code of notebooks too."""
    content = dumps((WorkerState.current(), task))
    return sha256(content).hexdigest(), content


class _Latest(threading.local):
    """The task of a thread of this process: workers of Dask may have several."""

    key = ""
    task: Callable[[Any], Any]


_LATEST: Final = _Latest()


def work(version: str, key: str, shared: Any, content: Any) -> bytes:
    """Return the outcome of a part; the task is unpickled once in a thread.

    `version` is that of the program, `shared` are the bytes of the task.
    """
    if version != __version__:
        return pickle.dumps((False, other_version("steelyard", __version__, version)))
    if _LATEST.key != key:
        _LATEST.task = pickle.loads(memoryview(shared))[1]
        _LATEST.key = key
    return outcome(_LATEST.task, content)


def received(sent: bytes) -> Any:
    """Return the result that a worker has sent, or raise its exception."""
    succeeded, value = pickle.loads(sent)
    if not succeeded:
        raise value
    return value


def other_version(package: str, version: str, driver: str) -> ConfigError:
    """Return the error about a node that has another version of a package than this program."""
    message = Message("engines.other_version", version=f"{package} {version}", driver=f"{package} {driver}")
    return ConfigError(message, hint=Message("engines.same_version_hint"))


def worker_failed(part: str, error: str) -> SystemFailure:
    """Return the error about a task that was not begun: the package is missing on the node."""
    message = Message("engines.worker_failed", error=error)
    return SystemFailure(message, where=part, hint=Message("engines.same_version_hint"))
