"""Commands of the program for tests: in this process where a test is about what they do, as a process where it is not.

A process of its own takes most of a second to start; a test of exit codes, texts and files does not need one.
"""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from recording import record

from steelyard.cli import main
from steelyard.limits import LIMITS

ROOT = Path(__file__).parents[1]
LOCALE = ("LANG", "LC_ALL", "LC_MESSAGES")


class Done(NamedTuple):
    """What a shell sees of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(*words: object, cwd: str | Path = ROOT, **environment: str) -> Done:
    """Run a command in this process, in another folder and with a changed environment."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with chdir(cwd), _environment(environment), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.detach().getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    record(f"exit code {code}", *texts)
    return Done(code, *texts)


def start(*words: object, cwd: str | Path = ROOT, **environment: str) -> Done:
    """Run a command in a process of its own: for what it imports, registers or does to its streams."""
    settings = {key: value for key, value in os.environ.items() if key not in LOCALE}
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**settings, "PYTHONIOENCODING": "utf-8", **environment},
    )
    record(f"exit code {done.returncode}", done.stdout, done.stderr)
    return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Change the environment, and forget the limits that a command has read from it."""
    limits = [(limit, limit.value) for limit in LIMITS.values()]
    with patch.dict(os.environ, changes):
        for name in LOCALE:
            if name not in changes:
                os.environ.pop(name, None)
        yield
    for limit, value in limits:
        limit.value = value
