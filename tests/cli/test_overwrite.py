"""What is recorded is not replaced unless that is asked for, and then only by something whole."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from platforms import posix

from steelyard.cli import main
from steelyard.io.results import load

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
QRELS, RUN = str(DATA / "qrels.txt"), str(DATA / "run_a.txt")
REFUSED = "the file already exists\nhint: replace it with --overwrite, or use another name\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["retrieval", QRELS, RUN, "-m", "AP", "-o", "r.jsonl"]) == 0
    return tmp_path


COMMANDS = {
    "retrieval": ("retrieval", QRELS, RUN, "-m", "AP"),
    "answers": ("answers", str(DATA / "answers_a.jsonl"), "-m", "EM"),
    "compare": ("compare", "r.jsonl", "r.jsonl"),
    "report": ("report", "r.jsonl"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_results_are_refused_and_replaced_when_asked(name, here, capsys):
    old = here / "old.jsonl"
    old.write_text("precious")
    capsys.readouterr()
    assert main([*COMMANDS[name], "-o", "old.jsonl"]) == 2
    assert (old.read_text(), capsys.readouterr()) == ("precious", ("", f"old.jsonl: {REFUSED}"))
    assert main([*COMMANDS[name], "-o", "old.jsonl", "--overwrite"]) == 0
    assert old.read_text("utf-8").startswith('{"steelyard": ')
    assert sorted(path.name for path in here.iterdir()) == ["old.jsonl", "r.jsonl"]


def test_other_formats_are_replaced(here):
    for name in ("r.csv", "r.md", "r.tex", "r.json", "r.html"):
        (here / name).write_text("old")
        assert main(["report", "r.jsonl", "-o", name]) == 0
        assert (here / name).read_text("utf-8") != "old"


def test_a_table_is_saved_over_an_older_one(here):
    table = load("r.jsonl")
    table.save("r.jsonl")
    assert list(load("r.jsonl").ids) == list(table.ids)


@posix
def test_a_file_that_cannot_be_written_does_not_keep_the_others(here, capsys):
    (here / "astray.md").symlink_to(here / "nowhere" / "r.md")
    capsys.readouterr()
    assert main(["report", "r.jsonl", "--json", "-o", "astray.md", "-o", "ok.md"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["kind"] == "retrieval"
    assert printed.err.endswith("astray.md: cannot be written: No such file or directory\n")
    assert (here / "ok.md").exists()


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("command", "name"), [("report", "r.html"), ("compare", "r.md"), ("retrieval", "r.csv")])
def test_where_no_more_can_be_written_the_old_file_stays(here, command, name):
    old = here / name
    old.write_text("precious")

    def full():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    words = [sys.executable, "-B", "-m", "steelyard", *COMMANDS[command], "-o", name]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=full, check=False)
    assert done.returncode == 2, done.stderr
    assert old.read_text() == "precious"
    assert sorted(path.name for path in here.iterdir()) == sorted([name, "r.jsonl"])


@pytest.mark.slow
def test_a_review_that_somebody_has_filled_in_is_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "--system", "builtin:baseline", "--limit", "6", "-o", "r.jsonl"]) == 0
    sample = ["sample", "r.jsonl", "-n", "3", "-o", "review.jsonl", "-o", "review.html"]
    assert (main(sample), main([*sample, "--seed", "1"])) == (0, 0)  # nothing was filled in yet
    path = tmp_path / "review.jsonl"
    path.write_text(path.read_text("utf-8").replace('"agree": null', '"agree": true', 1), "utf-8")
    capsys.readouterr()
    assert main(sample) == 2
    assert capsys.readouterr().err == f"review.jsonl: {REFUSED}"
    assert '"agree": true' in path.read_text("utf-8")
    assert main([*sample, "--overwrite"]) == 0


def bench(*words: str) -> int:
    return main(["bench", "--system", "python:slow:query", "--limit", "4", "-j", "1", "-o", "r.jsonl", *words])


def ids_of(path: Path) -> list[str]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [line["id"] for line in lines if "id" in line]


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """A system that waits, before its third answer, for a file called `go`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\n"
        "asked = []\n"
        "def query(question):\n"
        "    asked.append(question)\n"
        "    while len(asked) > 2 and not pathlib.Path('go').exists():\n"
        "        time.sleep(0.01)\n"
        "    return 'nothing'\n"
    )
    return tmp_path


