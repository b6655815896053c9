"""`python -m bench.judging`: how many legal questions are judged in a second on one core, on recorded outputs."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench.processes import PROJECT, run_python

ROUNDS: Final = 5
CODE: Final = """
import json, sys, time
from steelyard.pipelines.benchmark import judge_records, load_benchmark
benchmark = load_benchmark(sys.argv[1])
records = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
outputs = {item["id"]: item["output"] for item in records if "id" in item}
start = time.perf_counter()
judge_records(benchmark, outputs)
first = time.perf_counter() - start
start = time.perf_counter()
judge_records(benchmark, {k: {**v, "answer": v.get("answer", "") + " "} for k, v in outputs.items()})
print(json.dumps({"questions": len(benchmark.questions), "first": first, "next": time.perf_counter() - start}))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        run_python(("-m", "steelyard", "bench", "--system", "builtin:baseline", "-o", str(results)))
        rounds = [_round(results) for _ in range(ROUNDS)]
    questions = rounds[0]["questions"]
    first, following = (min(each[key] for each in rounds) for key in ("first", "next"))
    print(f"{questions} questions, outputs of the baseline, one core, the best of {ROUNDS} fresh processes:")
    print(f"  documents not yet read by the judges: {questions / first:,.0f} questions a second")
    print(f"  documents read, answers new:          {questions / following:,.0f} questions a second")


def _round(results: Path) -> dict[str, Any]:
    started = time.perf_counter()
    found: dict[str, Any] = json.loads(run_python(("-c", CODE, str(PROJECT / "benchmark"), str(results))).output)
    return {**found, "whole": time.perf_counter() - started}


if __name__ == "__main__":
    main()
