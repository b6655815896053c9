"""What is swept: the commands that keep something in files, and the viewer, all in one prepared folder."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from commands import ROOT, start

from bench.judge_server import serving, verdict
from steelyard.cli import main
from steelyard.errors import SteelyardError
from steelyard.io.results import load
from steelyard.io.reviews import digest_of
from steelyard.web.index import Index
from steelyard.web.rendering import OPEN, report_pages
from steelyard.web.viewer import Viewer

OLD: Final = "old " * 2_000
ITEMS: Final = 3
SERVER: Final = """
import os
from steelyard.pipelines.server import Server

app = Server("counter", __file__)


@app.tool("xs,step->xs")
def add(xs, step):
    descriptor = os.open(os.environ["CALLS"], os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, b"add\\n")
    os.close(descriptor)
    return {"xs": [x + step for x in xs]}
"""
FILES: Final = {
    "servers/counter/src/counter.py": SERVER,
    "servers/counter/parameter.yaml": "xs: [0, 1]\nstep: 2\n",
    "p.yaml": "servers: {counter: servers/counter}\npipeline: [counter.add, counter.add, counter.add]\n",
    "qrels": "".join(f"q{q} 0 d1 1\n" for q in range(ITEMS)),
    "run": "".join(f"q{q} Q0 d{d} 1 {9 - d} t\n" for q in range(ITEMS) for d in range(3)),
}

Step = Callable[[], int]


class Scenario(NamedTuple):
    """The disturbed step, those that are tried in turn after it, and the older files that it replaces.

    Whole lines of `recorded` files (a pattern) are never lost, and what they record is not asked again.
    """

    first: Step
    again: Sequence[Step]
    replaced: Sequence[str] = ()
    recorded: str = ""


def command(*words: str) -> Step:
    """Return a step that runs a command; `MODEL` stands for the model that is served."""
    return lambda: main([os.environ["MODEL"] if word == "MODEL" else word for word in words])


def _gate() -> int:
    code = main(["gate", "results/r.jsonl", "--require", "EM >= 0", "-o", "o.xml"])
    return code or main(["report", "results/r.jsonl", "-o", "o.html"])


def _refused(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 2


def _view() -> int:
    """Show a folder of results, as `steelyard view` does, and judge two items, as a person does; then show it again."""
    index = Index(Path("results"))
    viewer = Viewer(index, report_pages(index.folder, OPEN), "en", OPEN)
    listed = viewer.listed()
    for _, texts in listed.broken:
        return _refused(texts[0])
    review = Path("results/r.review.jsonl")
    saved = review.read_bytes().rpartition(b"\n")[0] if os.path.exists(review) else b""
    try:
        shown = digest_of(load("results/r.jsonl"))
    except SteelyardError as error:
        return _refused(str(error))
    for item in ("zh-01", "zh-02"):
        body = json.dumps({"id": item, "agree": True, "result": shown}).encode()
        if b'"id": %s' % json.dumps(item).encode() not in saved:
            page = viewer.review(listed.entries[0].id, body)
            if page.status != HTTPStatus.OK:
                return _refused(json.loads(page.content)["error"][0])
    listed = viewer.listed()
    for _, texts in listed.broken:
        return _refused(texts[0])
    sys.stdout.write(str([(entry.path, entry.name, entry.metrics) for entry in listed.entries]))
    return 0


def prepare(folder: Path) -> None:
    """Write what the scenarios read: answers, rankings, a benchmark, a pipeline, a result, and half of a run."""
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    lines = (ROOT / "data" / "answers_a.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "a.jsonl").write_text("".join(lines[:ITEMS]), "utf-8")
    for name in ("questions/contract.fact_exact.json", "documents/contract.md"):
        (folder / "legal").mkdir(exist_ok=True)
        shutil.copy(ROOT / "benchmark" / name, folder / "legal")
    (folder / "results").mkdir()
    for words in (("answers", "a.jsonl", "-m", "EM", "-o", "results/r.jsonl"), (*ASKS, "half.jsonl")):
        assert start(*words, cwd=folder).returncode == 0
    run = (folder / "half.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "half.jsonl").write_bytes(b"".join(run[:2]) + run[2][:50])


@contextmanager
def model(calls: Path) -> Iterator[str]:
    """Serve a model in a process of its own, which adds a line for each call to a file."""

    def script(body, seen):
        with calls.open("a") as file:
            file.write("call\n")
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


OUTPUTS: Final = ("o.json", "o.html", "o.jsonl")
WRITTEN: Final = [word for name in OUTPUTS for word in ("-o", name)]
ANSWERS: Final = command("answers", "a.jsonl", "-m", "EM", *WRITTEN, "--overwrite")
ASKS: Final = ("bench", "legal", "--system", "builtin:baseline", "--limit", str(ITEMS), "-j", "1", "-o")
BENCH, RESUMED, ANEW = (command(*ASKS, "o.jsonl", *more) for more in ((), ("--resume",), ("--overwrite",)))
HALF: Final = command(*ASKS, "half.jsonl", "--resume")
JUDGE: Final = ("judge", "run", "same", "a.jsonl", "--model", "MODEL", "-j", "1", "-o", "o.jsonl")
RUN: Final = ("run", "p.yaml", "--json")
PARTS: Final = ("retrieval", "qrels", "run", "-m", "AP", "--engine", "local", "-j", "1", "-o", "o.jsonl")
SCENARIOS: Final = {
    "answers -o": Scenario(ANSWERS, [ANSWERS], OUTPUTS),
    "bench": Scenario(BENCH, [RESUMED], recorded="o.jsonl"),
    "bench --resume": Scenario(HALF, [HALF], recorded="half.jsonl"),
    "bench --overwrite": Scenario(ANEW, [RESUMED, ANEW], ["o.jsonl"], "o.jsonl.new"),
    "judge run": Scenario(command(*JUDGE), [command(*JUDGE, "--resume")], recorded="o.calls.jsonl"),
    "run": Scenario(command(*RUN), [command(*RUN, "--resume"), command(*RUN)], recorded="output/*.jsonl"),
    "view": Scenario(_view, [_view], recorded="results/r.review.jsonl"),
    "gate -o, report -o": Scenario(_gate, [_gate], ["o.xml", "o.html"]),
    "parts of engines": Scenario(command(*PARTS), [command(*PARTS, "--resume")]),
}


def _not_atomic() -> int:
    Path("o.txt").write_text("new")
    return 0


CONTROL: Final = {"not atomic": Scenario(_not_atomic, [_not_atomic], ["o.txt"])}
"""What a sweep must find wrong."""
