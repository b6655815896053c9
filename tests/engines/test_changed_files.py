"""A file that is replaced or written to while workers read it: one error, never a mixture under the old hash."""

import json
import os

import pytest

import steelyard
from steelyard.engines.local import LocalEngine
from steelyard.io.ranges import FileChanged

ROWS = [{"id": f"r{number:05}", "prediction": "Ann", "references": ["Ann"]} for number in range(3 * 2048)]


class Meanwhile(LocalEngine):
    """An engine that does something when it has given its first result."""

    def __init__(self, then) -> None:
        super().__init__(1, part_bytes=1)
        self.then = then

    def map_in_order(self, task, parts):
        for number, result in enumerate(super().map_in_order(task, parts)):
            if number == 0:
                self.then()
            yield result


def replaced(path):
    """Another file of the same size."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b"Ann", b"Bob"))
    os.replace(other, path)


def replaced_with_the_same_time(path):
    before = path.stat()
    replaced(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(path):
    os.truncate(path, path.stat().st_size // 4)


def continued(path):
    with path.open("ab") as file:
        file.write(b"\n")


CHANGES = [replaced, replaced_with_the_same_time, cut, continued, os.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_of_answers(tmp_path, change):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    with pytest.raises(FileChanged, match=r"rows\.jsonl: the file was replaced, removed or written to"):
        steelyard.evaluate_answers(path, None, ["EM"], engine=Meanwhile(lambda: change(path)))


@pytest.mark.parametrize("change", CHANGES)
def test_a_run(tmp_path, change):
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 d1 1\n" for query in range(200)), "utf-8")
    path = tmp_path / "run.txt"
    path.write_text("".join(f"q{query} Q0 d1 1 2.5 Ann\n" for query in range(200)), "utf-8")
    with pytest.raises(FileChanged, match=r"run\.txt: the file was replaced, removed or written to"):
        steelyard.evaluate_retrieval(tmp_path / "qrels", path, engine=Meanwhile(lambda: change(path)))
