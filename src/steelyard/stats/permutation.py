"""The two-sided paired permutation (sign-flip) test for many metrics at once: exact where possible, else Monte Carlo.

Two exact methods are tried. If all differences are multiples of one step (0/1 metrics, P@k, four decimals), the null
distribution of the sum is computed on that lattice at any n. Otherwise, for up to 32 differences, all 2^n sign vectors
are enumerated by meet in the middle: two sorted lists of 2^(n/2) half sums.

The Monte Carlo test draws one matrix of random signs for all metrics, block by block. The signs of a block depend only
on the seed and the block's index, so the result is the same on any number of threads. Differences are rounded to whole
32768ths of the largest, which makes the 32-bit matrix product exact in any order of addition; where that rounding could
change the outcome, the sum is computed again in 64 bits.
"""

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.distributions import TIE_TOLERANCE, require_columns, require_resamples, unit_scaled
from steelyard.table import FloatArray, IntArray

MOST_ENUMERATED: Final = 32  # 2^32 sign vectors in about 8 ms
# Two fractions with denominators up to this lie more than twice the tie tolerance apart, so the nearest is the one.
_FINEST_STEP: Final = 100_000
_MOST_WORK: Final = 100_000_000  # additions; about 50 ms
_UNIT: Final = 2.0**15
_TILE: Final = 512  # items; 512 * 2^15 = 2^24, the largest sum that 32-bit floats hold without rounding
_TILE_CELLS: Final = 2**18  # signs in one tile: 1 MB as floats, which stays in the cache
_SLAB_PRODUCTS: Final = 2**18  # in one product: too few for the matrix library to start threads of its own
_SLAB_ROWS: Final = 16  # at least, however many metrics there are
_BLOCK_CELLS: Final = 2**27  # signs in one block: 16 MB as bits
_AHEAD: Final = 4  # blocks submitted per thread: enough to keep it busy, few to wait for after an interrupt

