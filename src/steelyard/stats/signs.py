"""The sign-flip test by seeded Monte Carlo: one matrix of random signs, made block by block, serves every metric.

A block's signs depend on the seed and the block's number only, so the result is the same on any number of threads.
Differences are rounded to whole 32768ths of the largest, which makes the 32-bit matrix product exact whatever the
order of its additions; where that rounding could matter, the sum is made again in 64 bits.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.ties import TIE_TOLERANCE
from steelyard.table import FloatArray

_UNIT: Final = 2.0**15
_TILE: Final = 512  # items; 512 * 2^15 = 2^24, the largest sum that 32-bit floats hold without rounding
_TILE_CELLS: Final = 2**18  # signs in one tile: 1 MB as floats, which stays in the cache
_SLAB_PRODUCTS: Final = 2**18  # in one product: too few for the matrix library to start threads of its own
_SLAB_ROWS: Final = 16  # at least, however many metrics there are
_BLOCK_CELLS: Final = 2**27  # signs in one block: 16 MB as bits
_AHEAD: Final = 4  # blocks handed out per thread: enough to keep it busy, few to wait for after an interrupt

_Precision = TypeVar("_Precision", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class _Block:
    index: int
    rows: int


@dataclass(frozen=True, slots=True)
class _Question:
    """Which sign vectors give a sum at least as far from 0 as `threshold`; `slack` bounds the rounding of `units`."""

    scaled: FloatArray
    units: NDArray[np.float32]
    threshold: FloatArray
    slack: FloatArray


def sampled_p_values(scaled: FloatArray, *, resamples: int, seed: int, threads: int | None = None) -> FloatArray:
    """Two-sided p = (b + 1) / (B + 1) for each column of differences scaled to a largest of 1."""
    count = partial(_count_extreme, _question(scaled), seed=seed)
    extreme = sum(_in_threads(count, _blocks(len(scaled), resamples), threads or os.cpu_count() or 1))
    return np.asarray((extreme + 1) / (resamples + 1), dtype=np.float64)


def _in_threads(
    count: Callable[[_Block], NDArray[np.int64]], blocks: Iterable[_Block], threads: int
) -> Iterator[NDArray[np.int64]]:
    """The count of each block, in order; blocks are handed out a few at a time, and an interrupt takes them back."""
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


def _question(scaled: FloatArray) -> _Question:
    units = np.rint(scaled * _UNIT)
    size = np.abs(scaled).sum(axis=0)
    return _Question(
        scaled=scaled,
        units=units.astype(np.float32),
        threshold=np.abs(scaled.sum(axis=0)) - TIE_TOLERANCE * size,
        slack=np.abs(scaled - units / _UNIT).sum(axis=0) + TIE_TOLERANCE * size,
    )


def _blocks(items: int, resamples: int) -> Iterator[_Block]:
    """The same for any number of threads: a block's size depends on the number of items alone."""
    rows = max(1, min(_TILE_CELLS // min(items, _TILE), _BLOCK_CELLS // items))
    for index, start in enumerate(range(0, resamples, rows)):
        yield _Block(index, min(rows, resamples - start))


def _count_extreme(question: _Question, block: _Block, *, seed: int) -> NDArray[np.int64]:
    flips = _random_flips(len(question.scaled), block, seed=seed)
    distance = np.abs(_signed_sums(flips, question.units)) / _UNIT - question.threshold
    extreme = distance >= 0
    unsure = np.flatnonzero((np.abs(distance) <= question.slack).any(axis=1))
    extreme[unsure] = np.abs(_signed_sums(flips[unsure], question.scaled)) >= question.threshold
    return np.asarray(extreme.sum(axis=0), dtype=np.int64)


def _random_flips(items: int, block: _Block, *, seed: int) -> NDArray[np.uint8]:
    """One bit for each sign, packed: a row of bytes for each resample. Raw output, which no NumPy release changes."""
    width = -(-items // 8)
    words = np.random.Philox([seed, block.index]).random_raw(-(-block.rows * width // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[: block.rows * width].reshape(block.rows, width)


def _signed_sums(flips: NDArray[np.uint8], columns: NDArray[_Precision]) -> FloatArray:
    """The sums of each column under each row of signs: the whole sum less twice what is flipped, tile by tile."""
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
