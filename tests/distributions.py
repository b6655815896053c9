"""Installed packages for tests: a folder on the search path with modules and the metadata that pip would write."""

from collections.abc import Mapping
from pathlib import Path


def write_distribution(folder: Path, package: str, entry_points: Mapping[str, str], **modules: str) -> None:
    """Write a package with these modules; `entry_points` has the lines of each group."""
    about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    groups = "\n".join(f"[{group}]\n{lines}\n" for group, lines in entry_points.items())
    (about / "entry_points.txt").write_text(groups, encoding="utf-8")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
