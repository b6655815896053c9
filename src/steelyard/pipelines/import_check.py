"""Modules that a program imports and that are not installed, according to the Python that would run it.

This file is also run as a program by that Python, so it uses only the standard library. No program is executed.
"""

import ast
import importlib.machinery
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

CHECK_SECONDS = 60.0


def missing_modules(programs: Mapping[str, str], python: str) -> dict[str, list[str]]:
    """For each program, by its key, the modules that this Python does not find; empty if the check cannot run."""
    try:
        process = subprocess.run(
            [python, __file__],
            input=json.dumps(dict(programs)),
            capture_output=True,
            text=True,
            timeout=CHECK_SECONDS,
            check=False,
        )
        missing = json.loads(process.stdout) if process.returncode == 0 else {}
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return missing if isinstance(missing, dict) else {}


def foreign_python() -> str:
    """Return the Python that starts programs of others, as in UltraRAG: the first one on the PATH."""
    return shutil.which("python") or sys.executable


def not_found(program: str) -> list[str]:
    """Return the missing modules that a program, or a file beside it that it imports, imports at top level."""
    folder = os.path.dirname(os.path.abspath(program))
    queue, seen, missing = [program], set(), []
    while queue:
        for name in _imported_packages(queue.pop()):
            if name in seen:
                continue
            seen.add(name)
            beside = os.path.join(folder, name + ".py")
            if os.path.isfile(beside):
                queue.append(beside)
            elif not _is_importable(name, folder):
                missing.append(name)
    return sorted(missing)


def _is_importable(name: str, folder: str) -> bool:
    if name in sys.builtin_module_names or name in sys.modules:
        return True
    return importlib.machinery.PathFinder.find_spec(name, [folder, *sys.path]) is not None


def _imported_packages(path: str) -> Iterator[str]:
    """Yield the packages that a file imports at top level; an import in a function, an if or a try is optional."""
    for node in _parse(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def arguments_of(program: "os.PathLike[str]") -> dict[str, frozenset[str]]:
    """Return the arguments of each function and method that a program defines, except those that accept **kwargs."""
    defined = (node for node in ast.walk(_parse(program)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        node.name: frozenset(
            argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        )
        for node in defined
        if node.args.kwarg is None
    }


def _parse(path: "str | os.PathLike[str]") -> ast.Module:
    """Return the syntax tree of a program; an empty one if it has an error, which is reported when it is started."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _main() -> None:
    """Read programs by key as JSON, and write the missing modules by key as JSON."""
    sys.path.pop(0)  # the folder of this file, which is not the folder of a server
    programs = json.load(sys.stdin)
    json.dump({key: not_found(program) for key, program in programs.items()}, sys.stdout)


if __name__ == "__main__":
    _main()
