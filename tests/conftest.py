"""Shared fixtures, and how a run of the tests is set up."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributions import write_distribution
from hypothesis import settings
from properties import TIMES, USUAL

# a checkout that cannot be written, such as a read-only mount: what Hypothesis stores goes elsewhere
if not os.access(Path(__file__).parents[1], os.W_OK):
    STORAGE = tempfile.TemporaryDirectory(prefix="hypothesis-")  # removed at the end
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", STORAGE.name)

# nothing is timed here; where a change is to land, the examples are the same every time
settings.register_profile("here", deadline=None, max_examples=round(USUAL * TIMES))
settings.register_profile("landing", settings.get_profile("here"), derandomize=True)
settings.load_profile("landing" if os.environ.get("CI") and TIMES == 1 else "here")

# compiled modules are kept for the workers and for the processes that tests start, also where the environment says no
os.environ["PYTHONDONTWRITEBYTECODE"] = ""
sys.dont_write_bytecode = False

# with `--dist loadfile` a file is the work of one worker: those that take longest are begun first
LONG = (
    "pipelines/test_majors.py",
    "pipelines/test_mcp.py",
    "browser/test_report.py",
    "test_docs.py",
    "pipelines/test_limits.py",
    "registry/test_laws.py",
    "cli/test_streams.py",
    "pipelines/test_wire.py",
    "legal/test_benchmark.py",
    "pipelines/test_sessions.py",
    "pipelines/test_client.py",
    "cli/test_signals.py",
    "stats/test_simulation.py",
    "browser/test_one_result.py",
    "browser/test_contexts.py",
    "browser/test_view.py",
    "reports/test_page.py",
    "legal/test_lines.py",
    "cli/test_overwrite.py",
    "browser/test_items.py",
    "browser/test_review.py",
    "reports/test_masking.py",
    "answers/test_published_answers.py",
    "browser/test_rankings.py",
    "browser/test_differences.py",
    "legal/test_judging.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the garbage collector from going through thousands of tests and their modules, here and in every test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first, in the order of the list."""
    here = Path(__file__).parent
    order = {here / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: many tests wait for servers, browsers and processes."""
    return (os.cpu_count() or 1) + 1


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
def install(tmp_path, monkeypatch):
    """Install packages for the time of a test: `install(package, {group: entry points}, module=source)`."""
    installed: list[str] = []

    def install(package: str, entry_points: dict[str, str], **modules: str) -> None:
        folder = tmp_path / "site" / package
        write_distribution(folder, package, entry_points, **modules)
        monkeypatch.syspath_prepend(folder)
        installed.extend(modules)

    yield install
    for module in installed:
        sys.modules.pop(module, None)


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder and give its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
