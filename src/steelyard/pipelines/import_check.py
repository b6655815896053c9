"""Which modules that a program imports cannot be found, asked of the python that would run it; nothing is executed.

This file is also run as a program by that python, so it uses the standard library alone.
"""

import ast
import importlib.machinery
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

CHECK_SECONDS = 60.0


def missing_modules(programs: Mapping[str, str], python: str) -> dict[str, list[str]]:
    """For each program, by its key, the modules that this python does not find; nothing where it cannot be asked."""
    if not programs:
        return {}
    try:
        asked = subprocess.run(
            [python, __file__],
            input=json.dumps(dict(programs)),
            capture_output=True,
            text=True,
            timeout=CHECK_SECONDS,
            check=False,
        )
        found = json.loads(asked.stdout) if asked.returncode == 0 else {}
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return found if isinstance(found, dict) else {}


def not_found(program: str) -> list[str]:
    """The modules that a program imports at its top level, or a file beside it does, and that are not installed."""
    folder = os.path.dirname(os.path.abspath(program))
    waiting, seen, missing = [program], set(), []
    while waiting:
        for name in _imported(waiting.pop()):
            if name in seen:
                continue
            seen.add(name)
            beside = os.path.join(folder, name + ".py")
            if os.path.isfile(beside):
                waiting.append(beside)
            elif not _is_found(name, folder):
                missing.append(name)
    return sorted(missing)


def _is_found(name: str, folder: str) -> bool:
    if name in sys.builtin_module_names or name in sys.modules:
        return True
    return importlib.machinery.PathFinder.find_spec(name, [folder, *sys.path]) is not None


def _imported(path: str) -> Iterator[str]:
    """The packages that a file cannot do without; what stands in a function, an if or a try may be missing."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # the program says so itself when it is started
        return
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def arguments_of(program: "os.PathLike[str]") -> dict[str, frozenset[str]]:
    """The arguments of each function and method that a program defines; one that takes any by ** is left out."""
    with open(program, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    defined = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        node.name: frozenset(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
        for node in defined
        if node.args.kwarg is None
    }


def _answer() -> None:
    """As a program: programs by key in, missing modules by key out, both JSON."""
    sys.path.pop(0)  # the folder of this file, which is not that of a server
    programs = json.load(sys.stdin)
    json.dump({key: not_found(program) for key, program in programs.items()}, sys.stdout)


if __name__ == "__main__":
    _answer()
