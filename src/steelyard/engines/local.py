"""The local engine: processes of this machine, which may be killed."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from queue import SimpleQueue
from typing import Any, Final

from steelyard.engines import base
from steelyard.engines.base import Part, PartLost, Result, WorkerState
from steelyard.signals import restore_defaults

_QUEUED: Final = 2  # parts that a worker has: the one it works on, and the next
_AHEAD: Final = 4  # parts for each worker whose results are not given yet
_METHOD: Final = "fork" if sys.platform == "linux" else None  # a script needs no guard, and no thread is there yet
_POLL: Final = 1.0  # seconds after which a worker looks whether the program still runs


class LocalEngine:
    """Maps tasks over parts in processes of this machine; a killed process costs the part that it worked on."""

    def __init__(
        self, workers: int | None = None, *, retries: int = 1, part_bytes: int | None = None, method: str | None = None
    ) -> None:
        """Set how processes are started by `method` ("fork", "spawn" …): "fork" on Linux, else Python's default."""
        base.check_at_least("workers", workers, 1)
        base.check_at_least("retries", retries, 0)
        self.workers = workers or base.usual_workers()
        self.retries = retries
        self.part_bytes = part_bytes
        self.method = method or _METHOD

    def map_in_order(self, task: Callable[[Any], Result], parts: Iterable[Part]) -> Generator[Result, None, None]:
        """Yield `task(part.content)` of every part, in order (see `Engine`); processes end with the iterator."""
        errors: list[Exception] = []
        return _Map(self, task, base.until_error(parts, errors), errors).results()

    def close(self) -> None:
        """Do nothing: the processes ended with the last result."""


@dataclass(slots=True)
class _Taken:
    """A part that was taken; `lost` counts how often its worker was lost."""

    number: int
    name: str
    message: bytes
    lost: int = 0


class _Worker:
    """A process with the parts that it was sent, in their order."""

    def __init__(self, method: str | None, task: Callable[[Any], Any]) -> None:
        context: Any = multiprocessing.get_context(method)
        incoming, self._parts = Pipe(duplex=False)
        self.results, outgoing = Pipe(duplex=False)
        self.queue: deque[_Taken] = deque()
        parent = None if context.get_start_method() == "forkserver" else os.getpid()
        self._process = context.Process(target=_work, args=(incoming, outgoing, WorkerState.current(), task, parent))
        self._process.start()
        incoming.close()
        outgoing.close()  # the only other end is in the process: when it is killed, the results end
        self._end = weakref.finalize(self, _kill, self._process)

    def send(self, part: _Taken) -> None:
        """Send a part; a process that was killed is noticed when its results are read."""
        self.queue.append(part)
        with suppress(OSError):
            self._parts.send_bytes(part.message)

    def close(self) -> None:
        """Kill the process."""
        self._end()
        self._parts.close()
        self.results.close()


def _kill(process: Any) -> None:
    process.kill()
    process.join()


@dataclass(slots=True)
class _Map:
    """One map: parts are sent to workers, and those of a lost worker are sent again."""

    engine: LocalEngine
    task: Callable[[Any], Any]
    parts: Iterator[Part]
    errors: list[Exception]
    _workers: list[_Worker] = field(default_factory=list)
    _again: deque[_Taken] = field(default_factory=deque)
    _done: dict[int, tuple[bool, Any]] = field(default_factory=dict)
    _taken: int = 0
    _given: int = 0
    _is_exhausted: bool = False

    def results(self) -> Generator[Any, None, None]:
        """Yield the results in order; an error of reading a part is raised after the results of those before it."""
        try:
            while True:
                self._submit()
                if self._given in self._done:
                    yield self._next_result()
                elif self._given == self._taken:
                    break
                else:
                    self._receive()
        finally:
            for worker in self._workers:
                worker.close()
        if self.errors:
            raise self.errors[0]

    def _next_result(self) -> Any:
        succeeded, value = self._done.pop(self._given)
        self._given += 1
        if not succeeded:
            raise value
        return value

    def _submit(self) -> None:
        """Send parts to the workers that have few, those with the fewest first; workers are started as needed."""
        for room in range(_QUEUED):
            while worker := self._free_worker(room):
                part = self._next_part()
                if part is None:
                    return
                if not isinstance(worker, _Worker):
                    worker = _Worker(self.engine.method, self.task)
                    self._workers.append(worker)
                worker.send(part)

    def _free_worker(self, queued: int) -> "_Worker | bool":
        """Return a worker that has so many parts; True if one can be started; False if there is none.

        A part that was lost is sent only to a worker that has no other, so that the next loss is its own.
        """
        if queued and self._again:
            return False
        free = next((worker for worker in self._workers if len(worker.queue) == queued), None)
        return free or (not queued and len(self._workers) < self.engine.workers)

    def _next_part(self) -> _Taken | None:
        if self._again:
            return self._again.popleft()
        if self._is_exhausted or self._taken - self._given >= _AHEAD * self.engine.workers:
            return None
        part = next(self.parts, None)
        if part is None:
            self._is_exhausted = True
            return None
        self._taken += 1
        return _Taken(self._taken - 1, part.name, pickle.dumps(part.content, pickle.HIGHEST_PROTOCOL))

    def _receive(self) -> None:
        """Wait for results, and read one of each worker that has some."""
        by_results = {worker.results: worker for worker in self._workers}
        for ready in wait(list(by_results)):
            worker = by_results[ready]  # type: ignore[index]
            try:
                result = worker.results.recv_bytes()
            except (EOFError, OSError):
                self._lose(worker)
                continue
            self._done[worker.queue.popleft().number] = pickle.loads(result)

    def _lose(self, worker: _Worker) -> None:
        """Send the parts of a lost worker again; the first is the one that it worked on."""
        worker.close()
        self._workers.remove(worker)
        waiting = list(worker.queue)
        if waiting:
            waiting[0].lost += 1
            if waiting[0].lost > self.engine.retries:
                part = waiting.pop(0)
                self._done[part.number] = (False, PartLost.of(part.name, part.lost))
        self._again.extendleft(reversed(waiting))


def _work(
    incoming: Connection,
    outgoing: Connection,
    state: WorkerState | None,
    task: Callable[[Any], Any],
    parent: int | None,
) -> None:
    """Do parts until the program ends this process. Ctrl-C is left to the program, which ends its workers.

    `parent` is the program, if that has started this process itself.
    """
    restore_defaults()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    received: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_take_parts, args=(incoming, received), daemon=True).start()
    threading.Thread(target=_end_with, args=(parent or os.getppid(),), daemon=True).start()
    while True:
        content = pickle.loads(received.get())
        try:
            outgoing.send_bytes(base.outcome(task, content))
        except OSError:  # the program has ended
            return


def _take_parts(incoming: Connection, received: "SimpleQueue[bytes]") -> None:
    """Take parts as they are sent, so that the program does not wait."""
    try:
        while True:
            received.put(incoming.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, however that happened.

    A forked process has the pipes of those before it and its own, so that their ends alone do not say so.
    """
    while os.getppid() == parent:
        time.sleep(_POLL)
    os._exit(1)
