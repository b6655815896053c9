"""Servers of ours in processes of their own, over HTTP."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, TextIO

import pytest

ROOT = Path(__file__).parents[2]
SERVE = [sys.executable, "-m", "steelyard.cli", "serve"]
TOKEN = "open-sesame-0123456789"
DEADLINE = 30.0
SIDE = Path(os.environ.get("STEELYARD_TEST_MCP1", Path(sys.prefix) / "mcp1"))
"""Where mcp 1 is installed beside mcp 2."""
NEEDS_SIDE = pytest.mark.skipif(not (SIDE / "mcp").is_dir(), reason="mcp 1 is not installed beside: make .venv/ready")
# whoever runs the tests may have put folders of their own before the installed ones
PATHS = {
    1: os.pathsep.join([str(SIDE), *filter(None, [os.environ.get("PYTHONPATH")])]),
    2: os.environ.get("PYTHONPATH", ""),
}


def under(major):
    """The environment in which a program finds that major of the MCP library."""
    return {**os.environ, "PYTHONPATH": PATHS[major]}


class Served(NamedTuple):
    process: subprocess.Popen
    address: str
    errors: TextIO

    def stderr(self):
        """The standard error of the process so far."""
        self.errors.seek(0)
        return self.errors.read()


@contextlib.contextmanager
def serving(*words, environment=None):
    """A server in a process of its own, from the moment it says where it is."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen([*SERVE, *words], cwd=ROOT, stdin=subprocess.DEVNULL, stderr=errors, env=environment)
        try:
            yield Served(process, _address(process, errors), errors)
        finally:
            process.terminate()
            process.wait(DEADLINE)


def _address(process, errors):
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline and process.poll() is None:
        errors.seek(0)
        match = re.search(r"^serving \w+ on (http://\S+)$", errors.read(), re.MULTILINE)
        if match:
            return match[1]
        time.sleep(0.02)
    errors.seek(0)
    raise AssertionError(f"it does not serve: {errors.read()}")


def written_server(root: Path, name: str, program: str) -> str:
    """The folder of a server whose program was written below `root`."""
    path = root / "servers" / name / "src" / f"{name}.py"
    path.parent.mkdir(parents=True)
    path.write_text(program, encoding="utf-8")
    return str(path.parents[1])
