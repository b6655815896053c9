"""Scores whose true mean is known: what the simulations of `bench.statistics` draw from."""

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from bench.processes import PROJECT
from steelyard.stats.distributions import normal_cumulative
from steelyard.table import FloatArray

Shape = tuple[int, int]
Draw = Callable[[np.random.Generator, Shape], FloatArray]

REAL: Final = PROJECT.parent / "shared" / "data" / "real"


@dataclass(frozen=True, slots=True)
class Population:
    """Independent scores of one kind, items down and samples across."""

    kind: str
    name: str
    draw: Draw
    mean: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Scores of an old and a new system on the same items; `difference` is the true mean of new - old."""

    kind: str
    name: str
    draw: Callable[[np.random.Generator, Shape], tuple[FloatArray, FloatArray]]
    difference: float


def shares(share: float) -> Population:
    """Right or wrong, right in so many cases."""
    return Population("0/1", f"right in {share:.0%}", lambda r, s: (r.random(s) < share).astype(np.float64), share)


def beta(a: float, b: float) -> Population:
    """Return the Beta distribution: symmetric where a = b, else skewed."""
    kind = "continuous" if a == b else "skewed"
    return Population(kind, f"Beta({a:g}, {b:g})", lambda r, s: r.beta(a, b, s), a / (a + b))


def mixture(zeros: float, ones: float) -> Population:
    """As F1 looks: so many zeros, so many ones, and Beta(2, 2) between."""

    def draw(generator: np.random.Generator, shape: Shape) -> FloatArray:
        chance = generator.random(shape)
        between = generator.beta(2, 2, shape)
        return np.where(chance < zeros, 0.0, np.where(chance < zeros + ones, 1.0, between))

    name = f"{zeros:.0%} zeros, {ones:.0%} ones, Beta(2, 2)"
    return Population("skewed", name, draw, ones + (1 - zeros - ones) / 2)


def lognormal(place: float, spread: float) -> Population:
    """exp of a normal variable, cut at 1."""
    whole = math.exp(place + spread**2 / 2) * normal_cumulative(-(place + spread**2) / spread)
    cut = 1 - normal_cumulative(-place / spread)
    name = f"lognormal({place:g}, {spread:g}) cut at 1"
    return Population("skewed", name, lambda r, s: np.minimum(r.lognormal(place, spread, s), 1.0), whole + cut)


BINARY: Final = tuple(shares(share) for share in (0.5, 0.8, 0.95))
CONTINUOUS: Final = (
    Population("continuous", "uniform", lambda r, s: r.random(s), 0.5),
    beta(2, 2),
    Population("continuous", "normal(0.5, 0.25) cut at 0 and 1", lambda r, s: r.normal(0.5, 0.25, s).clip(0, 1), 0.5),
)
SKEWED: Final = (
    beta(0.5, 2),
    beta(5, 1),
    mixture(0.4, 0.2),
    mixture(0.7, 0.0),
    mixture(0.05, 0.8),
    lognormal(-2, 1),
    lognormal(-3, 1),
)


@cache
def real_columns() -> tuple[Population, ...]:
    """Scores that real systems got, drawn with replacement; none where the data do not lie beside the project."""
    columns = (
        ("F1, GPT-4 on LawBench 2-5", "lawbench/zero_shot__GPT4__2-5.items.csv", "cjrc_f1"),
        ("F1, Qwen-7B on LawBench 2-5", "lawbench/zero_shot__qwen-7b-chat-hf__2-5.items.csv", "cjrc_f1"),
        ("AP, run 125 of TREC-8", "significance/adhoc8_ap.csv", "run125"),
    )
    return tuple(_resampled(*column) for column in columns) if REAL.is_dir() else ()


def _resampled(name: str, file: str, column: str) -> Population:
    with (REAL / file).open(encoding="utf-8", newline="") as lines:
        scores = np.array([float(row[column]) for row in csv.DictReader(lines)])
    return Population("real", f"{name} ({len(scores)} items)", lambda r, s: r.choice(scores, s), float(scores.mean()))


def partly_redrawn(kind: str, old: Population, new: Population, *, kept: float) -> Pair:
    """Return the new system scores as the old one on a share of items, and as another on the rest."""

    def draw(generator: np.random.Generator, shape: Shape) -> tuple[FloatArray, FloatArray]:
        before = old.draw(generator, shape)
        return before, np.where(generator.random(shape) < kept, before, new.draw(generator, shape))

    name = f"{old.name} → {new.name}, {kept:.0%} kept"
    return Pair(kind, name, draw, (1 - kept) * (new.mean - old.mean))


def _few_losses(generator: np.random.Generator, shape: Shape) -> tuple[FloatArray, FloatArray]:
    before = generator.beta(5, 1, shape)
    lost = np.where(generator.random(shape) < 0.3, generator.beta(1, 2, shape), 0.0)
    return before, before * (1 - lost)


PAIRS: Final = (
    partly_redrawn("continuous", beta(4, 2), beta(3, 2), kept=0.0),
    partly_redrawn("0/1", shares(0.8), shares(0.7), kept=0.5),
    partly_redrawn("0/1", shares(0.95), shares(0.9), kept=0.5),
    partly_redrawn("skewed", mixture(0.3, 0.3), mixture(0.35, 0.25), kept=0.5),
    Pair("skewed", "Beta(5, 1), of which 30% of items lose a Beta(1, 2) part", _few_losses, -0.3 * (5 / 6) / 3),
)
