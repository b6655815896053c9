"""`python -m bench.legal_page`: a legal benchmark of ten thousand questions, from its files to the page of a report.

The questions are those of the bundled benchmark, again and again. The answers are those of the baseline, invented
accounts with names, sums and dates, and both together. Fresh processes, the best of three.
"""

import argparse
import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.processes import PROJECT, Finished, run_python
from bench.statements import chinese_statement, english_statement

ROUNDS: Final = 3
LENGTHS: Final = (30, 60, 120, 200)  # of accounts in characters

Output = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> None:
    """Write the benchmark, judge the answers, write the page, and print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        benchmark, answers, results = (Path(folder) / name for name in ("benchmark", "answers.jsonl", "results.jsonl"))
        write_benchmark(benchmark, answers, arguments.items, _baseline(Path(folder) / "baseline.jsonl"))
        judge = ("bench", str(benchmark), "--system", f"replay:{answers}", "-o", str(results), "--overwrite", "--json")
        report = ("report", str(results), "-o", str(Path(folder) / "page.html"), "--overwrite")
        for name, command in (("validate", ("validate", str(benchmark))), ("bench", judge), ("report", report)):
            best = _best(command)
            print(f"{name:10}{best.seconds:8.2f} s {best.peak_bytes / 1e6:8.0f} MB")


def _best(command: Sequence[str]) -> Finished:
    return min((run_python(("-m", "steelyard", *command)) for _ in range(ROUNDS)), key=lambda done: done.seconds)


def _baseline(path: Path) -> dict[str, Output]:
    """Return what the baseline returns for every bundled question."""
    run_python(("-m", "steelyard", "bench", "--system", "builtin:baseline", "-o", str(path)))
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {line["id"]: line["output"] for line in lines if "id" in line}


def write_benchmark(folder: Path, answers: Path, items: int, outputs: dict[str, Output]) -> None:
    """Write a benchmark of so many questions, and recorded answers to them."""
    shutil.copytree(PROJECT / "benchmark" / "documents", folder / "documents")
    (folder / "questions").mkdir()
    files = [
        json.loads(path.read_text("utf-8")) for path in sorted((PROJECT / "benchmark" / "questions").glob("*.json"))
    ]
    repeated = -(-items // len(outputs))
    records: list[Output] = []
    for number, content in enumerate(files):
        chosen = [(turn, question) for turn in range(repeated) for question in content["questions"]]
        named = [(turn, question, f"{question['id']}_{turn:03}") for turn, question in chosen][: items - len(records)]
        records += (_record(name, turn, outputs[question["id"]]) for turn, question, name in named)
        content["questions"] = [{**question, "id": name} for _, question, name in named]
        if named:
            _write(folder / "questions" / f"{number:02}.json", [content])
    _write(answers, records)


def _record(name: str, turn: int, output: Output) -> Output:
    """Return a recorded answer: that of the baseline, an account, or both, in turn."""
    answer, seed = output["answer"], random.Random(name)
    account = (english_statement if answer.isascii() else chinese_statement)(
        seed.choice(LENGTHS), seed.randrange(10**6)
    )
    text = (answer, account, f"{answer} {account}")[turn % 3]
    return {"id": name, "answer": text, "citations": output["citations"], "evidence": output["evidence"]}


def _write(path: Path, values: Sequence[Output]) -> None:
    path.write_text("".join(_lines(values)), encoding="utf-8")


def _lines(values: Sequence[Output]) -> Iterator[str]:
    return (json.dumps(value, ensure_ascii=False) + "\n" for value in values)


if __name__ == "__main__":
    main()
