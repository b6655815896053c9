"""Many samples through the functions that users' numbers come from: how often are they right?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np

from bench.populations import Pair, Population, Shape
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.paired import TestName, paired_tests
from steelyard.stats.power import DecisionSample
from steelyard.stats.scopes import CLUSTER_TAG
from steelyard.stats.summary import summarise
from steelyard.table import Column, FloatArray, Table

BATCH: Final = 1_000  # samples at a time
LEVELS: Final = (0.01, 0.05, 0.1)

Cluster = Literal["continuous", "skewed", "0/1"]
DOCUMENT_EFFECTS: Final = (12.0, 12.0)  # Beta: expected scores of documents with mean 0.5 and standard deviation 0.1
_CLUSTER_MEANS: Final[dict[Cluster, tuple[float, float]]] = {"continuous": (2, 2), "skewed": (1, 4), "0/1": (4, 1)}


@dataclass(frozen=True, slots=True)
class Misses:
    """The shares of intervals that lie wholly above the true mean, and wholly below it."""

    above: float
    below: float
    simulations: int

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the true mean."""
        return 1 - self.above - self.below


@dataclass(frozen=True, slots=True)
class ScopeMisses:
    """Intervals over items for the mean of these documents and of all documents, and over documents for the latter."""

    items_of_these: Misses
    items_of_all: Misses
    documents_of_all: Misses


def summary_misses(population: Population, items: int, *, simulations: int, seed: int) -> tuple[Misses, Misses]:
    """Intervals as a summary prints them, and, of the same samples, what Student's t alone would say."""
    generator = np.random.default_rng([seed, items])
    ours, plain = [], []
    for samples in _batches(simulations):
        scores = population.draw(generator, (items, samples))
        ours += [metric.interval for metric in summarise(_table(scores)).metrics.values()]
        plain += [mean_interval(column, method="t") for column in scores.T]
    return _misses(ours, population.mean), _misses(plain, population.mean)


def shares_at_random(items: int, *, simulations: int, seed: int) -> Misses:
    """0/1 scores whose chance of being right is itself drawn, evenly between 0.02 and 0.98."""
    generator = np.random.default_rng([seed, items])
    chances = generator.uniform(0.02, 0.98, simulations)
    intervals = [mean_interval((generator.random(items) < chance).astype(np.float64)) for chance in chances]
    return _misses(intervals, chances)


def cluster_misses(kind: Cluster, sizes: Sequence[int], *, simulations: int, seed: int) -> Misses:
    """Intervals of a summary whose items share documents, of so many items each."""
    generator = np.random.default_rng([seed, sum(sizes)])
    a, b = _CLUSTER_MEANS[kind]
    member = np.repeat(np.arange(len(sizes)), sizes)
    intervals: list[Interval] = []
    for samples in _batches(simulations):
        expected = generator.beta(a, b, (len(sizes), samples))[member]
        table = _table(_items_of(kind, expected, generator), documents=[str(number) for number in member])
        intervals += [metric.interval for metric in summarise(table).metrics.values()]
    return _misses(intervals, a / (a + b))


def scope_misses(kind: Cluster, documents: int, items: int, *, simulations: int, seed: int) -> ScopeMisses:
    """Intervals of a summary over items and over documents, where documents have expected scores of their own."""
    generator = np.random.default_rng([seed, documents, items])
    member = np.repeat(np.arange(documents), items)
    intervals: dict[str, list[Interval]] = {"items": [], "documents": []}
    means: list[float] = []
    for samples in _batches(simulations):
        expected = generator.beta(*DOCUMENT_EFFECTS, (documents, samples))
        means += expected.mean(axis=0).tolist()
        table = _table(_items_of(kind, expected[member], generator), documents=[str(number) for number in member])
        for found in (scope for metric in summarise(table).metrics.values() for scope in metric.scopes):
            intervals[found.scope].append(found.interval)
    a, b = DOCUMENT_EFFECTS
    of_items, population = partial(_misses, intervals["items"]), a / (a + b)
    return ScopeMisses(of_items(np.array(means)), of_items(population), _misses(intervals["documents"], population))


def difference_misses(pair: Pair, items: int, *, simulations: int, seed: int) -> Misses:
    """Intervals of the difference, as a comparison prints them."""
    intervals: list[Interval] = []
    for old, new in _pairs(pair, items, simulations=simulations, seed=seed):
        intervals += [each.interval for each in compare_all([_table(new)], _table(old), ComparisonSettings(test="t"))]
    return _misses(intervals, pair.difference)


