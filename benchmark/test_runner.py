"""The benchmark's own interface, as its document has it; everything is done by steelyard.

from benchmark.test_runner import BenchmarkRunner
summary = BenchmarkRunner("benchmark").run_benchmark(rag_system, question_type="fact_exact")

python benchmark/test_runner.py --type fact_exact [--system SPEC]
pytest benchmark/ [-k fact_exact]           one test per question; STEELYARD_SYSTEM names the system
"""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import steelyard
from steelyard.i18n import locale_language
from steelyard.legal.report.verdicts import note_in

FOLDER = Path(__file__).parent
DIGITS = 10  # of sums after the point: what lies below is the error of binary fractions


class BenchmarkRunner:
    """Runs the questions of a folder against a system."""

    def __init__(self, folder: str | Path = FOLDER) -> None:
        self.folder = Path(folder)

    def run_benchmark(
        self, rag_system: Any, question_type: str | None = None, ids: list[str] | None = None
    ) -> dict[str, Any]:
        """Ask, judge and sum up; `rag_system` has `.query(question)`, is a function, or a SPEC such as replay:FILE."""
        types = [question_type] if question_type else []
        table = steelyard.evaluate_legal(rag_system, self.folder, types=types, ids=ids)
        return summary_of(table)


def summary_of(table: steelyard.Table) -> dict[str, Any]:
    """What the benchmark's document promises of a run."""
    scores = table.column("legal").tolist()
    weights = [float(weight or 1) for weight in table.tags.get("weight", [""] * len(table))]
    passed = [value == 1.0 for value in table.parts["legal"]["passed"].tolist()]
    kinds = list(table.tags["type"])
    by_type = {
        kind: {"total": kinds.count(kind), "mean": _mean(*_of_kind(kind, kinds, scores, weights))}
        for kind in dict.fromkeys(kinds)
    }
    return {
        "total_tests": len(table),
        "passed_tests": sum(passed),
        "pass_rate": sum(passed) / len(table),
        "overall_score": round(sum(score * weight for score, weight in zip(scores, weights, strict=True)), DIGITS),
        "max_score": sum(weights),
        "overall_percentage": round(100 * _mean(scores, weights), DIGITS),
        "by_type": by_type,
        "individual_results": [
            {
                "id": identifier,
                "type": kinds[row],
                "score": scores[row],
                "passed": passed[row],
                "reason": _reason(table, row),
                "error": table.failures.get(row),
            }
            for row, identifier in enumerate(table.ids)
        ],
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _reason(table: steelyard.Table, row: int) -> str:
    """The reason of a score in the language of the locale; in English, parts have their names in rules."""
    language = locale_language()
    return table.notes(row).get("legal", "") if language == "en" else note_in(language, table, row)


def _of_kind(kind: str, kinds: list[str], *columns: list[float]) -> list[list[float]]:
    return [[value for value, of in zip(column, kinds, strict=True) if of == kind] for column in columns]


def _mean(values: list[float], weights: list[float]) -> float:
    """By the weights that questions carry, which are 1 unless they say otherwise."""
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Run the benchmark and print its summary.")
    parser.add_argument("--type", choices=("fact_exact", "evidence_set", "conflict_gap"))
    parser.add_argument("--system", default="builtin:baseline", metavar="SPEC")
    arguments = parser.parse_args()
    try:
        summary = BenchmarkRunner().run_benchmark(arguments.system, arguments.type)
    except steelyard.SteelyardError as error:
        parser.exit(error.exit_code, f"{error}\n")
    for key in ("total_tests", "passed_tests", "pass_rate", "overall_score", "max_score", "overall_percentage"):
        print(f"{key}: {summary[key]:.4g}")  # noqa: T201 - a door speaks
    for kind, found in summary["by_type"].items():
        print(f"{kind}: {found['mean']:.4f} of {found['total']} questions")  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
