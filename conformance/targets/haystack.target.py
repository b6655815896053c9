# /// script
# dependencies = ["haystack-ai==3.4.0"]
# ///
"""Haystack: evaluators of retrieved documents, which are lists without cutoffs."""

from collections.abc import Mapping, Sequence
from typing import Any

from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)
from lines import Unsupported, answer
from ranking_names import functions, listed

NAMES = {
    "ndcg": DocumentNDCGEvaluator,
    "ap": DocumentMAPEvaluator,
    "rr": DocumentMRREvaluator,
    "recall": lambda: DocumentRecallEvaluator(mode="multi_hit"),
    "success": lambda: DocumentRecallEvaluator(mode="single_hit"),
}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [value_of(given, metric) for metric in metrics]


def value_of(given: Mapping[str, Any], metric: Mapping[str, Any]) -> Any:
    queries, lists = list(given["qrels"]), listed(given["ranking"])
    k = metric.get("k")
    relevant = [{d: g for d, g in grades.items() if g >= metric.get("rel", 1)} for grades in given["qrels"].values()]
    longest = max(len(each) for each in (*lists.values(), *relevant))
    if (k is not None and k < longest) or metric.get("gains") == "exponential" or not set(lists) <= set(queries):
        raise Unsupported("lists without cutoffs, for judged queries, with linear gains")
    wanted = [[Document(content=d, score=float(grade)) for d, grade in grades.items()] for grades in relevant]
    found = [[Document(content=document) for document in lists.get(query, [])] for query in queries]
    result = NAMES[metric["computes"]]().run(ground_truth_documents=wanted, retrieved_documents=found)
    if "queries" in given:
        return [result["individual_scores"][queries.index(query)] for query in given["queries"]]
    return result["score"]


if __name__ == "__main__":
    answer("haystack-ai", functions(list(NAMES), compute, by_score=False))
