"""Checkpoints: commands that were stopped are resumed from stored results of parts; other files are not used."""

import hashlib
import io
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from platforms import posix

from steelyard.cli import main
from steelyard.engines.base import Part, PartLost
from steelyard.engines.checkpoints import CheckpointEngine, parts_folder, remove
from steelyard.io.addresses import Address


class Counted:
    """An engine that does parts in this process and stops before one of them."""

    part_bytes = None

    def __init__(self, stop: int | None = None) -> None:
        self.done: list[int] = []
        self.stop = stop

    def map_in_order(self, task, parts):
        for part in parts:
            if part.content[0] == self.stop:
                raise PartLost.of(part.name, 2)
            self.done.append(part.content[0])
            yield task(part.content)

    def close(self):
        pass


class Result(NamedTuple):
    """A value of every kind that results have."""

    content: dict[str, tuple[int, ...]]
    pairs: dict[tuple[str, int], frozenset[str]]
    text: str | None
    number: float
    record: dict[str, Any]


class Task:
    """A task that declares what it returns."""

    def __call__(self, content: tuple[int, ...]) -> list[Result | None]:
        pairs = {("b", 1): frozenset(("x", "y"))}
        result = Result({"a": content}, pairs, "\ud800", 0.1, {"b": [1, None, {"c": "d"}]})
        return [result, result._replace(text=None), None]


task = Task()


def parts(count):
    return (Part(str(number), (number,)) for number in range(count))


def test_what_was_done_is_not_done_again(tmp_path):
    first, second = Counted(stop=5), Counted()
    wanted = [task((number,)) for number in range(9)]
    results = CheckpointEngine(first, tmp_path / "p", "key").map_in_order(task, parts(9))
    assert [next(results) for _ in range(5)] == wanted[:5]
    with pytest.raises(PartLost):
        next(results)
    assert list(CheckpointEngine(second, tmp_path / "p", "key").map_in_order(task, parts(9))) == wanted
    assert (first.done, second.done) == ([0, 1, 2, 3, 4], [5, 6, 7, 8])


def test_kept_results_before_an_error_are_given(tmp_path):
    list(CheckpointEngine(Counted(), tmp_path / "p", "key").map_in_order(task, parts(3)))
    results = CheckpointEngine(Counted(stop=3), tmp_path / "p", "key").map_in_order(task, parts(9))
    assert len([next(results) for _ in range(3)]) == 3
    with pytest.raises(PartLost):
        next(results)


def test_results_for_another_key_or_with_another_hash_are_not_used(tmp_path):
    wanted = list(CheckpointEngine(Counted(), tmp_path / "p", "key").map_in_order(task, parts(4)))
    other = Counted()
    assert list(CheckpointEngine(other, tmp_path / "p", "other").map_in_order(task, parts(4))) == wanted
    assert other.done == [0, 1, 2, 3]
    for number, path in enumerate(sorted((tmp_path / "p").iterdir())):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] if number % 2 else b"")
    assert list(CheckpointEngine(Counted(), tmp_path / "p", "key").map_in_order(task, parts(4))) == wanted
    assert list(CheckpointEngine(Counted(), tmp_path / "p", "key").map_in_order(task, parts(4))) == wanted


def test_only_our_files_are_removed(tmp_path):
    folder = tmp_path / "r.jsonl.parts"
    assert parts_folder([Path("a.html"), tmp_path / "r.jsonl"]) == folder
    list(CheckpointEngine(Counted(), folder, "key").map_in_order(task, parts(2)))
    (folder / "mine.txt").touch()
    remove(folder)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


WRONG: list[Any] = [None, 7, [[9], "|O", 0], [[0], "(", -1], {}]


@pytest.fixture
def kept_run(tmp_path, monkeypatch):
    """A command that was stopped when its parts were done: its arguments, and the file of its only part."""
    (tmp_path / "qrels").write_text("".join(f"q{number} 0 d1 1\n" for number in range(5)))
    (tmp_path / "run").write_text("".join(f"q{q} Q0 d{d} 1 {9 - d} t\n" for q in range(5) for d in range(3)))
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    command = [
        "retrieval",
        *files,
        "-m",
        "AP",
        "--json",
        "--engine",
        "local",
        "-j",
        "1",
        "-o",
        str(tmp_path / "r.jsonl"),
    ]
    with monkeypatch.context() as patch:
        patch.setattr("steelyard.cli.engines.remove", lambda *_: None)
        assert main(command) == 0
    (tmp_path / "r.jsonl").unlink()
    (part,) = (tmp_path / "r.jsonl.parts").iterdir()
    return [*command, "--resume"], part


@posix
def test_what_was_kept_is_used(kept_run, monkeypatch):
    command, part = kept_run
    before = part.stat().st_mtime_ns
    monkeypatch.setattr("steelyard.cli.engines.remove", lambda *_: None)
    assert main(command) == 0
    assert part.stat().st_mtime_ns == before


def test_resume_can_be_repeated(kept_run, tmp_path, capsys):
    command, part = kept_run
    kept, results = part.read_bytes(), Path(command[-2])
    assert main(command) == 0
    lines = results.read_text().splitlines()
    part.parent.mkdir()  # stopped between the results file and the removal of parts
    part.write_bytes(kept)
    assert main(command) == 0
    assert results.read_text().splitlines()[1:] == lines[1:]
    assert not part.parent.exists()
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 t\n")
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(f"{results}: the file already exists")
    assert results.read_text().splitlines()[1:] == lines[1:]


def seal(path, tree, arrays=b""):
    content = tree + b"\n" + arrays
    path.write_bytes(hashlib.sha256(content).digest() + content)


def places(tree, at=()):
    yield at
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree if isinstance(tree, list) else ()):
        yield from places(value, (*at, key))


