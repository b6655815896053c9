"""How far long work has come, on a terminal and nowhere else."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0  # seconds before anything is said


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A callback for the number that is done; it draws on standard error and erases the line at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    began = time.monotonic()
    drawn: list[tuple[Any, Any]] = []

    def show(done: int) -> None:
        if not drawn and time.monotonic() - began > PATIENCE:
            drawn.append(_bar(what))
        for bar, task in drawn:
            bar.update(task, completed=done)

    try:
        yield show
    finally:
        for bar, _ in drawn:
            bar.stop()


@contextmanager
def proportion(what: str) -> Iterator[Callable[[int, int], None]]:
    """A callback for the number that is done and the total; draws a bar with the remaining time."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
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
