"""Progress of long work: the callbacks that report it."""

from collections.abc import Callable

ProgressCallback = Callable[[int, int], None]
"""Called with the number of items that are done, and the number of all."""

FailureCallback = Callable[[], None]
"""Called when an item fails, before the progress is."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


def no_failure() -> None:
    """Report nothing."""
