"""Folders that come with the package: `benchmark`, `servers` and `prompt`."""

from pathlib import Path


def bundled(name: str) -> Path:
    """Return the folder inside the installed package, or beside the sources."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / name
