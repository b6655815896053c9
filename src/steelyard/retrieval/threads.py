"""`map` over an iterator on several threads, with the results in order."""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Generic, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def ordered_thread_map(pieces: Iterator[Piece], work: Callable[[Piece], Result], *, threads: int) -> Iterator[Result]:
    """`map(work, pieces)` on several threads, with the results in order.

    Each thread fetches its next piece itself, so that no more pieces are in memory than there are threads. An error in
    one thread stops all of them and is raised here.
    """
    shared = _ThreadMap(pieces, work)
    workers = [threading.Thread(target=shared.run, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield from shared.results(len(workers))
    finally:
        shared.stop()
        for worker in workers:
            worker.join()


class _ThreadMap(Generic[Piece, Result]):
    def __init__(self, pieces: Iterator[Piece], work: Callable[[Piece], Result]) -> None:
        self._pieces = enumerate(pieces)
        self._work = work
        self._lock = threading.Lock()
        self._done: SimpleQueue[tuple[int, Result] | BaseException | None] = SimpleQueue()

    def run(self) -> None:
        """Process pieces until there are none left, then put None into the queue."""
        try:
            while taken := self._take():
                number, piece = taken
                self._done.put((number, self._work(piece)))
            self._done.put(None)
        except BaseException as error:  # raised again in `results`
            self._done.put(error)

    def results(self, working: int) -> Iterator[Result]:
        """The results in the order of the pieces."""
        early: dict[int, Result] = {}
        wanted = 0
        while working:
            done = self._done.get()
            if isinstance(done, BaseException):
                raise done
            if done is None:
                working -= 1
                continue
            early[done[0]] = done[1]
            while wanted in early:
                yield early.pop(wanted)
                wanted += 1

    def stop(self) -> None:
        """Leave no more pieces for the threads."""
        with self._lock:
            self._pieces = enumerate(())

    def _take(self) -> tuple[int, Piece] | None:
        with self._lock:
            return next(self._pieces, None)
