"""Several threads over one source of pieces, with the results in order."""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Generic, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def work_in_order(pieces: Iterator[Piece], work: Callable[[Piece], Result], *, threads: int) -> Iterator[Result]:
    """`map(work, pieces)`, on several threads.

    Each thread fetches its next piece itself, so that no more pieces are held than there are threads. An error in one
    ends them all and is raised here.
    """
    crew = _Crew(pieces, work)
    members = [threading.Thread(target=crew.run, daemon=True) for _ in range(threads)]
    for member in members:
        member.start()
    try:
        yield from crew.results(len(members))
    finally:
        crew.stop()
        for member in members:
            member.join()


class _Crew(Generic[Piece, Result]):
    def __init__(self, pieces: Iterator[Piece], work: Callable[[Piece], Result]) -> None:
        self._pieces = enumerate(pieces)
        self._work = work
        self._turn = threading.Lock()
        self._done: SimpleQueue[tuple[int, Result] | BaseException | None] = SimpleQueue()

    def run(self) -> None:
        """Take pieces and work on them until there are none left, then say so."""
        try:
            while taken := self._take():
                number, piece = taken
                self._done.put((number, self._work(piece)))
            self._done.put(None)
        except BaseException as error:  # raised again by whoever waits for the results
            self._done.put(error)

    def results(self, working: int) -> Iterator[Result]:
        """What the threads have made, in the order of the pieces."""
        early: dict[int, Result] = {}
        wanted = 0
        while working:
            found = self._done.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                working -= 1
                continue
            early[found[0]] = found[1]
            while wanted in early:
                yield early.pop(wanted)
                wanted += 1

    def stop(self) -> None:
        """Let the threads find nothing more to do."""
        with self._turn:
            self._pieces = enumerate(())

    def _take(self) -> tuple[int, Piece] | None:
        with self._turn:
            return next(self._pieces, None)
