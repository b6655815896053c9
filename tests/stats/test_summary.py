"""What a summary has of counts, of geometric means in each scope, and of items with errors."""

import math

import numpy as np
import pytest
from tables import table_of

from steelyard.stats.intervals import mean_interval
from steelyard.stats.summary import summarise
from steelyard.table import Column, Missing, Table

NAN = math.nan


def test_counts_have_a_sum():
    columns = {"NumRet": np.array([3.0, 4.0]), "AP": np.array([0.5, 1.0])}
    table = table_of(["a", "b"], columns, sums=("NumRet",), bounds={"AP": (0.0, 1.0)})
    found = summarise(table).metrics
    assert (found["NumRet"].total, found["NumRet"].as_dict()["sum"]) == (7, 7)
    assert found["AP"].total is None
    assert (found["AP"].interval.low, found["AP"].interval.high) == (0, 1)  # of two values: within the bounds
    assert "sum" not in found["AP"].as_dict()


def test_geometric_means_have_their_interval_in_each_scope():
    values, documents = np.linspace(0.1, 0.9, 24), np.arange(24) // 4
    tags = {"document": [f"d{number}" for number in documents]}
    table = Table([f"q{n}" for n in range(24)], {"x": Column(values, geometric=True)}, name="r", tags=tags)
    found = summarise(table).metrics["x"]
    ends = [(each.scope, each.units, each.interval.low, each.interval.high) for each in found.scopes]
    for (scope, units, *interval), clusters in zip(ends, (None, documents), strict=True):
        logs = mean_interval(np.log(values), clusters=clusters)
        assert (scope, units) == (("items", 24) if clusters is None else ("documents", 6))
        assert interval == pytest.approx([math.exp(logs.low), math.exp(logs.high)])
    assert (found.scope, found.interval.low, found.interval.high) == ("documents", *ends[1][2:])


def test_an_item_is_an_error_or_scored_or_neither():
    reasons = (Missing("error", "late"), Missing("unscored", "?"))
    table = table_of(
        ["error", "unscored", "half", "scored", "failed"],
        {"x": np.array([NAN, NAN, NAN, 1.0, 0.0]), "y": np.array([1.0, NAN, 0.5, 0.5, 0.0])},
        status={"x": np.array([1, 2, 2, 0, 0]), "y": np.array([0, 2, 0, 0, 0])},
        reasons=reasons,
        name="r",
        failures={4: "HTTP 500"},
    )
    found = summarise(table)
    assert (found.items, found.scored, found.unscored, found.errors) == (5, 2, 1, 2)
    x, y = found.metrics["x"], found.metrics["y"]
    assert (x.scored, x.unscored, x.errors) == (1, 2, 2)
    assert (y.scored, y.unscored, y.errors) == (3, 1, 1)
    assert found.incomplete == {1: ["x"], 3: ["y"]}
    assert not found.uniform
    assert (found.name, found.kind, found.signature) == ("r", table.kind, str(table.signature))
