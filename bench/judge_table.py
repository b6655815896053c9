"""The table of `bench.judge_sets`: how far recorded judges agree with people, and what a few labels make of them.

People's and the judge's mean are those of the items with a verdict. Kappa is quadratic for grades, and concordance for
scores. `corrected` is the mean label of these from a few random labels and all verdicts, in the first of 200 draws;
`held` is the share of draws whose interval holds the mean of all labels. `correction` says whether all labels allow it,
`refused` is the share of draws whose few labels do not; `gate` says whether kappa is high enough for a release.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.markdown import render_grid
from steelyard.stats.alt_test import alt_test
from steelyard.stats.calibration import LEAST_KAPPA, Calibration, JudgeName
from steelyard.stats.corrected import Corrected, ppi_mean
from steelyard.table import FloatArray

Row = dict[str, Any]
_LABELS: Final = 100  # half of the items, if there are fewer than twice as many
_DRAWS: Final = 200
_SEED: Final = 42
_MANY: Final = 10  # judges of a set, of which the table has the best, the median and the worst by kappa
_HEADER: Final = (
    *("set, judge", "items", "left out", "people", "judge", "kappa", "rho²"),
    *("corrected", "labels", "held", "correction", "refused", "gate"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of a judge, and of draws of a few labels."""

    name: str
    items: int
    whole: Calibration
    corrected: Corrected
    labels: int
    held: float
    refused: float

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> "Line":
        """Return the figures of a judge; rows without a verdict are left out."""
        pairs = [(row["label"], row["verdict"]) for row in rows if row["verdict"] is not None]
        labels, verdicts = np.array(pairs, np.float64).T
        whole = calibration_of(labels, verdicts)
        drawn, generator = min(_LABELS, len(labels) // 2), np.random.default_rng(_SEED)
        orders = [generator.permutation(len(labels)) for _ in range(_DRAWS)]
        bounds = (0.0, max(1.0, float(whole.values.max())))
        means = [
            ppi_mean(labels[order[:drawn]], verdicts[order[:drawn]], verdicts[order[drawn:]], bounds=bounds)
            for order in orders
        ]
        held = [each.interval.low <= labels.mean() <= each.interval.high for each in means]
        few = (calibration_of(labels[order[:drawn]], verdicts[order[:drawn]]) for order in orders)
        refused = [each.refusal is not None for each in few]
        return cls(name, len(rows), whole, means[0], drawn, float(np.mean(held)), float(np.mean(refused)))

    def cells(self) -> list[str]:
        """Return the row of the table."""
        whole, low, high = self.whole, self.corrected.interval.low, self.corrected.interval.high
        means = (f"{float(values.mean()):.3f}" for values in (whole.labels, whole.verdicts))
        counts = [self.name, f"{self.items:,}", f"{self.items - len(whole):,}", *means]
        corrected = [f"{self.corrected.estimate:.3f} [{low:.3f}, {high:.3f}]", str(self.labels), f"{self.held:.1%}"]
        allowed = [
            "no: " + str(whole.refusal).partition(":")[0] if whole.refusal else "yes",
            f"{self.refused:.1%}",
            "advisory" if whole.advisory(LEAST_KAPPA) else "counts",
        ]
        return [*counts, self._kappa(), f"{whole.saved:.3f}", *corrected, *allowed]

    def _kappa(self) -> str:
        kappa, exact = self.whole.kappa, self.whole.exact_kappa
        plain = "" if exact is None else f"exact {exact.value:.3f}, quadratic "
        return f"{plain}{kappa.value:.3f} [{kappa.interval.low:.3f}, {kappa.interval.high:.3f}]"


def calibration_of(labels: FloatArray, verdicts: FloatArray) -> Calibration:
    """Return a calibration by labels and verdicts alone."""
    return Calibration(JudgeName(""), "verdict", [""] * len(labels), labels, verdicts)


def table(folder: Path, sets: Iterable[str]) -> str:
    """Return the table of all judges whose rows are in a folder, and what it has no columns for."""
    rows: list[list[str]] = []
    notes: list[str] = []
    for name in sets:
        read = {path.stem: _lines(path) for path in sorted(folder.glob(f"{name}.*.jsonl"))}
        lines = sorted((Line.of(*item) for item in read.items()), key=lambda line: -line.whole.kappa.value)
        many = len(lines) > _MANY
        rows += [line.cells() for line in ([lines[0], lines[len(lines) // 2], lines[-1]] if many else lines)]
        rows += [Line.of(*item).cells() for each in read.items() for item in _unknown(*each)]
        notes += [_all(name, lines)] if many else []
        notes += [_alt(*item) for item in read.items() if "annotator1" in item[1][0]]
    return "\n\n".join([render_grid(_HEADER, rows), *notes])


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _unknown(name: str, rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows with every unknown as true, and as false."""
    unknown = [row.get("reason") == "unknown" for row in rows]
    for word, value in (("true", 1), ("false", 0)) if any(unknown) else ():
        taken = [row | {"verdict": value} if each else row for row, each in zip(rows, unknown, strict=True)]
        yield f"{name}, unknown as {word}", taken


def _all(name: str, lines: Sequence[Line]) -> str:
    """Return the ranges over all judges of a set."""
    columns = {
        "mean": [float(line.whole.verdicts.mean()) for line in lines],
        "exact kappa": [line.whole.exact_kappa.value for line in lines if line.whole.exact_kappa],
        "kappa": [line.whole.kappa.value for line in lines],
        "rho²": [line.whole.saved for line in lines],
        "held": [line.held for line in lines],
    }
    ranges = (f"{key} {min(each):.3f} to {max(each):.3f}" for key, each in columns.items() if each)
    held, refused = np.mean(columns["held"]), sum(line.whole.refusal is not None for line in lines)
    return f"{name}, all {len(lines)} judges: {', '.join(ranges)} (on average {held:.3f}), {refused} refused."


def _alt(name: str, rows: Sequence[Row]) -> str:
    verdicts = np.array([row["verdict"] for row in rows], np.float64)
    people = np.array([[row[f"annotator{number}"] for row in rows] for number in (1, 2, 3)], np.float64)
    tests = {epsilon: alt_test(verdicts, people, epsilon=epsilon) for epsilon in (0.1, 0.15, 0.2)}
    rates = ", ".join(f"{test.winning_rate:.2f} at epsilon {epsilon}" for epsilon, test in tests.items())
    return f"{name}, alt-test: winning rate {rates}; advantage {tests[0.2].advantage:.3f}."