def gate_errors(pair: Pair, items: int, *, simulations: int, seed: int) -> float:
    """Return how often a gate says "not worse by more than the margin", where it is worse by just the margin."""
    passed = 0
    for old, new in _pairs(pair, items, simulations=simulations, seed=seed):
        samples = (DecisionSample(column, (-1.0, 1.0), paired=True) for column in (new - old).T)
        passed += sum(sample.interval(0.9).low > pair.difference + 1e-12 for sample in samples)
    return passed / simulations


def null_p_values(test: TestName, items: int, *, simulations: int, seed: int, binary: bool = False) -> FloatArray:
    """p of two systems that are equally good, of several seeds: columns of one call share their random signs."""
    generator = np.random.default_rng([seed, items])
    found: list[float] = []
    for batch, samples in enumerate(_batches(simulations, size=100)):
        first, second = _equally_good(generator, (items, samples), binary=binary)
        results = paired_tests(np.round(second - first, 14), test=test, seed=seed + batch)
        found += [result.p_value for result in results]
    return np.array(found)


def rejections(p_values: FloatArray) -> list[float]:
    """Return the share of p-values at or below each of the levels."""
    return [float(np.mean(p_values <= level + 1e-12)) for level in LEVELS]


def family_errors(metrics: int, *, simulations: int, seed: int, items: int = 60) -> tuple[float, float]:
    """Return how often a comparison of equally good systems finds any difference, with Holm and without.

    The metrics of an item have a correlation of about 0.7.
    """
    generator = np.random.default_rng([seed, metrics])
    with_holm = without = 0
    for simulation in range(simulations):
        shared = generator.normal(size=(2, items, 1))
        scores = 0.7**0.5 * shared + 0.3**0.5 * generator.normal(size=(2, items, metrics))
        found = compare_all([_table(scores[0])], _table(scores[1]), ComparisonSettings(seed=seed + simulation))
        with_holm += any(each.significant for each in found)
        without += any(each.p_value < 0.05 for each in found)
    return with_holm / simulations, without / simulations


def seeds_of(*names: str) -> int:
    """Return a seed that belongs to these words, the same on every machine."""
    return int.from_bytes(" ".join(names).encode()) % (2**31 - 1)


def _equally_good(generator: np.random.Generator, shape: Shape, *, binary: bool) -> tuple[FloatArray, FloatArray]:
    """Scores of two systems that depend on the item, and on nothing else but chance."""
    expected = generator.beta(2, 2, shape)
    kind: Cluster = "0/1" if binary else "continuous"
    return _items_of(kind, expected, generator), _items_of(kind, expected, generator)


def _items_of(kind: Cluster, expected: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Scores around what is expected of each item; a Cluster of "skewed" is skewed by that alone."""
    if kind == "0/1":
        return (generator.random(expected.shape) < expected).astype(np.float64)
    kept = expected.clip(1e-6, 1 - 1e-6)
    return generator.beta(4 * kept, 4 * (1 - kept))


def _pairs(pair: Pair, items: int, *, simulations: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    generator = np.random.default_rng([seed, items])
    return (pair.draw(generator, (items, samples)) for samples in _batches(simulations))


def _batches(simulations: int, size: int = BATCH) -> list[int]:
    return [min(size, simulations - start) for start in range(0, simulations, size)]


def _table(scores: FloatArray, documents: Sequence[str] = ()) -> Table:
    """Return a result with one metric for each sample."""
    names = [f"sample {number}" for number in range(scores.shape[1])]
    return Table(
        ids=[f"{row:04d}" for row in range(len(scores))],
        columns={
            name: Column(values, bounds=(0.0, 1.0))
            for name, values in zip(names, np.ascontiguousarray(scores.T), strict=True)
        },
        tags={CLUSTER_TAG: documents} if documents else {},
    )


def _misses(intervals: Sequence[Interval], mean: float | FloatArray) -> Misses:
    low, high = np.array([(interval.low, interval.high) for interval in intervals]).T
    above, below = float(np.mean(low > mean + 1e-12)), float(np.mean(high < mean - 1e-12))
    return Misses(above, below, len(intervals))
