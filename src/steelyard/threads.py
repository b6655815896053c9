"""`map` on several threads, with the results in order: over an iterator, or over a list with progress."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from queue import SimpleQueue
from typing import Generic, TypeVar

from steelyard.progress import ProgressCallback, no_progress

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def ordered_thread_map(pieces: Iterator[Piece], work: Callable[[Piece], Result], *, threads: int) -> Iterator[Result]:
    """`map(work, pieces)` on several threads, with the results in order.

    Each thread fetches its next piece itself, so that no more pieces are in memory than there are threads. An error in
    one thread stops all of them and is raised here, once every thread has ended.
    """
    early: dict[int, Result] = {}
    wanted = 0
    with closing(_ThreadMap(pieces, work).completed(threads, join=True)) as completed:
        for number, result in completed:
            early[number] = result
            while wanted in early:
                yield early.pop(wanted)
                wanted += 1


def map_in_threads(
    work: Callable[[Piece], Result], items: Sequence[Piece], *, threads: int, progress: ProgressCallback = no_progress
) -> list[Result]:
    """`list(map(work, items))` on daemon threads; `progress` is called in the calling thread.

    The first exception ends the work: it is raised here, and no further item is begun. Unlike those of
    ThreadPoolExecutor, threads that still wait for a reply do not keep the process alive.
    """
    results: dict[int, Result] = {}
    with closing(_ThreadMap(iter(items), work).completed(min(threads, len(items)), join=False)) as completed:
        for number, result in completed:
            results[number] = result
            progress(len(results), len(items))
    return [results[number] for number in range(len(items))]


class _ThreadMap(Generic[Piece, Result]):
    def __init__(self, pieces: Iterator[Piece], work: Callable[[Piece], Result]) -> None:
        self._pieces = enumerate(pieces)
        self._work = work
        self._lock = threading.Lock()
        self._done: SimpleQueue[tuple[int, Result] | BaseException | None] = SimpleQueue()

    def completed(self, threads: int, *, join: bool) -> Generator[tuple[int, Result], None, None]:
        """Yield numbers of pieces with their results as they are done; with `join`, wait for all threads at the end."""
        workers = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for worker in workers:
            worker.start()
        try:
            yield from self._results(threads)
        finally:
            self._stop()
            for worker in workers if join else ():
                worker.join()

    def _run(self) -> None:
        """Process pieces until there are none left, then put None into the queue."""
        try:
            while taken := self._take():
                number, piece = taken
                self._done.put((number, self._work(piece)))
            self._done.put(None)
        except BaseException as error:  # raised again in `_results`
            self._done.put(error)

    def _results(self, working: int) -> Iterator[tuple[int, Result]]:
        while working:
            done = self._done.get()
            if isinstance(done, BaseException):
                raise done
            if done is None:
                working -= 1
            else:
                yield done

    def _stop(self) -> None:
        """Leave no more pieces for the threads."""
        with self._lock:
            self._pieces = enumerate(())

    def _take(self) -> tuple[int, Piece] | None:
        with self._lock:
            return next(self._pieces, None)