_Precision = TypeVar("_Precision", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class PairedResult:
    """The two-sided p-value of a paired test.

    `exact` is true if the p-value is neither approximated nor sampled; `resamples` is the number of draws if it is
    sampled. The p-value is NaN if nothing could be tested, and never 0.
    """

    p_value: float
    test: str
    exact: bool
    resamples: int | None


def permutation_tests(
    differences: FloatArray, *, resamples: int = 10_000, seed: int = 42, threads: int | None = None
) -> list[PairedResult]:
    """Test each column of differences (items down, metrics across) by flipping the signs of its items.

    An unscored item is a difference of 0 (or NaN, read as 0), which no flip changes. Sums that tie with the observed
    one count as extreme. The p-value of a column depends neither on the other columns nor on the number of threads.
    """
    require_resamples(resamples)
    require_columns(differences)
    columns = [unit_scaled(np.nan_to_num(column)) for column in differences.T]
    exact = [_exact_p_value(column) for column in columns]
    unsolved = [column for column, p_value in zip(columns, exact, strict=True) if p_value is None]
    if not unsolved:
        return [_permutation_result(p_value) for p_value in exact if p_value is not None]
    sampled = iter(sampled_p_values(np.column_stack(unsolved), resamples=resamples, seed=seed, threads=threads))
    return [
        _permutation_result(next(sampled), resamples) if p_value is None else _permutation_result(p_value)
        for p_value in exact
    ]


def _exact_p_value(scaled: FloatArray) -> float | None:
    nonzero = scaled[scaled != 0]
    if len(nonzero) == 0:
        return 1.0
    p_value = lattice_p_value(nonzero)
    return enumerated_p_value(nonzero) if p_value is None else p_value


def _permutation_result(p_value: float, resamples: int | None = None) -> PairedResult:
    return PairedResult(p_value=float(p_value), test="permutation", exact=resamples is None, resamples=resamples)


def enumerated_p_value(scaled: FloatArray) -> float | None:
    """Return the exact two-sided p-value of non-zero differences by enumeration; None if there are too many.

    A sum that equals the observed one up to rounding counts as extreme.
    """
    if len(scaled) > MOST_ENUMERATED:
        return None
    threshold = abs(float(scaled.sum())) - TIE_TOLERANCE * float(np.abs(scaled).sum())
    if threshold <= 0:
        return 1.0
    half = len(scaled) // 2
    left, right = _all_signed_sums(scaled[:half]), _all_signed_sums(scaled[half:])
    below = np.searchsorted(left, threshold - right[::-1])  # sorted queries keep the search in the cache
    extreme = len(left) * len(right) - int(below.sum())
    return extreme / (len(left) * len(right) / 2)


def _all_signed_sums(values: FloatArray) -> FloatArray:
    """Return all sums of the values under every choice of signs, sorted."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return np.sort(sums)


def lattice_p_value(scaled: FloatArray) -> float | None:
    """Return the exact two-sided p-value of non-zero differences scaled to a largest of 1.

    None if it would take too long.

    Flipping the signs of a set of items subtracts twice their sum from the total, so the tail is the probability that
    a random subset of the magnitudes sums to at most (total - observed) / 2.
    """
    multiples = _as_multiples(np.abs(scaled))
    if multiples is None:
        return None
    observed = abs(int(np.sum(np.where(scaled < 0, -multiples, multiples))))
    if observed == 0:
        return 1.0
    reach = (int(multiples.sum()) - observed) // 2
    if len(multiples) * (reach + 1) > _MOST_WORK:
        return None
    return min(1.0, max(2 * _subset_sum_tail(multiples, reach), sys.float_info.min))


def _as_multiples(magnitudes: FloatArray) -> IntArray | None:
    """Return the magnitudes as integer multiples of their largest common step; None if the step is too fine."""
    steps = 1
    while steps <= _FINEST_STEP:
        exact = magnitudes * steps
        multiples = np.rint(exact)
        off = np.abs(exact - multiples) > TIE_TOLERANCE * steps
        if not off.any():
            return multiples.astype(np.int64)
        finer = Fraction(float(magnitudes[off.argmax()])).limit_denominator(_FINEST_STEP)
        refined = math.lcm(steps, finer.denominator)
        if refined == steps:
            return None
        steps = refined
    return None


def _subset_sum_tail(multiples: IntArray, reach: int) -> float:
    """Return the probability that a random subset sums to at most `reach`; no term is negative, so nothing cancels."""
    chances = np.zeros(reach + 1)
    chances[0] = 1.0
    for size, count in zip(*np.unique(multiples, return_counts=True), strict=True):
        add = _with_many if count > size else _with_few
        chances = add(chances, size=int(size), count=int(count))
    return float(chances.sum())


def _with_many(chances: FloatArray, *, size: int, count: int) -> FloatArray:
    """Return the distribution with `count` more items of one size: one convolution for each remainder modulo it."""
    taken = _fair_binomial(count)
    grown = np.empty_like(chances)
    for remainder in range(min(size, len(chances))):
        part = chances[remainder::size]
        grown[remainder::size] = np.convolve(part, taken[: len(part)])[: len(part)]
    return grown


def _with_few(chances: FloatArray, *, size: int, count: int) -> FloatArray:
    """Return the same by adding the items one at a time, which is faster for few items."""
    grown = chances.copy()
    for _ in range(count):
        grown[size:] += grown[:-size]
        grown *= 0.5
    return grown


def _fair_binomial(trials: int) -> FloatArray:
    """Return the probabilities of 0, 1, ... successes, by ratios outwards from the middle (few roundings)."""
    middle = trials // 2
    successes = np.arange(middle, trials)
    upper = np.cumprod(np.concatenate([[1.0], (trials - successes) / (successes + 1)]))
    lower = upper[trials - 2 * middle + 1 :][::-1]
    weights = np.concatenate([lower, upper])
    return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Block:
    index: int
    rows: int


@dataclass(frozen=True, slots=True)
class _SignFlips:
    """Scaled differences, and the `threshold` that the sum of an extreme sign vector reaches.

    `rounded` are the differences in whole 32768ths; `slack` bounds the error of their sum.
    """

    scaled: FloatArray
    rounded: NDArray[np.float32]
    threshold: FloatArray
    slack: FloatArray


def sampled_p_values(scaled: FloatArray, *, resamples: int, seed: int, threads: int | None = None) -> FloatArray:
    """Return the two-sided Monte Carlo p = (b + 1) / (B + 1) of each column of differences scaled to a largest of 1."""
    count = partial(_count_extreme, _sign_flips(scaled), seed=seed)
    extreme = sum(_in_threads(count, _blocks(len(scaled), resamples), threads or os.cpu_count() or 1))
    return np.asarray((extreme + 1) / (resamples + 1), dtype=np.float64)


def _in_threads(
    count: Callable[[_Block], NDArray[np.int64]], blocks: Iterable[_Block], threads: int
) -> Iterator[NDArray[np.int64]]:
    """Yield the count of each block, in order; few are submitted ahead, and an interrupt cancels those not started."""
    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[NDArray[np.int64]]] = deque()
    try:
        for block in blocks:
            if len(waiting) == _AHEAD * threads:
                yield waiting.popleft().result()
            waiting.append(pool.submit(count, block))
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _sign_flips(scaled: FloatArray) -> _SignFlips:
    rounded = np.rint(scaled * _UNIT)
    size = np.abs(scaled).sum(axis=0)
    return _SignFlips(
        scaled=scaled,
        rounded=rounded.astype(np.float32),
        threshold=np.abs(scaled.sum(axis=0)) - TIE_TOLERANCE * size,
        slack=np.abs(scaled - rounded / _UNIT).sum(axis=0) + TIE_TOLERANCE * size,
    )


def _blocks(items: int, resamples: int) -> Iterator[_Block]:
    """Yield the blocks of sign vectors; their size depends on the number of items, not on that of threads."""
    rows = max(1, min(_TILE_CELLS // min(items, _TILE), _BLOCK_CELLS // items))
    for index, start in enumerate(range(0, resamples, rows)):
        yield _Block(index, min(rows, resamples - start))


def _count_extreme(test: _SignFlips, block: _Block, *, seed: int) -> NDArray[np.int64]:
    """For each column, how many sign vectors of the block give a sum as extreme as the observed one."""
    flips = _random_flips(len(test.scaled), block, seed=seed)
    distance = np.abs(_signed_sums(flips, test.rounded)) / _UNIT - test.threshold
    extreme = distance >= 0
    doubtful = np.flatnonzero((np.abs(distance) <= test.slack).any(axis=1))
    extreme[doubtful] = np.abs(_signed_sums(flips[doubtful], test.scaled)) >= test.threshold
    return np.asarray(extreme.sum(axis=0), dtype=np.int64)


def _random_flips(items: int, block: _Block, *, seed: int) -> NDArray[np.uint8]:
    """Return one bit for each sign, packed: a row of bytes for each resample.

    The raw output of the generator is used, which is the same in every NumPy release.
    """
    width = -(-items // 8)
    words = np.random.Philox([seed, block.index]).random_raw(-(-block.rows * width // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[: block.rows * width].reshape(block.rows, width)


def _signed_sums(flips: NDArray[np.uint8], columns: NDArray[_Precision]) -> FloatArray:
    """Return the sums of each column under each row of signs: the total minus twice the flipped part, tile by tile."""
    metrics = columns.shape[1]
    slab = max(_SLAB_ROWS, _SLAB_PRODUCTS // (_TILE * metrics))
    padded = np.pad(flips, ((0, -len(flips) % slab), (0, 0)))
    flipped = np.zeros((len(padded) // slab, slab, metrics))
    for start in range(0, len(columns), _TILE):
        tile = columns[start : start + _TILE]
        bits = np.unpackbits(padded[:, start // 8 : (start + _TILE) // 8], axis=1, count=len(tile))
        flipped += bits.astype(columns.dtype).reshape(-1, slab, len(tile)) @ tile
    kept = flipped.reshape(-1, metrics)[: len(flips)]
    return np.asarray(columns.sum(axis=0, dtype=np.float64) - 2 * kept, dtype=np.float64)
