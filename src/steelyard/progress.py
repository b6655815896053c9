"""Progress of long work: the callback that reports it."""

from collections.abc import Callable

ProgressCallback = Callable[[int, int], None]
"""Called with the number of items that are done, and the number of all."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""
