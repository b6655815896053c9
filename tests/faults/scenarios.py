"""What is swept: the commands and calls of the program that keep something in files, each in a folder of its own."""

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from bench.judge_server import serving, verdict
from commands import ROOT

from steelyard.cli import main
from steelyard.web.index import Index
from steelyard.web.rendering import OPEN, report_pages
from steelyard.web.viewer import Viewer

DATA: Final = ROOT / "data"
OLD: Final = "old " * 2_000
ITEMS: Final = 3
SERVER: Final = """
import os
from steelyard.pipelines.server import Server

app = Server("counter", __file__)


def asked(step):
    descriptor = os.open(os.environ["ASKED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, step.encode() + b"\\n")
    os.close(descriptor)


@app.tool("rows->xs")
def make(rows):
    asked("make")
    return {"xs": [0] * rows}


@app.tool("xs,step->xs")
def add(xs, step):
    asked("add")
    return {"xs": [x + step for x in xs]}
"""
PIPELINE: Final = "servers: {counter: servers/counter}\npipeline:\n- counter.make\n- counter.add\n- counter.add\n"

Step = Callable[[], int]


def command(*words: str) -> Step:
    """Return a step that runs a command in the current folder; `MODEL` stands for the model that is served."""
    return lambda: main([os.environ.get("MODEL", "") if word == "MODEL" else word for word in words])


class Scenario(NamedTuple):
    """The disturbed step, those that are tried in turn after it, the files before, and which of them are replaced.

    Lines of `recorded` files (a pattern) that are there after the fault are never lost; what is recorded is not asked
    again, if the scenario has `paid` calls.
    """

    first: Step
    again: Sequence[Step]
    prepare: Callable[[Path], None]
    replaced: Sequence[str] = ()
    recorded: str = ""
    paid: bool = False


def _results(folder: Path, *old: str) -> None:
    """Write a result of answers."""
    _answers(folder, *old)
    _in(folder, command("answers", "a.jsonl", "-m", "EM", "-o", "r.jsonl"))


def _in(folder: Path, step: Step) -> None:
    """Run a step in a folder, without its output."""
    if (child := os.fork()) == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.chdir(folder)
        os._exit(step())
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"{folder}: cannot be prepared")


def _answers(folder: Path, *old: str) -> None:
    lines = (DATA / "answers_a.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "a.jsonl").write_text("".join(lines[:ITEMS]), "utf-8")
    for name in old:
        (folder / name).write_text(OLD)


def _rankings(folder: Path) -> None:
    (folder / "qrels").write_text("".join(f"q{q} 0 d1 1\n" for q in range(ITEMS)))
    for name in ("run", "run2"):
        (folder / name).write_text("".join(f"q{q} Q0 d{d} 1 {9 - d} t\n" for q in range(ITEMS) for d in range(3)))


def _benchmark(folder: Path) -> None:
    (folder / "legal").mkdir()
    for name in ("questions/contract.fact_exact.json", "documents/contract.md"):
        shutil.copy(ROOT / "benchmark" / name, folder / "legal")


def _old_run(folder: Path) -> None:
    _benchmark(folder)
    (folder / "r.jsonl").write_text(OLD)


def _half(folder: Path) -> None:
    """Leave a run that was killed: its header, one item and a torn one."""
    _benchmark(folder)
    _in(folder, BENCH)
    lines = (folder / "r.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "r.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:50])


def _pipeline(folder: Path) -> None:
    (folder / "servers/counter/src").mkdir(parents=True)
    (folder / "servers/counter/src/counter.py").write_text(SERVER)
    (folder / "servers/counter/parameter.yaml").write_text("rows: 3\nstep: 2\n")
    (folder / "p.yaml").write_text(PIPELINE)


def _view() -> int:
    """Show a folder of results, as `steelyard view` does, and judge the items of one as a person does."""
    index = Index(Path())
    index.refresh()
    viewer = Viewer(index, report_pages(index.folder, OPEN), "en", OPEN)
    listed = viewer.listed()
    print([(entry.path, entry.name, entry.metrics) for entry in listed.entries])
    for path, texts in listed.broken:
        print(texts[0], file=sys.stderr)
    if listed.broken:
        return 2
    saved = Path("r.review.jsonl").read_text() if Path("r.review.jsonl").exists() else ""
    for item in ("zh-01", "zh-02"):
        if f'"id": "{item}"' in saved.rpartition("\n")[0]:
            continue
        page = viewer.review(listed.entries[0].id, json.dumps({"id": item, "agree": True}).encode())
        if page.status != HTTPStatus.OK:
            print(json.loads(page.content)["error"][0], file=sys.stderr)
            return 2
    return 0


@contextmanager
def model(log: Path) -> Iterator[str]:
    """Serve a model in a process of its own, which notes each call in a file."""

    def script(body, seen):
        with log.open("a") as file:
            file.write(re.search(r"zh-\d+|.{0,20}", body["messages"][-1]["content"])[0] + "\n")
        return verdict("same")

    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        with serving(script) as server:
            os.write(writing, server.model.encode())
            signal.pause()
    try:
        yield os.read(reading, 1000).decode()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _gate() -> int:
    """Write what the gate says, then a page."""
    code = main(["gate", "r.jsonl", "--require", "EM >= 0", "-o", "o.xml"])
    return code or main(["report", "r.jsonl", "-o", "o.html"])


OUTPUTS: Final = ("o.json", "o.html", "o.jsonl", "o.md", "o.csv")
WRITTEN: Final = tuple(word for name in OUTPUTS for word in ("-o", name))
ANSWERS: Final = command("answers", "a.jsonl", "-m", "EM", *WRITTEN, "--overwrite")
RANKING: Final = ("retrieval", "qrels", "run", "-m", "AP", "--engine", "local", "-j", "1", "-o", "r.jsonl")
ASKS: Final = ("bench", "legal", "--system", "builtin:baseline", "--limit", str(ITEMS), "-j", "1", "-o", "r.jsonl")
BENCH: Final = command(*ASKS)
RESUMED: Final = command(*ASKS, "--resume")
JUDGE: Final = ("judge", "run", "same", "a.jsonl", "--model", "MODEL", "-j", "1", "-o", "r.jsonl")
SCENARIOS: Final = {
    "answers -o": Scenario(ANSWERS, [ANSWERS], lambda folder: _answers(folder, *OUTPUTS), OUTPUTS),
    "bench": Scenario(BENCH, [RESUMED], _benchmark, recorded="r.jsonl"),
    "bench --resume": Scenario(RESUMED, [RESUMED], _half, recorded="r.jsonl"),
    "bench --overwrite": Scenario(
        command(*ASKS, "--overwrite"), [RESUMED, command(*ASKS, "--overwrite")], _old_run, ["r.jsonl"], "r.jsonl.new"
    ),
    "judge run": Scenario(
        command(*JUDGE), [command(*JUDGE, "--resume")], _answers, recorded="r.calls.jsonl", paid=True
    ),
    "run": Scenario(
        command("run", "p.yaml", "--json"),
        [command("run", "p.yaml", "--json", "--resume"), command("run", "p.yaml", "--json")],
        _pipeline,
        recorded="output/*.jsonl",
        paid=True,
    ),
    "view": Scenario(_view, [_view], _results, recorded="r.review.jsonl"),
    "gate -o, report -o": Scenario(
        _gate, [_gate], lambda folder: _results(folder, "o.xml", "o.html"), ("o.xml", "o.html")
    ),
    "parts of engines": Scenario(command(*RANKING), [command(*RANKING, "--resume")], _rankings),
}