def changed(tree, at, new):
    if not at:
        return new
    tree = tree.copy()
    tree[at[0]] = changed(tree[at[0]], at[1:], new)
    return tree


def is_array(tree, at):
    """Whether the value at a place is the shape, type and start of an array."""
    for key in at:
        tree = tree[key]
    return isinstance(tree, list) and len(tree) == 3 and isinstance(tree[0], list) and isinstance(tree[1], str)


@posix
@pytest.mark.slow
def test_a_part_with_another_content_is_done_again_or_refused(kept_run, capsys):
    command, part = kept_run
    tree, _, arrays = part.read_bytes()[32:].partition(b"\n")
    result = json.loads(tree)
    other = [changed(result, at, new) for number, at in enumerate(places(result)) for new in WRONG[number % 2 :: 2]]
    shorter = [changed(result, at, [1]) for at in places(result) if at and at[-1] == 0 and is_array(result, at[:-1])]
    trees = [b"", b"[]", b"x", b"[" * 900 + b"]" * 900, *(json.dumps(each).encode() for each in (*other, *shorter))]
    codes = []
    for each in trees:
        part.parent.mkdir(exist_ok=True)
        seal(part, each, arrays)
        codes.append(main(command))
        Path(command[-2]).unlink(missing_ok=True)
    assert set(codes) == {0, 2}
    assert f"{part.parent}: the results of parts that are kept in it cannot be used" in capsys.readouterr().err


def test_only_classes_of_results_are_rebuilt(kept_run, monkeypatch):
    command, part = kept_run
    monkeypatch.delitem(sys.modules, "steelyard.__main__", raising=False)
    seal(part, b'{"object": ["steelyard.__main__:x", {}]}')
    assert main(command) == 0
    assert "steelyard.__main__" not in sys.modules


def test_a_link_is_no_place_for_parts(kept_run, tmp_path, capsys):
    command, part = kept_run
    part.parent.rename(tmp_path / "mine")
    part.parent.symlink_to(tmp_path / "mine")
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(f"{part.parent}: it is the place for results of parts, and no folder")
    assert main([each for each in command if each not in ("--resume", "--engine", "local", "-j", "1")]) == 0
    assert (tmp_path / "mine" / part.name).exists()


def test_resume_needs_a_results_file(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "prediction": "a", "references": ["a"]}\n')
    assert main(["answers", str(tmp_path / "a.jsonl"), "--resume"]) == 2
    assert capsys.readouterr().err == (
        "there is nothing to resume\nhint: specify the results file: -o FILE.jsonl --resume\n"
    )


@posix
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))])
def test_a_killed_command_is_resumed(tmp_path, seed):
    choose = random.Random(seed)
    with (tmp_path / "rows.jsonl").open("w") as file:
        for number in range(60_000):
            words = " ".join(str(choose.randrange(100)) for _ in range(20))
            file.write(json.dumps({"id": number, "prediction": words, "references": [words[:40]]}) + "\n")
    command = [sys.executable, "-m", "steelyard", "answers", "rows.jsonl", "-j", "2", "-o"]
    subprocess.run([*command, "whole.jsonl"], cwd=tmp_path, check=True, capture_output=True)
    with subprocess.Popen([*command, "r.jsonl"], cwd=tmp_path, stdout=subprocess.DEVNULL) as program:
        while program.poll() is None and len(list(tmp_path.glob("r.jsonl.parts/*.part"))) <= seed:
            time.sleep(0.001)
        program.send_signal(signal.SIGKILL)
    kept = list(tmp_path.glob("r.jsonl.parts/*.part"))
    assert kept
    subprocess.run([*command, "r.jsonl", "--resume"], cwd=tmp_path, check=True, capture_output=True)
    lines = [(tmp_path / name).read_text().splitlines() for name in ("whole.jsonl", "r.jsonl")]
    assert lines[0][1:] == lines[1][1:]
    assert not list(tmp_path.glob("r.jsonl.parts"))


def test_a_run_is_resumed(tmp_path, capsys):
    (tmp_path / "qrels").write_text("".join(f"q{number} 0 d1 1\n" for number in range(50)))
    run = tmp_path / "run"
    run.write_text("".join(f"q{q} Q0 d{d} 1 {9 - d} t\n" for q in range(50) for d in range(5)))
    command = ["retrieval", str(tmp_path / "qrels"), str(run), "--engine", "local", "-j", "1", "-o"]
    assert main([*command, str(tmp_path / "a.jsonl")]) == 0
    assert not (tmp_path / "a.jsonl.parts").exists()
    assert main([*command, str(tmp_path / "b.jsonl"), "--resume"]) == 0
    lines = [(tmp_path / name).read_text().splitlines() for name in ("a.jsonl", "b.jsonl")]
    assert lines[0][1:] == lines[1][1:]


@pytest.mark.parametrize("judgments", ["-", "beir"])
def test_only_files_are_resumed(tmp_path, capsys, monkeypatch, judgments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"q1 0 d1 1\n")))
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    (tmp_path / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 tag\n")
    assert main(["retrieval", judgments, "run", "--resume", "-o", "r.jsonl"]) == 2
    assert "only of inputs that are files on this machine" in capsys.readouterr().err


def test_the_place_of_parts_is_a_folder(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 tag\n")
    (tmp_path / "r.jsonl.parts").touch()
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    assert main(["retrieval", *files, "--engine", "local", "-o", str(tmp_path / "r.jsonl")]) == 2
    assert capsys.readouterr().err.startswith(f"{tmp_path}/r.jsonl.parts: it is the place for results of parts")


def test_no_parts_are_kept_beside_an_object():
    assert parts_folder([Address("s3://bucket/r.jsonl")]) is None
