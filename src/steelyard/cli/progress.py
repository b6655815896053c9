"""Progress of long work on standard error: a bar on a terminal, elsewhere a line every so often."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from steelyard.cli.log import has_bars, notify

DELAY = 1.0  # seconds before a bar is drawn
EVERY = 30.0  # seconds between two lines


class Bar:
    """The numbers of finished items, of all if known, and of failures; a last line follows where there were lines."""

    def __init__(self, what: str, failures: str) -> None:
        self._what, self._failures, self._failed = what, failures, 0
        self._done: tuple[int, int | None] = (0, None)
        self._began = self._last = time.monotonic()
        self._drawn: tuple[Any, Any] | None = None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much is done."""
        self._done, now = (done, total), time.monotonic()
        if self._drawn is None and now - self._began >= DELAY and has_bars():
            self._drawn = self._draw()
        if self._drawn is not None:
            bar, task = self._drawn
            bar.update(task, completed=done, total=total, failed=self._failed_text())
        elif now - self._last >= EVERY:
            self._print()

    def fail(self) -> None:
        """Count a failure."""
        self._failed += 1

    def begin(self, what: str) -> None:
        """Show other work from now on."""
        self._remove()
        self._what, self._failed = what, 0

    def stop(self) -> None:
        """Remove the bar, or print the last line."""
        self._remove()
        if self._last > self._began:
            self._print()

    def _failed_text(self) -> str:
        return f"{self._failures} {self._failed:,}" if self._failed else ""

    def _print(self) -> None:
        self._last = time.monotonic()
        numbers = "/".join(f"{number:,}" for number in self._done if number is not None)
        parts = (f"{numbers} {self._what}", self._failed_text(), f"{self._last - self._began:.0f} s")
        notify(", ".join(filter(None, parts)))

    def _remove(self) -> None:
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
def proportion(what: str, failures: str = "") -> Iterator[Bar]:
    """A callback for the number of finished items; `failures` is the word before the number of failures."""
    bar = Bar(what, failures)
    try:
        yield bar
    finally:
        bar.stop()
