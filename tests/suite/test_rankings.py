"""Vectors of rankings: ours is right on every one, and pytrec_eval or a few lines of plain Python agree."""

import math
import sys

import numpy as np
import pytest
import pytrec_eval

from steelyard.errors import SteelyardError
from steelyard.suite.outcomes import is_equal
from steelyard.suite.vectors import read_vectors, suite_folder

sys.path.insert(0, str(suite_folder() / "targets"))
from ours import rankings

VECTORS = [vector for vector in read_vectors() if vector.family == "rankings"]
TREC = {
    "ndcg": ("ndcg", "ndcg_cut"),
    "ap": ("map", "map_cut"),
    "rr": ("recip_rank", ""),
    "precision": ("set_P", "P"),
    "recall": ("set_recall", "recall"),
    "f1": ("set_F", ""),
    "r_precision": ("Rprec", ""),
    "bpref": ("bpref", ""),
    "infap": ("infAP", ""),
    "success": ("", "success"),
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_ours_is_right(vector):
    try:
        value = rankings.FUNCTIONS[vector.computes](vector.input)
    except SteelyardError:
        value = None
    value = [None if each is None else float(each) for each in value] if isinstance(value, list) else value
    assert is_equal(value, vector.expected, vector.tolerance)


def plain(given, metric, query):
    """Return the value of a query by the definition, from the order of the documents alone."""
    grades = given["qrels"][query]
    pairs = sorted(given["ranking"].get(query, ()), key=lambda pair: (pair[1], pair[0]), reverse=True)
    ranked = [document for document, _ in pairs][: metric.get("k")]
    found = [max(grades.get(document, 0), 0) for document in ranked]
    if metric["computes"] == "judged":
        return sum(grades.get(document, -1) >= 0 for document in ranked) / len(ranked) if ranked else 0.0
    if metric["computes"] == "rbp":
        greatest = max([1, *grades.values()])
        gains = [grade >= metric["rel"] if "rel" in metric else grade / greatest for grade in found]
        return (1 - metric["p"]) * sum(gain * metric["p"] ** i for i, gain in enumerate(gains))
    if metric["computes"] == "err":
        value, going_on = 0.0, 1.0
        for place, grade in enumerate(found, 1):
            stop = (2**grade - 1) / 2 ** metric["max"]
            value, going_on = value + going_on * stop / place, going_on * (1 - stop)
        return value
    assert metric["gains"] == "exponential"
    ideal = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[: metric.get("k")]
    gained, best = (sum((2**grade - 1) / math.log2(i + 2) for i, grade in enumerate(each)) for each in (found, ideal))
    return gained / best


def by_trec_eval(given, metric, query):
    """Return the value of pytrec_eval; a query that it leaves out counts 0."""
    whole, cut = TREC[metric["computes"]]
    k, documents = metric.get("k"), given["ranking"].get(query, [])
    if k and not cut:  # it has no cutoff of its own
        documents = sorted(documents, key=lambda pair: (np.float32(pair[1]), pair[0]), reverse=True)[:k]
    name = f"{cut}_{k}" if k and cut else whole
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: given["qrels"][query]}, {name.replace(f"_{k}", f".{k}")}, relevance_level=metric.get("rel", 1)
    )
    return evaluator.evaluate({query: {document: float(score) for document, score in documents}})[query][name]


def second(given, metric):
    """Return the value of the second implementation."""
    of = by_trec_eval if metric["computes"] in TREC and metric.get("gains", "linear") == "linear" else plain
    values = {query: of(given, metric, query) for query in given["qrels"]}
    return [values[query] for query in given["queries"]] if "queries" in given else sum(values.values()) / len(values)


def of_second(vector):
    given = vector.input
    if vector.computes == "measures":
        return [second(given, metric) for metric in given["metrics"]]
    if vector.computes == "order_effect":
        values = [second(each, given["metric"]) for each in given["inputs"]]
        return max(values) - min(values)
    return second(given, {**given, "computes": vector.computes})


@pytest.mark.parametrize("vector", [each for each in VECTORS if each.expected is not None], ids=lambda each: each.id)
def test_a_second_implementation_agrees(vector):
    assert is_equal(of_second(vector), vector.expected, vector.tolerance)
