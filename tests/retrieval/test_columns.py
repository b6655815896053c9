"""Mappings, columns and tables are read without an object per row, with the same results as rows."""

import json
import re
from collections import Counter, OrderedDict, defaultdict
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platforms import compiled

import steelyard
from steelyard.errors import InputError
from steelyard.native import kernel
from steelyard.retrieval.reading import blocks
from steelyard.retrieval.reading.columns import ValueColumn, split_ids
from steelyard.retrieval.reading.sources import run_from

pytestmark = pytest.mark.slow

METRICS = ["AP", "nDCG@5", "P@1", "R@10", "RR", "bpref"]
QRELS = {"q1": {"d1": 1, "d2": 0, "文书": 2}, "q2": {"d2": 1}, "3": {"7": 1}}
IDS = st.sampled_from([*(f"d{n}" for n in range(12)), "文书", "é", "😀", "\uffff", "x" * 25, "x" * 25 + "1", "7", "10"])
QUERIES = st.sampled_from(["q1", "q2", "3", "unjudged", "问题", "a query of more than eight bytes"])
SCORES = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 1.5, 1.50000001, 100.000001, 100.000002, 16777216.0, 16777217.0, 1e39, 2e39, -1e39]),
    st.sampled_from([np.float32(0.1), np.float64(1.5), np.int64(2), float("inf"), float("-inf"), 10**20]),
    st.floats(allow_nan=False),
)
ODD_SCORES = st.sampled_from(
    [None, "1.5", "x", True, float("nan"), np.bool_(True), Decimal(1), 10**400, "1e999", b"1", "1_0", np.longdouble(2)]
)
ODD_IDS = st.sampled_from(["", 0, 7, -3, True, None, 1.5, b"x", "a\0b", np.int64(4), np.str_("d1"), ("x",), 10**30])
RUNS = st.dictionaries(QUERIES, st.dictionaries(IDS, SCORES, max_size=14), min_size=1, max_size=5)
ODD_RUNS = st.dictionaries(
    st.one_of(QUERIES, ODD_IDS),
    st.dictionaries(st.one_of(IDS, ODD_IDS), st.one_of(SCORES, ODD_SCORES), max_size=8),
    min_size=1,
    max_size=4,
)


def rows_of(run):
    return [(query, document, score) for query, documents in run.items() for document, score in documents.items()]


def outcome(run, **settings):
    """Everything that a user sees of an evaluation; of an error what is wrong, not where."""
    try:
        table = steelyard.evaluate_retrieval(QRELS, run, METRICS, **settings)
    except InputError as error:
        return [re.sub(r"first at [^)]*", "", str(problem.message)) for problem in error.problems] or str(error.message)
    values = {metric: table.column(metric).tolist() for metric in METRICS}
    return list(table.ids), values, table.counts, list(table.outputs), str(table.signature)


def places(run):
    with pytest.raises(InputError) as caught:
        run_from(run)
    return [problem.where for problem in caught.value.problems]


@settings(max_examples=200, deadline=None)
@given(RUNS, st.sampled_from([9, 10]), st.booleans())
def test_a_mapping_is_evaluated_as_its_rows_are(run, version, keep):
    assert outcome(run, trec_eval=version, keep=keep) == outcome(rows_of(run), trec_eval=version, keep=keep)


@settings(max_examples=200, deadline=None)
@given(ODD_RUNS)
def test_what_is_wrong_with_a_mapping_is_what_is_wrong_with_its_rows(run):
    assert outcome(run) == outcome(rows_of(run))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(QUERIES, IDS, SCORES), min_size=1, max_size=40), st.booleans(), st.sampled_from([1, 3, 1000]))
def test_columns_are_evaluated_as_their_rows_are(rows, keep, block):
    expected = outcome(rows, keep=keep)
    queries, documents, scores = ([row[column] for row in rows] for column in range(3))
    doubles = [float(score) for score in scores]
    forms = [
        {"query": queries, "doc": tuple(documents), "score": scores},
        {"qid": np.array(queries), "docno": np.array(documents), "sim": np.array(doubles)},
        pandas.DataFrame({"query": queries, "doc": documents, "score": doubles}),
        pandas.DataFrame({"query": pandas.Categorical(queries), "doc": documents, "score": doubles}),
        pandas.DataFrame({"query": queries, "doc": documents, "score": doubles}).astype(object),
        pyarrow.table({"query": queries, "doc": documents, "score": doubles}),
        pyarrow.table({"query": pyarrow.array(queries).dictionary_encode(), "doc": documents, "score": doubles}),
    ]
    with patch.object(blocks, "_BLOCK_ROWS", block):
        assert [outcome(form, keep=keep) for form in forms] == [expected] * len(forms)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.one_of(QUERIES, ODD_IDS), st.one_of(IDS, ODD_IDS), st.one_of(SCORES, ODD_SCORES)),
        min_size=1,
        max_size=12,
    )
)
def test_what_is_wrong_with_columns_is_what_is_wrong_with_their_rows(rows):
    queries, documents, scores = ([row[column] for row in rows] for column in range(3))
    assert outcome({"query": queries, "doc": documents, "score": scores}) == outcome(rows)


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, lambda documents: defaultdict(int, documents)])
def test_regular_mappings_are_read_as_columns(kind):
    assert blocks.run_of_mapping({"q1": kind({"d1": 1.5, "文书": 2})}, "run") is not None
    assert blocks.qrels_of_mapping({"q1": kind({"d1": 1, "文书": 2.0})}, "qrels") is not None


