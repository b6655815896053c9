"""The protocol of targets, for Python; it needs the standard library alone."""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any


class Unsupported(Exception):
    """The documentation of the program does not claim such an input."""


def answer(package: str, functions: Mapping[str, Callable[[Any], Any]], *, release: str | None = None) -> None:
    """Answer lines until the input ends; `functions` compute by name, from the input of a vector.

    What a library prints goes to standard error: standard output has the lines of the protocol alone.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if "start" in request:
                reply = {"name": package, "version": release or version(package), "computes": sorted(functions)}
            else:
                reply = {"id": request["id"], **_computed(functions[request["computes"]], request["input"])}
            out.write(json.dumps(reply, ensure_ascii=False) + "\n")
            out.flush()


def _computed(function: Callable[[Any], Any], given: Any) -> dict[str, Any]:
    try:
        return {"value": _plain(function(given))}
    except Unsupported as why:
        return {"unsupported": str(why)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what is not a finite number is null."""
    if hasattr(value, "tolist"):  # numpy, torch
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
