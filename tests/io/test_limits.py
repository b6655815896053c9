"""Files that hold more than they look like: nothing is held beyond a limit, and each limit has its message."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from commands import run
from platforms import linux

import steelyard
from steelyard import limits
from steelyard.answers.sources import stream_answers
from steelyard.documents.pages import read_document
from steelyard.errors import InputError, SteelyardError
from steelyard.io.records import parse_json, read_columns, read_records
from steelyard.io.results import load_all
from steelyard.io.yamls import read_yaml
from steelyard.legal.benchmark.questions import read_question_file
from steelyard.retrieval.reading.sources import qrels_from

ROOT = Path(__file__).parents[2]
HEAD = {"kind": "legal", "name": "x", "signature": "", "metrics": ["legal"]}


def rows_of(path):
    return [row for batch in stream_answers(path).batches() for row in batch]


def evaluate_run(path):
    return steelyard.evaluate_retrieval({"q": {"d": 1}}, str(path), ["AP"])


READERS: dict[str, tuple[Any, Any]] = {
    "qrels.txt": (qrels_from, b"q 0 d%d 1\n"),
    "run.txt": (evaluate_run, b"q Q0 d%d 1 1 t\n"),
    "answers.jsonl": (rows_of, b'{"id": "%d", "prediction": "a", "references": "a"}\n'),
    "answers.csv": (rows_of, None),
    "answers.json": (rows_of, None),
    "results.jsonl": (load_all, None),
    "document.txt": (read_document, None),
    "document.json": (read_document, None),
    "questions.json": (read_question_file, None),
    "pipeline.yaml": (read_yaml, None),
}


@pytest.fixture
def small(monkeypatch):
    for name in ("LINE", "FILE", "DOCUMENT", "RANKING", "RESULTS", "QUERY", "YAML"):
        monkeypatch.setattr(limits.LIMITS[f"{name}_BYTES"], "value", 50_000)


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("name", READERS)
def test_a_long_line_is_refused_by_every_reader(write, small, name, packed):
    path = write(name, packed(b"x" * 200_000))
    with pytest.raises(SteelyardError) as caught:
        READERS[name][0](path)
    assert "is above the limit of 50,000" in str(caught.value)
    assert "to raise the limit, set STEELYARD_" in str(caught.value)


def test_the_line_that_is_too_long_is_named(write, small):
    path = write("answers.jsonl", b'{"prediction": "a", "references": "a"}\n' * 5000 + b"x" * 100_000)
    with pytest.raises(InputError) as caught:
        rows_of(path)
    assert caught.value.where == f"{path}:5001"


def test_lines_up_to_the_limit_are_read(write, small):
    text = "a" * 24_000
    path = write("a.jsonl", "".join(json.dumps({"prediction": text, "references": text}) + "\n" for _ in range(9)))
    assert len(rows_of(path)) == 9


@pytest.mark.parametrize("name", ["qrels.txt", "run.txt"])
def test_many_lines_of_one_query_are_refused(write, small, name):
    read, line = READERS[name]
    lines = b"".join(line % number for number in range(200_000))
    with pytest.raises(InputError, match="is above the limit of 50,000"):
        read(write(name, lines))


def test_blank_lines_and_comments_are_no_query(write, small):
    lines = b"# a comment\n" * 20_000 + b"\n" * 200_000
    path = write("run.txt", lines + b"q Q0 d 1 1 t\n" + lines)
    assert evaluate_run(path).column("AP") == [1.0]


def test_a_row_of_csv_over_many_lines_is_refused(write, small):
    path = write("a.csv", 'id,prediction,references\n1,"' + "a\n" * 40_000 + '",b\n')
    with pytest.raises(InputError, match="this row is above the limit of 50,000"):
        rows_of(path)


def test_a_long_field_of_csv_is_read(write):
    text = "很" * 200_000
    (row,) = rows_of(write("a.csv", f"id,prediction,references\n1,{text},b\n"))
    assert row.prediction == text


# what is measured is the memory of a process of its own; 60 MB of each come from some kilobytes
BOMBS = {
    "results.jsonl.zst": ("load_all", b"x"),
    "answers.jsonl.zst": ("rows", b"x"),
    "answers.csv.gz": ("rows", b"x"),
    "answers.json.zst": ("rows", b"["),
    "run.txt.gz": ("run", b"x"),
    "document.txt.zst": ("document", b"x"),
    "p.yaml.gz": ("yaml", b"-"),
}
SCRIPT = """
import resource, sys
from steelyard.errors import SteelyardError
from steelyard.answers.sources import stream_answers
from steelyard.documents.pages import read_document
from steelyard.io.results import load_all
from steelyard.retrieval.reading.trec import read_run
from steelyard.io.yamls import read_yaml
from steelyard.retrieval.evaluate import evaluate_retrieval
from steelyard import limits
limits.LINE_BYTES.value = limits.FILE_BYTES.value = limits.DOCUMENT_BYTES.value = 4_000_000
read = {
    "load_all": load_all,
    "rows": lambda path: list(stream_answers(path).batches()),
    "run": lambda path: evaluate_retrieval({"q": {"d": 1}}, path, ["AP"]),
    "document": read_document,
    "yaml": read_yaml,
}[sys.argv[1]]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[2])
except SteelyardError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_little_memory_is_taken_by_a_file_that_holds_much(write, name):
    read, piece = BOMBS[name]
    pack = zstandard.ZstdCompressor().compress if name.endswith("zst") else gzip.compress
    path = write(name, pack(piece * 60_000_000))
    assert path.stat().st_size < 300_000
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, read, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert int(found.stdout) < 50_000, "kB"


