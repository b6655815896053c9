"""Marks for tests that need a system of a certain kind; elsewhere they are skipped with the reason."""

import os
import sys

import pytest

from steelyard.native import kernel

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="needs POSIX: signals, pipes by name, symbolic links, modes of files or /dev"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc, or limits on the memory of a process")
forking = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="what the test defines is known only to processes that are forked"
)
unprivileged = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom modes of files keep out"
)
compiled = pytest.mark.skipif(kernel() is None, reason="the compiled kernel was not built, or is switched off")
