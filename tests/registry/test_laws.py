"""Laws that every metric of the registry obeys; a new metric is held to them by being registered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ranking

import steelyard
from steelyard.registry.metrics import REGISTRY, Measure
from steelyard.registry.names import parse_measure, register_all

register_all()
RANKING = [name for name, metric in REGISTRY.items() if metric.kind == "retrieval"]
MEASURES = [str(Measure.of(REGISTRY[name], {"k": 5} if "k" in REGISTRY[name].required else {})) for name in RANKING]
CUT = [f"{name}@3" for name in RANKING if "k" in REGISTRY[name].parameters]
ALL = list(dict.fromkeys(MEASURES + CUT))

# a perfect ranking, of the relevant documents alone and best first, scores 1 in all but these: P@5 and Judged@k count
# places, RBP and ERR stay below 1 by their definition, Num… are counts
NOT_ONE_WHEN_PERFECT = {"P", "RBP", "ERR", "NumRet", "NumRel", "NumRelRet"}
NOT_ZERO_WHEN_SILENT = {"NumRel"}

documents = st.sampled_from([f"d{n}" for n in range(12)] + ["文书", "Ω", "d"])
judgments = st.dictionaries(documents, st.integers(-1, 4), min_size=1)
ranked = st.dictionaries(documents, st.one_of(st.integers(0, 3), st.floats(-5, 5)).map(float), min_size=1)
collections = st.dictionaries(st.sampled_from(["q1", "q2", "q10", "问"]), st.tuples(judgments, ranked), min_size=1)


def weigh(collection, measures=ALL, **keywords):
    qrels = {query: grades for query, (grades, _) in collection.items()}
    run = {query: scores for query, (_, scores) in collection.items()}
    return steelyard.evaluate_retrieval(qrels, run, measures, **keywords)


@pytest.mark.parametrize("name", ALL)
def test_a_name_reads_back(name):
    assert str(parse_measure(name)) == name


@pytest.mark.slow
@given(collections)
@settings(max_examples=60)
def test_values_lie_in_their_range(collection):
    table = weigh(collection)
    for name in ALL:
        low, high = parse_measure(name).metric.bounds
        assert ((table.column(name) >= low) & (table.column(name) <= high + 1e-12)).all(), name


@pytest.mark.slow
@given(collections, st.randoms())
@settings(max_examples=60)
def test_the_order_of_the_input_does_not_matter_even_with_ties(collection, source):
    qrels = [(q, d, g) for q, (grades, _) in collection.items() for d, g in grades.items()]
    run = [(q, d, s) for q, (_, scores) in collection.items() for d, s in scores.items()]
    first = steelyard.evaluate_retrieval(qrels, run, ALL)
    source.shuffle(qrels)
    source.shuffle(run)
    second = steelyard.evaluate_retrieval(qrels, run, ALL)
    assert first.ids == second.ids
    for name in ALL:
        np.testing.assert_array_equal(first.column(name), second.column(name), err_msg=name)


@pytest.mark.slow
@given(collections)
@settings(max_examples=60)
def test_one_query_alone_scores_as_it_does_among_others(collection):
    together = weigh(collection)
    for query, pair in collection.items():
        alone = weigh({query: pair})
        for name in ALL:
            row = together.ids.index(query)
            assert alone.column(name)[0] == pytest.approx(together.column(name)[row], abs=1e-12), name


@given(judgments.filter(lambda grades: sum(grade > 0 for grade in grades.values()) >= 1))
@settings(max_examples=60)
def test_the_oracle_scores_one(grades):
    perfect = {document: float(grade) for document, grade in grades.items() if grade > 0}
    names = [n for n in MEASURES if parse_measure(n).name not in NOT_ONE_WHEN_PERFECT]
    if len(perfect) > 5:
        names = [n for n in names if n != "R@5"]  # more relevant documents than places
    table = weigh({"q": (grades, perfect)}, names)
    assert {name: table.mean(name) for name in names} == {name: pytest.approx(1.0) for name in names}


@given(judgments)
@settings(max_examples=30)
def test_silence_scores_zero(grades):
    qrels = {"q": grades, "other": {"d1": 1}}
    table = steelyard.evaluate_retrieval(qrels, {"other": {"d1": 1.0}}, ALL)
    silent = table.ids.index("q")
    for name in ALL:
        if parse_measure(name).name not in NOT_ZERO_WHEN_SILENT:
            assert table.column(name)[silent] == 0, name


@pytest.mark.slow
@given(judgments, ranked)
@settings(max_examples=60)
def test_no_ranking_beats_the_ideal_one(grades, scores):
    ideal = {document: float(grade) for document, grade in grades.items() if grade > 0}
    if ideal:
        # SetP and its like reward leaving out, so all rankings here have the same documents
        rest = {document: -1.0 for document in scores if document not in ideal}
        best = weigh({"q": (grades, {**ideal, **rest})})
        other = weigh({"q": (grades, {**dict.fromkeys({**ideal, **rest}, 0.0), **scores})})
        for name in ALL:
            if not name.startswith("Judged"):
                assert other.mean(name) <= best.mean(name) + 1e-12, name


@pytest.mark.slow
@given(collections)
@settings(max_examples=60)
def test_metrics_without_a_peer_here_equal_their_plain_definition(collection):
    names = ["RBP", "RBP(p=0.5)", "RBP(p=0.8,rel=2)", "ERR@3", "Judged@2", "RR@2", "nDCG@3"]
    table = weigh(collection, names, trec_eval=10)
    for row, query in enumerate(table.ids):
        grades, scores = collection[query]
        expected = [
            ranking.rbp(grades, scores, p=0.9),
            ranking.rbp(grades, scores, p=0.5),
            ranking.rbp(grades, scores, p=0.8, rel=2),
            ranking.err(grades, scores, k=3),
            ranking.judged(grades, scores, k=2),
            ranking.reciprocal_rank(grades, scores, k=2),
            ranking.ndcg(grades, scores, k=3),
        ]
        assert [table.column(name)[row] for name in names] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", RANKING)
def test_every_metric_says_what_it_is(name):
    text = REGISTRY[name].explanation
    assert text.splitlines()[0].endswith(".")
    assert "\nFormula: " in text
    assert "\nSource: " in text
