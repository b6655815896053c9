"""Live parity with pytrec_eval (trec_eval 9) on generated collections that are full of ties."""

import math
import random
from pathlib import Path

import numpy as np
import pandas
import pytest
import pytrec_eval

import steelyard
from steelyard.registry.names import parse_measure

CUTOFFS = "1,2,5,10,30,100"
LEVELS = ",".join(f"{level / 10}" for level in range(11))
THEIRS = {
    *("map", "recip_rank", "ndcg", "Rprec", "bpref", "set_P", "set_recall", "set_F"),
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
    *("infAP", "11pt_avg", "gm_map", "gm_bpref", "binG", "utility", "set_relative_P", "set_map"),
    *("G", "ndcg_rel", "Rndcg"),
    *(f"{name}.{CUTOFFS}" for name in ("P", "recall", "ndcg_cut", "map_cut", "success", "relative_P")),
    *(f"iprec_at_recall.{LEVELS}", "Rprec_mult.0.2,0.5,1.0,1.7,3.0"),
}

SCORES = {
    "distinct": lambda random, place: random.gauss(0, 5),
    "few values": lambda random, place: float(random.randrange(4)),
    "ties only in 32-bit floats": lambda random, place: 100 + random.randrange(40) * 1e-6,
    "beyond 2^24": lambda random, place: 16777216.0 + random.randrange(8),
    "falling": lambda random, place: 1000.0 - place,
    "all equal": lambda random, place: 7.25,
    "tiny and huge": lambda random, place: random.random() * 10.0 ** random.randrange(-30, 30),
    "seventeen digits": lambda random, place: random.random(),
}


def collection(seed, queries, score):
    source = random.Random(seed)
    pool = [f"{source.choice(['D', 'doc-', '文书', 'x' * source.randrange(1, 20)])}{n}" for n in range(300)]
    qrels, run = {}, {}
    for number in range(queries):
        query = f"{source.choice(['q', 'topic-with-a-long-name-', '问'])}{number}"
        judged = source.sample(pool, source.randrange(1, 80))
        grades = [source.choice([-1, 0, 0, 1, 1, 2, 3]) for _ in judged]
        grades[0] = abs(grades[0])  # trec_eval cannot do queries with negative judgments alone
        if source.random() < 0.95:
            qrels[query] = dict(zip(judged, grades, strict=True))
        if source.random() < 0.95:
            found = source.sample(pool, source.randrange(1, 150))
            run[query] = {document: score(source, place) for place, document in enumerate(found)}
    return qrels, run


def as_files(tmp_path, qrels, run, *, interleave) -> tuple[Path, Path]:
    lines = [f"{q} Q0 {d} 0 {s!r} t\n" for q, documents in run.items() for d, s in documents.items()]
    if interleave:
        random.Random(0).shuffle(lines)
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    judgments = [f"{q} 0 {d} {g}\n" for q, documents in qrels.items() for d, g in documents.items()]
    (tmp_path / "qrels").write_text("".join(judgments), encoding="utf-8")
    return tmp_path / "qrels", tmp_path / "run"


def as_frames(qrels, run, *, interleave):
    rows = [(query, document, value) for query, documents in run.items() for document, value in documents.items()]
    if interleave:
        random.Random(0).shuffle(rows)
    judged = [(query, document, grade) for query, documents in qrels.items() for document, grade in documents.items()]
    names = ["query", "document", "score"]
    return pandas.DataFrame(judged, columns=names), pandas.DataFrame(rows, columns=names)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("interleave", [False, True])
def test_every_value_of_every_query(tmp_path, kind, interleave):
    qrels, run = collection(kind, 60, SCORES[kind])
    expected = pytrec_eval.RelevanceEvaluator(qrels, THEIRS).evaluate(run)
    names = {name: str(parse_measure(name)) for name in next(iter(expected.values()))}
    files = as_files(tmp_path, qrels, run, interleave=interleave)
    for judged, ranked in (files, (qrels, run), as_frames(qrels, run, interleave=interleave)):
        table = steelyard.evaluate_retrieval(judged, ranked, list(names.values()))
        assert set(table.ids) == set(qrels)
        for row, query in enumerate(table.ids):
            for theirs, ours in names.items():
                value = _value(expected[query], theirs) if query in expected else _when_missing(theirs, qrels[query])
                assert table.column(ours)[row] == pytest.approx(value, abs=1e-9), (query, ours)


def _value(values, name):
    return math.exp(values[name]) if name.startswith("gm_") else values[name]


def _when_missing(name, judged):
    if name.startswith("gm_"):
        return 1e-5
    return sum(grade > 0 for grade in judged.values()) if name == "num_rel" else 0.0


@pytest.mark.parametrize("level", [2, 3])
def test_relevance_levels(level):
    qrels, run = collection(level, 60, SCORES["few values"])
    expected = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, relevance_level=level).evaluate(run)
    names = {name: str(parse_measure(name)) for name in next(iter(expected.values()))}
    table = steelyard.evaluate_retrieval(qrels, run, list(names.values()), relevance_level=level)
    for row, query in enumerate(table.ids):
        for theirs, ours in names.items() if query in expected else ():
            assert table.column(ours)[row] == pytest.approx(_value(expected[query], theirs), abs=1e-9), (query, ours)


def test_a_level_in_the_name_is_the_level_as_a_setting():
    qrels, run = collection(7, 40, SCORES["distinct"])
    named = steelyard.evaluate_retrieval(qrels, run, ["P(rel=2)@5", "AP(rel=2)", "R(rel=2)@10", "bpref(rel=2)"])
    level = steelyard.evaluate_retrieval(qrels, run, ["P@5", "AP", "R@10", "bpref"], relevance_level=2)
    for one, other in zip(named.columns.values(), level.columns.values(), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_a_level_in_the_name_is_stronger_than_the_setting():
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    table = steelyard.evaluate_retrieval(qrels, run, ["P(rel=1)@1", "P@1"], relevance_level=2)
    assert (table.mean("P(rel=1)@1"), table.mean("P@1")) == (1.0, 0.0)


def test_two_thousand_topics_with_heavy_ties(tmp_path):
    qrels, run = collection(11, 2000, SCORES["few values"])
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "recip_rank"})
    expected = evaluator.evaluate(run)
    files = as_files(tmp_path, qrels, run, interleave=False)
    table = steelyard.evaluate_retrieval(*files, ["AP", "nDCG", "RR"])
    for row, query in enumerate(table.ids):
        for theirs, ours in (("map", "AP"), ("ndcg", "nDCG"), ("recip_rank", "RR")):
            value = expected[query][theirs] if query in expected else 0.0
            assert table.column(ours)[row] == pytest.approx(value, abs=1e-9)


def test_version_ten_tells_scores_apart_that_are_equal_as_32_bit_floats():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    ranks = [steelyard.evaluate_retrieval(qrels, run, ["RR"], trec_eval=version).mean("RR") for version in (9, 10)]
    assert ranks == [0.5, 1.0]  # 9: a tie, and b is the greater id; 10: a has the greater score
