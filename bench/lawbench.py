"""`python -m bench.lawbench FOLDER`: recompute the published scores of LawBench from the outputs in a checkout of it.

Prints how many scores are equal to all printed digits (difference below 1e-12, the order of additions), a line for each
that is not, how scores move as read, and the rows per second. `--table FILE` writes the scores of all rows.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

import steelyard
from steelyard.errors import InputError

EQUAL: Final = 1e-12
MOVED: Final = 5e-5  # a change that a percentage with two digits shows
MOST: Final = 20
SHOTS: Final = ("zero_shot", "one_shot")


@dataclass(frozen=True)
class Score:
    """A published score and abstention rate, with what was recomputed from the outputs; `why` it was not."""

    shot: str
    task: str
    model: str
    published: float
    published_abstention: float
    path: Path
    score: float = float("nan")
    abstention: float = float("nan")
    read: float = float("nan")
    metric: str = ""
    rows: int = 0
    why: str = ""

    @property
    def is_equal(self) -> bool:
        """Return whether the score is the published one."""
        return abs(self.score - self.published) < EQUAL

    @property
    def name(self) -> str:
        """Return the name of the score."""
        return f"{self.shot} {self.model} {self.task}"


def published(folder: Path) -> Iterator[Score]:
    """Yield the published scores."""
    for shot in SHOTS:
        for row in csv.DictReader((folder / "predictions" / shot / "results.csv").open(encoding="utf-8")):
            path = folder / "predictions" / shot / row["model_name"] / f"{row['task']}.json"
            numbers = float(row["score"]), float(row["abstention_rate"])
            yield Score(shot, row["task"], row["model_name"], *numbers, path)


def recomputed(score: Score) -> Score:
    """Return the score with what its outputs give."""
    if not score.path.is_file():
        return replace(score, why="no outputs")
    try:
        table = steelyard.evaluate_answers(score.path, profile="lawbench")
    except InputError as error:
        return replace(score, why=str(error))
    values, read = table.scored("Published"), [name for name in table.metrics if name != "Published"]
    if not len(values):
        return replace(score, why="no definition")
    return replace(
        score,
        score=float(np.mean(values)),
        abstention=float(np.mean(table.parts["Published"]["abstained"])),
        read=table.mean(read[0]) if read else float("nan"),
        metric=read[0] if read else "",
        rows=len(table),
    )


def report(scores: Sequence[Score], seconds: float) -> Iterator[str]:
    """Yield the lines of the report."""
    done = [score for score in scores if not score.why]
    rows = sum(score.rows for score in done)
    yield f"{len(scores):,} published scores; {len(done):,} recomputed from {rows:,} outputs in {seconds:.0f} s: "
    yield f"{rows / seconds:,.0f} rows per second."
    yield f"Equal to all printed digits: {sum(score.is_equal for score in done):,} of {len(done):,} scores, and "
    same = sum(abs(score.abstention - score.published_abstention) < EQUAL for score in done)
    yield f"{same:,} rates of abstention."
    for (task, why), count in sorted(Counter((score.task, score.why) for score in scores if score.why).items()):
        yield f"Not recomputed: {task}, {why}: {count}"
    for score in done:
        if not score.is_equal:
            yield f"Different: {score.name}: {score.published} published, {score.score} here"
    yield from _moves(done)


def _moves(done: Sequence[Score]) -> Iterator[str]:
    moves = sorted((score for score in done if score.metric), key=lambda score: -abs(score.read - score.score))
    moved = [score for score in moves if abs(score.read - score.score) > MOVED]
    yield f"As read: {len(moved):,} of {len(moves):,} scores move."
    yield "| task | metric | scores | moved | mean change | largest rise | largest fall |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for task in sorted({score.task for score in moves}):
        of = [score for score in moves if score.task == task]
        changes = np.array([score.read - score.score for score in of])
        count = int((abs(changes) > MOVED).sum())
        largest = f"{changes.mean():+.4f} | {changes.max():+.4f} | {changes.min():+.4f}"
        yield f"| {task} | {of[0].metric} | {len(of)} | {count} | {largest} |"
    for score in moved[:MOST]:
        yield f"{score.name}: {score.score:.4f} published, {score.read:.4f} as read ({score.metric})"


def main(argv: Sequence[str] | None = None) -> None:
    """Recompute, and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.lawbench", description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of LawBench")
    parser.add_argument("-j", "--processes", type=int, default=None)
    parser.add_argument("--tasks", nargs="*", help="these tasks only")
    parser.add_argument("--table", type=Path, help="write the scores as CSV")
    arguments = parser.parse_args(argv)
    chosen = [each for each in published(arguments.folder) if not arguments.tasks or each.task in arguments.tasks]
    began = time.monotonic()
    with ProcessPoolExecutor(arguments.processes) as pool:
        scores = list(pool.map(recomputed, chosen, chunksize=4))
    print("\n".join(report(scores, time.monotonic() - began)))
    if arguments.table:
        _write(scores, arguments.table)


def _write(scores: Iterable[Score], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(("shot", "task", "model", "published", "score", "abstention", "metric", "read"))
        lines.writerows(
            (each.shot, each.task, each.model, each.published, each.score, each.abstention, each.metric, each.read)
            for each in scores
        )


if __name__ == "__main__":
    main()