@compiled
@settings(max_examples=300, deadline=None)
@given(st.one_of(RUNS, ODD_RUNS))
def test_the_kernel_reads_mappings_as_numpy_does(run):
    with patch.object(blocks, "kernel", lambda: None):
        expected = outcome(run)
    assert outcome(run) == expected


@compiled
def test_the_kernel_takes_dictionaries_of_ascii_ids_and_plain_numbers():
    native = kernel()
    assert native is not None
    ids, values = native.mapping_columns([{"d1": 1.5, "d\x7f": -1}, {}, {"": float("inf"), "a\0b": -1.0}])
    assert ids == b"d1\0d\x7f\0\0a\0b\0"
    assert np.frombuffer(values).tolist() == [1.5, -1.0, float("inf"), -1.0]
    assert native.mapping_columns([]) == (b"", b"")


@compiled
@pytest.mark.parametrize(
    "documents",
    [
        *(OrderedDict(d=1.0), Counter(d=1), defaultdict(int, d=1), None, [("d", 1.0)]),
        *({name: 1.0} for name in ("\x80", "文书", "\ud800", 1, b"d", np.str_("d"))),
        *({"d": value} for value in (None, True, "1", 10**400, -(10**400), np.float64(1), np.float32(1), Decimal(1))),
    ],
)
def test_the_kernel_leaves_other_mappings_to_numpy(documents):
    native = kernel()
    assert native is not None
    assert native.mapping_columns([{"d": 1.0}, documents, {"d": 2.0}]) is None


def test_a_mapping_whose_order_was_changed_is_read_in_its_order():
    documents = OrderedDict(d1=1.0, d2=1.0, d3=2.0)
    documents.move_to_end("d1")
    assert outcome({"q1": documents}) == outcome({"q1": dict(documents)})


@pytest.mark.parametrize("value", [None, "1", True, float("nan"), 10**400, Decimal(1), np.bool_(False)])
def test_odd_values_are_left_to_the_reader_of_rows(value):
    assert blocks.run_of_mapping({"q1": {"d1": 1.0, "d2": value}}, "run") is None
    assert blocks.qrels_of_mapping({"q1": {"d1": 1, "d2": value}}, "qrels") is None
    assert ValueColumn([1.0, value]).numbers(0, 2) is None


def test_decimals_are_scores():
    whole = {"q1": {"d1": 1.5, "d2": 2.5}, "q2": {"d2": float("inf")}}
    assert outcome({q: {d: Decimal(s) for d, s in each.items()} for q, each in whole.items()})[:2] == outcome(whole)[:2]
    assert outcome({"q1": {"d1": Decimal("1e400")}}) == ["the number is too large"]
    assert outcome({"q1": {"d1": Decimal("nan")}}) == ["score is not a number: Decimal('NaN')"]


@pytest.mark.parametrize("name", ["", None, 1.5, b"x", "a\0b", "\ud800", True])
def test_odd_ids_are_left_to_the_reader_of_rows(name):
    assert blocks.run_of_mapping({"q1": {"d1": 1.0, name: 2.0}}, "run") is None
    assert blocks.run_of_mapping({"q1": {"d1": 1.0}, name: {"d1": 2.0}}, "run") is None
    assert blocks.qrels_of_mapping({"q1": {"d1": 1, name: 2}}, "qrels") is None
    columns = blocks.Columns.of([["q1", "q1"], ["d1", name], [1.0, 2.0]])
    assert columns is not None
    assert blocks.run_of_columns(columns, "run", str) is None


