"""SDCG, INST and Compat against the programs that define them, and their formulas written out for one query."""

import math
import random

import pytest
from commands import ROOT

import steelyard

DATA = f"{ROOT}/data/"
GOLDEN = {
    # cwl_eval 1.0.12 by ir_measures 0.4.3, on data/qrels.txt with grades of 2 and more as 1, max_rel=1
    "SDCG(rel=2)@10": 0.1933910660418387,
    "INST(rel=2)": 0.3523436719359286,
    "INST(rel=2,t=3)": 0.17689715858931915,
    # compatibility.py of claclark/Compatibility at bd47d75, without and with -p 0.8
    "Compat": 0.39625756224754344,
    "Compat(p=0.8)": 0.31823878176956505,
}


def test_means_are_those_of_cwl_eval_and_compatibility():
    found = steelyard.evaluate_retrieval(f"{DATA}qrels.txt", f"{DATA}run_b.txt", list(GOLDEN))
    assert {name: found.mean(name) for name in found.metrics} == pytest.approx(GOLDEN, abs=1e-12)


def test_graded_gains_of_short_and_long_rankings_follow_the_formulas():
    source = random.Random(8)
    qrels, run = {}, {}
    for number in range(40):
        pool = [f"d{n}" for n in range(120)]
        qrels[f"q{number}"] = {each: source.choice([-1, 0, 1, 1, 2, 4]) for each in source.sample(pool, 30)}
        run[f"q{number}"] = {each: float(-n) for n, each in enumerate(source.sample(pool, source.randrange(1, 120)))}
    found = steelyard.evaluate_retrieval(qrels, run, ["SDCG@10", "INST(t=2)", "Compat(p=0.9)"])
    for row, query in enumerate(found.ids):
        grades = qrels[query]
        ranking = sorted(run[query], key=run[query].__getitem__, reverse=True)
        most = max(1, *grades.values())
        gains = [max(grades.get(each, 0), 0) / most for each in ranking] + [0.0] * (1000 - len(ranking))
        assert found["SDCG@10"].values[row] == pytest.approx(sdcg(gains, 10))
        assert found["INST(t=2)"].values[row] == pytest.approx(inst(gains, 2))
        assert found["Compat(p=0.9)"].values[row] == pytest.approx(compat(ranking, grades, 0.9))


def sdcg(gains, k):
    weights = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    return sum(gain * weight for gain, weight in zip(gains, weights, strict=False)) / sum(weights)


def inst(gains, wanted):
    reached, weights, gained = 1.0, [], 0.0
    for rank, gain in enumerate(gains, 1):
        weights.append(reached)
        gained += gain
        left = rank + wanted + wanted - gained
        reached *= ((left - 1) / left) ** 2
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True)) / sum(weights)


def compat(ranking, grades, p):
    relevant = [each for each, grade in grades.items() if grade > 0]
    place = {each: rank for rank, each in enumerate(ranking)}
    ideal = sorted(relevant, key=lambda each: (-grades[each], place.get(each, len(ranking))))

    def overlap(one, other):
        return sum(p ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d for d in range(1, 1001))

    return overlap(ranking, ideal) / overlap(ideal, ideal) if ideal else 0.0


def test_binary_gains_by_hand():
    # relevant at ranks 1 and 3, both of the greatest grade 1: gains 1, 0, 1
    found = steelyard.evaluate_retrieval(
        {"q": {"a": 1, "b": 1}},
        {"q": {"a": 3.0, "x": 2.0, "b": 1.0}},
        ["RBP(p=0.5)", "RBP(p=0.5)@2", "RBP(p=0.5)@3", "SDCG@3"],
    )
    by_hand = (0.5 * (1 + 0.25), 0.5, 0.625, (1 + 0.5) / (1 + 1 / math.log2(3) + 0.5))
    assert [found.mean(name) for name in found.metrics] == pytest.approx(by_hand)


def test_residual_by_hand():
    # judged are ranks 1 and 2, of which rank 1 has grade 0: 1 - 0.5 * (1 + 0.5)
    found = steelyard.evaluate_retrieval(
        {"q": {"a": 1, "b": 0}}, {"q": {"b": 3.0, "a": 2.0, "x": 1.0}}, ["RBPresid(p=0.5)"]
    )
    assert found.mean("RBPresid(p=0.5)") == pytest.approx(0.25)


@pytest.mark.parametrize("name", ["INST(t=0)", "INST(t=-1)", "INST(t=1e308)", "SDCG@1000000000000"])
def test_numbers_of_documents_have_a_range(name):
    said = r"^(INST: t|SDCG: k) must be above 0 and at most 1,000,000, not "
    with pytest.raises(steelyard.ConfigError, match=said):
        steelyard.evaluate_retrieval({"q": {"d": 1}}, {"q": {"d": 1.0}}, [name])
