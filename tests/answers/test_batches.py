"""Batches of rows end by their size too, so that memory does not depend on how many long rows a file has."""

import gzip
import json

import pytest
from tables import shown

import steelyard
from steelyard import limits
from steelyard.answers import rows
from steelyard.answers.sources import stream_answers
from steelyard.engines.local import LocalEngine
from steelyard.errors import InputError

SIZES = [10, 800, 800, 10, 10, 3000, 10, 10]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(rows, "_BATCH_SIZE", 1000, raising=False)


def written(path, references="references"):
    found = [{"id": str(n), references: ["a"], "prediction": "a" * size} for n, size in enumerate(SIZES)]
    if path.suffix == ".csv":
        lines = [",".join(found[0]), *(f"{row['id']},a,{row['prediction']}" for row in found)]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    else:
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in found).encode()))
    return path


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.csv"])
def test_long_rows_are_in_small_batches(tmp_path, name):
    path = written(tmp_path / name)
    assert [len(batch) for batch in stream_answers(path).batches()] == [3, 3, 2]
    alone = shown(steelyard.evaluate_answers(path, None, ["EM", "F1"]))
    assert shown(steelyard.evaluate_answers(path, None, ["EM", "F1"], engine=LocalEngine(2))) == alone


def test_rows_without_the_required_columns_are_not_held_for_ever(tmp_path, monkeypatch):
    path = written(tmp_path / "rows.jsonl.gz", "nothing")
    path.write_bytes(path.read_bytes() + gzip.compress(b"this is not JSON\n" * 50))
    monkeypatch.setattr(limits.FILE_BYTES, "value", 1500)
    with pytest.raises(InputError, match="no column contains 'references'"):
        list(stream_answers(path).batches())
