"""What engines have in common: parts, the protocol, the state that a worker needs, and the error about a lost part."""

import logging
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from steelyard import limits
from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message
from steelyard.registry.metrics import LOADED, load_metrics
from steelyard.stats.direction import declared, lower_is_better

Content = TypeVar("Content")
Result = TypeVar("Result")

ENGINES: Final = ("local", "ray", "dask")
RUN_BYTES: Final = 64 << 20
"""Bytes of a part of a run, which ends where the query changes."""
_ROW_BYTES: Final = (2 << 20, 8 << 20)
_ROW_PARTS: Final = 256


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
        """`task(part.content)` of every part, in order; task, contents and results can be sent to other processes.

        Few parts are taken ahead. A part whose worker was lost is done again, at most `retries` times; then the error
        names it. An exception of the task is raised when the results before it were given, and never retried.
        """

    def close(self) -> None:
        """Release what the engine holds."""


def row_bytes(size: int) -> int:
    """Bytes of a part of a JSONL file of this size, which ends with a batch of rows; large files have larger parts.

    It depends on the file alone, so that every engine has the same parts.
    """
    least, most = _ROW_BYTES
    return min(max(least, size // _ROW_PARTS), most)


class TakenParts:
    """Parts as they are taken; an error of reading ends them and is kept, to be raised after the results before it."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._parts = iter(parts)
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[Part]:
        return self

    def __next__(self) -> Part:
        try:
            return next(self._parts)
        except StopIteration:
            raise
        except Exception as error:
            self._error, self._parts = error, iter(())
            raise StopIteration from None

    def raise_error(self) -> None:
        """Raise the error of reading, if there was one."""
        if self._error is not None:
            raise self._error


class PartLost(ConfigError):
    """The worker of a part was lost more often than is retried."""

    @classmethod
    def of(cls, part: str, times: int) -> "PartLost":
        """The error about the part of this name."""
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
        """The state of this process."""
        values = {name: limit.value for name, limit in limits.LIMITS.items()}
        return cls(values, tuple(LOADED), tuple(sorted(declared())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (dict(self.limits), self.modules, self.lower)


def _restored(values: Mapping[str, float], modules: Sequence[tuple[str, str | None]], lower: Sequence[str]) -> None:
    """Set the state of another process in this one."""
    from pathlib import Path

    for name, value in values.items():
        limits.LIMITS[name].value = value
    for module, folder in modules:
        load_metrics([module], None if folder is None else Path(folder))
    lower_is_better(*lower)


def check_at_least(what: str, value: int | None, least: int) -> None:
    """Refuse a number that is too small; None is for the usual one."""
    if value is not None and value < least:
        raise ConfigError(Message("engines.at_least", what=what, least=least, value=value))


def usual_workers() -> int:
    """The number of workers if none is given: the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_engine(
    name: str, *, workers: int | None = None, address: str | None = None, retries: int | None = None
) -> Engine:
    """The engine of this name; `address` is that of a cluster, which is connected to or started at once."""
    if name not in ENGINES:
        raise UnknownName.of(Message("words.engine"), name, ENGINES)
    if address is not None and name == "local":
        raise ConfigError(Message("engines.address_of_local"), hint=Message("engines.address_hint"))
    logging.getLogger(__name__).debug(Message("log.engine", name=name, workers=workers or usual_workers()))
    if name == "local":
        from steelyard.engines.local import LocalEngine

        return LocalEngine(workers, retries=1 if retries is None else retries)
    if name == "ray":
        from steelyard.engines.ray import RayEngine as ClusterEngine
    else:
        from steelyard.engines.dask import DaskEngine as ClusterEngine  # type: ignore[assignment]
    engine = ClusterEngine(address, workers=workers, retries=3 if retries is None else retries)
    engine.start()
    return engine


@contextmanager
def engine_of(engine: str | Engine | None, *, workers: int | None = None) -> Iterator[Engine | None]:
    """The engine of a name, closed at the end; an engine or None as it is."""
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
