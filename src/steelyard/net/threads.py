"""Requests on several threads, with the results in order."""

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

from steelyard.progress import ProgressCallback, no_progress

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], *, threads: int, progress: ProgressCallback = no_progress
) -> list[Result]:
    """`list(map(work, items))` on daemon threads; `progress` is called in the calling thread.

    The first exception ends the work: it is raised here, and no further item is begun. Unlike those of
    ThreadPoolExecutor, threads that still wait for a reply do not keep the process alive.
    """
    waiting = iter(range(len(items)))
    turn = threading.Lock()
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    stopped = threading.Event()

    def run() -> None:
        while not stopped.is_set():
            with turn:
                index = next(waiting, None)
            if index is None:
                return
            done.put((index, *_outcome(work, items[index])))

    for _ in range(min(threads, len(items))):
        threading.Thread(target=run, daemon=True).start()
    results: dict[int, Result] = {}
    try:
        while len(results) < len(items):
            index, result, error = done.get()
            if error is not None:
                raise error
            results[index] = result
            progress(len(results), len(items))
    finally:
        stopped.set()
    return [results[index] for index in range(len(items))]


def _outcome(work: Callable[[Item], Result], item: Item) -> tuple[Result | None, BaseException | None]:
    try:
        return work(item), None
    except BaseException as error:
        return None, error
