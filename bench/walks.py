"""Files of the package that a command enters: `python -m bench.walks [NAME…]`; `--write` puts them into the page.

A file is entered when one of its functions is called; what runs while a module is imported does not count. For every
walk the files are counted by top folder, with the number of times that the walk comes back to a folder for a new file.
`--write` walks all commands and writes explanation/architecture.md: for each the folders in the order of first entry.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Final

import steelyard
from bench.pages import pages_of, write_part
from steelyard.cli import main

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = f"{Path(steelyard.__file__).parent}{os.sep}"
WALKS: Final = {
    "retrieval": ("retrieval", "qrels.txt", "run.txt", "-o", "x.html"),
    "bench": ("bench", "--system", "builtin:baseline", "--require", "legal >= 0.5", "-o", "r.jsonl"),
    "pipeline": ("run", "examples/rag_full.yaml"),
}
HEAD: Final = "| walk | files | folders with two or more, by first entry |\n|---|---:|---|"
QRELS: Final = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n"
RUN: Final = "q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2 1.0 tag\nq2 Q0 d3 1 1.0 tag\n"


def entered_files(line: tuple[str, ...]) -> list[str]:
    """Run a command in this process; return the files that it enters, in the order of first entry."""
    entered: dict[str, None] = {}
    imports: Counter[int] = Counter()  # by thread: modules that are being executed

    def on_event(frame: FrameType, event: str, _: object) -> None:
        code, thread = frame.f_code, threading.get_ident()
        if code.co_name == "<module>":
            imports[thread] += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not imports[thread] and code.co_filename.startswith(PACKAGE):
            entered.setdefault(code.co_filename.removeprefix(PACKAGE))

    threading.setprofile(on_event)
    sys.setprofile(on_event)
    try:
        code = main(line)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    print(f"exit code {code}", file=sys.stderr)
    return list(entered)


def render_walk(name: str, files: list[str]) -> str:
    """Return the number of files, and those of each top folder with the number of re-entries."""
    tops = [path.partition(os.sep)[0] for path in files]
    runs = Counter(top for top, _ in groupby(tops))
    rows = [f"  {top:14} {count:4} files, {runs[top] - 1} re-entries" for top, count in Counter(tops).items()]
    return "\n".join([f"{name}: {len(files)} files, {sum(runs.values()) - 1} switches of folder", *rows])


def render_folders(name: str, files: list[str]) -> str:
    """Return a row of the page: the walk, the number of files, and the folders with two or more of them."""
    folders = Counter(path.partition(os.sep)[0] for path in files if os.sep in path)
    shown = ", ".join(f"{folder} {count}" for folder, count in folders.items() if count > 1)
    return f"| {name} | {len(files)} | {shown} |"


def walk(name: str) -> list[str]:
    """Run a command in a process and a folder of its own; return the files that it enters."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "qrels.txt").write_text(QRELS, encoding="utf-8")
        Path(folder, "run.txt").write_text(RUN, encoding="utf-8")
        for needed in ("data", "examples", "prompt") if name == "pipeline" else ():
            shutil.copytree(ROOT / needed, Path(folder, needed))
        command = [sys.executable, "-m", "bench.walks", "--here", name, "entered.json"]
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, check=True, stdout=sys.stderr)
        return list(json.loads(Path(folder, "entered.json").read_text("utf-8")))


def measure(names: list[str]) -> None:
    """Walk each named command, all if none is named, and print or write what was entered."""
    if names[:1] == ["--here"]:
        Path(names[2]).write_text(json.dumps(entered_files(WALKS[names[1]])), encoding="utf-8")
        return
    is_written = names[:1] == ["--write"]
    walks = {name: walk(name) for name in names[is_written:] or WALKS}
    for name, files in walks.items():
        print(render_walk(name, files))
    table = "\n".join([HEAD, *(render_folders(*each) for each in walks.items())])
    for page in pages_of("explanation/architecture.md") if is_written else ():
        write_part(page, "walks", table)


if __name__ == "__main__":
    measure(sys.argv[1:])