COLUMNS = {
    "list": ["1", "22", "文书"],
    "array": np.array(["1", "22", "文书"]),
    "ascii array": np.array(["1", "22", "333"]),
    "objects": np.array(["1", "22", "文书"], object),
    "whole numbers": np.array([0, 7, 123456]),
    "negative numbers": np.array([0, -7, 123456]),
    "large numbers": np.array([2**64 - 1, 0, 10**18], np.uint64),
    "Python numbers": [10**30, 0, -1],
    "series": pandas.Series(["1", "22", "文书"]),
    "series of numbers": pandas.Series([1, 10, 100], dtype="Int64"),
    "categories": pandas.Series(pandas.Categorical([10**30, 2, 3])),
    "Arrow": pyarrow.array(["1", "22", "文书"]),
    "Arrow numbers": pyarrow.array([1, -10, 100]),
    "Arrow chunks": pyarrow.chunked_array([["1"], ["22", "文书"]]),
    "Arrow views": pyarrow.array(["1", "22", "文书" * 9], pyarrow.string_view()),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_ids_of_every_kind_of_column(kind):
    column = ValueColumn.of(COLUMNS[kind])
    assert column is not None
    values = COLUMNS[kind].to_pylist() if kind.startswith("Arrow") else list(COLUMNS[kind])
    assert column.ids(0, 3) == "".join(f"{value}\0" for value in values).encode()
    assert column.ids(1, 2) == f"{values[1]}\0".encode()


IRREGULAR = {
    "NUL in an array": np.array(["a\0b", "c"]),
    "empty array of text": np.array(["", ""]),
    "bytes": np.array([b"a", b"b"]),
    "numbers with a point": np.array([1.5, 2.0]),
    "flags": np.array([True, False]),
    "Arrow bytes": pyarrow.array([b"a", b"b"]),
    "Arrow nulls": pyarrow.array(["a", None]),
    "Arrow flags": pyarrow.array([True, False]),
    "missing values": pandas.Series(["a", None]),
    "not UTF-8": pyarrow.array([b"a", b"\xff"]).view(pyarrow.string()),
}


@pytest.mark.parametrize("kind", IRREGULAR)
def test_columns_without_ids(kind):
    column = ValueColumn.of(IRREGULAR[kind])
    assert column is not None
    text = column.ids(0, 2)
    assert text is None or split_ids(text, 2) is None


def test_masked_arrays_and_iterators_are_no_columns():
    assert ValueColumn.of(np.ma.array([1, 2], mask=[False, True])) is None
    assert ValueColumn.of(iter(["a"])) is None
    assert ValueColumn.of(pandas.DataFrame({"a": ["x"]})) is None


def test_places_of_problems():
    assert places({"q1": {"d1": 1.0, "d2": None}}) == ["run#/q1/d2"]
    assert places({"query": ["q1", "q1"], "doc": ["d1", "d2"], "score": [1.0, None]}) == ["run[1]"]
    assert places(pandas.DataFrame({"query": ["q1", None], "doc": ["d1", "d2"], "score": [1.0, 2.0]})) == ["run[1]"]
    assert places(pyarrow.table({"query": ["q1", None], "doc": ["d1", "d2"], "score": [1.0, 2.0]})) == ["run[1]"]


def test_duplicates_of_scattered_queries_are_named_in_the_order_of_rows(monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK_ROWS", 2)
    queries = ["q2", "q1", "q2", "q1", "q2", "q1"]
    run = {"query": queries, "doc": ["b", "a", "b", "a", "c", "a"], "score": [1.0] * 6}
    with pytest.raises(InputError) as caught:
        steelyard.evaluate_retrieval(QRELS, run, ["AP"])
    assert [problem.where for problem in caught.value.problems] == ["run[2]", "run[3]", "run[5]"]


def parquet(tmp_path, **columns):
    path = tmp_path / "run.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=2)
    return path


def test_problems_of_parquet_files_have_their_rows(tmp_path):
    score = [3.0, 2.0, 1.0]
    repeated = parquet(tmp_path, query=["q1"] * 3, doc=["a", "b", "a"], score=score)
    with pytest.raises(InputError, match=r"run\.parquet: row 3: .*'a'.*row 1"):
        steelyard.evaluate_retrieval(QRELS, repeated, ["AP"])
    assert places(parquet(tmp_path, query=["q1", None, "q2"], doc=["a", "b", "c"], score=score))[0].endswith(": row 2")


def test_only_the_columns_that_are_needed_are_read_from_parquet(tmp_path):
    path = parquet(tmp_path, other=[[1], [2]], Query=["q1", "q1"], DocNo=["d1", "d2"], score=[2, 1])
    expected = outcome({"q1": {"d1": 2, "d2": 1}})
    assert outcome(path)[:4] == expected[:4]


def test_json_has_no_infinity(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"q1": {"d1": 1e999}}')
    with pytest.raises(InputError, match="too large"):
        run_from(path)


def test_columns_in_a_json_file_are_still_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"query": ["q1"], "doc": ["d1"], "score": [1]}))
    with pytest.raises(InputError):
        run_from(path)


def digest(run):
    return steelyard.evaluate_retrieval(QRELS, run, ["AP"]).signature.get("run")


def test_the_digest_is_that_of_the_rows_in_whatever_form():
    run = {"q1": {"d1": 1.0, "d2": 2}, "q2": {"d1": 3.0}}
    rows = rows_of(run)
    columns = {name: [row[n] for row in rows] for n, name in enumerate(("query", "doc", "score"))}
    assert {digest(form) for form in (run, rows, columns, pandas.DataFrame(columns))} == {digest(run)}


@pytest.mark.parametrize(
    "other",
    [
        {"q1": {"d1": 1.0}, "q2": {"d2": 2.0, "d3": 3.0}},
        {"q1": {"d1": 1.0, "d2": 2.0, "d3": 3.0}},
        {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d3": 3.5}},
        {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d33": 3.0}},
        {"q1": {"d1": 1.0, "d2": 2.0}, "q22": {"d3": 3.0}},
        {"q1": {"d1d": 1.0, "2": 2.0}, "q2": {"d3": 3.0}},
    ],
)
def test_the_digest_of_other_rows_differs(other):
    assert digest(other) != digest({"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d3": 3.0}})
