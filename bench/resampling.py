"""The permutation tests that are timed, each in its own process: `python -m bench.resampling NAME ITEMS RESAMPLES`."""

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

from bench.permutation import METRICS, Tested
from steelyard.stats.permutation import permutation_tests

Differences = NDArray[np.float64]

SEED: Final = 42
REPEATS: Final = 3
LOOP_RESAMPLES: Final = 100
SCIPY_RESAMPLES: Final = 1_000
SCIPY_BATCH: Final = 50  # resamples in memory at once: 56 MB for 20 metrics of 6,980 items


def by_steelyard(differences: Differences, resamples: int, *, threads: int) -> Tested:
    """Return all metrics in one call; the best of three."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        results = permutation_tests(differences, resamples=resamples, seed=SEED, threads=threads)
        seconds.append(time.perf_counter() - start)
    sampled = min(result.resamples or 0 for result in results)
    return Tested(tuple(result.p_value for result in results), sampled, min(seconds))


def by_loop(differences: Differences, resamples: int) -> Tested:
    """Return the plain loop that many evaluation scripts have: a coin for each item of each resample."""
    resamples = min(resamples, LOOP_RESAMPLES)
    columns = differences.T.tolist()
    coin = random.Random(SEED)
    start = time.perf_counter()
    p_values = tuple(_loop_p_value(column, resamples, coin) for column in columns)
    return Tested(p_values, resamples, time.perf_counter() - start)


def _loop_p_value(column: list[float], resamples: int, coin: random.Random) -> float:
    observed = abs(sum(column))
    extreme = 0
    for _ in range(resamples):
        total = 0.0
        for difference in column:
            total += difference if coin.random() < 0.5 else -difference
        extreme += abs(total) >= observed
    return (extreme + 1) / (resamples + 1)


def by_scipy(differences: Differences, resamples: int) -> Tested:
    """Return all metrics in one vectorised call."""
    resamples = min(resamples, SCIPY_RESAMPLES)
    start = time.perf_counter()
    result = permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=SCIPY_BATCH,
        axis=0,
        rng=np.random.default_rng(SEED),
    )
    return Tested(tuple(result.pvalue.tolist()), resamples, time.perf_counter() - start)


def _real_differences(items: int) -> Differences:
    """Differences without a common step, so that no exact way applies; the metrics' p run from large to small."""
    shifts = np.linspace(0, 3, METRICS) / np.sqrt(items)
    return np.random.default_rng(SEED).normal(shifts, 1, (items, METRICS))


def _binary_differences(items: int) -> Differences:
    """Return one metric that is 0 or 1 for both systems, a little better for one."""
    return np.random.default_rng(SEED).choice([-1.0, 0.0, 1.0], (items, 1), p=[0.09, 0.8, 0.11])


TESTS: Final[dict[str, Callable[[int, int], Tested]]] = {
    "steelyard-1": lambda items, resamples: by_steelyard(_real_differences(items), resamples, threads=1),
    "steelyard-2": lambda items, resamples: by_steelyard(_real_differences(items), resamples, threads=2),
    "steelyard-exact": lambda items, resamples: by_steelyard(_binary_differences(items), resamples, threads=1),
    "scipy": lambda items, resamples: by_scipy(_real_differences(items), resamples),
    "loop": lambda items, resamples: by_loop(_real_differences(items), resamples),
}

if __name__ == "__main__":
    print(json.dumps(asdict(TESTS[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3])))))
