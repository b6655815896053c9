"""The examples of the pages "Coming from …": run, and written into the pages with what they print.

`python docs/examples.py` refreshes the pages. In a block `console` a line `$ steelyard …` is a command and the lines
below it are what it prints, of which lines longer than WIDTH are cut; `| head -N` keeps the first N lines and
`$ echo $?` prints the exit code. A block `text` directly after a block `python` is what the code prints.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted(Path(__file__).parent.glob("from-*.md"))
WIDTH = 150
Run = Callable[[list[str], Path, dict[str, str]], tuple[int, str]]
"""Runs a command of the program in a folder with an environment, and gives its exit code and what it prints."""

_CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_CODE = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<text>.*?)```", re.DOTALL)


def console(page: str, run: Run, folder: Path, environment: dict[str, str]) -> str:
    """A page in which every command is followed by what it prints now; `folder` has a copy of `data`."""
    return _CONSOLE.sub(lambda block: _session(block[0], run, folder, environment), page)


def _session(block: str, run: Run, folder: Path, environment: dict[str, str]) -> str:
    lines, code = [], 0
    for command in (line for line in block.splitlines() if line.startswith("$ ")):
        words, _, limit = command[2:].partition(" | head -")
        if words == "echo $?":
            printed = str(code)
        else:
            code, printed = run(shlex.split(words)[1:], folder, environment)
        kept = printed.rstrip("\n").splitlines()[: int(limit) if limit else None]
        lines += [command, *(line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in kept)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def code_blocks(page: str) -> list[tuple[str, str]]:
    """Each block of Python code with what it is said to print."""
    return [(match["code"], match["text"]) for match in _CODE.finditer(page)]


def with_outputs(page: str, printed: list[str]) -> str:
    """A page with other outputs of its code, in order."""
    outputs = iter(printed)
    return _CODE.sub(lambda match: f"```python\n{match['code']}```\n\n```text\n{next(outputs)}```", page)


def language(page: Path) -> dict[str, str]:
    """The environment of a reader of a page."""
    return {"LANG": "zh_CN.UTF-8" if page.name.endswith(".zh.md") else "en_GB.UTF-8"}


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    command = [sys.executable, "-m", "steelyard", *words]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=-1, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8")


def _printed(code: str, before: str, environment: dict[str, str]) -> str:
    """What code prints; what the page has, if a package that the code imports is not installed."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=-1, stderr=-1, check=False)
    if done.returncode and b"ModuleNotFoundError" in done.stderr:
        return before
    done.check_returncode()
    return done.stdout.decode("utf-8")


def _refresh(path: Path) -> None:
    settings = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LC_MESSAGES")}
    sources = os.pathsep.join([str(ROOT / "src"), *filter(None, [settings.get("PYTHONPATH")])])
    environment = {**settings, "PYTHONPATH": sources, "PYTHONIOENCODING": "utf-8", **language(path)}
    page = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "data", Path(name) / "data")
        page = console(page, _run, Path(name), environment)
    printed = [_printed(code, before, environment) for code, before in code_blocks(page)]
    path.write_text(with_outputs(page, printed), "utf-8")


if __name__ == "__main__":
    for path in PAGES:
        _refresh(path)
