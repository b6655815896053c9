"""Answers from data frames, Series, Arrow tables, data sets and columns by name."""

import json
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

import steelyard
from steelyard import evaluate_answers

ROWS: list[dict[str, Any]] = [
    {
        "question": "How much?",
        "response": "42 pounds [1]",
        "reference": ["42 pounds"],
        "retrieved_contexts": [{"id": "a", "text": "She paid 42 pounds."}, {"id": "b", "text": "It rained."}],
        "difficulty": "easy",
    },
    {
        "question": "Who?",
        "response": "Mr Vale",
        "reference": ["Mr Vale", "Vale"],
        "retrieved_contexts": [{"id": "c", "text": "Mrs Vale left."}],
        "difficulty": "hard",
    },
    {"question": "Why?", "response": None, "reference": None, "retrieved_contexts": [], "difficulty": "hard"},
]
METRICS = ["F1", "GroundedValues", "CitationP"]


class DataSet:
    """A table as the package `datasets` has it: a format that can be left, and columns that are read lazily."""

    column_names = tuple(ROWS[0])

    def __init__(self, formatted: bool = True) -> None:
        self.formatted = formatted

    def __len__(self) -> int:
        return len(ROWS)

    def with_format(self, name: None) -> "DataSet":
        return DataSet(formatted=False)

    def __getitem__(self, name: str) -> tuple:
        assert not self.formatted
        return tuple(row[name] for row in ROWS)


def polars_frame():
    return pytest.importorskip("polars").DataFrame(ROWS)


def hugging_face():
    return pytest.importorskip("datasets").Dataset.from_list(ROWS).with_format("numpy")


def streamed():
    return pytest.importorskip("datasets").Dataset.from_list(ROWS).to_iterable_dataset()


