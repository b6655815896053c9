"""BM25 in memory, by hand and against the library bm25s; coverage of a query."""

import math
from random import Random

import numpy as np
import pytest

from steelyard.rag.indexes import new_engine
from steelyard.search.terms import Bm25, coverage


def test_bm25_by_hand():
    # Robertson and Zaragoza (2009), worked out: two texts of 1 and 3 terms, mean 2, k1 1.2, b 0.75
    bm25 = Bm25([["alpha"], ["alpha", "beta", "beta"]], k1=1.2)
    # idf ln(1 + 1.5/1.5) = 0.6931; tf 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)) = 1.2055
    assert {index: round(score, 4) for index, score in bm25.scores(["beta", "beta"]).items()} == {1: 0.8356}
    assert bm25.scores(["gamma"]) == {}
    assert bm25.idf("gamma") == math.log(6)


def test_the_scores_are_those_of_bm25s_but_for_a_constant_factor():
    random = Random(5)
    rows = [[random.choice("abcdefghij") for _ in range(random.randrange(1, 30))] for _ in range(40)]
    engine = new_engine()
    numbers = {term: number for number, term in enumerate("abcdefghij")}
    engine.index(([[numbers[term] for term in row] for row in rows], numbers), show_progress=False)
    for query in (["a"], ["b", "c"], ["d", "h", "j"]):
        scores = Bm25(rows).scores(query)
        ours = np.array([scores.get(index, 0.0) for index in range(len(rows))])
        assert ours / 2.5 == pytest.approx(engine.get_scores(query), rel=1e-5)  # k1 + 1, which Lucene leaves out


def test_texts_without_terms():
    assert Bm25([]).scores(["a"]) == {}
    assert Bm25([[], []]).scores(["a"]) == {}
    assert Bm25([["a"], []]).scores(["a"]).keys() == {0}


def test_coverage_is_the_share_of_the_weight():
    assert coverage({"a": 3.0, "b": 1.0}, {"a", "c"}) == 0.75
    assert coverage({}, {"a"}) == 0.0
    bm25 = Bm25([["a"], ["a", "b"]])
    assert bm25.coverage(["a", "b"], {"b"}) == pytest.approx(bm25.idf("b") / (bm25.idf("a") + bm25.idf("b")))
