"""What replies cost: read from rows and outputs of tools, kept as columns apart from quality. All data are invented."""

import json
import math
from typing import Any

import pytest
from foreign_files import DATA
from rendering import render_console

import steelyard
from steelyard.io.costs import costs_in
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.reports.content import Report
from steelyard.reports.plots import charts
from steelyard.reports.sections import report_blocks
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.systems.replay import ReplaySystem


@pytest.mark.parametrize(
    ("fields", "costs"),
    [
        ({"seconds": 1.5, "tokens": 20, "cost": 0.25}, {"Seconds": 1.5, "Tokens": 20, "Cost": 0.25}),
        ({"latency_ms": 1500, "usage": {"total_tokens": 20}}, {"Seconds": 1.5, "Tokens": 20}),
        ({"latency": "1.5", "total_price": "0.0012"}, {"Seconds": 1.5, "Cost": 0.0012}),
        ({"metadata": {"usage": {"total_tokens": 3, "total_price": "0.5", "latency": 2}}},
         {"Seconds": 2, "Tokens": 3, "Cost": 0.5}),
        ({"extra": {"inspect": {"total_time": 2, "model_usage": {"a": {"total_tokens": 3}, "b": {"total_tokens": 4}}}}},
         {"Seconds": 2, "Tokens": 7}),
        ({"seconds": True, "tokens": ["a", "b"], "cost": -1}, {}),
        ({"seconds": "soon", "tokens": math.nan, "cost": math.inf, "usage": "none", "extra": 7}, {}),
        ({"seconds": 10**400, "cost": None}, {}),
    ],
)  # fmt: skip
def test_costs_of_a_row(fields, costs):
    assert costs_in(fields) == pytest.approx(costs)


ROWS: Any = [
    {"question": "Who?", "prediction": "Mr Vale", "references": ["Mr Vale"], "latency_ms": 500, "cost": 0.01},
    {"question": "When?", "prediction": "Monday", "references": ["Monday"], "latency_ms": 1500},
    {"question": "What?", "prediction": None, "references": ["Rent"], "error": "no answer", "latency_ms": 9000},
]


def test_rows_of_answers_have_costs_after_the_metrics_of_quality():
    table = steelyard.evaluate_answers(ROWS)
    assert table.metrics[-2:] == ["Seconds", "Cost"]
    assert table.column("Seconds")[:2].tolist() == [0.5, 1.5]
    assert [math.isnan(value) for value in table.column("Cost")] == [False, True, True]
    summary = table.summary()
    assert (summary.metrics["Seconds"].median, summary.metrics["Seconds"].p95) == pytest.approx((1.0, 1.45))
    shown = summary.as_dict()["metrics"]
    assert {"median", "p95"} <= shown["Seconds"].keys()
    assert not {"median", "p95"} & shown["F1"].keys()
    assert steelyard.evaluate_answers(ROWS[:1], metrics="EM").metrics == ["EM"]
    assert "Seconds" not in steelyard.evaluate_answers([{**ROWS[0], "latency_ms": None}]).metrics


def test_a_cost_is_no_score_of_an_item():
    rows = [{"prediction": "a", "references": ["a"], "seconds": 1}, {"prediction": "a", "references": [], "seconds": 1}]
    summary = steelyard.evaluate_answers(rows).summary()
    assert (summary.scored, summary.unscored) == (1, 1)


def test_costs_nobody_recorded_are_asked_for():
    with pytest.raises(steelyard.SteelyardError) as caught:
        steelyard.evaluate_answers([{"prediction": "a", "references": ["a"]}], metrics="latency")
    assert str(caught.value.message) == "Seconds needs what no row has: seconds"
    assert "latency_ms" in str(caught.value.hint)


@pytest.mark.parametrize("sample", ["promptfoo.json", "inspect/log.json", "inspect/log.eval"])
def test_files_of_other_tools(sample):
    table = steelyard.load_all(DATA / sample)[-1]
    assert table.metrics[-1] in ("Tokens", "Cost")
    assert table.bounds("Seconds") == (0, math.inf)
    assert table.scored("Seconds").max() < 1  # promptfoo has milliseconds
    assert Report([table]).main not in ("Seconds", "Tokens", "Cost")


def asked(tokens, seconds=0.0):
    """A system that names its tokens and its price."""

    def query(question):
        return {"answer": "材料未显示", "usage": {"total_tokens": tokens * len(question), "cost": tokens}}

    return query


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("costs")
    return [
        evaluate_legal(asked(tokens), path=folder / f"{tokens}.jsonl", name=f"s{tokens}") for tokens in (10, 20)
    ], folder


@pytest.mark.slow
def test_a_run_has_costs_beside_its_score(results):
    (cheap, dear), folder = results
    assert cheap.metrics == ["legal", "Seconds", "Tokens", "Cost"]
    assert dear.mean("Cost") == 20
    header, *_, footer = map(json.loads, (folder / "10.jsonl").read_text("utf-8").splitlines())
    assert (header["metrics"], list(footer["footer"]["means"])) == (["legal"], ["legal"])
    again = folder / "again.jsonl"
    steelyard.load(folder / "10.jsonl").save(again)
    assert steelyard.load(again).metrics == cheap.metrics
    gate = steelyard.gate(dear, ["Seconds <= 60", "Cost <= 15", "Tokens not-worse-by 1"], baseline=cheap)
    assert [finding.outcome for finding in gate.findings] == ["met", "not met", "not met"]
    kept = steelyard.gate(cheap, ["no item of conflict_gap may fall from 1"], baseline=cheap)
    assert kept.findings[0].outcome == "met"


@pytest.mark.slow
def test_costs_are_a_family_of_tests_apart(results):
    (cheap, dear), _ = results
    both = compare_all([dear], cheap, ComparisonSettings())
    alone = compare_all([dear.only(["legal"])], cheap.only(["legal"]), ComparisonSettings())
    assert both[0].p_adjusted == alone[0].p_adjusted
    tokens = next(each for each in both if each.metric == "Tokens")
    assert tokens.gain < 0 < tokens.difference  # less is better
    old = cheap.only(["legal"])  # as from a system that says nothing of costs
    assert [each.metric for each in compare_all([dear], old, ComparisonSettings())] == ["legal"]


@pytest.mark.slow
def test_what_is_shown_of_costs(results):
    (cheap, dear), _ = results
    report = Report([cheap, dear], compare_all([dear], cheap))
    shown = render_console(report)
    assert "what replies cost" in shown
    assert "95th percentile" in shown
    assert {"Seconds", "Tokens", "Cost"} == charts.quality_costs(report).keys()
    assert charts.quality_costs(Report([cheap])) == {}
    assert any(getattr(block, "title", "") == "耗时与费用" for block in report_blocks(report, "zh"))


@pytest.mark.slow
def test_recorded_answers_keep_their_costs_and_get_none(results):
    (cheap, _), folder = results
    again = evaluate_legal(ReplaySystem(folder / "10.jsonl"))
    assert again.column("Seconds").tolist() == cheap.column("Seconds").tolist()
    assert again.mean("Cost") == 10
    path = folder / "plain.jsonl"
    path.write_text("".join(json.dumps({"id": id, "answer": "材料未显示"}) + "\n" for id in cheap.ids), "utf-8")
    assert evaluate_legal(ReplaySystem(path)).metrics == ["legal"]
