"""Coverage-guided fuzzing of every reader: `python -m bench.fuzz_atheris TARGET [libFuzzer options]`.

atheris is not a dependency of the project: install it (3.0 or later, with the dependencies of steelyard) in an
environment of its own. TARGET is one of those in TARGETS, or `all`, which runs each for an equal share of
`-max_total_time=SECONDS` in a process of its own. An exception that is no SteelyardError is a finding, and so is an
input that takes longer than one second for every ten kilobytes (two at least; FUZZ_FACTOR=2 in the environment allows
twice as much).
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

SLOW: Final = 1e-4
"""Seconds a byte that an input may take."""
LEAST: Final = 2.0
"""Seconds that any input may take: the first one imports modules."""
LONGEST: Final = 40_000
"""Bytes of the longest input."""
SHARE: Final = 60

Read = Callable[[Path], Any]


def main() -> int:
    """Run one target in this process, or all of them one after the other."""
    if len(sys.argv) < 2 or sys.argv[1] not in (*TARGETS, "all"):
        sys.stderr.write(f"{__doc__}\nTARGET: {', '.join(TARGETS)}\n")
        return 2
    return _run_all(sys.argv[2:]) if sys.argv[1] == "all" else _run(sys.argv[1], sys.argv[2:])


def _run_all(options: list[str]) -> int:
    """Return every target for an equal share of the time; the exit code says whether one found something."""
    total = next((int(each.partition("=")[2]) for each in options if each.startswith("-max_total_time=")), 0)
    others = [each for each in options if not each.startswith("-max_total_time=")]
    seconds = total // len(TARGETS) if total else SHARE
    found = []
    for name in TARGETS:
        command = [sys.executable, "-m", "bench.fuzz_atheris", name, f"-max_total_time={seconds}", *others]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        inputs = [line for line in done.stderr.splitlines() if line.startswith(("Done ", "==")) or "Error" in line]
        sys.stdout.write(f"{name}: exit {done.returncode}; {inputs[-1] if inputs else 'nothing said'}\n")
        sys.stdout.flush()
        found += [name] if done.returncode else []
        if done.returncode:
            sys.stderr.write(done.stderr[-4000:])
    return 1 if found else 0


def _run(name: str, options: list[str]) -> int:
    import atheris  # type: ignore[import-untyped]

    with atheris.instrument_imports(include=["steelyard"]):
        suffix, read, seeds = TARGETS[name]()
    from steelyard.errors import SteelyardError

    factor = float(os.environ.get("FUZZ_FACTOR", "1"))
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    path, corpus = folder / f"input{suffix}", folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)

    def test(content: bytes) -> None:
        path.write_bytes(content)
        begun = time.process_time()
        with suppress(SteelyardError):
            read(path)
        seconds = time.process_time() - begun
        if seconds > factor * max(LEAST, SLOW * len(content)):
            raise TimeoutError(f"{seconds:.1f} s of processor time for {len(content)} bytes")

    crashes = f"-artifact_prefix={folder}/"
    atheris.Setup([sys.argv[0], str(corpus), f"-max_len={LONGEST}", crashes, *options], test)
    atheris.Fuzz()
    return 0


def _qrels() -> tuple[str, Read, list[bytes]]:
    from steelyard.retrieval.reading.sources import qrels_from

    return ".txt", qrels_from, [b"q1 0 d1 1\nq1 0 d2 0\n", b"# c\n\nq 0 d -1\r\n"]


def _run_file() -> tuple[str, Read, list[bytes]]:
    from steelyard.retrieval.evaluate import evaluate_retrieval

    judged = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1}}
    seeds = [b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1e-3 t\nq2 Q0 d1 1 -inf t\n", b"q1\tQ0\td1\t1\t3\n"]
    return ".txt", lambda path: evaluate_retrieval(judged, path, ["nDCG@10", "AP"], threads=1), seeds


def _answers(suffix: str, *seeds: bytes) -> tuple[str, Read, list[bytes]]:
    from steelyard.answers.evaluate import evaluate_answers

    return suffix, lambda path: evaluate_answers(path, metrics=["EM", "F1", "ROUGE-L"]), list(seeds)


def _questions() -> tuple[str, Read, list[bytes]]:
    from steelyard.legal.benchmark.questions import benchmark_folder, read_question_file

    files = sorted((benchmark_folder() / "questions").glob("*.json"))[:3]
    return ".json", read_question_file, [path.read_bytes() for path in files]


def _document(suffix: str) -> tuple[str, Read, list[bytes]]:
    from steelyard.documents.pages import read_document

    text = "=== 第1页 共2页 ===\n问：你好？\n答：好。\n=== 第2页 共2页 ===\n答：没有。\n".encode()
    pages = b'{"pages": [{"page": 1, "text": "a"}, {"page": 2, "text": "b"}]}'
    return suffix, read_document, {".txt": [text], ".json": [pages], ".docx": [_docx()]}[suffix]


def _docx() -> bytes:
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        body = '<w:p><w:r><w:t>a</w:t><w:br w:type="page"/></w:r></w:p><w:tbl><w:tr><w:tc/></w:tr></w:tbl>'
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return buffer.getvalue()


def _pipeline() -> tuple[str, Read, list[bytes]]:
    from steelyard.io.yamls import read_yaml
    from steelyard.pipelines.spec import read_pipeline

    def read(path: Path) -> None:
        read_yaml(path).plain()
        read_pipeline(path)

    examples = sorted((Path(__file__).parents[1] / "examples").glob("*.yaml"))[:5]
    return ".yaml", read, [*(path.read_bytes() for path in examples), b"a: &a [1, 2]\nb: [*a, *a]\n"]


def _results() -> tuple[str, Read, list[bytes]]:
    from bench.fuzz_results import gate, real_results
    from steelyard.io.results import load_all
    from steelyard.reports.content import Report
    from steelyard.reports.render.values import render_json
    from steelyard.reports.sections import report_blocks

    with tempfile.TemporaryDirectory() as folder:
        paths = real_results(Path(folder))
        seeds = [path.read_bytes() for path in paths]
        original = load_all(paths[0])[0]

    def read(path: Path) -> None:
        tables = load_all(path)
        render_json(report_blocks(Report(tables)))
        gate(tables[0], original)

    return ".jsonl", read, seeds


def _replies() -> tuple[str, Read, list[bytes]]:
    from steelyard.net.replies import decode_reply
    from steelyard.systems.base import reply_of

    seeds = [
        b'{"answer": "42", "citations": [{"page": 1, "text": "x"}], "abstained": false, "amount_total": 42}',
        '```json\n{"答案": "四万二千元", "sources": ["第2页"]}\n```'.encode(),
        b'{"output": "<think>a</think>b", "source_nodes": [{"node": {"text": "t", "metadata": {"page_label": "3"}}}]}',
    ]
    return ".json", lambda path: reply_of(decode_reply(path.read_bytes())), seeds


def _judges() -> tuple[str, Read, list[bytes]]:
    from steelyard.io.outputs import record_of
    from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
    from steelyard.legal.score import judge

    benchmark = load_benchmark(benchmark_folder())
    questions = benchmark.questions[:: max(1, len(benchmark.questions) // 12)]

    def read(path: Path) -> None:
        content = path.read_bytes()
        question = questions[content[0] % len(questions)] if content else questions[0]
        record = record_of(content[1:].decode("utf-8", "replace"))
        judge(question, record, benchmark.documents[question.about.document])

    texts = (
        "材料未显示该信息。",
        "一共四万二千元（第2页）。",
        "2024年3月5日至3月8日，王某转账8000元。",
        "Yes, on page 3.",
    )
    return ".txt", read, [bytes([n]) + text.encode() for n, text in enumerate(texts)]


def _outputs() -> tuple[str, Read, list[bytes]]:
    from steelyard.systems.replay import ReplaySystem

    seeds = [b'{"id": "q1", "answer": "a", "citations": []}\n{"id": "q2", "answer": "b"}\n']
    return ".jsonl", ReplaySystem, seeds


TARGETS: Final[dict[str, Callable[[], tuple[str, Read, list[bytes]]]]] = {
    "qrels": _qrels,
    "run": _run_file,
    "jsonl": lambda: _answers(".jsonl", b'{"id": "1", "prediction": "a", "references": ["a", "b"]}\n'),
    "json": lambda: _answers(".json", b'[{"id": 1, "prediction": "a", "references": [["a"], ["b"]]}]'),
    "csv": lambda: _answers(".csv", b'id,prediction,references\n1,"a, b","[""a""]"\n'),
    "questions": _questions,
    "document_txt": lambda: _document(".txt"),
    "document_json": lambda: _document(".json"),
    "document_docx": lambda: _document(".docx"),
    "pipeline": _pipeline,
    "results": _results,
    "replies": _replies,
    "judges": _judges,
    "outputs": _outputs,
}

if __name__ == "__main__":
    sys.exit(main())