TABLES = {
    "pandas": lambda: pandas.DataFrame(ROWS),
    "arrow in pandas": lambda: pyarrow.Table.from_pylist(ROWS).to_pandas(),
    "arrow": lambda: pyarrow.Table.from_pylist(ROWS),
    "a batch of arrow": lambda: pyarrow.RecordBatch.from_pylist(ROWS),
    "columns": lambda: {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "arrays": lambda: {name: pandas.Series([row[name] for row in ROWS]) for name in ROWS[0]},
    "a generator": lambda: (row for row in ROWS),
    "a data set": DataSet,
    "polars": polars_frame,
    "hugging face": hugging_face,
    "hugging face, streamed": streamed,
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_table_gives_the_scores_of_its_rows(make):
    expected, found = evaluate_answers(ROWS, metrics=METRICS), evaluate_answers(make(), metrics=METRICS)
    assert found.ids == expected.ids == ["How much?", "Who?", "Why?"]
    for metric in METRICS:
        assert np.array_equal(found.column(metric), expected.column(metric), equal_nan=True), metric
    assert (found.tags, found.counts) == (expected.tags, expected.counts)


def test_a_file_and_the_frame_read_from_it_agree(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    of_file, of_frame = evaluate_answers(path), evaluate_answers(pandas.read_json(path, lines=True))
    assert str(of_frame["F1"].values) == str(of_file["F1"].values)


@pytest.mark.parametrize(
    "predictions",
    [
        pandas.Series(["a", None, "b"]),
        pandas.Series(["a", np.nan, "b"]),
        pandas.Series(["a", pandas.NaT, "b"]),
        pandas.Series(["a", pandas.NA, "b"], dtype="string"),
        pandas.Series(["a", None, "b"], dtype="category"),
        pyarrow.array(["a", None, "b"]),
        np.array(["a", None, "b"], object),
    ],
    ids=["None", "NaN", "NaT", "NA", "category", "arrow", "numpy"],
)
def test_missing_values_are_missing(predictions):
    references = pandas.Series(["a", "b", None])
    for table in (
        evaluate_answers(predictions, references, "EM"),
        evaluate_answers(pandas.DataFrame({"prediction": predictions, "references": references}), metrics="EM"),
    ):
        assert table.counts["counts.predictions_missing"] == 1
        assert table.counts["counts.rows_unreferenced"] == 1
        assert table.column("EM").tolist()[:2] == [1.0, 0.0]


def test_whole_numbers_stay_whole_beside_missing_ones():
    frame = pandas.DataFrame({"prediction": [42, None], "references": ["42", "7"]})
    table = evaluate_answers(frame, metrics="EM", keep=True)
    assert [output["answer"] for output in table.outputs] == ["42", None]
    frame = pandas.DataFrame({"prediction": [4.5, 4.0, None], "references": ["4.5", "4", "7"]})
    assert evaluate_answers(frame, metrics="EM", keep=True).outputs[0]["answer"] == "4.5"


PAIRS = pandas.DataFrame({"prediction": ["a", "b", "c"], "references": ["a", "b", "x"]})
INDEXES = {
    "a range": (PAIRS, ["1", "2", "3"]),
    "the same numbers in a list": (PAIRS.set_axis([0, 1, 2]), ["1", "2", "3"]),
    "filtered rows": (PAIRS[PAIRS.prediction != "a"], ["1", "2"]),
    "every other row": (PAIRS[::2], ["0", "2"]),
    "labels": (PAIRS.set_axis(["x", "y", "z"]), ["x", "y", "z"]),
    "a named index": (PAIRS.rename_axis("qid"), ["0", "1", "2"]),
    "two levels": (PAIRS.set_axis(pandas.MultiIndex.from_product([["x"], [1, 2, 3]])), ["x/1", "x/2", "x/3"]),
    "days": (PAIRS.set_axis(pandas.date_range("2024-01-01", periods=3)), ["2024-01-01 00:00:00"]),
    "frames one after another": (pandas.concat([PAIRS[:2], PAIRS[:1]]), ["1", "2", "3"]),
    "a column of ids": (PAIRS.assign(qid=["k", "l", "m"]).set_axis(["x", "y", "z"]), ["k", "l", "m"]),
}


@pytest.mark.parametrize(("frame", "ids"), INDEXES.values(), ids=INDEXES)
def test_the_index_is_the_ids_unless_it_numbers_the_rows(frame, ids):
    assert list(evaluate_answers(frame, metrics="EM").ids)[: len(ids)] == ids
    if "qid" not in frame.columns:
        assert list(evaluate_answers(frame.prediction, frame.references, "EM").ids)[: len(ids)] == ids


def test_ids_and_columns_can_be_given():
    frame = PAIRS.rename(columns={"prediction": "p", "references": "g"}).rename_axis("key")
    mapping = {"prediction": "p", "references": "g"}
    assert evaluate_answers(frame, metrics="EM", mapping={**mapping, "id": "key"}).ids == ["0", "1", "2"]
    assert evaluate_answers(frame, metrics="EM", mapping=mapping, ids=["u", "v", "w"]).ids == ["u", "v", "w"]
    assert evaluate_answers(PAIRS.to_dict("records"), metrics="EM", ids=pandas.Series([7, 8, 9])).ids == ["7", "8", "9"]
    assert evaluate_answers(PAIRS.prediction, PAIRS.references, "EM", ids=np.array([7, 8, 9])).ids == ["7", "8", "9"]


def test_lists_of_objects_may_be_objects_of_lists():
    squad = [{"prediction": "b", "answers": {"text": ["a", "b"], "answer_start": [0, 4]}}]
    assert evaluate_answers(squad, metrics="EM").mean("EM") == 1
    contexts = {"id": ["c1", "c2"], "text": ["She paid 42 pounds.", "It rained."]}
    rows = [{"prediction": "42 pounds [1]", "contexts": contexts, "reference_context_ids": ["c2"]}]
    table = evaluate_answers(rows, metrics=["ValuesGrounded", "CitationP", "RR"])
    assert [table.mean(metric) for metric in table.metrics] == [1, 1, 0.5]


class Embedding:
    """A column that nobody should convert."""

    def __len__(self) -> int:
        return 3

    def tolist(self) -> list:
        raise AssertionError


def test_columns_without_a_meaning_are_not_converted():
    assert evaluate_answers({**PAIRS.to_dict("list"), "embedding": Embedding()}, metrics="EM").mean("EM") == 2 / 3


WRONG = {
    "a frame beside references": (lambda: (PAIRS, PAIRS.references), "nothing is given beside it\nhint: merge both"),
    "two frames": (lambda: (PAIRS[["prediction"]], PAIRS[["references"]]), "nothing is given beside it"),
    "another order": (lambda: (PAIRS.prediction, PAIRS.references[::-1]), "have different indexes\nhint: put both"),
    "lengths": (lambda: (PAIRS.prediction, PAIRS.references[:2]), "3 predictions, 2 references"),
    "a frame without the columns": (lambda: (PAIRS[["prediction"]],), "no column contains 'references'; columns: 'pre"),
    "an empty frame": (lambda: (PAIRS[:0],), "answers: it contains no rows"),
    "a repeated column": (lambda: (PAIRS.set_axis(["prediction"] * 2, axis=1),), "two columns are called 'prediction'"),
    "a repeated label": (lambda: (PAIRS.set_axis(["x", "x", "y"]),), "row 2: duplicate id 'x' (first at row 1)"),
    "a missing label": (lambda: (PAIRS.set_axis(["x", None, "y"]),), "row 2: "),
    "columns of different lengths": (lambda: ({"prediction": ["a"], "references": []},), "columns differ in length"),
    "only a Series": (lambda: (PAIRS.prediction,), "references must be values too\nhint: give a path, a data frame"),
    "nothing": (lambda: (None,), "hint: give a path, a data frame"),
    "numbers": (lambda: (1, 2), "must be sequences"),
    "a text for values": (lambda: (["a"], b"a"), "must be sequences"),
    "an array without dimensions": (lambda: (np.array("a"), np.array("a")), "must be sequences"),
    "dates": (lambda: (PAIRS.assign(prediction=pandas.Timestamp(0)),), "row 1: the prediction must be text"),
    "splits": (lambda: (type("Splits", (), {"column_names": {"train": [], "test": []}})(),), "'train', 'test'; give"),
}


@pytest.mark.parametrize(("make", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_shape_is_one_message(make, message):
    with pytest.raises(steelyard.SteelyardError) as caught:
        evaluate_answers(*make())
    assert message in str(caught.value)


def test_mapping_and_ids_where_they_have_no_meaning_are_refused(tmp_path):
    with pytest.raises(steelyard.ConfigError, match="mapping is for named columns"):
        evaluate_answers(["a"], ["a"], mapping={"prediction": "p"})
    with pytest.raises(steelyard.ConfigError, match="a file has its own ids\nhint: mapping="):
        evaluate_answers(tmp_path / "rows.jsonl", ids=["a"])
    with pytest.raises(steelyard.InputError, match=r"no column is called .g."):
        evaluate_answers(PAIRS, mapping={"references": "g"})
    with pytest.raises(steelyard.InputError, match="1 id, 3 predictions"):
        evaluate_answers(PAIRS, ids=["a"])


@pytest.mark.skipif(find_spec("datasets") is None, reason="the package datasets is not installed")
def test_several_splits_of_hugging_face_are_one_message():
    import datasets

    splits = datasets.DatasetDict({"train": datasets.Dataset.from_list(ROWS)})
    with pytest.raises(steelyard.ConfigError, match="'train'; give one of them"):
        evaluate_answers(splits)