ANSWER = b'{"prediction": "a", "references": "a"}\n'
HUGE = {  # 1.25 GB each: frames and members of 50 MB one behind the other, and a hole in a file
    "answers.jsonl.zst": zstandard.ZstdCompressor().compress,
    "answers.jsonl.gz": gzip.compress,
    "answers.jsonl": None,
}


@pytest.mark.slow
@linux
@pytest.mark.parametrize("name", HUGE)
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(write, name):
    import resource

    def narrow():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    pack = HUGE[name]
    path = write(name, pack(ANSWER) + pack(bytes(50_000_000)) * 25 if pack else ANSWER)
    if not pack:
        os.truncate(path, 1_250_000_000)
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "answers", str(path), "-m", "EM", "-j", "1"],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        preexec_fn=narrow,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr[-1000:]
    assert done.stderr.startswith(f"{path}:2: this line is above the limit of 64,000,000")


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_run_is_the_run(write, compress):
    lines = b"".join(b"q%d Q0 d%d 1 0.5 t\n" % (n // 10, n % 10) for n in range(20_000))
    judged = {"q7": {"d3": 1}, "q1999": {"d0": 1}}
    plain, packed = write("run.txt", lines), write("packed", compress(lines[:99_999]) + compress(lines[99_999:]))
    one, other = (steelyard.evaluate_retrieval(judged, str(path), ["AP"]) for path in (plain, packed))
    assert one.column("AP").tolist() == other.column("AP").tolist()
    assert str(one.signature) == str(other.signature)


YAML_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (YAML_BOMB, "the number of values is above the limit of 100,000"),
        ("a: &a\n  b: *a\n", "this YAML is nested too deeply"),
        ("- " * 5000, "this YAML is nested too deeply"),
        ("? [a]\n: b\n", "a key must be text, not a list or a mapping"),
        ("a: &a [1]\n? *a\n: b\n", "a key must be text, not a list or a mapping"),
        ("a: " + "1:" * 5000 + "1\n", "the number has more than 1000 digits"),
        ("a: !!bool maybe\n", "this value cannot be read: 'maybe'"),
        ("a: !!int ''\n", "this value cannot be read: string index out of range"),
        ("a: !!timestamp never\n", "this value cannot be read: "),
    ],
)
def test_yaml_that_is_worse_than_it_looks(write, text, message):
    assert len(text) < 20_000
    with pytest.raises(InputError) as caught:
        read_yaml(write("p.yaml", text))
    assert str(caught.value.message).startswith(message)


