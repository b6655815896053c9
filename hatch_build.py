"""Builds the compiled kernel into the wheel, if there is a compiler; otherwise the wheel is pure Python.

STEELYARD_PURE=1 builds without it; with STEELYARD_PURE=0 a kernel that cannot be built is an error.
"""

import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WINDOWS = sys.platform == "win32"
NAME = "_native.pyd" if WINDOWS else "_native.abi3.so"
FLAGS = ("-std=c11", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
LINKING = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)


class KernelHook(BuildHookInterface[Any]):
    """The step of the build that compiles `native/*.c`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tag the wheel; an editable installation has the kernel among the sources."""
        root = Path(self.root)
        if version == "editable":
            self._compiled(root / "src" / "steelyard")
            return
        self._folder = tempfile.TemporaryDirectory()
        made = self._compiled(Path(self._folder.name))
        if made:
            build_data["force_include"][str(made)] = f"steelyard/{NAME}"
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{_platform_tag(self.build_config.builder)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled, which is in the wheel now."""
        if version != "editable":
            self._folder.cleanup()

    def _compiled(self, folder: Path) -> Path | None:
        """Return the kernel in a folder; None if it is not wanted or cannot be built."""
        target = folder / NAME
        target.unlink(missing_ok=True)
        wish = os.environ.get("STEELYARD_PURE", "")
        if wish not in ("", "0"):
            return None
        try:
            _check_python()
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                made = Path(scratch) / NAME
                (_compile_on_windows if WINDOWS else _compile)(Path(self.root) / "native", made)
                made.replace(target)
        except (OSError, RuntimeError, ImportError, subprocess.CalledProcessError) as error:
            if wish == "0":
                raise
            self.app.display_warning(f"Without the compiled kernel: {error}")
            return None
        return target


def _check_python() -> None:
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise RuntimeError("this Python has no stable ABI")


def _compile(sources: Path, target: Path) -> None:
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    extra = shlex.split(f"{os.environ.get('ARCHFLAGS', '')} {os.environ.get('CFLAGS', '')}")
    include = f"-I{sysconfig.get_paths()['include']}"
    files = [str(path) for path in sorted(sources.glob("*.c"))]
    command = [*compiler, *FLAGS, include, *files, *LINKING, "-o", str(target), *extra]
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(error.stderr.decode(errors="replace").strip() or str(error)) from None


def _compile_on_windows(sources: Path, target: Path) -> None:
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    files = [str(path) for path in sorted(sources.glob("*.c"))]
    extension = Extension("_native", files, extra_compile_args=["/std:c11", "/O2"], py_limited_api=True)
    command = build_ext(Distribution({"ext_modules": [extension]}))
    command.build_lib = str(target.parent)
    command.build_temp = str(target.parent / "objects")
    try:
        command.ensure_finalized()
        command.run()
    except Exception as error:  # setuptools raises its own sorts
        raise RuntimeError(str(error)) from error
    made = target.parent / command.get_ext_filename("_native")
    if made != target:
        made.replace(target)


def _platform_tag(builder: Any) -> str:
    return str(builder.get_best_matching_tag()).rpartition("-")[2]
