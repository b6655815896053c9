"""What many pairs share equals what each shares by itself."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms import compiled
from properties import examples
from reference.rouge import subsequence_overlap

from steelyard.answers import rouge
from steelyard.answers.rouge import (
    Overlaps,
    distinct_of,
    ngram_overlap,
    ngrams,
    shared_ngrams,
    shared_of,
    subsequence_length,
)
from steelyard.native import kernel
from steelyard.text.coding import Codes

texts = st.lists(st.integers(0, 4), max_size=12)


def codes(rows):
    return Codes(np.array([c for row in rows for c in row], np.int64), np.array([len(row) for row in rows], np.int64))


def one_by_one(pairs):
    return {
        "predicted": [len(a) for a, _ in pairs],
        "wanted": [len(b) for _, b in pairs],
        "unigrams": [shared_ngrams(a, b, n=1) for a, b in pairs],
        "bigrams": [shared_ngrams(a, b, n=2) for a, b in pairs],
        "subsequence": [subsequence_length(a, b) for a, b in pairs],
        "present": [sum(c in a for c in b) for a, b in pairs],
    }


def at_once(pairs):
    """What many pairs share, pair by pair and by the compiled kernel, if there is one."""
    sides = codes([a for a, _ in pairs]), codes([b for _, b in pairs])
    names = one_by_one([])
    found, plain = ({name: getattr(one, name).tolist() for name in names} for one in both(shared_of, *sides))
    assert found == plain
    return found


def both(function, *arguments):
    """The results with and without the compiled kernel."""
    found = function(*arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rouge, "kernel", lambda: None)
        return found, function(*arguments)


@given(st.lists(st.tuples(texts, texts), max_size=20))
def test_short_pairs(pairs):
    assert at_once(pairs) == one_by_one(pairs)


@pytest.mark.parametrize("longest", [9, 17, 33, 63, 64, 65, 130, 300])
def test_pairs_across_the_borders_of_machine_words(longest):
    choose = random.Random(longest)
    pairs = []
    for _ in range(60):
        kinds = choose.choice([1, 3, 40])
        left, right = ([choose.randrange(kinds) for _ in range(choose.randint(0, longest))] for _ in range(2))
        pairs.append((left, choose.choice([right, left[: longest // 2] + right[:5], left])))
    assert at_once(pairs) == one_by_one(pairs)


def test_texts_too_long_for_the_kernel(monkeypatch):
    monkeypatch.setattr(rouge, "_MOST_COMPILED", 20)
    pairs = [([1, 2, 3, 4, 5, 1], [2, 4, 1, 1]), ([1], [1]), ([], [1, 2])]
    assert at_once(pairs) == one_by_one(pairs)


@given(texts, texts)
@examples(60)
def test_overlaps_are_those_of_one_pair_to_the_last_digit(left, right):
    for shared in both(shared_of, codes([left]), codes([right])):
        for many, one in (
            (Overlaps.of(shared.unigrams, shared.predicted, shared.wanted), ngram_overlap(left, right, n=1)),
            (Overlaps.of(shared.bigrams, shared.predicted - 1, shared.wanted - 1), ngram_overlap(left, right, n=2)),
            (Overlaps.of(shared.subsequence, shared.predicted, shared.wanted), subsequence_overlap(left, right)),
        ):
            assert (many.precision[0], many.recall[0], many.f1[0]) == (one.precision, one.recall, one.f1)


@given(st.lists(st.tuples(texts, texts), max_size=20), st.sampled_from([1, 2]))
def test_different_ngrams(pairs, n):
    results = both(distinct_of, codes([a for a, _ in pairs]), codes([b for _, b in pairs]), n)
    for shared, predicted, wanted in results:
        for place, (left, right) in enumerate(pairs):
            one, other = set(ngrams(left, n)), set(ngrams(right, n))
            if len(left) >= n and len(right) >= n:
                assert (shared[place], predicted[place], wanted[place]) == (len(one & other), len(one), len(other))
            else:
                assert shared[place] == 0


@compiled
def test_the_kernel_refuses_columns_that_do_not_fit():
    native = kernel()
    assert native is not None
    one, two = np.array([1]), np.array([2])
    for columns in ((one, two, one, one), (one, -one, one, one), (one, one, one, np.array([1, 0]))):
        with pytest.raises(ValueError, match="invalid columns"):
            native.count_shared(*columns)
    for n in (-1, 3):
        with pytest.raises(ValueError, match="invalid columns"):
            native.count_distinct(one, one, one, one, n)


@compiled
def test_codes_of_any_size_and_many_tokens():
    choose = random.Random(3)
    pairs = [
        [[choose.choice([0, -1, 2**31, 2**40, -(2**63), 2**63 - 1, n]) for n in range(size)] for size in (5000, 3000)],
        [[choose.randrange(900) for _ in range(size)] for size in (4000, 129)],
    ]
    shared = shared_of(codes([a for a, _ in pairs]), codes([b for _, b in pairs]))
    assert {name: getattr(shared, name).tolist() for name in one_by_one([])} == one_by_one(pairs)


@compiled
@pytest.mark.parametrize("most", [1, 300, 10**9])
def test_a_call_of_the_kernel_is_bounded(monkeypatch, most):
    """Signals are heard between calls: the pairs of a call have few cells together, or it has one pair."""
    choose = random.Random(4)
    pairs = [[[choose.randrange(5) for _ in range(choose.randrange(30))] for _ in range(2)] for _ in range(200)]
    native, cells = kernel(), []

    def counting(left, sizes, right, wanted):
        cells.append(sizes * wanted)
        return native.count_shared(left, sizes, right, wanted)

    monkeypatch.setattr(rouge, "_CALL_CELLS", most, raising=False)
    monkeypatch.setattr(rouge, "kernel", lambda: SimpleNamespace(count_shared=counting))
    assert at_once(pairs) == one_by_one(pairs)
    assert np.concatenate(cells).tolist() == [len(a) * len(b) for a, b in pairs]
    assert all(each[:-1].sum() < most for each in cells)
    assert shared_of(codes([]), codes([])).unigrams.tolist() == []
