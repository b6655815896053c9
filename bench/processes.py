"""A fresh process, its wall-clock time and its peak memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

PROJECT: Final = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Finished:
    """What a process cost and printed."""

    seconds: float
    peak_bytes: int
    output: str


class ProcessFailed(Exception):
    """A process ended with an error."""


def run_python(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Finished:
    """Run this Python with these arguments from the project's folder, with byte code as an installed package has it.

    A child's peak is never below the peak of the process that starts it, so that process must stay small: whatever
    needs memory runs in a child too.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdout=output,
            stderr=complaints,
            cwd=PROJECT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(environment or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise ProcessFailed(_failure(arguments, process.returncode, _text(complaints)))
        return Finished(seconds, usage.ru_maxrss * 1024, _text(output))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _failure(arguments: Sequence[str], code: int, complaints: str) -> str:
    last_line = (complaints.strip().splitlines() or ["no message"])[-1]
    return f"python {' '.join(arguments)} ended with {code}: {last_line}"
