import sys

import numpy as np
import pandas
import pytest
from tables import make_table, table_of

from steelyard.errors import MissingExtra
from steelyard.table import Missing, Signature

SILENT = Missing("unscored", "no reference")
BROKEN = Missing("error", "the judge did not answer")


def table(**changes):
    fields = {
        "ids": ["a", "b", "c", "d"],
        "columns": {"F1": np.array([1.0, np.nan, 0.5, np.nan]), "EM": np.array([1.0, 0.0, 0.0, 1.0])},
        "reasons": (SILENT, BROKEN),
        "status": {"F1": np.array([0, 1, 0, 2])},
        "tags": {"type": ["x", "x", "y", "y"]},
    }
    return table_of(**{**fields, **changes})


def test_means_are_over_scored_items_and_gaps_say_why():
    found = table()
    assert found.mean("F1") == 0.75
    assert found.mean("EM") == 0.5
    assert [found.why("F1", row) for row in range(4)] == [None, SILENT, None, BROKEN]
    assert (found.count("unscored", "F1"), found.count("error", "F1"), found.count("error", "EM")) == (1, 1, 0)


def test_the_mean_of_nothing_is_not_zero():
    empty = table_of(ids=[], columns={"F1": np.zeros(0)})
    assert np.isnan(empty.mean("F1"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {"F1": np.zeros(3)}, "status": {}}, "column 'F1' has 3 cells for 4 items"),
        ({"status": {}}, "a cell is NaN if and only if it has a reason"),
        ({"status": {"F1": np.array([1, 1, 0, 2])}}, "a cell is NaN if and only if it has a reason"),
    ],
)
def test_a_table_that_hides_something_cannot_be_made(changes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        table(**changes)


def test_an_unknown_column_lists_those_there_are():
    with pytest.raises(KeyError, match="no column 'F2'; there are: F1, EM"):
        table().column("F2")


def test_summary_counts_items_by_fate():
    summary = table().summary()
    assert (summary.items, summary.scored, summary.unscored, summary.errors) == (4, 3, 0, 1)
    f1 = summary.metrics["F1"]
    assert (f1.mean, f1.scored, f1.unscored, f1.errors) == (0.75, 2, 1, 1)
    assert summary.metrics["EM"].interval.method == "wilson"
    only_gaps = table(columns={"F1": table().column("F1")}).summary()
    assert (only_gaps.scored, only_gaps.unscored, only_gaps.errors) == (2, 1, 1)


def test_items_of_one_document_widen_the_interval():
    values = np.repeat([0.2, 0.4, 0.9, 0.7], 10) + np.tile(np.linspace(-0.05, 0.05, 10), 4)
    ids = [str(n) for n in range(40)]
    alone = table_of(ids=ids, columns={"F1": values}).summary().metrics["F1"].interval
    clustered = table_of(ids=ids, columns={"F1": values}, tags={"document": [str(n // 10) for n in range(40)]})
    shared = clustered.summary(units="documents").metrics["F1"].interval
    assert shared.high - shared.low > 2 * (alone.high - alone.low)
    both = clustered.summary().metrics["F1"]  # four documents: the items decide, and the documents are given too
    assert (both.scope, both.interval) == ("items", alone)
    assert [(each.scope, each.units) for each in both.scopes] == [("items", 40), ("documents", 4)]
    assert both.scopes[1].interval == shared


def test_intervals_stay_within_what_the_metric_can_be():
    wide = table_of(ids=["a", "b"], columns={"AP": np.array([0.0, 0.5])}, bounds={"AP": (0.0, 1.0)})
    interval = wide.summary().metrics["AP"].interval
    assert (interval.low, interval.high) == (0.0, 1.0)
    assert table_of(ids=["a", "b"], columns={"AP": np.array([0.0, 0.5])}).summary().metrics["AP"].interval.low < 0


def test_taking_rows_takes_everything_that_belongs_to_them():
    whole = table(
        parts={"F1": {"recall": np.array([1.0, 0.0, 0.5, 0.0])}},
        notes={"F1": {0: "same", 3: "judge"}},
        outputs=[{"answer": "w"}, None, {"answer": "y"}, {"answer": "z"}],
    )
    part = whole.take(np.array([3, 0]))
    assert list(part.ids) == ["d", "a"]
    assert part.why("F1", 0) == BROKEN
    assert part.column("EM").tolist() == [1.0, 1.0]
    assert part.parts["F1"]["recall"].tolist() == [0.0, 1.0]
    assert part["F1"].notes == {0: "judge", 1: "same"}
    assert list(part.outputs) == [{"answer": "z"}, {"answer": "w"}]
    assert list(part.tags["type"]) == ["y", "x"]


def test_only_some_metrics_with_all_that_belongs_to_them():
    parts = {"F1": {"recall": np.zeros(4)}, "EM": {"case": np.ones(4)}}
    found = table(
        parts=parts, notes={"F1": {0: "why"}, "EM": {1: "not"}}, sums=["EM"], bounds={"F1": (0, 1), "EM": (0, 1)}
    )
    kept = found.only(["F1"])
    assert (kept.metrics, list(kept.parts["F1"]), kept["F1"].notes) == (["F1"], ["recall"], {0: "why"})
    assert (kept.sums, kept.bounds("F1"), kept.why("F1", 1)) == ([], (0, 1), SILENT)
    assert (kept.ids, kept.tags) == (found.ids, found.tags)
    assert found.only(["EM", "F1"]).metrics == ["EM", "F1"]
    assert found.only(["EM"])["EM"].status is None
    with pytest.raises(KeyError, match="no column 'F2'; there are: F1, EM"):
        found.only(["F2"])


def test_to_pandas():
    frame = table().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == ["a", "b", "c", "d"]
    assert list(frame.columns) == ["type", "F1", "EM"]


def test_without_pandas_the_error_is_that_of_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="data frames"):
        table().to_pandas()


def test_a_column_is_an_array_and_columns_are_subtracted():
    scores = make_table("a", [0.5, 1.0])["F1"]
    assert np.asarray(scores).tolist() == [0.5, 1.0]
    assert (scores - make_table("b", [0.25, 0.0])["F1"]).tolist() == [0.25, 1.0]


def test_a_hundred_thousand_items_cost_megabytes():
    import tracemalloc

    ids = [str(n) for n in range(100_000)]
    tracemalloc.start()
    table_of(ids=ids, columns={f"m{n}": np.zeros(100_000) for n in range(20)})
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 20 * 100_000 * 8 * 1.1


def test_a_signature_reads_back():
    signature = Signature.of({"kind": "retrieval", "note": "a|b:c%\n", "depth": 10})
    assert str(signature) == "kind:retrieval|note:a%7Cb%3Ac%25%0A|depth:10"
    assert Signature.parse(str(signature)) == signature
    assert signature.get("depth") == "10"


def test_signatures_differ_in_named_settings():
    one, other = Signature.of({"missing": "zero", "run": 1}), Signature.of({"missing": "skip", "run": 2, "rel": 2})
    assert one.differences(other, apart_from=["run"]) == ["missing", "rel"]
