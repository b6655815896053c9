"""The sign-flip test by seeded Monte Carlo: one matrix of random signs, made block by block, serves every metric.

A block's signs depend on the seed and the block's number only, so the result is the same on any number of threads.
Differences are rounded to whole 32768ths of the largest, which makes the 32-bit matrix product exact whatever the
order of its additions; where that rounding could matter, the sum is made again in 64 bits.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.ties import TIE_TOLERANCE
from steelyard.table import FloatArray

_UNIT: Final = 2.0**15
_TILE: Final = 512  # items; 512 * 2^15 = 2^24, the largest sum that 32-bit floats hold without rounding
_TILE_CELLS: Final = 2**18  # signs in one tile: 1 MB as floats, which stays in the cache
_BLOCK_CELLS: Final = 2**27  # signs in one block: 16 MB as bits
_REPEAT_CELLS: Final = 2**21  # signs decided again at once: 16 MB as 64-bit floats


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
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        extreme = sum(pool.map(count, _blocks(len(scaled), resamples)))
    return np.asarray((extreme + 1) / (resamples + 1), dtype=np.float64)


def _question(scaled: FloatArray) -> _Question:
    units = np.rint(scaled * _UNIT)
    size = np.abs(scaled).sum(axis=0)
    return _Question(
        scaled=scaled,
        units=units.astype(np.float32),
        threshold=np.abs(scaled.sum(axis=0)) - TIE_TOLERANCE * size,
        slack=np.abs(scaled - units / _UNIT).sum(axis=0) + TIE_TOLERANCE * size,
    )


def _blocks(items: int, resamples: int) -> list[_Block]:
    """The same for any number of threads: a block's size depends on the number of items alone."""
    rows = max(1, min(_TILE_CELLS // min(items, _TILE), _BLOCK_CELLS // items))
    return [_Block(index, min(rows, resamples - start)) for index, start in enumerate(range(0, resamples, rows))]


def _count_extreme(question: _Question, block: _Block, *, seed: int) -> NDArray[np.int64]:
    flips = _random_flips(len(question.scaled), block, seed=seed)
    distance = np.abs(_rounded_sums(flips, question.units)) - question.threshold
    extreme = distance >= 0
    unsure = np.flatnonzero((np.abs(distance) <= question.slack).any(axis=1))
    batch = max(1, _REPEAT_CELLS // len(question.scaled))
    for start in range(0, len(unsure), batch):
        rows = unsure[start : start + batch]
        extreme[rows] = np.abs(_exact_sums(flips[rows], question.scaled)) >= question.threshold
    return np.asarray(extreme.sum(axis=0), dtype=np.int64)


def _random_flips(items: int, block: _Block, *, seed: int) -> NDArray[np.uint8]:
    """One bit for each sign, packed: a row of bytes for each resample. Raw output, which no NumPy release changes."""
    width = -(-items // 8)
    words = np.random.Philox([seed, block.index]).random_raw(-(-block.rows * width // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[: block.rows * width].reshape(block.rows, width)


def _rounded_sums(flips: NDArray[np.uint8], units: NDArray[np.float32]) -> FloatArray:
    """The signed sums of the rounded differences: the whole sum less twice what is flipped, tile by tile."""
    flipped = np.zeros((len(flips), units.shape[1]))
    for start in range(0, len(units), _TILE):
        tile = units[start : start + _TILE]
        bits = np.unpackbits(flips[:, start // 8 : (start + _TILE) // 8], axis=1, count=len(tile))
        flipped += bits.astype(np.float32) @ tile
    return np.asarray((units.sum(axis=0, dtype=np.float64) - 2 * flipped) / _UNIT, dtype=np.float64)


def _exact_sums(flips: NDArray[np.uint8], scaled: FloatArray) -> FloatArray:
    signs = 1.0 - 2.0 * np.unpackbits(flips, axis=1, count=len(scaled))
    return np.asarray(signs @ scaled, dtype=np.float64)
