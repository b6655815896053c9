"""Processes that a test waits for (Linux: their states are read from /proc)."""

import time
from collections.abc import Callable
from pathlib import Path

DEADLINE = 60


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def _state(pid: int) -> str:
    """The state and the parent of a process; "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].strip()
    except FileNotFoundError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether a process has not ended."""
    return _state(pid)[:1] not in ("", "Z")


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [number for number in numbers if _state(number).split()[1:2] == [str(pid)]]
