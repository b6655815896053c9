"""What is kept of rankings: first documents with grades, relevant ones missed, and precision at levels of recall."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval.test_real_collections import cases

import steelyard
from steelyard.cli import main
from steelyard.retrieval.outputs import FIRST, MOST_MISSED
from steelyard.retrieval.report import precision_curve

QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "d": 1}, "q2": {"a": 1}, "q3": {"z": 0}}
RUN = {"q1": {"b": 9.0, "x": 8.0, "a": 7.0}, "q3": {"z": 1.0}}

identifiers = st.sampled_from([f"d{n}" for n in range(40)] + ["文书"])
runs = st.dictionaries(
    st.sampled_from(["1", "2", "3"]), st.dictionaries(identifiers, st.integers(0, 9), min_size=1), min_size=1
)
judgments = st.dictionaries(
    st.sampled_from(["1", "2", "3"]), st.dictionaries(identifiers, st.integers(0, 2), min_size=1), min_size=3
)


def kept(qrels, run, **settings):
    table = steelyard.evaluate_retrieval(qrels, run, ["AP"], keep=True, **settings)
    return dict(zip(table.ids, table.outputs, strict=True))


def test_each_query_has_its_first_documents_with_their_grades_and_what_was_missed():
    found = kept(QRELS, RUN)
    assert found["q1"]["ranked"] == ["b", "x", "a"]
    assert found["q1"]["grades"] == [0, None, 2]
    assert found["q1"]["relevant"] == 3
    assert found["q1"]["missed"] == [["c", 1, None], ["d", 1, None]]
    assert (found["q2"]["ranked"], found["q2"]["missed"]) == ([], [["a", 1, None]])
    assert found["q2"]["precision"] == [0.0] * 11
    assert found["q3"]["grades"] == [0]


def test_nothing_is_kept_unless_it_is_asked_for():
    assert steelyard.evaluate_retrieval(QRELS, RUN, ["AP"]).outputs == ()


def test_settings_of_the_evaluation_hold_for_what_is_kept():
    assert kept(QRELS, RUN, depth=2)["q1"]["ranked"] == ["b", "x"]
    assert kept(QRELS, RUN, depth=2)["q1"]["missed"][0] == ["a", 2, None]
    assert kept(QRELS, RUN, relevance_level=2)["q1"]["relevant"] == 1
    assert "precision" not in kept(QRELS, RUN, missing="skip")["q2"]


@given(judgments, runs)
def test_what_is_kept_is_the_order_of_trec_eval(qrels, run):
    if not set(qrels) & set(run):
        return
    for query, found in kept(qrels, run).items():
        scores = run.get(query, {})
        order = sorted(scores, key=lambda id_: (scores[id_], id_.encode()), reverse=True)
        grades = qrels[query]
        assert found["ranked"] == order[:FIRST]
        assert found["grades"] == [grades.get(id_) for id_ in order[:FIRST]]
        rank = {id_: place for place, id_ in enumerate(order, 1)}
        missed = [id_ for id_ in grades if grades[id_] > 0 and rank.get(id_, FIRST + 1) > FIRST]
        ordered = sorted(missed, key=lambda id_: (-grades[id_], rank.get(id_, 10**9)))
        assert [each[1:] for each in found["missed"]] == [[grades[i], rank.get(i)] for i in ordered[:MOST_MISSED]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("qrels", "run", "expected", "settings"), list(cases()), ids=lambda v: Path(v).name if isinstance(v, str) else ""
)
def test_precision_at_recall_equals_that_of_trec_eval(real, qrels, run, expected, settings):
    level_of_eleven = re.compile(r"iprec_at_recall_[01]\.\d0\s")
    lines = [line.split("\t") for line in (real / expected).read_text().splitlines() if level_of_eleven.match(line)]
    table = steelyard.evaluate_retrieval(real / qrels, real / run, ["AP"], keep=True, **settings)
    outputs = dict(zip(table.ids, table.outputs, strict=True))
    mean = precision_curve(table)
    for name, query, value in lines:
        level = round(float(re.search(r"[\d.]+$", name.strip())[0]) * 10)
        found = mean if query.strip() == "all" else outputs[query.strip()]["precision"]
        assert f"{found[level]:.4f}" == value.strip(), (name, query)
    if not lines:
        pytest.skip("trec_eval was not asked for it here")


def test_results_files_have_rankings_only_where_they_are_asked_for(tmp_path):
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in QRELS.items() for d, g in of.items()))
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 {d} 0 {s} a\n" for q, of in RUN.items() for d, s in of.items()))
    (tmp_path / "queries.tsv").write_text("q1\tfirst query\n")
    given = {"plain": [], "rankings": ["--rankings"], "queries": ["--queries", str(tmp_path / "queries.tsv")]}
    for name, options in given.items():
        outputs = [f"{tmp_path}/{name}.{suffix}" for suffix in ("html", "jsonl")]
        words = ["retrieval", f"{tmp_path}/qrels.txt", f"{tmp_path}/a.run", *options]
        assert main([*words, "-o", outputs[0], "-o", outputs[1]]) == 0
        assert '"ranked"' in Path(outputs[0]).read_text(encoding="utf-8")
        items = [json.loads(line) for line in Path(outputs[1]).read_text(encoding="utf-8").splitlines()][1:-1]
        assert [("output" in item) for item in items] == [bool(options)] * 3
    first = next(json.loads(line) for line in (tmp_path / "queries.jsonl").read_text().splitlines()[1:])
    assert first["output"]["question"] == "first query"
    assert steelyard.load(tmp_path / "queries.jsonl").counts["counts.queries_without_text"] == 2
