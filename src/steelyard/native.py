"""The compiled kernel (`steelyard._native`), which an installation may have.

It does the regular part of the work in C. Without it, and for input that is not regular, Python and numpy do the same
with the same results. The environment is read here and not by the callers, because one setting holds for a process and
for all processes that it starts.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final

SWITCH: Final = "STEELYARD_PURE"
"""The environment variable that switches the kernel off, unless it is empty or 0."""
_INTERFACE: Final = 7  # as in native/module.c


@cache
def kernel() -> ModuleType | None:
    """Return the compiled kernel; None if it was not built, belongs to other sources or is switched off."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return None
    try:
        module = import_module("steelyard._native")
    except ImportError:
        return None
    return module if module.INTERFACE == _INTERFACE else None


def description() -> str:
    """Return what does the work, as `steelyard --version` says it."""
    return "pure Python" if kernel() is None else "compiled kernel"
