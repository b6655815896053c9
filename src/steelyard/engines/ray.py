"""The Ray engine: plain tasks on a cluster, or on this machine."""

import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from steelyard import __version__
from steelyard.engines import base
from steelyard.engines.base import Part, PartLost, Result
from steelyard.errors import MissingExtra
from steelyard.i18n import Message


class RayEngine(base.ClusterEngine):
    """Maps tasks over parts as tasks of Ray (see `ClusterEngine`); an address is "auto" or "ray://…"."""

    _started: Any = None

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """Yield `task(part.content)` of every part, in order (see `Engine`)."""
        ray = self.connect()
        key, content = base.packed(task, ray.cloudpickle.dumps)
        shared = ray.put(np.frombuffer(content, np.uint8))  # an array is what the processes of a node have in common
        remote = ray.remote(num_cpus=1, max_retries=self.retries, retry_exceptions=False)(base.work).remote
        processors = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        submit = partial(remote, __version__, key, shared)
        yield from base.map_ahead(parts, processors, submit, partial(self._result, ray))

    def close(self) -> None:
        """End the connection, and Ray if it was started for it."""
        if self._started is not None:
            self._started.shutdown()
            self._started = None

    def connect(self) -> Any:
        """Import Ray and connect to the cluster, or start it, if there is no connection yet."""
        try:
            import ray
        except ImportError:
            raise MissingExtra.of("ray", "ray", purpose=Message("words.the_ray_engine")) from None
        if not ray.is_initialized():
            settings = {"num_cpus": self.workers, "include_dashboard": False} if self.address is None else {}
            with _own_signals():
                try:
                    ray.init(self.address or "local", log_to_driver=False, logging_level="ERROR", **settings)
                except (ConnectionError, RuntimeError, ValueError, OSError) as error:
                    raise self._no_connection("Ray", error, Message("engines.ray_hint")) from None
            self._started = ray
        return ray

    def _result(self, ray: Any, part: Part, reference: Any) -> Any:
        try:
            sent = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise base.worker_failed(part.name, str(error.cause or error).strip().rpartition("\n")[2]) from None
        except ray.exceptions.RayError:
            raise PartLost.of(part.name, self.retries + 1) from None
        return base.received(sent)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep the handler of SIGTERM, which Ray replaces."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
