"""`python -m bench.judge_coverage`: do the intervals of corrected judges hold the true share? Prints tables."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from bench.markdown import NOTHING, render_grid, render_paragraph
from bench.simulation import seeds_of
from steelyard.stats.corrected import (
    Corrected,
    NotInformative,
    ppi_difference,
    ppi_mean,
    rogan_gladen,
    rogan_gladen_difference,
    rogan_gladen_mean,
)
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.table import FloatArray, IntArray

SIMULATIONS: Final = 4_000
SHARES: Final = (0.5, 0.8, 0.95, 0.99)
DOCUMENTS: Final = 40
SPREAD: Final = 6.0  # the expected scores of documents are Beta(6 theta, 6 (1 - theta))
WORDS: Final = """
How many of {simulations:,} simulated 95 % intervals hold the true share of right answers, in %, and their mean width.
θ is this share, then come sensitivity and specificity of the judge, judged items, and labels of people (a random
sample of the items, unless they are from elsewhere). The error of a coverage is about {error:.1f}."""


@dataclass(frozen=True, slots=True)
class Case:
    """The share of right answers, a judge, the items that it judges, and how many of them have labels."""

    theta: float
    sensitivity: float
    specificity: float
    items: int
    labels: int

    @property
    def name(self) -> str:
        """The case in a table."""
        return f"{self.theta:.2f}, {self.sensitivity:.2f}, {self.specificity:.2f}; {self.items:,}, {self.labels}"


@dataclass(frozen=True, slots=True)
class Held:
    """The share of intervals that hold the true value, and the mean width of the intervals."""

    coverage: float
    width: float

    @property
    def text(self) -> str:
        """Both numbers in a cell of a table."""
        return f"{100 * self.coverage:.1f} / {self.width:.3f}"


PUBLISHED: Final = (
    Case(0.8, 0.95, 0.6, 1_000, 100),
    Case(0.8, 0.9, 0.85, 1_000, 300),
    Case(0.8, 0.95, 0.6, 200, 50),
    Case(0.95, 0.97, 0.7, 1_000, 100),
)
"""The cases that the guard of `ppi_mean` was chosen by."""
GRID: Final = tuple(
    Case(theta, each.sensitivity, each.specificity, each.items, each.labels) for theta in SHARES for each in PUBLISHED
)
ELSEWHERE: Final = tuple(Case(theta, 0.9, 0.7, 1_000, 200) for theta in SHARES)
"""Labels are of other items, half of which are right."""
BY_DOCUMENT: Final = tuple(Case(theta, 0.95, 0.6, 1_000, 200) for theta in SHARES[:3])
SHARES_ELSEWHERE: Final = tuple(Case(theta, 0.9, 0.8, 500, 200) for theta in SHARES[:3])
GAPS: Final = tuple(Case(theta, 0.9, 0.8, items, 200) for theta in SHARES[:3] for items in (200, 1_000))
_GAP: Final = 0.1
_CLAIMS: Final = 5
DIFFERING: Final = tuple(Case(theta, 0.95, 0.7, 1_000, 100) for theta in SHARES[:3])
METHODS: Final = ("judge alone", "labels alone", "PPI++", "guarded PPI++", "Rogan-Gladen")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m bench.judge_coverage", description=__doc__)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="samples for each row")
    simulations = parser.parse_args(argv).simulations
    print(render_paragraph(WORDS.format(simulations=simulations, error=100 * (0.0475 / simulations) ** 0.5)))
    for title, simulate, cases in TABLES:
        found = [(case, simulate(case, simulations=simulations)) for case in cases]
        names = [name for name in METHODS if any(name in row for _, row in found)]
        rows = [[case.name, *(row[name].text if name in row else NOTHING for name in names)] for case, row in found]
        print(f"\n### {title}\n\n{render_grid(('θ, sens., spec.; items, labels', *names), rows)}", flush=True)


def random_labels(case: Case, *, simulations: int) -> dict[str, Held]:
    """Labels are a random sample of the items: all methods on the same samples."""
    return _held(case.theta, (_of_sample(case, *drawn) for drawn in _draws(case, simulations)))


def labels_from_elsewhere(case: Case, *, simulations: int) -> dict[str, Held]:
    """Labels are of other items, half of them right: only Rogan-Gladen may be used; the others say what happens."""
    generator = np.random.default_rng(seeds_of("elsewhere", case.name))
    return _held(case.theta, (_of_elsewhere(case, generator) for _ in range(simulations)))


def documents(case: Case, *, simulations: int) -> dict[str, Held]:
    """Items share documents that differ; the interval over items is "PPI++", that over documents the guarded one."""
    generator = np.random.default_rng(seeds_of("documents", case.name))
    return _held(case.theta, (_of_documents(case, generator) for _ in range(simulations)))


def differences(case: Case, *, simulations: int) -> dict[str, Held]:
    """Two systems that are equally good, answering alike half of the time."""
    generator = np.random.default_rng(seeds_of("differences", case.name))
    return _held(0.0, (_of_difference(case, generator) for _ in range(simulations)))


def shares(case: Case, *, simulations: int) -> dict[str, Held]:
    """Scores are shares of five claims, whose judge was calibrated on single claims from elsewhere, half of them right.

    Items share documents; the variance is over documents.
    """
    generator = np.random.default_rng(seeds_of("shares", case.name))
    return _held(case.theta, (_of_shares(case, generator) for _ in range(simulations)))


def differences_elsewhere(case: Case, *, simulations: int) -> dict[str, Held]:
    """Two systems, the second a tenth worse, whose judge was calibrated on other items, half of them right."""
    generator = np.random.default_rng(seeds_of("differences elsewhere", case.name))
    return _held(_GAP, (_of_gap(case, generator) for _ in range(simulations)))


def _held(truth: float, samples: Iterator[dict[str, Interval]]) -> dict[str, Held]:
    found: dict[str, list[Interval]] = {}
    for sample in samples:
        for name, interval in sample.items():
            found.setdefault(name, []).append(interval)
    return {name: _share(truth, intervals) for name, intervals in found.items()}


def _share(truth: float, intervals: Sequence[Interval]) -> Held:
    low, high = np.array([(interval.low, interval.high) for interval in intervals]).T
    held = (low <= truth + 1e-12) & (high >= truth - 1e-12)
    return Held(float(held.mean()), float((high - low).mean()))


def _draws(case: Case, simulations: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    generator = np.random.default_rng(seeds_of(case.name))
    for _ in range(simulations):
        right = (generator.random(case.items) < case.theta).astype(np.float64)
        yield right, _verdicts(case, right, generator)


def _verdicts(case: Case, right: FloatArray, generator: np.random.Generator) -> FloatArray:
    chances = np.where(right > 0, case.sensitivity, 1 - case.specificity)
    return (generator.random(len(right)) < chances).astype(np.float64)


def _of_sample(case: Case, truth: FloatArray, verdicts: FloatArray) -> dict[str, Interval]:
    n = case.labels
    found = _ppi(truth[:n], verdicts[:n], verdicts[n:])
    found["judge alone"] = mean_interval(verdicts)
    found["labels alone"] = mean_interval(truth[:n])
    return found | _rogan_gladen(truth[:n], verdicts[:n], verdicts)


def _of_elsewhere(case: Case, generator: np.random.Generator) -> dict[str, Interval]:
    truth = (generator.random(case.items) < case.theta).astype(np.float64)
    labels = (np.arange(case.labels) % 2).astype(np.float64)
    verdicts, labelled = (_verdicts(case, each, generator) for each in (truth, labels))
    return {"judge alone": mean_interval(verdicts), "labels alone": mean_interval(labels)} | (
        _ppi(labels, labelled, verdicts) | _rogan_gladen(labels, labelled, verdicts)
    )


def _of_documents(case: Case, generator: np.random.Generator) -> dict[str, Interval]:
    member: IntArray = generator.integers(DOCUMENTS, size=case.items)
    expected = generator.beta(SPREAD * case.theta, SPREAD * (1 - case.theta), DOCUMENTS)[member]
    truth = (generator.random(case.items) < expected).astype(np.float64)
    verdicts, n = _verdicts(case, truth, generator), case.labels
    parts, clusters = (truth[:n], verdicts[:n], verdicts[n:]), (member[:n], member[n:])
    return {
        "labels alone": mean_interval(truth[:n], clusters=member[:n]),
        "PPI++": ppi_mean(*parts).interval,
        "guarded PPI++": ppi_mean(*parts, clusters=clusters).interval,
    }


def _of_difference(case: Case, generator: np.random.Generator) -> dict[str, Interval]:
    first = (generator.random(case.items) < case.theta).astype(np.float64)
    again = (generator.random(case.items) < case.theta).astype(np.float64)
    second = np.where(generator.random(case.items) < 0.5, first, again)
    a, b, n = _verdicts(case, first, generator), _verdicts(case, second, generator), case.labels
    find = partial(ppi_difference, (first[:n], second[:n]), (a[:n], b[:n]), (a[n:], b[n:]))
    plain = mean_interval(first[:n] - second[:n], method="widened t")
    return {"labels alone": plain, "PPI++": find(guarded=False).interval, "guarded PPI++": find().interval}


def _of_shares(case: Case, generator: np.random.Generator) -> dict[str, Interval]:
    member: IntArray = generator.integers(DOCUMENTS, size=case.items)
    expected = generator.beta(SPREAD * case.theta, SPREAD * (1 - case.theta), DOCUMENTS)[member]
    truth = (generator.random((case.items, _CLAIMS)) < expected[:, None]).astype(np.float64)
    verdicts = _verdicts(case, truth.ravel(), generator).reshape(truth.shape).mean(axis=1)
    q1, q0 = _rates(case, generator)
    return {
        "judge alone": mean_interval(verdicts, clusters=member),
        "Rogan-Gladen": _interval(lambda: rogan_gladen_mean(verdicts, sensitivity=q1, specificity=q0, clusters=member)),
    }


def _of_gap(case: Case, generator: np.random.Generator) -> dict[str, Interval]:
    first = (generator.random(case.items) < case.theta).astype(np.float64)
    second = np.where(generator.random(case.items) < _GAP / case.theta, 0.0, first)
    differences = _verdicts(case, first, generator) - _verdicts(case, second, generator)
    q1, q0 = _rates(case, generator)
    return {
        "judge alone": mean_interval(differences, method="widened t"),
        "Rogan-Gladen": _interval(lambda: rogan_gladen_difference(differences, sensitivity=q1, specificity=q0)),
    }


def _rates(case: Case, generator: np.random.Generator) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how often a judge agrees with labels of other items, on right ones and on as many wrong ones."""
    half = case.labels // 2
    hits, rejected = generator.binomial(half, (case.sensitivity, case.specificity)).tolist()
    return (hits, half), (rejected, half)


