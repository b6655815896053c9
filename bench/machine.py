"""The machine and the versions that the numbers belong to."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from steelyard import __version__

PACKAGES: Final = ("numpy", "pytrec_eval-terrier", "ir_measures", "ranx", "numba", "scipy")


def render_machine(packages: Sequence[str] = PACKAGES) -> str:
    """Return two sentences: what it ran on, and with what."""
    versions = ", ".join([f"steelyard {__version__}", *(f"{package} {version(package)}" for package in packages)])
    return (
        f"Machine: {_processor()}, {os.cpu_count()} cores, {_memory() / 1e9:.0f} GB of memory, {platform.system()}; "
        f"load when the benchmark began: {os.getloadavg()[0]:.2f}. "
        f"Versions: Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    names = [line.partition(":")[2].strip() for line in _processor_lines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _processor_lines() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