@pytest.mark.slow
def test_a_record_of_many_fields_is_read_in_linear_time(write):
    wide = {f"field {n}": n for n in range(60_000)}
    assert parse_json(json.dumps(wide), "") == wide
    doubled = json.dumps(wide)[:-1] + ', "field 59999": 1}'
    with pytest.raises(InputError, match="duplicate key 'field 59999'"):
        parse_json(doubled, "")


def test_too_many_columns(write):
    with pytest.raises(InputError, match="the number of columns is above the limit of 10,000"):
        rows_of(write("a.csv", ",".join(f"c{n}" for n in range(20_000)) + "\n"))
    with pytest.raises(InputError, match="the number of columns is above the limit of 10,000"):
        rows_of(write("a.jsonl", "".join(json.dumps({f"c{n}": 1}) + "\n" for n in range(20_000))))
    names = [f"c{n}" for n in range(9_000)] + ["c8999"]
    with pytest.raises(InputError, match="two columns are called 'c8999'"):
        read_records(write("b.csv", ",".join(names) + "\n"))


def test_nesting(write):
    deep = "[" * 101 + "]" * 101
    with pytest.raises(InputError, match="this JSON is nested too deeply"):
        parse_json(deep, "x")
    assert parse_json(deep[1:-1], "x")
    with pytest.raises(InputError, match="this JSON is nested too deeply") as caught:
        load_all(write("r.jsonl", json.dumps(HEAD | {"more": json.loads(deep)}) + "\n"))
    assert caught.value.where.endswith("r.jsonl:1")


@pytest.mark.parametrize("kind", ["plain", "dictionary", "lists"])
def test_the_rows_of_a_parquet_file_are_bounded_together(tmp_path, monkeypatch, kind):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    count = 3000
    texts = pa.array(["q" * 100] * count)
    if kind != "plain":
        texts = texts.dictionary_encode()
    queries = pa.ListArray.from_arrays(pa.array(range(count + 1), pa.int32()), texts) if kind == "lists" else texts
    columns = {"query": queries, "doc": [f"d{n}" for n in range(count)], "score": [float(-n) for n in range(count)]}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "run.parquet")
    monkeypatch.setattr(limits.FILE_BYTES, "value", 200_000)  # a batch of 1,024 rows has 120,000
    with pytest.raises(InputError, match="the content of this file"):
        read_records(tmp_path / "run.parquet")
    assert read_columns(tmp_path / "run.parquet", lambda names: names) is None


@pytest.mark.parametrize("command", [("answers", "rows.csv"), ("convert", "rows.csv", "out.jsonl")])
@pytest.mark.parametrize(
    "header", ["user_input,response,retrieved_contexts,reference", "question,prediction,contexts,references"]
)
def test_lists_as_python_writes_them_are_bounded(tmp_path, command, header):
    cell = "['a'" + ",'a'" * 30_000 + "]"
    (tmp_path / "rows.csv").write_text(f'{header}\nq,a,"{cell}",r\n', "utf-8")
    if command[0] == "answers":
        command = (*command, "-m", "ValuesGrounded")
    done = run(*command, cwd=tmp_path, STEELYARD_LITERAL_CHARS="100000")
    assert done.returncode == 2
    assert re.match(r"rows\.csv.*: a list as Python writes it .*100,000", done.stderr), done.stderr
    assert "hint: to raise the limit, set STEELYARD_LITERAL_CHARS" in done.stderr
    (tmp_path / "rows.csv").write_text(f'{header}\nq,a,"{cell.replace(chr(39), chr(34) * 2)}",r\n', "utf-8")  # JSON
    assert run("convert", "rows.csv", "json.jsonl", cwd=tmp_path, STEELYARD_LITERAL_CHARS="100000").returncode == 0
