"""Progress of long work: bars on a terminal, elsewhere a line every so often."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from steelyard.cli.log import has_bars, notify
from steelyard.i18n import Localized

DELAY = 1.0  # seconds before the first output of a bar
EVERY = 30.0  # seconds between two lines


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A callback for the number of finished items; it draws on standard error and clears its output at the end."""
    if not has_bars():
        lines = _Lines(what)
        yield lambda done: lines(done, None)
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


class Bar(Protocol):
    """Progress of work: the number of finished items, of all, and of failures."""

    def __call__(self, done: int, total: int | None) -> None:
        """Show how much is done."""

    def fail(self) -> None:
        """Count a failure."""

    def begin(self, what: str) -> None:
        """Show other work from now on."""

    def stop(self) -> None:
        """Remove the bar."""


class _Lines(Bar):
    """Lines in place of a bar: what begins, and the numbers of long work every so often and at its end."""

    def __init__(self, what: str, failures: str = "", beginning: Localized | None = None) -> None:
        self._what, self._failures, self._failed = what, failures, 0
        self._began = self._last = time.monotonic()
        self._progress: tuple[int, int | None] = (0, None)
        if beginning is not None:
            notify(beginning)

    def __call__(self, done: int, total: int | None) -> None:
        self._progress = done, total
        if time.monotonic() - self._last >= EVERY:
            self._print()

    def fail(self) -> None:
        self._failed += 1

    def begin(self, what: str) -> None:
        self._what, self._failed = what, 0

    def stop(self) -> None:
        if self._last > self._began:
            self._print()

    def _print(self) -> None:
        self._last = time.monotonic()
        numbers = "/".join(f"{number:,}" for number in self._progress if number is not None)
        failed = f", {self._failures} {self._failed:,}" if self._failed else ""
        notify(f"{numbers} {self._what}{failed}, {self._last - self._began:.0f} s")


class _DrawnBar(Bar):
    """A bar on standard error with the remaining time and the number of failures, from the first progress on."""

    def __init__(self, what: str, failures: str) -> None:
        self._what = what
        self._failures = failures
        self._failed = 0
        self._drawn: tuple[Any, Any] | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._drawn is None:
            self._drawn = self._draw()
        bar, task = self._drawn
        failed = f"{self._failures} {self._failed:,}" if self._failed else ""
        bar.update(task, completed=done, total=total, failed=failed)

    def fail(self) -> None:
        self._failed += 1

    def begin(self, what: str) -> None:
        self.stop()
        self._what, self._failed = what, 0

    def stop(self) -> None:
        if self._drawn is not None:
            self._drawn[0].stop()
        self._drawn = None

    def _draw(self) -> tuple[Any, Any]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        failed = TextColumn("{task.fields[failed]}", style="red", markup=False)
        columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), failed
        bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        bar.start()
        return bar, bar.add_task(self._what, total=None, failed="")


@contextmanager
def proportion(what: str, failures: str = "", beginning: Localized | None = None) -> Iterator[Bar]:
    """A callback for the number of finished items and the total; it draws a bar with the remaining time.

    `failures` is the word before the number of failures, `beginning` the first line where there is no bar.
    """
    bar = _DrawnBar(what, failures) if has_bars() else _Lines(what, failures, beginning)
    try:
        yield bar
    finally:
        bar.stop()


def _bar(what: str) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.completed:,.0f} {task.description}"), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(what, total=None)
