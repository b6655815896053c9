"""The Dask engine: plain tasks at a scheduler, or in processes of this machine."""

import logging
import pickle
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from inspect import signature
from typing import Any, Final

from steelyard import __version__
from steelyard.engines import base
from steelyard.engines.base import Part, PartLost, Result
from steelyard.errors import MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.signals import starting_workers

_PATIENCE: Final = 10  # seconds to connect
_LOOPBACK: Final = "127.0.0.1"
_SETTINGS: Final = {
    "distributed.admin.large-graph-warning-threshold": "1 TiB",
    "distributed.nanny.pre-spawn-environ": {},  # its MALLOC_TRIM_THRESHOLD_ costs a third of the time
    "distributed.scheduler.worker-saturation": 1.0,  # a worker has one part, so that only that one is lost with it
}


class DaskEngine(base.ClusterEngine):
    """Maps tasks over parts as tasks of Dask (see `ClusterEngine`); an address is that of a scheduler, "tcp://…".

    A scheduler counts lost workers itself; a part that it has given up is submitted again while `retries` allows it.
    """

    _client: Any = None
    _open = ExitStack()

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """Yield `task(part.content)` of every part, in order (see `Engine`)."""
        client, processors = self.connect()
        from distributed.client import ClosedClientError

        try:
            submit = _submitter(client, task)
            yield from base.map_ahead(parts, processors, submit, partial(self._result, submit))
        except ClosedClientError as error:
            raise self._lost(error) from None

    def close(self) -> None:
        """End the connection, and the processes if they were started for it."""
        self._client = None
        self._open.close()

    def connect(self) -> tuple[Any, int]:
        """Return the client and the number of processors; connect to the scheduler, or start it, if needed."""
        try:
            import distributed
        except ImportError:
            raise MissingExtra.of("distributed", "dask", purpose=Message("words.the_dask_engine")) from None
        try:
            self._client = self._client or self._connect(distributed)
            return self._client, self.workers or max(1, sum(self._client.nthreads().values()))
        except (OSError, ValueError, RuntimeError, ImportError, TypeError) as error:
            self.close()
            raise self._lost(error) from None

    def _connect(self, distributed: Any) -> Any:
        import dask

        self.close()
        self._open = ExitStack()
        opened = self._open.enter_context
        opened(distributed.utils.silence_logging_cmgr(logging.CRITICAL))
        opened(dask.config.set(_SETTINGS))
        if self.address is None:
            with starting_workers():
                cluster = opened(_started(distributed, self.workers or base.usual_workers(), self.retries))
                return opened(distributed.Client(cluster, set_as_default=False))
        distributed.comm.get_address_host_port(self.address)  # a client of what is no address takes long to end
        with warnings.catch_warnings(action="ignore"):  # about versions
            client = opened(distributed.Client(self.address, timeout=_PATIENCE, set_as_default=False))
        _check_versions(**client.get_versions())
        return client

    def _lost(self, error: Exception) -> SystemFailure:
        hint = Message("engines.memory_hint" if self.address is None else "engines.dask_hint")
        return self._no_connection("Dask", error, hint)

    def _result(self, submit: Callable[[Any], Any], part: Part, future: Any) -> Any:
        from distributed import CancelledError, KilledWorker

        lost = 0
        while True:
            try:
                sent = future.result()
                break
            except KilledWorker as error:
                lost += error.allowed_failures + 1
                if lost > self.retries:
                    raise PartLost.of(part.name, lost) from None
                future = submit(part.content)
            except (CancelledError, OSError) as error:
                raise self._lost(error) from None
            except Exception as error:  # of reading the task: the package is not there
                raise base.worker_failed(part.name, str(error.__cause__ or error).strip().partition("\n")[0]) from None
        return base.received(sent)


def _submitter(client: Any, task: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that submits contents to a task; workers fetch the task once, and it is recomputed if lost."""
    import cloudpickle
    from dask._task_spec import Task

    key, packed_task = base.packed(task, cloudpickle.dumps)
    shared = client.submit(bytes, packed_task, pure=False)
    # parts wait at the scheduler for the next free worker, not for the one that has the task already
    waiting = {"_data_producer": True} if "_data_producer" in signature(Task).parameters else {}

    def submit(content: Any) -> Any:
        sent = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)  # the scheduler does not look into bytes
        return client.submit(_work, __version__, key, shared, sent, pure=False, **waiting)

    return submit


def _work(version: str, key: str, shared: bytes, content: bytes) -> bytes:
    return base.work(version, key, shared, pickle.loads(content))


def _started(distributed: Any, workers: int, retries: int) -> Any:
    """Start a scheduler in this process and workers of one thread each, on the loopback interface."""
    start = partial(
        distributed.LocalCluster,
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=None,
        host=_LOOPBACK,
        dashboard_address=f"{_LOOPBACK}:0",
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={"allowed_failures": retries, "dashboard": False},
    )
    for _ in range(retries):
        with suppress(RuntimeError):  # a worker was killed while it was started
            return start()
    return start()


def _check_versions(client: Any, scheduler: Any, workers: Mapping[str, Any]) -> None:
    """Raise an error about a node that has another version of Dask, or another minor version of Python."""
    for node in (scheduler, *workers.values()):
        for package, numbers in (("python", 2), ("distributed", None)):
            version, driver = (str(side["packages"][package]).split(".")[:numbers] for side in (node, client))
            if version != driver:
                raise base.other_version(package, ".".join(version), ".".join(driver))
