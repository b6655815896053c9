import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.reading.rankings import repeated
from steelyard.retrieval.reading.spans import Spans, combine

value = st.one_of(st.binary(min_size=1, max_size=40), st.sampled_from([b"a", b"ab", b"abcdefgh", b"abcdefghi"])).map(
    lambda raw: raw.replace(b"\0", b"0")
)
values = st.lists(value, min_size=1, max_size=60)


@given(values, value)
def test_a_hash_does_not_depend_on_the_column_it_stands_in(column, other):
    alone = {raw: Spans.of([raw]).hashes()[0] for raw in column}
    together = Spans.of([*column, other + b"x" * 50]).hashes()
    assert [alone[raw] for raw in column] == together[:-1].tolist()


def test_texts_are_all_values_however_many():
    texts = [f"{'文书é'[number % 4 :]}{number}" for number in range(70_000)]
    spans = Spans.of(text.encode() for text in texts)
    assert spans.texts() == texts
    assert spans.take(slice(1, 3)).texts() == texts[1:3]
    assert spans.take(slice(0, 0)).texts() == []


@given(values)
def test_order_is_the_order_of_bytes(column):
    order = Spans.of(column).order()
    assert [column[row] for row in order] == sorted(column)


@given(values)
def test_equality_and_changes_are_those_of_the_values(column):
    spans = Spans.of(column)
    turned = column[1:] + column[:1]
    assert spans.equals(Spans.of(turned)).tolist() == [a == b for a, b in zip(column, turned, strict=True)]
    assert spans.changes().tolist() == [True, *(a != b for a, b in zip(column[1:], column, strict=False))]


# two pairs of bytes with one 64-bit hash
COLLISION = b"6JdX5guoLY5Mn5b1", b"y1qPVsQdM^\\huy2g"


def test_two_values_with_one_hash_are_still_two():
    import steelyard

    first, second = COLLISION
    one, other = first.decode(), second.decode()
    table = steelyard.evaluate_retrieval(
        {"q": {one: 1, other: 1}}, [("q", one, 2.0), ("q", other, 1.0)], ["R@10", "AP"]
    )
    assert (table.mean("R@10"), table.mean("AP")) == (1.0, 1.0)
    rows = [(one, "d", 2.0), (other, "d", 1.0), (one, "e", 1.0)]
    table = steelyard.evaluate_retrieval({one: {"d": 1}, other: {"d": 1}}, rows, ["RR", "NumRet"])
    assert table.column("RR").tolist() == [1.0, 1.0]
    assert sorted(table.column("NumRet").tolist()) == [1.0, 2.0]


@pytest.mark.slow
def test_one_long_value_does_not_burden_the_others():
    import tracemalloc

    column = Spans.of([b"short"] * 100_000 + [b"x" * 100_000])
    tracemalloc.start()
    column.hashes()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


@given(st.lists(st.tuples(st.integers(0, 3), value), min_size=1, max_size=80))
def test_repeated_rows_are_found_and_nothing_else(rows):
    import numpy as np

    query = np.array([number for number, _ in rows])
    documents = Spans.of([raw for _, raw in rows])
    pairs = repeated(combine(documents.hashes(), query), query, documents)
    seen: dict = {}
    expected = []
    for place, row in enumerate(rows):
        if row in seen:
            expected.append((seen[row], place))
        seen[row] = place
    assert pairs == expected
