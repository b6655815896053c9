"""Sign flips with more resamples than anyone has memory for: blocks are made as they are needed, and given up."""

import itertools
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from platforms import posix

from steelyard.stats import permutation as signs
from steelyard.stats.permutation import _AHEAD, _blocks, sampled_p_values

COLUMN = np.linspace(-1, 1, 600).reshape(-1, 1)
MANY = 10**7


def test_blocks_are_made_one_by_one():
    first, second = itertools.islice(_blocks(600, 10**11), 2)
    assert (first.index, first.rows, second.index) == (0, 512, 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_few_blocks_are_handed_out_ahead(threads, monkeypatch):
    made: list[Any] = []
    done: list[Any] = []
    ahead: list[Any] = []
    blocks, count = signs._blocks, signs._count_extreme

    def noted_blocks(items, resamples):
        for block in blocks(items, resamples):
            made.append(block.index)
            ahead.append(len(made) - len(done))
            yield block

    def noted_count(question, block, *, seed):
        found = count(question, block, seed=seed)
        done.append(block.index)
        return found

    plain = sampled_p_values(COLUMN, resamples=40_000, seed=1, threads=threads)
    monkeypatch.setattr(signs, "_blocks", noted_blocks)
    monkeypatch.setattr(signs, "_count_extreme", noted_count)
    assert sampled_p_values(COLUMN, resamples=40_000, seed=1, threads=threads).tolist() == plain.tolist()
    assert sorted(done) == made == list(range(79))
    assert max(ahead) <= _AHEAD * threads + 1


@pytest.fixture
def interrupts():
    """Let SIGINT interrupt, also where a shell has started the tests in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@posix
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_gives_up_what_waits(monkeypatch):
    started = []

    def slow(question, block, *, seed):
        started.append(block.index)
        if block.index == 3:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.05)
        return np.zeros(1, dtype=np.int64)

    monkeypatch.setattr(signs, "_count_extreme", slow)
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sampled_p_values(COLUMN, resamples=MANY, seed=1, threads=2)
    assert time.monotonic() - before < 1
    assert len(started) <= 6  # those that ran; the six that waited were taken back
    time.sleep(0.1)
    assert len(started) <= 6


def test_a_failure_in_a_thread_ends_the_rest(monkeypatch):
    started = []

    def failing(question, block, *, seed):
        started.append(block.index)
        raise MemoryError(block.index)

    monkeypatch.setattr(signs, "_count_extreme", failing)
    with pytest.raises(MemoryError, match=r"^0$"):
        sampled_p_values(COLUMN, resamples=MANY, seed=1, threads=2)
    assert len(started) <= 2 * _AHEAD
