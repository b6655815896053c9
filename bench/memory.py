"""The chapter about values in memory: mappings, data frames and parquet files, beside pytrec_eval.

`python -m bench.memory FORM PROGRAM QRELS RUN` prints what one evaluation costs in a process of its own, as JSON.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.collections import MSMARCO, TENTH, Collection, prepare
from bench.effort import Effort
from bench.markdown import NOTHING, render_grid, render_paragraph, show_ratio, show_seconds
from bench.measures import MEASURES
from bench.processes import run_python
from bench.progress import report

FORMS: Final = ("dict", "frame", "parquet")
STEELYARD: Final = "Steelyard"
PYTREC_EVAL: Final = "pytrec_eval"
PROGRAMS: Final = (STEELYARD, PYTREC_EVAL)
TEXT: Final = f"""
Judgments and run are in memory, and only the evaluation is timed: every query's value of the same {len(MEASURES)}
measures. *dict* is `{{query: {{document: score}}}}`, the form that pytrec_eval takes. *frame* is a pandas data frame;
for pytrec_eval it is converted to dictionaries, which is timed too. *parquet* is a file, read by Steelyard itself and
otherwise by pandas, so that reading is timed. Every evaluation is in a fresh process, after one of a single query;
seconds are wall clock and CPU, the best of the rounds in the last column, taking turns. The peak is that of the whole
process, which for *dict* and *frame* includes the values given."""

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


class Cost(NamedTuple):
    """Seconds by the wall clock, CPU seconds, and the peak of the process in bytes."""

    wall: float
    cpu: float
    peak: int


def render_memory(effort: Effort) -> str:
    """Time all forms at two sizes and make the chapter."""
    header = (
        "values and program",
        "rows",
        "seconds",
        "CPU seconds",
        "times as fast as pytrec_eval",
        "peak MB",
        "rounds",
    )
    rows = [row for collection in (TENTH, MSMARCO) for row in _rows(effort.sized(collection), effort.rounds)]
    return "\n\n".join(["## Values in memory", render_paragraph(TEXT), render_grid(header, rows)])


def _rows(collection: Collection, rounds: int) -> list[tuple[str, ...]]:
    prepare(collection)
    run_python(("-m", "bench.memory", "write", STEELYARD, *_paths(collection)))
    rows = []
    for form in FORMS:
        turns = [{program: _cost(form, program, collection) for program in PROGRAMS} for _ in range(rounds)]
        best = {program: Cost(*map(min, zip(*(turn[program] for turn in turns), strict=True))) for program in PROGRAMS}
        rows += [_row(form, program, collection, best, rounds) for program in PROGRAMS]
    _parquet(str(collection.run_path)).unlink()
    return rows


def _row(form: str, program: str, collection: Collection, best: dict[str, Cost], rounds: int) -> tuple[str, ...]:
    cost, peer = best[program], best[PYTREC_EVAL]
    ratio = NOTHING if program == PYTREC_EVAL else show_ratio(peer.wall / cost.wall)
    seconds = (show_seconds(cost.wall), show_seconds(cost.cpu))
    return (f"{form}, {program}", f"{collection.lines:,}", *seconds, ratio, f"{cost.peak / 1e6:,.0f}", str(rounds))


def _paths(collection: Collection) -> tuple[str, str]:
    return str(collection.qrels_path), str(collection.run_path)


def _cost(form: str, program: str, collection: Collection) -> Cost:
    finished = run_python(("-m", "bench.memory", form, program, *_paths(collection)))
    wall, cpu = json.loads(finished.output)
    cost = Cost(wall, cpu, finished.peak_bytes)
    report(f"{collection.name}: {form}, {program} {cost.wall:.3f} s, CPU {cost.cpu:.3f} s, {cost.peak / 1e6:.0f} MB")
    return cost


def _parquet(run_path: str) -> Path:
    return Path(run_path).with_suffix(".parquet")


def _triples(path: str, columns: Sequence[int]) -> Iterable[list[str]]:
    with open(path) as lines:
        for line in lines:
            cells = line.split()
            yield [cells[column] for column in columns]


def _grades(path: str) -> Grades:
    grades: Grades = defaultdict(dict)
    for query, document, grade in _triples(path, (0, 2, 3)):
        grades[query][document] = int(grade)
    return dict(grades)


def _scores(path: str) -> Scores:
    scores: Scores = defaultdict(dict)
    for query, document, score in _triples(path, (0, 2, 4)):
        scores[query][document] = float(score)
    return dict(scores)


def _frame(values: Scores) -> Any:
    import pandas

    rows = [(query, document, value) for query, documents in values.items() for document, value in documents.items()]
    return pandas.DataFrame(rows, columns=["query", "document", "score"])


def _nested(frame: Any) -> Scores:
    values: Scores = defaultdict(dict)
    columns = (frame[name].tolist() for name in ("query", "document", "score"))
    for query, document, value in zip(*columns, strict=True):
        values[query][document] = value
    return values


def _steelyard(qrels: Any, run: Any) -> object:
    import steelyard

    return steelyard.evaluate_retrieval(qrels, run)


def _pytrec_eval(qrels: Any, run: Any) -> object:
    import pytrec_eval

    names = {measure.pytrec_eval for measure in MEASURES}
    return pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)


def _work(form: str, program: str, qrels_path: str, run_path: str) -> Callable[[], object]:
    """Return one evaluation of values that are in memory."""
    qrels = _grades(qrels_path)
    if form == "parquet":
        path = _parquet(run_path)
        if program == STEELYARD:
            return lambda: _steelyard(qrels, path)
        return lambda: _pytrec_eval(qrels, _nested(_read_parquet(path)))
    run = _scores(run_path)
    if form == "dict":
        evaluate = _steelyard if program == STEELYARD else _pytrec_eval
        return lambda: evaluate(qrels, run)
    frame = _frame(run)
    run.clear()
    return lambda: _steelyard(qrels, frame) if program == STEELYARD else _pytrec_eval(qrels, _nested(frame))


def _read_parquet(path: Path) -> Any:
    import pandas

    return pandas.read_parquet(path)


def main(form: str, program: str, qrels_path: str, run_path: str) -> None:
    """Time one evaluation, or write the run as parquet."""
    if form == "write":
        _frame(_scores(run_path)).to_parquet(_parquet(run_path))
        return
    evaluate = _steelyard if program == STEELYARD else _pytrec_eval
    evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}})
    work = _work(form, program, qrels_path, run_path)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))


if __name__ == "__main__":
    main(*sys.argv[1:])
