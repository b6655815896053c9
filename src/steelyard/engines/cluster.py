"""What the engines of clusters have in common: few parts under way, and the work of a process on a node."""

import pickle
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from hashlib import sha256
from typing import Any, Final

from steelyard import __version__
from steelyard.engines.base import Part, TakenParts, WorkerState, check_at_least
from steelyard.engines.local import outcome
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message

_AHEAD: Final = 3  # parts for each processor whose results are not given yet


class ClusterEngine:
    """Tasks on a cluster, or on this machine; a part whose process or node is lost is done again.

    Every node has the same version of this package, and the files that are read under the same paths.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, retries: int = 3, part_bytes: int | None = None
    ) -> None:
        """`address` is that of a cluster; without one it is started on this machine, with so many workers."""
        check_at_least("workers", workers, 1)
        check_at_least("retries", retries, 0)
        self.address = address
        self.workers = workers
        self.retries = retries
        self.part_bytes = part_bytes

    def start(self) -> None:
        """Connect to the cluster, or start it: what prevents that is an error even if there is little to do."""
        self._connected()

    def _connected(self) -> Any:
        """What a connection is made of, which is made if there is none."""
        raise NotImplementedError

    def _no_connection(self, cluster: str, error: Exception, hint: Message) -> SystemFailure:
        """The error about a cluster that cannot be reached, or no longer; `cluster` is the name of the software."""
        text = str(error).strip().partition("\n")[0]
        message = Message("engines.no_cluster", cluster=cluster, error=f"{type(error).__name__}: {text}")
        return SystemFailure(message, where=self.address, hint=hint)


def map_ahead(
    parts: Iterable[Part], processors: int, submit: Callable[[Any], Any], result: Callable[[str, Any], Any]
) -> Generator[Any, None, None]:
    """Results in the order of parts, of which few are submitted ahead.

    `submit` makes a reference of a content, `result` its result of the name of the part and the reference.
    """
    waiting: deque[tuple[str, Any]] = deque()
    taken = TakenParts(parts)
    for part in taken:
        waiting.append((part.name, submit(part.content)))
        if len(waiting) >= _AHEAD * processors:
            yield result(*waiting.popleft())
    while waiting:
        yield result(*waiting.popleft())
    taken.raise_error()


def packed(task: Callable[[Any], Any], dumps: Callable[[Any], bytes]) -> tuple[str, bytes]:
    """A task as bytes, behind the state that it needs, and their key; `dumps` can write what a notebook defines."""
    content = dumps((WorkerState.current(), task))
    return sha256(content).hexdigest(), content


class _Latest(threading.local):
    """The task of a thread of this process: workers of Dask may have several."""

    key = ""
    task: Callable[[Any], Any]


_LATEST: Final = _Latest()


def work(version: str, key: str, shared: Any, content: Any) -> bytes:
    """The result of a part, or the exception of its task, as bytes; the task is unpickled once in a process.

    `version` is that of the program, `shared` are the bytes of the task.
    """
    if version != __version__:
        return pickle.dumps((False, other_version("steelyard", __version__, version)))
    if _LATEST.key != key:
        _LATEST.task = pickle.loads(memoryview(shared))[1]
        _LATEST.key = key
    return outcome(_LATEST.task, content)


def received(sent: bytes) -> Any:
    """The result that a worker has sent; an exception is raised."""
    succeeded, value = pickle.loads(sent)
    if not succeeded:
        raise value
    return value


def other_version(package: str, version: str, driver: str) -> ConfigError:
    """The error about a node that has another version of a package than this program."""
    message = Message("engines.other_version", version=f"{package} {version}", driver=f"{package} {driver}")
    return ConfigError(message, hint=Message("engines.same_version_hint"))


def worker_failed(part: str, error: str) -> SystemFailure:
    """The error about a task that was not begun: the package is not there."""
    message = Message("engines.worker_failed", error=error)
    return SystemFailure(message, where=part, hint=Message("engines.same_version_hint"))
