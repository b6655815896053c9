"""Progress of long work, and gates that did not pass: callbacks and a collector for those who watch.

Nothing heavy is imported here, so that the pytest plugin costs nothing where it is not used.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

ProgressCallback = Callable[[int, int], None]
"""Called with the number of items that are done, and the number of all."""

FailureCallback = Callable[[], None]
"""Called when an item fails, before the progress is."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


def no_failure() -> None:
    """Report nothing."""


FAILED_GATES: ContextVar[list[Any] | None] = ContextVar("FAILED_GATES", default=None)
"""Gates that did not pass, in the order in which they were asked; collected while it is set to a list."""
