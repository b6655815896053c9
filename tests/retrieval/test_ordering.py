"""The order of documents by score and id against Python's own sorting, and what is counted on the way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.ordering import ScoreOrder
from steelyard.retrieval.reading.spans import Spans, stable_order

ids = st.one_of(
    st.integers(0, 10**9).map(lambda n: str(n).encode()),
    st.integers(0, 99).map(lambda n: b"clueweb09-en0000-00-%05d" % n),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).map(
        lambda text: text.encode()
    ),
    st.integers(1, 40).map(lambda n: b"a" * n),
)
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, float("inf"), float("-inf"), 1 + 2**-30, 5e-324, -5e-324]),
    st.floats(allow_nan=False),
    st.integers(-2, 2).map(float),
)
queries = st.lists(st.dictionaries(ids, scores, min_size=1, max_size=40), min_size=1, max_size=4)


def order_of(rankings, precision):
    """The order that is tested, and the rows `(id, score)` of each query."""
    lengths = np.array([len(ranking) for ranking in rankings])
    with np.errstate(over="ignore"):
        values = np.array([score for ranking in rankings for score in ranking.values()]).astype(precision)
    documents = [document for ranking in rankings for document in ranking]
    ends = np.cumsum(lengths)
    order = ScoreOrder.of(ends - lengths, lengths, values, Spans.of(documents))
    rows = list(zip(documents, values.tolist(), strict=True))
    return order, [rows[end - length : end] for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)]


def expected(rows):
    """The rows of a query in trec_eval's order."""
    return sorted(sorted(rows, reverse=True), key=lambda row: -row[1])


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@given(rankings=queries, data=st.data())
def test_ranks_are_those_of_sorting(rankings, data, precision):
    order, queries = order_of(rankings, precision)
    asked = sorted(data.draw(st.sets(st.integers(0, sum(map(len, queries)) - 1))))
    found = order.ranks(np.array(asked, np.int64)).tolist()
    ranks = [{row: n for n, row in enumerate(expected(rows), 1)}[row] for rows in queries for row in rows]
    assert found == [ranks[line] for line in asked]


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@given(rankings=queries, count=st.integers(1, 25))
def test_first_lines_are_in_exact_order(rankings, count, precision):
    order, queries = order_of(rankings, precision)
    lines, lengths = order.first_lines(np.arange(len(queries)), count)
    first = [row[0] for rows in queries for row in expected(rows)[:count]]
    assert [order.documents.bytes_at(line) for line in lines] == first
    assert lengths.tolist() == [min(count, len(rows)) for rows in queries]


@given(rankings=queries, data=st.data())
def test_queries_with_ties_and_with_contradicting_ranks_are_counted(rankings, data):
    order, queries = order_of(rankings, np.float64)
    assert order.tied == sum(len({score for _, score in rows}) < len(rows) for rows in queries)
    ranks = [data.draw(st.permutations(range(1, len(rows) + 1))) for rows in queries]
    contradicts = [
        any(a[1] > b[1] and m >= n for a, m in zip(rows, rank, strict=True) for b, n in zip(rows, rank, strict=True))
        for rows, rank in zip(queries, ranks, strict=True)
    ]
    written = Spans.of(str(n).encode() for rank in ranks for n in rank)
    assert order.disordered(written) == sum(contradicts)


def test_no_lines_have_no_order():
    none = np.zeros(0, np.int64)
    order = ScoreOrder.of(none, none, np.zeros(0), Spans.of(()))
    assert (order.ranks(none).tolist(), order.tied, order.disordered(Spans.of(()))) == ([], 0, 0)


def test_negative_zero_equals_zero():
    order, _ = order_of([{b"a": 0.0, b"b": -0.0, b"c": 1.0}], np.float64)
    assert order.ranks(np.arange(3)).tolist() == [3, 2, 1]


@given(st.lists(st.integers(0, 2**64 - 1)), st.sampled_from([0, 20, 40, 63]))
def test_the_order_of_words_is_stable(values, shift):
    keys = np.array(values, np.uint64) >> np.uint64(shift)
    assert stable_order(keys).tolist() == sorted(range(len(keys)), key=lambda row: keys[row])
