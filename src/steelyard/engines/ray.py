"""The Ray engine: plain tasks on a cluster, or on this machine."""

import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard import __version__
from steelyard.engines.base import Part, PartLost, Result, TakenParts, WorkerState, check_at_least
from steelyard.engines.local import outcome
from steelyard.errors import ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message

_AHEAD: Final = 3  # parts for each processor whose results are not given yet


class RayEngine:
    """Maps tasks over parts as tasks of Ray; a part whose process or node is lost is done again.

    Every node has the same version of this package, and the files that are read under the same paths.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, retries: int = 3, part_bytes: int | None = None
    ) -> None:
        """`address` is that of a cluster, "auto" or "ray://…"; without one Ray is started on this machine."""
        check_at_least("workers", workers, 1)
        check_at_least("retries", retries, 0)
        self.address = address
        self.workers = workers
        self.retries = retries
        self.part_bytes = part_bytes
        self._started: Any = None

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """`task(part.content)` of every part, in order (see `Engine`)."""
        ray = self._connected()
        content = ray.cloudpickle.dumps((WorkerState.current(), task))  # also what is defined in a notebook
        key, shared = sha256(content).hexdigest(), ray.put(np.frombuffer(content, np.uint8))
        submit = ray.remote(num_cpus=1, max_retries=self.retries, retry_exceptions=False)(_work).remote
        ahead = _AHEAD * (self.workers or max(1, int(ray.cluster_resources().get("CPU", 1))))
        waiting: deque[tuple[str, Any]] = deque()
        taken = TakenParts(parts)
        for part in taken:
            waiting.append((part.name, submit(__version__, key, shared, part.content)))
            if len(waiting) >= ahead:
                yield self._result(ray, *waiting.popleft())
        while waiting:
            yield self._result(ray, *waiting.popleft())
        taken.raise_error()

    def close(self) -> None:
        """End the connection, and Ray if it was started for it."""
        if self._started is not None:
            self._started.shutdown()
            self._started = None

    def _connected(self) -> Any:
        ray = _imported()
        if not ray.is_initialized():
            settings = {"num_cpus": self.workers, "include_dashboard": False} if self.address is None else {}
            with _own_signals():
                try:
                    ray.init(self.address or "local", log_to_driver=False, logging_level="ERROR", **settings)
                except (ConnectionError, RuntimeError, ValueError, OSError) as error:
                    text = str(error).strip().partition("\n")[0]
                    message = Message("engines.no_cluster", error=f"{type(error).__name__}: {text}")
                    raise SystemFailure(message, where=self.address, hint=Message("engines.cluster_hint")) from None
            self._started = ray
        return ray

    def _result(self, ray: Any, name: str, reference: Any) -> Any:
        try:
            succeeded, value = pickle.loads(ray.get(reference))
        except ray.exceptions.RayTaskError as error:  # the task was not begun: the package is not there
            message = Message("engines.worker_failed", error=str(error.cause or error).strip().rpartition("\n")[2])
            raise SystemFailure(message, where=name, hint=Message("engines.same_version_hint")) from None
        except ray.exceptions.RayError:
            raise PartLost.of(name, self.retries + 1) from None
        if not succeeded:
            raise value
        return value


def _imported() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtra.of("ray", "ray", purpose=Message("words.the_ray_engine")) from None
    return ray


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep the handler of SIGTERM, which Ray replaces."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


_LATEST: list[tuple[str, Callable[[Any], Any]]] = []  # the task of this process


def _work(version: str, key: str, shared: NDArray[np.uint8], content: Any) -> bytes:
    """The result of a part, or the exception of its task, as bytes; the task is unpickled once in a process.

    `shared` are the bytes of the task as an array, which the processes of a node have in common.
    """
    if version != __version__:
        message = Message("engines.other_version", version=__version__, driver=version)
        return pickle.dumps((False, ConfigError(message, hint=Message("engines.same_version_hint"))))
    if not _LATEST or _LATEST[0][0] != key:
        _LATEST[:] = [(key, pickle.loads(shared.data)[1])]
    return outcome(_LATEST[0][1], content)
