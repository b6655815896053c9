"""The verdict and the files of every command, whatever happens to its standard output."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from commands import run
from platforms import posix

pytestmark = posix

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
RUNS = (str(DATA / "qrels.txt"), str(DATA / "run_a.txt"))

ODD = {  # evidence that is not on its page: a warning
    "benchmark_type": "fact_exact",
    "document": "d.md",
    "questions": [
        {
            "id": "fact_001",
            "question": "一共收了多少？",
            "expected": {"amount_total": 42000},
            "required_evidence": [{"page": 1, "must_include": "五万元"}],
        }
    ],
}
# words in which {} is a name of the files, and the exit code
COMMANDS = {
    "gate that says no": (("gate", "r.jsonl", "--require", "AP >= 0.99", "-o", "{}.xml", "-o", "{}.md"), 1),
    "gate that says yes": (("gate", "r.jsonl", "--require", "AP >= 0.01", "-o", "{}.json"), 0),
    "gate in JSON": (("gate", "r.jsonl", "--require", "AP >= 0.99", "--json", "-o", "{}.xml"), 1),
    "bench that fails rules": (
        ("bench", "--system", "builtin:baseline", "--limit", "9", "--require", "legal >= 1", "-o", "{}.jsonl"),
        1,
    ),
    "bench whose system fails": (
        ("bench", "--system", "command:false", "--limit", "2", "--retries", "0", "-o", "{}.jsonl"),
        3,
    ),
    "validate": (("validate", "--strict", "odd.json"), 2),
    "validate in JSON": (("validate", "--strict", "odd.json", "--json"), 2),
    "a file that is missing": (("retrieval", RUNS[0], "nowhere.txt", "-m", "AP"), 2),
    "an option that is unknown": (("retrieval", "--nothing"), 2),
    "retrieval": (("retrieval", *RUNS, "-m", "AP", "-q", "-o", "{}.csv", "-o", "{}.jsonl"), 0),
    "answers": (("answers", str(DATA / "answers_a.jsonl"), "-m", "EM", "--json", "-o", "{}.tex"), 0),
    "compare": (("compare", "r.jsonl", "r.jsonl", "-o", "{}.md", "-o", "{}.json"), 0),
    "report": (("report", "r.jsonl", "--json", "-o", "{}.html"), 0),
    "metrics": (("metrics",), 0),
    "help": (("gate", "--help"), 0),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    assert run("retrieval", *RUNS, "-m", "AP", "-o", "r.jsonl", cwd=folder).returncode == 0
    (folder / "d.md").write_text("=== 第1页 共1页 ===\n答：一共收了42000元。\n", "utf-8")
    (folder / "odd.json").write_text(json.dumps(ODD), "utf-8")
    return folder


@contextmanager
def gone() -> Iterator[int]:
    """A pipe whose reader has left."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@contextmanager
def full() -> Iterator[int]:
    """A disk that takes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


# all modules once, then each command in a process of its own that has the streams of this one, and ends as others do
EACH = """
import gc, importlib, json, os, pkgutil, sys
import steelyard
from steelyard.cli import main
for module in pkgutil.walk_packages(steelyard.__path__, "steelyard."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
gc.freeze()
codes = []
for number, words in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if not child:
        if sys.stderr is not None:
            os.dup2(os.open(f"{sys.argv[2]}{number}.err", os.O_WRONLY | os.O_CREAT), 2)
        sys.exit(main(words))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
with open(f"{sys.argv[2]}.json", "w") as file:
    json.dump(codes, file)
"""


def start(words, folder, *, closed=(), **settings) -> subprocess.CompletedProcess[str]:
    def close():
        for descriptor in closed:
            os.close(descriptor)

    settings = {"stderr": subprocess.PIPE, **settings}
    return subprocess.run([sys.executable, *words], cwd=folder, text=True, check=False, preexec_fn=close, **settings)


class Outcome(NamedTuple):
    returncode: int
    stderr: str


def outcomes(folder: Path, prefix: str, **settings) -> dict[str, Outcome]:
    """Every command under the same conditions; all files that they were to write are there, and whole."""
    commands = [
        [word.replace("{}", f"{prefix}{number}") for word in words]
        for number, (words, _) in enumerate(COMMANDS.values())
    ]
    start(("-c", EACH, json.dumps(commands), prefix), folder, **settings)
    found = {}
    for number, (name, code) in enumerate(
        zip(COMMANDS, json.loads((folder / f"{prefix}.json").read_text()), strict=True)
    ):
        path = folder / f"{prefix}{number}.err"
        found[name] = Outcome(code, path.read_text("utf-8") if path.exists() else "")
    for number, (words, _) in enumerate(COMMANDS.values()):
        for word in words:
            if "{}" in word:
                assert (folder / word.replace("{}", f"{prefix}{number}")).stat().st_size > 0, (word, words)
    assert not list(folder.glob(".*")), "temporary files are gone"
    return found


def codes(found) -> dict[str, int]:
    return {name: done.returncode for name, done in found.items()}


@pytest.mark.slow
def test_a_reader_that_has_gone(folder):
    with gone() as stream:
        found = outcomes(folder, "gone", stdout=stream)
    assert codes(found) == {name: code for name, (_, code) in COMMANDS.items()}
    assert not any("Broken pipe" in done.stderr or "Traceback" in done.stderr for done in found.values())


@pytest.mark.slow
def test_a_disk_that_is_full(folder):
    with full() as stream:
        found = outcomes(folder, "full", stdout=stream)
    assert codes(found) == {name: code or 2 for name, (_, code) in COMMANDS.items()}
    for name in ("retrieval", "answers", "compare", "report", "metrics", "help", "gate that says yes"):
        assert found[name].stderr.endswith("output: No space left on device\n"), name


@pytest.mark.slow
def test_closed_streams(folder):
    found = outcomes(folder, "closed", closed=(1, 2), stdout=None, stderr=None)
    assert codes(found) == {name: code for name, (_, code) in COMMANDS.items()}


@pytest.mark.slow
def test_nobody_hears_anything(folder):
    gate = ("-m", "steelyard", "gate", "r.jsonl", "--require")
    with gone() as stream:
        done = start((*gate, "AP >= 0.99"), folder, stdout=stream, stderr=stream)
    assert done.returncode == 1
    with full() as stream:
        done = start((*gate, "AP >= 0.01"), folder, stdout=stream, stderr=stream)
    assert done.returncode == 2


@pytest.mark.slow
def test_a_pipe_that_does_not_block_gets_everything(folder):
    read, write = os.pipe()
    os.set_blocking(write, False)
    words = [sys.executable, "-m", "steelyard", "retrieval", *RUNS, "-m", "AP,RR,nDCG@10", "-q", "--json"]
    child = subprocess.Popen(words, cwd=folder, stdout=write)
    os.close(write)
    with open(read, "rb") as stream:
        heard = stream.read()
    assert child.wait() == 0
    assert heard == subprocess.run(words, cwd=folder, capture_output=True, check=True).stdout