def started(*words: str) -> subprocess.Popen[bytes]:
    system = ["--system", "python:slow:query", "--limit", "4", "-j", "1", "-o", "r.jsonl"]
    return subprocess.Popen([sys.executable, "-m", "steelyard", "bench", *system, *words], stdout=subprocess.DEVNULL)


def until_two_are_in(path: Path, child: subprocess.Popen[bytes]) -> None:
    while not path.exists() or path.read_bytes().count(b"\n") < 3:
        assert child.poll() is None
        time.sleep(0.02)


@posix
@pytest.mark.slow
def test_bench_keeps_the_old_result_until_the_new_one_is_there(slow, capsys):
    path, new = slow / "r.jsonl", slow / "r.jsonl.new"
    (slow / "go").touch()
    assert (bench(), bench()) == (0, 2)
    assert "replace it with --overwrite" in capsys.readouterr().err
    old = path.read_bytes()
    (slow / "go").unlink()
    child = started("--overwrite")
    until_two_are_in(new, child)
    assert bench("--resume") == 2  # another run is writing this file
    assert bench("--overwrite") == 2
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert path.read_bytes() == old
    kept = ids_of(new)
    (slow / "go").touch()
    assert bench("--resume") == 0  # goes on with the new one
    assert not new.exists()
    assert ids_of(path)[: len(kept)] == kept
    assert len(load(path)) == 4
    assert path.read_bytes() != old


@pytest.mark.slow
def test_two_that_resume_at_the_same_time(slow):
    """One goes on, the other is refused; nothing that is recorded is cut off, also where nothing was recorded yet."""
    path = slow / "r.jsonl"
    path.touch()
    first = started("--resume")
    until_two_are_in(path, first)
    inode, recorded = path.stat().st_ino, path.read_bytes()
    others = [started("--resume"), started("--resume")]
    assert [other.wait() for other in others] == [2, 2]
    assert path.stat().st_ino == inode
    assert path.read_bytes().startswith(recorded)
    (slow / "go").touch()
    assert first.wait() == 0
    assert len(set(ids_of(path))) == len(ids_of(path)) == 4


def test_what_a_run_adds_while_another_resumes_is_not_cut_off(slow, monkeypatch):
    """The lock comes before the reading: here the other run writes and ends just before the lock is had."""
    from steelyard.io.results import writing as results

    (slow / "go").touch()
    path = slow / "r.jsonl"
    assert bench() == 0
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    lock = results._lock

    def late(file, where):
        with open(path, "ab") as other:
            other.write(lines[2])
        monkeypatch.setattr(results, "_lock", lock)
        lock(file, where)

    monkeypatch.setattr(results, "_lock", late)
    assert bench("--resume") == 0
    assert path.read_bytes().splitlines(keepends=True)[:3] == lines[:3]
    assert len(ids_of(path)) == 4


def test_a_header_that_was_torn_is_written_again(slow):
    (slow / "go").touch()
    (slow / "r.jsonl").write_bytes(b'{"steelyard": "0.1')
    assert bench("--resume") == 0
    assert len(load("r.jsonl")) == 4
    (slow / "r.jsonl").write_bytes(b'{"mine": 1}')
    assert bench("--resume") == 2
    assert (slow / "r.jsonl").read_bytes() == b'{"mine": 1}'


@posix
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "text", "pipe"])
@pytest.mark.parametrize("mode", ["--overwrite", "--resume"])
def test_what_lies_where_the_new_result_would_is_not_written_to(tmp_path, monkeypatch, capsys, kind, mode):
    monkeypatch.chdir(tmp_path)
    command = ["bench", "--system", "builtin:baseline", "--limit", "2", "-o", "r.jsonl"]
    assert main(command) == 0
    before, new = Path("r.jsonl").read_bytes(), Path("r.jsonl.new")
    Path("precious.txt").write_text("precious")
    if kind == "pipe":
        os.mkfifo(new)
    elif kind == "link":
        new.symlink_to("precious.txt")
    else:
        new.write_text("precious")
    capsys.readouterr()
    assert main([*command, mode]) == 2
    assert "r.jsonl.new: this is not the results file of an unfinished run\n" in capsys.readouterr().err
    assert Path("r.jsonl").read_bytes() == before
    assert Path("precious.txt").read_text() == "precious"
