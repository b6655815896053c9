"""What is no file, what never ends, and what is damaged: each is one message, and nothing waits for ever."""

import io
import os
import random
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from complaints import complaint
from platforms import linux, posix

import steelyard
from steelyard.answers.sources import stream_answers
from steelyard.cli import main
from steelyard.documents.pages import read_document
from steelyard.errors import SteelyardError
from steelyard.io.records import read_records
from steelyard.io.results import load_all
from steelyard.io.yamls import read_yaml
from steelyard.legal.benchmark.questions import read_benchmark, read_question_file

SPECIAL = "this is a device, a socket or a named pipe; a regular file is required\nhint: use - for standard input"
READERS = {
    "qrels": lambda path: steelyard.evaluate_retrieval(path, {"q": {"d": 1}}),
    "run": lambda path: steelyard.evaluate_retrieval({"q": {"d": 1}}, path),
    "answers": lambda path: list(stream_answers(path).batches()),
    "records": read_records,
    "results": load_all,
    "document": read_document,
    "questions": read_question_file,
    "yaml": read_yaml,
}


@posix
@pytest.mark.parametrize("reader", READERS)
def test_special_files_are_refused_by_every_reader(tmp_path, reader):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    try:
        for path in (fifo, tmp_path / "socket", Path("/dev/zero")):
            assert complaint(READERS[reader], path) == f"{path}: {SPECIAL}"
    finally:
        listening.close()


@pytest.mark.parametrize("reader", READERS)
def test_names_that_no_file_has(reader):
    assert "this is not a valid file name" in complaint(READERS[reader], "a\0b")
    assert "cannot be read: " in complaint(READERS[reader], "x" * 5000)


@linux
@pytest.mark.parametrize("reader", READERS)
def test_an_error_of_reading_names_the_file(reader):
    assert complaint(READERS[reader], "/proc/self/mem") == "/proc/self/mem: cannot be read: Input/output error"


SCARCE = """
import resource, sys
import steelyard.answers.evaluate, steelyard.engines.local
from steelyard.cli import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20),) * 2)
sys.exit(main(sys.argv[1:]))
"""


@linux
@pytest.mark.slow
@pytest.mark.parametrize("engine", [[], ["--engine", "local", "-j", "1"]])
def test_too_little_memory_is_a_message(write, engine):
    row = '{"id": %d, "prediction": "' + "a b " * 50 + '", "references": ["a c"]}\n'
    path = write("answers.jsonl", "".join(row % number for number in range(30_000)))
    command = [sys.executable, "-c", SCARCE, "answers", str(path), *engine]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("there is not enough memory\nhint: fewer processes need less (-j 1)")
    assert done.returncode == 2


@pytest.mark.parametrize("reader", ["answers", "results", "document", "yaml", "run"])
def test_a_folder_is_refused(tmp_path, reader):
    assert str(tmp_path) in complaint(READERS[reader], tmp_path)


def test_folders_that_cannot_be():
    for name in ("a\0b", "x" * 5000):
        assert complaint(read_benchmark, name) == f"{name}: there is no such folder"


@pytest.mark.slow
@posix
def test_a_pipe_of_the_shell_is_read(write):
    lines = "q1 Q0 d 1 1 t\nq2 Q0 d 1 1 t\nq1 Q0 e 1 1 t\n"
    command = [sys.executable, "-c", "import steelyard, sys; print(len(steelyard.evaluate_retrieval(*sys.argv[1:])))"]
    read, written = os.pipe()
    with open(written, "w", encoding="utf-8") as file:
        file.write(lines)
    arguments = [str(write("qrels.txt", "q1 0 d 1\nq2 0 d 1\n")), f"/dev/fd/{read}"]
    found = subprocess.run([*command, *arguments], pass_fds=[read], capture_output=True, text=True, check=False)
    os.close(read)
    assert found.stdout == "2\n", found.stderr


def test_a_damaged_parquet_file_is_a_message(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"id": list(range(50)), "prediction": ["a" * n for n in range(50)], "references": ["b"] * 50})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    content = buffer.getvalue()
    assert read_or_refused(tmp_path / "a.parquet", content, read_records) == "read"
    outcomes = {read_or_refused(tmp_path / "a.parquet", each, read_records) for each in damaged(content, 300)}
    assert "refused" in outcomes


def test_a_damaged_docx_file_is_a_message(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        body = "<w:p><w:r><w:t>text</w:t></w:r></w:p>" * 20
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    content = buffer.getvalue()
    assert read_or_refused(tmp_path / "a.docx", content, read_document) == "read"
    outcomes = {read_or_refused(tmp_path / "a.docx", each, read_document) for each in damaged(content, 300)}
    assert "refused" in outcomes


def damaged(content: bytes, number: int):
    chance = random.Random(3)
    for _ in range(number):
        changed = bytearray(content[: chance.choice((len(content), chance.randrange(len(content))))])
        for _ in range(chance.choice((0, 1, 1, 5))):
            if changed:
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        yield bytes(changed)


def read_or_refused(path: Path, content: bytes, read) -> str:
    path.write_bytes(content)
    try:
        read(path)
    except SteelyardError:
        return "refused"
    return "read"


@pytest.mark.parametrize("score", ["1e999", "-1E999"])
def test_scores_that_no_number_can_hold(write, capsys, score):
    qrels = write("qrels.txt", "q 0 a 1\n")
    runs = {
        write("run.txt", f"q Q0 b 1 1 t\nq Q0 a 1 {score} t\n"): ":2: the number is too large\n",
        write("run.csv", f"query_id,doc_id,score\nq,a,{score}\n"): ":2: the number is too large\n",
        write("run.json", f'{{"q": {{"a": {score}}}}}'): "#/q/a: the number is too large\n",
        write("run.jsonl", f'{{"query_id": "q", "doc_id": "a", "score": {score}}}\n'): ":1: the number is too large\n",
    }
    for path, message in runs.items():
        assert main(["retrieval", str(qrels), str(path)]) == 2
        assert capsys.readouterr().err.startswith(f"{path}{message}")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("version", ["9", "10"])
def test_huge_scores_of_a_run_are_ranked(write, capsys, version):
    scores = ("1e308", "-1e308", "1e39", "-1e39", "inf", "-inf")
    run = write("run.txt", "".join(f"q Q0 d{n} 1 {score} t\n" for n, score in enumerate(scores)))
    qrels = write("qrels.txt", "q 0 d0 1\nq 0 d3 1\n")
    assert main(["retrieval", str(qrels), str(run), "--trec-eval", version]) == 0
    assert capsys.readouterr().err == ""
