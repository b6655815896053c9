"""Shared fixtures of the commands."""

from collections.abc import Callable
from functools import partial

import commands
import pytest


@pytest.fixture
def run() -> Callable[..., commands.Done]:
    """Run a command in the folder where the test is: exit code, standard output and standard error."""
    return partial(commands.run, cwd=".")
