"""Progress bars of long work, only on a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from steelyard.progress import ProgressCallback, no_progress

DELAY = 1.0  # seconds before the first output


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A callback for the number of finished items; it draws on standard error and clears its output at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    began = time.monotonic()
    drawn: list[tuple[Any, Any]] = []

    def show(done: int) -> None:
        if not drawn and time.monotonic() - began > DELAY:
            drawn.append(_bar(what))
        for bar, task in drawn:
            bar.update(task, completed=done)

    try:
        yield show
    finally:
        for bar, _ in drawn:
            bar.stop()


@contextmanager
def proportion(what: str) -> Iterator[ProgressCallback]:
    """A callback for the number of finished items and the total; it draws a bar with the remaining time."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar(what: str) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.completed:,.0f} {task.description}"), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(what, total=None)
