import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.retrieval.reading.decimals import parse_integers, parse_numbers
from steelyard.retrieval.reading.spans import Spans

plain = st.from_regex(r"-?[0-9]{0,20}(\.[0-9]{0,22})?", fullmatch=True)
written = st.floats(allow_nan=False).map(repr)
rounded = st.builds(lambda x, n: f"{x:.{n}f}", st.floats(-1e9, 1e9), st.integers(0, 17))
garbage = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)


def as_python_reads(text: str) -> float:
    try:
        return float("nan") if "_" in text else float(text.encode())
    except ValueError:
        return float("nan")


@pytest.mark.slow
@given(st.lists(st.one_of(plain, written, rounded, garbage), min_size=1, max_size=40))
@example(["9007199254740993", "9007199254740992.5", "0.1", "-.5", "5.", ".", "-", "", "1e5", "inf"])
@example(["123456789012345678.5", "0.30439374606210624", "30.439374606210624"])
def test_every_number_is_the_double_that_python_reads(texts):
    values, bad = parse_numbers(Spans.of(text.encode() for text in texts))
    expected = [as_python_reads(text) for text in texts]
    np.testing.assert_array_equal(values, expected)
    assert bad.tolist() == [row for row, value in enumerate(expected) if math.isnan(value)]


@given(st.lists(st.integers(10**15, 10**19 - 1), min_size=1, max_size=50), st.integers(0, 19))
def test_sixteen_to_nineteen_digits_are_rounded_correctly(mantissas, fraction):
    texts = [f"{m // 10**fraction}.{m % 10**fraction:0{fraction}d}" if fraction else str(m) for m in mantissas]
    values, _ = parse_numbers(Spans.of(text.encode() for text in texts))
    assert values.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("-1", -1), ("2.0", 2), ("+1", 1), ("1e1", 10)])
def test_whole_numbers(text, value):
    values, bad = parse_integers(Spans.of([text.encode()]))
    assert (values.tolist(), bad.tolist()) == ([value], [])


@pytest.mark.parametrize("text", ["1.5", "x", "nan", "inf", "1e300", ""])
def test_what_is_no_whole_number(text):
    assert parse_integers(Spans.of([text.encode()]))[1].tolist() == [0]
