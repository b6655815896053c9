"""Results files that somebody changed: `python -m bench.fuzz_results [-n 20000] [--seed 1]`.

Real results files of every kind are mutated (values, types, lines, bytes), and each is given to load, the list, gate,
compare, report and the page, in this process. A SteelyardError is a message to the user; any other exception would be a
traceback, which is a failure. A warning of NumPy is a failure too. Prints how often each outcome came about.
"""

import json
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import steelyard
from bench.mutations import mutate_bytes, mutate_value
from bench.outcomes import outcome_of, print_outcomes, read_options
from steelyard.io.results import load_all
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.reports.content import Report
from steelyard.reports.files import RENDERERS
from steelyard.reports.gate import gate_blocks
from steelyard.reports.render.console import render_console
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.sections import report_blocks
from steelyard.stats.compare import compare_all
from steelyard.stats.gate import decide
from steelyard.stats.rules import parse_rule
from steelyard.table import Table


def main() -> int:
    """Mutate, try, count; 1 if anything failed."""
    options = read_options(__doc__, "files")
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        outcomes = fuzz(Path(folder), options.n, options.seed)
    return print_outcomes(outcomes)


def fuzz(folder: Path, number: int, seed: int) -> Counter[str]:
    """Return how often each outcome came about; the first failures are printed."""
    chance = random.Random(seed)
    seeds = real_results(folder)
    whole = [load_all(path) for path in seeds]
    originals = [path.read_bytes() for path in seeds]
    outcomes: Counter[str] = Counter()
    for turn in range(number):
        kind = turn % len(originals)
        path = folder / "mutated.jsonl"
        path.write_bytes(mutated(originals[kind], chance))
        for name, attempt in attempts(path, whole[kind][0]).items():
            outcomes[f"{name}: {outcome_of(attempt, outcomes)}"] += 1
    return outcomes


def attempts(path: Path, original: Table) -> dict[str, Callable[[], object]]:
    """Return what commands do with a results file."""
    return {
        "load": lambda: load_all(path),
        "gate": lambda: gate(load_all(path, strict=True)[0], original),
        "compare": lambda: compare_all([load_all(path, strict=True)[0]], original),
        "report": lambda: report(load_all(path), original),
    }


def gate(table: Table, baseline: Table) -> None:
    """Rules of every form, and the verdict in words."""
    metric = table.metrics[0] if table.metrics else "legal"
    rules = [f"{metric} >= 0.5", f"{metric} >= baseline - 0.01", f"{metric} not-worse-by 0.02"]
    render_console(gate_blocks(decide([parse_rule(rule) for rule in rules], table, baseline)))


def report(tables: list[Table], original: Table) -> None:
    """Write every format that needs no further package."""
    comparisons = compare_all([tables[0]], original) if tables[0].kind == original.kind else []
    means = Report(tables, comparisons)
    items = Report(tables, comparisons, True, "type" if "type" in tables[0].tags else None)
    for render in RENDERERS.values():
        render(report_blocks(means, "en"), "en")
        render(report_blocks(items, "zh"), "zh")
    render_html(means, "en")
    render_html(items, "zh")


def real_results(folder: Path) -> list[Path]:
    """Return a small results file of each kind."""
    qrels = {f"q{n}": {f"d{m}": m % 3 for m in range(5)} for n in range(6)}
    run = {f"q{n}": {f"d{m}": float(m * n % 7) for m in range(8)} for n in range(6)}
    answers = [
        {"id": str(n), "prediction": f"a {n}", "references": ["a 1", "b"], "type": "xy"[n % 2]} for n in range(6)
    ]
    lines = folder / "answers.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in answers), encoding="utf-8")
    tables = {
        "retrieval": steelyard.evaluate_retrieval(qrels, run, ["nDCG@10", "AP", "NumRel"], missing="skip"),
        "answers": steelyard.evaluate_answers(str(lines), metrics=["EM", "F1", "ROUGE-L"], keep=True),
        "legal": first_rows(evaluate_legal("builtin:baseline"), 14),
    }
    for name, table in tables.items():
        table.save(folder / f"{name}.jsonl")
    return [folder / f"{name}.jsonl" for name in tables]


def first_rows(table: Table, count: int) -> Table:
    """Return some rows of every type."""
    import numpy as np

    return table.take(np.linspace(0, len(table) - 1, count).astype(np.int64))


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the file with a few values, lines or bytes changed."""
    if chance.random() < 0.1:
        return mutate_bytes(content, chance)
    lines: list[Any] = [json.loads(line) for line in content.splitlines()]
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        at = chance.randrange(len(lines))
        choice = chance.random()
        if choice < 0.85:
            lines[at] = mutate_value(lines[at], chance)
        elif choice < 0.9 and len(lines) > 1:
            del lines[at]
        elif choice < 0.95:
            lines.insert(at, lines[chance.randrange(len(lines))])
        else:
            lines[at], lines[-1] = lines[-1], lines[at]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


if __name__ == "__main__":
    sys.exit(main())
