"""Geometric means: mean, interval and paired test on the logarithmic scale, kept in results files, refused by rules."""

import math

import numpy as np
import pytest

import steelyard
from steelyard.errors import ConfigError
from steelyard.stats.compare import compare_all
from steelyard.stats.intervals import mean_interval
from steelyard.table import Column, Table

QRELS = {f"q{n}": {"a": 1, "b": 1, "c": 0} for n in range(8)}
OLD = {f"q{n}": {"a": 3.0, "c": 2.0, "b": 1.0 if n % 2 else 4.0} for n in range(8)}
NEW = {f"q{n}": {"a": 1.0 if n else -1.0, "b": 0.5, "c": 0.0 if n else 1.0} for n in range(8)}


def test_the_mean_is_the_geometric_one_and_its_interval_that_of_the_logarithms():
    table = steelyard.evaluate_retrieval(QRELS, OLD, ["AP", "GMAP"])
    logs = np.log(table.column("AP"))
    summary = table.summary().metrics["GMAP"]
    expected = mean_interval(logs)
    assert table.mean("GMAP") == summary.mean == pytest.approx(math.exp(logs.mean()))
    assert summary.interval.low == pytest.approx(math.exp(expected.low))
    assert summary.interval.high == pytest.approx(min(1, math.exp(expected.high)))
    assert summary.as_dict()["average"] == "geometric"
    assert summary.interval.method == "geometric widened t"
    assert "average" not in table.summary().metrics["AP"].as_dict()


def test_a_query_without_a_hit_counts_as_little_but_not_as_nothing():
    table = steelyard.evaluate_retrieval(QRELS, {"q0": {"a": 2.0, "b": 1.0}}, ["GMAP"])
    assert table.column("GMAP").tolist() == [1.0, *[1e-5] * 7]
    assert table.mean("GMAP") == pytest.approx(1e-5 ** (7 / 8))


def test_a_comparison_is_of_the_ratio():
    old, new = (steelyard.evaluate_retrieval(QRELS, run, ["AP", "GMAP"]) for run in (OLD, NEW))
    logs = [Table(t.ids, {"x": Column(np.log(t.column("AP")))}, name=t.name) for t in (new, old)]
    (plain,) = compare_all(logs[:1], logs[1])
    found = next(each for each in compare_all([new], old) if each.metric == "GMAP")
    assert found.p_value == plain.p_value
    assert (found.a_mean, found.b_mean) == pytest.approx((new.mean("GMAP"), old.mean("GMAP")))
    assert found.difference == pytest.approx(new.mean("GMAP") - old.mean("GMAP"))
    assert found.interval.low == pytest.approx(old.mean("GMAP") * (math.exp(plain.interval.low) - 1))
    assert found.spread == pytest.approx(old.mean("GMAP") * plain.spread)
    assert (found.interval.low > 0) == (plain.interval.low > 0)


def test_a_results_file_keeps_it(tmp_path):
    table = steelyard.evaluate_retrieval(QRELS, OLD, ["AP", "GMAP"])
    table.save(tmp_path / "r.jsonl")
    loaded = steelyard.load(tmp_path / "r.jsonl")
    assert loaded.geometric == ["GMAP"]
    assert loaded.mean("GMAP") == table.mean("GMAP")
    assert "contradict" not in str(loaded)


def test_no_rule_is_decided_on_it():
    table = steelyard.evaluate_retrieval(QRELS, OLD, ["GMAP"])
    with pytest.raises(ConfigError, match=r"^GMAP >= 0\.1: the mean of GMAP is a geometric one.*\nhint: .*AP or bpref"):
        table.meets("gm_map >= 0.1")


def test_scores_of_nought_in_a_file_have_a_mean():
    table = Table(["a", "b"], {"x": Column(np.array([0.0, 1.0]), geometric=True)})
    assert table.mean("x") == pytest.approx(0.0)
    assert math.isfinite(table.summary().metrics["x"].interval.high)
