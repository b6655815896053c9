"""Shared fixtures."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# nothing is timed here; where a change is to land, the examples are the same every time
settings.register_profile("here", deadline=None)
settings.register_profile("landing", deadline=None, derandomize=True)
settings.load_profile("landing" if os.environ.get("CI") else "here")

REAL = Path(__file__).parents[1].parent / "shared" / "data" / "real"


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real collections with stored reference output, where it lies beside the project."""
    if not REAL.is_dir():
        pytest.skip("the real collections are not beside this checkout")
    return REAL


@pytest.fixture(scope="session")
def legal_lines() -> Path:
    """The folder of labelled legal answers with the case beside them, where it lies beside the project."""
    folder = REAL.parent / "legal_zh"
    if not folder.is_dir():
        pytest.skip("the labelled legal answers are not beside this checkout")
    return folder


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder and give its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
