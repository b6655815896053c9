"""The chapter about paired permutation tests."""

import json
import math
from dataclasses import dataclass
from typing import Final

from bench.effort import Effort
from bench.markdown import render_grid, render_paragraph, show_ratio, show_seconds
from bench.processes import run_python
from bench.progress import report

METRICS: Final = 20
STANDARD_ERRORS: Final = 5
ONE_BLAS_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1"}

INTRODUCTION: Final = """
Two-sided paired tests by flipping signs: {metrics} metrics, {items:,} items, {resamples:,} resamples, and differences
that have no common step, so that no exact way applies. Imports are not counted. The plain loop (a coin for each item
of each resample, as many evaluation scripts have it) and SciPy were timed over fewer resamples, and their times scaled
up in proportion; the table says over how many. Steelyard's p-values are the same on one thread and on two; SciPy's
differ from them by at most {gap:.2g}, which is within the sampling error of {sampled:,} resamples."""

EXACT: Final = """
For a metric that is 0 or 1, Steelyard does not sample: the exact p of one such metric, over all sign flips of
{items:,} items, takes {milliseconds:.2f} ms."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The p of each metric, from so many resamples, in so many seconds; 0 resamples means that p is exact."""

    p_values: tuple[float, ...]
    resamples: int
    seconds: float

    def seconds_for(self, resamples: int) -> float:
        """Return the time for more resamples, in proportion."""
        return self.seconds * resamples / self.resamples


class WrongTest(Exception):
    """A permutation test did not do what it is timed for."""


def render_permutation(effort: Effort) -> str:
    """Time all tests, check their p-values against each other, and make the chapter."""
    tests = {
        "Steelyard, 1 thread": _run("steelyard-1", effort, ONE_BLAS_THREAD),
        "Steelyard, 2 threads": _run("steelyard-2", effort),
        "scipy.stats.permutation_test": _run("scipy", effort),
        "plain Python loop": _run("loop", effort),
    }
    one, two, scipy, loop = tests.values()
    exact = _run("steelyard-exact", effort)
    _check(one, two, exact)
    introduction = INTRODUCTION.format(
        metrics=METRICS, items=effort.items, resamples=effort.resamples, gap=_gap(one, scipy), sampled=scipy.resamples
    )
    header = ("test", "seconds", "times as fast as the loop", "times as fast as SciPy", "resamples timed")
    rows = [(name, *_cells(test, loop, scipy, effort.resamples)) for name, test in tests.items()]
    ending = EXACT.format(items=effort.items, milliseconds=exact.seconds * 1000)
    return "\n\n".join(
        ["## Permutation tests", render_paragraph(introduction), render_grid(header, rows), render_paragraph(ending)]
    )


def _run(name: str, effort: Effort, environment: dict[str, str] | None = None) -> Tested:
    arguments = ("-m", "bench.resampling", name, str(effort.items), str(effort.resamples))
    tested = Tested(**json.loads(run_python(arguments, environment).output))
    report(f"permutation: {name} {tested.seconds:.4f} s, {tested.resamples:,} resamples")
    return tested


def _cells(test: Tested, loop: Tested, scipy: Tested, resamples: int) -> tuple[str, ...]:
    seconds = test.seconds_for(resamples)
    return (
        show_seconds(seconds),
        show_ratio(loop.seconds_for(resamples) / seconds),
        show_ratio(scipy.seconds_for(resamples) / seconds),
        f"{test.resamples:,}",
    )


def _check(one: Tested, two: Tested, exact: Tested) -> None:
    if one.p_values != two.p_values:
        raise WrongTest("p depends on the number of threads")
    if exact.resamples or not one.resamples:
        raise WrongTest("the 0/1 metric must be exact, and the others sampled")


def _gap(ours: Tested, theirs: Tested) -> float:
    """Return the largest difference between p-values, none of them larger than chance allows."""
    for p, other in zip(ours.p_values, theirs.p_values, strict=True):
        # SciPy doubles the smaller tail, and with it that tail's standard error
        error = 2 * math.sqrt(p / 2 * (1 - p / 2) / theirs.resamples)
        if abs(p - other) > STANDARD_ERRORS * error + 2 / theirs.resamples:
            raise WrongTest(f"SciPy's p is {other}, Steelyard's {p}")
    return max(abs(p - other) for p, other in zip(ours.p_values, theirs.p_values, strict=True))