def _interval(correct: Callable[[], Corrected]) -> Interval:
    """Return the interval of a correction; everything is possible where it is refused."""
    try:
        return correct().interval
    except NotInformative:
        return Interval(-1.0, 1.0, "none")


def _ppi(labels: FloatArray, labelled: FloatArray, others: FloatArray) -> dict[str, Interval]:
    return {
        "PPI++": ppi_mean(labels, labelled, others, guarded=False).interval,
        "guarded PPI++": ppi_mean(labels, labelled, others).interval,
    }


def _rogan_gladen(labels: FloatArray, labelled: FloatArray, verdicts: FloatArray) -> dict[str, Interval]:
    """Return the interval; all shares are possible if there are no wrong items among the labels, or it is refused."""
    right, wrong = labelled[labels == 1], 1 - labelled[labels == 0]
    found = Interval(0.0, 1.0, "none")
    if len(right) and len(wrong):
        sensitivity, specificity = ((int(each.sum()), len(each)) for each in (right, wrong))
        with suppress(NotInformative):
            corrected = rogan_gladen(
                int(verdicts.sum()), len(verdicts), sensitivity=sensitivity, specificity=specificity
            )
            found = corrected.interval
    return {"Rogan-Gladen": found}


TABLES: Final[tuple[tuple[str, Callable[..., dict[str, Held]], tuple[Case, ...]], ...]] = (
    ("Labels of a random sample of the items", random_labels, GRID),
    ("Labels of other items, half of them right", labels_from_elsewhere, ELSEWHERE),
    (f"Items of {DOCUMENTS} documents: PPI++ over items, guarded PPI++ over documents", documents, BY_DOCUMENT),
    ("The difference of two equally good systems", differences, DIFFERING),
    (f"Shares of {_CLAIMS} claims, of {DOCUMENTS} documents; labels of other claims", shares, SHARES_ELSEWHERE),
    (f"Two systems that differ by {_GAP:g}; labels of other items", differences_elsewhere, GAPS),
)

if __name__ == "__main__":
    main()
