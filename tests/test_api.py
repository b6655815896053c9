"""compare, gate and report in Python, and what a Table shows in a notebook."""

import json

import numpy as np
import pytest

import steelyard
from steelyard.cli import main
from steelyard.table import Column, Table

IDS = [f"q{number}" for number in range(40)]


def table(name: str, scores: np.ndarray, **fields) -> Table:
    return Table(IDS, {"F1": Column(scores, bounds=(0.0, 1.0))}, "answers", name, **fields)


@pytest.fixture
def results():
    numbers = np.random.default_rng(7)
    base = numbers.uniform(0.2, 0.6, len(IDS))
    return [table("a", base), table("b", base + 0.2), table("c", base + 0.2 + numbers.normal(0, 0.01, len(IDS)))]


def test_the_old_result_comes_first_as_on_the_command_line(results, tmp_path, capsys):
    old, new, _ = results
    for result in (old, new):
        result.save(tmp_path / f"{result.name}.jsonl")
    assert main(["compare", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["comparisons"]
    assert [comparison.as_dict() for comparison in steelyard.compare(old, new)] == printed
    assert steelyard.compare(old, new)[0].difference == pytest.approx(0.2)


def test_paths_and_tables_are_the_same_to_compare(results, tmp_path):
    old, new, _ = results
    old.save(tmp_path / "a.jsonl")
    by_path = steelyard.compare(tmp_path / "a.jsonl", new)
    assert by_path[0].as_dict() == steelyard.compare(old, new)[0].as_dict()


def test_three_results_have_letters(results):
    compared = steelyard.compare(*results, metrics="f1")
    assert [(each.a, each.b) for each in compared] == [("b", "a"), ("c", "a")]
    letters = compared.letters["F1"]
    assert letters["b"] == letters["c"] != letters["a"]
    assert steelyard.compare(*results[:2]).letters == {}


def test_a_comparison_has_every_form(results, tmp_path):
    compared = steelyard.compare(*results)
    assert "| F1 |" in compared.to_markdown()
    assert r"\begin{tabular}" in compared.to_latex()
    assert "<table>" in compared.to_html() == compared._repr_html_()
    assert list(compared.to_pandas()["new"]) == ["b", "c"]
    assert list(compared.to_pandas().columns[:7]) == ["old", "new", "metric", "n", "unpaired", "old_mean", "new_mean"]
    assert compared.to_pandas()["old_mean"][0] == pytest.approx(results[0].mean("F1"))
    assert compared.plot(tmp_path / "plot.svg").svg == (tmp_path / "plot.svg").read_text("utf-8")
    compared.report(tmp_path / "page.html")
    assert "F1" in (tmp_path / "page.html").read_text("utf-8")


def test_names_that_are_alike_are_told_apart(results):
    old, new, _ = results
    compared = steelyard.compare(old, table("a", new.column("F1")))
    assert (compared[0].a, compared[0].b) == ("a-2", "a")


def test_a_gate_is_true_if_it_passes_and_says_why_not(results):
    old, new, _ = results
    assert new.meets("F1 >= 0.5", "f1 > baseline", baseline=old)
    failed = steelyard.gate(old, "F1 >= 0.8")
    assert not failed
    assert "F1 >= 0.8 (not met: " in repr(failed)
    assert "F1 >= 0.8" in str(failed)
    assert failed.as_dict()["passed"] is False


def test_what_is_no_result_is_one_message(results):
    with pytest.raises(steelyard.ConfigError, match="not list"):
        steelyard.compare(results[0], [results[1]])


def test_a_gate_without_its_baseline_is_an_error(results):
    with pytest.raises(steelyard.ConfigError, match="baseline"):
        results[0].meets("F1 not-worse-by 0.02")
    with pytest.raises(steelyard.ConfigError, match="no rule"):
        results[0].meets()


def test_a_report_follows_the_extension(results, tmp_path):
    steelyard.report(results, tmp_path / "report.md")
    assert "| F1 |" in (tmp_path / "report.md").read_text("utf-8")
    results[0].report(tmp_path / "page.html", language="zh")
    assert 'lang="zh' in (tmp_path / "page.html").read_text("utf-8")
    with pytest.raises(steelyard.ConfigError, match="docx"):
        results[0].report(tmp_path / "report.docx")


def test_a_table_and_its_summary_print_as_tables(results):
    shown = results[0]
    for text in (str(shown), str(shown.summary())):
        assert f"{shown.mean('F1'):.4f}" in text
    assert repr(shown) == "<Table 'a': 40 answers items, F1>"
    assert "<td" in shown._repr_html_()
    assert "<td" in shown.summary()._repr_html_()


def test_hostile_names_stay_text_in_a_notebook(results):
    hostile = table("<script>alert(1)</script>", results[0].column("F1"))
    assert "<script>" not in hostile._repr_html_()
    assert "<script>" not in steelyard.compare(results[0], hostile).to_html()


def test_a_metric_is_found_by_the_names_of_other_tools():
    ranking = Table(["q1"], {"AP": Column(np.array([0.5])), "nDCG@10": Column(np.array([0.25]))}, "retrieval")
    assert ranking.mean("map") == 0.5
    assert ranking.mean("ndcg_cut_10") == 0.25
    with pytest.raises(KeyError, match="there are: AP"):
        ranking.mean("recall_5")


class Spelled:
    """A measure as ir_measures has it: an object whose text is its name."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def test_measures_of_other_packages_are_names():
    metrics = [Spelled("nDCG@10"), Spelled("AP(rel=2)")]
    found = steelyard.evaluate_retrieval({"q": {"d": 2}}, {"q": {"d": 1.0}}, metrics=metrics)
    assert found.metrics == ["nDCG@10", "AP(rel=2)"]
    assert steelyard.evaluate_retrieval({"q": {"d": 2}}, {"q": {"d": 1.0}}, metrics=Spelled("RR")).metrics == ["RR"]


class Silent:
    """A system that is no plain function: it sees the whole question, and says what a reply cost."""

    name = "silent"

    def __init__(self) -> None:
        self.asked: list[steelyard.Ask] = []
        self.closed = 0

    def ask(self, ask: steelyard.Ask) -> steelyard.Reply:
        self.asked.append(ask)
        return steelyard.Reply({"answer": ""}, tokens=3)

    def close(self) -> None:
        self.closed += 1


def test_a_system_is_asked_with_id_and_document():
    system = Silent()
    found = steelyard.evaluate_legal(system, types="fact_exact")
    assert found.name == "silent"
    assert {ask.id for ask in system.asked} == set(found.ids)
    assert all(ask.document for ask in system.asked)
    assert system.closed >= 1


def test_files_are_converted_by_their_paths_as_text(tmp_path):
    (tmp_path / "rows.jsonl").write_text(json.dumps({"prediction": "a", "references": ["a"]}) + "\n", "utf-8")
    done = steelyard.convert(str(tmp_path / "rows.jsonl"), str(tmp_path / "rows.csv"))
    assert (done.rows, dict(done.not_carried)) == (1, {})
    assert steelyard.evaluate_answers(tmp_path / "rows.csv", metrics="EM").mean("EM") == 1


def test_values_that_python_shows_are_in_the_language_of_the_locale(monkeypatch):
    table = steelyard.evaluate_answers(["a", "b"], ["a", "c"], ["EM"])
    assert "metric  answers" in str(table)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "指标" in str(table)
    assert "指标" in table._repr_html_()
    assert repr(steelyard.gate(table, require=["EM >= 0.1"])) == "<通过门禁：answers：全部规则通过>"


def test_an_error_has_a_note_in_the_language_of_the_locale(monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(steelyard.SteelyardError) as caught:
        steelyard.load("absent.jsonl")
    assert str(caught.value) == "absent.jsonl: no such file"
    assert caught.value.__notes__ == ["absent.jsonl: 没有这个文件"]


def test_rules_follow_each_other(results):
    gate = steelyard.gate(results[0], "F1 >= 0.1", "F1 <= 0.9")
    assert [str(finding.rule) for finding in gate.findings] == ["F1 >= 0.1", "F1 <= 0.9"]


def test_the_language_has_the_name_of_the_option_too(results, tmp_path):
    steelyard.report(results[:2], tmp_path / "two.md", lang="zh")
    results[0].report(tmp_path / "one.md", lang="zh")
    steelyard.compare(*results[:2]).report(tmp_path / "compared.md", lang="zh")
    for name in ("two", "one", "compared"):
        assert "指标" in (tmp_path / f"{name}.md").read_text(encoding="utf-8")


def test_python_is_told_arguments_and_not_options(results, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "said": "x", "references": ["x"]}\n', encoding="utf-8")
    with pytest.raises(steelyard.SteelyardError, match=r'another column with mapping=\{"prediction": "COLUMN"\}'):
        steelyard.evaluate_answers(rows)
    assert main(["answers", str(rows)]) == 2
    assert "another column with --map prediction=COLUMN" in capsys.readouterr().err
    with pytest.raises(steelyard.SteelyardError, match="specify an earlier result with: baseline=OLD"):
        steelyard.gate(results[0], "F1 >= baseline")
    assert 'units: items (units="items")' in str(steelyard.compare(*results[:2], units="items"))
